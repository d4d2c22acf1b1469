"""Places beside the project where several agents can work at once, and how their work comes together."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from loopwright.ports.records import Snapshot


class Merged(NamedTuple):
    """What a merge has led to: a commit with both as its parents, and its tree.

    `conflicts` are the paths that it could not decide, none when it is good; their files hold both versions between
    marks, as far as files can. `told` says in git's words what became of each.
    """

    commit: str
    tree: str
    conflicts: tuple[str, ...]
    told: str


class Worktrees(Protocol):
    """Lanes: folders outside of the project that hold it as it was in some snapshot, one for each agent at work.

    A lane is a git repository of its own that can do no harm: no hook, remote, branch, stash or setting of the user or
    of another lane is in its reach. Commits are those of ports.Workspace. Calls block; safe from any thread and any
    process. A process that was killed leaves nothing that the next call does not mend.
    """

    def open(self, owner: str, lane: int, commit: str) -> Path:
        """Makes the lane hold that snapshot and nothing else, and gives its folder, the same for this lane every time.

        Ignored files of the project (installed packages, data) are reachable by links, but for those that
        Workspace.bring_ignored leaves out.
        Whatever was there before is gone: take a `snapshot` first. NotFound for an unknown commit.
        """

    def snapshot(self, owner: str, lane: int, label: str) -> Snapshot:
        """Commits what the lane's folder holds now, whatever was committed there; parent: the commit it was opened at.

        Also for a lane whose agent or runner is dead. NotFound for a lane that was not opened to the end: nobody has
        worked in it.
        """

    def merge(self, owner: str, ours: str, theirs: str, label: str) -> Merged:
        """Joins two snapshots, by what each has changed since the last one that both know. Touches no files.

        A merge with conflicts is there to be opened in a lane; what is then made of it can be merged into `ours` again.
        The project takes a good one by Workspace.restore(commit, changed paths, over=ours), and its next snapshot.
        Invalid where git is too old for it.
        """

    def unresolved(self, commit: str, conflicts: Sequence[str]) -> tuple[str, ...]:
        """Which of these files still hold marks of a conflict in that snapshot: such a one is not to be merged."""

    def close(self, owner: str) -> None:
        """Removes all lanes of this owner, and what is known of them. Nothing where there are none."""
