"""What an agent offers and whether it answers, tried out in a folder that is no project; nothing of it is left."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import acp
from acp import schema

from loopwright.agents.acp.choices import SessionChoice, read_models, read_option
from loopwright.agents.acp.client import AcpClient, Offer, SessionModes
from loopwright.agents.acp.errors import classify_broken_turn, classify_error
from loopwright.agents.acp.peer import AcpPeer, StderrLog
from loopwright.agents.acp.updates import compute_turn_cost, sum_turn_usage
from loopwright.core.agent_names import AgentCommand
from loopwright.core.errors import AgentError, AgentTrouble, Invalid
from loopwright.core.ports import NOWHERE
from loopwright.core.protocol import Message, Usage
from loopwright.core.spending import NOTHING_KNOWN
from loopwright.core.transcript import AgentEvent, AgentText
from loopwright.processes.conversation import open_conversation
from loopwright.processes.process_tree import ProcessMark

PROBE_LIMIT = 60.0
"""Seconds that an agent has to open a session."""


@dataclass(frozen=True)
class ProbeResult:
    """What an agent told of itself, as far as it got; `trouble` and `words`: what kept it from a session.

    `mode` is the one that a session begins in, `model` and `effort` what it works with; `auth_methods` are the ways to
    log in that it offers.
    """

    version: str | None = None
    load_session: bool = False
    resume_session: bool = False
    mcp_http: bool = False
    modes: tuple[str, ...] = ()
    mode: str | None = None
    models: tuple[str, ...] = ()
    model: str | None = None
    efforts: tuple[str, ...] = ()
    effort: str | None = None
    auth_methods: tuple[str, ...] = ()
    trouble: AgentTrouble | None = None
    words: str = ""
    seconds: float = 0


@dataclass(frozen=True)
class LiveAnswer:
    """What came of one real prompt. `seconds` to the first words and to the end; `trouble` and `words`: why not.

    `model` as the agent names it; `usage` with what is known of tokens and cost.
    """

    model: str | None = None
    effort: str | None = None
    first_words: float | None = None
    seconds: float = 0
    usage: Usage = NOTHING_KNOWN
    answer: str = ""
    trouble: AgentTrouble | None = None
    words: str = ""


TOLD_SECONDS = 3.0
"""How long an agent that has told of a trouble may still come out of it by itself."""

LOOK_SECONDS = 0.2


class _Opened(NamedTuple):
    peer: AcpPeer
    client: AcpClient
    errors: StderrLog


@asynccontextmanager
async def _opened(
    command: AgentCommand, place: Path, stderr: Path, hear: Callable[[AgentEvent], None] | None = None
) -> AsyncIterator[_Opened]:
    """The agent's process, which has been asked nothing yet. AgentError."""
    errors, around = StderrLog(stderr), NOWHERE if hear is None else replace(NOWHERE, hear=hear)
    mark = ProcessMark("doctor", str(place.resolve()))
    try:
        async with open_conversation(
            command.argv,
            cwd=place,
            mark=mark,
            stderr=stderr,
            more=command.environment,
            without=command.without,
            passed=command.passed,
        ) as program:
            client = AcpClient(command.name, place, around, "")
            peer = AcpPeer(command, place, program, errors, client, None)
            try:
                yield _Opened(peer, client, errors)
            finally:
                await client.close()
                await peer.close()
    except Invalid as error:
        raise AgentError("died", f"cannot be started: {error}") from error


async def probe_agent(command: AgentCommand, folder: Path, seconds: float) -> ProbeResult:
    """Starts the agent in `folder`, which is empty and outside of any project; nothing of it is left afterwards."""
    started = time.monotonic()
    place, stderr = folder / "project", folder / "stderr.log"
    place.mkdir()
    found = ProbeResult()
    try:
        async with asyncio.timeout(seconds), _opened(command, place, stderr) as opened:
            found = _introduced(await opened.peer.greet())
            offer = await opened.peer.new()
            found = _offered(found, offer, opened.peer)
            chosen = await opened.peer.choose(offer)
            found = replace(found, model=chosen.model, effort=chosen.effort)
    except TimeoutError:
        late, said = f"no answer within {seconds:g} s", StderrLog(stderr).last_words() if stderr.exists() else ""
        found = replace(found, trouble="timeout", words=f"{said} ({late})" if said else late)
    except AgentError as error:
        found = replace(found, trouble=error.kind, words=str(error))
    return replace(found, seconds=round(time.monotonic() - started, 3))


async def check_choice(command: AgentCommand, project: Path, folder: Path, seconds: float) -> SessionChoice:
    """What a session in the `project` works with, whose own settings have a say in what the agent offers.

    Nothing is asked in that session. `folder` is for what the agent prints. NotOffered, AgentError.
    """
    try:
        async with asyncio.timeout(seconds), _opened(command, project, folder / "stderr.log") as opened:
            await opened.peer.greet()
            return await opened.peer.choose(await opened.peer.new())
    except TimeoutError:
        raise AgentError("timeout", f"{command.name} opened no session within {seconds:g} s") from None


LIVE_PROMPT = "This is a test of the connection. Answer with the single word: ready. Use no tool."
LIVE_LIMIT = 60.0
"""Seconds that an agent has for its whole answer."""


async def ask_agent(command: AgentCommand, folder: Path, seconds: float = LIVE_LIMIT) -> LiveAnswer:
    """Sends one real prompt, in an empty folder where nothing may be written, and waits for the answer."""
    place, stderr = folder / "live", folder / "live.log"
    place.mkdir()
    told = LiveAnswer()
    begun = time.monotonic()
    first: list[float] = []

    def hear(event: AgentEvent) -> None:
        if isinstance(event, AgentText) and not first:
            first.append(time.monotonic())

    try:
        async with asyncio.timeout(seconds), _opened(command, place, stderr, hear) as opened:
            await opened.peer.greet()
            offer = await opened.peer.new()
            await opened.peer.set_mode(SessionModes.offered(offer), command.modes.get("read-only"))
            chosen = await opened.peer.choose(offer)
            told = replace(told, model=chosen.model, effort=chosen.effort)
            begun = time.monotonic()
            told = await _answered(opened, command.name, told)
    except TimeoutError:
        told = replace(told, trouble="timeout", words=f"no answer within {seconds:g} s; is the network there?")
    except AgentError as error:
        told = replace(told, trouble=error.kind, words=str(error))
    first_words = round(first[0] - begun, 3) if first and told.trouble is None else None
    return replace(told, first_words=first_words, seconds=round(time.monotonic() - begun, 3))


async def _answered(opened: _Opened, name: str, told: LiveAnswer) -> LiveAnswer:
    peer, client, now = opened.peer, opened.client, datetime.now().astimezone()
    client.begin(Message(action="INIT", text=LIVE_PROMPT, policy="read-only"))
    prompt = asyncio.ensure_future(peer.agent.prompt(client.session or "", [acp.text_block(LIVE_PROMPT)]))
    try:
        await _until_told(opened, name, prompt)
        async with peer.heeding("during its turn"):
            response = await prompt
    finally:
        prompt.cancel()
    turn = client.end()
    if turn.is_broken:
        raise classify_broken_turn(name, turn.unnamed or turn.text, now)
    if response.stop_reason == "refusal" or not turn.text.strip():
        raise AgentError("refused", f"{name} ended its turn ({response.stop_reason}) without an answer")
    usage = sum_turn_usage(response, turn.metered, compute_turn_cost(None, client.cost))
    return replace(told, model=usage.model or told.model, usage=usage, answer=turn.text.strip())


async def _until_told(opened: _Opened, name: str, prompt: "asyncio.Future[schema.PromptResponse]") -> None:
    """Waits for the end of the turn. AgentError where it tells of a trouble that does not pass."""
    since: float | None = None
    while not prompt.done():
        await asyncio.wait({prompt}, timeout=LOOK_SECONDS)
        opened.client.logged(opened.errors.news())
        if opened.client.refused is not None:
            raise opened.peer.advised(opened.client.refused)
        now = time.monotonic()
        has_begun = opened.client.turn is not None and opened.client.turn.text
        since = None if has_begun or not opened.client.trouble else since or now
        if since is not None and now - since >= TOLD_SECONDS and not prompt.done():
            words = opened.client.trouble.removeprefix(f"{name}: ")
            trouble = classify_error(name, 0, words, None, datetime.now().astimezone())
            kind = trouble.kind if trouble.kind in ("auth", "quota", "rate_limit") else "transient"
            raise opened.peer.advised(AgentError(kind, f"{name}: {words}; it tries again, and has no answer yet"))


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


def _offered(found: ProbeResult, offer: Offer, peer: AcpPeer) -> ProbeResult:
    modes, options = SessionModes.offered(offer), offer.config_options
    model, effort = read_option("model", options) or read_models(peer.models), read_option("effort", options)
    return replace(
        found,
        modes=tuple(sorted(modes.names)),
        mode=modes.first,
        models=model.offered if model else (),
        efforts=effort.offered if effort else (),
    )
