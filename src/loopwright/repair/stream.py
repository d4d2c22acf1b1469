"""Candidates in the order of their price, made only when they are wanted."""

import heapq
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from .candidate import Candidate, Compiler, combine_edits
from .edits import FAMILIES
from .edits.site import Edit, EditSite
from .localize import SuspectLocation
from .pool import EditVocabulary, NameScope
from .source import FUNCTIONS, Function, SourceText, all_blocks
from .type_inference import TypePrior

_DISTRUST = 2.5
"""What the least suspicious statement's edits cost more than the most suspicious one's."""

_UNLISTED = 0.5
_HELPED, _TOUCHED = 0.5, 0.2
"""What edits cost less at a place where one has turned a failing test without harm, or with; half of it in the rest of
its function.
"""

_LINE_OFF = 0.05
"""What each line between the two of a pair of edits costs more."""

DANGEROUS = re.compile(
    r"\b(os|shutil|subprocess|socket|pathlib|sys|ctypes|signal|multiprocessing)\.\w|"
    r"\b(rmtree|unlink|rmdir|remove_?dirs|system|popen|Popen|kill|open|exec|eval)\s*\("
)
"""Edits of statements that touch files, processes or the network are not tried."""


@dataclass
class LocationTally:
    """What was measured at one location."""

    offered: int = 0
    tried: int = 0
    turned: int = 0
    survived: int = 0
    cured: int = 0
    exhausted: bool = False
    kinds: dict[str, int] = field(default_factory=dict)

    @property
    def helped(self) -> int:
        """0 to 3: no edit turned a test, one did, one did no harm besides, and one left no failure there."""
        return 3 if self.cured else 2 if self.survived else 1 if self.turned else 0


_NAMES = list(FAMILIES)

_Entry = tuple[float, int, int, int, bool]
"""Price, site, family, place among its edits (-1 before they are made), whether it was asked if it makes sense."""


@dataclass(frozen=True)
class _PricedSite:
    """A place to make edits for, and what each costs there beside its own cost. `base`: an edit made before.

    `bonus` is what the penalty is less by, because edits there have helped.
    """

    location: SuspectLocation
    penalty: float
    base: Candidate | None = None
    bonus: float = 0.0


class CandidateStream:
    """Iterates over distinct candidates, cheapest first. `known` fingerprints are left out.

    `sense`: what is known of the kinds of values; it may be set until the first candidate is drawn.
    """

    def __init__(
        self,
        locations: Sequence[SuspectLocation],
        listed: frozenset[str],
        pool: EditVocabulary,
        tree: str,
        known: frozenset[str],
    ) -> None:
        self.sense = TypePrior({})

        self._pool = pool
        self._seen = set(known)
        self._compilers = {one.file: Compiler(one.source, f"{tree}/{one.file}") for one in locations}
        self._scopes: dict[tuple[str, Function | None], NameScope] = {}
        self._places: dict[int, EditSite] = {}
        self._offers: dict[tuple[int, int], list[Edit]] = {}
        self._sites: list[_PricedSite] = []
        self._single: list[_Entry] = []
        self._second: list[_Entry] = []
        self._single_turn = True
        self._open = dict.fromkeys((one.point for one in locations), 0)
        self.troubles: list[str] = []
        self.tallies: dict[str, LocationTally] = {one.point: LocationTally() for one in locations}
        top = max((one.score for one in locations), default=1.0) or 1.0
        self._penalties = {
            one.point: _DISTRUST * (1 - one.score / top) + (0.0 if one.point in listed else _UNLISTED)
            for one in locations
        }
        for location in locations:
            self._add(_PricedSite(location, self._penalties[location.point]))

    def __iter__(self) -> Iterator[tuple[float, Candidate]]:
        while (drawn := self.draw()) is not None:
            yield drawn

    def draw(self) -> tuple[float, Candidate] | None:
        """The next with its price; None when there are no more, unless `deepen` brings some.

        A family's edits of a place are made when the price has come to what the cheapest of them can cost.
        """
        while heap := self._next_heap():
            price, n, m, k, judged = heapq.heappop(heap)
            site, drawn = self._sites[n], None
            if k < 0:
                self._offers[n, m] = self._made(n, m)
                self._open[site.location.point] += len(self._offers[n, m]) - 1
            elif not judged and (doubt := self.sense.doubt(site.location, self._offers[n, m][k])):
                heapq.heappush(heap, (price + doubt, n, m, k, True))
            else:
                drawn = self._distinct(site, _NAMES[m], self._offers[n, m][k])
                self._open[site.location.point] -= 1
            if not judged and k + 1 < len(self._offers[n, m]):
                cost = self._offers[n, m][k + 1].cost
                heapq.heappush(heap, (site.penalty + cost, n, m, k + 1, False))
            self.tallies[site.location.point].exhausted = not self._open[site.location.point]
            if drawn:
                self._single_turn = site.base is not None
                return price, drawn
        return None

    def _next_heap(self) -> list[_Entry]:
        """The cheaper one; but edits made upon others are never more than every other, however near these came."""
        second_first = self._second and not (self._single and (self._single_turn or self._single[0] < self._second[0]))
        return self._second if second_first else self._single

    def deepen(self, base: Candidate, price: float) -> None:
        """Adds what a second edit in the same function would make of this one: each costs `price` more."""
        location = base.location
        old, source = location.source, SourceText(location.file, base.text)
        function = old.function(location.statement)
        if function is None:
            return
        place = old.namesakes(function).index(function)
        for again in source.namesakes(function)[place : place + 1]:
            for statement in (one for block in all_blocks(again) for one in block):
                far = _LINE_OFF * abs(statement.lineno - location.line)
                self._add(_PricedSite(replace(location, source=source, statement=statement), price + far, base))

    def favour(self) -> None:
        """What is left at places where edits have helped, and in their functions, comes sooner."""
        helped = {point: _HELPED if one.survived else _TOUCHED for point, one in self.tallies.items() if one.turned}
        around: dict[tuple[str, str], float] = {}
        for one in self._sites:
            around[one.location.function] = max(
                around.get(one.location.function, 0.0), helped.get(one.location.point, 0.0) / 2
            )
        bonus = [
            0.0 if one.base else max(helped.get(one.location.point, 0.0), around[one.location.function]) - one.bonus
            for one in self._sites
        ]
        self._sites = [
            replace(one, penalty=one.penalty - more, bonus=one.bonus + more)
            for one, more in zip(self._sites, bonus, strict=True)
        ]
        for heap in (self._single, self._second):
            heap[:] = [(price - bonus[n], n, m, k, judged) for price, n, m, k, judged in heap]
            heapq.heapify(heap)

    def _add(self, site: _PricedSite) -> None:
        self._sites.append(site)
        self._open[site.location.point] += len(FAMILIES)
        for m, (floor, _) in enumerate(FAMILIES.values()):
            heap = self._single if site.base is None else self._second
            heapq.heappush(heap, (site.penalty + floor, len(self._sites) - 1, m, -1, False))

    def _made(self, site: int, family: int) -> list[Edit]:
        """One family's edits of one place by cost."""
        location = self._sites[site].location
        if DANGEROUS.search(location.code):
            return []
        if site not in self._places:
            source, statement = location.source, location.statement
            around = statement if isinstance(statement, FUNCTIONS) else source.function(statement)
            scope = self._scopes.setdefault((location.file, around), NameScope(source, around))
            self._places[site] = EditSite(source, statement, scope, self._pool)
        name = _NAMES[family]
        found: list[Edit] | None = None
        with suppress(Exception):  # one family that stumbles over a text shall not end the search
            found = list(FAMILIES[name][1](self._places[site]))
        if found is None:
            self.troubles.append(f"the edits of the kind {name!r} could not be made for {location.point}")
            return []
        edits = sorted(found, key=lambda one: (one.cost, one.start, one.end, one.text))
        return [edit for edit in edits if not DANGEROUS.search(edit.text)]

    def _distinct(self, site: _PricedSite, family: str, edit: Edit) -> Candidate | None:
        location = site.location
        if site.base is not None:
            location, family = site.base.location, f"{site.base.family}, {family}"
            edit = combine_edits(site.base, edit)
        candidate = self._compilers[location.file].candidate(location, family, edit)
        if candidate is None or candidate.fingerprint in self._seen:
            return None
        self._seen.add(candidate.fingerprint)
        self.tallies[location.point].offered += 1
        return candidate if site.base is None else replace(candidate, base=site.base.fingerprint)
