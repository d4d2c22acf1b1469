"""The agent at the other end: what the protocol lets us ask of it, its failures in our words."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TypeVar, cast

import acp
from acp import schema
from pydantic import ValidationError

from loopwright import __version__
from loopwright.agents.acp.client import Client
from loopwright.agents.acp.modes import Modes, Offer
from loopwright.agents.acp.stderr import Stderr, ended
from loopwright.agents.acp.trouble import trouble
from loopwright.agents.acp.wire import Wire
from loopwright.agents.mailbox import McpServer
from loopwright.agents.presets import AgentCommand
from loopwright.domain.errors import AgentError
from loopwright.domain.record import first_problem
from loopwright.workspace.conversing import Program

T = TypeVar("T")
AnyServer = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio

LOAD_SECONDS = 60.0
"""For an agent to find a session of before; then a new one is begun."""

QUIET, QUIET_AT_MOST = 0.3, 5.0
"""Seconds without a word after which nothing more is expected, and the most that is waited for that."""

EXIT_SECONDS = 1.0
"""For an agent that closes its output to end."""


class Peer:
    """Every method raises AgentError; `lines` counts all that it has sent."""

    def __init__(
        self, command: AgentCommand, project: Path, program: Program, errors: Stderr, client: Client,
        server: McpServer | None,
    ) -> None:  # fmt: skip
        self._command, self._project, self._program, self._errors = command, str(project), program, errors
        self._client, self._server = client, server
        self._is_gone = False
        self._wire = Wire(program, client.updated, client.strange)
        # cast: what a client lacks the library answers with "method not found", as the protocol wants it
        self._agent = acp.connect_to_agent(cast(acp.Client, client), self._wire)

    @property
    def lines(self) -> int:
        return self._wire.lines

    @property
    def is_gone(self) -> bool:
        """Whether there is nobody to talk to any more, as far as somebody has tried."""
        return self._is_gone

    async def greet(self) -> schema.InitializeResponse:
        information = schema.Implementation(name="loopwright", version=__version__)
        about = await self._heed(self._agent.initialize(acp.PROTOCOL_VERSION, client_info=information), "at once")
        theirs, ours = about.protocol_version, acp.PROTOCOL_VERSION
        if theirs != ours:
            raise AgentError("protocol", f"{self._command.name} speaks version {theirs} of the protocol, not {ours}")
        return about

    def beside(self, about: schema.InitializeResponse, folder: str) -> list[str]:
        """What the agent's own sandbox has to be told of: a folder of its own that does not lie in the project."""
        able = about.agent_capabilities or schema.AgentCapabilities()
        knows = able.session_capabilities is not None and able.session_capabilities.additional_directories is not None
        return [folder] if knows and folder and not Path(folder).is_relative_to(self._project) else []

    async def new(self, beside: Sequence[str] = ()) -> Offer:
        asked = self._agent.new_session(self._project, list(beside) or None, self._servers)
        new = await self._heed(asked, "at its start")
        self._client.session = new.session_id
        return new

    async def load(self, session: str, about: schema.InitializeResponse, beside: Sequence[str] = ()) -> Offer | None:
        """A session of before. None where the agent does not find it, whatever it says of its abilities."""
        able, more = about.agent_capabilities or schema.AgentCapabilities(), list(beside) or None
        ways: list[Callable[[], Awaitable[Offer]]] = []
        if able.load_session:
            ways.append(lambda: self._agent.load_session(self._project, session, self._servers, more))
        if able.session_capabilities is not None and able.session_capabilities.resume is not None:
            ways.append(lambda: self._agent.resume_session(session, self._project, more, self._servers))
        self._client.session = session
        for way in ways:
            try:
                async with asyncio.timeout(LOAD_SECONDS):
                    offer = await self._heed(way(), "while it looked for its session")
            except TimeoutError:
                self._client.strange(f"nothing for {LOAD_SECONDS:g} s when it was to load its session of before")
            except AgentError as error:
                if self.is_gone:
                    raise
                self._client.strange(f"no session of before: {error}")
            else:
                await self.quiet()
                return offer
        self._client.session = None
        return None

    async def quiet(self) -> None:
        """Some go on talking after they have answered: of the history, or of what was cancelled."""
        clock = asyncio.get_running_loop().time
        end, lines = clock() + QUIET_AT_MOST, -1
        while lines != self.lines and clock() < end:
            lines = self.lines
            await asyncio.sleep(QUIET)

    async def set_mode(self, modes: Modes, wanted: str | None) -> None:
        """A mode that is refused is told and left alone: it is a hint, what may be done is decided on our side."""
        mode, session = modes.wanted(wanted), self._client.session or ""
        if mode is None or mode == self._client.mode:
            return
        asked: Awaitable[object] = (
            self._agent.set_session_mode(session, mode)
            if modes.option is None
            else self._agent.set_config_option(modes.option, session, mode)
        )
        try:
            await self._heed(asked, "before its turn")
        except AgentError as error:
            if self.is_gone:
                raise
            self._client.strange(f"no mode {mode!r}: {error}")
        else:
            self._client.mode = mode

    async def prompt(self, text: str) -> schema.PromptResponse:
        asked = self._agent.prompt(self._client.session or "", [acp.text_block(text)])
        return await self._heed(asked, "in the middle of its turn")

    async def cancel(self) -> None:
        """Does not wait for anything."""
        with suppress(ConnectionError):  # whoever waits for the turn hears of it
            await self._agent.cancel(self._client.session or "")

    async def close(self) -> None:
        await self._agent.close()

    @property
    def _servers(self) -> list[AnyServer]:
        told = self._server
        if told is None:
            return []
        variables = [schema.EnvVariable(name=name, value=value) for name, value in told.environment]
        return [schema.McpServerStdio(name=told.name, command=told.command, args=list(told.args), env=variables)]

    async def _heed(self, answer: Awaitable[T], when: str) -> T:
        """The answer, or what became of the agent `when` it was asked."""
        try:
            return await answer
        except acp.RequestError as error:
            now = datetime.now().astimezone()
            raise self._advised(trouble(self._command.name, error.code, str(error), error.data, now)) from error
        except ValidationError as error:
            words = f"{self._command.name} gave an answer that can not be understood: {first_problem(error)}"
            raise AgentError("protocol", words) from error
        except ConnectionError:
            raise await self._ended(when) from None

    def _advised(self, error: AgentError) -> AgentError:
        """With what a person can do about it."""
        if error.kind != "auth" or not self._command.login:
            return error
        return AgentError("auth", f"{str(error).rstrip('.')}; log in with: {self._command.login}")

    async def _ended(self, when: str) -> AgentError:
        """Why there is nobody to talk to any more."""
        self._is_gone = True
        name = f"{self._command.name} ({self._command.argv[0]})"
        if self._wire.failure is not None:
            return AgentError("protocol", f"{name} can not be understood: {self._wire.failure}")
        code = await self._program.exit(EXIT_SECONDS)
        return AgentError("died", f"{name} {ended(code, when)}{self._errors.last_words()}")
