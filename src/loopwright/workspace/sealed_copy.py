"""A copy of the project that holds what a checkpoint says, and nothing that the run has put beside it."""

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from loopwright.core.errors import WorkspaceError
from loopwright.workspace.listing import decode_name, folders_of

Files = Mapping[bytes, tuple[bytes, bytes]]
"""Mode and object, by name."""


def check_listing(commit: str, text: bytes, files: Files) -> None:
    """WorkspaceError where these are not the files of the commit, whatever the repository says: names are hashes."""
    named = re.match(rb"tree ([0-9a-f]{40})\n", text)
    if object_name(b"commit", text) != commit or named is None or tree_name(files) != named[1].decode():
        raise WorkspaceError(f"the private repository was changed: it has another snapshot under the name {commit}")


def check_contents(names: Iterable[bytes], files: Files, folder: Path) -> None:
    """WorkspaceError where one of them, as it was written below the folder, is not what its name stands for."""
    for name in names:
        path = os.path.join(os.fsencode(folder), name)
        if files[name][0] == _SUBMODULE:
            continue
        data = os.readlink(path) if os.path.islink(path) else Path(os.fsdecode(path)).read_bytes()
        if object_name(b"blob", data) != files[name][1].decode():
            raise WorkspaceError(f"the private repository was changed: it has another {decode_name(name)}")


_SUBMODULE = b"160000"


def object_name(kind: bytes, data: bytes) -> str:
    """As git calls it."""
    return hashlib.sha1(b"%s %d\0" % (kind, len(data)) + data, usedforsecurity=False).hexdigest()


def tree_name(files: Files) -> str:
    """Of the tree that holds them."""
    entries: dict[bytes, tuple[bytes, bytes]] = {}
    folders: dict[bytes, dict[bytes, tuple[bytes, bytes]]] = {}
    for name, one in files.items():
        first, inner, rest = name.partition(b"/")
        if inner:
            folders.setdefault(first, {})[rest] = one
        else:
            entries[name] = one
    entries |= {name: (b"40000", tree_name(inside).encode()) for name, inside in folders.items()}
    ordered = sorted(entries, key=lambda name: name + b"/" if name in folders else name)
    return object_name(
        b"tree", b"".join(b"%s %s\0%s" % (entries[n][0], n, bytes.fromhex(entries[n][1].decode())) for n in ordered)
    )


def remove_links_out(copy: Path, names: Iterable[bytes]) -> None:
    """Of these files, the links that lead out of the copy: nobody else has what they lead to."""
    for name in names:
        path = copy / os.fsdecode(name)
        if path.is_symlink() and not path.resolve().is_relative_to(copy.resolve()):
            path.unlink()


def remove_nested(root: Path, copy: Path, names: Iterable[bytes], first: Collection[bytes]) -> None:
    """Of these files, those in a repository that has come since the `first`: no commit of the project holds them."""
    before = {folder for name in first for folder in folders_of(name)}
    nested: dict[bytes, bool] = {}
    for name in names:
        for folder in folders_of(name):
            if folder not in nested:
                nested[folder] = folder not in before and os.path.lexists(root / os.fsdecode(folder) / ".git")
            if nested[folder]:
                (copy / os.fsdecode(name)).unlink(missing_ok=True)
                break


def share_git(root: Path, copy: Path) -> None:
    """Lets git in the copy see the history of the project; the copy's folder is the work tree."""
    own = root / ".git"
    if own.is_dir() and not own.is_symlink():
        (copy / ".git").write_text(f"gitdir: {own}\n")
    elif own.is_file():
        (copy / ".git").write_bytes(own.read_bytes())


_EXTENSION = re.compile(rb"\.(?:so|pyd|node|dylib)$")
_SOURCE = re.compile(rb"\.(?:c|cc|cpp|cxx|pyx|rs|f|f90|m|go|zig)$")


def was_there(before: Collection[str], roots: Iterable[str], files: Iterable[bytes]) -> Callable[[bytes], bool]:
    """Whether an ignored file or folder was there `before`, is a folder of packages, which are looked at by
    themselves, or is built from a source among the `files`.
    """
    known = {os.fsencode(name.rstrip("/")) for name in (*before, *roots)}
    sources = {os.path.basename(name).partition(b".")[0] for name in files if _SOURCE.search(name)}

    def is_wanted(name: bytes) -> bool:
        inside = name.split(b"/")
        if any(b"/".join(inside[:n]) in known for n in range(1, len(inside) + 1)):
            return True
        is_built = _EXTENSION.search(name) and os.path.basename(name).partition(b".")[0] in sources
        return bool(is_built) or any(one.startswith(name + b"/") for one in known)

    return is_wanted
