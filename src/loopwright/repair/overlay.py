"""Copies that copy nothing: what is written there lies over the project, which stays as it is. Linux alone.

`python -m <package>.overlay PROGRAM ...` becomes a program that finds other files in the project's place. Its order is
the first line of standard input: the project (`origin`), what lies over it (`changes`), an unused path (`work`), and
what is `hidden`.
"""

import ctypes
import json
import os
import shutil
import stat
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from .sandbox import enter_namespaces
from .tree import Sign, sign_files

_RECURSIVELY, _PRIVATE = 0x4000, 1 << 18
_CHANGES, _WORK = ".changes", ".work"
_FOLDER = (0, 0, 0)
_SPECIAL = frozenset(':,\\"')
_libc = ctypes.CDLL(None, use_errno=True)


def lay_over(origin: str, trees: Sequence[str], hidden: Sequence[str]) -> bool:
    """Makes each of the empty folders look like the project, without what is `hidden` (paths from there).

    In mount namespaces of our own alone, which end with the processes in them. False where the kernel does not do that.
    """
    if any(tree.startswith(origin + os.sep) or _SPECIAL & {*origin, *tree} for tree in trees):
        return False
    _keep_mounts_inside()
    if all(_laid(origin, tree, tree + _CHANGES, tree + _WORK, hidden) for tree in trees):
        return True
    for tree in trees:
        shutil.rmtree(tree + _CHANGES, ignore_errors=True)
    return False


def _laid(origin: str, place: str, changes: str, work: str, hidden: Sequence[str]) -> bool:
    """What is in `changes`, if anything, is there from the beginning."""
    try:
        os.makedirs(changes, exist_ok=True)
        os.mkdir(work)
        for name in hidden:
            _hide(os.path.join(changes, name))
        for at, _, _ in os.walk(changes, topdown=False):
            with suppress(FileNotFoundError):  # the project has no such folder
                shutil.copystat(os.path.join(origin, os.path.relpath(at, changes)), at)
    except OSError:
        return False
    options = f"lowerdir={origin},upperdir={changes},workdir={work},userxattr"
    return bool(_libc.mount(b"overlay", os.fsencode(place), b"overlay", 0, os.fsencode(options)) == 0)


def _hide(place: str) -> None:
    """As such a file system writes that something is gone; what lies over it anyway needs no such word."""
    with suppress(FileExistsError, NotADirectoryError):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))


def _keep_mounts_inside() -> None:
    _libc.mount(None, b"/", None, _RECURSIVELY | _PRIVATE, None)


def run_laid_over(argv: Sequence[str]) -> None:
    """Becomes that program; comes back where the kernel does not lay anything over the project."""
    line = sys.stdin.buffer.readline()
    os.lseek(0, len(line), os.SEEK_SET)
    order = json.loads(line)
    origin, changes = order["origin"], order["changes"]
    if _SPECIAL & {*origin, *changes} or changes.startswith(origin + os.sep) or _holds_mounts(origin):
        return
    if not enter_namespaces():
        return
    _keep_mounts_inside()
    if _laid(origin, origin, changes, order["work"], order["hidden"]):
        os.chdir(origin)
        os.execv(argv[0], list(argv))


def _holds_mounts(origin: str) -> bool:
    """Whether something else is mounted in there, which would not be seen."""
    start = origin.replace(" ", r"\040") + os.sep
    return any(line.split()[1].startswith(start) for line in Path("/proc/self/mounts").read_text().splitlines())


def is_laid_over(tree: str) -> bool:
    """Whether a tree is such a copy."""
    return os.path.isdir(tree + _CHANGES)


def sign_changes(tree: str) -> dict[str, Sign]:
    """What lies over the project there: files by their path, what is gone among them, and folders."""
    changes = tree + _CHANGES
    inside = (os.path.join(at, name) for at, names, _ in os.walk(changes) for name in names)
    folders = (path[len(changes) + 1 :] for path in inside)
    return {**dict.fromkeys(folders, _FOLDER), **dict(sign_files(changes))}


def list_folders(signs: Mapping[str, Sign]) -> list[str]:
    """Those among them, and the top."""
    return ["", *(name for name, sign in signs.items() if sign == _FOLDER)]


if __name__ == "__main__":
    run_laid_over(sys.argv[1:])
    sys.exit(os.EX_UNAVAILABLE)
