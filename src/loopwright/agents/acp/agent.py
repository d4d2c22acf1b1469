"""Agents that people use, over the Agent Client Protocol."""

import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import NamedTuple

from loopwright.agents.acp.session import Session, opened
from loopwright.agents.presets import AgentCommand
from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.protocol import AgentOutput, Capabilities, Message
from loopwright.ports import Surroundings


class _Held(NamedTuple):
    session: Session
    stack: AsyncExitStack


class AcpAgent(TurnwiseAgent):
    """Each session is a process of its own in `project`; what it leaves behind lies in `folder`, outside of it."""

    capabilities = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)

    def __init__(self, command: AgentCommand, project: Path, folder: Path, around: Surroundings) -> None:
        super().__init__()
        self.name = command.name
        self._command, self._project, self._folder, self._around = command, project, folder, around
        self._sessions: dict[str, _Held] = {}

    def at_work(self, id: str) -> AgentOutput:
        held = self._sessions.get(id)
        return super().at_work(id) if held is None else held.session.at_work(id)

    async def play(self, id: str, message: Message) -> AgentOutput:
        if id not in self._sessions:
            self._sessions[id] = await self._opened(id, message)
        return await self._sessions[id].session.turn(id, message)

    async def cancel_turn(self, id: str) -> None:
        turn, held = self._turn(id), self._sessions.get(id)
        if turn.done():
            return
        if held is not None and held.session.is_prompting:
            await held.session.cancel()
        else:
            await super().cancel_turn(id)

    async def close_agent(self, id: str) -> None:
        try:
            await super().close_agent(id)
        finally:
            held = self._sessions.pop(id, None)
            if held is not None:
                await held.stack.aclose()

    async def _opened(self, id: str, message: Message) -> _Held:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{id}-", dir=self._folder))
        stack = AsyncExitStack()
        session = await stack.enter_async_context(opened(self._command, self._project, folder, self._around, message))
        return _Held(session, stack)
