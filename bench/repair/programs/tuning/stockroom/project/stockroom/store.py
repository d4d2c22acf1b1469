"""A store of events in memory."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from .events import Event, Upcaster


class VersionConflict(Exception):
    def __init__(self, stream: str, expected: int, actual: int):
        super().__init__(f"{stream} is at version {actual}, not {expected}")


class EventStore:
    def __init__(self, upcaster: Upcaster | None = None):
        self.upcaster = upcaster or Upcaster()
        self._log: list[Event] = []
        self._streams: dict[str, list[Event]] = {}
        self._snapshots: dict[str, tuple[int, dict[str, Any]]] = {}
        self._followers: list[Callable[[Event], None]] = []

    def version(self, stream: str) -> int:
        return len(self._streams.get(stream, []))

    def streams(self) -> list[str]:
        return sorted(self._streams)

    def append(self, stream: str, events: Iterable[Event], expected: int | None = None) -> int:
        """Add events to a stream, all of them or none; tells the new version.

        ``expected`` is the version the writer has seen.
        """
        batch = list(events)
        actual = self.version(stream)
        if expected is not None and expected != actual:
            raise VersionConflict(stream, expected, actual)
        for event in batch:
            event.check()
        stored = []
        for event in batch:
            stored.append(self._record(stream, event))
        for event in stored:
            for follower in self._followers:
                follower(self.upcaster.upcast(event))
        return self.version(stream)

    def _record(self, stream: str, event: Event) -> Event:
        version = self.version(stream) + 1
        event = replace(
            event,
            data=copy.deepcopy(event.data),
            stream=stream,
            version=version,
            position=len(self._log) + 1,
        )
        self._streams.setdefault(stream, []).append(event)
        self._log.append(event)
        return event

    def read(self, stream: str, after: int = 0, upto: int | None = None) -> Iterator[Event]:
        """Events of a stream with versions from ``after`` + 1 to ``upto``."""
        for event in self._streams.get(stream, [])[after:upto]:
            yield self.upcaster.upcast(event)

    def read_all(self, after: int = 0) -> Iterator[Event]:
        """Events of all streams in the order they came in."""
        for event in self._log[after:]:
            yield self.upcaster.upcast(event)

    def follow(self, follower: Callable[[Event], None], replay: bool = False) -> None:
        if replay:
            for event in self.read_all():
                follower(event)
        self._followers.append(follower)

    def save_snapshot(self, stream: str, version: int, state: dict[str, Any]) -> None:
        if version > self.version(stream):
            raise ValueError(f"{stream} has no version {version}")
        self._snapshots[stream] = (version, copy.deepcopy(state))

    def snapshot(self, stream: str, upto: int | None = None) -> tuple[int, dict[str, Any]] | None:
        """The snapshot of a stream, unless it is newer than ``upto``."""
        found = self._snapshots.get(stream)
        if found is None or (upto is not None and found[0] > upto):
            return None
        version, state = found
        return version, copy.deepcopy(state)
