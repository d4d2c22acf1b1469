"""Changes that another program made to a loop's file: what is taken in, and what is put back. Pure."""

from typing import Any, assert_never

from loopwright.domain import loop_commands as commands
from loopwright.domain.errors import IllegalTransition, Invalid
from loopwright.domain.loop import LoopState

EDITABLE = commands.TEXT_FIELDS | commands.OTHER_FIELDS
IGNORED = frozenset({"updated_at"})
"""Every writer sets it, so a change of it says nothing."""
OWN = frozenset({"loop_id", "created_at", "current_iteration", "skill_state"})
END = frozenset({"completed_at", "failure_reason"})
BOOKKEEPING = {"rev": 0, "digest": "", "journal_bytes": 0}


def take_in(
    base: LoopState, found: LoopState, current: LoopState, now: str
) -> tuple[LoopState, tuple[str, ...], tuple[str, ...]]:
    """What `found` changed against `base`, carried over to `current` as far as the status table allows.

    Returns the state to go on with, what was accepted, and what is put back, in words.
    """
    accepted: list[str] = []
    refused = [*_forbidden(base, found)]
    state = current
    names = sorted(name for name in EDITABLE if getattr(found, name) != getattr(base, name))
    steps = [*names, *(name for name in _unknown(base, found) if name not in EDITABLE)]
    if found.status not in (base.status, current.status):
        steps.insert(len(steps) if found.status == "running" else 0, "status")
    for name in steps:
        try:
            state = _carried_over(state, found, name, now)
        except (IllegalTransition, Invalid) as error:
            refused.append(f"{name} ({error})")
        else:
            accepted.append(name)
    return state, tuple(accepted), tuple(refused)


def _forbidden(base: LoopState, found: LoopState) -> list[str]:
    names = [name for name in sorted(OWN) if getattr(found, name) != getattr(base, name)]
    if found.status == base.status:
        names += [name for name in sorted(END) if getattr(found, name) != getattr(base, name)]
    same_end = {"outcome": base.engine.outcome} if found.status != base.status else {}
    if found.engine.evolve(**BOOKKEEPING, **same_end) != base.engine.evolve(**BOOKKEEPING):
        names.append("engine")
    return names


def _unknown(base: LoopState, found: LoopState) -> list[str]:
    """Keys that the schema does not know, new or with another value."""
    before, after = base.__pydantic_extra__ or {}, found.__pydantic_extra__ or {}
    return sorted(name for name, value in after.items() if name not in before or before[name] != value)


def _carried_over(state: LoopState, found: LoopState, name: str, now: str) -> LoopState:
    if name == "status":
        return _commanded(state, found, now)
    value: Any = getattr(found, name)  # Any: a field by name
    if name in EDITABLE:
        return commands.edit(state, {name: value})
    return LoopState.model_validate({**state.__dict__, **(state.__pydantic_extra__ or {}), name: value})


def _commanded(state: LoopState, found: LoopState, now: str) -> LoopState:
    """The command that a change of the bare status stands for."""
    command = commands.command_for(state, found.status)
    match command:
        case "start":
            return commands.start(state)
        case "resume":
            return commands.resume(state, live=True)
        case "pause":
            return commands.pause(state)
        case "stop":
            return commands.stop(state, now)
        case "exit":
            return commands.leave(state)
        case "begin" | "complete" | "fail" | "reopen" | "edit text" | "edit" | "rewind" | "delete":
            raise IllegalTransition(command, state.status, ())
        case _:
            assert_never(command)
