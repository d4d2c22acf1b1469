"""Where a project keeps its own files."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_FOREIGN = frozenset({"vendor", "testdata", "node_modules", "venv", "site-packages", "__pycache__"})
_BUILT = frozenset({"target", "build", "dist", "out"})


def walk_folders(root: Path, *, built: bool = False) -> Iterator[Path]:
    """The project's own folders, without hidden ones and other people's code; `built`: with what its tools write."""
    skipped = _FOREIGN if built else _FOREIGN | _BUILT
    for at, inner, _ in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith((".", "_")) and name not in skipped)
        yield Path(at)


def list_changed_files(root: Path, since: int, suffix: str) -> list[Path]:
    """Files that were created or written since a moment, in nanoseconds. It is not fooled by times that were set."""
    found = []
    for folder in walk_folders(root, built=True):
        for path in sorted(folder.glob(f"*{suffix}")):
            status = path.lstat()
            # The time of the last change to the file's entry is the kernel's own: no program can set it.
            if stat.S_ISREG(status.st_mode) and status.st_ctime_ns >= since and os.access(path, os.R_OK):
                found.append(path)
    return found
