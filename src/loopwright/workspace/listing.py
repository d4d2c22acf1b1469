"""Which files make up a project: all that its git does not ignore, and nothing of ours."""

import errno
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
    """The names alone of what `look_at_files` tells."""
    return list(look_at_files(private, without=without))


def look_at_files(private: PrivateGit, *, without: Path | None = None) -> dict[bytes, os.stat_result]:
    """All files and links by their project-relative names, sorted; those of nested repositories included.

    `without` is a folder to leave out when it lies inside of the project.
    """
    root = private.work_tree
    left_out = [*OURS]
    if without is not None and without.is_relative_to(root):
        left_out.append(os.fsencode(without.relative_to(root)))
    prefixes = tuple(folder + b"/" for folder in left_out)
    seen, folders, at = dict(_listed(private, root, b"")), {b"": True}, os.fsencode(root)
    return {
        name: seen[name]
        for name in sorted(seen)
        if name not in left_out
        and not name.startswith(prefixes)
        and _is_file(seen[name].st_mode)
        and _is_folder(at, name.rpartition(b"/")[0], folders)
    }


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
    for name in names:
        if _is_folder(at, name.rpartition(b"/")[0], folders):
            seen = _look(at + b"/" + name)
            if seen is not None and _is_file(seen.st_mode):
                yield name


def _listed(private: PrivateGit, folder: Path, prefix: bytes) -> Iterator[tuple[bytes, os.stat_result]]:
    """What git lists, nested repositories opened. Only these and empty folders are listed as folders."""
    at = os.fsencode(folder) + b"/"
    for name in _names(private, folder):
        bare = name.rstrip(b"/")
        seen = _look(at + bare)
        if seen is None:
            continue
        if not stat.S_ISDIR(seen.st_mode):
            yield prefix + bare, seen
        elif (nested := folder / os.fsdecode(bare)).joinpath(".git").exists():
            yield from _listed(private, nested, prefix + bare + b"/")


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


def _is_file(mode: int) -> bool:
    """A regular file or a link."""
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _is_folder(root: bytes, name: bytes, known: dict[bytes, bool]) -> bool:
    """Whether there is no link on the way to it, either. `known` remembers the way."""
    if name not in known:
        parent, _, _ = name.rpartition(b"/")
        seen = _look(root + b"/" + name) if _is_folder(root, parent, known) else None
        known[name] = seen is not None and stat.S_ISDIR(seen.st_mode)
    return known[name]


def _look(path: bytes) -> os.stat_result | None:
    """None where nothing is there, or a link on the way leads nowhere."""
    try:
        return os.lstat(path)
    except OSError as error:
        if error.errno not in (errno.ENOENT, errno.ENOTDIR, errno.ELOOP):
            raise
        return None
