"""Driving a run in this process, whatever its kind: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import ClassVar, Generic, Protocol, Self, get_args

from loopwright.core.agent_turns import AgentTurns, SessionMemory
from loopwright.core.cycle_names import Role
from loopwright.core.errors import LoopwrightError, NoSandbox, NotFound
from loopwright.core.notices import Event as NoticeKind
from loopwright.core.notices import IdName, Notice, find_notice
from loopwright.core.notifier import NotificationDispatcher
from loopwright.core.permits import PermissionQueue
from loopwright.core.person_messages import PersonMessageQueue, settle_broken_deliveries
from loopwright.core.ports import (
    Agent,
    AgentEnvironment,
    Clock,
    Notifier,
    Processes,
    Prompter,
    Rule,
    RunBranches,
    Store,
)
from loopwright.core.protocol import Usage
from loopwright.core.record import JournalEvent
from loopwright.core.recording import Transcript, TurnRecorder, earlier_messages
from loopwright.core.run import R, add_incidents
from loopwright.core.run_events import EventBus
from loopwright.core.spending import BudgetMeter, SharedSpending
from loopwright.core.state import Budget, Incident, RunBranch, Waiting
from loopwright.core.threads import run_in_thread
from loopwright.core.transcript import TRANSCRIPT
from loopwright.policy.secrets import SHAPES_ALONE, SecretFilter, withheld_words

"""Only what looks like a secret is one."""


def no_price(usage: Usage) -> float | None:
    """No price is known for anything."""
    return None


class PlacedAgentFactory(Protocol):
    """The agent of that name, in these surroundings, at work in a folder (None: the project). AgentError."""

    def __call__(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent: ...


@dataclass(frozen=True)
class Hold(Generic[R]):
    """One run, held under a lease of this `epoch`.

    `begun`: its state when the lease was taken; `left`: processes of an earlier runner that were ended. `bus` also
    keeps the transcript, `shown` does not. `meter`: its budget while turns are under way. `person` sits at this
    terminal; with `from_afar`, people answer through the state.
    """

    begun: R
    epoch: int
    bus: EventBus
    shown: EventBus
    permits: PermissionQueue[R]
    left: tuple[int, ...]
    meter: BudgetMeter
    person: Prompter | None
    from_afar: bool


@dataclass(frozen=True, kw_only=True)
class Runner(Generic[R]):
    """What runners of all kinds have; `drive` may be called for one run after another.

    `price`: US dollars of a turn whose agent tells only its tokens, where that is known. `secrets` are kept out of all
    that is told of the agents. `branches` make worktrees for runs that want one, and `placed` gives the runner that
    works there.
    """

    project: str
    store: Store[R]
    clock: Clock
    processes: Processes
    price: Callable[[Usage], float | None] = no_price
    secrets: SecretFilter = SHAPES_ALONE
    notifiers: tuple[Notifier, ...] = ()
    notify_on: frozenset[NoticeKind] = frozenset(get_args(NoticeKind))
    branches: RunBranches | None = None
    placed: Callable[[RunBranch], Self] | None = None

    id_name: ClassVar[IdName]

    async def drive(
        self, id: str, *, take_up: Rule[R], bus: EventBus, person: Prompter | None = None, from_afar: bool = False
    ) -> R:
        """Takes the lease, applies `take_up` under it, and runs until the run rests.

        `person` sits at this terminal; `from_afar`: nobody does, and an interactive loop asks through its state.
        Conflict when another runner has the lease.
        """
        recorded = EventBus(*bus.observers, Transcript(self.store, self.clock, id), secrets=self.secrets)
        dispatcher = NotificationDispatcher(
            id,
            self.project,
            self.id_name,
            self.news,
            self.store,
            self.clock,
            self.notifiers,
            self.notify_on,
            self.secrets,
            say=partial(recorded.publish, "activity"),
        )

        state = await self._hold(id, bus, dispatcher, person, from_afar, take_up)
        while self._is_abandoned(id):  # whoever resumed it while the lease was let go saw a runner, and started none
            state = await self._hold(id, bus, dispatcher, person, from_afar, lambda state: state)
        await dispatcher.end(state)
        return state

    def _is_abandoned(self, id: str) -> bool:
        """Whether it shall run on, and nobody is there to drive it."""
        try:
            state = self.store.read(id)
            return state.status == "running" and not self.awaits_person(state) and self.store.holder(id) is None
        except NotFound:
            return False

    async def _hold(
        self,
        id: str,
        shown: EventBus,
        dispatcher: NotificationDispatcher[R],
        person: Prompter | None,
        from_afar: bool,
        take_up: Rule[R],
    ) -> R:
        """What `drive` does while it has the lease."""
        later = asyncio.get_running_loop().call_later
        kept = shown.also(Transcript(self.store, self.clock, id), self.secrets, later)
        with self.store.lease(id) as lease, closing(kept) as bus:
            begun = self.store.update(
                id,
                lambda state: self.taken_over(settle_broken_deliveries(take_up(state)), from_afar=from_afar),
                actor="runner",
                event=JournalEvent(type="running"),
                epoch=lease.epoch,
            )
            permits = PermissionQueue(
                id, self.store, self.clock, bus, epoch=lease.epoch, person=person, secrets=self.secrets
            )
            permits.forget_old()
            async with self.processes.owning(id) as left, dispatcher.watching(begun):
                if withheld := self.processes.withheld():
                    bus.publish("activity", withheld_words(withheld))
                meter = self._make_meter(id, lease.epoch)
                hold = Hold(begun, lease.epoch, bus, shown, permits, left, meter, person, from_afar)
                try:
                    with self.processes.confined(id, begun.engine.settings):
                        runner = await self._in_place(id, hold)
                        return await runner.work(id, hold) if runner else self.store.read(id)
                except NoSandbox as error:
                    return self._wait_for(id, hold, str(error))

    def _make_meter(self, id: str, epoch: int) -> BudgetMeter:
        def read() -> Budget:
            return self.store.read(id).engine.budget

        def hold(limit: str) -> None:
            if read().held != limit:
                rule: Rule[R] = lambda s: s.evolve(engine=s.engine.evolve(budget=s.engine.budget.evolve(held=limit)))  # noqa: E731
                event = JournalEvent(type="budget_held", data={"limit": limit})
                self.store.update(id, rule, actor="runner", event=event, epoch=epoch)

        return BudgetMeter(read, hold, self.price, self.clock.monotonic, self.shared_spending(id))

    def shared_spending(self, id: str) -> SharedSpending | None:
        """What other runs have spent of its budget; None where it has that for itself."""
        return None

    def placed_for(self, state: R) -> Self:
        """The runner in the run's worktree, where it has one already."""
        branch = state.engine.branch
        if not state.engine.settings.worktree or branch is None or not branch.is_ready or self.placed is None:
            return self
        return self.placed(branch)

    async def _in_place(self, id: str, hold: Hold[R]) -> Self | None:
        """The runner in the worktree of a run that wants one, which is made first where it is not there.

        None where it cannot be made: then the run is paused, and says why.
        """
        engine, branches = hold.begun.engine, self.branches
        if not engine.settings.worktree or branches is None or self.placed is None or hold.begun.status != "running":
            return self

        try:
            branch = engine.branch or await self._plan(id, hold)
            if not branch.is_ready or not await run_in_thread(branches.is_there, branch):
                kept = engine.checkpoints[-1].commit if branch.is_ready and engine.checkpoints else None
                branch, told = await run_in_thread(branches.lay_out, id, branch, kept)
                self._keep_branch(id, hold, branch, "worktree_ready", told)
        except LoopwrightError as error:
            self._wait_for(id, hold, f"the worktree cannot be made: {error}")
            return None
        return self.placed(branch)

    def _wait_for(self, id: str, hold: Hold[R], words: str) -> R:
        """Pauses a run that cannot begin, until somebody has mended that and resumes it."""
        waiting = Waiting(question=words, since=self.clock.now().isoformat(timespec="milliseconds"), by_resuming=True)
        hold.bus.publish("activity", words)
        return self.store.update(
            id,
            lambda s: s.evolve(status="paused", engine=s.engine.evolve(waiting=waiting)),
            actor="runner",
            event=JournalEvent(type="waiting"),
            epoch=hold.epoch,
        )

    async def _plan(self, id: str, hold: Hold[R]) -> RunBranch:
        """Committed before anything is made, so that whoever comes next knows what is the run's."""
        assert self.branches is not None
        branch, words = await run_in_thread(self.branches.plan, id)
        self._keep_branch(id, hold, branch, "worktree_planned", (words,))
        return branch

    def _keep_branch(self, id: str, hold: Hold[R], branch: RunBranch, type: str, told: Sequence[str]) -> None:
        """Commits it to the state, with an incident for each thing there is to be told."""
        at = self.clock.now().isoformat(timespec="milliseconds")
        noted = tuple(Incident(kind="worktree", message=words, at=at) for words in told)
        self.store.update(
            id,
            lambda state: add_incidents(state.evolve(engine=state.engine.evolve(branch=branch)), noted),
            actor="runner",
            event=JournalEvent(type=type, data={"branch": branch.name, "path": branch.path}),
            epoch=hold.epoch,
        )
        for words in told:
            hold.bus.publish("activity", words)

    async def work(self, id: str, hold: Hold[R]) -> R:
        """Takes up what the last runner left, and drives the workflow until it rests."""
        raise NotImplementedError

    def taken_over(self, state: R, *, from_afar: bool) -> R:
        """The state as this runner begins with it."""
        return state

    def awaits_person(self, state: R) -> bool:
        """Whether one that says running waits for a person."""
        return False

    def news(self, before: R, after: R) -> Notice | None:
        """What a person should hear of that change."""
        return find_notice(before, after)

    def turns(
        self,
        id: str,
        hold: Hold[R],
        agents: Callable[[str, AgentEnvironment], Agent],
        recall: SessionMemory,
        place: str,
        bus: EventBus | None = None,
        role: Role | None = None,
        *,
        anew: bool = False,
        hears: bool = True,
    ) -> AgentTurns:
        """The turns of agents that work in `place`, recorded on the bus of their `role`, or else on that of the run.

        `anew`: what earlier runners sent them is sent again. `hears`: what people tell is for them.
        """
        bus = bus or hold.bus
        output, settings = partial(bus.publish, "output"), hold.begun.engine.settings
        around = AgentEnvironment(id, bus.hear, output, hold.permits, settings=settings)
        if not anew:
            known, until = transcript_name(role), hold.begun.engine.rev
            earlier = partial(earlier_messages, self.store, id, until=until, name=known, role=role)
            around = replace(around, earlier=earlier)
        recorder = TurnRecorder(bus, place)
        queue = PersonMessageQueue(self.store, self.clock, id, hold.epoch, role) if hears else None
        make = lambda name: agents(name, around)  # noqa: E731
        return AgentTurns(make, recall, self.clock, bus, self.price, recorder, hold.meter, queue)


def transcript_name(role: str | None) -> str:
    """The file, among the progress files, of the role's transcript, or of the run's."""
    return f"{role}/{TRANSCRIPT}" if role else TRANSCRIPT
