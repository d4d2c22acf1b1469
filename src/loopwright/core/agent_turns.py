"""One session with each agent: spawned at the first message, kept until the run rests or is parked."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol

from loopwright.core.agent_failures import TABLE, RetryAfter, choose_retry
from loopwright.core.context import MeasuredRunContext
from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.person_messages import LONGEST_ANSWER, PersonMessageQueue, as_order
from loopwright.core.ports import Agent, Clock, Snapshot, Store
from loopwright.core.protocol import ActionReport, AgentOutput, Message, Usage
from loopwright.core.record import JournalEvent
from loopwright.core.recording import TurnRecorder
from loopwright.core.run import R
from loopwright.core.run_events import EventBus
from loopwright.core.spending import BudgetMeter, BudgetSign, SpentTotal, UsageLedger, sum_turns
from loopwright.core.state import DeliveryWay, PersonMessage
from loopwright.core.text import plural
from loopwright.core.threads import run_in_thread
from loopwright.reports.text import find_report_problem, parse_report

SLACK = 5.0
"""Seconds of silence beyond the limit (at most a quarter of it): an agent that keeps the limit itself speaks first."""


NOTICED = 5.0
"""Seconds of silence that a person is told of; from there on each time that they have doubled."""


@dataclass
class TurnWatch:
    """Counts the seconds of a turn from one look to the next; time in which it waits for a person's answer stands.

    `seconds` for all of it, `silence` between two signs of life (0: no limit), `last`: when it was looked at.
    """

    seconds: float
    silence: float
    last: float
    worked: float = 0
    quiet: float = 0
    sign: tuple[int, str] = (0, "")
    noticed: float = NOTICED

    def late(self, output: AgentOutput, now: float) -> str | None:
        """The limit that is reached, in words; None while there is time."""
        passed, self.last = max(now - self.last, 0), now
        if not output.asking:
            self.worked += passed
            self.quiet += passed
        sign = (output.signs, output.text)
        if output.asking or sign != self.sign:
            self.quiet, self.sign, self.noticed = 0, sign, NOTICED
        if self.worked >= self.seconds:
            return f"was still working after {self.seconds:g} s"
        if self.silence and self.quiet >= self.silence + min(SLACK, self.silence / 4):
            return f"showed no activity for {self.silence:g} s"
        return None

    def notice(self) -> str | None:
        """That nothing has come for a while, when it is time to say so."""
        if self.quiet < self.noticed:
            return None
        words = f"has shown no activity for {self.noticed:g} s"
        while self.noticed <= self.quiet:
            self.noticed *= 2
        return words


LONGEST_NAME = 500
"""Characters of a session's name; what is longer is no name that could be found again."""


class SessionMemory(Protocol):
    """What is known of the agents' earlier sessions, by the agent's name."""

    def session(self, agent: str) -> str | None:
        """The session of that agent, to be gone on with."""
        ...

    def remember(self, agent: str, session: str | None) -> None:
        """Keeps its name; None forgets."""
        ...

    def brief(self, said: str) -> str:
        """For a session that knows nothing; empty where there is nothing to know. `said`: the end of a broken turn."""
        ...


@dataclass(frozen=True)
class AgentSessions(Generic[R]):
    """Keeps the agents' own session names in the state, under the runner's lease.

    `tell` puts the work so far in words, from the state, the folder of its progress files, and what was said last in a
    turn that broke off. `prefix`: what the names are kept under, where one agent has several sessions.
    """

    store: Store[R]
    id: str
    epoch: int
    tell: Callable[[R, str, str], str]
    prefix: str = ""

    def session(self, agent: str) -> str | None:
        return self.store.read(self.id).engine.sessions.get(self.prefix + agent)

    def remember(self, agent: str, session: str | None) -> None:
        """Committed at once, so that it is found again also after a runner's death in its first turn; None forgets."""
        if session == self.session(agent) or (session is not None and len(session) > LONGEST_NAME):
            return

        kept = self.prefix + agent

        def rule(state: R) -> R:
            others = {name: id for name, id in state.engine.sessions.items() if name != kept}
            return state.evolve(engine=state.engine.evolve(sessions=others | ({kept: session} if session else {})))

        event = JournalEvent(type="session" if session else "session_left", data={"agent": kept, "session": session})
        self.store.update(self.id, rule, actor="runner", event=event, epoch=self.epoch)

    def brief(self, said: str) -> str:
        return self.tell(self.store.read(self.id), str(self.store.progress_path(self.id)), said)


INTERRUPTED = "Your turn was cut off for this. Then continue with what you were ordered to do, and report as ordered."
BROKEN_OFF = "Your last turn broke off before it ended. Look at the current state and continue from there."

TEXT_KEPT = 200_000
"""Characters of an answer that are kept: the end of it, where the report stands."""

WHOLE_EVERY = 10
"""Messages of a session after which one holds all again: goal, rules, and how to report."""

LOOK_SECONDS = 0.2
"""How often a turn is held against its limits."""

CANCEL_SECONDS = 10.0
"""How long a turn that was cancelled may take to end."""


class TurnAnswer(NamedTuple):
    """How a turn ended. `late`: the limit it was cut off at, in words; `used_up`: with it the whole budget.

    `interrupted`: it is under way, and to be cut off for what a person tells.
    """

    output: AgentOutput
    late: str | None = None
    used_up: bool = False
    interrupted: bool = False


class ReportedAnswer(NamedTuple):
    """An answer with its report, of status none where there is none. `asked_again`: the first answer had none;
    `late`: see TurnAnswer.
    """

    output: AgentOutput
    report: ActionReport
    asked_again: bool = False
    late: str | None = None


def clip_output(output: AgentOutput) -> AgentOutput:
    if len(output.text) <= TEXT_KEPT:
        return output
    return output.evolve(text=output.text[-TEXT_KEPT:], truncated=True)


class AgentTurns:
    """Sends messages and waits for answers; `async with` closes every session that was opened.

    `recorder` hears of all that passes; without one nobody does. `meter`: the budget that holds within a turn;
    `queue`: what people tell the agents.
    """

    def __init__(
        self,
        agents: Callable[[str], Agent],
        recall: SessionMemory,
        clock: Clock,
        bus: EventBus,
        price: Callable[[Usage], float | None],
        recorder: TurnRecorder | None = None,
        meter: BudgetMeter | None = None,
        queue: PersonMessageQueue[Any] | None = None,
    ) -> None:
        self._make, self._recall, self._clock, self._bus, self._price = agents, recall, clock, bus, price
        self._recorder = recorder or TurnRecorder(EventBus(), project="")
        self._agents: dict[str, Agent] = {}
        self._open: dict[str, str] = {}
        self._sent_since: dict[str, int] = {}
        self._said: dict[str, str] = {}
        self._meter, self._queue = meter, queue
        self._sending: tuple[PersonMessage, ...] = ()
        self._read: tuple[PersonMessage, ...] = ()
        self._ledger = meter.open_ledger() if meter else UsageLedger()
        self._wrote: set[str] = set()

    async def __aenter__(self) -> "AgentTurns":
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.rest()

    async def rest(self) -> None:
        """Closes every session; the next message to an agent goes on with the one it had."""
        async with AsyncExitStack() as closing:
            for name in tuple(self._open):
                closing.push_async_callback(self.close, name)

    def agent(self, name: str) -> Agent:
        """The agent of that name. AgentError when there is none."""
        if name not in self._agents:
            self._agents[name] = self._make(name)
            self._recorder.meet(name, self._agents[name])
        return self._agents[name]

    def begun(self, name: str) -> bool:
        """Whether the next message continues a session: one that is open, or one that will be loaded."""
        return name in self._open or self._recall.session(name) is not None

    async def ask(self, name: str, message: Message) -> AgentOutput:
        """One turn, through what can be mended. AgentError ends the session; so does cancelling."""
        with self._recorder.watch(name, message):
            output = (await self._mended(name, message, message, (), [])).output
        self._recorder.end(name, message, output, output.report)
        return output

    async def report(
        self, name: str, message: Message, wrap_ups: Sequence[Message], ask_again: Callable[[str], str]
    ) -> ReportedAnswer:
        """One turn with its report; asked for once more where there is none to be read. AgentError.

        `wrap_ups` are sent one after the other when the turn's time is up, until it reports; without any it is only cut
        off. `ask_again` makes the text that asks once more, out of words for what could not be read.
        """
        troubles: list[AgentTrouble] = []
        with self._recorder.watch(name, message), self._delivering():
            message = self._with_told(name, message)
            answer = await self._mended(name, message, message, wrap_ups, troubles)
            found = _report(answer.output, message.action)
            asked_again = found is None
            if asked_again:
                problem = find_report_problem(clip_output(answer.output).text, message.action)
                asking = message.evolve(text=ask_again(problem), short="", by_text="", told="")
                answer = await self._mended(name, asking, message, wrap_ups, troubles)
                found = _report(answer.output, message.action)
        output = clip_output(answer.output)
        report = self._recorder.mask(found or ActionReport(action=message.action, status="none"))
        self._recorder.end(name, message, output, report)
        if self._queue:
            self._queue.answer(self._read, report.message or output.text[-LONGEST_ANSWER:])
        return ReportedAnswer(output, report, asked_again, answer.late)

    async def close(self, name: str) -> None:
        if name in self._open:
            await self.agent(name).close_agent(self._open.pop(name))

    async def begin_anew(self, name: str) -> None:
        """The next message to that agent opens a session that knows nothing."""
        await self.close(name)
        self._said.pop(name, None)
        self._recall.remember(name, None)

    async def spent(self) -> SpentTotal:
        """What all turns since the last call cost, also those that failed."""
        costs = {name: takes_prose(agent) for name, agent in self._agents.items()}
        return await run_in_thread(sum_turns, self._ledger.take(), self._price, costs.__getitem__)

    def written(self) -> frozenset[str]:
        """What the agents' own tool calls have written since the last call, also in turns that broke off."""
        taken = frozenset(self._wrote)
        self._wrote.clear()
        return taken

    async def _mended(
        self, name: str, message: Message, whole: Message, wrap_ups: Sequence[Message], troubles: list[AgentTrouble]
    ) -> TurnAnswer:
        """One turn; what goes wrong is mended as core/agent_failures says. `troubles` are those of the whole action.

        `whole` is what a new process is sent instead of `message`.
        """
        while True:
            try:
                answer = await self._sent(name, message)
                while answer.interrupted:
                    answer = await self._told_anew(name, message)
                if answer.late is None:
                    return answer
                ways = () if answer.used_up else wrap_ups
                return await self._out_of_time(name, answer.late, message.action, ways)
            except asyncio.CancelledError:
                await self.close(name)
                raise
            except AgentError as error:
                cure = choose_retry(error, troubles, self._clock.now())
                troubles.append(error.kind)
                if not isinstance(cure, RetryAfter):
                    await self.close(name)
                if cure is None:
                    if TABLE[error.kind].then == "fails":  # what broke is not loaded another time, but begun anew
                        self._recall.remember(name, None)
                    raise
                if isinstance(cure, RetryAfter):
                    self._tell(f"{name}: {error}; asking again in {cure.seconds:.0f} s")
                    await self._wait_to_ask_again(name, cure.seconds)
                else:
                    self._tell(f"{name}: {error}; starting it again")
                    message = whole.evolve(text=f"{BROKEN_OFF}\n\n{whole.text}")

    @contextmanager
    def _delivering(self) -> Iterator[None]:
        """What is on its way when the turn breaks off has not arrived, and waits for the next one."""
        self._read = ()
        try:
            yield
        finally:
            if self._queue:
                self._queue.put_back(self._sending)
            self._sending = ()

    def _with_told(self, name: str, message: Message) -> Message:
        """The message, with what people have told its agent meanwhile."""
        waiting = self._queue.waiting() if self._queue and takes_prose(self.agent(name)) else ()
        self._take(waiting, name, "order")
        return message.evolve(told=as_order(waiting)) if waiting else message

    def _take(self, messages: tuple[PersonMessage, ...], name: str, way: DeliveryWay) -> None:
        if self._queue and messages:
            self._queue.take(messages, name, way)
            self._sending = messages

    def _confirm(self) -> None:
        if self._queue and self._sending:
            self._queue.confirm(self._sending)
            self._read = (*self._read, *self._sending)
            self._sending = ()

    async def _is_to_be_cut_off(self, name: str, output: AgentOutput) -> bool:
        """Tells the agent within its turn what people have told; True where it can only be told in another, and now."""
        if not self._queue or not output.received or not takes_prose(self.agent(name)):
            return False
        waiting = self._queue.waiting()
        if not output.steers:
            is_urgent = any(message.now for message in waiting)
            self._take(waiting if is_urgent else (), name, "interrupted")
            return is_urgent
        if not waiting:
            return False
        self._take(waiting, name, "steered")
        try:
            is_told = await self.agent(name).steer(self._open[name], as_order(waiting))
        except AgentError:
            self._queue.give_up(waiting)
            self._sending = ()
        else:
            if is_told:
                self._confirm()
            else:
                self._queue.put_back(waiting)
                self._sending = ()
        return False

    async def _told_anew(self, name: str, message: Message) -> TurnAnswer:
        """Cuts the turn off, and goes on with it after what people have told."""
        cut = await self._cut_off(name, message.action)
        if cut.running:
            raise AgentError("timeout", f"{name} could not be cut off for what it was told")
        text = f"{as_order(self._sending)}\n\n{INTERRUPTED}"
        return await self._sent(name, message.evolve(text=text, short="", by_text="", told=""))

    async def _wait_to_ask_again(self, name: str, seconds: float) -> None:
        """AgentError(timeout) where the budget does not last that long."""
        left = self._meter.seconds_left() if self._meter else seconds
        await self._clock.sleep(max(min(seconds, left), 0))
        if (sign := await self._budget_sign()) and sign.used_up:
            self._hold(sign)
            await self.close(name)
            raise AgentError("timeout", f"{name} {sign.words}")

    def _hold(self, sign: BudgetSign) -> None:
        assert self._meter is not None
        self._meter.hold(sign.limit)

    async def _budget_sign(self) -> BudgetSign | None:
        return await self._meter.sign() if self._meter else None

    async def _sent(self, name: str, message: Message, *, wraps_up: bool = False) -> TurnAnswer:
        """Sends a message and waits for the answer, or for a limit; then the turn is still under way.

        `wraps_up`: it is the one message that a budget leaves room for.
        """
        agent = self.agent(name)
        if not wraps_up and takes_prose(agent) and (sign := await self._budget_sign()) and sign.used_up:
            self._hold(sign)
            raise AgentError("timeout", f"{name} {sign.words}")
        self._ledger.begin(name)
        if name in self._open:
            self._sent_since[name] += 1
            if self._sent_since[name] % WHOLE_EVERY == 0:  # what it was told at first may have left its context
                message = message.evolve(short="")
            self._recorder.send(name, message, first=False)
            await agent.send_input(self._open[name], message)
        else:
            self._sent_since[name] = 0
            brief = self._recall.brief(self._said.pop(name, ""))
            message = message.evolve(session=self._recall.session(name), brief=brief)
            self._recorder.send(name, message, first=True)
            self._open[name] = await agent.spawn_agent(message)
        return await self._waited(name, message.seconds, message.silence, wraps_up=wraps_up)

    async def _waited(self, name: str, seconds: float, silence: float, *, wraps_up: bool) -> TurnAnswer:
        agent, id = self.agent(name), self._open[name]
        watch = TurnWatch(seconds, silence, self._clock.monotonic())
        while True:
            output = (await agent.wait([id], LOOK_SECONDS * 1000))[id]
            self._hear(name, output)
            if output.received or not output.running:
                self._confirm()
            if not output.running:
                return TurnAnswer(output)
            if not wraps_up and await self._is_to_be_cut_off(name, output):
                return TurnAnswer(output, interrupted=True)
            if late := watch.late(output, self._clock.monotonic()):
                return TurnAnswer(output, late)
            sign = await self._budget_sign()
            has_room = not takes_prose(agent) or (wraps_up and not self._ledger.step.tokens)
            if sign and (sign.used_up or not has_room):
                self._hold(sign)
                return TurnAnswer(output, sign.words, sign.used_up)
            if takes_prose(agent) and (words := watch.notice()):
                self._tell(f"{name} {words}")

    async def _ended(self, name: str, seconds: float) -> AgentOutput:
        """The end of a turn that was cancelled; it is `running` where that did not come in so many seconds."""
        agent, id = self.agent(name), self._open[name]
        output = (await agent.wait([id], seconds * 1000))[id]
        self._hear(name, output)
        return output

    def _hear(self, name: str, output: AgentOutput) -> None:
        """What has to outlive the turn, should it break off: its words, cost and files, and its session's name."""
        self._ledger.heard(output.usage, done=not output.running)
        self._wrote.update(output.wrote)
        if output.running:
            self._said[name] = output.text
        else:
            self._said.pop(name, None)
        if output.session is not None:
            self._recall.remember(name, output.session)

    async def _out_of_time(self, name: str, late: str, action: str, wrap_ups: Sequence[Message]) -> TurnAnswer:
        """Cuts the turn off and has the agent wrap up, each way once. AgentError(timeout) where it does not."""
        ways = wrap_ups if takes_prose(self.agent(name)) else ()
        self._tell(f"{name} {late}; {'asking it to wrap up' if ways else 'it is cut off'}")
        cut, asked = await self._cut_off(name, action), 0
        while not _report(cut, action) and asked < len(ways) and not cut.running:
            answer, asked = await self._wrapped_up(name, ways[asked], late), asked + 1
            if answer.late is None:
                cut = answer.output
            elif asked < len(ways):
                cut = await self._cut_off(name, action)
        if _report(cut, action):
            return TurnAnswer(cut, late)
        raise AgentError("timeout", f"{name} {late}{', and did not wrap up' if asked else ''}")

    async def _wrapped_up(self, name: str, wrap_up: Message, late: str) -> TurnAnswer:
        try:
            return await self._sent(name, wrap_up, wraps_up=True)
        except AgentError as error:
            if TABLE[error.kind].then != "fails":
                raise
            raise AgentError("timeout", f"{name} {late}, and did not wrap up: {error}") from error

    async def _cut_off(self, name: str, action: str) -> AgentOutput:
        """Ends the turn under way; it is `running` where that did not help. What it said is not forgotten."""
        agent, id = self.agent(name), self._open[name]
        try:
            async with asyncio.timeout(CANCEL_SECONDS):
                await agent.cancel_turn(id)
            output = await self._ended(name, CANCEL_SECONDS)
            self._ledger.cut_off()
        except (AgentError, TimeoutError) as error:
            self._tell(f"{name} could not be cut off: {error or 'it does not answer'}")
            return AgentOutput(agent_id=id, running=True)
        if not _report(output, action):
            self._said[name] = output.text
        return output

    def _tell(self, words: str) -> None:
        self._bus.publish("activity", words)


def _report(output: AgentOutput, action: str) -> ActionReport | None:
    return output.report or parse_report(clip_output(output).text, action)


def takes_prose(agent: Agent) -> bool:
    """Whether it reads what is written to it; commands and the embedded debugger do not."""
    can = agent.capabilities
    return can.plans or can.writes_code or can.writes_tests or (can.debugs and not can.measures)


SHOWN = 10
"""Files that an incident names."""


@asynccontextmanager
async def undo_writes(
    ground: MeasuredRunContext[R], turns: AgentTurns, before: Snapshot, who: str
) -> AsyncIterator[None]:
    """However the block ends, files are put back that the tool calls of these `turns` wrote in it.

    Other changes may be the user's: they stay, and are told.
    """
    turns.written()
    try:
        yield
    finally:
        await _put_back(ground, before, who, turns.written())


async def _put_back(ground: MeasuredRunContext[R], before: Snapshot, who: str, wrote: frozenset[str]) -> None:
    if await run_in_thread(ground.workspace.tree) == before.tree:
        return
    now = await ground.snapshot(f"after {who}")
    changed = [change.file for change in await run_in_thread(ground.workspace.changes, before.commit, now.commit)]
    own = [file for file in changed if file in wrote]
    others = [file for file in changed if file not in wrote]
    if own:
        await run_in_thread(ground.workspace.restore, before.commit, own)
        ground.note("put_back", f"reverted what {who} wrote: {_named(own)}")
    if others:
        ground.note("changed_meanwhile", f"changed while {who} ran, left as is: {_named(others)}")


def _named(files: list[str]) -> str:
    more = f" and {plural(len(files) - SHOWN, 'other')}" if len(files) > SHOWN else ""
    return ", ".join(files[:SHOWN]) + more
