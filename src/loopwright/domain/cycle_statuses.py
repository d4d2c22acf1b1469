"""Who may do what to a cycle, by its status: the table that every command is held against. Pure."""

from dataclasses import dataclass
from typing import Literal

from loopwright.domain.cycle import FINISHED, CycleState, CycleStatus
from loopwright.domain.errors import IllegalTransition
from loopwright.domain.protocol import Control

Command = Literal[
    "begin", "start", "pause", "resume", "stop", "complete", "fail", "reopen", "extend", "decide", "resolve",
    "edit text", "edit", "delete",
]  # fmt: skip

ALL: frozenset[CycleStatus] = frozenset({"created", "running", "paused", "completed", "failed"})
UNFINISHED = ALL - FINISHED
AT_REST = ALL - {"running"}


@dataclass(frozen=True)
class Row:
    """`target` None: the status stays. `orphaned` sources count only while no runner lives."""

    sources: frozenset[CycleStatus]
    target: CycleStatus | None
    orphaned: frozenset[CycleStatus] = frozenset()


COMMANDS: dict[Command, Row] = {
    "begin": Row(frozenset({"created"}), "running"),
    "start": Row(frozenset({"created", "paused"}), "running"),
    "pause": Row(frozenset({"running"}), "paused"),
    "resume": Row(frozenset({"paused"}), "running", orphaned=frozenset({"running"})),
    "stop": Row(UNFINISHED, "failed"),
    "complete": Row(frozenset({"running"}), "completed"),
    "fail": Row(frozenset({"running"}), "failed"),
    "reopen": Row(FINISHED, "running"),
    "extend": Row(ALL - {"created"}, "running"),
    "decide": Row(UNFINISHED, None),
    "resolve": Row(ALL - {"completed"}, None),
    "edit text": Row(AT_REST, None),
    "edit": Row(ALL, None),
    "delete": Row(AT_REST, None),
}

PERSONS: tuple[Command, ...] = (
    "start", "pause", "resume", "stop", "reopen", "extend", "decide", "resolve", "edit", "delete",
)  # fmt: skip
"""What an error offers as possible: the commands that people give."""

STATUS_REQUESTS: dict[tuple[CycleStatus, CycleStatus], Command] = {
    ("created", "running"): "start",
    ("paused", "running"): "resume",
    ("running", "paused"): "pause",
    ("created", "failed"): "stop",
    ("running", "failed"): "stop",
    ("paused", "failed"): "stop",
}
"""(is, wanted) → the command that a request for a bare status stands for."""


def allowed(command: Command, status: CycleStatus, *, live: bool = True) -> bool:
    """Whether the table has this row. `live`: a runner holds the lease."""
    row = COMMANDS[command]
    return status in row.sources or (not live and status in row.orphaned)


def require(command: Command, state: CycleState, *, live: bool = True) -> None:
    """IllegalTransition unless `command` is allowed now."""
    if not allowed(command, state.status, live=live):
        possible = tuple(c for c in PERSONS if allowed(c, state.status, live=live))
        raise IllegalTransition(command.split()[0], state.status, possible, "cycle")


def command_for(state: CycleState, wanted: CycleStatus) -> Command:
    """The command behind a request to set `status`, or IllegalTransition."""
    command = STATUS_REQUESTS.get((state.status, wanted))
    if command is None:
        possible = tuple(to for (source, to) in STATUS_REQUESTS if source == state.status)
        raise IllegalTransition(f"set to {wanted} a", state.status, possible, "cycle")
    return command


def control_signal(state: CycleState) -> Control:
    """What a runner must do before its next step."""
    match state.status:
        case "running":
            return Control.CONTINUE
        case "paused":
            return Control.PAUSE_EXIT
        case _:
            return Control.STOP_EXIT
