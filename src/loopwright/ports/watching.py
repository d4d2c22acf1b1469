"""How a store tells of changes as they happen, whoever makes them."""

from collections.abc import Mapping
from typing import Generic, NamedTuple, Protocol, TypeVar

from loopwright.domain.events import Entry

S_co = TypeVar("S_co", covariant=True)


class Changes(NamedTuple):
    """Ids of states, by what happened to them.

    `shown`: what was committed can be read without waiting, or the state is gone. `written`: a commit is under way, and
    `shown` follows, unless its writer dies or can not show it. `noted`: the progress files of a state that is heard.
    """

    shown: frozenset[str]
    written: frozenset[str]
    noted: frozenset[str]


class Watching(Protocol):
    """Changes of one store, for an event loop. Calls do not block."""

    def fileno(self) -> int:
        """A descriptor that is readable while there is something to take."""
        ...

    def changes(self) -> Changes | None:
        """What happened since the last call. None when some of it may have been missed: begin anew, look at all."""
        ...

    def hear(self, id: str) -> None:
        """From now on tells of that state's progress files too, also when they come later."""
        ...

    def ignore(self, id: str) -> None:
        """No longer."""
        ...

    def close(self) -> None: ...


class Shown(NamedTuple, Generic[S_co]):
    """A state, and the entries that led to it from where the reader was."""

    state: S_co
    entries: tuple[Entry, ...]


class Watchable(Protocol[S_co]):
    """The part of a store that tells of changes."""

    def watch(self) -> Watching | None:
        """None where the system gives no more watches."""
        ...

    def shown(self, id: str, after: int = 0) -> Shown[S_co]:
        """A committed state, and its entries with seq > after: without waiting for a writer, so perhaps 20 ms old.

        NotFound, Corrupt, NewerSchema.
        """
        ...

    def revs(self) -> Mapping[str, int]:
        """The number of the last commit of every readable state, by id; costs what has changed since the last call."""
        ...
