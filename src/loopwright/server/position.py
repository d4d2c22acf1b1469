"""Where a reader of one loop's stream is: what an event's id says, and `Last-Event-ID` brings back. Pure."""

import re
from typing import NamedTuple

from loopwright.domain.errors import Invalid

_FORM = re.compile(r"(0|[1-9][0-9]{0,15})(?:\.(0|[1-9][0-9]{0,15}))?", re.ASCII)


class Position(NamedTuple):
    """After the journal's entry `seq`, and `offset` bytes of the transcript; None: the lines after that entry."""

    seq: int
    offset: int | None = None

    def __str__(self) -> str:
        return f"{self.seq}.{self.offset or 0}"


def parsed(text: str, name: str) -> Position:
    """Invalid for what no event's id says; `name` is what it was given as."""
    found = _FORM.fullmatch(text)
    if found is None:
        raise Invalid(f"{name}: an event's id is SEQ or SEQ.OFFSET, such as 12.3400 (got {text[:40]!r})")
    return Position(int(found[1]), None if found[2] is None else int(found[2]))
