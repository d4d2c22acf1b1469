"""`loopwright run … | head -3` printed a traceback and left the loop in the middle of its course."""

import subprocess
from pathlib import Path

from tests.real_command import COMMAND, Project


def test_a_loop_outlives_the_reader_of_its_output(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    (project.root / "test_it.py").write_text("def test_it():\n    pass\n")
    run = subprocess.Popen(
        [*COMMAND, "run", "Make the tests pass", "--auto", "--agent", "builtin", "--project", str(project.root)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=project.environment,
    )  # fmt: skip
    assert run.stdout is not None
    assert run.stderr is not None
    run.stdout.readline()
    run.stdout.close()
    errors = run.stderr.read()
    run.stderr.close()
    assert run.wait() == 0, errors
    assert errors == b""
    _, loops = project.call("list")
    assert [loop["status"] for loop in loops] == ["completed"]
