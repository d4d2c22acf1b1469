"""The agent for tasks that are one command line: runs it, bounded, and reports how it ended."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.domain.errors import AgentError, Invalid
from loopwright.domain.protocol import ActionReport, AgentOutput, Capabilities, Message, ReportStatus
from loopwright.workspace.process import run_shell

OUTPUT_KEPT = 200_000
"""Bytes of output that are kept, head and tail."""

_HEADROOM = 5.0
"""Seconds (at most a quarter of all) that the command gets less than the message allows, so that it is this agent
that says it took too long, before whoever waits gives up."""


@dataclass
class _Session:
    turn: asyncio.Task[AgentOutput]
    heard: list[str] = field(default_factory=list)


class CommandAgent:
    """Runs commands in `project`; every process carries `marker` (see workspace.process)."""

    name = "bash"
    capabilities = Capabilities()

    def __init__(self, project: Path, marker: str) -> None:
        self._project, self._marker = project, marker
        self._sessions: dict[str, _Session] = {}
        self._spawned = 0

    async def spawn_agent(self, message: Message) -> str:
        self._spawned += 1
        id = f"{self.name}-{self._spawned}"
        self._begin(id, message)
        return id

    async def send_input(self, id: str, message: Message) -> None:
        if not self._session(id).turn.done():
            raise AgentError("protocol", f"{id} is still at work")
        self._begin(id, message)

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        sessions = {id: self._session(id) for id in ids}
        if sessions:
            await asyncio.wait([session.turn for session in sessions.values()], timeout=timeout_ms / 1000)
        return {id: _output(id, session) for id, session in sessions.items()}

    async def close_agent(self, id: str) -> None:
        session = self._sessions.pop(id, None)
        if session is not None:
            session.turn.cancel()
            await asyncio.wait([session.turn])

    def _session(self, id: str) -> _Session:
        if id not in self._sessions:
            raise AgentError("died", f"{id} is closed")
        return self._sessions[id]

    def _begin(self, id: str, message: Message) -> None:
        heard: list[str] = []
        # Held by the session, and ended by close_agent: a turn outlives the call that begins it.
        self._sessions[id] = _Session(asyncio.ensure_future(self._run(id, message, heard)), heard)

    async def _run(self, id: str, message: Message, heard: list[str]) -> AgentOutput:
        command = message.definition.command if message.definition is not None else None
        if message.action != "DEVELOP" or not command:
            return _answer(id, message, "failed", "This agent runs the commands of tasks; it can do nothing else.")
        limit = message.seconds - min(_HEADROOM, message.seconds / 4)
        try:
            done = await run_shell(
                command, cwd=self._project, marker=self._marker, timeout=limit,
                output_cap=OUTPUT_KEPT, on_output=lambda text: _remember(heard, text),
            )  # fmt: skip
        except Invalid as error:
            return _answer(id, message, "failed", str(error))
        if done.timed_out:
            return _answer(id, message, "failed", f"The command took longer than {limit:g} s.", text=done.output)
        status: ReportStatus = "success" if done.exit_code == 0 else "failed"
        return _answer(id, message, status, _ended(done.exit_code), text=done.output, exit_code=done.exit_code)


def _ended(exit_code: int | None) -> str:
    if exit_code == 0:
        return "The command succeeded."
    if exit_code is not None and exit_code < 0:
        return f"The command was ended by signal {-exit_code}."
    return f"The command ended with exit code {exit_code}."


def _answer(
    id: str, message: Message, status: ReportStatus, words: str, *, text: str = "", exit_code: int | None = None
) -> AgentOutput:
    report = ActionReport(action=message.action, status=status, message=words)
    return AgentOutput(agent_id=id, running=False, text=text, report=report, exit_code=exit_code)


def _output(id: str, session: _Session) -> AgentOutput:
    if session.turn.cancelled():
        raise AgentError("died", f"{id} was closed while it was at work")
    if session.turn.done():
        return session.turn.result()
    return AgentOutput(agent_id=id, running=True, text="".join(session.heard))


def _remember(heard: list[str], text: str) -> None:
    """Keeps the latest output in one piece, within the cap."""
    heard[:] = ["".join([*heard, text])[-OUTPUT_KEPT:]]
