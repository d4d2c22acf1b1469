"""One agent's process with its session, from the first message to the last."""

import asyncio
import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import acp
from acp import schema

from loopwright.agents.acp.choices import SessionChoice
from loopwright.agents.acp.client import AcpClient, SessionModes
from loopwright.agents.acp.errors import classify_broken_turn
from loopwright.agents.acp.peer import AcpPeer, StderrLog
from loopwright.agents.acp.session_record import SessionRecord, open_record
from loopwright.agents.acp.updates import TurnState, compute_turn_cost, sum_turn_usage
from loopwright.agents.report_inbox import ReportInbox
from loopwright.agents.task_agent import TaskAgent
from loopwright.core.agent_names import AgentCommand
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.ports import AgentEnvironment
from loopwright.core.private_files import make_private_folder
from loopwright.core.protocol import AgentOutput, Capabilities, Message, Usage
from loopwright.core.transcript import SessionStart, TroubleNote, UsageUpdate
from loopwright.processes.confinement import current_sandbox, program_folders
from loopwright.processes.conversation import open_conversation
from loopwright.processes.process_tree import ProcessMark
from loopwright.processes.sandbox import SandboxNeeds
from loopwright.reports.text import parse_report

STEER_SECONDS = 10.0
"""For an agent to take what it is told within a turn."""

_STOPPED = {"max_tokens": "its limit of tokens", "max_turn_requests": "its limit of requests in one turn"}


class AcpSession:
    """A session that is open. One turn at a time; `is_prompting` while one is under way."""

    def __init__(
        self,
        command: AgentCommand,
        peer: AcpPeer,
        client: AcpClient,
        inbox: ReportInbox,
        errors: StderrLog,
        around: AgentEnvironment,
    ) -> None:
        self._command, self._peer, self._client, self._inbox = command, peer, client, inbox
        self._errors, self._hear = errors, around.hear
        self._modes, self._choice = SessionModes.none(), SessionChoice()
        self._knows_the_work = False
        self._is_told = False
        self._can_steer = False
        self._spent: schema.Cost | None = None
        self._record = SessionRecord(None, is_new=True)
        self.is_prompting = False

    async def open(self, message: Message) -> None:
        """The session that the message names, where the agent can load it; else a new one. AgentError."""
        self._open_mailbox(message)
        about = await self._peer.greet()
        self._can_steer = _steers(about)
        beside = self._peer.beside(about, message.folder)
        offer = await self._peer.load(message.session, about, beside) if message.session else None
        self._knows_the_work = offer is not None
        offer = offer or await self._peer.new(beside)
        self._record = open_record(self._command, self._client.session or "", is_new=not self._knows_the_work)
        self._modes = SessionModes.offered(offer)
        self._client.mode = self._modes.first
        self._choice = await self._peer.choose(offer)
        await self._peer.set_mode(self._modes, self._command.modes.get(message.policy))
        await self._inbox.until_known(self._command.tools_within)
        version = about.agent_info.version if about.agent_info else None
        self._hear(
            SessionStart(
                agent=self._command.name,
                session=self._client.session,
                loaded=self._knows_the_work,
                version=version,
                mode=self._client.mode,
                model=self._choice.model,
                effort=self._choice.effort,
            )
        )

    async def turn(self, id: str, message: Message) -> AgentOutput:
        """Sends the message and waits for the end of the turn. AgentError."""
        self._spent = self._client.cost
        if self._client.was_cancelled:
            await self._peer.quiet()
        await self._peer.set_mode(self._modes, self._command.modes.get(message.policy))
        await self._peer.permit_writing(message.policy != "read-only")
        self._open_mailbox(message)
        text = self._words(message)
        self._client.begin(message)
        self._record.begin()
        self.is_prompting = True
        response = None  # also where it answered with an error that it was cancelled
        try:
            async with self._peer.heeding("during its turn"):
                response = await self._peer.agent.prompt(self._client.session or "", [acp.text_block(text)])
        except AgentError:
            if not self._client.was_cancelled or self._peer.is_gone:
                raise
        finally:
            self.is_prompting = False
            turn = self._client.end()
        self._knows_the_work = self._is_told = True
        if response is not None and not self._client.was_cancelled:
            # agentError where the turn only looks as if it were done
            if turn.is_broken:
                raise classify_broken_turn(self._command.name, turn.unnamed or turn.text, datetime.now().astimezone())
            if response.stop_reason == "refusal":
                raise AgentError("refused", f"{self._command.name} refuses to continue: {turn.text[-300:]}")
            if response.stop_reason in _STOPPED:
                self._hear(TroubleNote(text=f"{self._command.name} stopped at {_STOPPED[response.stop_reason]}"))
        output = self._output(id, turn, self._usage(turn, response))
        if output.usage != Usage():
            self._hear(UsageUpdate(usage=output.usage))
        for found in self._inbox.discoveries():
            self._hear(found)
        return output.evolve(running=False, report=self._inbox.merged(parse_report(turn.text, message.action)))

    def _words(self, message: Message) -> str:
        """As much of the message as the agent does not know yet."""
        brief = "" if self._knows_the_work else message.brief
        order = message.short if self._is_told and message.short else message.text
        by_text = "" if self._inbox.is_known else message.by_text
        return "\n\n".join(part for part in (brief, order, message.told, by_text) if part)

    def at_work(self, id: str) -> AgentOutput:
        """What can be told of the turn under way. AgentError(auth) once that is hopeless."""
        if self._client.refused is not None:
            raise self._peer.advised(self._client.refused)
        self._client.logged(self._errors.news())
        turn = self._client.turn or TurnState()
        return self._output(id, turn, self._usage(turn, None))

    async def steer(self, text: str) -> bool:
        """Adds to the turn under way, see ports.Agent. The protocol has no such request: codex's own."""
        if not (self._can_steer and self.is_prompting):
            return False
        prompt = {"prompt": [{"type": "text", "text": text}], "_meta": {"steering": {"idleBehavior": "promptRequired"}}}
        try:
            async with asyncio.timeout(STEER_SECONDS), self._peer.heeding("while it was told something"):
                answer = await self._peer.agent.ext_method(
                    "session/steering", {"sessionId": self._client.session, **prompt}
                )
        except TimeoutError:
            raise AgentError("protocol", f"{self._command.name} does not answer whether it was told") from None
        return bool(answer.get("outcome") == "injected")

    async def cancel(self) -> None:
        """Asks for the end of the turn; what it waits for is not decided any more."""
        self._client.cancel()
        await self._peer.cancel()

    def _open_mailbox(self, message: Message) -> None:
        try:
            self._inbox.open(message)
        except OSError as error:
            raise AgentError("protocol", f"{self._command.name} cannot be given its report tools: {error}") from error

    def _usage(self, turn: TurnState, response: schema.PromptResponse | None) -> Usage:
        cost = compute_turn_cost(self._spent, self._client.cost)
        usage = sum_turn_usage(response, turn.heard_usage, cost, self._record.used())
        return usage if usage == Usage() or usage.model else usage.evolve(model=self._choice.model)

    def _output(self, id: str, turn: TurnState, usage: Usage) -> AgentOutput:
        return AgentOutput(
            agent_id=id,
            running=True,
            text=turn.text,
            truncated=turn.cut,
            wrote=self._client.written(turn),
            usage=usage,
            session=self._client.session,
            signs=self._peer.lines - self._client.troubles + self._client.log_signs,
            asking=self._client.is_asking,
            received=self.is_prompting,
            steers=self._can_steer and self.is_prompting,
        )


@asynccontextmanager
async def open_session(
    command: AgentCommand, project: Path, folder: Path, around: AgentEnvironment, message: Message
) -> AsyncIterator[AcpSession]:
    """A session, ready for its first prompt; afterwards nothing is left of it but its stderr in the `folder`."""
    mark = ProcessMark(around.loop_id, str((around.project or project).resolve()))
    command = await _placed(command)
    own = (folder, Path(message.folder)) if message.folder else (folder,)
    errors, inbox = StderrLog(folder / "stderr.log"), ReportInbox(folder / "inbox")
    client = AcpClient(command.name, project, around, inbox.server.name)
    try:
        async with open_conversation(
            command.argv,
            cwd=project,
            mark=mark,
            stderr=errors.path,
            more=command.environment,
            without=command.without,
            passed=command.passed,
            needs=SandboxNeeds(
                own, program_folders(command.argv), command.folders, network=True, cache="agent", pausing=True
            ),
        ) as program:
            peer = AcpPeer(command, project, program, errors, client, inbox.server)
            try:
                session = AcpSession(command, peer, client, inbox, errors, around)
                await session.open(message)
                yield session
            finally:
                await client.close()
                await peer.close()
    except Invalid as error:
        raise AgentError("died", f"{command.name} cannot be started: {error}") from error
    finally:
        shutil.rmtree(folder / "inbox", ignore_errors=True)


async def _placed(command: AgentCommand) -> AgentCommand:
    """As it is started in the run's sandbox: one that cannot make its own there is told to make none."""
    sandbox = current_sandbox()
    if sandbox is None or not command.modes_within or await asyncio.to_thread(lambda: sandbox.nests):
        return command
    return replace(command, modes={**command.modes, **command.modes_within})


class _Held(NamedTuple):
    session: AcpSession
    stack: AsyncExitStack


class AcpAgent(TaskAgent):
    """Each session is a process of its own in `project`; what it leaves behind lies in `folder`, outside of it."""

    capabilities = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)

    def __init__(self, command: AgentCommand, project: Path, folder: Path, around: AgentEnvironment) -> None:
        super().__init__()
        self.name = command.name
        self._command, self._project, self._folder, self._around = command, project, folder, around
        self._sessions: dict[str, _Held] = {}

    def at_work(self, id: str) -> AgentOutput:
        held = self._sessions.get(id)
        return super().at_work(id).evolve(received=False) if held is None else held.session.at_work(id)

    async def play(self, id: str, message: Message) -> AgentOutput:
        if id not in self._sessions:
            make_private_folder(self._folder)
            folder = Path(tempfile.mkdtemp(prefix=f"{id}-", dir=self._folder))
            stack = AsyncExitStack()
            session = await stack.enter_async_context(
                open_session(self._command, self._project, folder, self._around, message)
            )
            self._sessions[id] = _Held(session, stack)
        return await self._sessions[id].session.turn(id, message)

    async def steer(self, id: str, text: str) -> bool:
        held = self._sessions.get(id)
        return held is not None and await held.session.steer(text)

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


def _steers(about: schema.InitializeResponse) -> bool:
    able = about.agent_capabilities.field_meta if about.agent_capabilities else None
    told = [(meta or {}).get("steering") for meta in (about.field_meta, able)]
    return any(isinstance(one, dict) and one.get("supported") is True for one in told)
