"""A copy of a project as it was, with what it needs of the ignored files, to run it in another place."""

import os
from collections.abc import Iterator
from pathlib import Path

from loopwright.ports import Workspace
from loopwright.workspace.ignored import as_rule
from loopwright.workspace.private_git import git


def lay_out(source: Workspace, commit: str, to: Path) -> None:
    """Writes the snapshot below `to` and links the ignored files there. The links count as ignored in the copy too.

    Git would not see that by itself: a rule like `node_modules/` is about folders.
    """
    source.export(commit, to)
    source.link_ignored(to)
    git("init", "--quiet", "--template=", cwd=to)
    names = (os.fsencode(link.relative_to(to)) for link in _links(to, source.root))
    (to / ".git" / "info").mkdir(exist_ok=True)
    (to / ".git" / "info" / "exclude").write_bytes(b"".join(map(as_rule, names)))


def _links(to: Path, root: Path) -> Iterator[Path]:
    """What was linked; links to empty folders are of no use, and taken away."""
    for at, folders, files in os.walk(to):
        for link in (Path(at, name) for name in (*folders, *files)):
            if not link.is_symlink() or not Path(os.readlink(link)).is_relative_to(root):
                continue
            if link.is_dir() and not any(link.iterdir()):
                link.unlink()
            else:
                yield link
