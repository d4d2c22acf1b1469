"""The agent at the other end: what the protocol lets us ask of it, its failures in our words."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal, cast

import acp
import orjson
from acp import schema
from pydantic import ValidationError

from loopwright import __version__
from loopwright.agents.acp.choices import (
    ConfigOption,
    SessionChoice,
    SessionOption,
    describe_offer,
    plain,
    read_models,
    read_option,
)
from loopwright.agents.acp.client import AcpClient, Offer, SessionModes
from loopwright.agents.acp.errors import classify_error
from loopwright.agents.acp.updates import SessionUpdate
from loopwright.agents.presets import mcp_program, no_mcp_program
from loopwright.agents.report_inbox import McpServer
from loopwright.core.agent_names import AgentCommand, McpServerCommand
from loopwright.core.errors import AgentError, Invalid, NotOffered
from loopwright.core.record import first_problem
from loopwright.processes.confinement import explain_denial
from loopwright.processes.conversation import TalkingProgram

Message = dict[str, Any]  # Any: JSON, as the library takes it

UPDATE = "session/update"
ANSWERED = frozenset({"session/request_permission", "fs/write_text_file"})
"""Requests that we answer (see client.py); opencode calls the second though we do not offer it."""

NOT_FOUND = -32601
UNREAD = 4_000_000
"""Bytes of our own answers that a program may leave unread before we stop reading its requests."""

BREATH = 64
"""Lines after which others get their turn, in a flood."""


class WireTransport:
    """The transport under the library's connection.

    Updates do not go through the library, which would start a task for each: they are given to `update`, in order and
    before anything that follows them. `beside` gets the parameters of an extension's notification. `strange` gets words
    on whatever cannot be understood. `lines` counts what came.
    `models`: those that a session was opened with, which the library does not know of.
    """

    def __init__(
        self,
        program: TalkingProgram,
        update: Callable[[str, SessionUpdate], None],
        beside: Callable[[object], object],
        strange: Callable[[str], None],
    ) -> None:
        self._program, self._update, self._beside, self._strange = program, update, beside, strange
        self.lines = 0
        self._has_answered = False
        self.failure: str | None = None
        self.models: Mapping[str, object] = {}

    async def send(self, message: Message) -> None:
        try:
            self._program.say(_line_of(message))
        except ConnectionError:
            if "method" in message:  # nobody waits for what became of an answer
                raise

    async def receive(self) -> Message | None:
        if self._has_answered:
            await asyncio.sleep(0)  # whoever waited for the answer goes on before anything that follows it
        while True:
            await self._program.read_up(UNREAD)
            try:
                line = await self._program.line()
            except Invalid as error:
                self.failure = f"it sent {error}"
                return None
            if line is None:
                return None
            self.lines += 1
            if not self.lines % BREATH:
                await asyncio.sleep(0)
            if line.strip() and (message := self._taken(line)) is not None:
                self._has_answered = "method" not in message
                return message

    async def close(self) -> None:
        """The program is ended by whoever started it."""

    def _taken(self, line: bytes) -> Message | None:
        """A request or an answer; None for what is dealt with here."""
        message = _parsed(line)
        if not isinstance(message, dict) or not _is_whole(message):
            self._strange(f"a line that is not a message: {_sample(line)}")
            return None
        method = message.get("method")
        if method is None:
            result = message.get("result")
            if isinstance(result, dict) and isinstance(models := result.get("models"), dict):
                self.models = models
            return message
        if "id" in message:
            if method not in ANSWERED:
                error = {"code": NOT_FOUND, "message": "Method not found", "data": {"method": method}}
                with suppress(ConnectionError):
                    self._program.say(_line_of({"jsonrpc": "2.0", "id": message["id"], "error": error}))
                return None
            params = message.get("params")
            if isinstance(params, dict):  # the library would take its parts for arguments of their names
                params.pop("_meta", None)
            return message
        if method == UPDATE:
            self._updated(message.get("params"))
        elif method.startswith("_"):
            self._beside(message.get("params"))
        else:
            self._strange(f"an unknown notification: {_sample(method.encode(errors='replace'))}")
        return None

    def _updated(self, params: object) -> None:
        try:
            told = schema.SessionNotification.model_validate(params)
        except ValidationError:
            self._strange(f"an update that cannot be understood: {_kind_of(params)}")
            return
        self._update(told.session_id, told.update)


def _line_of(message: Message) -> bytes:
    return json.dumps(message, separators=(",", ":")).encode() + b"\n"


def _parsed(line: bytes) -> object:
    """None for what is no JSON. Half characters, which JavaScript can send, are replaced."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass
    try:
        return _mended(json.loads(line.decode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None


def _mended(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_mended(part) for part in value]
    if isinstance(value, dict):
        return {_mended(name): _mended(part) for name, part in value.items()}
    return value


def _is_whole(message: Message) -> bool:
    """Whether the library can take it: it looks at no type itself."""
    id, method, error = message.get("id"), message.get("method"), message.get("error")
    if method is None and "id" not in message:
        return False
    if not (method is None or isinstance(method, str)) or not (id is None or isinstance(id, (int, str))):
        return False
    if error is None:
        return True
    if not isinstance(error, dict):
        return False
    return isinstance(error.get("code", 0), int) and isinstance(error.get("message", ""), str)


def _kind_of(params: object) -> str:
    update = params.get("update") if isinstance(params, dict) else None
    kind = update.get("sessionUpdate") if isinstance(update, dict) else None
    return _sample(str(kind).encode(errors="replace"))


def _sample(line: bytes) -> str:
    return repr(line[:80].decode("utf-8", "replace"))


TOLD = 4_096
"""Bytes that are read of what is new in the file, and at its end for the last words."""

LINES = 3
LINE = 300

KEPT = 20_000_000
"""Bytes after which the file is emptied."""

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class StderrLog:
    """The file `path`, that the agent appends to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = 0

    def news(self) -> str:
        """What was appended since the last call: the begin of it."""
        with self.path.open("r+b") as file:
            file.seek(self._seen)
            text = _CONTROLS.sub("", file.read(TOLD).decode("utf-8", "replace"))
            self._seen = file.seek(0, 2)
            if self._seen > KEPT:  # it is appended to, so it can be emptied under the writer
                file.truncate(0)
                self._seen = 0
        return text

    def last_words(self) -> str:
        """The last lines; empty where there are none."""
        with self.path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TOLD))
            text = _CONTROLS.sub("", file.read().decode("utf-8", "replace"))
        lines = [line.strip()[:LINE] for line in text.splitlines() if line.strip()]
        return "; ".join(lines[-LINES:])


def describe_exit(exit_code: int | None, when: str) -> str:
    """None: it is still there, and does not talk any more."""
    if exit_code is None:
        return "closed its output but is still running"
    return f"ended {when} by signal {-exit_code}" if exit_code < 0 else f"ended {when} with exit code {exit_code}"


AnyServer = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio

LOAD_SECONDS = 60.0
"""For an agent to find a session of before; then a new one is begun."""

QUIET, QUIET_AT_MOST = 0.3, 5.0
"""Seconds without a word after which nothing more is expected, and the most that is waited for that."""

EXIT_SECONDS = 1.0
"""For an agent that closes its output to end."""


class AcpPeer:
    """Every method raises AgentError; `lines` counts all that it has sent. `agent`: the library's side of it."""

    def __init__(
        self,
        command: AgentCommand,
        project: Path,
        program: TalkingProgram,
        errors: StderrLog,
        client: AcpClient,
        server: McpServer | None,
    ) -> None:
        self._command, self._project, self._program, self._errors = command, str(project), program, errors
        self._client, self._server = client, server
        self._is_gone = False
        self._wire = WireTransport(program, client.updated, client.told_beside, client.strange)
        # cast: what a client lacks the library answers with "method not found", as the protocol wants it
        self.agent = acp.connect_to_agent(cast(acp.Client, client), self._wire)

    @property
    def lines(self) -> int:
        return self._wire.lines

    @property
    def models(self) -> Mapping[str, object]:
        """What it told of its models when a session was opened, beside the options of that."""
        return self._wire.models

    @property
    def is_gone(self) -> bool:
        """Whether there is nobody to talk to any more, as far as somebody has tried."""
        return self._is_gone

    async def greet(self) -> schema.InitializeResponse:
        information = schema.Implementation(name="loopwright", version=__version__)
        async with self.heeding("at once"):
            about = await self.agent.initialize(acp.PROTOCOL_VERSION, client_info=information)
        theirs, ours = about.protocol_version, acp.PROTOCOL_VERSION
        if theirs != ours:
            raise AgentError("protocol", f"{self._command.name} speaks version {theirs} of the protocol, not {ours}")
        networked = [server.name for server in self._command.mcp if server.url]
        able = about.agent_capabilities.mcp_capabilities if about.agent_capabilities else None
        if networked and not (able and able.http):
            words = (
                f"{self._command.name} takes no MCP servers over HTTP; give {networked[0]} a command, or leave it out"
            )
            raise NotOffered(words)
        return about

    async def permit_writing(self, allowed: bool) -> None:
        """Where its sandbox can change; what was written all the same is undone and told, as without one."""
        await self._program.permit_writing(allowed)

    def beside(self, about: schema.InitializeResponse, folder: str) -> list[str]:
        """What the agent's own sandbox has to be told of: a folder of its own that does not lie in the project."""
        able = about.agent_capabilities or schema.AgentCapabilities()
        knows = able.session_capabilities is not None and able.session_capabilities.additional_directories is not None
        return [folder] if knows and folder and not Path(folder).is_relative_to(self._project) else []

    async def new(self, beside: Sequence[str] = ()) -> Offer:
        async with self.heeding("during startup"):
            new = await self.agent.new_session(
                self._project, list(beside) or None, self._servers, **self._command.session_meta
            )
        self._client.session = new.session_id
        return new

    async def load(self, session: str, about: schema.InitializeResponse, beside: Sequence[str] = ()) -> Offer | None:
        """A session of before. None where the agent does not find it, whatever it says of its abilities."""
        able, more = about.agent_capabilities or schema.AgentCapabilities(), list(beside) or None
        meta = self._command.session_meta
        ways: list[Callable[[], Awaitable[Offer]]] = []
        if able.load_session:
            ways.append(lambda: self.agent.load_session(self._project, session, self._servers, more, **meta))
        if able.session_capabilities is not None and able.session_capabilities.resume is not None:
            ways.append(lambda: self.agent.resume_session(session, self._project, more, self._servers, **meta))
        self._client.session = session
        for way in ways:
            try:
                async with asyncio.timeout(LOAD_SECONDS), self.heeding("while loading its session"):
                    offer = await way()
            except TimeoutError:
                self._client.strange(f"nothing for {LOAD_SECONDS:g} s while loading its previous session")
            except AgentError as error:
                if self.is_gone:
                    raise
                self._client.strange(f"no previous session: {error}")
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

    async def set_mode(self, modes: SessionModes, wanted: str | None) -> None:
        """A mode that is refused is told and left alone: it is a hint, what may be done is decided on our side."""
        mode, session = modes.wanted(wanted), self._client.session or ""
        if mode is None or mode == self._client.mode:
            return
        asked: Awaitable[object] = (
            self.agent.set_session_mode(session, mode)
            if modes.option is None
            else self.agent.set_config_option(modes.option, session, mode)
        )
        try:
            async with self.heeding("before its turn"):
                await asked
        except AgentError as error:
            if self.is_gone:
                raise
            self._client.strange(f"no mode {mode!r}: {error}")
        else:
            self._client.mode = mode

    async def choose(self, offer: Offer) -> SessionChoice:
        """Sets the model and the effort that are wanted; what the session then works with. NotOffered."""
        command = self._command
        options: Sequence[ConfigOption] | None = offer.config_options
        model = read_option("model", options) or read_models(self.models)
        if command.model is not None and (model is not None or not command.is_told_at_start):
            model, options = await self._set(model, "model", command.model, options)
        effort = read_option("effort", options)  # what there is depends on the model
        if command.effort is not None:
            effort, _ = await self._set(effort, "effort", command.effort, options)
        at = plain(model.current) if model else command.model
        return SessionChoice(at, effort.current if effort else None)

    async def _set(
        self,
        option: SessionOption | None,
        what: Literal["model", "effort"],
        wanted: str,
        options: Sequence[ConfigOption] | None,
    ) -> tuple[SessionOption, Sequence[ConfigOption] | None]:
        """The option as it stands now, and all options with it."""
        name, value = self._command.name, option.find(wanted) if option else None
        if option is None or value is None:
            raise NotOffered(describe_offer(name, what, wanted, option))
        if value == option.current:
            return option, options
        session = self._client.session or ""
        try:
            async with self.heeding("before its turn"):
                if not option.id:  # what the library does not know
                    params = {"sessionId": session, "modelId": value}
                    await self.agent._conn.send_request("session/set_model", params)
                    return replace(option, current=value), options
                told = await self.agent.set_config_option(option.id, session, value)
        except AgentError as error:
            if self.is_gone or error.kind == "auth":
                raise
            raise NotOffered(f"{name} does not take the {what} {wanted!r}: {error}") from error
        now = read_option(what, told.config_options)
        if now is None or now.current != value:
            raise NotOffered(f"{name} was asked for the {what} {wanted!r}, and still works with {option.current!r}")
        return now, told.config_options

    async def cancel(self) -> None:
        """Does not wait for anything."""
        with suppress(ConnectionError):  # whoever waits for the turn hears of it
            await self.agent.cancel(self._client.session or "")

    async def close(self) -> None:
        await self.agent.close()

    @property
    def _servers(self) -> list[AnyServer]:
        told = self._server
        if told is None:
            return []
        variables = [schema.EnvVariable(name=name, value=value) for name, value in told.environment]
        ours = schema.McpServerStdio(name=told.name, command=told.command, args=list(told.args), env=variables)
        return [ours, *(self._theirs(server) for server in self._command.mcp)]

    def _theirs(self, server: McpServerCommand) -> AnyServer:
        """One of the user's."""
        if server.url:
            headers = [schema.HttpHeader(name=name, value=value) for name, value in server.headers.items()]
            return schema.HttpMcpServer(type="http", name=server.name, url=server.url, headers=headers)
        program = mcp_program(server, self._command, Path(self._project))
        if program is None:
            raise AgentError("refused", no_mcp_program(server, self._command))
        variables = [schema.EnvVariable(name=name, value=value) for name, value in server.env.items()]
        return schema.McpServerStdio(name=server.name, command=program, args=list(server.args), env=variables)

    @asynccontextmanager
    async def heeding(self, when: str) -> AsyncIterator[None]:
        """Around a call of `agent`: what became of the agent `when` it was asked, in our words."""
        try:
            yield
        except acp.RequestError as error:
            now = datetime.now().astimezone()
            raise self.advised(classify_error(self._command.name, error.code, str(error), error.data, now)) from error
        except ValidationError as error:
            words = f"{self._command.name} gave an answer that cannot be understood: {first_problem(error)}"
            raise AgentError("protocol", words) from error
        except ConnectionError:
            raise await self._ended(when) from None

    def advised(self, error: AgentError) -> AgentError:
        """With what a person can do about it."""
        if error.kind != "auth" or not self._command.login:
            return error
        return AgentError("auth", f"{str(error).rstrip('.')}; log in with: {self._command.login}")

    async def _ended(self, when: str) -> AgentError:
        """Why there is nobody to talk to any more."""
        self._is_gone = True
        name = f"{self._command.name} ({self._command.argv[0]})"
        if self._wire.failure is not None:
            return AgentError("protocol", f"{name} cannot be understood: {self._wire.failure}")
        code = await self._program.exit(EXIT_SECONDS)
        words, end = self._errors.last_words(), describe_exit(code, when)
        why = f"{name}: {words} (it {end}) {explain_denial(words)}".rstrip() if words else f"{name} {end}"
        return AgentError("died", why)
