"""A short talk with an agent that shows what it can do: hello, a session in an empty folder, and the end."""

import asyncio
import time
from collections.abc import Awaitable
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

import acp
from acp import schema
from pydantic import ValidationError

from loopwright import __version__
from loopwright.agents.acp.modes import Modes
from loopwright.agents.acp.stderr import Stderr, ended
from loopwright.agents.acp.trouble import trouble
from loopwright.agents.acp.wire import Wire
from loopwright.agents.presets import AgentCommand
from loopwright.domain.errors import AgentError, AgentTrouble, Invalid
from loopwright.domain.record import first_problem
from loopwright.workspace.conversing import Program, conversing
from loopwright.workspace.marks import Mark

T = TypeVar("T")

EXIT_SECONDS = 1.0
"""For an agent that closes its output to end."""


@dataclass(frozen=True)
class Probed:
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


async def probe(command: AgentCommand, folder: Path, seconds: float) -> Probed:
    """Starts the agent in `folder`, which is empty and outside of any project; nothing of it is left afterwards."""
    started = time.monotonic()
    place = folder / "project"
    place.mkdir()
    talk = _Talk(command, place, Stderr(folder / "stderr.log"))
    try:
        async with (
            asyncio.timeout(seconds),
            conversing(
                command.argv, cwd=place, mark=Mark("doctor", str(place.resolve())), stderr=talk.errors.path,
                more=command.environment, without=command.without,
            ) as program,
        ):  # fmt: skip
            await talk.hold(program)
    except TimeoutError:
        talk.failed("timeout", f"no answer within {seconds:g} s{talk.errors.last_words()}")
    except Invalid as error:
        talk.failed("died", f"can not be started: {error}")
    except AgentError as error:
        talk.failed(error.kind, str(error))
    return replace(talk.found, seconds=round(time.monotonic() - started, 3))


class _Talk:
    """`found` grows while it goes on."""

    def __init__(self, command: AgentCommand, place: Path, errors: Stderr) -> None:
        self._command, self._place, self.errors = command, place, errors
        self.found = Probed()

    def failed(self, kind: AgentTrouble, words: str) -> None:
        self.found = replace(self.found, trouble=kind, words=words)

    async def hold(self, program: Program) -> None:
        wire = Wire(program, lambda session, update: None, lambda words: None)
        # cast: nothing is asked of us before the first prompt; what is, gets "method not found" for an answer
        agent = acp.connect_to_agent(cast(acp.Client, object()), wire)
        try:
            us = schema.Implementation(name="loopwright", version=__version__)
            self._introduced(await self._heed(agent.initialize(acp.PROTOCOL_VERSION, client_info=us), program, wire))
            new = await self._heed(agent.new_session(str(self._place), mcp_servers=[]), program, wire)
            modes = Modes.offered(new)
            self.found = replace(self.found, modes=tuple(sorted(modes.names)), mode=modes.first, model=modes.model)
        finally:
            await agent.close()

    def _introduced(self, about: schema.InitializeResponse) -> None:
        able = about.agent_capabilities or schema.AgentCapabilities()
        can_resume = able.session_capabilities is not None and able.session_capabilities.resume is not None
        self.found = Probed(
            version=about.agent_info.version if about.agent_info else None,
            load_session=bool(able.load_session),
            resume_session=can_resume,
            mcp_http=bool(able.mcp_capabilities and able.mcp_capabilities.http),
            auth_methods=tuple(method.name for method in about.auth_methods or ()),
        )
        if about.protocol_version != acp.PROTOCOL_VERSION:
            theirs, ours = about.protocol_version, acp.PROTOCOL_VERSION
            raise AgentError("protocol", f"it speaks version {theirs} of the protocol, not {ours}")

    async def _heed(self, answer: Awaitable[T], program: Program, wire: Wire) -> T:
        try:
            return await answer
        except acp.RequestError as error:
            now = datetime.now().astimezone()
            raise trouble(self._command.name, error.code, str(error), error.data, now) from error
        except ValidationError as error:
            raise AgentError("protocol", f"an answer that can not be understood: {first_problem(error)}") from error
        except ConnectionError:
            if wire.failure is not None:
                raise AgentError("protocol", f"it can not be understood: {wire.failure}") from None
            words = ended(await program.exit(EXIT_SECONDS), "at its start")
            raise AgentError("died", f"it {words}{self.errors.last_words()}") from None
