"""Loops and clocks for the store's tests."""

from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any, TypeVar

from loopwright.domain.cycle import CycleState
from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.ports import Store
from loopwright.store.files import FileStore
from loopwright.store.loops import LOOPS

START = datetime(2026, 1, 22, 10, tzinfo=timezone(timedelta(hours=8)))
EDITED = Event(type="edited", data={"by": "a test"})
ID = "loop-1"
S = TypeVar("S", LoopState, CycleState)


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


def retitle(store: Store[S], title: str, id: str = ID, epoch: int | None = None) -> S:
    return store.update(id, lambda s: s.evolve(title=title), actor="user", event=EDITED, epoch=epoch)


def tagging(tag: str) -> Callable[[S], S]:
    return lambda state: state.evolve(tags=(*(getattr(state, "tags", ()) or ()), tag))


def files_at(root: Path) -> FileStore[LoopState]:
    return FileStore(root, LOOPS, HandClock())


def json_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.json"


def journal_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.events.ndjson"
