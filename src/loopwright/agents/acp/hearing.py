"""What is passed on of an agent: parts of one text together, of a flood only the beginning."""

import asyncio
from collections.abc import Callable

from loopwright.domain.conversation import (
    AgentEvent,
    Discovered,
    Said,
    SessionBegun,
    Thought,
    ToolUsed,
    Trouble,
    UsageTold,
)

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


class Hearing:
    """Keeps the order; gathers texts."""

    def __init__(self, tell: Callable[[AgentEvent], None]) -> None:
        self._tell = tell
        self._kind: type[Said] | type[Thought] = Said
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
        if not isinstance(event, (Said, Thought)):
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
            text = _told("".join(self._parts))
            self._parts.clear()
            self._gathered = 0
            self._pass_on(self._kind(text=text))

    def _pass_on(self, event: AgentEvent) -> None:
        if isinstance(event, Trouble):
            self._troubles += 1
            if self._troubles > TROUBLES_A_TURN:
                return
        self._events += 1
        self._text += len(event.output) if isinstance(event, ToolUsed) else len(getattr(event, "text", ""))
        is_rare = isinstance(event, (SessionBegun, UsageTold, Discovered))
        if is_rare or (self._events <= EVENTS_A_TURN and self._text <= TEXT_A_TURN):
            self._tell(event)
        elif not self._is_flooded:
            self._is_flooded = True
            self._tell(Trouble(text="it says more in one turn than is kept; the rest of this turn is not told"))


def _told(text: str) -> str:
    half = TEXT_AT_ONCE // 2
    left_out = len(text) - 2 * half
    return text if left_out <= 0 else f"{text[:half]}\n… {left_out:,} characters left out …\n{text[-half:]}"
