"""Our side of a session: hears what the agent does, and answers what it asks for."""

import asyncio
import os
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from acp import schema

from loopwright.agents.acp.calls import Call, inside
from loopwright.agents.acp.hearing import Hearing
from loopwright.agents.acp.modes import chosen_mode
from loopwright.agents.acp.permission import asked, option, rebased, too_much
from loopwright.agents.acp.transcript import Heard, SessionUpdate, Turn, called, heard
from loopwright.domain.conversation import PermissionDecided, Trouble
from loopwright.domain.engine_state import PermissionRequest
from loopwright.domain.permissions import Decision, decide
from loopwright.domain.protocol import Message
from loopwright.domain.words import clipped
from loopwright.ports import Surroundings

WORDS_TOLD = 2_000
PATHS_TOLD = 50
ASKED_AT_ONCE = 100
"""Permissions that wait for a person; more at a time are refused."""

CANCELLED = schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))


class Client:
    """`turn` is what was heard since the prompt, None between two turns; `session` the only one we listen to.

    `server`: the name of our own MCP server in that session.
    """

    def __init__(self, name: str, project: Path, around: Surroundings, server: str) -> None:
        self._name, self._around, self._server = name, around, server
        self._project, self._root = str(project), os.path.realpath(project)
        self._message: Message | None = None
        self._folder = self._own = ""
        self._led: dict[str, str] = {}
        self._open: set[asyncio.Future[bool]] = set()
        self.hearing = Hearing(around.hear)
        self.session: str | None = None
        self.mode: str | None = None
        self.cost: schema.Cost | None = None
        self.turn: Turn | None = None
        self.was_cancelled = False

    def written(self, turn: Turn) -> tuple[str, ...]:
        """What the turn has written, see AgentOutput: each by its name, and by where that leads through links."""
        for path in turn.wrote:
            if path not in self._led:
                self._led[path] = os.path.realpath(os.path.join(self._root, path)) if "\0" not in path else path
        places = (place for path in turn.wrote for place in (path, self._led[path]))
        beside = (os.path.dirname(self._folder), os.path.dirname(self._own)) if self._own else ()
        return inside(places, (self._project, self._root), beside)

    @property
    def is_asking(self) -> bool:
        return bool(self._open)

    def begin(self, message: Message) -> None:
        """A turn begins: what comes from here on belongs to it."""
        self.turn, self._message, self.was_cancelled = Turn(), message, False
        self._folder = message.folder.rstrip("/")
        self._own = _real(self._folder) if self._folder else ""
        self._led.clear()
        self.hearing.begin()

    def end(self) -> Turn:
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
        if isinstance(update, schema.CurrentModeUpdate):
            self.mode = update.current_mode_id
        elif isinstance(update, schema.ConfigOptionUpdate):
            self.mode = chosen_mode(update.config_options) or self.mode
        elif isinstance(update, schema.UsageUpdate) and update.cost is not None:
            self.cost = update.cost
        if self.turn is not None:
            self._fold(heard(self.turn, update))

    def strange(self, words: str) -> None:
        self.hearing.hear(Trouble(text=f"{self._name} sent {words}"))

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_more: Any
    ) -> schema.RequestPermissionResponse:
        if self.turn is None or self._message is None or self.was_cancelled:
            return CANCELLED
        self._fold(called(self.turn, tool_call))
        call = self.turn.calls[tool_call.tool_call_id]
        about = asked(call, self._server, self._places)
        decision = too_much(call) or decide(about, self._message.policy, self._root, self._own)
        allowed: bool | None = decision.verdict == "allow"
        if decision.verdict == "ask":
            allowed = await self._ask(call, decision, self._message)
        if allowed is None:
            return CANCELLED
        chosen = option(options, allow=allowed)
        self.hearing.hear(
            PermissionDecided(
                title=clipped(call.title, WORDS_TOLD), tool=call.kind, allowed=allowed and chosen is not None,
                reason=decision.reason if chosen is not None else "the agent offers no such answer",
                by="person" if decision.verdict == "ask" else "policy",
            )
        )  # fmt: skip
        if chosen is None:
            return CANCELLED
        outcome = schema.AllowedOutcome(outcome="selected", option_id=chosen)
        return schema.RequestPermissionResponse(outcome=outcome)

    async def write_text_file(self, session_id: str, path: str, content: str, **_more: Any) -> None:
        """opencode calls this though it is not offered, after it was permitted, and writes the file itself as well."""

    def _fold(self, news: Heard) -> None:
        self.turn = news.turn
        if news.event is not None:
            self.hearing.hear(news.event)

    async def _ask(self, call: Call, decision: Decision, message: Message) -> bool | None:
        """What a person says; None when the turn is over before."""
        if len(self._open) >= ASKED_AT_ONCE:
            return False
        self.hearing.flush()
        now = datetime.now().astimezone().isoformat(timespec="milliseconds")
        request = PermissionRequest(
            id=f"ask-{secrets.token_hex(4)}", agent=self._name, action=message.action,
            title=clipped(call.title, WORDS_TOLD), kind=call.kind, paths=call.places[:PATHS_TOLD],
            command=call.command, reason=decision.reason, since=now,
        )  # fmt: skip
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
        written = rebased(path, self._project, self._root)
        if self._own and path.startswith(f"{self._folder}/"):
            written = rebased(path, self._folder, self._own)
        if not path or "\0" in path or path.startswith("~") or "://" in path:
            return (written,)
        return written, os.path.realpath(os.path.join(self._root, path))


def _real(folder: str) -> str:
    """Where the folder really lies; empty where somebody has put a link in its place."""
    return "" if os.path.islink(folder) else os.path.realpath(folder)
