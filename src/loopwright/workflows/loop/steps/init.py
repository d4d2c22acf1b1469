"""INIT: find the tests, run them once as the baseline, and get tasks from the first source that has any."""

from collections import Counter
from typing import get_args

from loopwright.core.agent_turns import undo_writes
from loopwright.core.context import RunMeasurement
from loopwright.core.ids import new_task_id
from loopwright.core.protocol import ActionReport, Message
from loopwright.core.state import LoopTask, RunSettings
from loopwright.evidence.failures import name_failures
from loopwright.evidence.goals import asks_only_for_green_tests
from loopwright.evidence.testing import TestStatus
from loopwright.evidence.validation import make_baseline, remember_environment, run_tests
from loopwright.policy.permissions import turn_policy
from loopwright.reports.proposals import read_proposals
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome, InitOutcome
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.session import LoopSession


async def run_init(session: LoopSession, choice: NextAction) -> ActionOutcome:
    state = session.state()
    command = state.engine.settings.test_command or session.tests.detect()
    session.found = command
    start = await session.snapshot("as the loop found it")
    measured: RunMeasurement | None = None
    if command is None:
        session.bus.publish("activity", "no test command found")
    else:
        session.tests.check(command)
        session.bus.publish("activity", f"running the tests once: {command}")
        measured = await run_tests(session, command, "at INIT")
    environment = await remember_environment(session, command)
    return InitOutcome(
        tasks=await _tasks(session, state, measured),
        tests_found=measured is not None and bool(measured.run.results),
        test_command=command,
        baseline=make_baseline(session, measured) if measured else None,
        run_writes=measured.writes if measured else (),
        start=start.commit,
        environment=environment,
    )


async def _tasks(session: LoopSession, state: LoopState, measured: RunMeasurement | None) -> tuple[LoopTask, ...]:
    """What the API holds stands; else the agent's proposals; else one task for the whole goal.

    Red tests need none where they are all that is to be mended, or the agent can only repair: DEBUG takes them. Nor do
    green ones that were all that was asked for, for an agent that could do no more.
    """
    known = state.skill_state.develop.tasks if state.skill_state else ()
    if state.engine.tasks or known:
        return ()
    name = state.engine.settings.agent
    able = session.turns.agent(name).capabilities
    red = measured is not None and bool(measured.run.failed)
    green = measured is not None and bool(measured.run.results) and not red
    mends_only = asks_only_for_green_tests(state.description or state.title)
    repairs_only = able.debugs and not able.writes_code
    if able.debugs and ((red and (mends_only or repairs_only)) or (green and mends_only and repairs_only)):
        return ()
    if able.plans:
        proposed = read_proposals("INIT", await _planned(session, name, state.engine.settings, measured)).tasks
        if proposed:
            return tuple(_task(session, name, task.description, planned=True) for task in proposed)
    return (_task(session, name, state.description or state.title),)


async def _planned(
    session: LoopSession, agent: str, settings: RunSettings, measured: RunMeasurement | None
) -> ActionReport:
    policy = turn_policy(settings.permissions, reading=True)
    debug = session.debug_ground()
    message = Message(action="INIT", text="", debug=debug, seconds=settings.action_timeout, policy=policy)
    before = await session.snapshot("before planning")
    async with undo_writes(session, session.turns, before, "planning"):
        asked = session.order("init", tests=_tests_now(measured, session.project))
        _, report = await session.report(agent, "INIT", asked, message)
    if report.status == "none":
        session.note("no_plan", f"{agent} gave no plan; the whole goal is one task")
    return report


def _tests_now(measured: RunMeasurement | None, project: str) -> str:
    """How the tests stand before any work."""
    if measured is None or not measured.run.results:
        return "none were found"
    count = Counter(result.status for result in measured.run.results)
    counted = ", ".join(f"{count[status]} {status}" for status in get_args(TestStatus) if count[status])
    failed = [result for result in measured.run.results if result.status == "failed"]
    return f"{counted}\n{name_failures(failed, project)}" if failed else counted


def _task(session: LoopSession, agent: str, description: str, *, planned: bool | None = None) -> LoopTask:
    now, id = session.now(), new_task_id(session.clock.token())
    return LoopTask(task_id=id, description=description, tool=agent, created_at=now, updated_at=now, planned=planned)
