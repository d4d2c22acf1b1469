"""Counters of a cache."""

from __future__ import annotations

from dataclasses import asdict, dataclass


@dataclass
class Stats:
    hits: int = 0
    misses: int = 0
    evicted: int = 0
    expired: int = 0

    @property
    def lookups(self) -> int:
        return self.hits + self.misses

    @property
    def ratio(self) -> float:
        """Share of lookups that found something; 0.0 before the first lookup."""
        return self.hits / self.lookups if self.lookups else 0.0

    def __add__(self, other: "Stats") -> "Stats":
        mine, theirs = asdict(self), asdict(other)
        return Stats(**{name: mine[name] + theirs[name] for name in mine})

    def line(self) -> str:
        return (
            f"{self.hits} hits, {self.misses} misses ({self.ratio:.0%}), "
            f"{self.evicted} evicted, {self.expired} expired"
        )
