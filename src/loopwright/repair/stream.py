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
from .source import FUNCTIONS, Function

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


_NAMES = list(FAMILIES)


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
        self._places: dict[str, Place] = {}
        self._scopes: dict[tuple[str, Function | None], Scope] = {}
        self.tallies: dict[str, Tally] = {one.point: Tally() for one in locations}

    def __iter__(self) -> Iterator[tuple[float, Candidate]]:
        """A family's edits of a place are made when the price has come to what the cheapest of them can cost."""
        top = max((one.score for one in self._locations), default=1.0) or 1.0
        penalties = [self._penalty(location, top) for location in self._locations]
        heap = [
            (penalty + floor, n, m, -1, False)
            for n, penalty in enumerate(penalties)
            for m, (floor, _) in enumerate(FAMILIES.values())
        ]
        heapq.heapify(heap)
        offers: dict[tuple[int, int], list[Edit]] = {}
        self._open = {location.point: len(FAMILIES) for location in self._locations}
        while heap:
            price, n, m, k, judged = heapq.heappop(heap)
            location = self._locations[n]
            if k < 0:
                offers[n, m] = self._offers(location, m)
                self._open[location.point] += len(offers[n, m]) - 1
            elif not judged and (doubt := self.sense.doubt(location, offers[n, m][k])):
                heapq.heappush(heap, (price + doubt, n, m, k, True))
            else:
                yield from self._distinct(price, location, _NAMES[m], offers[n, m][k])
                self._open[location.point] -= 1
            if not judged and k + 1 < len(offers[n, m]):
                heapq.heappush(heap, (penalties[n] + offers[n, m][k + 1].cost, n, m, k + 1, False))
            self.tallies[location.point].exhausted = not self._open[location.point]

    def _penalty(self, location: Location, top: float) -> float:
        return _DISTRUST * (1 - location.score / top) + (0.0 if location.point in self._listed else _UNLISTED)

    def _offers(self, location: Location, family: int) -> list[Edit]:
        """One family's edits of one place by cost."""
        if _DANGEROUS.search(location.code):
            return []
        if location.point not in self._places:
            self._places[location.point] = self._place(location)
        _, make = FAMILIES[_NAMES[family]]
        edits = sorted(make(self._places[location.point]), key=lambda one: (one.cost, one.start, one.end, one.text))
        return [edit for edit in edits if not _DANGEROUS.search(edit.text)]

    def _place(self, location: Location) -> Place:
        source, statement = location.source, location.statement
        around = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
        scope = self._scopes.setdefault((location.file, around), Scope(source, around))
        return Place(source, statement, scope, self._pool)

    def _distinct(self, price: float, location: Location, family: str, edit: Edit) -> Iterator[tuple[float, Candidate]]:
        candidate = self._compilers[location.file].candidate(location, family, edit)
        if candidate is None or candidate.fingerprint in self._seen:
            return
        self._seen.add(candidate.fingerprint)
        self.tallies[location.point].offered += 1
        yield price, candidate
