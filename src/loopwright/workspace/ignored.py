"""What a copy of a project needs of the files that git ignores: installed packages, data, local settings."""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from loopwright.domain.test_material import is_by_name
from loopwright.workspace.listing import OURS, folders_of, shown

_WRITTEN = re.compile(
    rb"\.git|__pycache__|\.\w+_cache|\.hypothesis|\.coverage.*|target|\.gradle|obj|cmake-build-.*"
    rb"|.*\.(?:pyc|o|class|log)"
)
"""Names of what tests and builds write themselves: a link would make the copy write into the project."""


_SPECIAL = re.compile(rb"([\\*?\[\]!# ])")


def link_ignored(root: Path, to: Path, files: Iterable[bytes], home: Path) -> list[bytes]:
    """Links whatever below `root` is not among `files` into the same place below `to`; `home` is not the project's.

    The names of the links that were made.
    """
    linked = []
    known = frozenset(files)
    folders = frozenset(folder for name in known for folder in folders_of(name))
    for name in _ignored(os.fsencode(root), known, folders):
        if is_by_name(shown(name)) or name in OURS or home == root / os.fsdecode(name):
            continue
        link = os.path.join(os.fsencode(to), name)
        try:
            os.makedirs(os.path.dirname(link), exist_ok=True)
            os.symlink(os.path.join(os.fsencode(root), name), link)
            linked.append(name)
        except (FileExistsError, NotADirectoryError):  # the copy has something else in that place
            continue
    return linked


def as_rule(name: bytes) -> bytes:
    """The line of an ignore file that means this name and no other."""
    return b"/" + _SPECIAL.sub(rb"\\\1", name) + b"\n"


def _ignored(root: bytes, known: frozenset[bytes], folders: frozenset[bytes]) -> Iterator[bytes]:
    """Names of ignored files, and of folders that hold nothing else."""
    for at, inside, files in os.walk(root):
        place = b"" if at == root else os.path.relpath(at, root) + b"/"
        whole = [name for name in inside if place + name not in folders or os.path.islink(os.path.join(at, name))]
        yield from (
            place + name for name in (*files, *whole) if place + name not in known and not _WRITTEN.fullmatch(name)
        )
        inside[:] = [name for name in inside if name not in whole]
