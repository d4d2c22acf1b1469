"""Who may do what to a tuning session, by its status: the table that every command is held against. Pure."""

from dataclasses import dataclass
from typing import Literal

from loopwright.domain.errors import IllegalTransition
from loopwright.domain.protocol import Control
from loopwright.domain.tuning import FINISHED, TuningState, TuningStatus

Command = Literal[
    "start", "pause", "resume", "stop", "reopen", "choose", "roll back", "complete", "fail", "edit", "delete"
]

ALL: frozenset[TuningStatus] = frozenset({"pending", "running", "completed", "failed"})
UNFINISHED = ALL - FINISHED


@dataclass(frozen=True)
class Row:
    """`target` None: the status stays. `orphaned` sources count only while no runner lives."""

    sources: frozenset[TuningStatus]
    target: TuningStatus | None
    orphaned: frozenset[TuningStatus] = frozenset()


COMMANDS: dict[Command, Row] = {
    "start": Row(frozenset({"pending"}), "running"),
    "pause": Row(frozenset(), None),
    "resume": Row(frozenset(), "running", orphaned=frozenset({"running"})),
    "stop": Row(UNFINISHED, "failed"),
    "reopen": Row(frozenset(), "running"),
    "choose": Row(frozenset({"running"}), None),
    "roll back": Row(FINISHED, None),
    "complete": Row(frozenset({"running"}), "completed"),
    "fail": Row(frozenset({"running"}), "failed"),
    "edit": Row(UNFINISHED, None),
    "delete": Row(FINISHED | {"pending"}, None, orphaned=frozenset({"running"})),
}
"""A session takes seconds: it is stopped, not paused, and the skill is tuned anew, not its session reopened."""

PERSONS: tuple[Command, ...] = ("start", "resume", "stop", "choose", "roll back", "edit", "delete")
"""What an error offers as possible: the commands that people give."""

STATUS_REQUESTS: dict[tuple[TuningStatus, TuningStatus], Command] = {
    ("pending", "running"): "start",
    ("pending", "failed"): "stop",
    ("running", "failed"): "stop",
}
"""(is, wanted) → the command that a request for a bare status stands for."""


def allowed(command: Command, status: TuningStatus, *, live: bool = True) -> bool:
    """Whether the table has this row. `live`: a runner holds the lease."""
    row = COMMANDS[command]
    return status in row.sources or (not live and status in row.orphaned)


def require(command: Command, state: TuningState, *, live: bool = True) -> None:
    """IllegalTransition unless `command` is allowed now."""
    if not allowed(command, state.status, live=live):
        possible = tuple(c for c in PERSONS if allowed(c, state.status, live=live))
        raise IllegalTransition(command, state.status, possible, "tuning session")


def command_for(state: TuningState, wanted: TuningStatus) -> Command:
    """The command behind a request to set `status`, or IllegalTransition."""
    command = STATUS_REQUESTS.get((state.status, wanted))
    if command is None:
        possible = tuple(to for (source, to) in STATUS_REQUESTS if source == state.status)
        raise IllegalTransition(f"set to {wanted} a", state.status, possible, "tuning session")
    return command


def control_signal(state: TuningState) -> Control:
    """What a runner must do before its next step."""
    return Control.STOP_EXIT if state.status in FINISHED else Control.CONTINUE
