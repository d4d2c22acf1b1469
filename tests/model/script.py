"""What the model says, decided from the conversation alone: no dialect, no clock, no state of its own."""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Literal


@dataclass(frozen=True)
class Message:
    """One entry of the conversation: a text, or the result of a tool call."""

    who: Literal["user", "model", "tool"]
    text: str


@dataclass(frozen=True)
class Conversation:
    """A request as every dialect tells it, oldest message first. `tools` are the names that the agent offers."""

    model: str
    system: str
    tools: tuple[str, ...]
    history: tuple[Message, ...]

    @property
    def user(self) -> str:
        """The newest text of the user."""
        return next((said.text for said in reversed(self.history) if said.who == "user"), "")

    @property
    def earlier(self) -> tuple[Message, ...]:
        """What came before the newest text of the user."""
        return self.history[: len(self.history) - len(self.since) - 1]

    @property
    def since(self) -> tuple[Message, ...]:
        """What followed the newest text of the user."""
        newest = max((at for at, said in enumerate(self.history) if said.who == "user"), default=-1)
        return self.history[newest + 1 :]

    @property
    def results(self) -> tuple[str, ...]:
        """What the tools answered since the newest text of the user."""
        return tuple(said.text for said in self.since if said.who == "tool")


@dataclass(frozen=True)
class ShellCall:
    """A command line, run by whatever the agent calls its shell."""

    command: str


@dataclass(frozen=True)
class WriteCall:
    """A whole file, written by whatever the agent writes files with."""

    path: str
    text: str


@dataclass(frozen=True)
class ReadCall:
    """A whole file; some agents change no file that they have not read."""

    path: str


@dataclass(frozen=True)
class EditCall:
    """A part of a file, which is in there once, replaced by whatever the agent edits files with. Whole lines."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class McpCall:
    """A tool of an MCP server, by the names they have there."""

    server: str
    tool: str
    arguments: Mapping[str, object]


Call = ShellCall | ReadCall | WriteCall | EditCall | McpCall


@dataclass(frozen=True)
class Usage:
    """Tokens that the model claims to have used; `cached` is a part of `input`, `reasoning` a part of `output`."""

    input: int = 1000
    cached: int = 200
    output: int = 50
    reasoning: int = 10


class Delivery(Enum):
    """How a reply reaches the agent."""

    WHOLE = auto()
    SLOW = auto()
    """A pause after every event."""
    CUT = auto()
    """Half of the events, then the connection is closed."""
    GARBLED = auto()
    """One event in the middle is no JSON."""


@dataclass(frozen=True)
class Reply:
    """A text, tool calls, or both; `thought` comes before them. A turn ends with a reply without calls."""

    text: str = ""
    thought: str = field(default="", kw_only=True)
    calls: tuple[Call, ...] = ()
    usage: Usage = field(default_factory=Usage)
    delivery: Delivery = Delivery.WHOLE


class Fault(Enum):
    """The provider's trouble instead of a reply; each dialect words it as its provider does."""

    UNAUTHORIZED = auto()
    RATE_LIMITED = auto()
    """Too fast: the answer says how soon to come again."""
    USAGE_LIMIT = auto()
    """The plan or quota is spent for hours: the same status, told apart by the body."""
    SERVER_ERROR = auto()
    OVERLOADED = auto()
    HANG = auto()
    """Accepted and never answered."""


Script = Callable[[Conversation], Reply | Fault]


def steps(*answers: Reply | Fault) -> Script:
    """The answers in their order, anew for every text of the user; one without calls is the last."""

    def script(conversation: Conversation) -> Reply | Fault:
        done = len(conversation.results)
        for answer in answers:
            calls = len(answer.calls) if isinstance(answer, Reply) else 0
            if calls == 0 or done < calls:
                return answer
            done -= calls
        return answers[-1]

    return script


def by_text(courses: Mapping[str, Script], otherwise: Script | None = None) -> Script:
    """The course of the first pattern found in the newest text of the user; without one, `otherwise` or LookupError."""

    def script(conversation: Conversation) -> Reply | Fault:
        for pattern, course in courses.items():
            if re.search(pattern, conversation.user):
                return course(conversation)
        if otherwise is None:
            raise LookupError(f"no course for: {conversation.user[:200]!r}")
        return otherwise(conversation)

    return script


def first(times: int, fault: Fault, then: Script) -> Script:
    """Trouble for so many requests, then the script: the one course that counts, to see an agent try again."""
    count = itertools.count()
    return lambda conversation: fault if next(count) < times else then(conversation)
