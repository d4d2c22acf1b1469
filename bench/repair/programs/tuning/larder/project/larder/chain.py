"""Several caches, asked one after the other."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from .cache import CacheFull, Larder
from .stats import Stats

_ABSENT = object()


class Chain:
    """Small and fast caches first; what is found far back is copied to the front."""

    def __init__(self, *levels: Larder):
        if not levels:
            raise ValueError("a chain needs at least one cache")
        self.levels = levels

    def get(self, key: Hashable, default: Any = None) -> Any:
        for depth, level in enumerate(self.levels):
            value = level.get(key, _ABSENT)
            if value is not _ABSENT:
                self._fill(self.levels[:depth], key, value)
                return value
        return default

    def put(self, key: Hashable, value: Any, ttl: float | None = None) -> None:
        self._fill(self.levels, key, value, ttl)

    def remove(self, key: Hashable) -> bool:
        found = [level.remove(key) for level in self.levels]
        return any(found)

    def get_or_make(self, key: Hashable, make: Callable[[], Any]) -> Any:
        value = self.get(key, _ABSENT)
        if value is _ABSENT:
            value = make()
            self.put(key, value)
        return value

    @property
    def stats(self) -> Stats:
        return sum((level.stats for level in self.levels), Stats())

    @staticmethod
    def _fill(levels: tuple[Larder, ...], key: Hashable, value: Any, ttl: float | None = None) -> None:
        """Put a value into all levels that it is not too heavy for."""
        for level in levels:
            try:
                level.put(key, value, ttl)
            except CacheFull:
                level.remove(key)
