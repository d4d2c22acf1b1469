"""Two pairs of waiting processes over one measured project: which tests a candidate gets, and which way it goes."""

from collections.abc import Sequence
from statistics import median

from .baseline import Baseline
from .budget import HANG, allowance, wall_limit
from .candidate import Candidate
from .forks import Answer
from .source import FUNCTIONS, Source
from .zygote import Lane, serve_cold, serve_warm

_QUICK = 5
"""Failing tests that decide first whether a candidate is worth more."""


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
            self.notes.append(f"tests that depend on chance and did not screen candidates: {names}")
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
        # A test that depends on its forerunners needs them all, also those that do not run the edited function.
        failing = self.targets if self.ordered else location.concerned & self.targets
        passing = self.guards if self.ordered else location.concerned & self.guards
        targets = sorted(failing, key=lambda n: (self._hangs(n), self.usual.get(n, 0.0), n))
        job = self._job(number, self._varied(targets), sorted(passing), self.usual)
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


def _ran_in(source: Source, first: int, last: int, baseline: Baseline) -> bool:
    return any((source.path, line) in baseline.imported for line in range(first, last + 1))
