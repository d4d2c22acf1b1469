"""Our side of a session: hears what the agent does, and answers what it asks for."""

import asyncio
import os
import posixpath
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from acp import schema

from loopwright.agents.acp.errors import read_log, read_trouble
from loopwright.agents.acp.updates import (
    COMMAND_KEPT,
    PATHS_KEPT,
    AgentToolCall,
    SessionUpdate,
    TurnState,
    TurnUpdate,
    paths_inside,
    reduce_tool_call,
    reduce_update,
)
from loopwright.core.errors import AgentError
from loopwright.core.ports import AgentEnvironment
from loopwright.core.protocol import Message
from loopwright.core.state import PermissionRequest
from loopwright.core.text import clip_text
from loopwright.core.transcript import (
    AgentDiscovery,
    AgentEvent,
    AgentText,
    AgentThought,
    PermissionResult,
    SessionStart,
    ToolUse,
    TroubleNote,
    UsageUpdate,
)
from loopwright.policy.permissions import PermissionQuery, PolicyDecision, decide_permission

TOGETHER = 0.25
"""Seconds that parts of one text are gathered."""

PART = 4_000
"""Characters after which they are passed on at once."""

TEXT_AT_ONCE = 100_000
"""Characters of one text that are told: its begin and its end."""

TROUBLES_A_TURN = 50
EVENTS_A_TURN = 20_000
TEXT_A_TURN = 5_000_000
"""What is told of one turn; an agent that says more floods."""


class UpdateListener:
    """Keeps the order; gathers texts."""

    def __init__(self, tell: Callable[[AgentEvent], None]) -> None:
        self._tell = tell
        self._kind: type[AgentText] | type[AgentThought] = AgentText
        self._parts: list[str] = []
        self._gathered = 0
        self._timer: asyncio.TimerHandle | None = None
        self._events = self._text = self._troubles = 0
        self._is_flooded = False

    def begin(self) -> None:
        """A turn begins."""
        self._events = self._text = self._troubles = 0
        self._is_flooded = False

    def hear(self, event: AgentEvent) -> None:
        if not isinstance(event, (AgentText, AgentThought)):
            self.flush()
            self._pass_on(event)
            return
        if type(event) is not self._kind:
            self.flush()
        self._kind = type(event)
        self._parts.append(event.text)
        self._gathered += len(event.text)
        if self._gathered >= PART:
            self.flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(TOGETHER, self.flush)

    def flush(self) -> None:
        """Passes on what is gathered."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._parts:
            text, half = "".join(self._parts), TEXT_AT_ONCE // 2
            if (left_out := len(text) - 2 * half) > 0:
                text = f"{text[:half]}\n… {left_out:,} characters left out …\n{text[-half:]}"
            self._parts.clear()
            self._gathered = 0
            self._pass_on(self._kind(text=text))

    def _pass_on(self, event: AgentEvent) -> None:
        if isinstance(event, TroubleNote):
            self._troubles += 1
            if self._troubles > TROUBLES_A_TURN:
                return
        self._events += 1
        self._text += len(event.output) if isinstance(event, ToolUse) else len(getattr(event, "text", ""))
        is_rare = isinstance(event, (SessionStart, UsageUpdate, AgentDiscovery))
        if is_rare or (self._events <= EVENTS_A_TURN and self._text <= TEXT_A_TURN):
            self._tell(event)
        elif not self._is_flooded:
            self._is_flooded = True
            self._tell(TroubleNote(text="it says more in one turn than is kept; the rest of this turn is dropped"))


PLAIN = ("allow_once", "proceed_once", "once", "reject_once", "reject", "cancel")
"""Names of the options that mean this one time and nothing else; some agents have several of one kind."""


def build_permission_query(
    call: AgentToolCall, own_server: str, place: Callable[[str], Sequence[str]]
) -> PermissionQuery:
    """What the policy has to judge. `place` gives for a path all that it may lead to."""
    command, kind = call.command, call.kind
    if command is not None and len(command) >= COMMAND_KEPT:  # its end is not known
        command, kind = None, "execute"
    paths = tuple(dict.fromkeys(real for path in call.places for real in place(path)))
    return PermissionQuery(kind, call.title, paths, command, own_tool=call.server == own_server)


def deny_oversized(call: AgentToolCall) -> PolicyDecision | None:
    """A request that names more than can be looked at."""
    crowded = max(len(call.paths), len(call.changed)) >= PATHS_KEPT
    return PolicyDecision("deny", f"it names {PATHS_KEPT} or more files; ask for fewer at a time") if crowded else None


def rebase_path(path: str, given: str, real: str) -> str:
    """The path as written, below the project's real root where it was written below its given one."""
    whole = posixpath.join(given, path)
    return real + whole[len(given) :] if whole == given or whole.startswith(given.rstrip("/") + "/") else path


def choose_option(options: Sequence[schema.PermissionOption], *, allow: bool) -> str | None:
    """The id of the option to choose: this one time rather than always. None where there is none for this answer."""
    kinds = ("allow_once", "allow_always") if allow else ("reject_once", "reject_always")
    for kind in kinds:
        fitting = [each.option_id for each in options if each.kind == kind]
        if fitting:
            return next((name for name in fitting if name in PLAIN), fitting[0])
    return None


Offer = schema.NewSessionResponse | schema.LoadSessionResponse | schema.ResumeSessionResponse


@dataclass(frozen=True)
class SessionModes:
    """`first`: the one it began with. `option`: the config option to set, where modes are not set by themselves."""

    first: str | None
    names: frozenset[str]
    option: str | None = None

    @classmethod
    def none(cls) -> "SessionModes":
        return cls(None, frozenset())

    @classmethod
    def offered(cls, offer: Offer) -> "SessionModes":
        selects = {
            each.id: each for each in offer.config_options or () if isinstance(each, schema.SessionConfigOptionSelect)
        }
        if offer.modes is not None:
            return cls(offer.modes.current_mode_id, frozenset(mode.id for mode in offer.modes.available_modes))
        mode = selects.get("mode")
        if mode is None:
            return cls(None, frozenset())
        groups = (one.options if isinstance(one, schema.SessionConfigSelectGroup) else [one] for one in mode.options)
        names = frozenset(one.value for group in groups for one in group)
        return cls(mode.current_value, names, mode.id)

    def wanted(self, mode: str | None) -> str | None:
        """The mode to be in: this one, where it is known; else the one it began with."""
        return mode if mode in self.names else self.first


def read_mode(options: Sequence[object]) -> str | None:
    """What the config option "mode" stands at."""
    found = (each for each in options if isinstance(each, schema.SessionConfigOptionSelect) and each.id == "mode")
    return next((each.current_value for each in found), None)


WORDS_TOLD = 2_000
PATHS_TOLD = 50
ASKED_AT_ONCE = 100
"""Permissions that wait for a person; more at a time are refused."""

HOPELESS = 3
"""Times in a row that an agent may say that its model refuses its login, before its turn is over for us."""

CANCELLED = schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))


class AcpClient:
    """`turn` is what was heard since the prompt, None between two turns; `session` the only one we listen to.

    `server`: the name of our own MCP server in that session. `troubles` counts the lines that only tell of trouble:
    they are no sign of life. `trouble`: the last of these, in words. `log_signs` counts what else its log has told.
    `refused`: the login that the model has refused so often that the turn is over.
    """

    def __init__(self, name: str, project: Path, around: AgentEnvironment, server: str) -> None:
        self._name, self._around, self._server = name, around, server
        self._project, self._root = str(project), os.path.realpath(project)
        self._message: Message | None = None
        self._folder = self._own = ""
        self._led: dict[str, str] = {}
        self._open: set[asyncio.Future[bool]] = set()
        self.hearing = UpdateListener(around.hear)
        self.session: str | None = None
        self.mode: str | None = None
        self.cost: schema.Cost | None = None
        self.turn: TurnState | None = None
        self.was_cancelled = False
        self.troubles = self.log_signs = self._refusals = 0
        self.refused: AgentError | None = None
        self.trouble = ""

    def written(self, turn: TurnState) -> tuple[str, ...]:
        """What the turn has written, see AgentOutput: each by its name, and by where that leads through links."""
        for path in turn.wrote:
            if path not in self._led:
                self._led[path] = os.path.realpath(os.path.join(self._root, path)) if "\0" not in path else path
        places = (place for path in turn.wrote for place in (path, self._led[path]))
        beside = (os.path.dirname(self._folder), os.path.dirname(self._own)) if self._own else ()
        return paths_inside(places, (self._project, self._root), beside)

    @property
    def is_asking(self) -> bool:
        return bool(self._open)

    def begin(self, message: Message) -> None:
        """A turn begins: what comes from here on belongs to it."""
        self.turn, self._message, self.was_cancelled = TurnState(), message, False
        self._refusals, self.refused = 0, None
        self._folder = message.folder.rstrip("/")
        # where the folder really lies; empty where somebody has put a link in its place
        self._own = os.path.realpath(self._folder) if self._folder and not os.path.islink(self._folder) else ""
        self._led.clear()
        self.hearing.begin()

    def end(self) -> TurnState:
        """What the turn has brought."""
        assert self.turn is not None
        turn, self.turn = self.turn, None
        self.drop_requests()
        self.hearing.flush()
        return turn

    def cancel(self) -> None:
        """The turn is to end: what it asks for from here on is not decided any more."""
        self.was_cancelled = True
        self.drop_requests()

    def drop_requests(self) -> None:
        for answer in self._open:
            answer.cancel()

    async def close(self) -> None:
        self.drop_requests()
        if self._open:
            await asyncio.wait(self._open)
        self.hearing.flush()

    def updated(self, session: str, update: SessionUpdate) -> None:
        """Updates of other sessions, and what comes between two turns (a history, what was said too late), are left."""
        if session != self.session:
            return
        if isinstance(update, schema.SessionInfoUpdate) and self.told_beside(update.field_meta):
            return
        self._refusals = 0
        if isinstance(update, schema.CurrentModeUpdate):
            self.mode = update.current_mode_id
        elif isinstance(update, schema.ConfigOptionUpdate):
            self.mode = read_mode(update.config_options) or self.mode
        elif isinstance(update, schema.UsageUpdate) and update.cost is not None:
            self.cost = update.cost
        if self.turn is not None:
            self._fold(reduce_update(self.turn, update))

    def told_beside(self, told: object) -> bool:
        """What an agent says beside its turn; True for trouble."""
        trouble = read_trouble(self._name, told, datetime.now().astimezone())
        if trouble is None:
            return False
        self.troubles += 1
        self._refusals = self._refusals + 1 if trouble.kind == "auth" else 0
        if self._refusals >= HOPELESS:
            self.refused = trouble
        self._tell_trouble(str(trouble))
        return True

    def logged(self, text: str) -> None:
        """What its program has written into its log: trouble, or a sign of life."""
        if (words := read_log(text)) is not None:
            self._tell_trouble(f"{self._name}: {words}")
        elif text:
            self.log_signs += 1

    def _tell_trouble(self, words: str) -> None:
        self.trouble = words
        self.hearing.hear(TroubleNote(text=words))

    def strange(self, words: str) -> None:
        self.hearing.hear(TroubleNote(text=f"{self._name} sent {words}"))

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_more: Any
    ) -> schema.RequestPermissionResponse:
        if self.turn is None or self._message is None or self.was_cancelled:
            return CANCELLED
        self._fold(reduce_tool_call(self.turn, tool_call))
        call = self.turn.calls[tool_call.tool_call_id]
        about = build_permission_query(call, self._server, self._places)
        decision = deny_oversized(call) or decide_permission(about, self._message.policy, self._root, self._own)
        allowed: bool | None = decision.verdict == "allow"
        if decision.verdict == "ask":
            allowed = await self._ask(call, decision, self._message)
        if allowed is None:
            return CANCELLED
        chosen = choose_option(options, allow=allowed)
        self.hearing.hear(
            PermissionResult(
                title=clip_text(call.title, WORDS_TOLD),
                tool=call.kind,
                allowed=allowed and chosen is not None,
                reason=decision.reason if chosen is not None else "the agent does not offer that answer",
                by="person" if decision.verdict == "ask" else "policy",
            )
        )
        if chosen is None:
            return CANCELLED
        outcome = schema.AllowedOutcome(outcome="selected", option_id=chosen)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def write_text_file(self, session_id: str, path: str, content: str, **_more: Any) -> None:
        """opencode calls this though it is not offered, after it was permitted, and writes the file itself as well."""

    def _fold(self, news: TurnUpdate) -> None:
        self.turn = news.turn
        if news.event is not None:
            self.hearing.hear(news.event)

    async def _ask(self, call: AgentToolCall, decision: PolicyDecision, message: Message) -> bool | None:
        """What a person says; None when the turn is over before."""
        if len(self._open) >= ASKED_AT_ONCE:
            return False
        self.hearing.flush()
        now = datetime.now().astimezone().isoformat(timespec="milliseconds")
        request = PermissionRequest(
            id=f"ask-{secrets.token_hex(4)}",
            agent=self._name,
            action=message.action,
            title=clip_text(call.title, WORDS_TOLD),
            kind=call.kind,
            paths=call.places[:PATHS_TOLD],
            command=call.command,
            reason=decision.reason,
            since=now,
        )
        answer = asyncio.ensure_future(self._around.permit(request))
        self._open.add(answer)
        try:
            await asyncio.wait({answer})
            return None if answer.cancelled() else answer.result()
        finally:
            answer.cancel()
            self._open.discard(answer)

    def _places(self, path: str) -> Sequence[str]:
        """As it is written, and where it leads through links."""
        written = rebase_path(path, self._project, self._root)
        if self._own and path.startswith(f"{self._folder}/"):
            written = rebase_path(path, self._folder, self._own)
        if not path or "\0" in path or path.startswith("~") or "://" in path:
            return (written,)
        return written, os.path.realpath(os.path.join(self._root, path))
