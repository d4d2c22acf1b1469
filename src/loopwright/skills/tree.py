"""The few system calls a skill's files are changed with. Every step below its folder refuses links."""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Self

from loopwright.domain.errors import Conflict, NotFound, WorkspaceError
from loopwright.domain.skill_files import digest
from loopwright.skills.names import TEMPORARY

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_CHUNK = 1 << 20
ODD = ""
"""The digest of what is no plain file: a link, a folder, or behind one of them."""


class Owned(NamedTuple):
    """Permissions and owner of a file."""

    mode: int
    uid: int
    gid: int


class Look(NamedTuple):
    """What stands under a name; `digest` is `ODD` where that is no plain file."""

    digest: str
    owned: Owned


class Tree:
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
            _lock(fd, root)
            yield cls(fd)
        finally:
            os.close(fd)

    def look(self, name: str) -> Look | None:
        """None where there is nothing."""
        try:
            with self._above(name) as (folder, last):
                fd = os.open(last, _READ, dir_fd=folder)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENXIO, errno.EISDIR):
                return Look(ODD, Owned(0, 0, 0))
            raise
        try:
            found = os.fstat(fd)
            owned = Owned(stat.S_IMODE(found.st_mode), found.st_uid, found.st_gid)
            return Look(digest(_content(fd)) if stat.S_ISREG(found.st_mode) else ODD, owned)
        finally:
            os.close(fd)

    def read(self, name: str) -> bytes:
        with self._above(name) as (folder, last):
            fd = os.open(last, _READ, dir_fd=folder)
        try:
            return _content(fd)
        finally:
            os.close(fd)

    def stage(self, name: str, data: bytes, owned: Owned | None) -> None:
        """Puts the new content beside the file, durably; `owned` None: as new files are."""
        self.discard(name)
        with self._above(name) as (folder, _):
            fd = os.open(temporary(name), _FRESH, 0o666 if owned is None else 0o600, dir_fd=folder)
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
            os.rename(temporary(name), last, src_dir_fd=folder, dst_dir_fd=folder)

    def discard(self, name: str) -> None:
        """Removes what was staged, if anything was."""
        with contextlib.suppress(FileNotFoundError, NotADirectoryError), self._above(name) as (folder, _):
            os.unlink(temporary(name), dir_fd=folder)

    def remove(self, name: str) -> None:
        with self._above(name) as (folder, last):
            os.unlink(last, dir_fd=folder)

    def missing_folders(self, names: Sequence[str]) -> tuple[str, ...]:
        """What has to be made for files of these names, outer ones first."""
        wanted = {above for name in names for above in _folders_of(name)}
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
def told(what: str) -> Iterator[None]:
    """Says in our own words what the operating system refused."""
    try:
        yield
    except OSError as error:
        raise WorkspaceError(f"{what}: {error.filename or 'the disk'}: {error.strerror}") from error


def _lock(fd: int, root: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise Conflict(f"another session changes {root} right now; try again when it has ended") from None


def temporary(name: str) -> str:
    """What the new content of that file is called until it takes its place."""
    return f"{TEMPORARY}{digest(name.encode())[:16]}"


def _content(fd: int) -> bytes:
    pieces = []
    while piece := os.read(fd, _CHUNK):
        pieces.append(piece)
    return b"".join(pieces)


def _give(fd: int, owned: Owned) -> None:
    """Only root may give a file to somebody else; for all others it stays theirs."""
    found = os.fstat(fd)
    if (found.st_uid, found.st_gid) != (owned.uid, owned.gid):
        with contextlib.suppress(PermissionError):
            os.fchown(fd, owned.uid, owned.gid)
    os.fchmod(fd, owned.mode)


def _folders_of(name: str) -> Iterator[str]:
    return (name[:end] for end, letter in enumerate(name) if letter == "/")
