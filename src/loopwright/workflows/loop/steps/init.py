"""INIT: find the tests, run them once as the baseline, and get tasks from the first source that has any."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import get_args

from loopwright.core.agent_turns import undo_writes
from loopwright.core.context import RunMeasurement
from loopwright.core.ids import new_task_id
from loopwright.core.protocol import ActionReport, Message
from loopwright.core.state import Baseline, LoopTask, RunSettings
from loopwright.evidence.failures import name_failures
from loopwright.evidence.goals import acceptance_criteria, asks_only_for_green_tests, list_criteria
from loopwright.evidence.testing import TestStatus
from loopwright.evidence.validation import remember_environment, run_baseline
from loopwright.policy.permissions import turn_policy
from loopwright.reports.proposals import read_proposals
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome, InitOutcome
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.session import LoopSession

CRITERION = "Meet this acceptance criterion of the goal"
REQUIRED = (
    "Acceptance criteria of the goal. Each is required: give its number (A1) in the description of the task that meets "
    "it; one task may meet several."
)


async def run_init(session: LoopSession, choice: NextAction) -> ActionOutcome:
    state = session.state()
    command = state.engine.settings.test_command or session.tests.detect()
    session.found = command
    start = await session.snapshot("as the loop found it")
    measured: RunMeasurement | None = None
    baseline: Baseline | None = None
    if command is None:
        session.bus.publish("activity", "no test command found")
    else:
        session.tests.check(command)
        session.bus.publish("activity", f"running the tests once: {command}")
        measured, baseline = await run_baseline(session, command, "at INIT")
    environment = await remember_environment(session, command)
    return InitOutcome(
        tasks=await _tasks(session, state, measured),
        tests_found=measured is not None and bool(measured.run.results),
        test_command=command,
        baseline=baseline,
        run_writes=measured.writes if measured else (),
        start=start.commit,
        environment=environment,
    )


async def _tasks(session: LoopSession, state: LoopState, measured: RunMeasurement | None) -> tuple[LoopTask, ...]:
    """What the API holds stands; else the agent's proposals, with what they leave out of the acceptance criteria; else
    a task for each criterion, or one for the whole goal.

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
    criteria = acceptance_criteria(state.description)
    if able.plans:
        report = await _planned(session, name, state.engine.settings, measured, criteria)
        if proposed := [task.description for task in read_proposals("INIT", report).tasks]:
            words = (*proposed, *_left_out(criteria, proposed))
            return tuple(_task(session, name, one, planned=True) for one in words)
    if criteria and able.writes_code:
        return tuple(_task(session, name, f"{CRITERION}: {one}", planned=True) for one in criteria)
    return (_task(session, name, state.description or state.title),)


def _left_out(criteria: Sequence[str], proposed: Sequence[str]) -> Iterator[str]:
    """One task for the criteria that no proposal names by their numbers."""
    named = {int(number) for words in proposed for number in re.findall(r"\bA(\d{1,3})\b", words)}
    if left := [f"A{n}: {one}" for n, one in enumerate(criteria, 1) if n not in named]:
        yield f"Meet what is still unmet of these acceptance criteria: {'; '.join(left)}"


async def _planned(
    session: LoopSession,
    agent: str,
    settings: RunSettings,
    measured: RunMeasurement | None,
    criteria: Sequence[str],
) -> ActionReport:
    policy = turn_policy(settings.permissions, reading=True)
    debug = session.debug_ground()
    message = Message(action="INIT", text="", debug=debug, seconds=settings.action_timeout, policy=policy)
    before = await session.snapshot("before planning")
    async with undo_writes(session, session.turns, before, "planning"):
        tests = _tests_now(measured, session.project)
        asked = session.order("init", tests=tests, criteria=list_criteria(criteria, REQUIRED))
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
