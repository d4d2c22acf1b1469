"""The proof of a run: its new and changed tests on the product as it was and as it is, in copies laid out alike."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Generic

from loopwright.domain.engine_state import Baseline
from loopwright.domain.loop import TestStatus
from loopwright.domain.proof import Proof, ProofEvidence, ProofGoal, held_to, proof_of
from loopwright.domain.run import R
from loopwright.domain.testing import CODE, TestRun
from loopwright.domain.verdict import Comparison, file_of, repaired
from loopwright.domain.words import plural
from loopwright.engine.ground import TestedGround
from loopwright.engine.mutating import NOTHING_REACHED, Reached, with_mutants
from loopwright.engine.overlay import Overlay, read_versions, run_overlay, split_material
from loopwright.engine.threads import in_thread
from loopwright.ports import FileChange, Snapshot

NOTES_KEPT = 20


@dataclass(frozen=True)
class Changed:
    """What differs between the first checkpoint and the tree that was validated.

    `tests` and `product`: files. `lines`: changed lines of Python files, none for others, as TestOrder.changed takes
    them. `substantial`: files of the product that differ in more than comments and layout; `rewritten`: test files that
    differ in more than names and imports.
    """

    tests: tuple[FileChange, ...]
    product: tuple[FileChange, ...]
    lines: Mapping[str, tuple[int, ...]]
    substantial: tuple[str, ...]
    rewritten: tuple[str, ...]


async def prove(
    ground: TestedGround[R], run: TestRun, here: Snapshot, tree: str, comparison: Comparison, command: str
) -> Proof:
    """What shows that the goal is reached in the tree that `run` has validated. Computed once for a tree and goal."""
    goal = ground.proof_goal()
    if (tree, goal) not in ground.proofs:
        evidence, reached = await _evidence(ground, goal, run, here, comparison, command)
        proof = await with_mutants(ground, proof_of(goal, evidence, tree), reached, command)
        settings = ground.state().engine.settings
        ground.proofs[tree, goal] = held_to(
            proof, min_mutation_score=settings.min_mutation_score, min_diff_coverage=settings.min_diff_coverage
        )
    return ground.proofs[tree, goal]


async def _evidence(
    ground: TestedGround[R], goal: ProofGoal, run: TestRun, here: Snapshot, comparison: Comparison, command: str
) -> tuple[ProofEvidence, Reached]:
    engine = ground.state().engine
    baseline = engine.baseline or Baseline(tree="", at=ground.now())
    start = ground.start()
    if start is None:
        return ProofEvidence(product=(), changed=()), NOTHING_REACHED
    changed = await in_thread(_changed, ground, start, here.commit, run)
    evidence = ProofEvidence(
        product=changed.substantial,
        changed=tuple(change.file for change in (*changed.product, *changed.tests)),
        failed_first=tuple(key for key, test in baseline.tests.items() if test.status == "failed"),
        mended=repaired(baseline, run),
        rewritten=changed.rewritten,
        tests_allowed=ground.may_change_tests(),
        tests_green=run.passed_count,
        pass_to_pass_count=_passed_twice(baseline, run),
    )
    if goal.kinds & {"change", "mend"} and changed.substantial:
        trial = Trial(ground, start, here, changed, command)
        return await trial.evidence(run, baseline, comparison, evidence, goal)
    return evidence, NOTHING_REACHED


def _passed_twice(baseline: Baseline, run: TestRun) -> int:
    """Tests that passed at the start and pass now."""
    before = {key for key, test in baseline.tests.items() if test.status == "passed"}
    return sum(result.status == "passed" and result.key in before for result in run.results)


@dataclass(frozen=True)
class Trial(Generic[R]):
    """Both products under the present tests."""

    ground: TestedGround[R]
    start: str
    here: Snapshot
    changed: Changed
    command: str

    async def evidence(
        self, run: TestRun, baseline: Baseline, comparison: Comparison, known: ProofEvidence, goal: ProofGoal
    ) -> tuple[ProofEvidence, Reached]:
        """With what the trial has shown, and what the tests reach.

        Three runs: without the change, with it, and without it again. A test that depends on
        the clock, on the place or on chance does not fail, pass and fail in that order.
        """
        candidates = _candidates(run, baseline, comparison) if "change" in goal.kinds else ()
        failing: tuple[str, ...] = ()
        if candidates:
            self._say(f"running {plural(len(candidates), 'new or changed test')} on the product as it was, in a copy")
            first = await self._without_change(candidates)
            failing = tuple(key for key in candidates if _fails(key, first, baseline))
        # What mended tests reach is only told; so they are run once more where that can be measured.
        is_traced = self.ground.tests.interpreter(self.command) is not None
        traced = tuple(dict.fromkeys((*failing, *(known.mended if is_traced else ()))))
        if not traced:
            return replace(known, notes=_notes(candidates, (), {})), NOTHING_REACHED
        self._say(f"running {plural(len(traced), 'test')} on the product as it is, in a copy")
        present = await run_overlay(
            self.ground, Overlay(self.here.commit, self.here.commit), self.command,
            only=traced, changed=self.changed.lines,
        )  # fmt: skip
        reasons = {key: why for key in failing if (why := self._doubt(key, present))}
        kept = tuple(key for key in failing if key not in reasons)
        if kept:
            self._say(f"running {plural(len(kept), 'test')} without the change once more, to rule out chance")
            again = await self._without_change(kept)
            reasons |= {
                key: "fails without the change by chance only" for key in kept if not _fails(key, again, baseline)
            }
        shown = tuple(key for key in kept if key not in reasons)
        covered = _coverage(present, (*shown, *known.mended))
        lines = {file: lines for file, lines in self.changed.lines.items() if lines}
        reached = Reached(lines, {key: reach.lines for key, reach in (present.reach or {}).items()})
        return replace(known, notes=_notes(candidates, shown, reasons), shown=shown, diff_coverage=covered), reached

    def _say(self, words: str) -> None:
        self.ground.bus.publish("activity", words)

    async def _without_change(self, tests: Sequence[str]) -> TestRun:
        """The product of the first checkpoint with the present tests laid over it."""
        files = tuple(change.file for change in self.changed.tests)
        gone = frozenset(change.file for change in self.changed.tests if change.action == "delete")
        overlay = Overlay(self.start, self.here.commit, files, gone)
        return await run_overlay(self.ground, overlay, self.command, only=tests)

    def _doubt(self, key: str, present: TestRun) -> str | None:
        """Why a test that fails without the change shows nothing all the same."""
        if _statuses(present).get(key) != "passed":
            return "does not pass in a copy of the project"
        if present.reach is None or self._is_unmeasured():
            return None
        reach = present.reach.get(key)
        return None if reach is not None and reach.found else "runs no changed code of the product"

    def _is_unmeasured(self) -> bool:
        """Code in languages whose lines are not traced."""
        return any(CODE.fullmatch(file) and not file.endswith((".py", *SETTINGS)) for file in self.changed.lines)


SETTINGS = (".toml", ".ini", ".cfg")
"""Files that CODE counts as code, and that programs read like data."""


def _changed(ground: TestedGround[R], start: str, now: str, run: TestRun) -> Changed:
    collected = frozenset(file for result in run.results if (file := _test_file(result.key)))
    tests, product = split_material(ground, start, now, collected)
    versions = read_versions(ground, start, now, [change.file for change in product])
    differing = {file: pair for file, pair in versions.items() if ground.tests.difference(file, *pair) != "none"}
    edited = read_versions(ground, start, now, [change.file for change in tests if change.action == "modify"])
    return Changed(
        tests=tests,
        product=product,
        lines={
            file: changed_lines(before, after) if file.endswith(".py") else ()
            for file, (before, after) in differing.items()
            if after is not None
        },
        substantial=tuple(differing),
        rewritten=tuple(file for file, pair in edited.items() if ground.tests.difference(file, *pair) == "more"),
    )


def _test_file(key: str) -> str | None:
    """The file that a test is collected from, whatever it is called; none for doctests, which stand in the product."""
    file = file_of(key)
    is_doctest = file is not None and file.endswith(".py") and "." in key.rpartition("::")[2].partition("[")[0]
    return None if is_doctest else file


def changed_lines(before: bytes | None, after: bytes) -> tuple[int, ...]:
    """Lines of `after` that are new or different, from 1, and those beside a line that is gone."""
    old, new = (before or b"").splitlines(), after.splitlines()
    found: set[int] = set()
    for tag, _, _, first, end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "delete":
            found |= {first, first + 1}
        elif tag != "equal":
            found |= set(range(first + 1, end + 1))
    return tuple(sorted(line for line in found if 1 <= line <= len(new)))


def _candidates(run: TestRun, baseline: Baseline, comparison: Comparison) -> tuple[str, ...]:
    """Tests that pass now, and are new or not what they were."""
    changed = frozenset(comparison.changed)
    passing = (result.key for result in run.results if result.status == "passed")
    return tuple(key for key in passing if key not in baseline.tests or key in changed)


def _fails(key: str, run: TestRun, baseline: Baseline) -> bool:
    """Whether it fails there. A new test that cannot be loaded there fails; for an old one that says nothing."""
    status = _statuses(run).get(key)
    return status == "failed" if status is not None else key not in baseline.tests


def _statuses(run: TestRun) -> dict[str, TestStatus]:
    return {result.key: result.status for result in run.results}


def _coverage(run: TestRun, tests: Collection[str]) -> float | None:
    """Percent of the changed lines of functions that these tests run."""
    if run.reach is None or not run.executable:
        return None
    ran = {line for test in tests if test in run.reach for line in run.reach[test].lines}
    return round(100 * len(ran.intersection(run.executable)) / len(run.executable), 1)


def _notes(candidates: Sequence[str], shown: Collection[str], reasons: Mapping[str, str]) -> tuple[str, ...]:
    notes = [f"{key} {reasons.get(key, 'passes without the change, too')}" for key in candidates if key not in shown]
    more = len(notes) - NOTES_KEPT
    return (*notes[:NOTES_KEPT], *([f"and {plural(more, 'other test')}"] if more > 0 else ()))
