"""What one stream tells of one run: entries of the journal and lines of its transcripts, in the order of events."""

from collections import deque
from collections.abc import Iterator, Sequence
from heapq import merge
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from loopwright.core.ports import Store
from loopwright.core.record import JournalEntry
from loopwright.core.wording import event_words
from loopwright.store.tail import lines_from, whole_lines_end
from loopwright.surfaces.server.kinds import ServedKind, TranscriptRef
from loopwright.surfaces.server.sse import StreamPosition, encode_event

AT_ONCE = 1 << 18
"""Bytes after which what was gathered is sent."""
BEGINNINGS = frozenset({"created", "recovered", "journal_started"})
"""Entries from which on a journal that was made anew is told."""

Fields = dict[str, Any]  # Any: parsed JSON


def entry_fields(key: str, id: str, entry: JournalEntry) -> Fields:
    """An entry as the API shows it; `key` is what the id is called."""
    return {
        key: id,
        "seq": entry.seq,
        "ts": entry.ts,
        "actor": entry.actor,
        "type": entry.event.type,
        "data": entry.event.data,
        "words": event_words(entry),
    }


class TranscriptEntry(NamedTuple):
    """A line of a transcript, which ends at that byte. `when` puts the lines of several in order."""

    when: tuple[int, str]
    end: int
    note: Fields | None


class TranscriptCursor:
    """One of the run's transcripts, and how far it has been told."""

    def __init__(self, folder: Path, transcript: TranscriptRef) -> None:
        self._path, self._role = folder / transcript.file, transcript.role
        self._file: int | None = None
        self.offset = 0
        self.more = False

    def to_its_end(self) -> None:
        self.offset = whole_lines_end(self._path)

    def past(self, seq: int) -> None:
        """To the lines that were written after that entry; a transcript's lines are in order."""
        at, more = 0, True
        while more:
            _, lines, _, more = lines_from(self._path, at)
            for line in lines:
                note = _read(line.text)
                if note and note.get("after", 0) >= seq:
                    self.offset = at
                    return
                at = line.end
        self.offset = at

    def lines(self) -> tuple[TranscriptEntry, ...]:
        """What is new, or the first part of it: then there is `more`."""
        found = lines_from(self._path, self.offset, self._file)
        self._file, self.offset, self.more = found.file, found.at, found.more
        heard, when = list[TranscriptEntry](), (0, "")
        for line in found.lines:
            note = _read(line.text)
            if note:
                when = max(when, (note.get("after", 0), str(note.get("ts", ""))))
                if self._role:
                    note.setdefault("role", self._role)
            heard.append(TranscriptEntry(when, line.end, note))
        return tuple(heard)


class RunEventStream:
    """Of one run to one reader, who is at `position` (None: at the end): each look gives what is new. Blocks.

    NotFound, StoreError.
    """

    def __init__(
        self, store: Store[Any], kind: ServedKind[Any], id: str, position: StreamPosition | None
    ) -> None:  # Any: as KINDS
        self._store, self._kind, self._id = store, kind, id
        self._transcripts = tuple(
            TranscriptCursor(store.progress_path(id), transcript) for transcript in kind.transcripts
        )
        rev = store.read(id).engine.rev
        self._seq = position.seq if position else rev
        for n, transcript in enumerate(self._transcripts):
            if position is None:
                transcript.to_its_end()
            elif position.offsets:
                transcript.offset = position.offsets[n]
            else:
                transcript.past(position.seq)
        self.more = True

    @property
    def position(self) -> StreamPosition:
        return StreamPosition(self._seq, tuple(transcript.offset for transcript in self._transcripts))

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
        for transcript, heard in self._heard():
            after = heard.note.get("after", 0) if heard.note else 0
            known = waiting[-1].seq if waiting else self._seq
            if after > known:
                waiting.extend(self._store.events(self._id, known))
            yield from self._told(waiting, after)
            transcript.offset = heard.end
            if heard.note:
                yield encode_event("note", heard.note, str(self.position))
        more = any(transcript.more for transcript in self._transcripts)
        if not more:
            yield from self._told(waiting, latest)
        self.more = more or bool(waiting)

    def _heard(self) -> Iterator[tuple[TranscriptCursor, TranscriptEntry]]:
        """Lines of all transcripts, in order: of one that is long, the others wait for what comes later in it."""
        found = [(transcript, transcript.lines()) for transcript in self._transcripts]
        last = min((lines[-1].when for transcript, lines in found if transcript.more), default=None)
        in_order = merge(*(_each(*one) for one in found), key=_when)
        return (one for one in in_order if last is None or _when(one) <= last)

    def _told(self, waiting: deque[JournalEntry], upto: int) -> Iterator[bytes]:
        while waiting and waiting[0].seq <= upto:
            entry = waiting.popleft()
            self._seq = entry.seq
            yield encode_event("entry", entry_fields(self._kind.key, self._id, entry), str(self.position))

    def _entries(self, exact: bool) -> tuple[JournalEntry, ...]:
        if not exact:
            return self._store.shown(self._id, self._seq).entries
        if self._store.read(self._id).engine.rev < self._seq:
            self._seq = find_beginning(self._store.events(self._id)) - 1
        return tuple(self._store.events(self._id, self._seq))


def find_beginning(entries: Sequence[JournalEntry]) -> int:
    """The seq from which a journal is told that was made anew."""
    return next((entry.seq for entry in reversed(entries) if entry.event.type in BEGINNINGS), 1)


def _each(
    transcript: TranscriptCursor, lines: tuple[TranscriptEntry, ...]
) -> Iterator[tuple[TranscriptCursor, TranscriptEntry]]:
    return ((transcript, heard) for heard in lines)


def _when(one: tuple[TranscriptCursor, TranscriptEntry]) -> tuple[int, str]:
    return one[1].when


def _read(line: bytes) -> Fields | None:
    """A line of the transcript, or None for one that was torn or written over."""
    try:
        note = orjson.loads(line)
    except ValueError:
        return None
    whole = isinstance(note, dict) and isinstance(note.get("kind"), str) and type(note.get("after", 0)) is int
    return note if whole else None
