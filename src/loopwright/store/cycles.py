"""Cycles, as the store sees them."""

from loopwright.core.state import SCHEMA
from loopwright.store.kind import Document, Kind
from loopwright.workflows.cycle.documents import render
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.reading import keep_own, read_cycle, take_in
from loopwright.workflows.cycle.rebuild import rebuilt

FOLDER = ".workflow/.cycle"


def _read(document: Document) -> tuple[CycleState, tuple[str, ...]]:
    return read_cycle(document.raw, fallback_id=document.id, now=document.now)


CYCLES: Kind[CycleState] = Kind(
    name="cycle",
    folder=FOLDER,
    schema=SCHEMA,
    model=CycleState,
    id_of=lambda state: state.cycle_id,
    read=_read,
    take_in=take_in,
    keep_own=keep_own,
    side_files={},
    rebuild=lambda document: rebuilt(document.beside, document.id, document.now),
    progress=render,
    legacy=lambda root: {},
    known_by=lambda state: (state.cycle_id, state.title, state.description),
)
