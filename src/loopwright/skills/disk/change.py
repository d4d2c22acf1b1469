"""Changes a skill's files, and undoes that: after a crash at any moment all files are what they were, or can be.

Everything that needs room on the disk is written first, beside the files: contents take their places only when all of
them are there.
"""

import contextlib
import errno
import fcntl
import json
import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from pydantic import Field

from loopwright.core.errors import Conflict, Corrupt, Invalid, LoopwrightError, NotFound, WorkspaceError
from loopwright.core.record import Items, Record
from loopwright.skills.disk.names import TEMPORARY, is_left_out, split_checked_name
from loopwright.skills.files import Rewrite, digest

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_TREE_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK = 1 << 20
ODD = ""
"""The digest of what is no plain file: a link, a folder, or behind one of them."""


class FileOwnership(NamedTuple):
    """Permissions and owner of a file."""

    mode: int
    uid: int
    gid: int


class FileState(NamedTuple):
    """What stands under a name; `digest` is `ODD` where that is no plain file."""

    digest: str
    owned: FileOwnership


class LockedFolder:
    """A skill's folder, locked. Names are relative, with `/`; failures are the operating system's own OSError."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._touched: set[str] = set()

    @classmethod
    @contextlib.contextmanager
    def locked(cls, root: Path) -> Iterator[Self]:
        """Nobody else of ours changes the skill meanwhile. NotFound; Conflict while somebody does.

        The lock is one of the folder itself, by whatever path one came to it, and ends with the process.
        """
        try:
            fd = os.open(os.path.realpath(root), _FOLDER)
        except (FileNotFoundError, NotADirectoryError):
            raise NotFound(f"there is no folder {root}") from None
        try:
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(f"another session is changing {root}; try again when it has ended") from None
            yield cls(fd)
        finally:
            os.close(fd)

    def look(self, name: str) -> FileState | None:
        """None where there is nothing."""
        try:
            with self._above(name) as (folder, last):
                fd = os.open(last, _READ, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR):
                return FileState(ODD, FileOwnership(0, 0, 0))
            raise
        try:
            found = os.fstat(fd)
            owned = FileOwnership(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)
            return FileState(digest(_content(fd)) if stat.S_ISREG(found.st_mode) else ODD, owned)
        finally:
            os.close(fd)

    def read(self, name: str) -> bytes:
        with self._above(name) as (folder, last):
            fd = os.open(last, _READ, dir_fd=folder)
        try:
            return _content(fd)
        finally:
            os.close(fd)

    def stage(self, name: str, data: bytes, owned: FileOwnership | None) -> None:
        """Puts the new content beside the file, durably; `owned` None: as new files are."""
        self.discard(name)
        with self._above(name) as (folder, _):
            fd = os.open(name_temporary(name), _TREE_FRESH, 0o666 if owned is None else 0o600, dir_fd=folder)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
            if owned:
                _give(fd, owned)
            os.fsync(fd)
        finally:
            os.close(fd)

    def commit(self, name: str) -> None:
        """What was staged takes the file's place."""
        with self._above(name) as (folder, last):
            os.rename(name_temporary(name), last, src_dir_fd=folder, dst_dir_fd=folder)

    def discard(self, name: str) -> None:
        """Removes what was staged, if anything was."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), self._above(name) as (folder, _):
            os.unlink(name_temporary(name), dir_fd=folder)

    def remove(self, name: str) -> None:
        with self._above(name) as (folder, last):
            os.unlink(last, dir_fd=folder)

    def missing_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """What has to be made for files of these names, outer ones first."""
        wanted = {name[:end] for name in names for end, letter in enumerate(name) if letter == "/"}
        return tuple(folder for folder in sorted(wanted) if not self._is_folder(folder))

    def make_folder(self, name: str) -> None:
        with contextlib.suppress(FileExistsError), self._above(name) as (folder, last):
            os.mkdir(last, dir_fd=folder)

    def remove_folder(self, name: str) -> None:
        """Only an empty one goes: what others have put into it stays."""
        try:
            with self._above(name) as (folder, last):
                os.rmdir(last, dir_fd=folder)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise

    def sync(self) -> None:
        """Makes durable which names there are, in all folders that were changed."""
        for folder in sorted(self._touched):
            with contextlib.suppress(FileNotFoundError), self._above(f"{folder}/." if folder else ".") as (fd, _):
                os.fsync(fd)
        self._touched.clear()

    def _is_folder(self, name: str) -> bool:
        try:
            with self._above(f"{name}/."):
                return True
        except (FileNotFoundError, NotADirectoryError):
            return False

    @contextlib.contextmanager
    def _above(self, name: str) -> Iterator[tuple[int, str]]:
        """The folder that a name lies in, reached without a link, and its last part there."""
        above, _, last = name.rpartition("/")
        fd = os.dup(self._fd)
        try:
            for part in above.split("/") if above else ():
                inner = os.open(part, _FOLDER, dir_fd=fd)
                os.close(fd)
                fd = inner
            self._touched.add(above)
            yield fd, last
        finally:
            os.close(fd)


@contextlib.contextmanager
def translate_errors(what: str) -> Iterator[None]:
    """Says in our own words what the operating system refused."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"{what}: {error.filename or 'the disk'}: {error.strerror}") from error


def name_temporary(name: str) -> str:
    """What the new content of that file is called until it takes its place."""
    return f"{TEMPORARY}{digest(name.encode())[:16]}"


def _content(fd: int) -> bytes:
    pieces = []
    while piece := os.read(fd, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)


def _give(fd: int, owned: FileOwnership) -> None:
    """Only root may give a file to somebody else; for all others it stays theirs."""
    found = os.fstat(fd)
    if (found.st_uid, found.st_gid) != (owned.uid, owned.gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, owned.uid, owned.gid)
    os.fchmod(fd, owned.mode)


MANIFEST, BLOBS = "manifest.json", "blobs"
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW


class FileBackup(Record):
    """One file: the digests before and after the change, None for no file; its permissions and owner before."""

    name: str = Field(min_length=1)
    before: str | None
    after: str | None
    mode: int = Field(default=0, ge=0, le=0o7777)
    uid: int = 0
    gid: int = 0

    @property
    def owned(self) -> FileOwnership:
        return FileOwnership(self.mode, self.uid, self.gid)


class BackupManifest(Record):
    """`folders` were made for created files, outer ones first."""

    version: int = Field(default=1, ge=1, le=1)
    files: Items[FileBackup]
    folders: Items[str] = ()


def write_backup(backup: Path, manifest: BackupManifest, contents: Iterable[bytes]) -> None:
    """Returns once all of it is durable, the manifest after what it speaks of."""
    blobs = backup / BLOBS
    _make_folder(blobs)
    for data in contents:
        _put(blobs / digest(data), data)
    _sync(blobs)
    change = manifest.model_dump_json()
    _put(backup / MANIFEST, json.dumps({"change": change, "digest": digest(change.encode())}).encode())
    _sync(backup)


def read_manifest(backup: Path) -> BackupManifest | None:
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
        manifest = BackupManifest.model_validate_json(change)
        for name in (*(file.name for file in manifest.files), *manifest.folders):
            split_checked_name(name)
        return manifest
    except (ValueError, KeyError, TypeError, AttributeError, Invalid) as error:
        raise Corrupt(f"the backup {backup} is damaged: its {MANIFEST} cannot be read") from error


def read_backup(backup: Path, file: FileBackup) -> bytes:
    """What the file held before the change. Corrupt where that is not what was stored."""
    assert file.before is not None
    try:
        data = (backup / BLOBS / file.before).read_bytes()
    except OSError as error:
        raise Corrupt(f"the backup {backup} is damaged: the content of {file.name} cannot be read") from error
    if digest(data) != file.before:
        raise Corrupt(f"the backup {backup} is damaged: the content of {file.name} is not what was stored")
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


def apply_change(root: Path, change: Rewrite, backup: Path) -> dict[str, str | None]:
    """See `ports.Skills.apply`. Where a crash has left a backup of the same beginnings, it is undone first."""
    for name in {*change.contents, *change.expected}:
        split_checked_name(name)
    if unsaid := sorted(change.contents.keys() - change.expected.keys()):
        raise Invalid(f"the expected content of {', '.join(unsaid)} is missing; name a digest, or None for no file")
    _require_apart(root, backup)
    with translate_errors(f"{root} cannot be changed, and is as it was"), LockedFolder.locked(root) as tree:
        _clean_up_after_a_crash(tree, change, backup)
        looks = _as_expected(tree, change)
        manifest = _manifest(tree, change, looks)
        write_backup(backup, manifest, [_unchanged(tree, file) for file in manifest.files if file.before is not None])
        try:
            _write(tree, change, manifest)
        except BaseException as error:
            _undo(tree, manifest, backup, error)
            raise
    return {file.name: file.after for file in manifest.files}


def roll_back_change(root: Path, backup: Path) -> dict[str, str | None]:
    """See `ports.Skills.roll_back`. NotFound; Corrupt, and nothing was written, for a backup that is damaged."""
    manifest = read_manifest(backup)
    if manifest is None:
        raise NotFound(f"there is no backup in {backup}: no change was started that it could undo")
    with (
        translate_errors(f"{root} cannot be rolled back, or not completely; try again"),
        LockedFolder.locked(root) as tree,
    ):
        _restore(tree, manifest, backup)
    return {file.name: file.before for file in manifest.files}


def _require_apart(root: Path, backup: Path) -> None:
    """A backup may lie in a hidden folder of a skill that is a whole project, and nowhere else below it."""
    real, inside = Path(os.path.realpath(root)), Path(os.path.realpath(backup))
    if inside.is_relative_to(real) and not any(is_left_out(part) for part in inside.relative_to(real).parts):
        raise Invalid(f"the backup {backup} would be part of the skill; use a folder outside {root}")


def _clean_up_after_a_crash(tree: LockedFolder, change: Rewrite, backup: Path) -> None:
    manifest = read_manifest(backup)
    if manifest is None:
        return
    if any(change.expected.get(file.name, ODD) != file.before for file in manifest.files):
        raise Conflict(f"the backup {backup} holds another change; every change needs a folder of its own")
    _restore(tree, manifest, backup)


def _as_expected(tree: LockedFolder, change: Rewrite) -> Mapping[str, FileState | None]:
    looks = {name: tree.look(name) for name in change.expected}
    for name, look in looks.items():
        if look is not None and look.digest == ODD:
            raise Invalid(f"{name} is not a regular file, or is behind a link: nothing is written through that")
    changed = sorted(name for name, look in looks.items() if _digest(look) != change.expected[name])
    if changed:
        raise Conflict(f"{', '.join(changed)} changed since it was read: diagnose the skill again, then fix it")
    return looks


def _unchanged(tree: LockedFolder, file: FileBackup) -> bytes:
    data = tree.read(file.name)
    if digest(data) != file.before:
        raise Conflict(f"{file.name} was changed by another process meanwhile")
    return data


def _manifest(tree: LockedFolder, change: Rewrite, looks: Mapping[str, FileState | None]) -> BackupManifest:
    files = []
    for name, data in sorted(change.contents.items()):
        look = looks[name]
        owned = look.owned if look else FileOwnership(0, 0, 0)
        files.append(
            FileBackup(name=name, before=_digest(look), after=None if data is None else digest(data), **owned._asdict())
        )
    made = tree.missing_folders([file.name for file in files if file.after is not None])
    return BackupManifest(files=tuple(files), folders=made)


def _write(tree: LockedFolder, change: Rewrite, manifest: BackupManifest) -> None:
    for folder in manifest.folders:
        tree.make_folder(folder)
    for file in manifest.files:
        data = change.contents[file.name]
        if data is not None:
            tree.stage(file.name, data, file.owned if file.before is not None else None)
    for file in manifest.files:
        if _digest(tree.look(file.name)) != file.before:
            raise Conflict(f"{file.name} was changed by another process meanwhile")
        if file.after is not None:
            tree.commit(file.name)
        elif file.before is not None:
            tree.remove(file.name)
    tree.sync()


def _undo(tree: LockedFolder, manifest: BackupManifest, backup: Path, error: BaseException) -> None:
    """What somebody else has changed meanwhile is left as it is."""
    try:
        for file in manifest.files:
            tree.discard(file.name)
        ours = [file for file in manifest.files if _digest(tree.look(file.name)) in (file.before, file.after)]
        _restore(tree, manifest.evolve(files=tuple(ours)), backup)
    except (OSError, LoopwrightError) as worse:
        raise WorkspaceError(
            f"the skill could not be changed ({error}), nor restored ({worse}): roll back {backup} later"
        ) from error


def _restore(tree: LockedFolder, manifest: BackupManifest, backup: Path) -> None:
    """Every file is the before or the after of the manifest; all of them become the before."""
    looks = {file.name: _digest(tree.look(file.name)) for file in manifest.files}
    if strange := [file.name for file in manifest.files if looks[file.name] not in (file.before, file.after)]:
        raise Conflict(f"{', '.join(strange)} changed since the fix: other people's changes are not overwritten")
    changed = [file for file in manifest.files if looks[file.name] != file.before]
    lost = [(file, read_backup(backup, file)) for file in changed if file.before is not None]
    for file in manifest.files:
        tree.discard(file.name)
    for folder in tree.missing_folders([file.name for file, _ in lost]):
        tree.make_folder(folder)
    for file, data in lost:
        tree.stage(file.name, data, file.owned)
    for file in changed:
        if file.before is None:
            tree.remove(file.name)
        else:
            tree.commit(file.name)
    for folder in reversed(manifest.folders):
        tree.remove_folder(folder)
    tree.sync()


def _digest(look: FileState | None) -> str | None:
    return look.digest if look else None
