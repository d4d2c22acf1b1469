"""Journals that show tampering: a key outside of every project, a MAC on each line, and an anchor beside the key."""

import contextlib
import hashlib
import hmac
import os
import secrets
import zlib
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import Forbidden, StoreError
from loopwright.core.private_files import make_private_folder
from loopwright.store.disk import FRESH, READ

MAC = b',"mac":"'
HEX = 32
KEY_HEX = 8
"""Of these, how many name the key: lines of another one are told from forged ones, and no more believed."""
ROOM = len(MAC) + HEX + 1
"""Bytes of a line that its MAC takes, key and quotes included."""
CHECK_LENGTH = len(',"check":"00000000-00000000"}\n')
ANCHOR = "%020d %020d %s %s %08x\n"
ANCHOR_LENGTH = len(ANCHOR % (0, 0, "0" * HEX, "0" * HEX, 0))
BLANK = b" " * (ANCHOR_LENGTH - 1) + b"\n"
KEY_BYTES = 32


class Anchor(NamedTuple):
    """What is known of a journal outside of its project: at least `end` bytes, up to line `seq`.

    `mac`: what the next line is chained to; `digest`: of the state then. `end` 0: a copy of what others write, of which
    nothing is known.
    """

    seq: int
    end: int
    mac: str
    digest: str

    @property
    def is_copy(self) -> bool:
        return self.end == 0


COPY = Anchor(0, 0, "-", "-")


class ChainVerdict(NamedTuple):
    """How far a journal is believed: `end` bytes, and `mac`, which the next line is chained to.

    `trouble`: why no further, in words; empty where all of it is believed. `adopted`: bytes at its beginning that are
    believed because somebody entitled took them over, or nobody has said otherwise. `is_foreign`: what stands there
    names another key, so that an honest hand may have written it, of another machine or user.
    """

    end: int
    mac: str
    trouble: str = ""
    adopted: int = 0
    is_foreign: bool = False


NOTHING_KNOWN = ChainVerdict(0, "")
WHOLE = ".whole"
LONG = 1 << 20
"""Bytes of a journal from which it is remembered, beside its anchor, how far it verified."""


class JournalSeal:
    """The MACs of one journal, and its anchor in the file `path`; `name` is the kind and the id of its run."""

    def __init__(self, key: bytes, name: str, path: str) -> None:
        self._key, self._name, self.path = key, name.encode() + b"\0", path
        self._key_id = hmac.digest(key, b"key", "sha256").hex()[:KEY_HEX]

    def mac(self, before: str, body: bytes) -> str:
        """That of a line's `body` which stands behind the one with the MAC `before`; empty at a beginning."""
        made = hmac.digest(self._key, b"%s%s\0%s" % (self._name, before.encode(), body), "sha256").hex()
        return f"{self._key_id}{made[: HEX - KEY_HEX]}"

    def is_foreign(self, text: bytes) -> bool:
        """Whether a whole line says that another key was there."""
        found = line_mac(text)
        return found != "" and not found.startswith(self._key_id)

    def is_next(self, before: str, text: bytes) -> bool:
        """Whether a whole line was written by us behind the one with the MAC `before`."""
        body, found = _split_line(text)
        return bool(found) and hmac.compare_digest(found, self.mac(before, body).encode())

    def anchors(self) -> tuple[Anchor, ...]:
        """One of them holds: two while a journal is written anew. None where a loss of power left nothing of them."""
        try:
            fd = os.open(self.path, READ)
        except FileNotFoundError:
            return ()
        try:
            data = os.read(fd, 2 * ANCHOR_LENGTH)
        finally:
            os.close(fd)
        return tuple(filter(None, map(_parse_anchor, data.splitlines(keepends=True))))

    def anchor(self) -> Anchor | None:
        return next(iter(self.anchors()), None)

    def keep(self, anchor: Anchor, former: Anchor | None = None, *, durable: bool = False) -> None:
        """Writes it in place, in general without a sync: it may lag behind after a loss of power, and never runs ahead.

        `former`: what holds as well, for as long as the journal is not written anew. `durable`: it is another journal.
        """
        with contextlib.suppress(OSError):  # a full disk keeps the former one, which is as true
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.pwrite(fd, _anchor_text(anchor) + (_anchor_text(former) if former else BLANK), 0)
                if durable:
                    os.fsync(fd)
            finally:
                os.close(fd)
        if durable:
            Path(self.path + WHOLE).unlink(missing_ok=True)

    def forget(self) -> None:
        for path in (self.path, self.path + WHOLE):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)

    def follows(self, before: str, data: bytes) -> tuple[int, str]:
        """How many bytes of `data` are whole lines of ours behind the MAC `before`, and the MAC of the last."""
        end = 0
        for text in data.splitlines(keepends=True):
            if not self.is_next(before, text):
                break
            end, before = end + len(text), line_mac(text)
        return end, before

    def judge(self, data: bytes, anchors: tuple[Anchor, ...]) -> ChainVerdict:
        """How far the whole lines of a journal are believed. `anchors` were read before `data`, or under its lock."""
        if any(anchor.is_copy for anchor in anchors):
            return ChainVerdict(len(data), prefix_mac(data), adopted=len(data))
        known = self._known_before(data) if len(data) >= LONG else NOTHING_KNOWN
        verdicts = [_walk(self, data, anchor, known) for anchor in anchors or (None,)]
        verdict = max(verdicts, key=lambda verdict: not verdict.trouble)
        if not verdict.trouble and verdict.end - known.end >= LONG and verdict.adopted < verdict.end:
            text = f"{verdict.end} {verdict.adopted} {verdict.mac} {prefix_mac(data[: verdict.end])}\n"
            with contextlib.suppress(OSError):
                Path(self.path + WHOLE).write_text(text)
        return verdict

    def _known_before(self, data: bytes) -> ChainVerdict:
        """What was found of its beginning before: that is compared only."""
        try:
            end, adopted, mac, whole = Path(self.path + WHOLE).read_text().split()
            known = ChainVerdict(int(end), mac, "", int(adopted))
        except (OSError, ValueError):
            return NOTHING_KNOWN
        return known if known.end <= len(data) and prefix_mac(data[: known.end]) == whole else NOTHING_KNOWN


def _walk(seal: JournalSeal, data: bytes, anchor: Anchor | None, known: ChainVerdict) -> ChainVerdict:
    """Once over all lines behind those that are `known`.

    One that follows nothing, but names the hash of everything before, vouches for that.
    """
    whole, hashed = hashlib.sha256(), 0
    good, trouble, adopted, at, before = (0, ""), "", known.adopted, known.end, known.mac
    foreign = False
    ours, reached = at > 0, anchor is None or anchor.end < at or (anchor.end, anchor.mac) == (at, before)
    first = data.count(b"\n", 0, at) + 1

    def hash_to(end: int) -> str:
        nonlocal hashed
        whole.update(memoryview(data)[hashed:end])
        hashed = end
        return whole.hexdigest()[:HEX]

    for number, text in enumerate(data[at:].splitlines(keepends=True), first):
        if seal.is_next(before, text):
            ours = True
        elif line_mac(text) and seal.is_next(hash_to(at), text):
            ours, adopted, trouble = True, at, ""
        elif not trouble:
            good, trouble, foreign = (at, before), f"line {number} does not verify", seal.is_foreign(text)
            trouble += ": another key wrote it" if foreign else ""
        before, at = line_mac(text), at + len(text)
        if anchor and at == anchor.end:
            if before != anchor.mac and hash_to(at) == anchor.mac:
                adopted, trouble, before = at, "", anchor.mac
            reached = before == anchor.mac
    if anchor is None and not ours:
        return ChainVerdict(at, hash_to(at) if at else "", adopted=at)
    if not trouble and not reached and anchor:
        ends = "it ends before" if at < anchor.end else "it is not the one with"
        trouble = f"{ends} line {anchor.seq}, which was committed"
        good, foreign = (at, before), False
    return ChainVerdict(*good, trouble, adopted, foreign) if trouble else ChainVerdict(at, before, "", adopted)


class SealFolder:
    """What the journals of one machine and user are sealed with; `folder` is outside of every project.

    `elsewhere`: whether a run's lines are committed in another place, of another key, that decides what they are.
    """

    def __init__(self, folder: Path, elsewhere: Callable[[str], bool] = lambda id: False) -> None:
        self.folder, self.elsewhere = folder, elsewhere

    @cached_property
    def key(self) -> bytes:
        """PermissionError for whoever must not have it, as an agent that is confined."""
        key = load_key(self.folder / "journal.key", lambda: secrets.token_bytes(KEY_BYTES))
        (self.folder / "anchors").mkdir(mode=0o700, exist_ok=True)
        return key


class KindSeals:
    """The seals of the runs of a kind below `root`, by id. None without a `folder`."""

    def __init__(self, folder: SealFolder | None, root: Path, kind: str) -> None:
        self._folder, self._root, self._kind = folder, root, kind
        self._made: dict[str, JournalSeal] = {}

    def __call__(self, id: str) -> JournalSeal | None:
        """None where the key cannot be read: then nothing can be verified, and nothing be written."""
        try:
            return self.for_writing(id)
        except Forbidden:
            return None

    def for_writing(self, id: str) -> JournalSeal | None:
        """None for one that is sealed nowhere, or elsewhere. Forbidden where the key cannot be read."""
        if self._folder is None or self._folder.elsewhere(id):
            return None
        return self._seal(self._folder, id)

    def adopt(self, id: str) -> None:
        """From now on, what is in its journal is believed. Forbidden."""
        if self._folder is not None:
            self._seal(self._folder, id).keep(COPY, durable=True)

    def _seal(self, folder: SealFolder, id: str) -> JournalSeal:
        if id not in self._made:
            try:
                key = folder.key
            except PermissionError as error:
                raise Forbidden(
                    f"{error.filename} cannot be read here, and no line is believed without it: runs are changed from "
                    f"outside of what confines this process"
                ) from error
            name = hashlib.sha256(f"{self._root}\0{self._kind}\0{id}".encode()).hexdigest()[:HEX]
            self._made[id] = JournalSeal(key, f"{self._kind}\0{id}", str(folder.folder / "anchors" / name))
        return self._made[id]


def load_key(path: Path, make: Callable[[], bytes]) -> bytes:
    """The secret in a file that nobody else can read; made durable at its first use. StoreError for an empty one."""
    try:
        return _read_key(path)
    except FileNotFoundError:
        make_private_folder(path.parent)
    fresh = path.with_name(f"{path.name}.{secrets.token_hex(8)}")
    fd = os.open(fresh, FRESH, 0o600)
    try:
        os.write(fd, make())
        os.fsync(fd)
    finally:
        os.close(fd)
    try:
        with contextlib.suppress(FileExistsError):  # who comes first has made it
            os.link(fresh, path)
    finally:
        fresh.unlink()
    folder = os.open(path.parent, READ)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return _read_key(path)


def _read_key(path: Path) -> bytes:
    key = path.read_bytes()
    if len(key) < KEY_BYTES:
        raise StoreError(f"{path} is no key; put it back from a backup, or remove it and verify your runs anew")
    return key


def line_mac(text: bytes) -> str:
    """The MAC that a whole line has; empty for one without."""
    return _split_line(text)[1].decode(errors="replace")


def prefix_mac(data: bytes) -> str:
    """What the line is chained to that vouches for everything before it."""
    return hashlib.sha256(data).hexdigest()[:HEX]


def _split_line(text: bytes) -> tuple[bytes, bytes]:
    """What a MAC is taken of, and the MAC."""
    body = text[:-CHECK_LENGTH]
    found = body[-ROOM:]
    if not found.startswith(MAC) or not found.endswith(b'"'):
        return body, b""
    return body[:-ROOM], found[len(MAC) : -1]


def _anchor_text(anchor: Anchor) -> bytes:
    return (ANCHOR % (*anchor, zlib.crc32(repr(tuple(anchor)).encode()))).encode()


def _parse_anchor(text: bytes) -> Anchor | None:
    try:
        seq, end, mac, digest, _ = text.decode().split()
        found = Anchor(int(seq), int(end), mac, digest)
    except ValueError:
        return None
    return found if _anchor_text(found) == text else None
