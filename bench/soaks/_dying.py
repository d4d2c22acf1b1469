"""A process that drives a loop of bash tasks and dies at one chosen call to the disk, as often as it is asked to.

Reads `ROOT NTH HOW` a line, forks, and answers with the child's exit code and its calls. Each update that came back is
a line in ROOT/acknowledged: `REV DIGEST`.
"""

import asyncio
import json
import os
import pickle
import sys
from collections.abc import Sequence
from pathlib import Path

from loopwright.agents.scripted import AgentScript, ScriptedAgent
from loopwright.agents.task_agent import CommandAgent
from loopwright.core.ports import Agent, AgentEnvironment, Rule, Snapshot
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import EventBus
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from tests.fakes import FakeClock, JudgedTests, NoDebugger, NoProcesses
from tests.memory_workspace import FakeWorkspace
from tests.stage import ABLE
from tests.store.faulty import FaultyDisk, Trouble

KILLED = 9


def passes(project: Path) -> dict[str, str]:
    return {"t": "passed"}


class DyingDisk(FaultyDisk):
    """Ends the process, without a handler, a finally or a flush."""

    def __init__(self, nth: int, how: Trouble) -> None:
        super().__init__()
        self.plan = lambda call, at: how if at == nth else None

    def die(self) -> None:
        os._exit(KILLED)


class FolderWorkspace(FakeWorkspace):
    """Sees the real files and keeps its snapshots in one file beside the project: all that a step needs, and fast."""

    def __init__(self, root: Path) -> None:
        super().__init__(root=root)
        self._place = root.parent / f"snapshots-{root.name}"
        if self._place.exists():
            self.kept = pickle.loads(self._place.read_bytes())

    def snapshot(self, loop_id: str, label: str) -> Snapshot:
        made = super().snapshot(loop_id, label)
        self._place.write_bytes(pickle.dumps(self.kept))
        return made

    def tree(self, without: Sequence[str] = ()) -> str:
        seen = (path for path in self.root.iterdir() if path.is_file() and path.name != "acknowledged")
        self.files = {path.name: path.read_bytes() for path in seen}
        return super().tree(without)


class TellingStore(FileStore[LoopState]):
    """Tells what it has acknowledged."""

    def update(
        self, id: str, rule: Rule[LoopState], *, actor: str, event: JournalEvent, epoch: int | None = None
    ) -> LoopState:
        state = super().update(id, rule, actor=actor, event=event, epoch=epoch)
        with (self.root / "acknowledged").open("a") as told:
            told.write(f"{state.engine.rev} {state.engine.digest}\n")
        return state


def drive(root: Path, disk: FaultyDisk) -> LoopState:
    """Drives the one loop of the project at `root` to its end."""
    clock = FakeClock()
    with TellingStore(root, LOOPS, clock, disk=disk) as store:
        (loop_id,) = (path.stem for path in (root / LOOPS.folder).glob("*.json"))

        def agents(name: str, around: AgentEnvironment) -> Agent:
            return (
                CommandAgent(root, around.loop_id)
                if name == "bash"
                else ScriptedAgent(AgentScript(capabilities=ABLE), root)
            )

        runner = LoopRunner(
            project=str(root),
            store=store,
            workspace=FolderWorkspace(root),
            tests=JudgedTests(root, passes),
            clock=clock,
            processes=NoProcesses(),
            agents=agents,
            debugger=lambda loop_id, bus: NoDebugger(),
        )
        return asyncio.run(runner.drive(loop_id, take_up=take_up, bus=EventBus()))


def main() -> None:
    for request in sys.stdin:
        root, nth, how = request.split(maxsplit=2)
        child = os.fork()
        if child == 0:
            disk = DyingDisk(int(nth), how.strip())  # type: ignore[arg-type]  # one of the words of Trouble
            drive(Path(root), disk)
            (Path(root) / "calls").write_text(json.dumps(disk.calls))
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()
