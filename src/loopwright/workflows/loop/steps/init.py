"""INIT: find the tests, run them once as the baseline, and get tasks from the first source that has any."""

from collections import Counter
from typing import get_args

from loopwright.core.agent_turns import undo_writes
from loopwright.core.context import RunMeasurement
from loopwright.core.ids import new_task_id
from loopwright.core.protocol import ActionReport, Message
from loopwright.core.state import LoopTask, RunSettings
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
        tasks=await _tasks(session, state, command, measured),
        tests_found=measured is not None and bool(measured.run.results),
        test_command=command,
        baseline=make_baseline(session, measured) if measured else None,
        run_writes=measured.writes if measured else (),
        start=start.commit,
        environment=environment,
    )


async def _tasks(
    session: LoopSession, state: LoopState, command: str | None, measured: RunMeasurement | None
) -> tuple[LoopTask, ...]:
    """What the API holds stands; else the agent's proposals; else one task for the whole goal.

    An agent that only repairs needs none: red tests are its work, and green ones may be all that was asked for.
    """
    known = state.skill_state.develop.tasks if state.skill_state else ()
    if state.engine.tasks or known:
        return ()
    name = state.engine.settings.agent
    able = session.turns.agent(name).capabilities
    if able.plans:
        proposed = read_proposals("INIT", await _planned(session, name, state.engine.settings, command, measured)).tasks
        if proposed:
            return tuple(_task(session, name, task.description, planned=True) for task in proposed)
    red = measured is not None and bool(measured.run.failed)
    green = measured is not None and bool(measured.run.results) and not red
    repairs_only = able.debugs and not able.writes_code
    if repairs_only and (red or (green and asks_only_for_green_tests(state.description))):
        return ()
    return (_task(session, name, state.description or state.title),)


async def _planned(
    session: LoopSession, agent: str, settings: RunSettings, command: str | None, measured: RunMeasurement | None
) -> ActionReport:
    policy = turn_policy(settings.permissions, reading=True)
    debug = session.debug_ground(command)
    message = Message(action="INIT", text="", debug=debug, seconds=settings.action_timeout, policy=policy)
    before = await session.snapshot("before planning")
    async with undo_writes(session, session.turns, before, "planning"):
        asked = session.order("init", test_command=command or "none found", tests=_stand(measured))
        _, report = await session.report(agent, "INIT", asked, message)
    if report.status == "none":
        session.note("no_plan", f"{agent} gave no plan; the whole goal is one task")
    return report


def _stand(measured: RunMeasurement | None) -> str:
    """How the tests stand before any work."""
    if measured is None or not measured.run.results:
        return "none were found"
    count = Counter(result.status for result in measured.run.results)
    return ", ".join(f"{count[status]} {status}" for status in get_args(TestStatus) if count[status])


def _task(session: LoopSession, agent: str, description: str, *, planned: bool | None = None) -> LoopTask:
    now, id = session.now(), new_task_id(session.clock.token())
    return LoopTask(task_id=id, description=description, tool=agent, created_at=now, updated_at=now, planned=planned)
