"""What a dialect is: how to read a request, and how to word a reply or trouble."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from tests.model.script import Conversation, Fault, Usage
from tests.model.tools import Spoken

Json = Mapping[str, object]

RESETS_AT = 4102444800
"""When a usage limit is lifted, for providers that say so: the first of January 2100, in seconds since 1970."""


@dataclass(frozen=True)
class Said:
    """A reply in which every call already has the agent's own words. `id` is different for every reply."""

    id: str
    model: str
    text: str
    calls: tuple[Spoken, ...]
    usage: Usage
    thought: str = ""

    @property
    def halves(self) -> tuple[str, ...]:
        """The text in two pieces, so that an agent has to join them."""
        middle = len(self.text) // 2
        return tuple(piece for piece in (self.text[:middle], self.text[middle:]) if piece)


@dataclass(frozen=True)
class Refused:
    """Trouble as a provider words it."""

    status: int
    body: Json
    headers: Mapping[str, str] = field(default_factory=dict)


class Form(Enum):
    """What a request asks for."""

    STREAM = auto()
    WHOLE = auto()
    COUNT = auto()


@dataclass(frozen=True)
class Asked:
    """A request, understood."""

    form: Form
    conversation: Conversation


@dataclass(frozen=True)
class Dialect:
    """One provider's way to talk. `read` takes the path without query, and the body."""

    name: str
    knows: Callable[[str], bool]
    read: Callable[[str, bytes], Asked]
    events: Callable[[Said], Sequence[bytes]]
    whole: Callable[[Said], Json]
    count: Callable[[Usage], Json]
    refuse: Callable[[Fault], Refused]


def data(event: Json, name: str | None = None) -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(event)}\n\n".encode()
