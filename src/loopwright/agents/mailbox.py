"""Where an agent's tools put its reports, and where its runner finds them."""

from dataclasses import dataclass
from pathlib import Path

from loopwright.domain.conversation import Discovered
from loopwright.domain.protocol import ActionReport, Message


@dataclass(frozen=True)
class McpServer:
    """An MCP server over stdio, as it is handed to an agent's session."""

    name: str
    command: str
    args: tuple[str, ...] = ()
    environment: tuple[tuple[str, str], ...] = ()


class Mailbox:
    """One session's reports, in a folder outside of the project that lasts as long as the session."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def server(self) -> McpServer:
        """The server that the session has to be given."""
        raise NotImplementedError

    def open(self, message: Message) -> None:
        """A turn begins: what was reported before counts no more, and reports are held against this order."""

    def report(self) -> ActionReport | None:
        """What this turn reported through the tools, put together; None where it reported no result."""
        return None

    def discoveries(self) -> tuple[Discovered, ...]:
        """What this turn found worth keeping; each is given once."""
        return ()
