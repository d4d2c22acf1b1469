"""Where the lines of a text begin."""

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, count
from operator import add


@dataclass(frozen=True, slots=True)
class Lines:
    """`starts` holds the offset of every line's first character; only `\\n` ends a line."""

    starts: tuple[int, ...]

    def number(self, offset: int) -> int:
        """The line, counted from 1, that holds the character at `offset`."""
        return bisect_right(self.starts, offset) or 1


@lru_cache(maxsize=64)
def lines_of(text: str) -> Lines:
    """Kept, because a page is asked for its lines several times while it is read."""
    return Lines(starts_of(text.split("\n")))


def starts_of(lines: list[str]) -> tuple[int, ...]:
    """The offsets of lines that were split at `\\n`."""
    return tuple(map(add, accumulate(map(len, lines[:-1]), initial=0), count()))
