"""Tuning sessions, as the store sees them."""

from loopwright.core.ids import TUNING
from loopwright.core.state import SCHEMA
from loopwright.store.kind import Document, Kind
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.reading import keep_own, read_tuning, take_in

FOLDER = ".workflow/.scratchpad"


def _read(document: Document) -> tuple[TuningState, tuple[str, ...]]:
    return read_tuning(document.raw, fallback_id=document.id, now=document.now)


def _lost(document: Document) -> TuningState | None:
    """No document beside it holds the state: the report and the diffs tell of it, and a skill is tuned anew."""
    return None


TUNINGS: Kind[TuningState] = Kind(
    name="tuning session",
    folder=FOLDER,
    schema=SCHEMA,
    model=TuningState,
    id_of=lambda state: state.tuning_id,
    read=_read,
    take_in=take_in,
    keep_own=keep_own,
    side_files={},
    rebuild=_lost,
    progress=lambda state: {},
    legacy=lambda root: {},
    known_by=lambda state: (state.tuning_id, state.title, state.engine.path, state.user_issue_description),
    homes=TUNING,
)
