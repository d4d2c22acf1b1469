"""transcript.ndjson: what was said and done, line by line; best effort, never a source of truth."""

import json

from loopwright.domain.loop import LoopState
from loopwright.engine.bus import Note
from loopwright.ports import Clock, Store


class Transcript:
    """An observer that keeps notes. Program output is left out: it can be endless."""

    def __init__(self, store: Store[LoopState], loop_id: str, clock: Clock) -> None:
        self._store = store
        self._loop_id = loop_id
        self._clock = clock

    def __call__(self, note: Note) -> None:
        if note.kind == "output":
            return
        line = {"ts": self._clock.now().isoformat(timespec="milliseconds"), "kind": note.kind, "text": note.text}
        encoded = json.dumps(line, ensure_ascii=False).encode()
        self._store.append_progress(self._loop_id, "transcript.ndjson", [encoded])
