"""Several loops driven in this very process, at the same time."""

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack

from loopwright.agents.task_agent import CommandAgent
from loopwright.core.run_events import EventBus
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workspace.checkpoints import GitWorkspace
from tests.fakes import JudgedTests, NoDebugger, NoProcesses, UnsyncedDisk
from tests.together.members import Member


async def drive(members: Sequence[Member]) -> list[LoopState]:
    """Real store, git and commands; tests that are always green. The states they rest in, in order."""
    clock = SystemClock("+08:00")
    with ExitStack() as stores:
        opened = {
            root: stores.enter_context(FileStore(root, LOOPS, clock, disk=UnsyncedDisk()))
            for root in {m.project.root for m in members}
        }

        async def driven(member: Member) -> LoopState:
            root = member.project.root
            runner = LoopRunner(
                project=str(root),
                store=opened[root],
                workspace=GitWorkspace(root, member.project.state / "loopwright"),
                tests=JudgedTests(root, lambda project: {"it": "passed"}),
                clock=clock,
                processes=NoProcesses(),
                agents=lambda name, around: CommandAgent(root, around.loop_id),
                debugger=lambda id, bus: NoDebugger(),
            )
            return await runner.drive(member.id, take_up=take_up, bus=EventBus())

        return await asyncio.gather(*map(driven, members))
