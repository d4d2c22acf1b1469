"""A session with the misbehaving agent, and what has to be so when it is over."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TypeVar

from loopwright.agents.acp.session import AcpAgent
from loopwright.core.agent_names import AgentCommand
from loopwright.core.ports import AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.state import PermissionRequest
from loopwright.core.transcript import AgentEvent, TroubleNote
from loopwright.processes.process_tree import ProcessMark, list_processes
from tests.misbehaving.orders import command, order

E = TypeVar("E", bound=AgentEvent)

LOOP = "loop-misbehaving"


class Person:
    """Answers permissions: by what stands in `says`, or not at all while that is None."""

    def __init__(self) -> None:
        self.says: bool | None = True
        self.asked: list[PermissionRequest] = []
        self.gone = 0

    async def permit(self, request: PermissionRequest) -> bool:
        self.asked.append(request)
        try:
            while self.says is None:  # noqa: ASYNC110 - a test sets it, or the agent's turn ends
                await asyncio.sleep(0.01)
        except asyncio.CancelledError:
            self.gone += 1
            raise
        return self.says


class Scene:
    """One agent; `id` of its session once it is spawned."""

    def __init__(self, project: Path, folder: Path, how: AgentCommand) -> None:
        self.project, self.folder = project, folder
        self.person, self.events = Person(), list[AgentEvent]()
        around = AgentEnvironment(LOOP, self.events.append, lambda _: None, self.person.permit)
        self.agent = AcpAgent(how, project, folder, around)
        self.id = ""

    async def begin(self, message: Message) -> None:
        """Sends a message, without waiting for anything."""
        if self.id:
            await self.agent.send_input(self.id, message)
        else:
            self.id = await self.agent.spawn_agent(message)

    async def ask(self, *steps: tuple[object, ...], **more: object) -> AgentOutput:
        """One whole turn. AgentError."""
        await self.begin(order(*steps, **more))  # type: ignore[arg-type]  # options of order
        return await self.ended()

    async def ended(self, seconds: float = 20) -> AgentOutput:
        output = await self.look(seconds * 1000)
        assert not output.running, "the turn does not end"
        return output

    async def look(self, milliseconds: float = 1) -> AgentOutput:
        return (await self.agent.wait([self.id], milliseconds))[self.id]

    async def until(self, is_so: Callable[[AgentOutput], bool]) -> AgentOutput:
        """What the turn under way has come to, once that is so."""
        end = time.monotonic() + 20
        while not is_so(output := await self.look(10)):
            assert output.running, f"the turn is over: {output}"
            assert time.monotonic() < end, f"it does not come: {output}"
        return output

    def heard(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def troubles(self) -> list[str]:
        return [event.text for event in self.heard(TroubleNote)]


def marked(project: Path) -> list[int]:
    """Processes of the loop, wherever they hide."""
    mark = ProcessMark(LOOP, str(project.resolve()))
    return [process.pid for process in list_processes() if mark.is_on(process.pid)]


@asynccontextmanager
async def scene(tmp_path: Path, how: AgentCommand | None = None) -> AsyncIterator[Scene]:
    """An agent that is closed afterwards, and leaves neither a process nor a task."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    before = asyncio.all_tasks()
    made = Scene(project, tmp_path / "private", how or command())
    try:
        yield made
    finally:
        if made.id:
            await made.agent.close_agent(made.id)
    assert marked(project) == []
    assert asyncio.all_tasks() <= before
