"""What is left of a damaged state, in a fixed order: journal, JSON file, progress files."""

from typing import Generic, NamedTuple

from loopwright.domain.errors import Corrupt, Invalid
from loopwright.store import patch, projection
from loopwright.store.disk import Disk
from loopwright.store.journal import Line, highest_seq, scan
from loopwright.store.kind import Document, Kind, S
from loopwright.store.known import Known, beside, journal_of, projection_in, replay
from loopwright.store.paths import Paths


class Rescue(NamedTuple, Generic[S]):
    """A state to go on with, the whole lines it comes after, and where it was found, in words."""

    known: Known[S]
    lines: bytes
    origin: str


def rescue(disk: Disk, kind: Kind[S], paths: Paths, now: str) -> Rescue[S]:
    """Corrupt when nothing is left."""
    journal = disk.read(paths.journal) or b""
    whole = scan(journal)
    file = projection_in(disk, paths)
    found = projection.parse(file) if file else None
    seq = max(highest_seq(journal), found.rev if found and found.genuine else 0)
    raw: object
    last = whole.lines[-1].seq if whole.lines else 0
    if found and found.genuine and found.rev >= last:
        raw, origin = found.doc, "the JSON file"
    elif whole.lines:
        raw, origin = _replayed(whole.lines), f"the journal up to line {last}"
    else:
        raw, origin = (found.doc, "the JSON file") if found else (None, "the progress files")
    try:
        state = _state(kind, Document(raw, paths.id, now, beside(disk, kind, paths)))
    except Invalid as error:
        raise Corrupt(f"{kind.name} {paths.id} could not be rebuilt: {error}") from error
    inode = journal_of(paths).inode
    return Rescue(
        Known(state, patch.plain(state), seq, whole.end, inode, file, whole=True), journal[: whole.end], origin
    )


def _replayed(lines: tuple[Line, ...]) -> object:
    try:
        return replay(lines)
    except Corrupt:
        return None


def _state(kind: Kind[S], document: Document) -> S:
    state = kind.read(document)[0] if document.raw is not None else kind.rebuild(document)
    if state is None:
        raise Corrupt(f"{kind.name} {document.id} can not be rebuilt: nothing is left of it that can be read")
    return state
