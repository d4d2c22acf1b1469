"""Fifty loops at once, in five projects, of the same ten ids in each: nothing crosses."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from loopwright.actions.runner import LoopRunner
from loopwright.agents.command import CommandAgent
from loopwright.clock import SystemClock
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_commands import take_up
from loopwright.engine.bus import Bus
from loopwright.store.files import FileStore
from loopwright.store.loops import LOOPS
from loopwright.workspace.git import GitWorkspace
from tests.fakes import JudgedTests, NoDebugger, NoProcesses
from tests.fleet.fleet import WRITE, Member, crossings, enlist, found, run

IDS = (
    "loop", "loop-1", "loop-10", "loop-1-0", "loop-1-json", "loop_1", "Loop", "loop-v2-20260122T100000-0123abcd",
    "loop-v2-20260122T100000-0123abce", "l",
)  # fmt: skip
"""Beginnings of one another, and such that differ in a letter's case."""

BY_COMMAND = 2
"""Of each ten; the others are driven in this process."""

AT_ONCE = 4
STEPS = 2


async def drive(members: Sequence[Member]) -> list[LoopState]:
    """All of them in this process, at the same time."""
    clock = SystemClock("+08:00")
    with ExitStack() as stores:
        opened = {
            root: stores.enter_context(FileStore(root, LOOPS, clock)) for root in {m.project.root for m in members}
        }

        def driven(member: Member) -> asyncio.Future[LoopState]:
            root = member.project.root
            runner = LoopRunner(
                str(root), opened[root], GitWorkspace(root, member.project.state / "loopwright"),
                JudgedTests(root, lambda project: {"it": "passed"}), clock, NoProcesses(),
                agents=lambda name, id, bus: CommandAgent(root, id), debugger=lambda id, bus: NoDebugger(),
            )  # fmt: skip
            return asyncio.ensure_future(runner.drive(member.id, take_up=take_up, bus=Bus()))

        return await asyncio.gather(*(driven(member) for member in members))


def test_nothing_crosses_between_fifty_loops(tmp_path: Path) -> None:
    state = tmp_path / "state"
    projects = [found(tmp_path / f"{n}", "project", state) for n in range(5)]
    by_command = [Member(project, id) for project in projects for id in IDS[:BY_COMMAND]]
    in_process = [Member(project, id) for project in projects for id in IDS[BY_COMMAND:]]
    for member in by_command:
        enlist(member, *[WRITE] * STEPS)
    for member in in_process:
        enlist(member, *[WRITE] * STEPS, tests="judge")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        codes = pool.map(run, by_command)
        states = asyncio.run(drive(in_process))
    assert list(codes) == [0] * len(by_command)
    assert [state.engine.outcome for state in states] == ["succeeded"] * len(in_process)
    fleet = [*by_command, *in_process]
    assert len(fleet) == 50
    assert list(crossings(fleet)) == []
    for member in fleet:
        assert member.written.read_text().split() == [member.token] * STEPS
        assert member.state().status == "completed"
        assert member.processes() == []
