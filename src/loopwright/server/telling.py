"""What one stream tells of one loop: entries of the journal and lines of the transcript, in the order of events."""

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from loopwright.domain.events import Entry
from loopwright.domain.loop import LoopState
from loopwright.domain.transcript import TRANSCRIPT
from loopwright.domain.wording import event_words
from loopwright.ports import Store
from loopwright.server.position import Position
from loopwright.server.sse import block
from loopwright.store.tail import lines_from, whole_lines_end

AT_ONCE = 1 << 18
"""Bytes after which what was gathered is sent."""
BEGINNINGS = frozenset({"created", "recovered", "journal_started"})
"""Entries from which on a journal that was made anew is told."""

Fields = dict[str, Any]  # Any: parsed JSON


def entry_fields(loop_id: str, entry: Entry) -> Fields:
    """An entry as the API shows it."""
    return {
        "loop_id": loop_id,
        "seq": entry.seq,
        "ts": entry.ts,
        "actor": entry.actor,
        "type": entry.event.type,
        "data": entry.event.data,
        "words": event_words(entry),
    }


class Telling:
    """Of one loop to one reader, who is at `position` (None: at the end): each look gives what is new. Blocks.

    NotFound, StoreError.
    """

    def __init__(self, store: Store[LoopState], loop_id: str, position: Position | None) -> None:
        self._store, self._id = store, loop_id
        self._transcript = store.progress_path(loop_id) / TRANSCRIPT
        self._file: int | None = None
        rev = store.read(loop_id).engine.rev
        position = position or Position(rev, whole_lines_end(self._transcript))
        self._seq = position.seq
        self._offset = position.offset if position.offset is not None else self._offset_after(position.seq)
        self.more = True

    @property
    def position(self) -> Position:
        return Position(self._seq, self._offset)

    def look(self, *, exact: bool) -> bytes:
        """What is new, or the first part of it: then there is `more`. NotFound, StoreError.

        As in cli.story: what is committed after the look at the journal is left for the next one, because a note that
        came before it may not be in the transcript yet.
        """
        gathered, size = [], 0
        for told in self._news(exact):
            gathered.append(told)
            size += len(told)
            if size > AT_ONCE:
                self.more = True
                break
        return b"".join(gathered)

    def _news(self, exact: bool) -> Iterator[bytes]:
        """`more` is true until it has all been taken."""
        waiting = deque(self._entries(exact))
        latest = waiting[-1].seq if waiting else self._seq
        notes = lines_from(self._transcript, self._offset, self._file)
        self._file, self._offset = notes.file, notes.at
        for line in notes.lines:
            note = _read(line.text)
            after = note.get("after", 0) if note else 0
            known = waiting[-1].seq if waiting else self._seq
            if after > known:
                waiting.extend(self._store.events(self._id, known))
            yield from self._told(waiting, after)
            self._offset = line.end
            if note:
                yield block("note", note, str(self.position))
        if not notes.more:
            yield from self._told(waiting, latest)
        self.more = notes.more or bool(waiting)

    def _told(self, waiting: deque[Entry], upto: int) -> Iterator[bytes]:
        while waiting and waiting[0].seq <= upto:
            entry = waiting.popleft()
            self._seq = entry.seq
            yield block("entry", entry_fields(self._id, entry), str(self.position))

    def _entries(self, exact: bool) -> tuple[Entry, ...]:
        if not exact:
            return self._store.shown(self._id, self._seq).entries
        if self._store.read(self._id).engine.rev < self._seq:
            self._seq = beginning(self._store.events(self._id)) - 1
        return tuple(self._store.events(self._id, self._seq))

    def _offset_after(self, seq: int) -> int:
        """Where the lines begin that were written after that entry; a transcript's lines are in order."""
        at, more = 0, True
        while more:
            _, lines, _, more = lines_from(self._transcript, at)
            for line in lines:
                note = _read(line.text)
                if note and note.get("after", 0) >= seq:
                    return at
                at = line.end
        return at


def beginning(entries: Sequence[Entry]) -> int:
    """The seq from which a journal is told that was made anew."""
    return next((entry.seq for entry in reversed(entries) if entry.event.type in BEGINNINGS), 1)


def _read(line: bytes) -> Fields | None:
    """A line of the transcript, or None for one that was torn or written over."""
    try:
        note = orjson.loads(line)
    except ValueError:
        return None
    whole = isinstance(note, dict) and isinstance(note.get("kind"), str) and type(note.get("after", 0)) is int
    return note if whole else None
