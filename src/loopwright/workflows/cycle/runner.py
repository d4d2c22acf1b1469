"""Driving a cycle in this process: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Protocol

from loopwright.core import notices
from loopwright.core.agent_turns import AgentSessions, AgentTurns
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.kernel import drive_workflow
from loopwright.core.notices import Notice, Notification
from loopwright.core.permits import PermissionQueue
from loopwright.core.ports import Agent, AgentEnvironment, Debugger, Surveyor, TestRunner, Workspace, Worktrees
from loopwright.core.prompts import Prompts
from loopwright.core.recording import RecordedTurns, Transcript, earlier_messages
from loopwright.core.run_events import EventBus
from loopwright.core.runner import Hold, Runner
from loopwright.core.supervisor import wait_until_resumed
from loopwright.core.threads import run_in_thread
from loopwright.core.transcript import TRANSCRIPT
from loopwright.workflows.cycle.commands import goes_on
from loopwright.workflows.cycle.flow import CycleFlow, take_over
from loopwright.workflows.cycle.messages import cycle_brief, cycle_prompts
from loopwright.workflows.cycle.model import FINISHED, CycleState
from loopwright.workflows.cycle.publish import publish
from loopwright.workflows.cycle.session import CycleSession, DiscoveryBoard, RoleLanes, TurnOpener, lane_name


def cycle_news(before: CycleState, after: CycleState) -> Notice | None:
    """What a person should hear of that change."""
    return notices.find_notice(before, after)


def cycle_letter(
    notice: Notice, state: CycleState, project: str, at: str, masked: Callable[[str], str]
) -> Notification:
    return notices.compose_notification(notice, state, project, at, masked, cycle_id=state.cycle_id)


class RoleAgentFactory(Protocol):
    """The agent of that name, in these surroundings, at work in a folder (None: the project). AgentError."""

    def __call__(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent: ...


@dataclass(frozen=True, kw_only=True)
class CycleRunner(Runner[CycleState]):
    """Drives cycles. `debugger` locates faults in a folder; its processes carry the cycle's mark."""

    workspace: Workspace
    worktrees: Worktrees
    surveyor: Surveyor
    tests: TestRunner
    agents: RoleAgentFactory
    debugger: Callable[[str, EventBus, Path], Debugger]
    prompts: Prompts = field(default_factory=cycle_prompts)

    def news(self, before: CycleState, after: CycleState) -> Notice | None:
        return cycle_news(before, after)

    def letter(
        self, notice: Notice, state: CycleState, project: str, at: str, masked: Callable[[str], str]
    ) -> Notification:
        return cycle_letter(notice, state, project, at, masked)

    async def work(self, id: str, hold: Hold[CycleState]) -> CycleState:
        board = DiscoveryBoard(self.store, id, self.clock)
        async with (
            self._buses_of_roles(id, EventBus(*hold.shown.observers, board.hear)) as role_buses,
            RoleLanes(self._opener(hold.begun, hold.epoch, role_buses, hold.permits)) as lanes,
        ):
            session = CycleSession(
                id=id, project=self.project, store=self.store, workspace=self.workspace,
                worktrees=self.worktrees, surveyor=self.surveyor, tests=self.tests, lanes=lanes, role_buses=role_buses,
                board=board, debugger=partial(self.debugger, id, role_buses["cd"]), clock=self.clock, bus=hold.bus,
                epoch=hold.epoch, prompts=self.prompts, person=hold.person,
            )  # fmt: skip
            await take_over(session, hold.left)
            state = await drive_workflow(CycleFlow(session), self.clock)
            while await wait_until_resumed(session, state, lanes.rest, goes_on):
                state = await drive_workflow(CycleFlow(session), self.clock)
            state = session.state()
            publish(session, state)  # a stop between two steps has ended it without one
        if state.status in FINISHED:
            await run_in_thread(self.worktrees.close, id)
        return state

    def _opener(
        self, begun: CycleState, epoch: int, role_buses: Mapping[Role, EventBus], permits: PermissionQueue[CycleState]
    ) -> TurnOpener:
        """Opens a role's turns in a lane."""
        cycle_id = begun.cycle_id

        def opened(role: Role, lane: int | None, at: Path | None) -> AgentTurns:
            bus = role_buses[role]
            earlier = partial(
                earlier_messages, self.store, cycle_id, until=begun.engine.rev, name=_transcript(role), role=role
            )
            around = AgentEnvironment(cycle_id, bus.hear, partial(bus.publish, "output"), permits, earlier=earlier)
            recall = AgentSessions(
                self.store, cycle_id, epoch, tell=partial(cycle_brief, role), prefix=f"{lane_name(role, lane)}/"
            )
            return RecordedTurns(
                lambda name: self.agents(name, around, at),
                recall,
                self.clock,
                bus,
                self.price,
                str(at or self.project),
            )

        return opened

    @asynccontextmanager
    async def _buses_of_roles(self, cycle_id: str, shown: EventBus) -> AsyncIterator[Mapping[Role, EventBus]]:
        """Every role hears, and is heard, by itself: its transcript lies in its own folder."""
        role_buses = {role: self._role_bus(cycle_id, shown, role) for role in ROLES}
        try:
            yield role_buses
        finally:
            for bus in role_buses.values():
                bus.close()

    def _role_bus(self, cycle_id: str, shown: EventBus, role: Role | None) -> EventBus:
        later = asyncio.get_running_loop().call_later
        told = Transcript(self.store, self.clock, cycle_id, _transcript(role))
        return shown.also(told, self.secrets, later, role=role)


def _transcript(role: Role | None) -> str:
    return TRANSCRIPT if role is None else f"{role}/{TRANSCRIPT}"
