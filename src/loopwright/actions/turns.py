"""One agent session per loop and agent: spawned at the first message, kept until the loop rests."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from loopwright.domain.errors import AgentError
from loopwright.domain.protocol import ActionReport, AgentOutput, Message
from loopwright.domain.reports import parse_report
from loopwright.ports import Agent

ONCE_MORE = "Your answer had no readable ACTION_RESULT block. Repeat only that block, as the contract says."

TEXT_KEPT = 200_000
"""Characters of an answer that are kept: the end of it, where the report stands."""


class Reported(NamedTuple):
    """One turn with its report. `asked_again`: the first answer had none."""

    output: AgentOutput
    report: ActionReport
    asked_again: bool = False


def clipped(output: AgentOutput) -> AgentOutput:
    if len(output.text) <= TEXT_KEPT:
        return output
    return output.evolve(text=output.text[-TEXT_KEPT:], truncated=True)


class Turns:
    """Sends messages and waits for answers; `async with` closes every session that was opened."""

    def __init__(self, agents: Callable[[str], Agent]) -> None:
        self._agents = agents
        self._sessions: dict[str, tuple[Agent, str]] = {}

    async def __aenter__(self) -> "Turns":
        return self

    async def __aexit__(self, *exc: object) -> None:
        for name in tuple(self._sessions):
            await self.close(name)

    def agent(self, name: str) -> Agent:
        """The agent of that name. AgentError when there is none."""
        return self._sessions[name][0] if name in self._sessions else self._agents(name)

    def begun(self, name: str) -> bool:
        """Whether a session is open, so that the next message continues it."""
        return name in self._sessions

    async def ask(self, name: str, message: Message) -> AgentOutput:
        """One turn. AgentError(timeout) ends the session; so does cancelling."""
        try:
            return await self._turn(name, message)
        except (asyncio.CancelledError, AgentError):
            await self.close(name)
            raise

    async def report(self, name: str, message: Message) -> Reported:
        """One turn with a readable report; asked for once more where it is missing. AgentError(protocol)."""
        output = clipped(await self.ask(name, message))
        report = output.report or parse_report(output.text)
        if report is not None:
            return Reported(output, report)
        again = clipped(await self.ask(name, message.evolve(text=ONCE_MORE)))
        report = again.report or parse_report(again.text)
        if report is None:
            raise AgentError("protocol", f"{name} gave no readable ACTION_RESULT, also when asked again")
        return Reported(output, report, asked_again=True)

    async def close(self, name: str) -> None:
        if name in self._sessions:
            agent, id = self._sessions.pop(name)
            await agent.close_agent(id)

    async def _turn(self, name: str, message: Message) -> AgentOutput:
        if name in self._sessions:
            agent, id = self._sessions[name]
            await agent.send_input(id, message)
        else:
            agent = self._agents(name)
            id = await agent.spawn_agent(message)
            self._sessions[name] = (agent, id)
        output = (await agent.wait([id], message.seconds * 1000))[id]
        if output.running:
            raise AgentError("timeout", f"{name} was still at work after {message.seconds:g} s")
        return output
