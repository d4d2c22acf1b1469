"""The best that is left of a damaged state: journal, JSON file, then progress files. Nothing is thrown away."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Generic, NamedTuple

import orjson

from loopwright.core.errors import Corrupt, Invalid, NewerSchema
from loopwright.core.record import JournalEvent
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.journal import JournalLine, apply_lines, draft_line, scan_lines, whole_lines
from loopwright.store.kind import ParsedDocument, S, StateKind
from loopwright.store.mac_chain import JournalSeal
from loopwright.store.patch import Doc
from loopwright.store.paths import StatePaths
from loopwright.store.projection import Projection
from loopwright.store.state_reader import (
    CommittedState,
    judge_journal,
    read_projection,
    read_side_files,
    read_state,
    stat_journal,
)

Texts = dict[int, list[tuple[JournalLine, bytes]]]
"""Whole lines by number. There is more than one of a number only where somebody tampered."""


class RecoveredState(NamedTuple, Generic[S]):
    """A state to go on with, the lines it comes after, and where it was found, in words.

    `tampered`: somebody changed what it had to be found behind.
    """

    known: CommittedState[S]
    lines: bytes
    origin: str
    tampered: bool = False


def recover_believed(
    disk: Disk, kind: StateKind[S], paths: StatePaths, now: str, seal: JournalSeal
) -> RecoveredState[S] | None:
    """The last state that verifies. None where nothing has a MAC of ours yet; Corrupt when nothing is left."""
    scan, verdict = judge_journal(disk, paths, seal)
    assert verdict is not None
    if verdict.adopted == scan.end and all(anchor.is_copy for anchor in seal.anchors()):
        return None
    known = read_state(disk, kind, paths, now, seal, in_spite=True).known
    lines = (disk.read(paths.journal) or b"")[: verdict.end]
    known = replace(known, end=len(lines), whole=True, mac=verdict.mac)
    why = verdict.trouble or f"damaged after line {len(scan.lines)}"
    return RecoveredState(known, lines, f"what verifies of its journal ({why})", bool(verdict.trouble))


class DocumentHistory(NamedTuple):
    """A document and the lines that lead to it. `proven`: it is what its last line says it should be.

    `size` is where the journal ended when that line was written.
    """

    seq: int
    proven: bool
    doc: Doc
    lines: tuple[bytes, ...]
    size: int
    origin: str


def recover_state(disk: Disk, kind: StateKind[S], paths: StatePaths, now: str) -> RecoveredState[S]:
    """Corrupt when nothing is left."""
    journal, file = disk.read(paths.journal) or b"", read_projection(disk, paths)
    found = projection.parse_projection(file) if file else None
    texts: Texts = {}
    for line, text in whole_lines(journal):
        if not line.is_tombstone:
            texts.setdefault(line.seq, []).append((line, text))
    seq = max(0, *texts, found.rev if found and found.genuine else 0)
    for course in sorted(_courses(kind, journal, texts, found, now), key=lambda c: (c.seq, c.proven), reverse=True):
        state = _read(kind, ParsedDocument(course.doc, paths.id, now, {}))
        if state is not None:
            return _rescued(state, seq, b"".join(course.lines), course.origin, paths, file)
    texts_beside = read_side_files(disk, kind, paths)
    state = _read(kind, ParsedDocument(found.doc, paths.id, now, texts_beside)) if found else None
    origin = "the JSON file"
    if state is None:
        origin = "the progress files"
        try:
            state = kind.rebuild(ParsedDocument(None, paths.id, now, texts_beside))
        except (Invalid, NewerSchema) as error:
            raise Corrupt(f"{kind.name} {paths.id} could not be rebuilt: {error}") from error
    if state is None:
        raise Corrupt(f"{kind.name} {paths.id} cannot be rebuilt: nothing readable is left of it")
    return _rescued(state, seq, journal[: scan_lines(journal).end], origin, paths, file)


def _rescued(state: S, seq: int, lines: bytes, origin: str, paths: StatePaths, file: bytes | None) -> RecoveredState[S]:
    known = CommittedState(state, patch.to_json(state), seq, len(lines), stat_journal(paths).inode, file, whole=True)
    return RecoveredState(known, lines, origin)


def _courses(
    kind: StateKind[S], journal: bytes, texts: Texts, found: Projection | None, now: str
) -> Iterator[DocumentHistory]:
    """Every place to begin from, each followed as far as lines go on from it."""
    first = scan_lines(journal)
    before = journal[: first.end]
    held = {line.seq for line in first.lines}
    if first.lines:
        start = max(at for at, line in enumerate(first.lines) if line.state is not None)
        origin = f"the journal up to line {first.lines[-1].seq}"
        with suppress(Corrupt):
            yield _followed(_begun(first.lines[start:], (before,), origin), texts)
    for line, text in (pair for same in texts.values() for pair in same):
        if line.state is not None and line.seq not in held:
            lines = (before, text) if line.seq > max(held, default=0) else (text,)
            yield _followed(_begun([line], lines, f"the journal from line {line.seq}"), texts)
    if found and found.genuine and found.rev > 0:
        event = JournalEvent(type="recovered", data={"from": "the JSON file"})
        base = draft_line(
            seq=found.rev, ts=now, actor="store", event=event, epoch=None, schema=kind.schema, state=found.doc
        ).sealed(found.digest)
        lines = (before, base) if found.rev > max(held, default=0) else (base,)
        yield _followed(DocumentHistory(found.rev, True, found.doc, lines, found.journal_bytes, "the JSON file"), texts)


def _begun(lines: Sequence[JournalLine], texts: tuple[bytes, ...], origin: str) -> DocumentHistory:
    """What these lines make, the first of which has the whole state."""
    last, doc = lines[-1], apply_lines({}, lines)
    return DocumentHistory(last.seq, _proves(last, doc, last.end), doc, texts, last.end, origin)


def _followed(course: DocumentHistory, texts: Texts) -> DocumentHistory:
    """The course with every line that goes on from it; of several with one number the one that proves itself."""
    while following := [c for line, text in texts.get(course.seq + 1, ()) if (c := _next(course, line, text))]:
        course = max(following, key=lambda c: c.proven)
    return course


def _next(course: DocumentHistory, line: JournalLine, text: bytes) -> DocumentHistory | None:
    size = course.size + len(text)
    origin = f"{course.origin.split(' and what follows')[0]} and what follows up to line {line.seq}"
    try:
        doc = apply_lines(orjson.loads(orjson.dumps(course.doc)), [line])
    except (Corrupt, TypeError):
        return None
    return DocumentHistory(line.seq, _proves(line, doc, size), doc, (*course.lines, text), size, origin)


def _proves(line: JournalLine, doc: Doc, size: int) -> bool:
    try:
        return (
            projection.render_projection(orjson.loads(orjson.dumps(doc)), rev=line.seq, journal_bytes=size)[1]
            == line.digest
        )
    except (Invalid, TypeError):
        return False


def _read(kind: StateKind[S], document: ParsedDocument) -> S | None:
    """The state in a document, or None where it makes no sense or is that of another."""
    try:
        state, _ = kind.read(document)
        patch.to_json(state)
    except (Invalid, RecursionError):
        return None
    return state if kind.id_of(state) == document.id else None
