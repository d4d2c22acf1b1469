"""Loops and clocks for the store's tests."""

import json
import zlib
from collections.abc import Callable
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from loopwright.domain.events import Event
from loopwright.domain.loop import LoopState
from loopwright.ports import Store
from loopwright.store.files import FileStore
from loopwright.store.loops import LOOPS

START = datetime(2026, 1, 22, 10, tzinfo=timezone(timedelta(hours=8)))
EDITED = Event(type="edited", data={"by": "a test"})
ID = "loop-1"


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


def retitle(store: Store[LoopState], title: str, id: str = ID, epoch: int | None = None) -> LoopState:
    return store.update(id, lambda s: s.evolve(title=title), actor="user", event=EDITED, epoch=epoch)


def tagging(tag: str) -> Callable[[LoopState], LoopState]:
    return lambda state: state.evolve(tags=(*(state.tags or ()), tag))


def files_at(root: Path) -> FileStore[LoopState]:
    return FileStore(root, LOOPS, HandClock())


def json_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.json"


def journal_of(root: Path, id: str = ID) -> Path:
    return root / LOOPS.folder / f"{id}.events.ndjson"


Json = Any  # parsed JSON, walked freely by the reader below


def independent_replay(journal: bytes) -> Json:
    """A second reader of the journal, written from its description and sharing nothing with the store."""
    state: Json = None
    end = 0
    for text in journal.splitlines(keepends=True):
        end += len(text)
        line = json.loads(text)
        body, _, _ = text.rpartition(b',"check":')
        assert line["check"] == f"{len(body):08x}-{zlib.crc32(body):08x}"
        state = line["state"] if "state" in line else patched(state, line["patch"])
        state["engine"] |= {"rev": line["seq"], "digest": line["digest"], "journal_bytes": end}
    return state


def patched(state: Json, patch: Json) -> Json:
    """RFC 6902 as far as add, replace and remove go; strict about what must exist."""
    for op in patch:
        *way, last = [t.replace("~1", "/").replace("~0", "~") for t in op["path"].split("/")[1:]]
        place = state
        for token in way:
            place = place[int(token)] if isinstance(place, list) else place[token]
        at = last if isinstance(place, dict) else len(place) if last == "-" else int(last)
        if op["op"] == "remove":
            del place[at]
        elif op["op"] == "add" and isinstance(place, list):
            assert at <= len(place)
            place.insert(at, op["value"])
        else:
            assert op["op"] == "add" or isinstance(place, list) or at in place
            place[at] = op["value"]
    return state
