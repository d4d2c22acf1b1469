"""The few system calls the store writes with, in one place, so that a test can let each of them fail."""

import contextlib
import ctypes
import errno
import fcntl
import os
import signal
import stat
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from loopwright.core.errors import StoreError
from loopwright.core.private_files import FILE_MODE, FOLDER_MODE

ODD = frozenset({errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM})
"""What opening something says that is no plain file of ours."""


def is_regular_file(path: str) -> bool:
    """Whether a regular file stands there itself, not a link to one."""
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


ODD_KINDS = {stat.S_IFLNK: "a symbolic link", stat.S_IFREG: "a file", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


def check_folders(*steps: Path) -> None:
    """StoreError where something that is no folder stands in the place of one on the way: nothing is followed."""
    for step in steps:
        try:
            mode = os.lstat(step).st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISDIR(mode):
            kind = ODD_KINDS.get(stat.S_IFMT(mode), "a device")
            raise StoreError(f"{step} is {kind}: loopwright follows none in the place of its folders; move it away")


def quarantine_file(path: str) -> None:
    """Whoever put it there finds it again, under a name of its own. Links are moved, not followed."""
    with contextlib.suppress(FileNotFoundError):
        os.rename(path, f"{path}.damaged-{time.time_ns()}")


AT_FDCWD = -100
EXCHANGE = 2

WRITE_OUT = 2

_libc = ctypes.CDLL(None, use_errno=True)
_renameat2 = getattr(_libc, "renameat2", None)
_sync_file_range = getattr(_libc, "sync_file_range", None)


def take_spare(path: str) -> int | None:
    """A descriptor of the spare, or None when there is none that is ours alone.

    A link is not followed, and a file that has another name as well is left to that name. The kernel grants a write
    lease only on a file that nobody else has open. It is given back at once; should somebody open the file in between,
    the kernel tells us with a signal, for which one is named that is ignored.
    """
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno not in ODD:
            raise
        quarantine_file(path)
        return None
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1:
        os.close(fd)
        os.unlink(path)
        return None
    try:
        fcntl.fcntl(fd, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    except OSError:
        os.close(fd)
        os.unlink(path)
        return None
    return fd


def exchange_files(spare: str, path: str) -> None:
    """Both names change places; where that is not possible, or nothing stands at `path`, the spare just moves there.

    By ctypes, for Python has no renameat2: with a new file for each step instead of the spare, a step of 4 KB costs 4.1
    times an append and a sync (median; 3.0 is the limit of `make bench`), with it 1.7.
    """
    if _renameat2 is None or _renameat2(AT_FDCWD, os.fsencode(spare), AT_FDCWD, os.fsencode(path), EXCHANGE):
        os.rename(spare, path)


READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
WRITE = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
CREATE = WRITE | os.O_CREAT
FRESH = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
"""Nothing is written through a link that somebody put in a file's place, and no pipe is waited for."""
SPARE = ".spare"


class DiskErrorTranslator(contextlib.ContextDecorator):
    """Says in the store's own words what the operating system refused."""

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, OSError):
            raise StoreError(f"{error.filename or 'the store'}: {error.strerror}") from error


class Disk:
    """Thin, without decisions; every failure is the operating system's own OSError."""

    def read(self, path: str) -> bytes | None:
        """The whole file, None where there is none, and nothing where something else stands in its place."""
        try:
            fd = _opened(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENXIO):
                return b""
            raise
        try:
            found = os.fstat(fd)
            return self.read_at(fd, 0, found.st_size) if stat.S_ISREG(found.st_mode) else b""
        finally:
            os.close(fd)

    def read_at(self, fd: int, start: int, length: int) -> bytes:
        """Up to `length` bytes from `start`."""
        data = os.pread(fd, length, start)
        while data and len(data) < length:
            more = os.pread(fd, length - len(data), start + len(data))
            if not more:
                break
            data += more
        return data

    @contextlib.contextmanager
    def open(self, path: str, how: int = READ) -> Iterator[int]:
        """A descriptor, closed at the end. `how`: READ, WRITE (reading too) or CREATE where there is no file yet."""
        fd = open_regular(path, how) if how & os.O_CREAT else os.open(path, how)
        try:
            yield fd
        finally:
            os.close(fd)

    def append(self, fd: int, at: int, data: bytes) -> None:
        """Writes all of `data` at offset `at`, the file's end."""
        written = os.pwrite(fd, data, at)
        while written < len(data):
            written += os.pwrite(fd, data[written:], at + written)

    def sync(self, fd: int) -> None:
        os.fdatasync(fd)

    def begin_sync(self, fd: int) -> None:
        """Starts to write a file out; to sync many takes half the time where all have been started before."""
        if _sync_file_range:
            _sync_file_range(fd, ctypes.c_int64(0), ctypes.c_int64(0), WRITE_OUT)

    def truncate(self, fd: int, size: int) -> None:
        os.ftruncate(fd, size)

    def replace(self, path: str, data: bytes, *, durable: bool = False) -> None:
        """The file with new content, whole at every moment; synced only where it is to be `durable`.

        The blocks are reserved first: a rename over a file whose blocks are not allocated yet makes ext4 write them
        out at once, which costs more than the sync of the journal.
        """
        fresh = f"{path}.new"
        try:
            fd = open_regular(fresh)
            try:
                _reserve(fd, len(data))
                self.append(fd, 0, data)
                if durable:
                    self.sync(fd)
            finally:
                os.close(fd)
            self.rename(fresh, path)
        except OSError:
            self.remove(fresh)
            raise
        if durable:
            self.sync_folder(os.path.dirname(path))

    def swap(self, path: str, data: bytes, *, fresh: bool) -> None:
        """As `replace`, for a file that changes at every step; see `exchange_files`. `fresh`: it is not there yet."""
        spare = path + SPARE
        fd = None if fresh else take_spare(spare)
        if fd is None:
            fd = open_regular(spare)
        try:
            self.append(fd, 0, data)
            if os.fstat(fd).st_size != len(data):
                os.ftruncate(fd, len(data))
        finally:
            os.close(fd)
        if fresh:
            self.rename(spare, path)
        else:
            self.exchange(spare, path)

    def rename(self, fresh: str, path: str) -> None:
        """Puts a new file in its place, whatever stood there."""
        try:
            os.rename(fresh, path)
        except IsADirectoryError:
            quarantine_file(path)
            os.rename(fresh, path)

    def exchange(self, spare: str, path: str) -> None:
        """Both names change places."""
        exchange_files(spare, path)

    def sync_folder(self, path: str) -> None:
        fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def make_folder(self, path: Path) -> None:
        """Creates `path` and its parents, each durable in the one above."""
        if path.is_dir():
            return
        self.make_folder(path.parent)
        with contextlib.suppress(FileExistsError):
            path.mkdir(FOLDER_MODE)
        self.sync_folder(str(path.parent))

    def is_older_than_boot(self, path: str) -> bool:
        """Whether a file was last written before the machine started."""
        with open("/proc/stat") as stat:
            boot = next(int(line.split()[1]) for line in stat if line.startswith("btime "))
        return os.stat(path).st_mtime < boot

    def remove(self, path: str) -> None:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)

    def remove_folder(self, path: str) -> None:
        """Where nobody has put something in it meanwhile."""
        try:
            os.rmdir(path)
        except OSError as error:
            if error.errno not in (errno.ENOENT, errno.ENOTEMPTY):
                raise


def _opened(path: str) -> int:
    """Opens to read without waiting for a pipe; a file that was just written over is waited for (see `swap`)."""
    try:
        return os.open(path, READ | os.O_NONBLOCK)
    except BlockingIOError:
        return os.open(path, READ)


def open_regular(path: str, how: int = FRESH) -> int:
    """A descriptor of a plain file; whatever else stood there is moved aside."""
    try:
        fd = os.open(path, how, FILE_MODE)
    except OSError as error:
        if error.errno not in ODD or is_regular_file(path):
            raise
    else:
        if stat.S_ISREG(os.fstat(fd).st_mode):
            return fd
        os.close(fd)
    quarantine_file(path)
    return os.open(path, how, FILE_MODE)


def _reserve(fd: int, size: int) -> None:
    """Allocates blocks, where the file system can."""
    try:
        if size:
            os.posix_fallocate(fd, 0, size)
    except OSError as error:
        if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
            raise


class ClosingContext(ABC):
    """Its own context: leaving it closes it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def close(self) -> None: ...


NETWORK = frozenset({
    "9p", "afs", "ceph", "cifs", "davfs", "fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs",
    "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs",
})  # fmt: skip
MOUNTS = Path("/proc/self/mountinfo")


def network_type(folder: Path, mounts: str | None = None) -> str | None:
    """The type of the network file system that holds `folder`, or None. `mounts`: text as in /proc/self/mountinfo."""
    kind = file_system(folder, mounts)
    return kind if kind in NETWORK else None


def file_system(folder: Path, mounts: str | None = None) -> str | None:
    """The type of the file system that holds `folder` (a real path), or None where that is not known.

    The type's name is asked for, not the number of statfs: all FUSE file systems share one.
    """
    text = MOUNTS.read_text() if mounts is None else mounts
    best, kind = "", None
    for line in text.splitlines():
        left, _, right = line.partition(" - ")
        point = left.split()[4].replace("\\040", " ")
        if len(point) >= len(best) and folder.is_relative_to(point):
            best, kind = point, right.split()[0]
    return kind
