"""GENERATE: an agent proposes tasks for a loop, in a turn of its own that only reads, beside the loop's runner."""

from contextlib import AsyncExitStack

from loopwright.core.agent_turns import AgentSessions, AgentTurns, undo_writes
from loopwright.core.errors import Advice, AgentError
from loopwright.core.ids import generation_of
from loopwright.core.ports import NOWHERE, AgentEnvironment
from loopwright.core.protocol import ActionReport, Message
from loopwright.core.run_events import EventBus
from loopwright.policy.permissions import turn_policy
from loopwright.reports.proposals import read_proposals
from loopwright.workflows.loop.messages import compose_brief
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.loop.summary import task_statuses


class NoAgentSessions(AgentSessions[LoopState]):
    """The loop's own sessions are left to its runner; what was done so far is told."""

    def session(self, agent: str) -> str | None:
        return None

    def remember(self, agent: str, session: str | None) -> None:
        """Nobody goes on with this one."""


BUSY = "an agent is already proposing tasks for this loop; wait until it is done"


async def propose_tasks(runner: LoopRunner, loop_id: str, *, agent: str, count: int, bus: EventBus) -> tuple[str, ...]:
    """Up to `count` descriptions of tasks that the loop does not have, and at least one. AgentError, Conflict.

    No lease is held, and nothing of the loop is changed.
    """
    mark, runner = generation_of(loop_id), runner.placed_for(runner.store.read(loop_id))
    settings = runner.store.read(loop_id).engine.settings
    around = AgentEnvironment(
        mark, bus.hear, lambda text: bus.publish("output", text), NOWHERE.permit, settings=settings
    )
    recall = NoAgentSessions(runner.store, loop_id, epoch=0, tell=compose_brief)
    with runner.processes.alone(mark, BUSY):
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(runner.processes.owning(mark))
            stack.enter_context(runner.processes.confined(mark, settings))
            turns = await stack.enter_async_context(
                AgentTurns(lambda name: runner.agents(name, around), recall, runner.clock, bus, runner.price)
            )
            if not turns.agent(agent).capabilities.plans:
                named = Advice("name a coding agent: {setting}", "tool", "NAME")
                raise AgentError("refused", f"{agent} cannot propose tasks", advice=named)
            session = LoopSession(
                id=loop_id,
                project=runner.project,
                store=runner.store,
                workspace=runner.workspace,
                tests=runner.tests,
                debugger=runner.debugger(mark, bus),
                turns=turns,
                clock=runner.clock,
                bus=bus,
                epoch=0,
                prompts=runner.prompts,
            )
            report = await _asked(session, agent, count)
    found = _new(session.state(), report)[:count]
    if not found:
        raise AgentError("protocol", f"{agent} proposed no new tasks: {bus.masked(report.message) or 'no report'}")
    return tuple(runner.secrets.masked(words) for words in found)


async def _asked(session: LoopSession, agent: str, count: int) -> ActionReport:
    state = session.state()
    settings = state.engine.settings
    policy = turn_policy(settings.permissions, reading=True)
    # The tool that proposes belongs to INIT, and so does this turn: to the agent it is one more planning.
    message = Message(action="INIT", text="", seconds=settings.action_timeout, policy=policy)
    before = await session.snapshot("before tasks were generated")
    async with undo_writes(session, session.turns, before, "whoever proposes tasks"):
        asked = session.order("generate", count=str(count), tasks=_known(state))
        _, report = await session.report(agent, "INIT", asked, message)
    return report


def _known(state: LoopState) -> str:
    statuses = task_statuses(state)
    return "\n".join(f"- {statuses[task.task_id]}: {task.description}" for task in state.engine.tasks) or "none"


def _new(state: LoopState, report: ActionReport) -> list[str]:
    """What it proposes and the loop does not have, word for word."""
    known = {" ".join(task.description.split()).casefold() for task in state.engine.tasks}
    words = [task.description for task in read_proposals("INIT", report).tasks]
    return [one for one in words if " ".join(one.split()).casefold() not in known]
