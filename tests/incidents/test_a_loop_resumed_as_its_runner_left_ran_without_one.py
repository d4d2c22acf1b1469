"""Who resumed a loop while its runner was ending saw that runner and started none: the loop said running, and stood."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from tests.fakes import NoProcesses
from tests.stage import MakeStage


class SlowToLeave(NoProcesses):
    """What runs when the loop rests already, and its runner still has the lease."""

    def __init__(self) -> None:
        self.leaving: list[Callable[[], object]] = []

    @asynccontextmanager
    async def owning(self, loop_id: str) -> AsyncIterator[tuple[int, ...]]:
        yield ()
        if self.leaving:
            self.leaving.pop()()


async def test_the_runner_looks_once_more(stage: MakeStage) -> None:
    processes = SlowToLeave()
    ready = stage(processes=processes)
    loop_id = ready.create()
    task = {"description": "say good", "tool": "bash", "command": "printf good > app.txt"}
    ready.service.tasks.add(loop_id, task)
    processes.leaving.append(lambda: ready.service.resume(loop_id))
    rested = await ready.drive(loop_id, on_note=lambda note: ready.pause_after(note, loop_id, "DEVELOP"))
    assert ready.launcher.launched == [], "it was seen at work"
    assert rested.status == "completed"
