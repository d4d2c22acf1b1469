"""What every depot keeps to: the fake in memory, and a git remote."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from loopwright.core.errors import Conflict, Invalid, NotFound, WorkspaceError
from loopwright.core.fleet import Depot
from loopwright.core.ports import Workspace
from tests.fleet.machines import GitMachine, make_remote, refs_of
from tests.fleet.memory_depot import HISTORY, FakeDepot, FakeRemote
from tests.memory_workspace import FakeWorkspace


class Machine(Protocol):
    """One of those that share a project, which has the files `files`."""

    @property
    def depot(self) -> Depot: ...
    @property
    def workspace(self) -> Workspace: ...
    def write(self, name: str, data: bytes) -> None: ...
    def files(self) -> dict[str, bytes]: ...
    def commit(self) -> str:
        """What is there, in the project's own history."""
        ...


class Site(Protocol):
    def machine(self) -> Machine: ...
    def tip(self, branch: str) -> str | None: ...
    def cut(self) -> None: ...
    def mend(self) -> None: ...


class MemoryMachine:
    def __init__(self, remote: FakeRemote) -> None:
        self.workspace = FakeWorkspace()
        self.depot = FakeDepot(self.workspace, remote)
        self.write = self.workspace.files.__setitem__

    def files(self) -> dict[str, bytes]:
        return dict(self.workspace.files)

    def commit(self) -> str:
        return self.workspace.snapshot(HISTORY, "commit").commit


class MemorySite:
    def __init__(self, _: Path) -> None:
        self._remote = FakeRemote()

    def machine(self) -> Machine:
        return MemoryMachine(self._remote)

    def tip(self, branch: str) -> str | None:
        return self._remote.branches.get(branch)

    def cut(self) -> None:
        self._remote.reachable = False

    def mend(self) -> None:
        self._remote.reachable = True


class DiskMachine(GitMachine):
    def write(self, name: str, data: bytes) -> None:
        (self.project / name).write_bytes(data)

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.project.iterdir() if path.is_file()}

    def commit(self, **files: str) -> str:
        return super().commit(**files) if (self.project / ".git").exists() else self.begin(**files)


class GitSite:
    def __init__(self, folder: Path) -> None:
        self._remote, self._folder, self._machines = make_remote(folder / "remote.git"), folder, 0

    def machine(self) -> Machine:
        self._machines += 1
        return DiskMachine(self._folder / f"machine-{self._machines}", self._remote)

    def tip(self, branch: str) -> str | None:
        return refs_of(self._remote).get(f"refs/heads/{branch}")

    def cut(self) -> None:
        self._remote.rename(self._folder / "away")

    def mend(self) -> None:
        (self._folder / "away").rename(self._remote)


@pytest.fixture(params=[MemorySite, GitSite], ids=["memory", "git"])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Site:
    make: Callable[[Path], Site] = request.param
    return make(tmp_path)


class Course:
    """A run that was submitted with a file that is in no commit, and has done a step since."""

    def __init__(self, site: Site) -> None:
        self.first = site.machine()
        self.first.write("a", b"one\n")
        self.base = self.first.commit()
        self.first.depot.push_base("loop-1", self.base)
        self.begun, self.step = self.keep(self.first, 0, b"uncommitted\n"), self.keep(self.first, 1, b"two\n")

    def keep(self, machine: Machine, token: int, data: bytes) -> str:
        machine.write("b", data)
        commit = machine.workspace.snapshot("loop-1", "step").commit
        machine.depot.push_checkpoint("loop-1", token, self.base, commit)
        return commit

    def taken_over(self, site: Site, last: str) -> Machine:
        other = site.machine()
        other.depot.check_out("loop-1", self.base)
        other.depot.fetch_checkpoints("loop-1", last)
        other.workspace.restore(last)
        return other


@pytest.fixture
def course(site: Site) -> Course:
    return Course(site)


def test_a_run_goes_on_where_it_was(site: Site, course: Course) -> None:
    second = site.machine()
    second.depot.check_out("loop-1", course.base)
    assert second.files() == {"a": b"one\n"}
    second.depot.fetch_checkpoints("loop-1", course.step)
    for commit, text in ((course.begun, b"uncommitted\n"), (course.step, b"two\n")):
        second.workspace.restore(commit)
        assert second.files() == {"a": b"one\n", "b": text}
    assert second.workspace.snapshot("loop-1", "nothing new").commit == course.step
    third = course.taken_over(site, course.keep(second, 2, b"three\n"))
    assert third.files() == {"a": b"one\n", "b": b"three\n"}
    assert [change.file for change in third.workspace.changes(course.begun, course.step)] == ["b"]


def test_who_lost_a_run_does_not_harm_it(site: Site, course: Course) -> None:
    second = course.taken_over(site, course.step)
    good = course.keep(second, 2, b"three\n")
    late = course.keep(course.first, 1, b"too late\n")
    third = course.taken_over(site, good)
    assert third.files()["b"] == b"three\n"
    assert third.workspace.snapshot("loop-1", "nothing new").commit == good
    third.workspace.restore(late)
    assert third.files()["b"] == b"too late\n", "of every token"


def test_a_push_may_come_again_and_late(site: Site, course: Course) -> None:
    for commit in (course.begun, course.step, course.begun):
        course.first.depot.push_base("loop-1", course.base)
        course.first.depot.push_checkpoint("loop-1", 1, course.base, commit)
    assert course.taken_over(site, course.step).files()["b"] == b"two\n"


def test_checkpoints_of_one_token_are_one_line(site: Site, course: Course) -> None:
    second = course.taken_over(site, course.begun)
    with pytest.raises(Conflict, match="loop-1"):
        course.keep(second, 1, b"another\n")
    course.keep(second, 2, b"another\n")
    assert course.taken_over(site, course.step).files()["b"] == b"two\n"


def test_a_base_is_not_lost_to_another(site: Site, course: Course) -> None:
    other = site.machine()
    other.write("a", b"another project\n")
    with pytest.raises(Conflict, match="base of loop-1"):
        other.depot.push_base("loop-1", other.commit())
    course.first.depot.push_base("loop-1", course.first.commit())
    assert course.taken_over(site, course.step).files()["b"] == b"two\n"


def test_what_was_not_pushed_is_not_found(site: Site, course: Course) -> None:
    other = site.machine()
    for id, base in (("loop-2", course.base), ("loop-1", "0" * 39 + "1")):
        with pytest.raises(NotFound, match=base):
            other.depot.check_out(id, base)
    other.depot.check_out("loop-1", course.base)
    course.first.write("b", b"kept to itself\n")
    alone = course.first.workspace.snapshot("loop-1", "alone").commit
    with pytest.raises(NotFound, match=alone):
        other.depot.fetch_checkpoints("loop-1", alone)
    with pytest.raises(WorkspaceError):
        other.depot.push_checkpoint("loop-1", 3, course.base, alone)


def test_a_folder_with_files_is_left_alone(site: Site, course: Course) -> None:
    other = site.machine()
    other.write("b", b"somebody's\n")
    with pytest.raises(WorkspaceError, match=r"not (an )?empty"):
        other.depot.check_out("loop-1", course.base)
    assert other.files() == {"b": b"somebody's\n"}


def test_a_result_takes_only_the_place_it_knows(site: Site, course: Course) -> None:
    push, branch = course.first.depot.push_result, "loopwright/loop-1"
    push("loop-1", course.base, branch, None)
    push("loop-1", course.base, branch, None)
    assert site.tip(branch) == course.base
    with pytest.raises(Conflict, match=branch):
        push("loop-1", course.step, branch, None)
    with pytest.raises(Conflict, match=branch):
        push("loop-1", course.step, branch, course.begun)
    assert site.tip(branch) == course.base
    push("loop-1", course.step, branch, course.base)
    push("loop-1", course.step, branch, course.base)
    assert site.tip(branch) == course.step


def test_only_the_result_outlives_a_run(site: Site, course: Course) -> None:
    course.first.depot.push_result("loop-1", course.base, "kept", None)
    course.first.depot.push_base("loop-10", course.base)
    for _ in range(2):
        course.first.depot.drop("loop-1")
    with pytest.raises(NotFound):
        site.machine().depot.check_out("loop-1", "0" * 40)
    with pytest.raises(NotFound):
        site.machine().depot.fetch_checkpoints("loop-1", course.step)
    site.machine().depot.check_out("loop-10", course.base)
    assert site.tip("kept") == course.base


def test_a_remote_that_is_gone_and_comes_back(site: Site, course: Course) -> None:
    other = site.machine()
    site.cut()
    calls: tuple[Callable[[], None], ...] = (
        lambda: course.first.depot.push_base("loop-1", course.base),
        lambda: course.first.depot.push_checkpoint("loop-1", 1, course.base, course.step),
        lambda: other.depot.check_out("loop-1", course.base),
        lambda: course.first.depot.fetch_checkpoints("loop-1", course.step),
        lambda: course.first.depot.push_result("loop-1", course.step, "result", None),
        lambda: course.first.depot.drop("loop-1"),
    )
    for call in calls:
        with pytest.raises(WorkspaceError):
            call()
    site.mend()
    assert course.taken_over(site, course.keep(course.first, 1, b"three\n")).files()["b"] == b"three\n"


def test_names_that_are_none(site: Site, course: Course) -> None:
    depot, base = course.first.depot, course.base
    for id in ("", "-x", "../x", "a/b", "a b", "a\n", "x" * 129, "*"):
        for call in (
            lambda id: depot.push_base(id, base),
            lambda id: depot.push_checkpoint(id, 1, base, course.step),
            lambda id: depot.check_out(id, base),
            lambda id: depot.fetch_checkpoints(id, course.step),
            lambda id: depot.push_result(id, base, "result", None),
            depot.drop,
        ):
            with pytest.raises(Invalid, match="ID"):
                call(id)
    for commit in ("", "HEAD", "--all", base[:39], base + "0", base.replace(base[0], "G"), f"{base}\n", f"^{base[1:]}"):
        with pytest.raises(Invalid, match="no commit"):
            depot.push_base("loop-1", commit)
        with pytest.raises(Invalid, match="no commit"):
            depot.push_checkpoint("loop-1", 1, base, commit)
        with pytest.raises(Invalid, match="no commit"):
            depot.fetch_checkpoints("loop-1", commit)
    for branch in ("", "-d", "--all", "a b", "a..b", "@{-1}", "x:y", "main\n"):
        with pytest.raises(Invalid, match="branch"):
            depot.push_result("loop-1", base, branch, None)
    assert site.tip("main") is None
