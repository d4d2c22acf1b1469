"""Changes from outside, to a loop's file or its journal: what is taken in, and what is put back. Pure."""

from typing import Any, assert_never

from loopwright.domain import loop_commands as commands
from loopwright.domain.engine_state import EngineState
from loopwright.domain.errors import IllegalTransition, Invalid
from loopwright.domain.external import BOOKKEEPING, LIMITS, all_incidents, answered, forbidden, unknown
from loopwright.domain.loop import FINISHED, LoopState
from loopwright.domain.menu import Menu

EDITABLE = commands.TEXT_FIELDS | commands.OTHER_FIELDS
OWN = frozenset({"loop_id", "created_at", "current_iteration", "skill_state"})
END = frozenset({"completed_at", "failure_reason"})
FOR_COMMANDS = frozenset({"waiting", "answer", "interrupt", "parked", "tasks", *BOOKKEEPING})
"""Of `engine`, what commands may change while a runner lives, beside its mode and limits, and an end by stop."""


def take_in(
    base: LoopState, found: LoopState, current: LoopState, now: str
) -> tuple[LoopState, tuple[str, ...], tuple[str, ...]]:
    """What `found` changed against `base`, carried over to `current` as far as the status table allows.

    Returns the state to go on with, what was accepted, and what is put back, in words.
    """
    accepted: list[str] = []
    refused = [*forbidden(base, found, OWN, END)]
    state = current
    names = sorted(name for name in EDITABLE if getattr(found, name) != getattr(base, name))
    steps = [*names, *(name for name in unknown(base, found) if name not in EDITABLE)]
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


def keep_own(before: LoopState, after: LoopState) -> tuple[LoopState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    Returns with it the names of what had to be put back: none when only commands were given.
    """
    before = _reopened(before, after)
    own = {name: getattr(before, name) for name in OWN}
    ended = before if after.status in FINISHED and not _is_legal_end(before, after) else after
    end = {name: getattr(ended, name) for name in END}
    engine = _own_engine(before.engine, after.engine).evolve(outcome=ended.engine.outcome)
    kept = after.evolve(**own, **end, status=ended.status, engine=engine)
    names = [name for name in sorted({*OWN, *END, "status"}) if getattr(kept, name) != getattr(after, name)]
    fields = EngineState.model_fields
    names += [f"engine.{name}" for name in fields if getattr(engine, name) != getattr(after.engine, name)]
    return (kept, tuple(names)) if names else (after, ())


def _reopened(before: LoopState, after: LoopState) -> LoopState:
    """What reopening alone makes of a loop that had ended; its old runner may not have let go yet."""
    if before.status not in FINISHED or after.status in FINISHED:
        return before
    budget = before.engine.budget.evolve(**{name: getattr(after.engine.budget, name) for name in LIMITS})
    raised = before.evolve(max_iterations=after.max_iterations, engine=before.engine.evolve(budget=budget))
    try:
        return commands.reopen(raised)
    except Invalid:
        return before


def _is_legal_end(before: LoopState, after: LoopState) -> bool:
    """Others end a loop by stopping it; every other end is the runner's own."""
    ends = [(s.status, s.engine.outcome, s.completed_at, s.failure_reason) for s in (before, after)]
    stopped = (after.status, after.engine.outcome, after.failure_reason)
    return ends[0] == ends[1] or stopped == ("failed", "stopped", commands.STOPPED_BY_USER)


def _own_engine(before: EngineState, after: EngineState) -> EngineState:
    limits = {name: getattr(after.budget, name) for name in LIMITS}
    given = {name: getattr(after, name) for name in FOR_COMMANDS}
    settings = before.settings.evolve(mode=after.settings.mode)
    return before.evolve(
        **given, settings=settings, budget=before.budget.evolve(**limits),
        incidents=all_incidents(before.incidents, after.incidents),
        asked=answered(before.asked, after.asked), menu=_chosen(before.menu, after.menu),
    )  # fmt: skip


def _chosen(before: Menu | None, after: Menu | None) -> Menu | None:
    """Others choose from what is offered, or close the menu with a pause or an end; they open none and change none."""
    if before is None or after is None:
        return None
    return before.evolve(choice=before.choice or (after.choice if after.choice in before.free else None))


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
