"""A syntax error in conftest.py kept pytest from starting, and the loop said that there were no tests."""

import subprocess
from pathlib import Path

from tests.real_command import COMMAND, Project


def test_the_end_names_what_kept_the_tests_from_running(tmp_path: Path) -> None:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    (project.root / "test_sum.py").write_text("def test_sum():\n    assert 1 + 1 == 2\n")
    (project.root / "conftest.py").write_text("def broken(:\n    pass\n")
    ran = subprocess.run(
        [*COMMAND, "run", "Make the tests pass", "--auto", "--agent", "builtin"],
        cwd=project.root, env=project.environment, capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert ran.returncode == 1
    assert "conftest.py" in ran.stdout
    assert "SyntaxError: invalid syntax" in ran.stdout
    assert "the test command failed by itself (exit code 4), so nothing could be verified." in ran.stdout
    assert "there are no tests" not in ran.stdout
