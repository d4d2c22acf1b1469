"""The cache itself."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .stats import Stats

_ABSENT = object()


class CacheFull(ValueError):
    """An entry heavier than the whole cache."""


@dataclass
class Entry:
    value: Any
    expires: float | None
    weight: int = 1
    tags: frozenset[str] = field(default_factory=frozenset)

    def fresh(self, now: float) -> bool:
        return self.expires is None or now < self.expires


class Larder:
    """A cache that keeps the entries used last.

    ``ttl`` is the time to live of entries that are put without one; ``None`` means for ever.
    ``weigh`` tells the weight of a value; without it each entry weighs one.
    ``on_drop`` is called as ``on_drop(key, value, reason)`` with the reasons ``evicted``,
    ``expired``, ``replaced`` and ``removed``.
    """

    def __init__(
        self,
        capacity: int,
        ttl: float | None = None,
        clock: Callable[[], float] | None = None,
        weigh: Callable[[Any], int] | None = None,
        on_drop: Callable[[Hashable, Any, str], None] | None = None,
    ):
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self.capacity = capacity
        self.ttl = ttl
        self.clock = clock or (lambda: 0.0)
        self.weigh = weigh or (lambda value: 1)
        self.on_drop = on_drop
        self.stats = Stats()
        self._entries: OrderedDict[Hashable, Entry] = OrderedDict()
        self._weight = 0

    @property
    def weight(self) -> int:
        return self._weight

    def put(
        self,
        key: Hashable,
        value: Any,
        ttl: float | None = None,
        tags: Iterable[str] = (),
    ) -> None:
        now = self.clock()
        weight = self.weigh(value)
        if weight > self.capacity:
            raise CacheFull(f"{key!r} weighs {weight} of {self.capacity}")
        life = ttl if ttl is not None else self.ttl
        expires = None if life is None else now + life
        if key in self._entries:
            self._discard(key, "replaced")
        if self._weight + weight > self.capacity:
            self.purge()
        while self._weight + weight > self.capacity:
            oldest = next(iter(self._entries))
            self._discard(oldest, "evicted")
            self.stats.evicted += 1
        self._entries[key] = Entry(value, expires, weight, frozenset(tags))
        self._weight += weight

    def get(self, key: Hashable, default: Any = None) -> Any:
        """The value of a key; counts as a lookup and as a use."""
        entry = self._live(key)
        if entry is None:
            self.stats.misses += 1
            return default
        self.stats.hits += 1
        self._entries.move_to_end(key)
        return entry.value

    def peek(self, key: Hashable, default: Any = None) -> Any:
        """The value of a key, leaving order and statistics alone."""
        entry = self._live(key)
        return default if entry is None else entry.value

    def get_or_make(self, key: Hashable, make: Callable[[], Any], ttl: float | None = None) -> Any:
        """The value of a key; made and kept if there is none."""
        value = self.get(key, _ABSENT)
        if value is _ABSENT:
            value = make()
            self.put(key, value, ttl)
        return value

    def remove(self, key: Hashable) -> bool:
        if self._live(key) is None:
            return False
        self._discard(key, "removed")
        return True

    def drop_tag(self, tag: str) -> int:
        """Remove all entries with a tag; tells how many there were."""
        keys = [key for key, entry in self._entries.items() if tag in entry.tags]
        for key in keys:
            self._discard(key, "removed")
        return len(keys)

    def touch(self, key: Hashable, ttl: float | None = None) -> bool:
        """Let an entry start its time to live anew."""
        entry = self._live(key)
        if entry is None:
            return False
        life = self.ttl if ttl is None else ttl
        entry.expires = None if life is None else self.clock() + life
        return True

    def purge(self) -> int:
        """Drop what has expired; tells how much it was."""
        now = self.clock()
        stale = [key for key, entry in self._entries.items() if not entry.fresh(now)]
        for key in stale:
            self._expire(key)
        return len(stale)

    def clear(self) -> None:
        for key in list(self._entries):
            self._discard(key, "removed")
        self.stats = Stats()

    def entries(self) -> Iterator[tuple[Hashable, Entry]]:
        """Live entries, the one not used for longest first."""
        now = self.clock()
        for key, entry in list(self._entries.items()):
            if entry.fresh(now):
                yield key, entry

    def __len__(self) -> int:
        return sum(1 for _ in self.entries())

    def __contains__(self, key: Hashable) -> bool:
        return self._live(key) is not None

    def __iter__(self) -> Iterator[Hashable]:
        return (key for key, _ in self.entries())

    def _live(self, key: Hashable) -> Entry | None:
        entry = self._entries.get(key)
        if entry is not None and not entry.fresh(self.clock()):
            self._expire(key)
            return None
        return entry

    def _expire(self, key: Hashable) -> None:
        self._discard(key, "expired")
        self.stats.expired += 1

    def _discard(self, key: Hashable, reason: str) -> None:
        entry = self._entries.pop(key)
        self._weight -= entry.weight
        if self.on_drop is not None:
            self.on_drop(key, entry.value, reason)
