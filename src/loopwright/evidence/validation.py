"""Measuring the work tree by running its tests: the one place that says whether a run may count as green."""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from loopwright.core.context import MeasuredRunContext, RunKey, RunMeasurement
from loopwright.core.errors import Conflict, WorkspaceError
from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.package_files import changed_files
from loopwright.core.run import R
from loopwright.core.run_events import EventBus
from loopwright.core.state import Baseline
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.environment import IGNORE_RULES, MANIFEST, Environment, Manifests, environment_words
from loopwright.evidence.goal_proof import Overlay, doubt_about, prove_goal, read_versions, run_overlay, split_material
from loopwright.evidence.oracles import list_oracles
from loopwright.evidence.proof import join_names
from loopwright.evidence.selection import limit_selected, merge_runs, refutes, select_tests
from loopwright.evidence.test_material import holds_tests, is_mixed
from loopwright.evidence.testing import (
    TestResult,
    learn_limits,
    list_unsettled,
    split_leftovers,
    stands_for_another,
    tally_results,
)
from loopwright.evidence.verdict import (
    NAMES_SHOWN,
    TROUBLES,
    Comparison,
    baseline_of,
    believe,
    compare_runs,
    count_as_committed,
    describe_differences,
    file_of,
    find_new_failures,
    judge_run,
)


async def remember_environment(ground: MeasuredRunContext[R], command: str | None) -> str:
    """The name under which the workspace remembers it as it is now."""
    pythons = ground.tests.pythons(command)
    return await run_in_thread(ground.workspace.remember_environment, ground.id, command or "", pythons)


async def environment_doubt(ground: MeasuredRunContext[R], command: str | None) -> str | None:
    """Why what the tests say is not believed: what they run with has changed, and nothing of the run explains it."""
    engine = ground.state().engine
    if own := await run_in_thread(changed_files, ground.package):
        ground.note("environment_changed", f"loopwright's own files were changed: {join_names(own, NAMES_SHOWN)}")
        return f"loopwright's own files were changed while this process ran: {join_names(own, NAMES_SHOWN)}"
    if engine.environment is None:
        return None
    found = await _changed(ground, engine.environment, command)
    if found.explained:
        count = plural(len(found.explained), "file")
        ground.note("dependencies_changed", f"{count} of packages changed, as the run's manifests and locks say")
    if found.variables:
        ground.note("environment_differs", f"the environment has changed: {environment_words(found.variables)}")
    if not found.unexplained:
        return None
    words = f"the test environment was changed: {environment_words(found.unexplained)}"
    allowed = engine.settings.allow_environment_changes
    ground.note("environment_changed", f"{words}{' (allowed)' if allowed else ''}")
    return None if allowed else words


async def environment_is_same(ground: MeasuredRunContext[R], command: str) -> bool:
    """Whether nothing of it differs from what is remembered, explained or not."""
    remembered = ground.state().engine.environment
    if remembered is None:
        return False
    found = await _changed(ground, remembered, command)
    return not (found.explained or found.variables or found.unexplained)


async def _changed(ground: MeasuredRunContext[R], remembered: str, command: str | None) -> Environment:
    return await run_in_thread(
        ground.workspace.changed_environment,
        remembered,
        command or "",
        ground.tests.pythons(command),
        lambda: _manifests(ground),
    )


def _manifests(ground: MeasuredRunContext[R]) -> Manifests:
    """The files that say which packages are installed, and what the run has changed of them and of what is ignored."""
    start = ground.start()
    if start is None:
        return Manifests({})
    here = ground.workspace.snapshot(ground.id, "installed packages").commit
    changes = ground.workspace.changes(start, here)
    changed = [change.file for change in changes]
    all_of_them = [file for file in {*changed, *ground.workspace.listed()} if MANIFEST.fullmatch(file)]
    texts = {
        file: tuple((version or b"").decode("utf-8", "replace") for version in pair)
        for file, pair in read_versions(ground, start, here, all_of_them).items()
    }
    return Manifests(
        {file: (before, after) for file, (before, after) in texts.items() if file in changed},
        _project_name(ground),
        any(IGNORE_RULES.fullmatch(file) for file in changed),
        ground.state().engine.settings.proof in ("preserve", "none"),
        frozenset(change.file for change in changes if change.action == "delete"),
        {file: after for file, (_, after) in texts.items()},
    )


def _project_name(ground: MeasuredRunContext[R]) -> str | None:
    """The name that the project's own distribution has, from pyproject.toml or setup.cfg."""
    root = ground.workspace.root
    try:
        name = tomllib.loads((root / "pyproject.toml").read_text("utf-8")).get("project", {}).get("name")
    except (OSError, ValueError, AttributeError):
        name = None
    if isinstance(name, str):
        return name
    try:
        found = re.search(r"^name\s*=\s*(\S+)", (root / "setup.cfg").read_text("utf-8", "replace"), re.MULTILINE)
    except OSError:
        return None
    return found[1] if found else None


UNCOMMITTED = "worktree"
"""In the place of a revision: the tests of the work tree count, whatever is committed."""

RESULTS_KEPT = 1000
TEXT_KEPT = 4000
LAST_LINES = 4
"""Of a test run that crashed: enough for an error and its place."""


async def run_tests(
    ground: MeasuredRunContext[R], command: str, when: str, selected: tuple[str, ...] = ()
) -> RunMeasurement:
    """Runs the tests between two looks at the tree; the first is taken before anything runs. `when`, `selected`: see
    RunMeasurement.
    """
    ground.workspace.distrust()
    before = await ground.snapshot("before tests")
    tree = await ground.tree()
    key = run_key(ground, tree, command)
    is_first = ground.state().engine.baseline is None
    order = ground.test_order(command)
    order = replace(order, on_output=lambda line: ground.bus.publish("output", line), opens=is_first)
    whole = ground.whole if selected else None
    if whole is not None:
        limits = limit_selected(order.limits, whole.run, selected)
        run = merge_runs(
            whole.run, await ground.tests.run(replace(order, only=selected, limits=limits)), frozenset(selected)
        )
    else:
        run = believe(await ground.tests.run(order), ground.state().engine.baseline)
        ground.endless = learn_limits(run)
    if run.exit_code is None and run.trouble is None:
        ground.note("tests_ended", f"the test run did not finish: {run.why}")
    if run.trouble in ("crashed", "unparsable"):
        last_words = run.output.strip().splitlines()[-LAST_LINES:]
        for words in (TROUBLES[run.trouble].format(exit_code=run.exit_code), *last_words):
            ground.bus.publish("activity", words)
    ground.failures[tree] = ground.failures.get(tree, frozenset()).union(run.failed)
    left = await ground.tree()
    measured = RunMeasurement(run, before, tree, left, key, when, selected=selected)
    if left != tree:
        after = await ground.snapshot("after tests")
        changes = await run_in_thread(ground.workspace.changes, before.commit, after.commit)
        known = frozenset(ground.state().engine.run_writes)
        writes, touched = split_leftovers(change for change in changes if change.file not in known)
        measured = replace(measured, writes=writes, touched=touched)
    ground.measured = measured
    if not selected:
        ground.whole = measured
    return measured


async def _run_selected(ground: MeasuredRunContext[R], command: str, bus: EventBus) -> RunMeasurement | None:
    """A run of the tests that matter most, where there are such."""
    whole, here = ground.whole, await ground.snapshot("before tests")
    if whole is None or ground.state().engine.baseline is None or ground.tests.interpreter(command) is None:
        return None
    if run_key(ground, whole.tree, command) != whole.key:
        return None
    changes = await run_in_thread(ground.workspace.changes, whole.here.commit, here.commit)
    selected = select_tests(whole.run, frozenset(change.file for change in changes))
    if not selected:
        return None
    of = f"{plural(len(selected), 'test')} of {len(whole.run.results):,}"
    bus.publish("activity", f"running first what failed or has changed, {of}: {command}")
    return await run_tests(ground, command, "by the last validation", selected)


async def _run_as_needed(ground: MeasuredRunContext[R], command: str, *, whole: bool, bus: EventBus) -> RunMeasurement:
    """All tests; but those that matter most alone, where these refute the work. `whole`: all at once."""
    first = None if whole else await _run_selected(ground, command, bus)
    engine = ground.state().engine
    if first and engine.baseline and refutes(first.run, first.selected, engine.baseline, engine.settings.require):
        return first
    bus.publish("activity", f"{'none of these fails; ' if first else ''}running the tests: {command}")
    measured = await run_tests(ground, command, "by the last validation")
    if first is not None and first.left == measured.tree:  # what the first run wrote is no change of the project
        writes = (*first.writes, *measured.writes)
        measured = replace(measured, tree=first.tree, here=first.here, key=first.key, writes=writes)
        ground.measured = ground.whole = measured
    return measured


def run_key(ground: MeasuredRunContext[R], tree: str, command: str) -> RunKey:
    """What a run of the tests would measure here and now."""
    settings = ground.state().engine.settings
    return RunKey(tree, command, settings.test_timeout, settings.per_test_timeout, settings.silence_timeout)


REPETITIONS = 2


async def _repeat_lucky_run(
    ground: MeasuredRunContext[R], measured: RunMeasurement, command: str, bus: EventBus
) -> RunMeasurement:
    """A green run as it is; where tests have failed on the very same files, it has to be green twice more.

    Then it is the first repetition that is not green, or the last.
    """
    engine, tree = ground.state().engine, measured.tree
    baseline, last = engine.baseline, engine.last_validation
    at_first = frozenset(key for key, test in baseline.tests.items() if test.status == "failed") if baseline else ()
    excused = () if engine.settings.require == "all" else at_first
    failed = ground.failures.get(tree) or frozenset(at_first if baseline and baseline.tree == tree else ())
    is_doubtful = bool(failed.difference(excused)) or (
        tree not in ground.failures and last is not None and last.tree == tree and not last.passed
    )
    for _ in range(REPETITIONS if is_doubtful and stands_for_another(measured.run, excused) else 0):
        bus.publish("activity", "tests have failed on these very files before; running them once more")
        again = await run_tests(ground, command, measured.when)
        if again.tree == measured.left:  # what a run leaves there is no change of the project
            writes = (*measured.writes, *again.writes)
            again = replace(again, tree=tree, here=measured.here, key=measured.key, writes=writes)
        ground.measured = ground.whole = measured = again
        if not stands_for_another(again.run, excused):
            ground.note("flaky_tests", f"pass and fail on the same files: {join_names(again.run.failed, NAMES_SHOWN)}")
            break
    return measured


async def _taken_over(ground: MeasuredRunContext[R], command: str) -> RunMeasurement | None:
    """The last run of this process, where another would measure the same; each stands for one other."""
    last, baseline = ground.measured, ground.state().engine.baseline
    failed = [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else []
    if last is None or last.selected or last.left != last.tree or not stands_for_another(last.run, failed):
        return None
    if run_key(ground, await ground.tree(), command) != last.key or not await environment_is_same(ground, command):
        return None
    ground.measured = None
    return last


def make_baseline(ground: MeasuredRunContext[R], measured: RunMeasurement) -> Baseline:
    """The run as what all later ones are compared with."""
    baseline = baseline_of(measured.run, measured.tree, ground.now(), measured.here.commit)
    root = ground.workspace.root
    material = list_oracles(measured.run, ground.workspace.listed(), partial(_read_text, root), measured.key.command)
    written = {*measured.writes, *measured.touched}
    return baseline.evolve(
        touched=measured.touched or None, material=tuple(file for file in material if file not in written)
    )


def _read_text(root: Path, file: str) -> str:
    try:
        return (root / file).read_text("utf-8", "replace")
    except OSError:
        return ""


async def run_baseline(ground: MeasuredRunContext[R], command: str, when: str) -> tuple[RunMeasurement, Baseline]:
    """The first run of the tests; those that are others in the commit which the settings name count as they are there.

    New tests that are not committed yet are a person's, and so is the product as it is.
    """
    revision = ground.state().engine.settings.baseline
    committed = None
    if revision != UNCOMMITTED:
        committed = await run_in_thread(ground.workspace.snapshot_commit, ground.id, revision)
    measured = await run_tests(ground, command, when)
    baseline = await run_in_thread(make_baseline, ground, measured)
    if committed is None:
        return measured, baseline
    material = frozenset(baseline.material)
    changes, _ = await run_in_thread(split_material, ground, committed.commit, measured.here.commit, material)
    if all(change.action == "create" and holds_tests(change.file) for change in changes):
        return measured, baseline
    names = join_names([change.file for change in changes], NAMES_SHOWN)
    ground.bus.publish("activity", f"tests differ from {revision}: {names}; running those of {revision} in a copy")
    run = await run_overlay(ground, Overlay(committed.commit, committed.commit), command)
    as_committed = count_as_committed(
        baseline, run, measured.run, [change.file for change in changes], committed.commit
    )
    if as_committed.committed is not None:
        count = plural(len(as_committed.committed.tests), "test")
        ground.note(
            "tests_uncommitted",
            f"judged as in {revision}: {count}, as these changes are not committed: {names}; if they are meant to be "
            f"so, commit them, or begin with --baseline {UNCOMMITTED}",
        )
    return measured, as_committed


async def validate_tree(
    ground: MeasuredRunContext[R],
    command: str,
    *,
    counted: bool,
    anew: bool = False,
    whole: bool = False,
    bus: EventBus | None = None,
) -> ValidationOutcome:
    """Judges the tests against the baseline. They are run if it shall be `anew`, or if that could tell anything new;
    all of them if it shall be `whole` or anew, or if a run of some cannot refute the work.

    Tests that the run has weakened, and nobody allowed to, are put back, and the product is judged by those.
    `bus` hears which of the two it is; the run's own, if there is none.
    """
    bus = bus or ground.bus
    outcome, refused = await _validated(ground, command, counted=counted, anew=anew, whole=whole, bus=bus)
    if refused and await _restore_tests(ground, refused, outcome):
        ground.verdicts.pop(outcome.tree, None)  # whoever makes the same of it again is looked at again
        again, _ = await _validated(ground, command, counted=counted, anew=True, whole=True, bus=bus)
        reasons = () if again.passed else tuple(dict.fromkeys((*again.reasons, *outcome.reasons)))
        return replace(again, refused=outcome.reasons, reasons=reasons)
    return outcome


async def _validated(
    ground: MeasuredRunContext[R], command: str, *, counted: bool, anew: bool, whole: bool, bus: EventBus
) -> tuple[ValidationOutcome, tuple[str, ...]]:
    """With the tests that are weakened, skipped or gone, where nobody allowed that."""
    doubt = await environment_doubt(ground, command)
    known = None if anew else await _taken_over(ground, command)
    if known is None:
        measured = await _run_as_needed(ground, command, whole=anew or whole, bus=bus)
    else:
        measured = known
        words = f"{len(known.run.failed)} failed, {known.run.passed_count} passed"
        bus.publish("activity", f"as measured {known.when}: {words}; nothing has changed since")
    measured = await _repeat_lucky_run(ground, measured, command, bus)
    run, settings = measured.run, ground.state().engine.settings
    comparison = await _compared(ground, measured, command)
    loose = _loose(ground, measured)
    passed, reasons = judge_run(
        run,
        comparison,
        require=settings.require,
        loose=loose,
        min_pass_rate=settings.min_pass_rate,
        min_coverage=settings.min_coverage,
    )
    doubt = doubt or ground.seals.get(measured.tree)
    disturbed = passed and doubt is not None
    if doubt is not None:
        passed, reasons = False, (*reasons, doubt)
    if measured.selected and ground.whole is not None:
        others = len(ground.whole.run.results) - len(measured.selected)
        passed, reasons = False, (*reasons, f"the other {plural(others, 'test')} were not run again")
    green, _ = judge_run(run, comparison, require=settings.require, loose=loose, min_pass_rate=0, min_coverage=0)
    proof = await prove_goal(ground, run, measured.here, measured.tree, comparison, command) if passed else None
    outcome = ValidationOutcome(
        tree=measured.tree,
        # What changed under the run was not there when it began: nothing of it is validated.
        left=measured.tree if loose else measured.left,
        passed=passed,
        tests_found=bool(run.results),
        results=_kept(run.results),
        tally=tally_results(run.results),
        coverage=run.coverage.percent if run.coverage else 0.0,
        coverage_files=run.coverage.files if run.coverage else None,
        reasons=reasons,
        below_threshold=green and not passed and not disturbed,
        baseline=None if ground.state().engine.baseline else await run_in_thread(make_baseline, ground, measured),
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
    _remember(ground, outcome, is_final=known is None and not measured.selected)
    weakened = (*comparison.suspicious, *comparison.vanished, *comparison.newly_skipped)
    is_whole = run.trouble in (None, "no_tests")
    return outcome, weakened if is_whole and not ground.may_change_tests() else ()


async def _restore_tests(ground: MeasuredRunContext[R], weakened: Sequence[str], outcome: ValidationOutcome) -> bool:
    """Puts back what makes these tests other than they were; whether there was anything.

    That is the files they stand in, or where their keys do not name those, all that hold tests and held them before.
    Where those are as they were, and nothing fails, it is what steers the tests.
    """
    baseline = ground.state().engine.baseline
    if baseline is None or baseline.commit is None:
        return False
    here = await ground.snapshot("before tests are put back")
    changes, _ = await run_in_thread(split_material, ground, baseline.commit, here.commit)
    changed = {change.file: change.action for change in changes if not is_mixed(change.file)}
    own = {file_of(key) for key in weakened}
    if not own <= {*await run_in_thread(ground.workspace.listed), *changed}:
        own |= {file for file, action in changed.items() if holds_tests(file) and action != "create"}
    files = [file for file in changed if file in own]
    if not files and not outcome.failing:
        files = [file for file in changed if not holds_tests(file)]
    if not files:
        return False
    try:
        await run_in_thread(ground.workspace.restore, baseline.commit, files)
    except (Conflict, WorkspaceError) as error:
        ground.note("tests_not_put_back", f"test files could not be put back: {error}")
        return False
    ground.note("tests_put_back", f"put back as in the first run: {join_names(files, NAMES_SHOWN)}")
    return True


async def _compared(ground: MeasuredRunContext[R], measured: RunMeasurement, command: str) -> Comparison:
    baseline = ground.state().engine.baseline
    if baseline is None:
        return Comparison()
    if measured.selected:
        return Comparison(new_failures=find_new_failures(baseline, measured.run))
    allowed = ground.may_change_tests()
    doubt = await doubt_about(ground, baseline, measured.run, measured.here, command, allowed=allowed)
    comparison = compare_runs(baseline, measured.run, allow_changes=allowed, doubt=doubt)
    for kind, words in describe_differences(comparison, allow_changes=allowed):
        ground.note(kind, words)
    return comparison


def _loose(ground: MeasuredRunContext[R], measured: RunMeasurement) -> tuple[str, ...]:
    """Files that changed under the run, so that it proves nothing about what is there now."""
    engine = ground.state().engine
    first = (engine.baseline.touched if engine.baseline else measured.touched) or ()
    last = (engine.last_validation.touched if engine.last_validation else None) or ()
    return list_unsettled(measured.touched, first, last)


def _remember(ground: MeasuredRunContext[R], outcome: ValidationOutcome, *, is_final: bool) -> None:
    """What this process has seen for itself, and what an agent had said about it.

    A failure that was seen but once, or by selected tests, is not final: a run that is to end over it looks once more.
    """
    if outcome.passed or is_final:
        ground.verdicts.update({outcome.tree: outcome.passed, outcome.left: outcome.passed})
    if not outcome.passed:
        for claim in ground.claims:
            ground.note("false_claim", f"{claim}; the validation says: {outcome.reasons[0]}")
    ground.claims.clear()


def nothing_to_run(tree: str, *, counted: bool = True) -> ValidationOutcome:
    """The validation of a project without a test command: it cannot pass."""
    return ValidationOutcome(
        tree=tree,
        left=tree,
        passed=False,
        tests_found=False,
        results=(),
        coverage=0.0,
        reasons=("no test command is known",),
        counted=counted,
    )


def _kept(results: tuple[TestResult, ...]) -> tuple[TestResult, ...]:
    """All failures, and others up to a cap, in their order, with texts cut to size."""
    room = RESULTS_KEPT - sum(r.status == "failed" for r in results)
    kept = []
    for result in results:
        if result.status != "failed":
            room -= 1
            if room < 0:
                continue
        texts = {"error_message": result.error_message, "stack_trace": result.stack_trace}
        long = {k: f"{v[:TEXT_KEPT]}\n…" for k, v in texts.items() if v and len(v) > TEXT_KEPT}
        kept.append(result.evolve(**long) if long else result)
    return tuple(kept)
