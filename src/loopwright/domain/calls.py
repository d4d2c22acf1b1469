"""What every tool has that agents report with: how long things may be, how lists are read, and the order. Pure.

Loaded by the server that an agent starts for every session: it needs nothing but records.
"""

import json
from typing import Annotated, ClassVar

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema, model_validator

from loopwright.domain.record import Record

MOST_FILES, MOST_OPTIONS = 500, 10
SHOWN_BY = "Tests that failed before this run and show the goal, by name, where you added none."
LONGEST, PLACE_LENGTH, BUG_LENGTH, LINE_LENGTH = 2_000, 500, 500, 300
"""Characters of a message, a task or a hypothesis; of a place; of a bug's name; of a title or an option."""


def bounded(most: int, *, blank: bool = False) -> tuple[object, ...]:
    """What makes an `Annotated[str, *…]` a text of at most that many characters, its ends stripped."""

    def check(value: str) -> str:
        value = value.strip()
        if not value and not blank:
            raise ValueError("must not be blank")
        if len(value) > most:
            raise ValueError(f"has {len(value):,} characters; at most {most:,} are taken")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "string", "maxLength": most})


Words = Annotated[str, *bounded(LONGEST)]
Line = Annotated[str, *bounded(LINE_LENGTH)]
Note = Annotated[str, *bounded(LONGEST, blank=True)]
Bug = Annotated[str, *bounded(BUG_LENGTH, blank=True)]
Place = Annotated[str, *bounded(PLACE_LENGTH, blank=True)]


class Order(Record):
    """What the agent is to do in this turn; reports are held against it. `debugs`: the debugger can be asked."""

    turn: int
    action: str
    debugs: bool = False


class Part(Record):
    """Something an agent wrote: keys that nobody asked for are left out."""

    model_config = ConfigDict(extra="ignore")
    bare: ClassVar[str]
    """The field that a plain text stands for."""

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        if isinstance(given, str):
            return {cls.bare: given}
        return {key: value for key, value in given.items() if value is not None} if isinstance(given, dict) else given


class UpdatedFile(Part):
    bare = "path"
    path: Annotated[str, *bounded(500)] = Field(description="Path relative to the project.")
    description: Place = Field(default="", description="What changed there.")


def as_list(given: object) -> object:
    """A list, also where it comes as JSON text, as one of its entries, or as an object that numbers them."""
    if isinstance(given, str) and given.lstrip()[:1] in ("[", "{"):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return [given]
    if isinstance(given, dict) and "description" not in given:
        return list(given.values())
    return [given] if isinstance(given, (dict, str)) else given


def as_files(given: object) -> object:
    """Also an object of paths and descriptions."""
    if isinstance(given, dict) and "path" not in given:
        return [{"path": key, "description": value} for key, value in given.items()]
    return [given] if isinstance(given, dict) else as_list(given)


class Call(Part):
    """The arguments of one call. `name` is the tool's, `only` the action it belongs to."""

    name: ClassVar[str]
    words: ClassVar[str]
    taken: ClassVar[str]
    only: ClassVar[str | None] = None
