"""What a change has touched, kept so that it can be undone: contents by their digest, and a manifest written last."""

import contextlib
import json
import os
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from loopwright.domain.errors import Corrupt, Invalid, NotFound
from loopwright.domain.record import Items, Record
from loopwright.domain.skill_files import digest
from loopwright.skills.names import checked
from loopwright.skills.tree import Owned

MANIFEST, BLOBS = "manifest.json", "blobs"
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


class Kept(Record):
    """One file: the digests before and after the change, None for no file; its permissions and owner before."""

    name: str = Field(min_length=1)
    before: str | None
    after: str | None
    mode: int = Field(default=0, ge=0, le=0o7777)
    uid: int = 0
    gid: int = 0

    @property
    def owned(self) -> Owned:
        return Owned(self.mode, self.uid, self.gid)


class Manifest(Record):
    """`folders` were made for created files, outer ones first."""

    version: int = Field(default=1, ge=1, le=1)
    files: Items[Kept]
    folders: Items[str] = ()


def keep(backup: Path, manifest: Manifest, contents: Iterable[bytes]) -> None:
    """Returns once all of it is durable, the manifest after what it speaks of."""
    blobs = backup / BLOBS
    _make_folder(blobs)
    for data in contents:
        _put(blobs / digest(data), data)
    _sync(blobs)
    change = manifest.model_dump_json()
    _put(backup / MANIFEST, json.dumps({"change": change, "digest": digest(change.encode())}).encode())
    _sync(backup)


def manifest_of(backup: Path) -> Manifest | None:
    """None where a change was never kept, and so never begun. Corrupt."""
    try:
        data = (backup / MANIFEST).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    try:
        kept = json.loads(data)
        change, told = kept["change"], kept["digest"]
        if digest(change.encode()) != told:
            raise Corrupt(f"the backup {backup} is damaged: its {MANIFEST} is not what was written")
        manifest = Manifest.model_validate_json(change)
        for name in (*(file.name for file in manifest.files), *manifest.folders):
            checked(name)
        return manifest
    except (ValueError, KeyError, TypeError, AttributeError, Invalid) as error:
        raise Corrupt(f"the backup {backup} is damaged: its {MANIFEST} can not be read") from error


def require_manifest(backup: Path) -> Manifest:
    """NotFound, Corrupt."""
    manifest = manifest_of(backup)
    if manifest is None:
        raise NotFound(f"there is no backup in {backup}: no change was begun that it could undo")
    return manifest


def content(backup: Path, file: Kept) -> bytes:
    """What the file held before the change. Corrupt where that is not what was kept."""
    assert file.before is not None
    try:
        data = (backup / BLOBS / file.before).read_bytes()
    except OSError as error:
        raise Corrupt(f"the backup {backup} is damaged: the content of {file.name} can not be read") from error
    if digest(data) != file.before:
        raise Corrupt(f"the backup {backup} is damaged: the content of {file.name} is not what was kept")
    return data


def _put(path: Path, data: bytes) -> None:
    """The file is whole as soon as it has its name."""
    fresh = f"{path}.new"
    try:
        fd = os.open(fresh, _FRESH, 0o600)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            os.fsync(fd)
        finally:
            os.close(fd)
        os.rename(fresh, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(fresh)
        raise


def _make_folder(path: Path) -> None:
    """With its parents, each durable in the one above."""
    if path.is_dir():
        return
    _make_folder(path.parent)
    with contextlib.suppress(FileExistsError):
        path.mkdir()
    _sync(path.parent)


def _sync(folder: Path) -> None:
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
