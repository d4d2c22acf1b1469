"""Tries candidates in both lanes until enough survived, in an order and to an end that time does not decide."""

import select
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import PROGRESS
from .candidate import Candidate
from .executor import CandidateExecutor
from .forks import Answer
from .stream import CandidateStream


@dataclass(frozen=True)
class Survivor:
    """A candidate that turned failing tests and broke none of those that its function serves. `order`: its number.

    `left`: failing tests that still fail though they, in the groups of these, run its very place, or ended in the same
    error at the same line: it may suit one test instead of curing the fault.
    """

    order: int
    price: float
    candidate: Candidate
    turned: frozenset[int]
    left: frozenset[int]


def rank_patches(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Best first: no test left at its place, more tests turned, then the cheaper and the smaller change."""

    def rank(one: Survivor) -> tuple[bool, int, float, int, int]:
        edit = one.candidate.edit
        change = abs(len(edit.text) - (edit.end - edit.start))
        return bool(one.left), -len(one.turned), round(one.price, 3), change, one.order

    return sorted(survivors, key=rank)


_EVERY = 2.0  # seconds between two such lines
_BEYOND, _FAR_BEYOND, _FARTHEST = 40, 300, 8_000
"""Candidates still tried after a survivor that turned all failing tests, all of its kind at its place (besides twice as
many as came before it), or some.
"""

_NEAREST = 3
_ROUND = 500
"""Candidates, at first, after which those that fixed something are looked at again: their places come sooner from then
on, and a second edit is made on them."""

_KEPT, _SEEDS, _FIRST = 64, 8, 60
"""Of those how many are kept, and built upon at a time; when there is nothing else left, how many of the cheapest."""

_PROVEN, _DEEPER = 0.7, 0.5
"""How much of its own cost an edit loses that fixed something; what a second one costs more."""

_PAIRS = 4_000
"""Pairs of edits that are tried when there are no more single ones."""

_SECOND = 20
"""Candidates, the cheapest, under which a failing test came to no end, and that are tried again with more time."""

_LEAST, _PER_TEST, _GREATEST = 10, 0.25, 200
"""Candidates between two that need a fresh import: so many for each test, for the more tests, the longer it takes."""

_PARTS = 3
"""Into how many batches at least what is left of a round is divided."""

_SMALLEST = 16
"""Candidates that go together at first."""

Numbered = tuple[int, float, Candidate]
"""A candidate with its place in the stream and its price."""


@dataclass(frozen=True, order=True)
class PartialFix:
    """A candidate that turned failing tests and left others, or broke one that passed: its number, or -1.

    The nearest is the least.
    """

    missing: int
    price: float
    order: int
    candidate: Candidate = field(compare=False)
    broke: int = field(compare=False)


class CandidateSearch:
    """One walk along the stream; `go` may be called again when what it found did not hold.

    `most`: candidates at most; `whole`: so many in any case, also behind those that survived.
    `nearest`: the best of those that fixed something at the cost of something else.
    """

    def __init__(
        self, executor: CandidateExecutor, stream: CandidateStream, most: int, deadline: float, *, whole: bool = False
    ) -> None:
        self._executor = executor
        self._stream = stream
        self._most = most
        self._last = most
        self._pause = _ROUND
        self._dry = False
        self._first: list[tuple[float, Candidate]] = []
        self._deepened: set[str] = set()
        self._partial: list[PartialFix] = []
        self._deadline = deadline
        self._whole = whole
        self._number = 0
        self._warm: list[Numbered] = []
        self._cold: deque[Numbered] = deque()
        self._imported: deque[tuple[float, Candidate]] = deque()
        self._next_import = 0
        self._stale: set[int] = set()
        self._late: list[Numbered] = []
        self._slower: list[Numbered] = []
        self._turned: dict[str, frozenset[int]] = {}
        self._promising: list[Numbered] = []
        self._patient: set[int] = set()
        self._busy: dict[int, tuple[int, list[Numbered]]] = {}
        self._answered: dict[int, tuple[float, Candidate, Answer]] = {}
        self.tried = 0
        self.cold = 0
        self.seconds = 0.0
        self._told = time.monotonic()

    @property
    def nearest(self) -> list[PartialFix]:
        """The best of those that fixed something at the cost of something else."""
        return self._partial[:_NEAREST]

    @property
    def ended(self) -> bool:
        """Whether going on could not bring more."""
        return self._number >= self._most or time.monotonic() >= self._deadline

    def go(self) -> list[Survivor]:
        """Tries candidates until some have survived (and a little beyond), best first; [] when there are no more.

        Which survive does not depend on time or on which lane was faster: candidates are numbered as they are drawn,
        and the end is a number. The deadline is only the upper bound.
        """
        started = time.monotonic()
        self._last = self._most
        found: list[Survivor] = []
        while True:
            # one round: both lanes are kept at work until all that was drawn is answered
            idle = list(range(len(self._executor.warm)))
            while True:
                while idle and (batch := self._next()):
                    pair = idle.pop()
                    cold = self._executor.goes_cold(batch[0][2]) or batch[0][0] in self._stale
                    self.cold += cold
                    jobs = [(number, candidate) for number, _, candidate in batch]
                    descriptor = self._executor.submit(pair, jobs, cold, self._deadline, batch[0][0] in self._patient)
                    self._busy[descriptor] = (pair, batch)
                if not self._busy:
                    break
                idle += map(self._settle, self._ready())
                if time.monotonic() - self._told > _EVERY:
                    self._told = time.monotonic()
                    print(f"{PROGRESS}{self._number:,} edits tried", flush=True)
            found += self.fold()
            if not self._goes_on(any(not one.left for one in found)):
                break
        self.seconds += time.monotonic() - started
        return rank_patches(found)

    def _goes_on(self, found: bool) -> bool:
        """Whether there is another round. While nothing is found, a second edit is made on what came near."""
        if time.monotonic() >= self._deadline or self._number >= self._last:
            return False
        self._stream.favour()
        # what fixed something and not all; when there is nothing else left, also the cheapest of all
        near = [one for one in self._partial if not one.candidate.base][:_SEEDS]
        bases = [(one.price - _PROVEN * one.candidate.edit.cost, one.candidate) for one in near]
        seeds = [*bases, *(self._first if self._dry else ())] if not found else []
        seeds = [one for one in seeds if not (one[1].base or one[1].fingerprint in self._deepened)]
        for price, candidate in seeds:
            if time.monotonic() >= self._deadline:
                return False
            self._deepened.add(candidate.fingerprint)
            self._stream.deepen(candidate, price + _DEEPER)
        if self._dry:
            self._most = self._last = min(self._most, self._number + (_PAIRS if seeds else 0))
        self._pause, self._dry = self._number + max(_ROUND, self._number // 2), False
        return self._number < self._last

    def _next(self) -> list[Numbered]:
        """One candidate that needs a fresh import, else as many as go together; [] when there is nothing to do."""
        while self._draws():
            self._draw()
        if self._promising:
            return [self._promising.pop()]
        if self._cold:
            return [self._cold.popleft()]
        batch, self._warm = self._warm or self._again(), []
        return batch

    def _again(self) -> list[Numbered]:
        """When there are no more, and nothing was found, those that did not end in a short time get a longer one."""
        at_the_end = (self._dry or self._number >= self._most) and not self._busy
        if not at_the_end or self._last < self._most or time.monotonic() >= self._deadline:
            return []
        late = [*self._late, *(() if self._whole else sorted(self._slower)[:_SECOND])]
        self._slower = []
        batch, self._late = late[: self._executor.batch], late[self._executor.batch :]
        self._patient.update(number for number, _, _ in batch)
        return batch

    def _ready(self) -> list[int]:
        """Lanes that have answered; until one has, the next candidates are made."""
        while True:
            ready, _, _ = select.select(list(self._busy), [], [], 0 if self._draws() else None)
            if ready:
                return list(ready)
            self._draw()

    def _draws(self) -> bool:
        """Whether a lane could have more than is there. The first batches are small: many a fault is found at once."""
        # so many may go together without leaving the other lane idle at the end of the round
        fair = min(self._number // 2, (min(self._pause, self._last) - self._number) // _PARTS)
        enough = len(self._warm) >= min(self._executor.batch, max(_SMALLEST, fair))
        waits = self._dry or self._number >= self._pause or self._cold or enough
        return not waits and self._number < self._last and time.monotonic() < self._deadline

    def _draw(self) -> None:
        drawn = self._stream.draw()
        if drawn and self._executor.goes_cold(drawn[1]):
            self._imported.append(drawn)
        elif drawn:
            self._take(self._warm, drawn)
        if self._imported and (drawn is None or self._number >= self._next_import):
            self._take(self._cold, self._imported.popleft())
            tests = len(self._executor.baseline.keys)
            self._next_import = self._number + int(min(max(_LEAST, tests * _PER_TEST), _GREATEST))
        elif drawn is None:
            self._dry = True

    def _take(self, lane: list[Numbered] | deque[Numbered], drawn: tuple[float, Candidate]) -> None:
        self._number += 1
        self._first += [drawn] if len(self._first) < _FIRST else []
        lane.append((self._number, *drawn))

    def _settle(self, descriptor: int) -> int:
        """Takes the answers to one batch in and frees its lanes; what cannot be swapped waits for a fresh import."""
        pair, batch = self._busy.pop(descriptor)
        for one, answer in zip(batch, self._executor.answers(descriptor), strict=True):
            number, price, candidate = one
            # it may be the one that is looked for, had it more time
            hurries = answer.get("late") and answer["turned"] and (answer["broke"] is None or answer.get("so_far"))
            if answer.get("stale"):
                self._stale.add(number)
                self._cold.append(one)
            elif hurries and number not in self._patient:
                self._patient.add(number)
                self._promising.append(one)
            elif not answer.get("unrun"):
                self._answered[number] = (price, candidate, answer)
                self._bring_end_near(number, candidate, answer)
                is_late = answer.get("late") and number not in self._patient
                self._slower += [one] if is_late and answer["broke"] >= 0 else []
                self._late += [one] if is_late and answer["broke"] < 0 else []
        return pair

    def _bring_end_near(self, number: int, candidate: Candidate, answer: Answer) -> None:
        """After a survivor the search goes on for a little only."""
        if self._whole or not self._mends(candidate, answer):
            return
        turned = frozenset(answer["turned"])
        cured = _FARTHEST if self._left(candidate, turned) else _FAR_BEYOND + 2 * number
        self._last = min(self._last, number + (_BEYOND if turned >= self._executor.targets else cured))

    def _mends(self, candidate: Candidate, answer: Answer) -> bool:
        """Whether it does good and no harm, and more good than the edit that it is made upon does alone."""
        before = self._turned.get(candidate.base, frozenset())
        return bool(set(answer["turned"]) - before) and answer["broke"] is None

    def _left(self, candidate: Candidate, turned: frozenset[int]) -> frozenset[int]:
        groups = self._executor.baseline.spectrum.groups or [self._executor.targets]
        near = frozenset[int]().union(*(group for group in groups if group & turned))
        at_its_place = candidate.location.failing & self._executor.targets & near
        mates = self._executor.baseline.spectrum.mates(turned) & self._executor.targets
        return (at_its_place | mates) - turned

    def fold(self) -> list[Survivor]:
        """Counts the answers up to the end, in order; one that a slow neighbour let run ahead waits for the next go."""
        survivors: list[Survivor] = []
        for number in sorted(n for n in self._answered if n <= self._last):
            price, candidate, answer = self._answered.pop(number)
            turned, survived = frozenset(answer["turned"]), self._mends(candidate, answer)
            tally = self._stream.tallies[candidate.location.point]
            tally.tried += 1
            tally.turned += bool(turned)
            tally.survived += survived
            tally.kinds[candidate.family] = tally.kinds.get(candidate.family, 0) + 1
            self.tried += 1
            left = self._left(candidate, turned)
            tally.cured += survived and not left
            if survived:
                self._turned[candidate.fingerprint] = turned
                survivors.append(Survivor(number, price, candidate, turned, left))
            if turned and (left or not survived):
                missing = len(self._executor.targets) - len(turned)
                broke = -1 if answer["broke"] is None else answer["broke"]
                self._partial.append(PartialFix(missing, price, number, candidate, broke))
        self._partial = sorted(self._partial)[:_KEPT]
        for _, waiting in self._imported:
            self._stream.tallies[waiting.location.point].exhausted = False
        return survivors
