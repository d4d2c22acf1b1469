"""Stretches of days. The end of a span is not part of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, order=True)
class Span:
    start: date
    end: date

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"span ends before it starts: {self.start} to {self.end}")

    @classmethod
    def of_days(cls, first: date, last: date) -> "Span":
        """A span from its first to its last day, both of them part of it."""
        return cls(first, last + timedelta(days=1))

    def __len__(self) -> int:
        return (self.end - self.start).days

    def __bool__(self) -> bool:
        return self.start < self.end

    def __contains__(self, day: date) -> bool:
        return self.start <= day < self.end

    def __iter__(self) -> Iterator[date]:
        for offset in range(len(self)):
            yield self.start + timedelta(days=offset)

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"

    def overlaps(self, other: "Span") -> bool:
        return bool(self & other)

    def __and__(self, other: "Span") -> "Span":
        start = max(self.start, other.start)
        return Span(start, max(start, min(self.end, other.end)))

    def shift(self, days: int) -> "Span":
        step = timedelta(days=days)
        return Span(self.start + step, self.end + step)


def merge(spans: Iterable[Span]) -> list[Span]:
    """The same days in as few spans as possible, in order."""
    result: list[Span] = []
    for span in sorted(span for span in spans if span):
        if result and span.start <= result[-1].end:
            last = result.pop()
            span = Span(last.start, max(last.end, span.end))
        result.append(span)
    return result


def subtract(spans: Iterable[Span], taken: Iterable[Span]) -> list[Span]:
    """The days of ``spans`` that no span of ``taken`` covers."""
    gone = merge(taken)
    result: list[Span] = []
    for span in merge(spans):
        start = span.start
        for cut in gone:
            if cut.end <= start or cut.start >= span.end:
                continue
            if start < cut.start:
                result.append(Span(start, cut.start))
            start = cut.end
        if start < span.end:
            result.append(Span(start, span.end))
    return result


def free(window: Span, taken: Iterable[Span], nights: int = 1) -> list[Span]:
    """Stretches of at least so many nights that are free within a window."""
    return [span for span in subtract([window], taken) if len(span) >= nights]


def total_days(spans: Iterable[Span]) -> int:
    """How many different days the spans cover."""
    return sum(len(span) for span in merge(spans))
