"""Who may do what to a run, by its status: a table for each kind, and what follows from it for all of them. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from loopwright.core.errors import IllegalTransition
from loopwright.core.protocol import Control

C = TypeVar("C", bound=str)
S = TypeVar("S", bound=str)
S_co = TypeVar("S_co", bound=str, covariant=True)


class HasStatus(Protocol[S_co]):
    @property
    def status(self) -> S_co: ...


@dataclass(frozen=True)
class StatusRow(Generic[S]):
    """`target` None: the status stays. `orphaned` sources count only while no runner lives."""

    sources: frozenset[S]
    target: S | None
    orphaned: frozenset[S] = frozenset()


@dataclass(frozen=True)
class StatusTable(Generic[C, S]):
    """The commands on runs of a `kind`, as errors name it.

    `persons`: the commands that people give, which an error offers as possible. `requests`: (is, wanted) → the command
    that a request for a bare status stands for.
    """

    kind: str
    rows: Mapping[C, StatusRow[S]]
    persons: tuple[C, ...]
    requests: Mapping[tuple[S, S], C]

    def is_allowed(self, command: C, status: S, *, live: bool = True) -> bool:
        """Whether the table has this row. `live`: a runner holds the lease."""
        row = self.rows[command]
        return status in row.sources or (not live and status in row.orphaned)

    def require(self, command: C, state: HasStatus[S], *, live: bool = True) -> None:
        """IllegalTransition unless `command` is allowed now."""
        if not self.is_allowed(command, state.status, live=live):
            possible = tuple(c for c in self.persons if self.is_allowed(c, state.status, live=live))
            raise IllegalTransition(command.removesuffix(" text"), state.status, possible, self.kind)

    def command_for(self, state: HasStatus[S], wanted: S) -> C:
        """The command behind a request to set the status, or IllegalTransition."""
        command = self.requests.get((state.status, wanted))
        if command is None:
            possible = tuple(to for (source, to) in self.requests if source == state.status)
            raise IllegalTransition(f"set to {wanted} a", state.status, possible, self.kind)
        return command


def control_signal(state: HasStatus[str]) -> Control:
    """What a runner must do before its next step."""
    match state.status:
        case "running" | "pending":  # a tuning session is pending until its first step begins
            return Control.CONTINUE
        case "paused":
            return Control.PAUSE_EXIT
        case _:
            return Control.STOP_EXIT
