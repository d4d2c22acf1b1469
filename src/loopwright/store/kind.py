"""What the store has to know about a kind of workflow; the first is the loop, see `loops`."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Generic, NamedTuple, Protocol, Self, TypeVar

from loopwright.core.run import Run
from loopwright.core.state import INCIDENTS_KEPT, Incident
from loopwright.store.paths import KindLayout


class StateModel(Run, Protocol):
    """A frozen, validated state model."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> Self: ...  # Any: not checked at all
    @classmethod
    def model_validate(cls, obj: object) -> Self: ...


S = TypeVar("S", bound=StateModel)


class ParsedDocument(NamedTuple):
    """A parsed file from outside, with what stands in for a missing id and for missing times.

    `beside` holds the text of the files of the same loop, by suffix or name.
    """

    raw: object
    id: str
    now: str
    beside: Mapping[str, str]


@dataclass(frozen=True)
class StateKind(Generic[S]):
    """`read` is lenient and tells its repairs (Invalid, NewerSchema).

    `take_in(base, found, current, now)` judges a change from outside: the state to go on with, what of the change was
    accepted, what is put back. `keep_own(before, after)` judges what others committed while a runner lives: `after`
    with what only the runner may change as it was, and the names of that. `side_files` are further projections by
    suffix, one JSON line an item. `rebuild` makes a state from what is beside a lost one, or None; `progress` makes
    what it needs for that. `legacy` finds files in older places, with the id each has by name. `known_by` names the
    fields whose texts a search looks into, the id first, `engine.path` for one inside another. `homes`: where each
    state has a folder of its own, named by its id, what such names begin with; the rest of what lies there is not
    ours. None: the files of all states lie side by side.
    """

    name: str
    folder: str
    schema: int
    model: type[S]
    id_of: Callable[[S], str]
    read: Callable[[ParsedDocument], tuple[S, tuple[str, ...]]]
    take_in: Callable[[S, S, S, str], tuple[S, tuple[str, ...], tuple[str, ...]]]
    keep_own: Callable[[S, S], tuple[S, tuple[str, ...]]]
    side_files: Mapping[str, Callable[[S], tuple[object, ...]]]
    rebuild: Callable[[ParsedDocument], S | None]
    progress: Callable[[S], Mapping[str, bytes]]
    legacy: Callable[[Path], Mapping[Path, str]]
    known_by: tuple[str, ...]
    homes: str | None = None

    def layout(self, folder: Path) -> KindLayout:
        return KindLayout(folder, self.name, self.homes)


def searched_texts(kind: StateKind[S], state: S | Mapping[str, Any]) -> tuple[str, ...]:  # Any: a document's values
    """The texts of a state, or of its JSON document, that a search looks into."""
    found = list[str]()
    for name in kind.known_by:
        value: Any = state  # Any: walks either
        for part in name.split("."):
            value = value.get(part) if isinstance(value, Mapping) else getattr(value, part, None)
        found += [value] if isinstance(value, str) else value or ()
    return tuple(found)


def matches_search(texts: Iterable[str], search: str) -> bool:
    """Whether one of them holds what is searched for, whatever the case."""
    wanted = search.strip().casefold()
    return not wanted or any(wanted in text.casefold() for text in texts)


def with_incident(state: S, kind: str, message: str, now: str) -> S:
    """The state with one more incident; the oldest go when there are too many."""
    incidents = (*state.engine.incidents, Incident(kind=kind, message=message, at=now))
    return state.evolve(engine=state.engine.evolve(incidents=incidents[-INCIDENTS_KEPT:]))


def with_next_epoch(state: S) -> S:
    """The state under a new lease."""
    return state.evolve(engine=state.engine.evolve(epoch=state.engine.epoch + 1))


def sort_age(updated_at: str | None) -> float:
    """By which lists are in order, the latest change first; what was never changed is last."""
    return -datetime.fromisoformat(updated_at).timestamp() if updated_at else 0.0
