"""Driving a cycle in this process: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from loopwright.core import notices
from loopwright.core.agent_turns import Recall, Turns
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.kernel import driven
from loopwright.core.notices import Letter, Notice
from loopwright.core.permits import Permits
from loopwright.core.ports import (
    Agent,
    Debugger,
    Surroundings,
    Surveyor,
    TestRunner,
    Workspace,
    Worktrees,
)
from loopwright.core.prompts import Prompts
from loopwright.core.recording import RecordedTurns, Transcript, earlier_messages
from loopwright.core.run_events import Bus
from loopwright.core.runner import Hold, Runner
from loopwright.core.supervisor import until_it_goes_on
from loopwright.core.threads import in_thread
from loopwright.core.transcript import TRANSCRIPT
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


@dataclass(frozen=True, kw_only=True)
class CycleRunner(Runner[CycleState]):
    """Drives cycles. `debugger` locates faults in a folder; its processes carry the cycle's mark."""

    workspace: Workspace
    worktrees: Worktrees
    surveyor: Surveyor
    tests: TestRunner
    agents: RoleAgents
    debugger: Callable[[str, Bus, Path], Debugger]
    prompts: Prompts = field(default_factory=cycle_prompts)

    def news(self, before: CycleState, after: CycleState) -> Notice | None:
        return cycle_news(before, after)

    def letter(self, notice: Notice, state: CycleState, project: str, at: str, masked: Callable[[str], str]) -> Letter:
        return cycle_letter(notice, state, project, at, masked)

    async def work(self, id: str, hold: Hold[CycleState]) -> CycleState:
        board = Board(self.store, id, self.clock)
        async with (
            self._ears_of_roles(id, Bus(*hold.shown.observers, board.hear)) as ears,
            Lanes(self._opener(hold.begun, hold.epoch, ears, hold.permits)) as lanes,
        ):
            session = CycleSession(
                id=id, project=self.project, store=self.store, workspace=self.workspace,
                worktrees=self.worktrees, surveyor=self.surveyor, tests=self.tests, lanes=lanes, ears=ears,
                board=board, debugger=partial(self.debugger, id, ears["cd"]), clock=self.clock, bus=hold.bus,
                epoch=hold.epoch, prompts=self.prompts, person=hold.person,
            )  # fmt: skip
            await take_over(session, hold.left)
            state = await driven(CycleFlow(session), self.clock)
            while await until_it_goes_on(session, state, lanes.rest, goes_on):
                state = await driven(CycleFlow(session), self.clock)
            state = session.state()
            publish(session, state)  # a stop between two steps has ended it without one
        if state.status in FINISHED:
            await in_thread(self.worktrees.close, id)
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
