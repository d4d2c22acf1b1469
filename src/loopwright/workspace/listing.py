"""Which files make up a project: all that its git does not ignore, and nothing of ours."""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from loopwright.workspace.private_git import PrivateGit, run_git

OURS = (b".workflow", b".loop")
"""Folders of the project root that hold our own state."""

_LIST = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
_IGNORED = ("ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")


def decode_name(name: bytes) -> str:
    """A file name as text that every JSON reader takes."""
    return name.decode("utf-8", "backslashreplace")


def folders_of(name: bytes) -> Iterator[bytes]:
    """The folders that a file lies in."""
    return (name[:end] for end, letter in enumerate(name) if letter == ord("/"))


def is_among(name: bytes, paths: frozenset[str]) -> bool:
    """Whether the file is one of the paths or lies in a folder that is."""
    text = decode_name(name)
    return text in paths or any(text[:end] in paths for end, letter in enumerate(text) if letter == "/")


def project_files(private: PrivateGit, *, without: Path | None = None) -> list[bytes]:
    """Project-relative names of all files and links, sorted; those of nested repositories included.

    `without` is a folder to leave out when it lies inside of the project.
    """
    root = private.work_tree
    left_out = [*OURS]
    if without is not None and without.is_relative_to(root):
        left_out.append(os.fsencode(without.relative_to(root)))
    prefixes = tuple(folder + b"/" for folder in left_out)
    listed = (name for name in set(_listed(private, root, b"")) if name not in left_out)
    return sorted(keep_existing(root, (name for name in listed if not name.startswith(prefixes))))


def ignored_names(private: PrivateGit) -> list[str]:
    """Project-relative names of ignored files, and of folders that hold nothing else: these end with a slash.

    Those of nested repositories included.
    """
    found = (
        name
        for folder, prefix in _repositories(private, private.work_tree, b"")
        for name in (prefix + inside for inside in _names(private, folder, _IGNORED))
    )
    return [decode_name(name) for name in found if name.rstrip(b"/") not in OURS]


def _repositories(private: PrivateGit, folder: Path, prefix: bytes) -> Iterator[tuple[Path, bytes]]:
    """The project, and the repositories in it."""
    yield folder, prefix
    for name in _names(private, folder):
        bare = name.rstrip(b"/")
        nested = folder / os.fsdecode(bare)
        if name.endswith(b"/") and (nested / ".git").exists() and not nested.is_symlink():
            yield from _repositories(private, nested, prefix + bare + b"/")


def keep_existing(root: Path, names: Iterable[bytes]) -> Iterator[bytes]:
    """Those of the names that are regular files or links below `root`, with no link on the way to them."""
    folders: dict[bytes, bool] = {b"": True}
    at = os.fsencode(root)
    return (name for name in names if _is_file(at, name, folders))


def _listed(private: PrivateGit, folder: Path, prefix: bytes) -> Iterator[bytes]:
    """What git lists, nested repositories opened."""
    for name in _names(private, folder):
        bare = name.rstrip(b"/")
        nested = folder / os.fsdecode(bare)
        if (nested / ".git").exists() and not nested.is_symlink():
            yield from _listed(private, nested, prefix + bare + b"/")
        elif not name.endswith(b"/"):
            yield prefix + name


def _names(private: PrivateGit, folder: Path, question: Sequence[str] = _LIST) -> list[bytes]:
    # The user's own git knows tracked files, which are never ignored, and .git/info/exclude.
    done = run_git(*question, cwd=folder)
    if done.returncode != 0 or _is_ignored(folder):
        with private.scratch_index() as empty:
            alone = PrivateGit(private.directory, folder)
            return alone.run(*question, index=empty).split(b"\0")[:-1]
    return done.stdout.split(b"\0")[:-1]


def _is_ignored(folder: Path) -> bool:
    """Whether a repository around the folder ignores it as a whole: then its rules are not meant for the project."""
    return not (folder / ".git").exists() and run_git("check-ignore", "--quiet", ".", cwd=folder).returncode == 0


def _is_file(root: bytes, name: bytes, folders: dict[bytes, bool]) -> bool:
    """A regular file or a link that is there, and no link on the way to it. `folders` remembers the way."""
    parent, _, _ = name.rpartition(b"/")
    if not _is_folder(root, parent, folders):
        return False
    mode = _mode(root + b"/" + name)
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_folder(root: bytes, name: bytes, known: dict[bytes, bool]) -> bool:
    if name not in known:
        parent, _, _ = name.rpartition(b"/")
        known[name] = _is_folder(root, parent, known) and stat.S_ISDIR(_mode(root + b"/" + name))
    return known[name]


def _mode(path: bytes) -> int:
    try:
        return os.lstat(path).st_mode
    except (FileNotFoundError, NotADirectoryError):
        return 0
