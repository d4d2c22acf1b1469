"""The journal: one NDJSON line per commit, each able to tell whether it is whole."""

import zlib
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

import orjson
from pydantic import ValidationError

from loopwright.core.errors import Corrupt, Invalid, NewerSchema
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.store import patch
from loopwright.store.kind import ParsedDocument, S, StateKind
from loopwright.store.mac_chain import MAC, ROOM, JournalSeal
from loopwright.store.patch import Doc, Op
from loopwright.store.projection import BLANK

DELETED = "deleted"
ANY = -1
LAST_SEQ = 2**53 - 1
"""The highest number that every reader of JSON understands."""
CHECK = b',"check":"'
TAIL = len(CHECK) + len('00000000-00000000"}\n')


class JournalLine(NamedTuple):
    """One commit. `state` on the first line and after a repair, else `patch`; `end` is the offset behind it."""

    seq: int
    digest: str
    ts: str
    actor: str
    event: Doc
    patch: Sequence[Op]
    state: Doc | None
    end: int

    @property
    def is_tombstone(self) -> bool:
        return bool(self.event["type"] == DELETED)

    @property
    def entry(self) -> JournalEntry:
        return JournalEntry.model_validate({"seq": self.seq, "ts": self.ts, "actor": self.actor, "event": self.event})


class JournalDraft(NamedTuple):
    """A line whose length is known, and whose digest is not yet. `seal`: of its MAC, if it has one."""

    head: bytes
    rest: bytes
    seal: JournalSeal | None = None

    def __len__(self) -> int:
        return len(self.head) + len(BLANK) + len(self.rest) + (ROOM if self.seal else 0) + TAIL

    def sealed(self, digest: str, before: str = "") -> bytes:
        """`before`: what its MAC is chained to."""
        body = self.head + digest.encode() + self.rest
        if self.seal:
            body = b'%s%s%s"' % (body, MAC, self.seal.mac(before, body).encode())
        return b'%s%s%08x-%08x"}\n' % (body, CHECK, len(body), zlib.crc32(body))


class JournalScan(NamedTuple):
    """What a stretch of journal holds: its whole lines, and where they end.

    `kind` of what follows them: nothing, a torn tail, or damage with whole lines behind it.
    """

    lines: tuple[JournalLine, ...]
    end: int
    rest: Literal["nothing", "torn", "damage"]


def draft_line(
    *,
    seq: int,
    ts: str,
    actor: str,
    event: JournalEvent,
    epoch: int | None,
    schema: int,
    patch: Sequence[Op] = (),
    state: Doc | None = None,
    seal: JournalSeal | None = None,
) -> JournalDraft:
    """The line for a commit, with a whole `state` (and its schema) or with a `patch`."""
    rest: dict[str, object] = {"ts": ts, "actor": actor, "event": {"type": event.type, "data": event.data}}
    if epoch is not None:
        rest["epoch"] = epoch
    if state is None:
        rest["patch"] = patch
    else:
        rest["schema"], rest["state"] = schema, state
    try:
        text = orjson.dumps(rest)
    except TypeError as error:
        raise Invalid(f"a journal cannot hold this: {error}") from error
    return JournalDraft(b'{"seq":%d,"digest":"' % seq, b'",' + text[1:-1], seal)


def scan_lines(data: bytes, start: int = 0, *, after: int | None = None, lean: bool = False) -> JournalScan:
    """Reads `data`, which stands at offset `start`.

    `after` is the seq before it: None at a journal's beginning, ANY where it is not known. `lean`: lines come without
    their patches and states, which are most of a long journal.
    """
    lines: list[JournalLine] = []
    at, seq = 0, after
    while at < len(data):
        stop = data.find(b"\n", at)
        line = _parse(data[at : stop + 1], start + stop + 1) if stop >= 0 else None
        if line is None or not _follows(line, seq):
            return JournalScan(tuple(lines), start + at, "damage" if line or _any_whole(data, stop) else "torn")
        lines.append(line._replace(patch=(), state=None) if lean else line)
        at, seq = stop + 1, line.seq
    return JournalScan(tuple(lines), start + at, "nothing")


def line_before(data: bytes, end: int) -> JournalLine | None:
    """The line that ends with `data`, whose end stands at offset `end`."""
    return _parse(data[data.rfind(b"\n", 0, -1) + 1 :], end)


def whole_lines(data: bytes) -> Iterator[tuple[JournalLine, bytes]]:
    """Every whole line with its text, also behind damage."""
    end = 0
    for text in data.splitlines(keepends=True):
        end += len(text)
        line = _parse(text, end)
        if line:
            yield line, text


def _parse(text: bytes, end: int) -> JournalLine | None:
    body, check = text[:-TAIL], text[-TAIL:]
    if check != b'%s%08x-%08x"}\n' % (CHECK, len(body), zlib.crc32(body)):
        return None
    try:
        raw = orjson.loads(text)
        line = JournalLine(
            raw["seq"],
            raw["digest"],
            raw["ts"],
            raw["actor"],
            raw["event"],
            raw.get("patch", ()),
            raw.get("state"),
            end,
        )
        return line if _makes_sense(line) else None
    except (ValueError, KeyError, TypeError):
        return None


def _makes_sense(line: JournalLine) -> bool:
    """Whether everything in a line is of the kind that we write: anybody can compute a checksum."""
    datetime.fromisoformat(line.ts)
    event = line.event
    return (
        type(line.seq) is int
        and 0 < line.seq <= LAST_SEQ
        and isinstance(line.digest, str)
        and isinstance(line.actor, str)
        and isinstance(event["type"], str)
        and isinstance(event["data"], dict)
        and isinstance(line.patch, list | tuple)
        and (line.state is None or isinstance(line.state.get("engine"), dict))
    )


def _follows(line: JournalLine, seq: int | None) -> bool:
    if line.state is not None:
        return seq is None or line.seq > seq
    return seq is not None and (seq == ANY or line.seq == seq + 1)


def _any_whole(data: bytes, stop: int) -> bool:
    while stop >= 0:
        at, stop = stop + 1, data.find(b"\n", stop + 1)
        if stop >= 0 and _parse(data[at : stop + 1], 0):
            return True
    return False


def replay_lines(lines: tuple[JournalLine, ...]) -> Doc:
    """The document after the last of `lines`, which are used up by it. Corrupt when a patch does not fit."""
    start = max(at for at, line in enumerate(lines) if line.state is not None)
    return apply_lines({}, lines[start:])


def apply_lines(doc: Doc, lines: Sequence[JournalLine]) -> Doc:
    """`doc` with further lines applied; it is changed in place. Corrupt when a patch does not fit."""
    for line in lines:
        try:
            if line.state is not None:
                doc = line.state
            else:
                patch.apply_patch(doc, line.patch)
            engine = doc["engine"]
            engine["rev"], engine["digest"], engine["journal_bytes"] = line.seq, line.digest, line.end
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise Corrupt(f"line {line.seq} of the journal does not fit the state before it: {error!r}") from error
    return doc


def load_state(kind: StateKind[S], document: ParsedDocument) -> tuple[S, bool]:
    """The state in a document of ours, and whether it had to be changed to be read. Corrupt, NewerSchema."""
    doc = document.raw
    schema = doc["engine"].get("schema", kind.schema) if isinstance(doc, dict) else kind.schema
    if isinstance(schema, int) and schema > kind.schema:
        raise NewerSchema(f"{kind.name} {document.id} has schema {schema}; this loopwright reads up to {kind.schema}")
    try:
        try:
            state = kind.model.model_validate(document.raw)
        except ValidationError:
            state, _ = kind.read(document)
        if kind.id_of(state) != document.id:
            raise Corrupt(f"{kind.name} {document.id}: its journal is that of {kind.id_of(state)}")
        return state, patch.to_json(state) != doc
    except (Invalid, RecursionError) as error:
        raise Corrupt(f"{kind.name} {document.id}: its journal makes no sense ({error})") from error
