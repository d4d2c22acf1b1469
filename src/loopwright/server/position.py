"""Where a reader of a stream is: what an event's id says, and `Last-Event-ID` brings back. Pure."""

import re
from typing import NamedTuple

from loopwright.domain.errors import Invalid

_FORM = re.compile(r"(0|[1-9][0-9]{0,15})((?:\.(?:0|[1-9][0-9]{0,15})){0,8})", re.ASCII)

_PLACE = re.compile(r"([0-9a-f]{16})\.(0|[1-9][0-9]{0,15})\.(0|[1-9][0-9]{0,15})", re.ASCII)


class Position(NamedTuple):
    """In the stream of one run: after the journal's entry `seq`, and so many bytes of each of its transcripts.

    Without offsets: at the lines that were written after that entry.
    """

    seq: int
    offsets: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ".".join(map(str, (self.seq, *self.offsets)))


def parsed(text: str, name: str, transcripts: int) -> Position:
    """Invalid for what no event's id says; `name` is what it was given as. `transcripts`: how many there are."""
    found = _FORM.fullmatch(text)
    offsets = tuple(map(int, found[2].split(".")[1:])) if found else ()
    if found is None or len(offsets) not in (0, transcripts):
        form, such = "SEQ" + ".OFFSET" * transcripts, "12" + ".3400" * transcripts
        raise Invalid(f"{name}: an event's id is SEQ or {form}, such as {such} (got {text[:60]!r})")
    return Position(int(found[1]), offsets)


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
