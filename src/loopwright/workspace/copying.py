"""A copy of a project as it was, with what it needs of the ignored files, to run it in another place."""

from pathlib import Path

from loopwright.ports import Workspace
from loopwright.workspace.ignored import as_rule
from loopwright.workspace.private_git import git


def lay_out(source: Workspace, commit: str, to: Path) -> None:
    """Writes the snapshot below `to` and brings the ignored files there. They count as ignored in the copy too.

    Git would not see that by itself: a rule like `node_modules/` is about folders.
    """
    source.export(commit, to)
    brought = source.bring_ignored(to)
    git("init", "--quiet", "--template=", cwd=to)
    (to / ".git" / "info").mkdir(exist_ok=True)
    (to / ".git" / "info" / "exclude").write_bytes(b"".join(map(as_rule, brought)))
