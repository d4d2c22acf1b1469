"""An agent that asks, a runner of its own, and a person in another process."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.real_command import Project
from tests.waiting import until

TESTS = "from app import GOOD\n\n\ndef test_good():\n    assert GOOD\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path / "project", tmp_path / "state")
    project.root.mkdir()
    (project.root / "app.py").write_text("GOOD = False\n")
    (project.root / "test_app.py").write_text(TESTS)
    return project


def created(project: Project) -> str:
    return str(project.call("create", "Make test_good pass", "--auto")[1]["loop_id"])


@contextmanager
def driven(project: Project, loop_id: str) -> Iterator[subprocess.Popen[bytes]]:
    """A runner of its own, until its agent has asked both things it wants."""
    already = asks(project, loop_id)
    runner = subprocess.Popen(
        [sys.executable, "-m", "tests.asking", str(project.root), loop_id],
        cwd=Path(__file__).parent.parent.parent, env=project.environment, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        until(lambda: asks(project, loop_id) == already + 2 or runner.poll() is not None)
        assert runner.poll() is None
        yield runner
    finally:
        runner.kill()
        runner.wait()


def asks(project: Project, loop_id: str) -> int:
    """How often was asked altogether; read from the journal, which costs little."""
    return [line["event"]["type"] for line in project.journal(loop_id)].count("permission_asked")


def asked(project: Project, loop_id: str) -> list[Any]:  # Any: parsed JSON
    return list(project.state_of(loop_id)["engine"]["asked"])


def test_a_person_in_another_process_allows_it(project: Project) -> None:
    loop_id = created(project)
    with driven(project, loop_id) as runner:
        first, second = asked(project, loop_id)
        at = ("--project", str(project.root))
        _, page = project.plain("-m", "loopwright", "show", loop_id, *at)
        assert f"{first['id']}  codex asks to run: make all; {first['reason']}" in page
        assert f"loopwright approve {loop_id} {first['id']} --allow --project" in page
        _, table = project.plain("-m", "loopwright", "list", *at)
        assert "running (asks)" in table
        assert project.call("approve", loop_id, "--allow")[0] == 2, "two are open"
        assert project.call("approve", loop_id, "ask-00000000", "--allow")[0] == 4
        code, (answered,) = project.call("approve", loop_id, first["id"], "--allow")
        assert (code, answered["id"], answered["answer"]) == (0, first["id"], "allow")
        code, rest = project.call("approve", loop_id, "--all", "--allow")
        assert (code, [one["id"] for one in rest]) == (0, [second["id"]])
        assert runner.wait(60) == 0
    state = project.state_of(loop_id)
    assert (state["engine"]["outcome"], state["engine"]["asked"]) == ("succeeded", [])
    assert project.call("approve", loop_id, first["id"], "--allow")[0] == 4
    _, told = project.plain("-m", "loopwright", "logs", loop_id, "events", *at)
    assert f"{first['id']}: codex asks to run: make all" in told
    assert f"{first['id']} is allowed, on the command line" in told


def test_a_stop_and_a_killed_runner_leave_no_question(project: Project) -> None:
    loop_id = created(project)
    with driven(project, loop_id) as runner:
        before = asked(project, loop_id)
        runner.kill()
        runner.wait()
        code, refused = project.call("approve", loop_id, before[0]["id"], "--allow")
        assert code == 5
        assert "resume" in refused["error"]
        _, page = project.plain("-m", "loopwright", "show", loop_id, "--project", str(project.root))
        assert "approve" not in page
    with driven(project, loop_id) as runner:
        ids = {one["id"] for one in asked(project, loop_id)}
        assert ids.isdisjoint(one["id"] for one in before), "they are asked anew"
        assert project.call("stop", loop_id)[0] == 0
        runner.wait(60)
    state = project.state_of(loop_id)
    assert (state["engine"]["outcome"], state["engine"]["asked"]) == ("stopped", [])
    assert (project.root / "app.py").read_text() == "GOOD = False\n"


def test_a_command_of_the_loop_can_not_answer_for_it(project: Project) -> None:
    _, loop = project.call("create", "One step", "--auto", "--agent", "builtin", "--max-iterations", "1")
    loop_id = str(loop["loop_id"])
    approve = f"{sys.executable} -m loopwright approve {loop_id} --all --allow --json > said.txt; echo $? >> said.txt"
    assert project.call("tasks", loop_id, "add", "approve", "--tool", "bash", "--command", approve)[0] == 0
    project.call("run", "--loop-id", loop_id, "--auto")
    said = (project.root / "said.txt").read_text()
    assert "a loop cannot grant its own requests" in said
    assert said.splitlines()[-1] == "5"
