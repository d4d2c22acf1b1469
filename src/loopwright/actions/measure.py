"""Measuring the work tree by running its tests: shared by INIT, VALIDATE and COMPLETE."""

from dataclasses import dataclass

from loopwright.actions.session import Session
from loopwright.domain.engine_state import LastValidation
from loopwright.domain.loop import TestResult
from loopwright.domain.outcomes import Validated
from loopwright.domain.testing import TestRun
from loopwright.domain.verdict import Comparison, baseline_of, compare, verdict
from loopwright.engine.threads import in_thread

RESULTS_KEPT = 1000
TEXT_KEPT = 4000


@dataclass(frozen=True)
class Measured:
    """A test run with the tree before and after it, and the files the run itself created."""

    run: TestRun
    tree: str
    left: str
    writes: tuple[str, ...]


async def run_tests(session: Session, command: str) -> Measured:
    """Runs the tests between two looks at the tree; the first is taken before anything runs."""
    settings = session.state().engine.settings
    before = await session.snapshot("before tests")
    tree = await session.tree()
    run = await session.tests.run(
        command, timeout=settings.test_timeout, marker=session.loop_id,
        on_output=lambda line: session.bus.publish("output", line),
    )  # fmt: skip
    left = await session.tree()
    session.validated |= {tree, left}
    if left == tree:
        return Measured(run, tree, left, ())
    after = await session.snapshot("after tests")
    changes = await in_thread(session.workspace.changes, before.commit, after.commit)
    writes = tuple(change.file for change in changes if change.action == "create")
    return Measured(run, tree, left, writes)


async def validate_tree(session: Session, command: str, *, counted: bool) -> Validated:
    """Runs the tests and judges the result against the baseline."""
    measured = await run_tests(session, command)
    state = session.state()
    run, settings = measured.run, state.engine.settings
    baseline = state.engine.baseline
    comparison = compare(baseline, run, allow_changes=_may_change_tests(session)) if baseline else Comparison()
    passed, reasons = verdict(
        run, comparison, require=settings.require,
        min_pass_rate=settings.min_pass_rate, min_coverage=settings.min_coverage,
    )  # fmt: skip
    if run.trouble in ("timeout", "crashed", "unparsable"):
        session.bus.publish("activity", f"the test run ended early: {run.trouble}")
    green_only, _ = verdict(run, comparison, require=settings.require, min_pass_rate=0, min_coverage=0)
    return Validated(
        tree=measured.tree,
        left=measured.left,
        passed=passed,
        tests_found=bool(run.results),
        results=_kept(run.results),
        coverage=run.coverage.percent if run.coverage else 0.0,
        coverage_files=run.coverage.files if run.coverage else None,
        reasons=reasons,
        below_threshold=green_only and not passed,
        baseline=None if baseline else baseline_of(run, measured.tree, session.now()),
        run_writes=measured.writes,
        counted=counted,
    )


def nothing_to_run(tree: str) -> Validated:
    """The validation of a project without a test command: it can not pass."""
    return Validated(
        tree=tree, left=tree, passed=False, tests_found=False, results=(), coverage=0.0,
        reasons=("no test command is known",),
    )  # fmt: skip


def seen_here(session: Session, last: LastValidation | None) -> bool:
    """Whether this very process made the last validation; what another one said is not enough for an end."""
    return last is not None and last.tree in session.validated


def _may_change_tests(session: Session) -> bool:
    engine = session.state().engine
    return engine.allow_test_changes or any(task.allow_test_changes for task in engine.tasks)


def _kept(results: tuple[TestResult, ...]) -> tuple[TestResult, ...]:
    """All failures, and others up to a cap, in their order, with texts cut to size."""
    room = RESULTS_KEPT - sum(r.status == "failed" for r in results)
    kept = []
    for result in results:
        if result.status != "failed":
            room -= 1
            if room < 0:
                continue
        kept.append(_cut(result))
    return tuple(kept)


def _cut(result: TestResult) -> TestResult:
    texts = {"error_message": result.error_message, "stack_trace": result.stack_trace}
    long = {k: f"{v[:TEXT_KEPT]}\n…" for k, v in texts.items() if v and len(v) > TEXT_KEPT}
    return result.evolve(**long) if long else result
