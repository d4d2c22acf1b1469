"""Measuring the work tree by running its tests: shared by INIT, VALIDATE and COMPLETE."""

from dataclasses import dataclass

from loopwright.actions.first_tests import doubt_about
from loopwright.actions.session import Session
from loopwright.domain.engine_state import Baseline
from loopwright.domain.loop import TestResult
from loopwright.domain.outcomes import Validated
from loopwright.domain.testing import TestRun, left_behind, unsettled
from loopwright.domain.verdict import TROUBLES, Comparison, baseline_of, compare, told, verdict
from loopwright.engine.threads import in_thread
from loopwright.ports import Snapshot, TestOrder

RESULTS_KEPT = 1000
TEXT_KEPT = 4000
LAST_LINES = 4
"""Of a test run that crashed: enough for an error and its place."""


@dataclass(frozen=True)
class Measured:
    """A test run with the tree before and after it: what the run itself left there, and what changed meanwhile."""

    run: TestRun
    here: Snapshot
    tree: str
    left: str
    writes: tuple[str, ...] = ()
    touched: tuple[str, ...] = ()


async def run_tests(session: Session, command: str) -> Measured:
    """Runs the tests between two looks at the tree; the first is taken before anything runs."""
    settings = session.state().engine.settings
    before = await session.snapshot("before tests")
    tree = await session.tree()
    run = await session.tests.run(TestOrder(
        command, timeout=settings.test_timeout, silence=settings.silence_timeout, marker=session.loop_id,
        on_output=lambda line: session.bus.publish("output", line),
    ))  # fmt: skip
    if run.exit_code is None and run.trouble is None:
        session.note("tests_ended", f"the test run did not end by itself: {run.why}")
    if run.trouble in ("crashed", "unparsable"):
        last_words = run.output.strip().splitlines()[-LAST_LINES:]
        for words in (TROUBLES[run.trouble].format(exit_code=run.exit_code), *last_words):
            session.bus.publish("activity", words)
    left = await session.tree()
    if left == tree:
        return Measured(run, before, tree, left)
    after = await session.snapshot("after tests")
    changes = await in_thread(session.workspace.changes, before.commit, after.commit)
    known = frozenset(session.state().engine.run_writes)
    writes, touched = left_behind(change for change in changes if change.file not in known)
    return Measured(run, before, tree, left, writes, touched)


def first_of(session: Session, measured: Measured) -> Baseline:
    """The run as what all later ones are compared with."""
    baseline = baseline_of(measured.run, measured.tree, session.now(), measured.here.commit)
    return baseline.evolve(touched=measured.touched) if measured.touched else baseline


async def validate_tree(session: Session, command: str, *, counted: bool) -> Validated:
    """Runs the tests and judges the result against the baseline."""
    measured = await run_tests(session, command)
    run, settings = measured.run, session.state().engine.settings
    comparison = await _compared(session, measured, command)
    loose = _loose(session, measured)
    passed, reasons = verdict(
        run, comparison, require=settings.require, loose=loose,
        min_pass_rate=settings.min_pass_rate, min_coverage=settings.min_coverage,
    )  # fmt: skip
    green, _ = verdict(run, comparison, require=settings.require, loose=loose, min_pass_rate=0, min_coverage=0)
    outcome = Validated(
        tree=measured.tree,
        # What changed under the run was not there when it began: nothing of it is validated.
        left=measured.tree if loose else measured.left,
        passed=passed,
        tests_found=bool(run.results),
        results=_kept(run.results),
        coverage=run.coverage.percent if run.coverage else 0.0,
        coverage_files=run.coverage.files if run.coverage else None,
        reasons=reasons,
        below_threshold=green and not passed,
        baseline=None if session.state().engine.baseline else first_of(session, measured),
        run_writes=measured.writes,
        touched=measured.touched,
        counted=counted,
    )
    if loose:
        session.note(
            "changed_under_test", f"changed while the tests ran, so the run proves nothing: {', '.join(loose)}"
        )
    _remember(session, outcome)
    return outcome


async def _compared(session: Session, measured: Measured, command: str) -> Comparison:
    baseline = session.state().engine.baseline
    if baseline is None:
        return Comparison()
    allowed = _may_change_tests(session)
    doubt = await doubt_about(session, baseline, measured.run, measured.here, command, allowed=allowed)
    comparison = compare(baseline, measured.run, allow_changes=allowed, doubt=doubt)
    for kind, words in told(comparison, allow_changes=allowed):
        session.note(kind, words)
    return comparison


def _loose(session: Session, measured: Measured) -> tuple[str, ...]:
    """Files that changed under the run, so that it proves nothing about what is there now."""
    engine = session.state().engine
    first = (engine.baseline.touched if engine.baseline else measured.touched) or ()
    last = (engine.last_validation.touched if engine.last_validation else None) or ()
    return unsettled(measured.touched, first, last)


def _remember(session: Session, outcome: Validated) -> None:
    """What this process has seen for itself, and what an agent had said about it."""
    session.verdicts.update({outcome.tree: outcome.passed, outcome.left: outcome.passed})
    if not outcome.passed:
        for claim in session.claims:
            session.note("false_claim", f"{claim}; the validation says: {outcome.reasons[0]}")
    session.claims.clear()


def nothing_to_run(tree: str, *, counted: bool = True) -> Validated:
    """The validation of a project without a test command: it can not pass."""
    return Validated(
        tree=tree, left=tree, passed=False, tests_found=False, results=(), coverage=0.0,
        reasons=("no test command is known",), counted=counted,
    )  # fmt: skip


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
