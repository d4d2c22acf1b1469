"""The best that is left of a damaged state: journal, JSON file, then progress files. Nothing is thrown away."""

from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple

import orjson

from loopwright.core.errors import Corrupt, Invalid, NewerSchema
from loopwright.core.record import Event
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.journal import Line, carried_on, draft, scan, whole_lines
from loopwright.store.kind import Document, Kind, S
from loopwright.store.known import Known, beside, journal_of, projection_in
from loopwright.store.patch import Doc
from loopwright.store.paths import Paths
from loopwright.store.projection import Projection

Texts = dict[int, list[tuple[Line, bytes]]]
"""Whole lines by number. There is more than one of a number only where somebody tampered."""


class Rescue(NamedTuple, Generic[S]):
    """A state to go on with, the lines it comes after, and where it was found, in words."""

    known: Known[S]
    lines: bytes
    origin: str


class Course(NamedTuple):
    """A document and the lines that lead to it. `proven`: it is what its last line says it should be.

    `size` is where the journal ended when that line was written.
    """

    seq: int
    proven: bool
    doc: Doc
    lines: tuple[bytes, ...]
    size: int
    origin: str


def rescue(disk: Disk, kind: Kind[S], paths: Paths, now: str) -> Rescue[S]:
    """Corrupt when nothing is left."""
    journal, file = disk.read(paths.journal) or b"", projection_in(disk, paths)
    found = projection.parse(file) if file else None
    texts = _by_number(journal)
    seq = max(0, *texts, found.rev if found and found.genuine else 0)
    for course in sorted(_courses(kind, journal, texts, found, now), key=lambda c: (c.seq, c.proven), reverse=True):
        state = _read(kind, Document(course.doc, paths.id, now, {}))
        if state is not None:
            return _rescued(state, seq, b"".join(course.lines), course.origin, paths, file)
    texts_beside = beside(disk, kind, paths)
    state = _read(kind, Document(found.doc, paths.id, now, texts_beside)) if found else None
    origin = "the JSON file"
    if state is None:
        state, origin = _rebuilt(kind, Document(None, paths.id, now, texts_beside)), "the progress files"
    return _rescued(state, seq, journal[: scan(journal).end], origin, paths, file)


def _rescued(state: S, seq: int, lines: bytes, origin: str, paths: Paths, file: bytes | None) -> Rescue[S]:
    known = Known(state, patch.plain(state), seq, len(lines), journal_of(paths).inode, file, whole=True)
    return Rescue(known, lines, origin)


def _by_number(journal: bytes) -> Texts:
    texts: Texts = {}
    for line, text in whole_lines(journal):
        if not line.is_tombstone:
            texts.setdefault(line.seq, []).append((line, text))
    return texts


def _courses(kind: Kind[S], journal: bytes, texts: Texts, found: Projection | None, now: str) -> Iterator[Course]:
    """Every place to begin from, each followed as far as lines go on from it."""
    first = scan(journal)
    before = journal[: first.end]
    held = {line.seq for line in first.lines}
    if first.lines and (begun := _first_half(first.lines, before)):
        yield _followed(begun, texts)
    for line, text in (pair for same in texts.values() for pair in same):
        if line.state is not None and line.seq not in held:
            lines = (before, text) if line.seq > max(held, default=0) else (text,)
            yield _followed(_begun(line, lines), texts)
    if found and found.genuine and found.rev > 0:
        event = Event(type="recovered", data={"from": "the JSON file"})
        base = draft(
            seq=found.rev, ts=now, actor="store", event=event, epoch=None, schema=kind.schema, state=found.doc
        ).sealed(found.digest)
        lines = (before, base) if found.rev > max(held, default=0) else (base,)
        yield _followed(Course(found.rev, True, found.doc, lines, found.journal_bytes, "the JSON file"), texts)


def _first_half(lines: Sequence[Line], text: bytes) -> Course | None:
    """The journal up to its damage."""
    start = max(at for at, line in enumerate(lines) if line.state is not None)
    last = lines[-1]
    try:
        doc = carried_on({}, lines[start:])
    except Corrupt:
        return None
    return Course(last.seq, _proves(last, doc, last.end), doc, (text,), last.end, f"the journal up to line {last.seq}")


def _begun(line: Line, lines: tuple[bytes, ...]) -> Course:
    doc = carried_on({}, [line])
    return Course(line.seq, _proves(line, doc, line.end), doc, lines, line.end, f"the journal from line {line.seq}")


def _followed(course: Course, texts: Texts) -> Course:
    """The course with every line that goes on from it; of several with one number the one that proves itself."""
    while following := [c for line, text in texts.get(course.seq + 1, ()) if (c := _next(course, line, text))]:
        course = max(following, key=lambda c: c.proven)
    return course


def _next(course: Course, line: Line, text: bytes) -> Course | None:
    size = course.size + len(text)
    origin = f"{course.origin.split(' and what follows')[0]} and what follows up to line {line.seq}"
    try:
        doc = carried_on(orjson.loads(orjson.dumps(course.doc)), [line])
    except (Corrupt, TypeError):
        return None
    return Course(line.seq, _proves(line, doc, size), doc, (*course.lines, text), size, origin)


def _proves(line: Line, doc: Doc, size: int) -> bool:
    try:
        return projection.render(orjson.loads(orjson.dumps(doc)), rev=line.seq, journal_bytes=size)[1] == line.digest
    except (Invalid, TypeError):
        return False


def _read(kind: Kind[S], document: Document) -> S | None:
    """The state in a document, or None where it makes no sense or is that of another."""
    try:
        state, _ = kind.read(document)
        patch.plain(state)
    except (Invalid, RecursionError):
        return None
    return state if kind.id_of(state) == document.id else None


def _rebuilt(kind: Kind[S], document: Document) -> S:
    try:
        state = kind.rebuild(document)
    except (Invalid, NewerSchema) as error:
        raise Corrupt(f"{kind.name} {document.id} could not be rebuilt: {error}") from error
    if state is None:
        raise Corrupt(f"{kind.name} {document.id} cannot be rebuilt: nothing readable is left of it")
    return state
