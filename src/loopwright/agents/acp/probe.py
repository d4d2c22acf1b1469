"""A short talk with an agent that shows what it can do: hello, a session in an empty folder, and the end."""

import asyncio
import time
from dataclasses import dataclass, replace
from pathlib import Path

from acp import schema

from loopwright.agents.acp.client import AcpClient, SessionModes
from loopwright.agents.acp.peer import AcpPeer, StderrLog
from loopwright.agents.presets import AgentCommand
from loopwright.core.errors import AgentError, AgentTrouble, Invalid
from loopwright.core.ports import NOWHERE
from loopwright.processes.conversation import open_conversation
from loopwright.processes.process_tree import ProcessMark


@dataclass(frozen=True)
class ProbeResult:
    """What an agent told of itself, as far as it got; `trouble` and `words`: what kept it from a session.

    `mode` is the one that a session begins in; `auth_methods` are the ways to log in that it offers.
    """

    version: str | None = None
    load_session: bool = False
    resume_session: bool = False
    mcp_http: bool = False
    modes: tuple[str, ...] = ()
    mode: str | None = None
    model: str | None = None
    auth_methods: tuple[str, ...] = ()
    trouble: AgentTrouble | None = None
    words: str = ""
    seconds: float = 0


async def probe_agent(command: AgentCommand, folder: Path, seconds: float) -> ProbeResult:
    """Starts the agent in `folder`, which is empty and outside of any project; nothing of it is left afterwards."""
    started = time.monotonic()
    place = folder / "project"
    place.mkdir()
    errors = StderrLog(folder / "stderr.log")
    found = ProbeResult()
    try:
        async with (
            asyncio.timeout(seconds),
            open_conversation(
                command.argv,
                cwd=place,
                mark=ProcessMark("doctor", str(place.resolve())),
                stderr=errors.path,
                more=command.environment,
                without=command.without,
            ) as program,
        ):
            peer = AcpPeer(command, place, program, errors, AcpClient(command.name, place, NOWHERE, ""), None)
            try:
                found = _introduced(await peer.greet())
                modes = SessionModes.offered(await peer.new())
                found = replace(found, modes=tuple(sorted(modes.names)), mode=modes.first, model=modes.model)
            finally:
                await peer.close()
    except TimeoutError:
        found = replace(found, trouble="timeout", words=f"no answer within {seconds:g} s{errors.last_words()}")
    except Invalid as error:
        found = replace(found, trouble="died", words=f"cannot be started: {error}")
    except AgentError as error:
        found = replace(found, trouble=error.kind, words=str(error))
    return replace(found, seconds=round(time.monotonic() - started, 3))


def _introduced(about: schema.InitializeResponse) -> ProbeResult:
    able = about.agent_capabilities or schema.AgentCapabilities()
    can_resume = able.session_capabilities is not None and able.session_capabilities.resume is not None
    return ProbeResult(
        version=about.agent_info.version if about.agent_info else None,
        load_session=bool(able.load_session),
        resume_session=can_resume,
        mcp_http=bool(able.mcp_capabilities and able.mcp_capabilities.http),
        auth_methods=tuple(method.name for method in about.auth_methods or ()),
    )
