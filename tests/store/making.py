"""States and clocks for the store's tests."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

from loopwright.core.ports import Store
from loopwright.core.record import JournalEvent
from loopwright.store.files import FileStore
from loopwright.store.kind import StateKind
from loopwright.wiring.stores import LOOPS, TUNINGS
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.tuning.model import TuningState

START = datetime(2026, 1, 22, 10, tzinfo=timezone(timedelta(hours=8)))
EDITED = JournalEvent(type="edited", data={"by": "a test"})
ID = "loop-1"
S = TypeVar("S", LoopState, CycleState, TuningState)

SHORT: StateKind[TuningState] = replace(TUNINGS, homes="loop-")
"""Tuning sessions under the ids that the tests of every kind use."""


class HandClock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.at = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def token(self) -> str:
        return "0" * 32

    async def sleep(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def loop(id: str = ID, **fields: Any) -> LoopState:
    at = START.isoformat()
    return LoopState.model_validate(
        {"loop_id": id, "title": "A title", "description": "What to do", "created_at": at, "updated_at": at, **fields}
    )


def cycle(id: str = ID, **fields: Any) -> CycleState:
    """With two keys that only loops know, so that both can be written to in the same way."""
    at = START.isoformat()
    known = {"title": "A title", "description": "What to do", "created_at": at, "updated_at": at}
    return CycleState.model_validate({"cycle_id": id, **known, "tags": [], "notes": None, **fields})


def tuning(id: str = ID, **fields: Any) -> TuningState:
    """With the words of loops, as far as a session has something like them."""
    named = {"name": fields.pop("title", "A title"), "path": "skills/a"}
    if fields.get("status") == "created":
        fields["status"] = "pending"
    known = {"user_issue_description": fields.pop("description", "What to do"), "tags": [], "notes": None}
    engine = {"id": id, "path": "skills/a"}
    return TuningState.model_validate({**known, "target_skill": named, "engine": engine, **fields})


def titled(state: S, title: str) -> S:
    if isinstance(state, TuningState):
        return state.evolve(target_skill=state.target_skill.evolve(name=title))
    return state.evolve(title=title)


def retitle(store: Store[S], title: str, id: str = ID, epoch: int | None = None) -> S:
    return store.update(id, lambda s: titled(s, title), actor="user", event=EDITED, epoch=epoch)


def tagging(tag: str) -> Callable[[S], S]:
    return lambda state: state.evolve(tags=(*(getattr(state, "tags", ()) or ()), tag))


def files_at(root: Path) -> FileStore[LoopState]:
    return FileStore(root, LOOPS, HandClock())


def json_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.json"


def journal_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.events.ndjson"
