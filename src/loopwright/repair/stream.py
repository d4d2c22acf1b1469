"""Candidates in the order of their price, made only when they are wanted."""

import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from .candidate import Candidate, Compiler
from .edits import FAMILIES
from .edits.place import Edit, Place
from .localize import Location
from .pool import Pool, Scope
from .sense import Sense
from .source import FUNCTIONS

_DISTRUST = 2.5
"""What the least suspicious statement's edits cost more than the most suspicious one's."""

_UNLISTED = 0.5
_DANGEROUS = re.compile(
    r"\b(os|shutil|subprocess|socket|pathlib|sys|ctypes|signal|multiprocessing)\.\w|"
    r"\b(rmtree|unlink|rmdir|remove_?dirs|system|popen|Popen|kill|open|exec|eval)\s*\("
)
"""Edits of statements that touch files, processes or the network are not tried."""


@dataclass
class Tally:
    """What was measured at one location."""

    offered: int = 0
    tried: int = 0
    turned: int = 0
    survived: int = 0
    exhausted: bool = False
    kinds: dict[str, int] = field(default_factory=dict)


class Stream:
    """Iterates over distinct candidates, cheapest first. `known` fingerprints are left out.

    `sense`: what is known of the kinds of values; it may be set until the first candidate is drawn.
    """

    def __init__(
        self,
        locations: Sequence[Location],
        listed: frozenset[str],
        pool: Pool,
        tree: str,
        known: frozenset[str],
    ) -> None:
        self.sense = Sense({})
        self._locations = locations
        self._listed = listed
        self._pool = pool
        self._seen = set(known)
        self._compilers = {one.file: Compiler(one.source, f"{tree}/{one.file}") for one in locations}
        self._open: dict[str, int] = {}
        self.tallies: dict[str, Tally] = {one.point: Tally() for one in locations}

    def __iter__(self) -> Iterator[tuple[float, Candidate]]:
        top = max((one.score for one in self._locations), default=1.0) or 1.0
        heap: list[tuple[float, int, int, bool]] = []
        offers: dict[int, list[tuple[float, str, Edit]]] = {}
        for n, location in enumerate(self._locations):
            heapq.heappush(heap, (self._penalty(location, top), n, -1, False))
        while heap:
            price, n, k, judged = heapq.heappop(heap)
            location = self._locations[n]
            if k < 0:
                offers[n] = self._offers(location)
                self._open[location.point] = len(offers[n])
            elif not judged and (doubt := self.sense.doubt(location, offers[n][k][2])):
                heapq.heappush(heap, (price + doubt, n, k, True))
            else:
                yield from self._distinct(price, location, *offers[n][k][1:])
                self._open[location.point] -= 1
            if not judged and k + 1 < len(offers[n]):
                heapq.heappush(heap, (self._penalty(location, top) + offers[n][k + 1][0], n, k + 1, False))
            self.tallies[location.point].exhausted = not self._open[location.point]

    def _penalty(self, location: Location, top: float) -> float:
        return _DISTRUST * (1 - location.score / top) + (0.0 if location.point in self._listed else _UNLISTED)

    def _offers(self, location: Location) -> list[tuple[float, str, Edit]]:
        """All edits of one place by cost; the same text twice counts once, at its lower cost."""
        source, statement = location.source, location.statement
        if _DANGEROUS.search(location.code):
            return []
        around = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
        place = Place(source, statement, Scope(source, around), self._pool)
        edits = [
            (edit.cost, n, family, edit) for n, (family, make) in enumerate(FAMILIES.items()) for edit in make(place)
        ]
        edits.sort(key=lambda one: (one[0], one[1], one[3].start, one[3].end, one[3].text))
        return [(cost, family, edit) for cost, _, family, edit in edits if not _DANGEROUS.search(edit.text)]

    def _distinct(self, price: float, location: Location, family: str, edit: Edit) -> Iterator[tuple[float, Candidate]]:
        candidate = self._compilers[location.file].candidate(location, family, edit)
        if candidate is None or candidate.fingerprint in self._seen:
            return
        self._seen.add(candidate.fingerprint)
        self.tallies[location.point].offered += 1
        yield price, candidate
