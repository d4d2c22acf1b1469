"""The index as a file: which states there are, in order, with the stamps of the files that say so.

It lies outside the project, out of an agent's reach, and proves nothing by itself: an entry counts while its state's
files have the stamps under which they were read. Commands that only read answer from it before anything is loaded, so
this module imports nothing of ours, and of the standard library what every command loads soon anyway.
"""

import contextlib
import json
import os
import stat
import time
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

STATE = ".json"
JOURNAL = ".events.ndjson"
PROGRESS = ".progress"
OWN = "state"
"""What the files of a state are called in a folder of its own."""
OLD_STATES = ".loop"
"""A folder of older versions at the top of a project; where it is, the index is not all there is to know."""
FLEET_MARKS = ".workflow/fleet.json"
"""In a project: which of its runs are in the fleet."""
SUFFIXES = (JOURNAL, STATE, PROGRESS)

SETTLED = 50_000_000
"""Nanoseconds after its last change from which a file's stamp tells of every further one."""
ABSENT = "-"
PACKAGES = (
    *("core", "evidence", "policy", "store", "surfaces", "surfaces/cli"),
    *("workflows", "workflows/loop", "workflows/cycle", "workflows/tuning"),
)
"""Where it is said what a kept answer holds."""


class IndexEntry(NamedTuple):
    """`age` is smaller the later the state was updated; `texts` are searched, None where they are too long to keep."""

    id: str
    stamp: str
    status: str
    age: float
    rev: int
    texts: Sequence[str] | None


class KeptIndex(NamedTuple):
    """Each list has an item for each state, the latest first. `whole`: nothing else was found. `folder`: its stamp."""

    whole: bool
    folder: str
    ids: list[str]
    stamps: list[str]
    statuses: list[str]
    rest: list[str]

    @classmethod
    def parse(cls, text: str) -> "KeptIndex":
        head, ids, stamps, statuses, *rest = text.split("\n")
        whole, folder = json.loads(head)
        return cls(whole, folder, ids.split(), stamps.split(), statuses.split(), rest)

    def is_current(self, folder: str, homes: str | None) -> bool:
        """Whether every file is as it was, and nothing came or went."""
        if not self.whole:
            return False
        if stamp_file(folder) != self.folder and find_ids(folder, homes) != set(self.ids):
            return False
        inside = f"/{OWN}" if homes is not None else ""
        look = os.stat
        for id, stamp in zip(self.ids, self.stamps, strict=True):
            base = f"{folder}/{id}{inside}"
            try:  # as stamp_state, which to call ten thousand times would cost half as much again
                file, journal = look(base + STATE), look(base + JOURNAL)
            except (FileNotFoundError, NotADirectoryError):
                return False
            found = f"{file.st_ino}.{file.st_size}.{file.st_ctime_ns}"
            if f"{found}.{journal.st_ino}.{journal.st_size}.{journal.st_ctime_ns}" != stamp:
                return False
        return True


def render_index(entries: Sequence[IndexEntry], *, whole: bool, folder: str) -> tuple[str, str]:
    """What `KeptIndex.parse` and `read_entries` read; `entries` in the order of a list."""
    *lists, texts = list(zip(*entries, strict=True)) or [()] * len(IndexEntry._fields)
    index = "\n".join([json.dumps([whole, folder]), *(" ".join(map(str, column)) for column in lists)])
    return index, "\n".join([str(zlib.crc32(index.encode())), *map(json.dumps, texts)])


def read_entries(index: str, texts: str) -> Iterable[IndexEntry]:
    """Nothing, where these two were not written together."""
    tie, *lines = texts.split("\n")
    known = KeptIndex.parse(index)
    if tie == str(zlib.crc32(index.encode())):
        ages, revs = (line.split() for line in known.rest)
        columns = zip(known.ids, known.stamps, known.statuses, ages, revs, lines, strict=True)
        for id, stamp, status, age, rev, line in columns:
            yield IndexEntry(id, stamp, status, float(age), int(rev), json.loads(line))


def find_ids(folder: str, homes: str | None) -> set[str] | None:
    """What looks like the id of a state; None where a folder may be a state of an older version."""
    try:
        with os.scandir(folder) as found:
            entries = [(entry.name, entry.is_dir(follow_symlinks=homes is None)) for entry in found]
    except (FileNotFoundError, NotADirectoryError):
        return set()
    if homes is not None:
        return {name for name, is_folder in entries if is_folder and name.startswith(homes)}
    if any(is_folder and not name.endswith(PROGRESS) for name, is_folder in entries):
        return None
    parts = ((name, next(filter(name.endswith, SUFFIXES), "")) for name, _ in entries)
    return {name.removesuffix(suffix) for name, suffix in parts if suffix}


def stamp_state(base: str) -> str:
    """What changes with a state's JSON file and its journal, whose paths begin with `base`. OSError."""
    try:
        file = os.stat(base + STATE)
        shown = f"{file.st_ino}.{file.st_size}.{file.st_ctime_ns}"
    except (FileNotFoundError, NotADirectoryError):
        shown = ABSENT
    try:
        file = os.stat(base + JOURNAL)
    except (FileNotFoundError, NotADirectoryError):
        return f"{shown}.{ABSENT}"
    return f"{shown}.{file.st_ino}.{file.st_size}.{file.st_ctime_ns}"


def stamp_file(path: str) -> str | None:
    """The same of any one file or folder; None while it may still change unseen."""
    try:
        found = os.stat(path)
    except OSError:
        return ABSENT
    stamp = f"{found.st_dev}.{found.st_ino}.{found.st_size}.{found.st_ctime_ns}"
    return stamp if is_settled(stamp) else None


def is_settled(stamp: str) -> bool:
    """Whether nothing was touched so lately that another touch could leave the same stamp."""
    now = time.time_ns() - SETTLED
    return all(int(part) < now for part in stamp.split(".") if part != ABSENT)


def _home() -> str:
    return f"{os.environ.get('XDG_STATE_HOME') or os.path.expanduser('~/.local/state')}/loopwright"


def kept_folder(root: str) -> str:
    """Where it is kept what was found in the project at `root`: outside of it."""
    found = os.stat(root)
    return f"{_home()}/{found.st_dev:x}-{found.st_ino:x}.kept"


def forget_gone_projects() -> None:
    """Removes what is kept of projects that are not where they were; best effort."""
    import glob
    import shutil

    for folder in glob.glob(f"{glob.escape(_home())}/*.kept"):
        with contextlib.suppress(OSError, ValueError, TypeError):
            roots = set[str]()
            for name in os.listdir(folder):
                with open(f"{folder}/{name}", "rb") as file:
                    roots.add(json.loads(file.readline())[-1])
            if not any(os.path.isdir(root) and kept_folder(root) == folder for root in roots):
                shutil.rmtree(folder)


def read_kept(folder: str, name: str, root: str) -> str | None:
    """The text that this very loopwright kept for the project at `root`, if it is whole."""
    try:
        with open(f"{folder}/{name}", "rb") as file:
            head, _, body = file.read().partition(b"\n")
        if head == _head(root, body):
            return body.decode()
    except (OSError, UnicodeDecodeError):
        pass
    return None


def write_kept(folder: str, name: str, root: str, text: str) -> None:
    """Whole or not at all; where nothing can be written, all goes on without."""
    body, fresh = text.encode(errors="replace"), f"{folder}/{name}.{os.getpid()}"
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
            file.write(_head(root, body) + b"\n" + body)
        os.replace(fresh, f"{folder}/{name}")
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(fresh)


def _head(root: str, body: bytes) -> bytes:
    return json.dumps([_stamp_code(), zlib.crc32(body), root]).encode()


def _stamp_code() -> str:
    """Which loopwright this is, also while somebody works on it."""
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    found = [
        (file.name, known.st_size, known.st_mtime_ns)
        for package in PACKAGES
        for file in os.scandir(f"{here}/{package}")
        if file.name.endswith(".py") and stat.S_ISREG((known := file.stat()).st_mode)
    ]
    return f"{zlib.crc32(repr(sorted(found)).encode()):08x}"
