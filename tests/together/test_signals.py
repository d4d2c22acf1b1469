"""Stop, pause, kill, resume and delete reach one loop and no other: ids that begin alike, and the same id elsewhere."""

import os
import shlex
import shutil
import signal
from pathlib import Path

import pytest

from loopwright.core.errors import ExitCode
from tests.real_command import COMMAND, Project
from tests.together.members import SOON, WAIT, Member, crossings, digests, enlist, found, refs, running, until


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return found(tmp_path / "here", "project", tmp_path / "state")


@pytest.fixture
def other(tmp_path: Path) -> Project:
    """Another project of the same name, with the same place for checkpoints."""
    return found(tmp_path / "there", "project", tmp_path / "state")


def waiting(project: Project, id: str) -> Member:
    return enlist(Member(project, id), WAIT, tests=None)


def sleepers(member: Member) -> list[int]:
    """Processes of the loop that are its endless task."""
    return [pid for pid in member.processes() if name_of(pid) == "sleep"]


def name_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def test_ids_that_begin_alike(project: Project) -> None:
    stopped, paused, killed, spared = (waiting(project, id) for id in ("loop", "loop-1", "loop-1-0", "loop-10"))
    with running(stopped, paused, killed, spared) as runners:
        assert project.call("stop", stopped.id)[0] == 0
        until(lambda: not sleepers(stopped))
        assert all(sleepers(member) for member in (paused, killed, spared))
        assert project.call("pause", paused.id, "--now")[0] == 0
        assert runners[paused].wait(SOON) == ExitCode.NEEDS_PERSON
        runners[killed].kill()
        runners[killed].wait()
        before = digests([*paused.files, *spared.files, *killed.files])
        assert project.call("delete", stopped.id, "--yes")[0] == 0
        assert [path for path in stopped.files if path.suffix in (".json", ".ndjson", ".log", ".md")] == []
        assert digests([*paused.files, *spared.files, *killed.files]) == before
        assert set(refs(project)) == {paused.id, killed.id, spared.id}
        assert sleepers(spared)
        assert [member.state().status for member in (paused, killed, spared)] == ["paused", "running", "running"]
        assert list(crossings([paused, killed, spared])) == []


def test_the_same_id_in_two_projects(project: Project, other: Project) -> None:
    here, there = (waiting(place, "loop-1") for place in (project, other))
    with running(here, there) as runners:
        until(lambda: bool(sleepers(here)))
        (left,) = sleepers(here)
        os.kill(runners[here].pid, signal.SIGKILL)
        runners[here].wait()
        assert other.call("resume", "--all")[1] == []
        assert sleepers(here) == [left], "another project's resume has nothing to do with it"
        here.written.unlink()
        assert len(project.call("resume", "--all")[1]) == 1
        until(here.written.exists)
        assert left not in sleepers(here)
        assert sleepers(there)
        assert project.call("stop", here.id)[0] == 0
        assert project.call("delete", here.id, "--yes")[0] == 0
        assert sleepers(here) == []
        assert sleepers(there)
        assert (there.state().status, refs(other), refs(project)) == ("running", [there.id], [])


def test_a_second_runner_and_a_copy_of_the_project(project: Project, tmp_path: Path) -> None:
    """A second runner is refused; a copy has a loop of its own, which can be stopped without touching the first."""
    original = waiting(project, "loop-1")
    with running(original):
        until(lambda: bool(sleepers(original)))
        before = sleepers(original)
        assert project.call("run", "--loop-id", original.id, "--auto")[0] == ExitCode.ILLEGAL
        copied = Project(tmp_path / "copy" / "project", project.state)
        shutil.copytree(project.root, copied.root)
        code, state = copied.call("stop", original.id)
        assert (code, state["status"]) == (0, "failed")
        assert sleepers(original) == before
        assert original.state().status == "running"


def test_a_loop_that_a_loop_runs(project: Project, other: Project) -> None:
    """The inner one is the outer one's process: it ends with it, and its own end does not touch the outer one."""
    inner = waiting(other, "loop-1")
    command = [*COMMAND, "run", "--auto", "--loop-id", inner.id, "--project", str(other.root)]
    outer = enlist(Member(project, "loop-1"), f"{shlex.join(command)} & {WAIT}", tests=None)
    with running(outer):
        until(inner.written.exists)
        assert other.call("stop", inner.id)[0] == 0
        until(lambda: not inner.processes())
        assert sleepers(outer)
        assert project.call("stop", outer.id)[0] == 0
        until(lambda: not outer.processes())
