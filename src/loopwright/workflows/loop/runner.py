"""Driving a loop in this process: lease, take-over, kernel, and everything closed at the end."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from loopwright.core import notices
from loopwright.core.agent_turns import AgentSessions
from loopwright.core.delivery import commit_tasks
from loopwright.core.kernel import Kernel
from loopwright.core.notices import Notice
from loopwright.core.outcomes import Interrupted
from loopwright.core.ports import Agent, AgentEnvironment, Clock, Debugger, Rule, Store, TestRunner, Workspace
from loopwright.core.prompts import Prompts
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.run_events import EventBus
from loopwright.core.runner import Hold, Runner
from loopwright.core.spending import SharedSpending
from loopwright.core.state import MenuEntry
from loopwright.core.supervisor import wait_until_resumed
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.family import FamilySpending
from loopwright.workflows.loop.flow import LoopFlow
from loopwright.workflows.loop.messages import compose_brief, loop_prompts
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionStep
from loopwright.workflows.loop.publish import missing_changes, publish, read_back
from loopwright.workflows.loop.reducer import ACTION_OF, end_action
from loopwright.workflows.loop.session import LoopSession
from loopwright.workflows.run_flow import BROKEN_OFF, take_checkpoint


async def take_over(session: LoopSession, left: tuple[int, ...]) -> None:
    """Runs once, under the lease, before the first step of this process. `left`: processes that were ended."""
    if left:
        session.bus.publish("activity", f"ended {plural(len(left), 'process')} left behind by an earlier runner")
    state = session.state()
    if state.skill_state is not None and state.skill_state.current_action not in (None, "complete"):
        await _record_interruption(session, state)
    await run_in_thread(commit_tasks, session)
    session.last_result = last_result(read_back(session))
    publish(session, session.state(), missing_changes(session))


def last_result(entries: Iterable[JournalEntry]) -> tuple[str, str] | None:
    """The action that ended last, and how: what the next message to an agent begins with. The latest entry first."""
    for entry in entries:
        match entry.event.type, entry.event.data:  # a journal may hold forged events, with anything in them
            case "taken_over", {"action": str(action)}:
                return action, BROKEN_OFF
            case "action_finished", {"action": str(action), "result": str(result)}:
                return action, result
    return None


async def _record_interruption(session: LoopSession, state: LoopState) -> None:
    assert state.skill_state is not None
    assert state.skill_state.current_action is not None
    action = ACTION_OF[state.skill_state.current_action]
    checkpoint = await take_checkpoint(session, f"interrupted {action}", f"interrupted {action}")
    step = ActionStep(action=action, outcome=Interrupted(BROKEN_OFF), at=session.now(), token=session.clock.token())
    session.commit(lambda latest: end_action(latest, step, checkpoint), "taken_over", action=action)


LOOK_SECONDS = 0.2
"""How often the state is looked at for an answer."""

SHOWS = "status"
"""The entry that only shows something: whoever is elsewhere looks by other means."""


class StatePrompter:
    """Implements ports.Person. Who asks holds the lease, under `epoch`."""

    def __init__(self, loop_id: str, store: Store[LoopState], clock: Clock, epoch: int) -> None:
        self._loop_id, self._store, self._clock, self._epoch = loop_id, store, clock, epoch

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        """Opens the menu, or the part of it that has changed. The step that is begun closes it."""
        offered = tuple(entry for entry in menu if entry.name != SHOWS)
        names = ", ".join(entry.name for entry in offered if not entry.blocked)
        at = self._now()
        while True:
            known = self._made(lambda s: commands.open_menu(s, offered, at), "menu_opened", choices=names).engine.menu
            if known and known.choice in known.free:
                return known.choice
            await self._clock.sleep(LOOK_SECONDS)

    async def ask(self, question: str, options: Sequence[str]) -> str:
        """Waits with the question, as a paused loop would; `answer` answers it."""
        at = self._now()
        self._commit(lambda s: commands.ask_question(s, question, options, at), "question_asked", question=question)
        try:
            while True:
                rule = lambda s: commands.repeat_question(s, question, options, at)  # noqa: E731
                given = self._made(rule, "question_asked", question=question).engine.answer
                if given is not None:
                    return given
                await self._clock.sleep(LOOK_SECONDS)
        finally:
            self._commit(commands.drop_question, "question_taken")

    async def show(self, state: LoopState) -> None:
        """Nobody looks."""

    def _made(self, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
        """The latest state, which is as `rule` wants it: most looks find nothing to commit."""
        state = self._store.read(self._loop_id)
        return state if rule(state) is state else self._commit(rule, type, **data)

    def _commit(self, rule: Rule[LoopState], type: str, **data: str) -> LoopState:
        event = JournalEvent(type=type, data=dict(data))
        return self._store.update(self._loop_id, rule, actor="runner", event=event, epoch=self._epoch)

    def _now(self) -> str:
        return self._clock.now().isoformat(timespec="milliseconds")


def loop_news(before: LoopState, after: LoopState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.find_notice(before, after, lambda was, now: _opened(was, now) or _halted(was, now))


def _opened(before: LoopState, after: LoopState) -> Notice | None:
    """A menu that was not open before."""
    was, now = before.engine.menu, after.engine.menu
    if now is None or now.choice is not None or (was is not None and was.since == now.since):
        return None
    return Notice("needs_person", f"waits for your choice: {', '.join(now.free)}")


def _halted(before: LoopState, after: LoopState) -> Notice | None:
    """A failed task that asked for a pause (on_error)."""
    retry = after.engine.retry
    if after.status != "paused" or before.status != "running" or not retry or retry == before.engine.retry:
        return None
    return Notice("needs_person", f"paused, because a task failed: {', '.join(retry)}")


AgentFactory = Callable[[str, AgentEnvironment], Agent]
"""The agent of that name, in these surroundings; AgentError when there is none."""


@dataclass(frozen=True, kw_only=True)
class LoopRunner(Runner[LoopState]):
    """Drives loops."""

    id_name = "loop_id"

    workspace: Workspace
    tests: TestRunner
    agents: AgentFactory
    debugger: Callable[[str, EventBus], Debugger]
    prompts: Prompts = field(default_factory=loop_prompts)

    def taken_over(self, state: LoopState, *, from_afar: bool) -> LoopState:
        return commands.clear_question(state, from_afar=from_afar)

    def news(self, before: LoopState, after: LoopState) -> Notice | None:
        return loop_news(before, after)

    def shared_spending(self, id: str) -> SharedSpending | None:
        family = self.store.read(id).engine.family
        return FamilySpending(self.store, family.ids, id) if family else None

    async def work(self, id: str, hold: Hold[LoopState]) -> LoopState:
        asked = StatePrompter(id, self.store, self.clock, hold.epoch) if hold.from_afar else hold.person
        if hold.begun.mode == "auto":
            asked = None
        recall = AgentSessions(self.store, id, hold.epoch, tell=compose_brief)
        apart = AgentSessions(self.store, id, hold.epoch, tell=lambda state, folder, said: "", prefix="review/")
        async with (
            self.turns(id, hold, self.agents, recall, self.project) as turns,
            self.turns(id, hold, self.agents, apart, self.project, hears=False) as reviewing,
        ):
            session = LoopSession(
                id=id,
                project=self.project,
                store=self.store,
                workspace=self.workspace,
                branches=self.branches,
                tests=self.tests,
                debugger=self.debugger(id, hold.bus),
                turns=turns,
                reviewing=reviewing,
                clock=self.clock,
                bus=hold.bus,
                epoch=hold.epoch,
                prompts=self.prompts,
                interactive=asked is not None,
                person=asked,
            )
            await take_over(session, hold.left)
            state = await Kernel(LoopFlow(session), self.clock).drive()
            while await wait_until_resumed(session, state, session.turns.rest, commands.resume_parked):
                state = await Kernel(LoopFlow(session), self.clock).drive()
            return session.state()
