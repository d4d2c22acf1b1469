"""A copy of a project as it was, with what it needs of the ignored files, to run it in another place."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from loopwright.ports import Workspace
from loopwright.workspace.private_git import git

_SPECIAL = re.compile(r"([\\*?\[\]!# ])")


def lay_out(source: Workspace, commit: str, to: Path) -> None:
    """Writes the snapshot below `to` and links the ignored files there. The links count as ignored in the copy too.

    Git would not see that by itself: a rule like `node_modules/` is about folders.
    """
    source.export(commit, to)
    source.link_ignored(to)
    git("init", "--quiet", "--template=", cwd=to)
    names = (str(link.relative_to(to)) for link in _links(to, source.root))
    (to / ".git" / "info").mkdir(exist_ok=True)
    excluded = "".join("/" + _SPECIAL.sub(r"\\\1", name) + "\n" for name in names)
    (to / ".git" / "info" / "exclude").write_text(excluded, encoding="utf-8", errors="surrogateescape")


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
