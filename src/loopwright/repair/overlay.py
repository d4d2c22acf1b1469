"""Copies that copy nothing: what is written there lies over the project, which stays as it is. Linux alone."""

import ctypes
import os
import shutil
import stat
from collections.abc import Mapping, Sequence

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
    _libc.mount(None, b"/", None, _RECURSIVELY | _PRIVATE, None)
    if all(_laid(origin, tree, hidden) for tree in trees):
        return True
    for tree in trees:
        shutil.rmtree(tree + _CHANGES, ignore_errors=True)
    return False


def _laid(origin: str, tree: str, hidden: Sequence[str]) -> bool:
    changes, work = tree + _CHANGES, tree + _WORK
    try:
        os.mkdir(changes)
        os.mkdir(work)
        for name in hidden:
            place = os.path.join(changes, name)
            os.makedirs(os.path.dirname(place), exist_ok=True)
            os.mknod(place, stat.S_IFCHR, os.makedev(0, 0))  # how such a file system writes that something is gone
        for at, _, _ in os.walk(changes, topdown=False):
            shutil.copystat(os.path.join(origin, os.path.relpath(at, changes)), at)
    except OSError:
        return False
    options = f"lowerdir={origin},upperdir={changes},workdir={work},userxattr"
    return bool(_libc.mount(b"overlay", os.fsencode(tree), b"overlay", 0, os.fsencode(options)) == 0)


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
