"""One agent's process with its session, from the first message to the last."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
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
from loopwright.agents.acp.transcript import Turn
from loopwright.agents.acp.trouble import broken, trouble
from loopwright.agents.acp.usage import cost_of, used
from loopwright.agents.acp.wire import Wire
from loopwright.agents.mailbox import Mailbox, McpServer
from loopwright.agents.presets import AgentCommand
from loopwright.domain.conversation import SessionBegun, Trouble, UsageTold
from loopwright.domain.errors import AgentError, Invalid
from loopwright.domain.protocol import AgentOutput, Message, Usage
from loopwright.domain.record import first_problem
from loopwright.domain.reports import parse_report
from loopwright.domain.words import clipped
from loopwright.ports import Surroundings
from loopwright.workspace.conversing import Program, conversing
from loopwright.workspace.marks import Mark

T = TypeVar("T")
AnyServer = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio

LOAD_SECONDS = 60.0
"""For an agent to find a session of before; then a new one is begun."""

QUIET, QUIET_AT_MOST = 0.3, 5.0
"""Seconds without a word after which nothing more is expected, and the most that is waited for that."""

EXIT_SECONDS = 1.0
"""For an agent that closes its output to end."""

_STOPPED = {"max_tokens": "its limit of tokens", "max_turn_requests": "its limit of requests in one turn"}


class Session:
    """A session that is open. One turn at a time; `is_prompting` while one is under way."""

    def __init__(
        self, command: AgentCommand, project: Path, program: Program, errors: Stderr, mailbox: Mailbox,
        around: Surroundings,
    ) -> None:  # fmt: skip
        self._command, self._project, self._program, self._errors = command, project, program, errors
        self._mailbox, self._hear = mailbox, around.hear
        self._client = Client(command.name, project, around, mailbox.server.name)
        self._wire = Wire(program, self._client.updated, self._client.strange)
        # cast: what a client lacks the library answers with "method not found", as the protocol wants it
        self._agent = acp.connect_to_agent(cast(acp.Client, self._client), self._wire)
        self._modes = Modes.none()
        self._knows_the_work = False
        self.is_prompting = False

    async def open(self, message: Message) -> None:
        """The session that the message names, where the agent can load it; else a new one."""
        information = schema.Implementation(name="loopwright", version=__version__)
        about = await self._heed(self._agent.initialize(acp.PROTOCOL_VERSION, client_info=information), "at once")
        if about.protocol_version != acp.PROTOCOL_VERSION:
            theirs, ours = about.protocol_version, acp.PROTOCOL_VERSION
            raise AgentError("protocol", f"{self._command.name} speaks version {theirs} of the protocol, not {ours}")
        offer = await self._loaded(message.session, about) if message.session else None
        self._knows_the_work = offer is not None
        if offer is None:
            new = await self._heed(
                self._agent.new_session(str(self._project), mcp_servers=self._servers), "at its start"
            )
            self._client.session = new.session_id
            offer = new
        self._modes = Modes.offered(offer)
        self._client.mode = self._modes.first
        await self._set_mode(message)
        self._hear(
            SessionBegun(
                agent=self._command.name, session=self._client.session, loaded=self._knows_the_work,
                version=about.agent_info.version if about.agent_info else None, mode=self._client.mode,
            )
        )  # fmt: skip

    async def turn(self, id: str, message: Message) -> AgentOutput:
        """Sends the message and waits for the end of the turn. AgentError."""
        if self._client.was_cancelled:
            await self._quiet()
        await self._set_mode(message)
        self._open_mailbox(message)
        text = message.text if self._knows_the_work or not message.brief else f"{message.brief}\n\n{message.text}"
        spent = self._client.cost
        self._client.begin(message)
        self.is_prompting = True
        session = self._client.session or ""
        try:
            response = await self._heed(
                self._agent.prompt(session, [acp.text_block(text)]), "in the middle of its turn"
            )
            self._knows_the_work = True
        finally:
            self.is_prompting = False
            turn = self._client.end()
        if not self._client.was_cancelled:
            self._check(response.stop_reason, turn)
        usage = used(response, turn.metered, cost_of(spent, self._client.cost))
        return self._output(id, turn, self._told(usage))

    def at_work(self, id: str) -> AgentOutput:
        """What can be told of the turn under way."""
        turn = self._client.turn or Turn()
        return AgentOutput(
            agent_id=id, running=True, text=turn.text, truncated=turn.cut, session=self._client.session,
            signs=self._wire.lines + self._errors.signs(), asking=self._client.is_asking,
        )  # fmt: skip

    async def cancel(self) -> None:
        """Asks for the end of the turn; what it waits for is not decided any more."""
        self._client.cancel()
        with suppress(ConnectionError):
            await self._agent.cancel(self._client.session or "")

    async def close(self) -> None:
        await self._client.close()
        await self._agent.close()

    @property
    def _servers(self) -> list[AnyServer]:
        return [_as_told(self._mailbox.server)]

    async def _loaded(self, session: str, about: schema.InitializeResponse) -> Offer | None:
        """None where the agent does not find it, whatever it says of its abilities."""
        able = about.agent_capabilities or schema.AgentCapabilities()
        ways: list[Callable[[], Awaitable[Offer]]] = []
        place, servers = str(self._project), self._servers
        if able.load_session:
            ways.append(lambda: self._agent.load_session(place, session, servers))
        if able.session_capabilities is not None and able.session_capabilities.resume is not None:
            ways.append(lambda: self._agent.resume_session(session, place, mcp_servers=servers))
        self._client.session = session
        for way in ways:
            try:
                async with asyncio.timeout(LOAD_SECONDS):
                    offer = await way()
            except (acp.RequestError, ValidationError, TimeoutError) as error:
                self._client.strange(f"no session of before: {error or 'no answer'}")
            except ConnectionError:
                raise await self._ended("while it looked for its session") from None
            else:
                await self._quiet()
                return offer
        self._client.session = None
        return None

    async def _quiet(self) -> None:
        """Some go on talking after they have answered: of the history, or of what was cancelled."""
        clock = asyncio.get_running_loop().time
        end, lines = clock() + QUIET_AT_MOST, -1
        while lines != self._wire.lines and clock() < end:
            lines = self._wire.lines
            await asyncio.sleep(QUIET)

    async def _set_mode(self, message: Message) -> None:
        wanted = self._modes.wanted(self._command.modes.get(message.policy))
        if wanted is None or wanted == self._client.mode:
            return
        session = self._client.session or ""
        try:
            if self._modes.option is None:
                await self._agent.set_session_mode(session, wanted)
            else:
                await self._agent.set_config_option(self._modes.option, session, wanted)
        except (acp.RequestError, ValidationError) as error:
            self._client.strange(f"no mode {wanted!r}: {error}")
        except ConnectionError:
            raise await self._ended("before its turn") from None
        else:
            self._client.mode = wanted

    def _open_mailbox(self, message: Message) -> None:
        try:
            self._mailbox.open(message)
        except OSError as error:
            raise AgentError("protocol", f"{self._command.name} can not be given its report tools: {error}") from error

    async def _heed(self, answer: Awaitable[T], when: str) -> T:
        """The answer, or what became of the agent `when` it was asked."""
        try:
            return await answer
        except acp.RequestError as error:
            now = datetime.now().astimezone()
            raise trouble(self._command.name, error.code, str(error), error.data, now) from error
        except ValidationError as error:
            words = f"{self._command.name} gave an answer that can not be understood: {first_problem(error)}"
            raise AgentError("protocol", words) from error
        except ConnectionError:
            raise await self._ended(when) from None

    async def _ended(self, when: str) -> AgentError:
        """Why there is nobody to talk to any more."""
        name = f"{self._command.name} ({self._command.argv[0]})"
        if self._wire.failure is not None:
            return AgentError("protocol", f"{name} can not be understood: {self._wire.failure}")
        code = await self._program.exit(EXIT_SECONDS)
        return AgentError("died", f"{name} {ended(code, when)}{self._errors.last_words()}")

    def _check(self, stopped: str, turn: Turn) -> None:
        """AgentError where the turn only looks as if it were done."""
        if turn.is_broken:
            raise broken(self._command.name, turn.unnamed or turn.text, datetime.now().astimezone())
        if stopped == "refusal":
            raise AgentError("refused", f"{self._command.name} refuses to go on: {clipped(turn.text[-300:], 300)}")
        if stopped in _STOPPED:
            self._hear(Trouble(text=f"{self._command.name} stopped at {_STOPPED[stopped]}"))

    def _told(self, usage: Usage) -> Usage:
        if usage == Usage():
            return usage
        whole = usage if usage.model else usage.evolve(model=self._modes.model)
        self._hear(UsageTold(usage=whole))
        return whole

    def _output(self, id: str, turn: Turn, usage: Usage) -> AgentOutput:
        for found in self._mailbox.discoveries():
            self._hear(found)
        return self.at_work(id).evolve(
            running=False, text=turn.text, truncated=turn.cut, report=self._mailbox.merged(parse_report(turn.text)),
            wrote=turn.wrote(self._client.roots), usage=usage,
        )  # fmt: skip


@asynccontextmanager
async def opened(
    command: AgentCommand, project: Path, folder: Path, around: Surroundings, message: Message
) -> AsyncIterator[Session]:
    """A session, ready for its first prompt; afterwards nothing is left of it but its stderr in the `folder`."""
    mark = Mark(around.loop_id, str(project.resolve()))
    errors = Stderr(folder / "stderr.log")
    try:
        async with conversing(
            command.argv, cwd=project, mark=mark, stderr=errors.path, more=command.environment, without=command.without
        ) as program:
            session = Session(command, project, program, errors, Mailbox(folder / "mailbox"), around)
            try:
                await session.open(message)
                yield session
            finally:
                await session.close()
    except Invalid as error:
        raise AgentError("died", f"{command.name} can not be started: {error}") from error


def _as_told(server: McpServer) -> schema.McpServerStdio:
    environment = [schema.EnvVariable(name=name, value=value) for name, value in server.environment]
    return schema.McpServerStdio(name=server.name, command=server.command, args=list(server.args), env=environment)
