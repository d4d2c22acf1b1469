"""Tries candidates in both lanes until enough survived, in an order and to an end that time does not decide."""

import os
import select
import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from .baseline import Baseline
from .budget import HANG, allowance, wall_limit
from .candidate import Candidate
from .forks import Answer
from .source import FUNCTIONS, Source
from .stream import Stream
from .zygote import Lane, serve_cold, serve_warm

_QUICK = 5
"""Failing tests that decide first whether a candidate is worth more."""

_BEYOND, _FAR_BEYOND = 120, 500
"""Candidates still tried after the first survivor: it turned all that its function breaks, or only some."""


@dataclass(frozen=True)
class Survivor:
    """A candidate that turned failing tests and broke none of those that its function serves. `order`: its number."""

    order: int
    price: float
    candidate: Candidate
    turned: frozenset[int]


class Laboratory:
    """Both pairs of lanes over one measured project. Use as a context manager."""

    def __init__(self, baseline: Baseline, trees: Sequence[str]) -> None:
        self.baseline = baseline
        self.warm = [Lane(serve_warm(baseline.project, tree), tree, trees[0]) for tree in trees]
        self.cold = [Lane(serve_cold(baseline.project, tree), tree, trees[0]) for tree in trees]
        self.usual: dict[int, float] = {}
        self.guards: frozenset[int] = baseline.spectrum.passing
        self.targets: frozenset[int] = baseline.spectrum.failing
        self.trusts_warm = True
        self.ordered = False
        self.notes: list[str] = []

    def __enter__(self) -> "Laboratory":
        return self

    def __exit__(self, *_: object) -> None:
        for lane in (*self.warm, *self.cold):
            lane.close()

    def calibrate(self, seconds: float) -> None:
        """Runs the unchanged project in each warm lane: learns durations, and which tests can be trusted there.

        Tests that fare otherwise than in the baseline get a second chance in the project's own order.
        """
        odd = self._odd(seconds)
        if odd and self.trusts_warm:
            self.ordered = True
            self.notes.append("the order of the tests matters here: candidates were screened in the project's order")
            odd = self._odd(seconds)
        if odd:
            names = ", ".join(self.baseline.keys[n] for n in sorted(odd)[:3])
            self.notes.append(f"{len(odd)} tests depend on chance and did not screen candidates: {names}")
        self.guards -= odd
        self.targets -= odd if self.targets - odd else frozenset()

    def _odd(self, seconds: float) -> set[int]:
        """Tests whose status in a warm lane is not the baseline's."""
        spectrum = self.baseline.spectrum
        before = {n: outcome.seconds for n, outcome in enumerate(spectrum.outcomes)}
        job = self._job(0, sorted(spectrum.failing), sorted(spectrum.passing), before, census=True)
        job["wall"] = seconds
        for lane in self.warm:
            lane.submit(job)
        censuses = [(answer or {}).get("census") for answer in [lane.answer() for lane in self.warm]]
        if not all(censuses):
            self.trusts_warm = False
            self.usual = before
            self.notes.append("the warm session did not reproduce the baseline: every candidate got a fresh import")
            return set()
        odd: set[int] = set()
        for number, status, took in [entry for census in censuses if census for entry in census]:
            self.usual[number] = max(took, self.usual.get(number, 0.0))
            if status != spectrum.outcomes[number].status:
                odd.add(number)
        return odd

    def job_for(self, number: int, candidate: Candidate, cold: bool) -> Answer:
        """The tests that matter for the candidate's function, and the code to swap or the text to import."""
        location = candidate.location
        targets = sorted(location.failing & self.targets, key=lambda n: (self._hangs(n), self.usual.get(n, 0.0), n))
        job = self._job(number, self._varied(targets), sorted(location.passing & self.guards), self.usual)
        job["file"] = location.file
        if cold:
            job["text"] = candidate.text
            job["wall"] += 3.0 + 2 * HANG
        else:
            job["swaps"] = [(name, line, code) for (name, line), code in candidate.swaps]
        return job

    def answer(self, descriptor: int) -> Answer:
        """The next answer from the lane that answers there."""
        lane = next(one for one in (*self.warm, *self.cold) if one.answers == descriptor)
        answer = lane.answer()
        if answer is None:
            raise RuntimeError("a process that waits for candidates died")
        return answer

    def goes_cold(self, candidate: Candidate) -> bool:
        """Whether the change shows only in a fresh import: outside functions, or in one that ran during the import."""
        if not self.trusts_warm or not candidate.swaps:
            return True
        source, statement = candidate.location.source, candidate.location.statement
        around = [node for node in (statement, *source.ancestors(statement)) if isinstance(node, FUNCTIONS)]
        return any(_ran_in(source, node.body[0].lineno, node.end_lineno or 0, self.baseline) for node in around)

    def _job(
        self, number: int, targets: list[int], guards: list[int], usual: dict[int, float], census: bool = False
    ) -> Answer:
        plain = [usual.get(n, 0.0) for n in guards]
        typical = median(plain) if plain else 0.01
        took = {n: typical if self._hangs(n) and not census else usual.get(n, 0.0) for n in (*targets, *guards)}
        limits = {n: allowance(took[n]) for n in took}
        if census:
            limits = {n: HANG if self._hangs(n) else 2 * HANG + limits[n] for n in took}
        return {
            "id": number,
            "targets": [(n, limits[n]) for n in targets],
            "guards": [(n, limits[n]) for n in guards],
            "quick": min(_QUICK, len(targets)),
            "census": census,
            "ordered": self.ordered,
            "swaps": [],
            "file": "",
            "wall": wall_limit(list(took.values())),
        }

    def _hangs(self, number: int) -> bool:
        return self.baseline.spectrum.outcomes[number].error == "TimeUp"

    def _varied(self, targets: list[int]) -> list[int]:
        """Failures of different kinds first, so that the quick ones speak for all."""
        outcomes = self.baseline.spectrum.outcomes
        seen: dict[tuple[object, ...], int] = {}
        rounds: list[tuple[int, int]] = []
        for place, number in enumerate(targets):
            kind = (outcomes[number].error, *outcomes[number].frames[-1:], self.baseline.keys[number].split("[")[0])
            seen[kind] = seen.get(kind, -1) + 1
            rounds.append((seen[kind], place))
        return [targets[place] for _, place in sorted(rounds)]


class Search:
    """One walk along the stream; `go` may be called again when what it found did not hold."""

    def __init__(self, laboratory: Laboratory, stream: Stream, most: int, deadline: float) -> None:
        self._laboratory = laboratory
        self._stream = stream
        self._source = iter(stream)
        self._most = most
        self._last = most
        self._deadline = deadline
        self._number = 0
        self._busy: dict[int, tuple[int, int, float, Candidate]] = {}
        self.survivors: list[Survivor] = []
        self.tried = 0
        self.cold = 0
        self.seconds = 0.0

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
        self._last, self.survivors = self._most, []
        idle = list(range(len(self._laboratory.warm)))
        while True:
            while idle and self._draws():
                drawn = next(self._source, None)
                if drawn is None:
                    self._most = self._last = self._number
                    break
                self._number += 1
                self._submit(idle.pop(), self._number, *drawn)
            if not self._busy:
                break
            ready, _, _ = select.select(list(self._busy), [], [])
            idle += [pair for pair in map(self._settle, ready) if pair is not None]
        self.seconds += time.monotonic() - started
        return ranked(self.survivors)

    def _draws(self) -> bool:
        return self._number < self._last and time.monotonic() < self._deadline

    def _submit(self, pair: int, number: int, price: float, candidate: Candidate, cold: bool = False) -> None:
        laboratory = self._laboratory
        cold = cold or laboratory.goes_cold(candidate)
        lane = (laboratory.cold if cold else laboratory.warm)[pair]
        lane.submit(laboratory.job_for(number, candidate, cold))
        self.cold += cold
        self._busy[lane.answers] = (pair, number, price, candidate)

    def _settle(self, descriptor: int) -> int | None:
        """Takes one answer in and frees its pair of lanes, unless the candidate has to go the slower way."""
        pair, number, price, candidate = self._busy.pop(descriptor)
        answer = self._laboratory.answer(descriptor)
        if answer.get("stale"):
            self._submit(pair, number, price, candidate, cold=True)
            return None
        self._count(number, price, candidate, answer)
        return pair

    def _count(self, number: int, price: float, candidate: Candidate, answer: Answer) -> None:
        tally = self._stream.tallies[candidate.location.point]
        tally.tried += 1
        tally.kinds[candidate.family] = tally.kinds.get(candidate.family, 0) + 1
        self.tried += 1
        turned = frozenset(answer["turned"])
        tally.turned += bool(turned)
        if turned and answer["broke"] is None and number <= self._last:
            tally.survived += 1
            whole = turned >= candidate.location.failing & self._laboratory.targets
            self._last = min(self._last, number + (_BEYOND if whole else _FAR_BEYOND))
            found = [*self.survivors, Survivor(number, price, candidate, turned)]
            self.survivors = [one for one in found if one.order <= self._last]


def ranked(survivors: Sequence[Survivor]) -> list[Survivor]:
    """Best first: more tests turned, then the cheaper and the smaller change."""

    def merit(one: Survivor) -> tuple[Any, ...]:  # Any: a mixed sort key
        edit = one.candidate.edit
        return -len(one.turned), round(one.price, 3), abs(len(edit.text) - (edit.end - edit.start)), one.order

    return sorted(survivors, key=merit)


def _ran_in(source: Source, first: int, last: int, baseline: Baseline) -> bool:
    return any((source.path, line) in baseline.imported for line in range(first, last + 1))


def cores() -> int:
    """Lanes worth having: more than two share too little."""
    return min(2, len(os.sched_getaffinity(0)))
