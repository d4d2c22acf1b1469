"""Driving a cycle in this process: lease, take-over, kernel, and everything closed at the end."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from loopwright.core.agent_turns import AgentSessions, AgentTurns
from loopwright.core.cycle_names import ROLES, Role
from loopwright.core.kernel import Kernel
from loopwright.core.ports import Debugger, Surveyor, TestRunner, Workspace, Worktrees
from loopwright.core.prompts import Prompts
from loopwright.core.recording import Transcript
from loopwright.core.run_events import EventBus
from loopwright.core.runner import Hold, PlacedAgentFactory, Runner, transcript_name
from loopwright.core.supervisor import wait_until_resumed
from loopwright.core.threads import run_in_thread
from loopwright.workflows.cycle import commands
from loopwright.workflows.cycle.flow import CycleFlow, take_over
from loopwright.workflows.cycle.messages import cycle_brief, cycle_prompts
from loopwright.workflows.cycle.model import FINISHED, CycleState
from loopwright.workflows.cycle.publish import publish
from loopwright.workflows.cycle.session import CycleSession, DiscoveryBoard, RoleLanes, lane_name


@dataclass(frozen=True, kw_only=True)
class CycleRunner(Runner[CycleState]):
    """Drives cycles. `debugger` locates faults in a folder; its processes carry the cycle's mark."""

    id_name = "cycle_id"

    workspace: Workspace
    worktrees: Worktrees
    surveyor: Surveyor
    tests: TestRunner
    agents: PlacedAgentFactory
    debugger: Callable[[str, EventBus, Path], Debugger]
    prompts: Prompts = field(default_factory=cycle_prompts)

    async def work(self, id: str, hold: Hold[CycleState]) -> CycleState:
        board = DiscoveryBoard(self.store, id, self.clock)
        async with (
            self._buses_of_roles(id, EventBus(*hold.shown.observers, board.hear)) as role_buses,
            RoleLanes(partial(self._open_turns, id, hold, role_buses)) as lanes,
        ):
            session = CycleSession(
                id=id, project=self.project, store=self.store, workspace=self.workspace,
                branches=self.branches, worktrees=self.worktrees,
                surveyor=self.surveyor, tests=self.tests, lanes=lanes, role_buses=role_buses,
                board=board, debugger=partial(self.debugger, id, role_buses["cd"]), clock=self.clock, bus=hold.bus,
                epoch=hold.epoch, prompts=self.prompts, person=hold.person,
            )  # fmt: skip
            await take_over(session, hold.left)
            state = await Kernel(CycleFlow(session), self.clock).drive()
            while await wait_until_resumed(session, state, lanes.rest, commands.RULES.resume_parked):
                state = await Kernel(CycleFlow(session), self.clock).drive()
            state = session.state()
            publish(session, state)  # a stop between two steps has ended it without one
        if state.status in FINISHED:
            await run_in_thread(self.worktrees.close, id)
        return state

    def _open_turns(
        self,
        id: str,
        hold: Hold[CycleState],
        role_buses: Mapping[Role, EventBus],
        role: Role,
        lane: int | None,
        at: Path | None,
    ) -> AgentTurns:
        """A role's turns in a lane."""
        tell, prefix = partial(cycle_brief, role), f"{lane_name(role, lane)}/"
        recall = AgentSessions(self.store, id, hold.epoch, tell=tell, prefix=prefix)
        agents, place = partial(self.agents, at=at), str(at or self.project)
        return self.turns(id, hold, agents, recall, place, role_buses[role], role)

    @asynccontextmanager
    async def _buses_of_roles(self, cycle_id: str, shown: EventBus) -> AsyncIterator[Mapping[Role, EventBus]]:
        """Every role hears, and is heard, by itself: its transcript lies in its own folder."""
        later = asyncio.get_running_loop().call_later
        role_buses = {
            role: shown.also(
                Transcript(self.store, self.clock, cycle_id, transcript_name(role)), self.secrets, later, role
            )
            for role in ROLES
        }
        try:
            yield role_buses
        finally:
            for bus in role_buses.values():
                bus.close()
