"""An agent that answers as another one did: turns from a transcript, one a message."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import datetime

from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.errors import AgentError
from loopwright.domain.protocol import AgentOutput, Capabilities, Message
from loopwright.domain.transcript import TurnFailure

Recorded = Callable[[str, Message], Awaitable[AgentOutput | TurnFailure]]
"""The next turn of the agent of that name; what it wrote is in the project when it comes back."""


class ReplayedAgent(TurnwiseAgent):
    """`name` and `capabilities` are those of the agent that was recorded. Starts no process."""

    def __init__(self, name: str, capabilities: Capabilities, recorded: Recorded) -> None:
        super().__init__()
        self.name, self.capabilities, self._recorded = name, capabilities, recorded

    async def play(self, id: str, message: Message) -> AgentOutput:
        turn = await self._recorded(self.name, message)
        if isinstance(turn, AgentOutput):
            return turn.evolve(agent_id=id)
        if turn.kind == "cancelled":
            endless: asyncio.Future[AgentOutput] = asyncio.get_running_loop().create_future()
            return await endless  # until it is cancelled again
        until = datetime.fromisoformat(turn.until) if turn.until else None
        raise AgentError(turn.kind, turn.message, until=until)
