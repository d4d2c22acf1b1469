"""The frozen record every state model is made of."""

import re
from collections import deque
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from operator import is_
from typing import Annotated, Any, ParamSpec, Self, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, ValidationError, WithJsonSchema

from loopwright.core.errors import Invalid

T = TypeVar("T")
P = ParamSpec("P")
REMEMBERED = 4

Items = Annotated[tuple[T, ...], Field(strict=False)]
"""An immutable list: a JSON array in files, a tuple in code."""


def _timestamp(value: str) -> str:
    parsed = datetime.fromisoformat(value)
    if parsed.tzinfo is None:
        raise ValueError("a time needs an offset, for example 2026-01-22T10:00:00+08:00")
    return value


DEFAULT_OFFSET = "+08:00"


def parse_timestamp(value: object) -> str | None:
    """The time with its offset, or with that of the default zone; None where it is no time."""
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    if time is None or time.tzinfo is not None:
        return value if isinstance(value, str) and time else None
    return time.isoformat() + DEFAULT_OFFSET


Timestamp = Annotated[str, AfterValidator(_timestamp)]
"""ISO-8601 text with an explicit offset, kept exactly as it was read."""


def bound_range(low: int, high: int) -> tuple[object, ...]:
    """What makes an `Annotated[int, *…]` refuse a number outside of both bounds, naming both."""

    def check(value: int) -> int:
        if not low <= value <= high:
            raise ValueError(f"must be from {low:,} to {high:,}")
        return value

    return AfterValidator(check), WithJsonSchema({"type": "integer", "minimum": low, "maximum": high})


def is_absent(value: object) -> bool:
    """Leaves an optional key out of the file while it has no value."""
    return value is None


def is_empty(value: object) -> bool:
    """Leaves a list out of the file while it has no entry."""
    return not value


def merge_unique(known: tuple[T, ...], more: tuple[T, ...]) -> tuple[T, ...]:
    """Both, in order, each once; the very same tuple when nothing is new."""
    new = tuple(dict.fromkeys(item for item in more if item not in known))
    return (*known, *new) if new else known


def remember_last(work: Callable[P, T]) -> Callable[P, T]:
    """A pure function of records and tuples of them, with its last results: to hash a tuple of a thousand records costs
    more than most functions of it, to find it the same costs nearly nothing.
    """
    known: deque[tuple[tuple[object, ...], T]] = deque(maxlen=REMEMBERED)

    @wraps(work)
    def called(*args: P.args, **named: P.kwargs) -> T:
        assert not named, "found by position"
        for before, result in tuple(known):
            if all(map(_is_same, before, args)):
                return result
        found = work(*args, **named)
        known.appendleft((args, found))
        return found

    return called


def _is_same(one: object, other: object) -> bool:
    if type(one) is tuple and type(other) is tuple and len(one) == len(other):
        return all(map(is_, one, other))
    return one is other


class Record(BaseModel):
    """Frozen, strict, and keeps the keys it does not know."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra="allow", serialize_by_alias=True, validate_by_name=True, allow_inf_nan=False
    )

    def evolve(self, **changes: Any) -> Self:  # Any: the names are checked by the model's own validators
        """A copy with `changes`, validated; untouched parts are shared, which is what makes diffs cheap.

        Invalid for values that do not fit; TypeError for names that the record does not have.
        """
        known = {**self.__dict__, **(self.__pydantic_extra__ or {})}
        if strange := changes.keys() - known.keys():
            raise TypeError(f"{type(self).__name__} has no {', '.join(sorted(strange))}")
        given = {**known, **changes}
        try:
            return type(self).model_validate(given)
        except ValidationError as error:
            raise Invalid(first_problem(error)) from error


def first_problem(error: ValidationError) -> str:
    """The first validation problem as one sentence: where, what, and what was given."""
    problem = error.errors(include_url=False)[0]
    where = ".".join(str(part) for part in problem["loc"]) or "value"
    given = repr(problem["input"])
    words = re.sub(r"^Input should (?=be (?:greater|less))", "must ", problem["msg"].removeprefix("Value error, "))
    return f"{where}: {words} (got {given if len(given) <= 80 else given[:77] + '…'})"


def first_place(error: ValidationError, *models: type[BaseModel]) -> str:
    """Where the first validation problem is: in words of ours and fields of these models, nothing that was given."""
    problem = error.errors(include_url=False)[0]
    if problem["type"] == "json_invalid":
        found = re.search(r"line \d+ column \d+$", problem["msg"])
        return f"no JSON at {found[0]}" if found else "no JSON"
    known = {name for model in models for name in model.model_fields}
    where = ".".join(str(part) for part in problem["loc"] if isinstance(part, int) or part in known)
    return f"{where or 'it'} does not fit ({problem['type']})"


class JournalEvent(Record):
    """`type` is a word such as `created`, `action_started`, `paused`; `data` what a reader may want to know."""

    type: str
    data: dict[str, JsonValue] = Field(default_factory=dict)


class JournalEntry(Record):
    """One committed journal line as readers see it. Order is `seq`, never `ts`."""

    seq: int
    ts: Timestamp
    actor: str
    event: JournalEvent
