"""cd, the Code Developer: one task of the plan; what changed is measured, not told."""

from collections.abc import Sequence
from pathlib import Path

from loopwright.cycle.messages import conflict_order, debug_order, implement_order
from loopwright.cycle.places import Place, bring_in, changes_in, place_for
from loopwright.cycle.roles.mending import Made, mend, suspects
from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle import PlanTask
from loopwright.domain.cycle_names import CycleStep
from loopwright.domain.cycle_outcomes import CycleOutcome, Implemented
from loopwright.domain.errors import AgentError
from loopwright.domain.outcomes import Change
from loopwright.domain.phase_report import PhaseReport
from loopwright.domain.words import plural
from loopwright.engine.measure import run_tests

CONFLICTS = 3
"""How often a task whose merge conflicts goes back to its agent."""


async def implement(session: CycleSession, step: CycleStep) -> CycleOutcome:
    state = session.state()
    assert state.plan is not None
    task = next(task for task in state.plan.tasks if task.id == step.task)
    place = await place_for(session, step)
    made = await _made(session, step, task, place)
    changes = await changes_in(session, place, f"after {task.id}")
    _hold_against(session, step, made.report, changes)
    if made.report.status == "none" and not changes:
        raise AgentError("protocol", f"{session.agent('cd')} reported nothing on {task.id}, and changed nothing")
    report = made.report
    if changes and place.lane is None:
        await _try_tests(session, task)
    elif changes:
        report, changes = await _merged(session, step, task, place, report)
    ok = report.status == "success" or (report.status == "none" and bool(changes))
    if not report.summary:
        report = report.evolve(summary=f"no words; {plural(len(changes), 'changed file')} speak for it")
    return Implemented(report, ok, changes, nothing_left=made.nothing_left)


async def _made(session: CycleSession, step: CycleStep, task: PlanTask, place: Place) -> Made:
    """By the embedded agent, which measures; or by one that is told in words."""
    failing = _failing(session, task)
    if session.able("cd").measures:
        return await mend(session, step, place, failing)
    if failing and task.id in session.state().engine.mends:
        hypotheses = await suspects(session, place, failing)
        words = debug_order(session.prompts, session.state(), task, session.progress(), failing, hypotheses)
    else:
        words = implement_order(session.prompts, session.state(), task, session.progress())
    report = await session.ask("cd", step, words, reading=False, lane=place.lane, at=_at(place))
    return Made(report)


async def _merged(
    session: CycleSession, step: CycleStep, task: PlanTask, place: Place, report: PhaseReport
) -> tuple[PhaseReport, tuple[Change, ...]]:
    """The task's work in the project, with the tests run on it; a conflict goes back to whoever made it."""
    for _ in range(CONFLICTS):
        async with session.merging:
            before = await session.snapshot(f"before {task.id} comes in")
            conflicts = await bring_in(session, place, task.id)
            if not conflicts:
                changes = await changes_in(session, Place(session.workspace.root, before), f"{task.id} is in")
                await _try_tests(session, task)
                return report, changes
        session.bus.publish("activity", f"{task.id} conflicts in {', '.join(conflicts)}; its agent settles that")
        words = conflict_order(session.prompts, task, str(place.path), conflicts)
        report = await session.ask("cd", step, words, reading=False, lane=place.lane, at=_at(place))
    raise AgentError("protocol", f"{task.id} could not be merged: its conflicts were not settled {CONFLICTS} times")


async def _try_tests(session: CycleSession, task: PlanTask) -> None:
    """Run after each merge: what it has broken is told at once, and judged by the validation."""
    command = session.state().engine.settings.test_command
    if command is None:
        return
    session.bus.publish("activity", f"{task.id} is in; running the tests: {command}")
    measured = await run_tests(session, command)
    before = _known_failing(session)
    session.last_run = (measured.left, measured.run)
    if broken := [key for key in measured.run.failed if key not in before]:
        session.note(
            "tests_broken", f"since {task.id} is in, {plural(len(broken), 'test')} more fail: {_listed(broken)}"
        )


def _failing(session: CycleSession, task: PlanTask) -> tuple[str, ...]:
    """The failing tests that the task is about: those it names, or whose file it names; all, where it names none."""
    failing, baseline = tuple(_known_failing(session)), session.state().engine.baseline
    named = {key for key in (*failing, *(baseline.tests if baseline else ())) if key in task.description}
    if named:
        return tuple(key for key in failing if key in named)
    files = (*task.files, *task.description.split())
    return tuple(key for key in failing if key.partition("::")[0] in files) or failing


def _known_failing(session: CycleSession) -> Sequence[str]:
    """The tests that failed when they were last run."""
    if session.last_run is not None:
        return session.last_run[1].failed
    state = session.state()
    if state.test_results is not None:
        return state.test_results.failed_tests
    baseline = state.engine.baseline
    return [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else ()


def _hold_against(session: CycleSession, step: CycleStep, report: PhaseReport, changes: tuple[Change, ...]) -> None:
    """Files that the role says it wrote, where no change was measured."""
    changed = {change.file for change in changes}
    root = f"{session.workspace.root}/"
    named = (name.removeprefix(root).removeprefix("./") for name in report.files_written)
    untrue = [name for name in named if name not in changed and not name.startswith(("/", "~", "../", ".workflow/"))]
    if untrue:
        session.note("false_claim", f"{step.key} said that it wrote {_listed(untrue)}; no change was measured there")


def _at(place: Place) -> Path | None:
    return place.path if place.lane is not None else None


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")
