"""Two pairs of waiting processes over one measured project: which tests a candidate gets, and which way it goes."""

import ast
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from statistics import median

from .baseline import Baseline
from .budget import HANG, compute_allowance, compute_wait, wall_limit
from .candidate import Candidate, read_while_imported
from .fork_server import ForkServer, serve_cold, serve_warm
from .forks import Answer
from .localize import SuspectLocation
from .source import FUNCTIONS
from .type_inference import Kinds

Outcome = tuple[int, str]
"""A digest of what came of a call, and the beginning of its words."""

_RAISES = ("raises", "does not end")
"""How the words begin of outcomes that people would not ask for."""


@dataclass(frozen=True)
class BehaviourTable:
    """`outcomes`: of each edit what comes of the `calls`, the first edit's first; None where it was not compared.

    Of a single call None: nothing is known of it.
    """

    calls: Sequence[str]
    outcomes: Sequence[Sequence[Outcome | None] | None]

    @cached_property
    def compared(self) -> tuple[int, ...]:
        """Places of those that were compared with the first one."""
        known = self.inputs
        return tuple(n for n, told in enumerate(self.outcomes) if n and told is not None and known)

    @cached_property
    def inputs(self) -> int:
        """Calls whose outcome is known under the first one."""
        first = self.outcomes[0] if self.outcomes else None
        return sum(one is not None for one in first or ())

    @cached_property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Places of those that behave alike, together: first what behaves as the first one does, with itself."""
        found: list[list[int]] = [[0]]
        for n in self.compared:
            mates = next((group for group in found if not self._differing(group[0], n)), None)
            if mates is None:
                found.append([n])
            else:
                mates.append(n)
        return tuple(map(tuple, found))

    def telling(self, places: Sequence[int]) -> tuple[int, ...]:
        """Calls by which these are told apart, each pair by one at least where there is one; as few as go.

        What ends well under both tells more than an error; among equals the smallest is taken.
        """
        chosen: list[int] = []
        for one, other in combinations(places, 2):
            differing = self._differing(one, other)
            if differing and not set(differing) & set(chosen):
                chosen.append(
                    min(differing, key=lambda call: (self._fails(one, call) + self._fails(other, call), call))
                )
        return tuple(sorted(chosen))

    def words(self, place: int, calls: Sequence[int]) -> dict[str, str]:
        """What comes of these calls under the one at that place, by call."""
        told = (self.outcomes[place] if calls else None) or ()
        return {self.calls[n]: outcome[1] for n in calls if (outcome := told[n]) is not None}

    def _differing(self, one: int, other: int) -> list[int]:
        pairs = enumerate(zip(self.outcomes[one] or (), self.outcomes[other] or (), strict=True))
        return [n for n, (a, b) in pairs if a and b and a[0] != b[0]]

    def _fails(self, place: int, call: int) -> bool:
        outcome = (self.outcomes[place] or ())[call]
        return outcome is not None and outcome[1].startswith(_RAISES)


_QUICK = 5
"""Failing tests that decide first whether a candidate is worth more."""

_MOST = 60
"""Failing tests that a candidate is screened with; whatever is screened with these is proven with all."""

_BATCH, _BATCH_SECONDS = 128, 1.0
_CHECKED = 6
_GLANCE = 0.25  # the share of its time that a test gets at first that was endless: it mostly still is
_BRIEF = 0.1  # seconds; tests that take less are all alike
_LASTING = 1  # times that this is doubled for a test that takes long
_LOOKED, _LOOKED_AT_MOST, _SLOWED = 12, 60, 3.0


def select_guards(baseline: Baseline, locations: Sequence[SuspectLocation], seconds: float) -> frozenset[int]:
    """Passing tests that run what is suspicious, as many as take `seconds`: those beside the failing ones first.

    Whatever is screened with these is proven with all.
    """
    outcomes, keys = baseline.spectrum.outcomes, baseline.keys
    beside = {keys[n].split("::")[0] for n in baseline.spectrum.failing}
    first: dict[int, int] = {}  # the most suspicious place whose outcome the test may tell
    for place, location in enumerate(locations):
        for n in (location.passing or location.concerned) & baseline.spectrum.passing:
            first.setdefault(n, place)
    near = frozenset[int]().union(*(one.concerned for one in locations)) & baseline.spectrum.passing
    chosen, left = set[int](), seconds
    for n in sorted(near, key=lambda n: (keys[n].split("::")[0] not in beside, first.get(n, len(locations)), n)):
        if outcomes[n].seconds <= left:
            chosen.add(n)
            left -= outcomes[n].seconds
    return frozenset(chosen)


class CandidateExecutor:
    """Both pairs of lanes over one measured project. Use as a context manager.

    `guards`: the passing tests that a candidate is screened with.
    """

    def __init__(self, baseline: Baseline, trees: Sequence[str], guards: frozenset[int]) -> None:
        self.baseline = baseline
        self.warm = [ForkServer(serve_warm(baseline.project, tree), tree, trees[0]) for tree in trees]
        self.cold = [ForkServer(serve_cold(baseline.project, tree), tree, trees[0]) for tree in trees]
        self.usual: dict[int, float] = {}
        self.guards = guards
        # those that candidates are screened with, where very many fail: of each kind, and the quick ones
        seconds = {n: self.baseline.spectrum.outcomes[n].seconds for n in baseline.spectrum.failing}
        quick = sorted(
            baseline.spectrum.failing, key=lambda n: (self._hangs(n), int(seconds[n] / _BRIEF).bit_length(), n)
        )
        self.targets = frozenset(self._varied(quick)[:_MOST])
        self.odd: frozenset[int] = frozenset()
        self.trusts_warm = True
        self.ordered = False
        self.notes: list[str] = []
        self._plans: dict[str, Answer] = {}

    def __enter__(self) -> "CandidateExecutor":
        return self

    def __exit__(self, *_: object) -> None:
        for lane in (*self.warm, *self.cold):
            lane.close()

    def calibrate(self, seconds: float) -> None:
        """Runs the unchanged project in each warm lane: learns durations, and which tests can be trusted there.

        Failing tests that fare otherwise than in the baseline get a second chance before all others, which is how
        candidates are screened, and then in the project's own order; passing ones are left to the proof.
        """
        odd = self._odd(seconds)
        if odd & self.targets and self.trusts_warm and not self._odd(seconds, among=frozenset()):
            odd -= self.targets
        if odd & self.targets and self.trusts_warm:
            before, few, self.ordered = odd, self.guards, True
            self.guards = self.baseline.spectrum.passing
            odd = self._odd(seconds)
            self.ordered = not before <= odd  # else it was chance
            self.guards = self.guards if self.ordered else few
        if self.ordered:
            self.notes.append("the order of the tests matters here: candidates were screened in the project's order")
        if odd:
            names = ", ".join(self.baseline.keys[n] for n in sorted(odd)[:3])
            self.notes.append(f"tests that depend on chance and did not screen candidates: {names}")
        self.odd = frozenset(odd)
        self.guards -= odd
        self.targets -= odd if self.targets - odd else frozenset()

    def _odd(self, seconds: float, among: frozenset[int] | None = None) -> set[int]:
        """Tests whose status in a warm lane is not the baseline's; endless ones are not waited for again.

        `among`: the passing tests that are run besides, instead of those that guard.
        """
        guards = self.guards if among is None else among
        spectrum = self.baseline.spectrum
        before = {n: outcome.seconds for n, outcome in enumerate(spectrum.outcomes)}
        ending = [n for n in sorted(self.targets) if not self._hangs(n)]
        job = self._job(ending, sorted(guards), before, census=True)
        job |= {"id": 0, "swaps": [], "values": [], "wall": seconds}
        for n, lane in enumerate(self.warm):  # one of them backwards: what a test finds from those before it shows
            jobs = [{**job, "backwards": bool(guards) and n == len(self.warm) - 1}]
            lane.submit({"jobs": jobs, "checks": [], "until": time.monotonic() + seconds})
        censuses = [answers[0].get("census") if answers else None for answers in [lane.answer() for lane in self.warm]]
        if None in censuses:
            self.trusts_warm = False
            self.usual = before
            self.notes.append("the warm session did not reproduce the baseline: every candidate got a fresh import")
            return set()
        counted = [{entry[0] for entry in census} for census in censuses if census is not None]
        odd = set[int]((guards | set(ending)) - set[int].intersection(*counted))
        for number, status, error, took in [entry for census in censuses if census for entry in census]:
            self.usual[number] = max(took, self.usual.get(number, 0.0))
            if (status, error) != (spectrum.outcomes[number].status, spectrum.outcomes[number].error):
                odd.add(number)  # a test that fails for another reason than it did is not the one to mend
        return odd

    def kinds(self, root: str, seconds: float) -> dict[tuple[str, str], Kinds]:
        """The kinds of values that functions work on, seen in failing tests and in quick ones beside them."""
        if not self.trusts_warm:
            return {}
        tests = [
            *self._varied(sorted(self.targets))[:_LOOKED],
            *sorted(self.guards, key=self._slowness),
        ]
        look = [
            (n, _SLOWED * compute_allowance(self.usual.get(n, 0.0)))
            for n in tests[:_LOOKED_AT_MOST]
            if not self._hangs(n)
        ]
        self.warm[0].submit({"jobs": [], "look": look, "root": root, "until": time.monotonic() + seconds})
        (answer,) = self.warm[0].answer() or [{"seen": []}]
        return {(file, name): {one: set(k) for one, k in kinds.items()} for file, name, kinds in answer["seen"]}

    def compare(self, candidates: Sequence[Candidate], seconds: float) -> BehaviourTable:
        """What comes of the same calls under the first and under each of the others, as far as there is time."""
        able = [n for n, one in enumerate(candidates) if one.swaps and not self.goes_cold(one)]
        if 0 not in able or not self.trusts_warm:
            return BehaviourTable([], [None] * len(candidates))
        versions = [self._job_for(0, candidates[n], cold=False, patient=True) for n in able]
        tests = [*versions[0]["targets"], *versions[0]["guards"]]
        ending = [(number, limit) for number, limit in tests if not self._hangs(number)]
        tests = [(number, _SLOWED * limit) for number, limit in ending[:_LOOKED_AT_MOST]]
        self.warm[0].submit({"jobs": [], "versions": versions, "tests": tests, "until": time.monotonic() + seconds})
        (answer,) = self.warm[0].answer() or [{"calls": [], "outcomes": []}]
        told = dict(zip(able, answer["outcomes"], strict=False))
        return BehaviourTable(answer["calls"], [told.get(n) for n in range(len(candidates))])

    def submit(self, pair: int, batch: Sequence[tuple[int, Candidate]], cold: bool, until: float, patient: bool) -> int:
        """Hands numbered candidates to one lane of a pair; the descriptor that its answers come from.

        `patient`: tests that were endless get as much time as others.
        """
        lane = (self.cold if cold else self.warm)[pair]
        jobs = [self._job_for(number, candidate, cold, patient) for number, candidate in batch]
        lane.submit({"jobs": jobs, "checks": self._checks, "until": until})
        return lane.answers

    def submit_mutant(self, pair: int, candidate: Candidate, tests: frozenset[int], *, cold: bool, until: float) -> int:
        """Hands one to a lane, with passing tests that run until one fails: in the project's order, and patiently.

        With a fresh import it also stands in its file, for processes that the tests start.
        """
        usual = {n: self.usual.get(n, 0.0) for n in tests}
        job = {
            **self._job([], sorted(tests), usual),
            "id": 0,
            "file": candidate.location.file,
            "ordered": True,
            "guards": [(n, max(HANG, compute_allowance(took))) for n, took in sorted(usual.items())],
            **({"text": candidate.text, "written": True} if cold else _loaded(candidate)),
        }
        job["wall"] += 2 * compute_wait(HANG) + (3.0 + 2 * HANG if cold else 0.0)
        lane = (self.cold if cold else self.warm)[pair]
        lane.submit({"jobs": [job], "checks": [], "until": until})
        return lane.answers

    def answers(self, descriptor: int) -> list[Answer]:
        """The next answers from the lane that answers there."""
        lane = next(one for one in (*self.warm, *self.cold) if one.answers == descriptor)
        told = lane.answer()
        if told is None:
            raise RuntimeError("a process that waits for candidates died")
        return told

    @cached_property
    def batch(self) -> int:
        """How many candidates go together, so that one batch takes not much more than a second."""
        first = sorted(self.usual.get(n, 0.0) for n in self.targets - self._slow if not self._hangs(n))[:_QUICK]
        return 1 if self.ordered else max(1, min(_BATCH, int(_BATCH_SECONDS / (sum(first) + 0.001))))

    @cached_property
    def _slow(self) -> frozenset[int]:
        """Failing tests that come last: a quick one of the same file speaks for them at first."""
        lasting = frozenset(n for n in self.targets if self._slowness(n)[0] > _LASTING and not self._hangs(n))
        files = {self.baseline.keys[n].split("::")[0] for n in self.targets - lasting if not self._hangs(n)}
        return frozenset(n for n in lasting if self.baseline.keys[n].split("::")[0] in files)

    @cached_property
    def _read_at_import(self) -> Mapping[str, Sequence[ast.stmt]]:
        return read_while_imported(self.baseline.sources, self.baseline.imported)

    @cached_property
    def _checks(self) -> list[tuple[int, float, str]]:
        """Quick tests that must pass again after a batch, those beside the failing ones first."""
        beside = {self.baseline.keys[n].split("::")[0] for n in self.targets}
        near = [(self.baseline.keys[n].split("::")[0] not in beside, self.usual.get(n, 0.0), n) for n in self.guards]
        return [(n, compute_allowance(self.usual.get(n, 0.0)), "passed") for _, _, n in sorted(near)[:_CHECKED]]

    def _job_for(self, number: int, candidate: Candidate, cold: bool, patient: bool) -> Answer:
        """The tests that matter for the candidate's function, and the code to swap or the text to import."""
        plan = self._plan(candidate.location)
        targets = [(n, self._limit(n, limit, patient)) for n, limit in plan["targets"]]
        more = sum(limit for _, limit in targets) if patient else 0.0
        plan = {**plan, "targets": targets, "wall": plan["wall"] + more}
        if cold:
            return {**plan, "id": number, "text": candidate.text, "wall": plan["wall"] + 3.0 + 2 * HANG}
        return {**plan, "id": number, **_loaded(candidate)}

    def _plan(self, location: SuspectLocation) -> Answer:
        if location.point not in self._plans:
            # A test that depends on its forerunners needs them all, also those that do not run the edited function.
            failing = self.targets if self.ordered else location.concerned & self.targets
            passing = self.guards if self.ordered else location.concerned & self.guards
            targets = self._varied(sorted(failing, key=lambda n: (self._hangs(n), *self._slowness(n))))
            first = [n for n in targets if n not in self._slow] or targets
            last = [n for n in targets if n not in first]
            plan = self._job([*first, *last], sorted(passing, key=self._slowness), self.usual)
            plan["quick"] = min(_QUICK, len(first))
            self._plans[location.point] = {**plan, "file": location.file}
        return self._plans[location.point]

    def goes_cold(self, candidate: Candidate) -> bool:
        """Whether only a fresh import shows the change: it is more than a value, or the import ran or read it."""
        if not self.trusts_warm or not (candidate.swaps or candidate.values):
            return True
        source, statement = candidate.location.source, candidate.location.statement
        names = [name for _, name, _, _ in candidate.values if name]
        if any(one is not statement for name in names for one in self._read_at_import.get(name, ())):
            return True
        around = [node for node in (statement, *source.ancestors(statement)) if isinstance(node, FUNCTIONS)]
        bodies = [range(node.body[0].lineno, (node.end_lineno or 0) + 1) for node in around]
        return any((source.path, line) in self.baseline.imported for body in bodies for line in body)

    def _job(self, targets: list[int], guards: list[int], usual: dict[int, float], census: bool = False) -> Answer:
        plain = [usual.get(n, 0.0) for n in guards]
        typical = median(plain) if plain else 0.002
        took = {n: typical if self._hangs(n) and not census else usual.get(n, 0.0) for n in (*targets, *guards)}
        limits = {n: compute_allowance(took[n]) for n in took}
        if census:
            limits = {n: 2 * HANG + limits[n] for n in took}
        return {
            "targets": [(n, limits[n]) for n in targets],
            "guards": [(n, limits[n]) for n in guards],
            "quick": min(_QUICK, len(targets)),
            "census": census,
            "endless": [n for n in targets if self._hangs(n)],
            "ordered": self.ordered,
            "wall": wall_limit(list(took.values())),
        }

    def _limit(self, number: int, limit: float, patient: bool) -> float:
        """What a failing test gets: it may have failed at once, and a right result may take longer."""
        if self._hangs(number):
            return limit if patient else limit * _GLANCE
        return max(limit, HANG) if patient else limit

    def _slowness(self, number: int) -> tuple[int, int]:
        """Orders tests by time, and so coarsely that the next search finds the same order."""
        return int(self.usual.get(number, 0.0) / _BRIEF).bit_length(), number

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


def _loaded(candidate: Candidate) -> Answer:
    """What is exchanged in the loaded program."""
    return {"swaps": [(name, line, code) for (name, line), code in candidate.swaps], "values": list(candidate.values)}
