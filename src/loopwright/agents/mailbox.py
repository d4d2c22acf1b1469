"""Where an agent's tools put its reports, and where its runner finds them."""

import asyncio
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from loopwright.agents.letterbox import Letter, Letterbox
from loopwright.domain.calls import Call, Order
from loopwright.domain.conversation import Discovered
from loopwright.domain.debugging import DebugGround
from loopwright.domain.errors import Invalid
from loopwright.domain.gathered import merged
from loopwright.domain.phase_calls import ReportFinding
from loopwright.domain.protocol import ActionReport, Message
from loopwright.domain.tool_calls import ReportDiscovery, read_call

SERVER = "loopwright.mcp.report"

_LOOK_SECONDS = 0.02


@dataclass(frozen=True)
class McpServer:
    """An MCP server over stdio, as it is handed to an agent's session."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


class Mailbox:
    """One session's reports, in a folder outside of the project that lasts as long as the session.

    What a tool proposed in a turn that ended without a report is kept for the next one of the same action: that is the
    one in which the agent is asked for its report again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._box = Letterbox(folder)
        self._order = Order(turn=0, action="")
        self._kept: tuple[Call, ...] = ()
        self._given = 0
        self._reported = True

    @property
    def server(self) -> McpServer:
        """The server that the session has to be given.

        No folder of the project can take the place of its modules: not its working directory (-P), not PYTHONPATH.
        """
        args = ("-P", "-m", SERVER, str(self._folder))
        return McpServer("loopwright", sys.executable, args, (("PYTHONPATH", _needed_path()),))

    def open(self, message: Message) -> None:
        """A turn begins: what was reported before counts no more, and reports are held against this order. OSError."""
        calls = self._calls()
        self._kept = tuple(
            call
            for n, call in enumerate(calls)
            if self._waits(call, message.action) or (_found(call) and n >= self._given)
        )
        self._given, self._reported = 0, False
        self._order = Order(turn=self._order.turn + 1, action=message.action, debugs=message.debug is not None)
        self._box.begin(self._order, _ground(message))

    async def until_known(self, seconds: float) -> bool:
        """Waits until the agent has asked for the tools, or until that time is over; whether it has."""
        until = time.monotonic() + seconds
        while True:
            known = self._box.is_known()
            if known or time.monotonic() >= until:
                return known
            await asyncio.sleep(_LOOK_SECONDS)

    def report(self) -> ActionReport | None:
        """What this turn reported through the tools, put together; None where it reported no result."""
        return self.merged(None)

    def merged(self, said: ActionReport | None) -> ActionReport | None:
        """The report of this turn: `said` is the one that its text holds. None where neither of them tells a result."""
        report = merged(said, self._calls())
        self._reported = report is not None
        return report

    def discoveries(self) -> tuple[Discovered, ...]:
        """What this turn found worth keeping; each is given once."""
        calls = self._calls()
        new, self._given = calls[self._given :], len(calls)
        return tuple(found for call in new if (found := _found(call)) is not None)

    def _waits(self, call: Call, action: str) -> bool:
        """Whether it is a proposal of a turn that is to be reported once more."""
        return not self._reported and action == self._order.action and call.only == action

    def _calls(self) -> tuple[Call, ...]:
        """What is kept, then this turn's; the folder is the agent's too, so that all of it is checked again."""
        letters = self._box.letters(self._order.turn)
        new = tuple(call for letter in letters if (call := _read(self._order, letter)) is not None)
        renewed = {call.name for call in new if call.only}
        return (*(call for call in self._kept if call.name not in renewed), *new)


def _ground(message: Message) -> bytes | None:
    if message.debug is None:
        return None
    return DebugGround(request=message.debug.lean, policy=message.policy).model_dump_json().encode()


def _found(call: Call) -> Discovered | None:
    match call:
        case ReportDiscovery():
            return Discovered(title=call.title, text=call.text)
        case ReportFinding():
            return Discovered(title=call.title, type=call.type, data=call.data)
        case _:
            return None


def _read(order: Order, letter: Letter) -> Call | None:
    try:
        return read_call(order, letter.tool, letter.arguments)
    except Invalid:
        return None


def _needed_path() -> str:
    """PYTHONPATH for the server: empty, unless this very package was found through it."""
    given = os.environ.get("PYTHONPATH", "")
    home = Path(__file__).parents[2]
    return given if any(Path(part).resolve() == home for part in given.split(os.pathsep) if part) else ""
