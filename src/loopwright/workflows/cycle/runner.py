"""Driving a cycle in this process: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol, get_args

from loopwright.core import notices
from loopwright.core.agent_turns import Recall, Turns
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.kernel import driven, held_until_it_rests
from loopwright.core.notices import Event as NoticeKind
from loopwright.core.notices import Letter, Notice
from loopwright.core.notifier import Herald
from loopwright.core.permits import Permits
from loopwright.core.ports import (
    Agent,
    Clock,
    Debugger,
    Notifier,
    Person,
    Processes,
    Rule,
    Store,
    Surroundings,
    Surveyor,
    TestRunner,
    Workspace,
    Worktrees,
)
from loopwright.core.prompts import Prompts
from loopwright.core.protocol import Usage
from loopwright.core.record import Event
from loopwright.core.recording import RecordedTurns, Transcript, earlier_messages
from loopwright.core.run_events import Bus
from loopwright.core.supervisor import until_it_goes_on
from loopwright.core.threads import in_thread
from loopwright.core.transcript import TRANSCRIPT
from loopwright.policy.secrets import Secrets
from loopwright.workflows.cycle.commands import goes_on
from loopwright.workflows.cycle.flow import CycleFlow, take_over
from loopwright.workflows.cycle.messages import cycle_brief, cycle_prompts
from loopwright.workflows.cycle.model import FINISHED, CycleState
from loopwright.workflows.cycle.publish import publish
from loopwright.workflows.cycle.session import Board, CycleSession, Lanes, Opener, lane_name


def cycle_news(before: CycleState, after: CycleState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.news(before, after)


def cycle_letter(notice: Notice, state: CycleState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
    return notices.letter(notice, state, project, at, masked, cycle_id=state.cycle_id)


class RoleAgents(Protocol):
    """The agent of that name, in these surroundings, at work in a folder (None: the project). AgentError."""

    def __call__(self, name: str, around: Surroundings, at: Path | None = None) -> Agent: ...


def unknown(usage: Usage) -> float | None:
    """No price is known for anything."""
    return None


NO_VALUES = Secrets()
"""Only what looks like a secret is one."""


@dataclass(frozen=True)
class CycleRunner:
    """The ports a runner needs; `drive` may be called for one cycle after another.

    `debugger` locates faults in a folder; its processes carry the cycle's mark. `price`: US dollars of a turn whose
    agent tells only its tokens, where that is known. `secrets` are kept out of all that is told of the agents.
    """

    project: str
    store: Store[CycleState]
    workspace: Workspace
    worktrees: Worktrees
    surveyor: Surveyor
    tests: TestRunner
    clock: Clock
    processes: Processes
    agents: RoleAgents
    debugger: Callable[[str, Bus, Path], Debugger]
    price: Callable[[Usage], float | None] = unknown
    prompts: Prompts = field(default_factory=cycle_prompts)
    secrets: Secrets = NO_VALUES
    notifiers: tuple[Notifier, ...] = ()
    notify_on: frozenset[NoticeKind] = frozenset(get_args(NoticeKind))

    async def drive(
        self, cycle_id: str, *, take_up: Rule[CycleState], bus: Bus, person: Person | None = None
    ) -> CycleState:
        """Takes the lease, applies `take_up` under it, and runs until the cycle rests.

        `person` sits at this terminal. Conflict when another runner has the lease.
        """
        herald = Herald(
            cycle_id, self.project, cycle_news, cycle_letter, self.store, self.clock, self.notifiers, self.notify_on,
            self.secrets, say=partial(bus.publish, "activity"),
        )  # fmt: skip

        async def hold(rule: Rule[CycleState]) -> CycleState:
            return await self._held(cycle_id, rule, bus, herald, person)

        state = await held_until_it_rests(self.store, cycle_id, take_up, hold)
        await herald.end(state)
        return state

    async def _held(
        self, cycle_id: str, take_up: Rule[CycleState], shown: Bus, herald: Herald[CycleState], person: Person | None
    ) -> CycleState:
        """What `drive` does while it has the lease."""
        with self.store.lease(cycle_id) as lease, closing(self._ears(cycle_id, shown, None)) as bus:
            begun = self.store.update(cycle_id, take_up, actor="runner", event=Event(type="running"), epoch=lease.epoch)
            permits = Permits(
                cycle_id, self.store, self.clock, bus, epoch=lease.epoch, person=person, secrets=self.secrets
            )
            permits.forget_old()
            board = Board(self.store, cycle_id, self.clock)
            async with (
                self.processes.owning(cycle_id) as left,
                self._ears_of_roles(cycle_id, Bus(*shown.observers, board.hear)) as ears,
                Lanes(self._opener(begun, lease.epoch, ears, permits)) as lanes,
                herald.watching(begun),
            ):
                session = CycleSession(
                    id=cycle_id, project=self.project, store=self.store, workspace=self.workspace,
                    worktrees=self.worktrees, surveyor=self.surveyor, tests=self.tests, lanes=lanes, ears=ears,
                    board=board, debugger=partial(self.debugger, cycle_id, ears["cd"]), clock=self.clock, bus=bus,
                    epoch=lease.epoch, prompts=self.prompts, person=person,
                )  # fmt: skip
                await take_over(session, left)
                state = await driven(CycleFlow(session), self.clock)
                while await until_it_goes_on(session, state, lanes.rest, goes_on):
                    state = await driven(CycleFlow(session), self.clock)
                state = session.state()
                publish(session, state)  # a stop between two steps has ended it without one
            if state.status in FINISHED:
                await in_thread(self.worktrees.close, cycle_id)
            return state

    def _opener(self, begun: CycleState, epoch: int, ears: Mapping[Role, Bus], permits: Permits[CycleState]) -> Opener:
        """Opens a role's turns in a lane."""
        cycle_id = begun.cycle_id

        def opened(role: Role, lane: int | None, at: Path | None) -> Turns:
            bus = ears[role]
            earlier = partial(
                earlier_messages, self.store, cycle_id, until=begun.engine.rev, name=_transcript(role), role=role
            )
            around = Surroundings(cycle_id, bus.hear, partial(bus.publish, "output"), permits, earlier=earlier)
            recall = Recall(
                self.store, cycle_id, epoch, tell=partial(cycle_brief, role), prefix=f"{lane_name(role, lane)}/"
            )
            return RecordedTurns(
                lambda name: self.agents(name, around, at), recall, self.clock, bus, self.price,
                str(at or self.project),
            )  # fmt: skip

        return opened

    @asynccontextmanager
    async def _ears_of_roles(self, cycle_id: str, shown: Bus) -> AsyncIterator[Mapping[Role, Bus]]:
        """Every role hears, and is heard, by itself: its transcript lies in its own folder."""
        ears = {role: self._ears(cycle_id, shown, role) for role in ROLES}
        try:
            yield ears
        finally:
            for bus in ears.values():
                bus.close()

    def _ears(self, cycle_id: str, shown: Bus, role: Role | None) -> Bus:
        later = asyncio.get_running_loop().call_later
        told = Transcript(self.store, self.clock, cycle_id, _transcript(role))
        return shown.also(told, self.secrets, later, role=role)


def _transcript(role: Role | None) -> str:
    return TRANSCRIPT if role is None else f"{role}/{TRANSCRIPT}"
