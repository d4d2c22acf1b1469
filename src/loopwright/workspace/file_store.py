"""The contents of files as objects of the private git, and what is known of files that were read before."""

import hashlib
import os
import stat
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from loopwright.core.errors import WorkspaceError
from loopwright.core.threads import check_cancelled, tell, tell_progress
from loopwright.workspace.listing import Repository, decode_name
from loopwright.workspace.private_git import PrivateGit, run_git

SETTLED = 50_000_000
"""Nanoseconds after its last change from which a file's stamp tells of every further one."""

UNKNOWN = b""
NO_BLOB = b"0" * 40


class IndexedFile(NamedTuple):
    """`stamp`: all that changes where the file does; empty where that is not certain yet. `mode`, `blob`: as git's."""

    stamp: bytes
    mode: bytes
    blob: bytes


def stamp_of(seen: os.stat_result) -> bytes:
    """Of one file; git's own index looks at the same."""
    kept = (seen.st_mode, seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino, seen.st_dev)
    return b"%d,%d,%d,%d,%d,%d" % kept


def read_tree(private: PrivateGit, tree: str) -> dict[bytes, tuple[bytes, bytes]]:
    """Mode and object of each file in a tree, or in a commit's. WorkspaceError."""
    entries = (line.partition(b"\t") for line in private.run("ls-tree", "-r", "-z", tree).split(b"\0")[:-1])
    return {name: (head[:6], head[-len(NO_BLOB) :]) for head, _, name in entries}


# ── what a stamp stands for, from one process to the next ────────────────────────────────────────────────────────


_SLACK = 1000
"""Records that are outdated before all are written anew, beside as many as there are files."""


def facts_file(private: PrivateGit) -> Path:
    """A record for each file that was read. What is torn, or no longer so, is of no consequence."""
    return private.index.with_name(f"{private.index.name}.files")


def read_facts(private: PrivateGit) -> dict[bytes, IndexedFile]:
    """The last that is known of each file."""
    try:
        records = facts_file(private).read_bytes().split(b"\0")
    except FileNotFoundError:
        return {}
    known = {}
    for record in records:
        fields = record.split(b" ", 3)
        if len(fields) == 4 and len(fields[2]) == len(NO_BLOB):
            known[fields[3]] = IndexedFile(*fields[:3])
    if len(records) > 2 * len(known) + _SLACK:
        beside = facts_file(private).with_suffix(".new")
        beside.write_bytes(b"".join(_record(*item) for item in known.items()))
        beside.replace(facts_file(private))
    return known


def add_facts(private: PrivateGit, read: Mapping[bytes, IndexedFile]) -> None:
    """Once their objects are on the disk."""
    if records := b"".join(_record(name, one) for name, one in read.items() if one.stamp):
        with facts_file(private).open("ab") as file:
            file.write(records)


def _record(name: bytes, one: IndexedFile) -> bytes:
    return b"\0%s %s %s %s\0" % (*one, name)


# ── reading files into objects ───────────────────────────────────────────────────────────────────────────────────

_BIG = 1 << 24
"""Bytes from which a file gets an object file of its own, uncompressed: git takes 22 s for a gigabyte, this 4."""

_QUICKLY = ("-c", "core.compression=1", "-c", "pack.compression=1")
_WRITER = ("fast-import", "--quiet", "--done", "--depth=0", "--force")
_PIECE = 1 << 23

NewEntries = Mapping[bytes, IndexedFile | None]
"""What names stand for in a tree from now on; None: nothing."""


def store_tree(
    private: PrivateGit,
    base: str,
    files: Mapping[bytes, os.stat_result],
    plan: Callable[[Mapping[bytes, IndexedFile]], NewEntries],
) -> str:
    """Reads the files into the object store, and writes the tree that `base` (empty: none) becomes by the plan.

    That is told what was read; what cannot be read any more is missing. All is durable at the end. WorkspaceError.
    """
    big = {name: seen for name, seen in files.items() if seen.st_size >= _BIG}
    small = {name: seen for name, seen in files.items() if name not in big}
    read: dict[bytes, IndexedFile] = {}
    if big:
        size, name = sum(seen.st_size for seen in big.values()), max(big, key=lambda name: big[name].st_size)
        which = decode_name(name) if len(big) == 1 else f"{len(big)} big files, such as {decode_name(name)},"
        tell(f"keeping {which} whole: {size / 1e6:,.0f} MB of the disk for each version")
        read |= _read_files(private, big, LooseBlob(private.directory / "objects"))

    def write(into: IO[bytes]) -> None:
        read.update(_read_files(private, small, ImportedBlob(into)))
        into.writelines(_tree_commands(private.look, base, plan(read)))

    return _run_writer(private, write).split()[2].decode()


class BlobSink(Protocol):
    """Takes the content of one file after the other."""

    def begin(self, size: int) -> None: ...

    def write(self, data: bytes) -> object: ...

    def end(self, name: str) -> None:
        """`name`: the object's, by its content."""

    def abandon(self) -> None:
        """There will be no end."""


class ImportedBlob:
    """To fast-import."""

    def __init__(self, into: IO[bytes]) -> None:
        self._into = into
        self.write = into.write

    def begin(self, size: int) -> None:
        self._into.write(b"blob\ndata %d\n" % size)

    def end(self, name: str) -> None:
        self._into.write(b"\n")

    def abandon(self) -> None:
        """Nor will there be one of the import."""


class LooseBlob:
    """To a file of its own in the object store."""

    def __init__(self, objects: Path) -> None:
        self._objects = objects

    def begin(self, size: int) -> None:
        self._file = tempfile.NamedTemporaryFile(dir=self._objects, prefix="tmp_obj_", delete=False)  # noqa: SIM115
        self._packed = zlib.compressobj(0)
        self.write(b"blob %d\0" % size)

    def write(self, data: bytes) -> None:
        self._file.write(self._packed.compress(data))

    def end(self, name: str) -> None:
        folder = self._objects / name[:2]
        folder.mkdir(exist_ok=True)
        with self._file as file:
            file.write(self._packed.flush())
            os.fchmod(file.fileno(), 0o444)
            file.flush()
            os.fsync(file.fileno())
            os.replace(file.name, folder / name[2:])
        for place in (folder, self._objects):
            descriptor = os.open(place, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            os.fsync(descriptor)
            os.close(descriptor)

    def abandon(self) -> None:
        Path(self._file.name).unlink(missing_ok=True)
        with suppress(OSError):  # on a full disk, what it still holds cannot be written either
            self._file.close()


def _tree_commands(look: str, base: str, entries: NewEntries) -> Iterator[bytes]:
    """In the language of fast-import; it prints the tree."""
    yield b"commit %s\ncommitter <loopwright@localhost> 0 +0000\ndata 0\n" % look.encode()
    if base:
        yield b'M 040000 %s ""\n' % base.encode()
    yield from (b"D %s\n" % _quoted(name) for name, one in entries.items() if one is None)
    yield from (b"M %s %s %s\n" % (one.mode, one.blob, _quoted(name)) for name, one in entries.items() if one)
    yield b'ls ""\n'


def _quoted(name: bytes) -> bytes:
    return b'"%s"' % name.replace(b"\\", rb"\\").replace(b'"', rb"\"").replace(b"\n", rb"\n")


def _run_writer(private: PrivateGit, write: Callable[[IO[bytes]], None]) -> bytes:
    """What it prints."""
    with private.start(*_QUICKLY, *_WRITER) as process:
        assert process.stdin is not None
        try:
            write(process.stdin)
            process.stdin.write(b"done\n")
        except BrokenPipeError:
            pass  # it says why
        except BaseException:
            process.kill()
            raise
        printed, said = process.communicate()
    if process.returncode != 0:
        words = said.decode("utf-8", "replace").strip()
        raise WorkspaceError(f"git fast-import failed in {private.directory}: {words}")
    return printed


def _read_files(private: PrivateGit, files: Mapping[bytes, os.stat_result], into: BlobSink) -> dict[bytes, IndexedFile]:
    read, root = {}, os.fsencode(private.work_tree)
    for number, (name, seen) in enumerate(files.items()):
        check_cancelled()
        tell_progress("{:,} of {:,} files of the project read", number, len(files))
        with suppress(FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError):
            reading = _read_link if stat.S_ISLNK(seen.st_mode) else _read_file
            read[name] = reading(os.path.join(root, name), into)
    return read


def _read_link(path: bytes, to: BlobSink) -> IndexedFile:
    seen, now = os.lstat(path), time.time_ns()
    try:
        target = os.readlink(path)
    except OSError as error:
        raise FileNotFoundError(path) from error
    name = hashlib.sha1(b"blob %d\0" % len(target) + target, usedforsecurity=False).hexdigest()
    to.begin(len(target))
    to.write(target)
    to.end(name)
    return IndexedFile(_settled(seen, os.lstat(path), now), b"120000", name.encode())


def _read_file(path: bytes, to: BlobSink) -> IndexedFile:
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise FileNotFoundError(path) from error
    with open(fd, "rb", buffering=0) as file:
        seen, now = os.fstat(fd), time.time_ns()
        if not stat.S_ISREG(seen.st_mode):
            raise FileNotFoundError(path)
        piece = file.read(min(seen.st_size + 1, _PIECE))
        size = max(seen.st_size, _PIECE) if len(piece) == _PIECE else len(piece)
        name = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
        to.begin(size)
        try:
            while piece:
                name.update(piece)
                to.write(piece)
                size -= len(piece)
                check_cancelled()
                piece = file.read(min(_PIECE, size)) if size > 0 else b""
            if size:
                raise WorkspaceError(f"{os.fsdecode(path)} was cut while it was read")
            to.end(name.hexdigest())
        except BaseException:
            to.abandon()
            raise
        return IndexedFile(_settled(seen, os.fstat(fd), now), _mode_of(seen), name.hexdigest().encode())


def _settled(before: os.stat_result, after: os.stat_result, now: int) -> bytes:
    """The stamp of a file that was read, where it tells of every change from then on."""
    stamp = stamp_of(before)
    return stamp if before.st_ctime_ns < now - SETTLED and stamp == stamp_of(after) else UNKNOWN


# ── taking over what the user's git has read ─────────────────────────────────────────────────────────────────────

_AS_WE_LOOK = ("-c", "core.trustctime=true", "-c", "core.checkStat=default")


def copy_tracked_files(
    private: PrivateGit, one: Repository, files: Mapping[bytes, os.stat_result], now: int
) -> dict[bytes, IndexedFile]:
    """Those that are as the user's index says, with their objects copied, which is quicker than reading the files.

    `now` (ns): a time before `files` were looked at. Left out: what a filter or a conversion of line ends may have
    made of what the objects hold, and all where the user's git is not in order.
    """
    if not one.has_rules or one.prefix:
        return {}
    changed = run_git(*_AS_WE_LOOK, "diff-files", "-z", "--name-only", "--ignore-submodules=all", cwd=one.folder)
    listed = run_git("ls-files", "-z", "--stage", "-v", cwd=one.folder)
    place = run_git("rev-parse", "--path-format=absolute", "--git-path", "objects", cwd=one.folder)
    if changed.returncode or listed.returncode or place.returncode:
        return {}
    dirty = set(changed.stdout.split(b"\0"))
    found = {}
    for line in listed.stdout.split(b"\0")[:-1]:
        head, _, name = line.partition(b"\t")
        tag, mode, blob, stage = head.split()
        if (tag, stage) == (b"H", b"0") and name in files and name not in dirty and mode == _mode_of(files[name]):
            found[name] = IndexedFile(
                stamp_of(files[name]) if files[name].st_ctime_ns < now - SETTLED else UNKNOWN, mode, blob
            )
    for name in _filtered(one, found):
        found.pop(name, None)
    objects = {"GIT_ALTERNATE_OBJECT_DIRECTORIES": os.fsdecode(place.stdout[:-1])}
    blobs = sorted({one.blob for one in found.values()})
    told = private.attempt("cat-file", "--batch-check=%(objectsize)", "--buffer", stdin=_lines(blobs), env=objects)
    sizes = dict(zip(blobs, told.stdout.split(b"\n"), strict=False))
    kept = {name: one for name, one in found.items() if sizes.get(one.blob) == b"%d" % files[name].st_size}
    pack = str(private.directory / "objects" / "pack" / "pack")
    wanted = sorted({one.blob for one in kept.values()})
    done = private.attempt("pack-objects", "-q", "--window=0", pack, stdin=_lines(wanted), env=objects)
    return kept if done.returncode == 0 else {}


def _lines(names: list[bytes]) -> bytes:
    return b"".join(name + b"\n" for name in names)


def _mode_of(seen: os.stat_result) -> bytes:
    if stat.S_ISLNK(seen.st_mode):
        return b"120000"
    return b"100755" if seen.st_mode & stat.S_IXUSR else b"100644"


def _filtered(one: Repository, names: Mapping[bytes, object]) -> set[bytes]:
    """Those whose objects hold what a program has made of them."""
    told = run_git("check-attr", "-z", "--stdin", "filter", cwd=one.folder, stdin=b"".join(n + b"\0" for n in names))
    fields = told.stdout.split(b"\0")
    return {name for name, value in zip(fields[::3], fields[2::3], strict=False) if value != b"unspecified"}
