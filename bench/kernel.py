"""What the kernel itself costs per action: everything but the agent, the tests and git.

    python bench/kernel.py [--json] [--tasks N]

A whole loop is driven with an agent that answers at once and a work tree in memory; store, journal, projections and
progress files are the real ones. Milliseconds per action.
"""

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.core.protocol import Capabilities
from loopwright.core.run_events import EventBus
from loopwright.core.state import RunSettings
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.service import LoopService
from tests.fakes import CountingLauncher, JudgedTests, NoDebugger, NoProcesses
from tests.memory_workspace import FakeWorkspace

LIMIT = 5.0
WHOLE_LOOPS = 9
DONE = "ACTION_RESULT:\n- action: DEVELOP\n- status: success\n- message: app.txt says good\n"


async def drive(project: Path, tasks: int, seconds: Callable[[], float] = time.perf_counter) -> float:
    """Seconds that one loop of so many tasks takes, by the clock `seconds`."""
    clock, workspace = SystemClock(), FakeWorkspace({"app.txt": b"good"}, project)
    agent = ScriptedAgent(
        AgentScript(capabilities=Capabilities(writes_code=True), answers=(ScriptedTurn(text=DONE),) * tasks), project
    )
    with FileStore(project, LOOPS, clock) as store:
        service = LoopService(store, workspace, clock, CountingLauncher(), NoProcesses(), "bench")
        settings = RunSettings(mode="auto", agent="scripted")
        loop_id = service.create("Measure the kernel", max_iterations=tasks + 10, settings=settings).loop_id
        for n in range(tasks):
            service.tasks.add(loop_id, {"description": f"task {n}", "tool": "scripted", "mode": "analysis"})
        runner = LoopRunner(
            project=str(project),
            store=store,
            workspace=workspace,
            tests=JudgedTests(project, lambda p: {"test": "passed"}),
            clock=clock,
            processes=NoProcesses(),
            agents=lambda name, around: agent,
            debugger=lambda id, bus: NoDebugger(),
        )
        begun = seconds()
        state = await runner.drive(loop_id, take_up=take_up, bus=EventBus())
        taken = seconds() - begun
    assert state.engine.outcome == "succeeded", state.failure_reason
    return taken


def measure(tasks: int) -> dict[str, float]:
    """The median of some whole loops, taking the lease and starting up included, shared out over their actions."""
    actions = tasks + len(("INIT", "VALIDATE", "COMPLETE"))
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        projects = [Path(folder) / str(n) for n in range(WHOLE_LOOPS)]
        for project in projects:
            project.mkdir()
        taken = statistics.median(asyncio.run(drive(project, tasks)) for project in projects)
    return {"ms_per_action": taken / actions * 1000, "actions": float(actions)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--tasks", type=int, default=10)
    given = parser.parse_args()
    figures = measure(given.tasks)
    if given.json:
        print(json.dumps(figures))
    else:
        print(f"kernel per action    {figures['ms_per_action']:5.2f} ms (at most {LIMIT} ms)")


if __name__ == "__main__":
    main()
