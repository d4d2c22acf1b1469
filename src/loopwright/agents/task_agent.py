"""The four verbs for agents whose turn is one coroutine."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence

from loopwright.core.errors import AgentError
from loopwright.core.protocol import AgentOutput, Message


class TaskAgent(ABC):
    """Implements ports.Agent but for its name and capabilities; an agent says what it does in `play`."""

    name: str

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Task[AgentOutput]] = {}
        self._spawned = 0

    @abstractmethod
    async def play(self, id: str, message: Message) -> AgentOutput:
        """One turn. Cancelling it leaves no process behind."""

    def at_work(self, id: str) -> AgentOutput:
        """What can be told of a turn under way."""
        return AgentOutput(agent_id=id, running=True)

    async def spawn_agent(self, message: Message) -> str:
        self._spawned += 1
        id = f"{self.name}-{self._spawned}"
        self._begin(id, message)
        return id

    async def send_input(self, id: str, message: Message) -> None:
        if not self._turn(id).done():
            raise AgentError("protocol", f"{id} is still working")
        self._begin(id, message)

    async def cancel_turn(self, id: str) -> None:
        turn = self._turn(id)
        turn.cancel()
        await asyncio.wait([turn])

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        turns = {id: self._turn(id) for id in ids}
        if turns:
            await asyncio.wait(turns.values(), timeout=timeout_ms / 1000)
        return {id: self._output(id, turn) for id, turn in turns.items()}

    async def close_agent(self, id: str) -> None:
        turn = self._turns.pop(id, None)
        if turn is not None:
            turn.cancel()
            await asyncio.wait([turn])
            if not turn.cancelled():
                turn.exception()  # it may have failed after the last wait: nobody is left to hear of it

    def _turn(self, id: str) -> asyncio.Task[AgentOutput]:
        if id not in self._turns:
            raise AgentError("died", f"{id} is closed")
        return self._turns[id]

    def _begin(self, id: str, message: Message) -> None:
        # Held by the session, and ended by close_agent: a turn outlives the call that begins it.
        self._turns[id] = asyncio.ensure_future(self.play(id, message))

    def _output(self, id: str, turn: asyncio.Task[AgentOutput]) -> AgentOutput:
        if id not in self._turns:
            raise AgentError("died", f"{id} was closed while it was working")
        if turn.cancelled():
            return self.at_work(id).evolve(running=False)
        return turn.result() if turn.done() else self.at_work(id)
