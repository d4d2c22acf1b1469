"""Measuring the work tree by running its tests: the one place that says whether a run may count as green."""

from dataclasses import replace

from loopwright.domain.endless import known_after
from loopwright.domain.engine_state import Baseline
from loopwright.domain.loop import TestResult
from loopwright.domain.outcomes import Validated
from loopwright.domain.run import R
from loopwright.domain.testing import left_behind, stands_for_another, unsettled
from loopwright.domain.verdict import TROUBLES, Comparison, baseline_of, compare, told, verdict
from loopwright.engine.bus import Bus
from loopwright.engine.environment import environment_doubt, environment_is_same, remember_environment
from loopwright.engine.first_tests import doubt_about
from loopwright.engine.ground import TestedGround
from loopwright.engine.measured import Measured, RunKey
from loopwright.engine.proving import prove
from loopwright.engine.threads import in_thread

RESULTS_KEPT = 1000
TEXT_KEPT = 4000
LAST_LINES = 4
"""Of a test run that crashed: enough for an error and its place."""


async def run_tests(ground: TestedGround[R], command: str, when: str) -> Measured:
    """Runs the tests between two looks at the tree; the first is taken before anything runs. `when`: see Measured."""
    before = await ground.snapshot("before tests")
    tree = await ground.tree()
    key = run_key(ground, tree, command)
    order = replace(ground.test_order(command), on_output=lambda line: ground.bus.publish("output", line))
    run = await ground.tests.run(order)
    ground.endless = known_after(run)
    if run.exit_code is None and run.trouble is None:
        ground.note("tests_ended", f"the test run did not end by itself: {run.why}")
    if run.trouble in ("crashed", "unparsable"):
        last_words = run.output.strip().splitlines()[-LAST_LINES:]
        for words in (TROUBLES[run.trouble].format(exit_code=run.exit_code), *last_words):
            ground.bus.publish("activity", words)
    left = await ground.tree()
    measured = Measured(run, before, tree, left, key, when)
    if left != tree:
        after = await ground.snapshot("after tests")
        changes = await in_thread(ground.workspace.changes, before.commit, after.commit)
        known = frozenset(ground.state().engine.run_writes)
        writes, touched = left_behind(change for change in changes if change.file not in known)
        measured = replace(measured, writes=writes, touched=touched)
    ground.measured = measured
    return measured


def run_key(ground: TestedGround[R], tree: str, command: str) -> RunKey:
    """What a run of the tests would measure here and now."""
    settings = ground.state().engine.settings
    return RunKey(
        tree, command, settings.test_timeout, settings.per_test_timeout, settings.silence_timeout
    )  # fmt: skip


async def _taken_over(ground: TestedGround[R], command: str) -> Measured | None:
    """The last run of this process, where another would measure the same; each stands for one other."""
    last, baseline = ground.measured, ground.state().engine.baseline
    failed = [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else []
    if last is None or last.left != last.tree or not stands_for_another(last.run, failed):
        return None
    if run_key(ground, await ground.tree(), command) != last.key or not await environment_is_same(ground, command):
        return None
    ground.measured = None
    return last


def first_of(ground: TestedGround[R], measured: Measured) -> Baseline:
    """The run as what all later ones are compared with."""
    baseline = baseline_of(measured.run, measured.tree, ground.now(), measured.here.commit)
    return baseline.evolve(touched=measured.touched) if measured.touched else baseline


async def validate_tree(
    ground: TestedGround[R], command: str, *, counted: bool, anew: bool = False, bus: Bus | None = None
) -> Validated:
    """Judges the tests against the baseline. They are run if it shall be `anew`, or if that could tell anything new.

    `bus` hears which of the two it is; the run's own, if there is none.
    """
    bus = bus or ground.bus
    doubt = await environment_doubt(ground, command)
    known = None if anew else await _taken_over(ground, command)
    if known is None:
        bus.publish("activity", f"running the tests: {command}")
        measured = await run_tests(ground, command, "by the last validation")
    else:
        measured = known
        words = f"{len(known.run.failed)} failed, {known.run.passed_count} passed"
        bus.publish("activity", f"as measured {known.when}: {words}; nothing has changed since")
    run, settings = measured.run, ground.state().engine.settings
    comparison = await _compared(ground, measured, command)
    loose = _loose(ground, measured)
    passed, reasons = verdict(
        run, comparison, require=settings.require, loose=loose,
        min_pass_rate=settings.min_pass_rate, min_coverage=settings.min_coverage,
    )  # fmt: skip
    disturbed = passed and doubt is not None
    if doubt is not None:
        passed, reasons = False, (*reasons, doubt)
    green, _ = verdict(run, comparison, require=settings.require, loose=loose, min_pass_rate=0, min_coverage=0)
    proof = await prove(ground, run, measured.here, measured.tree, comparison, command) if passed else None
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
        below_threshold=green and not passed and not disturbed,
        baseline=None if ground.state().engine.baseline else first_of(ground, measured),
        run_writes=measured.writes,
        touched=measured.touched,
        counted=counted,
        proof=proof,
        environment=None if ground.state().engine.environment else await remember_environment(ground, command),
        disturbed=disturbed,
        measured=known.when if known else None,
    )
    if loose:
        ground.note("changed_under_test", f"changed while the tests ran, so the run proves nothing: {', '.join(loose)}")
    _remember(ground, outcome)
    return outcome


async def _compared(ground: TestedGround[R], measured: Measured, command: str) -> Comparison:
    baseline = ground.state().engine.baseline
    if baseline is None:
        return Comparison()
    allowed = ground.may_change_tests()
    doubt = await doubt_about(ground, baseline, measured.run, measured.here, command, allowed=allowed)
    comparison = compare(baseline, measured.run, allow_changes=allowed, doubt=doubt)
    for kind, words in told(comparison, allow_changes=allowed):
        ground.note(kind, words)
    return comparison


def _loose(ground: TestedGround[R], measured: Measured) -> tuple[str, ...]:
    """Files that changed under the run, so that it proves nothing about what is there now."""
    engine = ground.state().engine
    first = (engine.baseline.touched if engine.baseline else measured.touched) or ()
    last = (engine.last_validation.touched if engine.last_validation else None) or ()
    return unsettled(measured.touched, first, last)


def _remember(ground: TestedGround[R], outcome: Validated) -> None:
    """What this process has seen for itself, and what an agent had said about it.

    A failure that was seen but once is not final: a run that is to end over it looks once more.
    """
    if outcome.passed or outcome.measured is None:
        ground.verdicts.update({outcome.tree: outcome.passed, outcome.left: outcome.passed})
    if not outcome.passed:
        for claim in ground.claims:
            ground.note("false_claim", f"{claim}; the validation says: {outcome.reasons[0]}")
    ground.claims.clear()


def nothing_to_run(tree: str, *, counted: bool = True) -> Validated:
    """The validation of a project without a test command: it can not pass."""
    return Validated(
        tree=tree, left=tree, passed=False, tests_found=False, results=(), coverage=0.0,
        reasons=("no test command is known",), counted=counted,
    )  # fmt: skip


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
