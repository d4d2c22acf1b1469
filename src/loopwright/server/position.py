"""Where a reader of a stream is: what an event's id says, and `Last-Event-ID` brings back. Pure."""

import re
from typing import NamedTuple

from loopwright.domain.errors import Invalid

_FORM = re.compile(r"(0|[1-9][0-9]{0,15})(?:\.(0|[1-9][0-9]{0,15}))?", re.ASCII)

_PLACE = re.compile(r"([0-9a-f]{16})\.(0|[1-9][0-9]{0,15})\.(0|[1-9][0-9]{0,15})", re.ASCII)


class Position(NamedTuple):
    """In the stream of one loop: after the journal's entry `seq`, and `offset` bytes of the transcript.

    None: at the lines that were written after that entry.
    """

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


class Place(NamedTuple):
    """In the stream of all loops: in the record `number` of that feed, behind its entry `seq`."""

    feed: str
    number: int
    seq: int

    def __str__(self) -> str:
        return f"{self.feed}.{self.number}.{self.seq}"


def parsed_place(text: str) -> Place:
    """Invalid for what no event's id says."""
    found = _PLACE.fullmatch(text)
    if found is None:
        raise Invalid(f"Last-Event-ID: not the id of an event of this stream (got {text[:60]!r})")
    return Place(found[1], int(found[2]), int(found[3]))
