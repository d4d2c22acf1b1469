"""The proof of a run: its new and changed tests on the product as it was and as it is, in copies laid out alike."""

import tempfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path
from typing import Generic, NamedTuple

from loopwright.core.context import MeasuredRunContext
from loopwright.core.errors import Invalid
from loopwright.core.ports import FileChange, Snapshot
from loopwright.core.run import R
from loopwright.core.state import Baseline
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.proof import (
    BY_TESTS,
    Mutation,
    MutationOrder,
    Proof,
    ProofEvidence,
    ProofGoal,
    apply_thresholds,
    proof_of,
)
from loopwright.evidence.test_material import is_mixed, is_test_material, settings_of
from loopwright.evidence.testing import CODE, TestRun, TestStatus
from loopwright.evidence.verdict import Comparison, MaterialDoubt, compare_runs, list_repaired, test_file_of


class ReachedLines(NamedTuple):
    """`lines`: changed ones of the product's Python files; `tests`: by key, which of them each runs (`file:line`)."""

    lines: Mapping[str, tuple[int, ...]]
    tests: Mapping[str, tuple[str, ...]]


NOTHING_REACHED = ReachedLines({}, {})


async def add_mutants(ground: MeasuredRunContext[R], proof: Proof, reached: ReachedLines, command: str) -> Proof:
    """The proof with its mutants, where tests show the goal and their project can be mutated."""
    tests, debugger = proof.fail_to_pass, ground.project_debugger()
    if not (proof.shown and tests and proof.kind in BY_TESTS and reached.lines and debugger.supports(command)):
        return proof
    python = ground.tests.interpreter(command)
    if python is None:
        return proof
    _say(ground, f"trying mutants of the changed lines under {plural(len(tests), 'test')}, in copies")
    order = MutationOrder(
        project=str(ground.workspace.root),
        python=python,
        test_command=command,
        tests=tests,
        lines=dict(reached.lines),
        reached={key: reached.tests[key] for key in tests if key in reached.tests},
    )
    try:
        mutation = await debugger.mutate(order, lambda words: _say(ground, words))
    except Invalid as error:
        mutation = Mutation(trouble=str(error))
    _say(ground, mutation.mutants.words if mutation.mutants else f"mutants could not be tried: {mutation.trouble}")
    return proof.evolve(mutants=mutation.mutants, unmeasured=mutation.trouble or None)


def _say(ground: MeasuredRunContext[R], words: str) -> None:
    ground.bus.publish("activity", words)


class Overlay(NamedTuple):
    """The files of the commit `product`, but for the `tests`: those are as `source` has them. Project-relative."""

    product: str
    source: str
    tests: tuple[str, ...] = ()
    absent: frozenset[str] = frozenset()
    """Those of the tests that `source` does not have."""


async def run_overlay(
    ground: MeasuredRunContext[R],
    overlay: Overlay,
    command: str,
    *,
    only: Sequence[str] = (),
    changed: Mapping[str, tuple[int, ...]] | None = None,
) -> TestRun:
    """One run of the tests there; see TestOrder for `only` and `changed`."""
    workspace, order = ground.workspace, ground.test_order(command)
    order = replace(order, only=tuple(only), changed=changed or {})
    with tempfile.TemporaryDirectory(prefix="loopwright-copy-", ignore_cleanup_errors=True) as name:
        room = Path(name).resolve()
        here = await run_in_thread(workspace.tree)
        layer = await run_in_thread(
            workspace.layer, overlay.product, room / "layer", source=overlay.source, paths=overlay.tests
        )
        run = await ground.tests.run_layered(order, layer) if layer is not None else None
        if run is not None and await run_in_thread(workspace.tree) == here:  # else nobody knows what lay below
            return run
        copy = room / workspace.root.name
        await run_in_thread(_lay_out, ground, overlay, copy)
        return await ground.tests.run(replace(order, command=command.replace(str(workspace.root), str(copy)), at=copy))


def _lay_out(ground: MeasuredRunContext[R], overlay: Overlay, copy: Path) -> None:
    ground.workspace.export(overlay.product, copy, without=overlay.tests)
    ground.workspace.export(overlay.source, copy, paths=[file for file in overlay.tests if file not in overlay.absent])
    ground.workspace.bring_ignored(copy)


def split_material(
    ground: MeasuredRunContext[R], first: str, now: str, collected: frozenset[str] = frozenset()
) -> tuple[tuple[FileChange, ...], tuple[FileChange, ...]]:
    """What differs between two snapshots: test material, and the product. Without what test runs left behind.

    `collected`: files that hold tests, whatever they are called.
    """
    engine = ground.state().engine
    written = frozenset(engine.run_writes)
    collected |= frozenset(engine.baseline.material if engine.baseline else ())
    changes = [change for change in ground.workspace.changes(first, now) if change.file not in written]
    # a mixed file counts where it says something else about the tests than it did
    texts = read_versions(ground, first, now, [c.file for c in changes if is_mixed(c.file)])
    mixed = {file for file, (before, after) in texts.items() if _settings(file, before) != _settings(file, after)}
    names = {c.file for c in changes if is_test_material(c.file) or c.file in mixed or c.file in collected}
    tests = tuple(change for change in changes if change.file in names)
    return tests, tuple(change for change in changes if change.file not in names)


def _settings(file: str, data: bytes | None) -> object:
    return settings_of(file, data.decode("utf-8", "replace")) if data is not None else None


def read_versions(
    ground: MeasuredRunContext[R], first: str, now: str, files: Sequence[str]
) -> dict[str, tuple[bytes | None, bytes | None]]:
    """Both contents of each file; None where a snapshot does not hold it."""
    if not files:
        return {}
    with tempfile.TemporaryDirectory(prefix="loopwright-versions-") as name:
        before, after = Path(name, "before"), Path(name, "after")
        ground.workspace.export(first, before, paths=files)
        ground.workspace.export(now, after, paths=files)
        return {file: (_read(before / file), _read(after / file)) for file in files}


def _read(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


NOTES_KEPT = 20


@dataclass(frozen=True)
class ProductChange:
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


async def prove_goal(
    ground: MeasuredRunContext[R], run: TestRun, here: Snapshot, tree: str, comparison: Comparison, command: str
) -> Proof:
    """What shows that the goal is reached in the tree that `run` has validated. Computed once for a tree and goal."""
    goal = ground.proof_goal()
    if (tree, goal) not in ground.proofs:
        evidence, reached = await _evidence(ground, goal, run, here, comparison, command)
        proof = await add_mutants(ground, proof_of(goal, evidence, tree), reached, command)
        settings = ground.state().engine.settings
        ground.proofs[tree, goal] = apply_thresholds(
            proof, min_mutation_score=settings.min_mutation_score, min_diff_coverage=settings.min_diff_coverage
        )
    return ground.proofs[tree, goal]


async def _evidence(
    ground: MeasuredRunContext[R], goal: ProofGoal, run: TestRun, here: Snapshot, comparison: Comparison, command: str
) -> tuple[ProofEvidence, ReachedLines]:
    engine = ground.state().engine
    baseline = engine.baseline or Baseline(tree="", at=ground.now())
    start = ground.start()
    if start is None:
        return ProofEvidence(product=(), changed=()), NOTHING_REACHED
    changed = await run_in_thread(_changed, ground, start, here.commit, run)
    # tests that passed at the start and pass now
    before = {key for key, test in baseline.tests.items() if test.status == "passed"}
    evidence = ProofEvidence(
        product=changed.substantial,
        changed=tuple(change.file for change in (*changed.product, *changed.tests)),
        failed_first=tuple(key for key, test in baseline.tests.items() if test.status == "failed"),
        mended=list_repaired(baseline, run),
        rewritten=changed.rewritten,
        tests_allowed=ground.may_change_tests(),
        tests_green=run.passed_count,
        pass_to_pass_count=sum(result.status == "passed" and result.key in before for result in run.results),
    )
    if goal.kinds & {"change", "mend"} and changed.substantial:
        trial = ProofTrial(ground, start, here, changed, command)
        return await trial.evidence(run, baseline, comparison, evidence, goal)
    return evidence, NOTHING_REACHED


@dataclass(frozen=True)
class ProofTrial(Generic[R]):
    """Both products under the present tests."""

    ground: MeasuredRunContext[R]
    start: str
    here: Snapshot
    changed: ProductChange
    command: str

    async def evidence(
        self, run: TestRun, baseline: Baseline, comparison: Comparison, known: ProofEvidence, goal: ProofGoal
    ) -> tuple[ProofEvidence, ReachedLines]:
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
            self.ground,
            Overlay(self.here.commit, self.here.commit),
            self.command,
            only=traced,
            changed=self.changed.lines,
        )
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
        reached = ReachedLines(lines, {key: reach.lines for key, reach in (present.reach or {}).items()})
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
        traced = (".py", *SETTINGS)  # the lines of code in other languages are not
        if present.reach is None or any(CODE.fullmatch(one) and not one.endswith(traced) for one in self.changed.lines):
            return None
        reach = present.reach.get(key)
        return None if reach is not None and reach.found else "runs no changed code of the product"


SETTINGS = (".toml", ".ini", ".cfg")
"""Files that CODE counts as code, and that programs read like data."""


def _changed(ground: MeasuredRunContext[R], start: str, now: str, run: TestRun) -> ProductChange:
    collected = frozenset(file for result in run.results if (file := test_file_of(result.key)))
    tests, product = split_material(ground, start, now, collected)
    versions = read_versions(ground, start, now, [change.file for change in product])
    differing = {file: pair for file, pair in versions.items() if ground.tests.difference(file, *pair) != "none"}
    edited = read_versions(ground, start, now, [change.file for change in tests if change.action == "modify"])
    return ProductChange(
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


async def doubt_about(
    ground: MeasuredRunContext[R], baseline: Baseline, run: TestRun, here: Snapshot, command: str, *, allowed: bool
) -> MaterialDoubt | None:
    """What a comparison has to know of changed tests; None where nothing can owe its pass to them.

    Only tests that failed before and pass now are worth another run, and that only once for each tree.
    """
    fixed = list_repaired(baseline, run)
    if baseline.commit is None or not (fixed or not run.sources):
        return None
    versions = [baseline.commit, *([baseline.committed.commit] if baseline.committed else [])]
    changes = [(await run_in_thread(split_material, ground, version, here.commit))[0] for version in versions]
    doubt = MaterialDoubt(tuple(dict.fromkeys(change.file for those in changes for change in those)))
    is_changed = bool(doubt.material) or bool(compare_runs(baseline, run, allow_changes=False, doubt=doubt).suspicious)
    if allowed or not fixed or not is_changed:
        return doubt
    if here.tree not in ground.first_runs:
        ground.bus.publish("activity", "running the first version of the changed tests in a copy")
        first, *others = [
            await run_overlay(ground, _old_tests(here, version, those), command)
            for version, those in zip(versions, changes, strict=True)
        ]
        for other in others:  # it speaks for the tests that count as they were committed
            first = _take_over(first, other, frozenset(baseline.committed.tests if baseline.committed else ()))
        ground.first_runs[here.tree] = first
    return MaterialDoubt(doubt.material, ground.first_runs[here.tree])


def _old_tests(here: Snapshot, version: str, changes: Sequence[FileChange]) -> Overlay:
    """The present product under the tests of that version."""
    new = frozenset(change.file for change in changes if change.action == "create")
    return Overlay(here.commit, version, tuple(change.file for change in changes), new)


def _take_over(run: TestRun, other: TestRun, tests: Collection[str]) -> TestRun:
    """The run, but for these tests: of those, what the other says."""
    results = [result for result in run.results if result.key not in tests]
    results += [result for result in other.results if result.key in tests]
    return run.evolve(results=tuple(results), sources={**run.sources, **{k: other.sources.get(k, "") for k in tests}})
