"""A git remote without git, for tests of what stands above it."""

import re
from collections.abc import Iterator

from loopwright.core.errors import Conflict, Invalid, NotFound, WorkspaceError
from loopwright.core.ids import check_id
from tests.memory_workspace import FakeWorkspace

HISTORY = "history"
"""The run of a workspace whose snapshots stand for the commits of the project."""


class FakeRemote:
    """What all machines share; nothing can be had of it while it is not `reachable`."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, bytes]] = {}
        self.before: dict[str, str] = {}
        self.refs: dict[str, dict[str, str]] = {}
        self.branches: dict[str, str] = {}
        self.reachable = True


class FakeDepot:
    """See ports.Depot."""

    def __init__(self, workspace: FakeWorkspace, remote: FakeRemote) -> None:
        self._workspace, self._remote = workspace, remote

    def push_base(self, id: str, base: str) -> None:
        known = self._refs(id).get("base")
        self._send(base)
        if known not in (None, *self._line(base)):
            raise Conflict(f"another base of {id} is there")
        self._refs(id)["base"] = base

    def push_checkpoint(self, id: str, token: int, base: str, commit: str) -> None:
        refs = self._refs(id)
        there = refs.get(str(token))
        self._send(commit)
        if there is not None and commit in self._line(there):
            return
        if there not in (None, *self._line(commit)):
            raise Conflict(f"other checkpoints of {id} are there")
        refs[str(token)] = commit

    def check_out(self, id: str, base: str) -> None:
        refs = self._refs(id)
        if not any(_checked(base) in self._line(tip) for tip in refs.values()):
            raise NotFound(f"there is no commit {base} of {id}")
        if self._workspace.files:
            raise WorkspaceError("the folder is not empty")
        self._workspace.files.update(self._remote.kept[base])

    def fetch_checkpoints(self, id: str, last: str) -> None:
        found = [one for token, tip in self._refs(id).items() if token != "base" for one in self._line(tip)]
        if _checked(last) not in found:
            raise NotFound(f"there is no checkpoint {last} of {id}")
        for one in found:
            self._workspace.kept[one] = self._remote.kept[one]
            self._workspace.before |= {one: self._remote.before[one]} if one in self._remote.before else {}
        self._workspace.last[id] = last

    def push_result(self, id: str, commit: str, branch: str, expected: str | None) -> None:
        self._refs(id)
        if not re.fullmatch(r"\w[\w/-]*", branch):
            raise Invalid(f"{branch!r} is no name for a branch")
        if self._remote.branches.get(branch) not in (expected and _checked(expected), commit):
            raise Conflict(f"the branch {branch} stands elsewhere")
        self._send(commit)
        self._remote.branches[branch] = commit

    def drop(self, id: str) -> None:
        self._refs(id).clear()

    def _refs(self, id: str) -> dict[str, str]:
        check_id(id)
        if not self._remote.reachable:
            raise WorkspaceError("the remote cannot be reached")
        return self._remote.refs.setdefault(id, {})

    def _send(self, commit: str) -> None:
        if _checked(commit) not in self._workspace.kept:
            raise WorkspaceError(f"there is no commit {commit}")
        self._remote.kept |= self._workspace.kept
        self._remote.before |= self._workspace.before

    def _line(self, tip: str) -> Iterator[str]:
        """It, and all before it."""
        yield tip
        while tip in self._remote.before:
            tip = self._remote.before[tip]
            yield tip


def _checked(commit: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", commit):
        raise Invalid(f"{commit!r} is no commit")
    return commit
