"""Changes from outside, to a cycle's file or its journal: what is taken in, and what is put back. Pure."""

from collections.abc import Callable
from typing import Any, assert_never

from loopwright.domain import cycle_commands as commands
from loopwright.domain.cycle import FINISHED, CycleState
from loopwright.domain.cycle_engine import CycleEngine
from loopwright.domain.cycle_standing import standing
from loopwright.domain.errors import IllegalTransition, LoopwrightError
from loopwright.domain.external import BOOKKEEPING, LIMITS, all_incidents, answered, forbidden, unknown

EDITABLE = commands.TEXT_FIELDS | commands.OTHER_FIELDS
END = frozenset({"completed_at", "failure_reason"})
OWN = frozenset(CycleState.model_fields) - EDITABLE - END - {"status", "updated_at", "engine"}
"""What the runner writes, and commands that are given for it."""
FOR_COMMANDS = frozenset({"waiting", "answer", "interrupt", "parked", *BOOKKEEPING})
"""Of `engine`, what commands may change while a runner lives, whatever else they do."""


def take_in(
    base: CycleState, found: CycleState, current: CycleState, now: str
) -> tuple[CycleState, tuple[str, ...], tuple[str, ...]]:
    """What `found` changed against `base`, carried over to `current` as far as the status table allows.

    Returns the state to go on with, what was accepted, and what is put back, in words.
    """
    accepted: list[str] = []
    refused = [*forbidden(base, found, OWN, END)]
    state = current
    names = sorted(name for name in EDITABLE if getattr(found, name) != getattr(base, name))
    steps = [*names, *unknown(base, found)]
    if found.status not in (base.status, current.status):
        steps.insert(len(steps) if found.status == "running" else 0, "status")
    for name in steps:
        try:
            state = _carried_over(state, found, name, now)
        except LoopwrightError as error:
            refused.append(f"{name} ({error})")
        else:
            accepted.append(name)
    return state, tuple(accepted), tuple(refused)


def keep_own(before: CycleState, after: CycleState) -> tuple[CycleState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    What commands do to a cycle is done here again to `before`: only what comes of it is theirs. Returns with it the
    names of what had to be put back: none when only commands were given.
    """
    kept = _commanded_again(before, after)
    names = [
        name
        for name in sorted(CycleState.model_fields)
        if name not in ("engine", "updated_at") and getattr(kept, name) != getattr(after, name)
    ]
    fields = CycleEngine.model_fields
    names += [f"engine.{name}" for name in fields if getattr(kept.engine, name) != getattr(after.engine, name)]
    return (kept, tuple(names)) if names else (after, ())


def _commanded_again(before: CycleState, after: CycleState) -> CycleState:
    state = _settled(_limited(before, after), after)
    state = _settled(_went_on(state, after), after)
    state = _with_texts(state, after)
    if after.status in FINISHED:
        return _with_engine(_stopped(state, after), after)
    if state.status not in FINISHED:
        state = state.evolve(status=after.status)
    return _with_engine(standing(state), after)


def _limited(state: CycleState, after: CycleState) -> CycleState:
    limits = {name: getattr(after.engine.budget, name) for name in LIMITS}
    budget = state.engine.budget.evolve(**limits)
    return state.evolve(max_iterations=after.max_iterations, engine=state.engine.evolve(budget=budget))


def _settled(state: CycleState, after: CycleState) -> CycleState:
    """Decisions that were made, and blockers that were settled, as far as a command does that."""
    for made in after.coordination.pending_decisions:
        if made.status != "pending" and made.chosen_option is not None:
            state = _tried(state, commands.decide, made.id, made.chosen_option, made.made_by or "")
    for closed in after.coordination.blockers:
        if closed.status != "open" and closed.resolution is not None:
            aside = closed.status == "workaround"
            state = _tried(state, commands.resolve, closed.id, closed.resolution, workaround=aside)
    return state


def _went_on(state: CycleState, after: CycleState) -> CycleState:
    """Extended or reopened; its old runner may not have let go yet. What waits in the queue is only added to."""
    opened = after.iterations[len(state.iterations) :]
    if len(opened) == 1 and (state.status in FINISHED or opened[0].extension is not None):
        (record,) = opened
        if state.status == "running":
            state = state.evolve(status="paused")
        if record.extension is None:
            return _tried(state, commands.reopen, record.started_at)
        return _tried(state, commands.extend, record.extension, record.started_at)
    queue, known = after.engine.queue, state.engine.queue
    if queue[: len(known)] == known and state.status != "created":
        return state.evolve(engine=state.engine.evolve(queue=queue))
    return state


def _tried(
    state: CycleState,
    command: Callable[..., CycleState],  # Any: each command with its own arguments
    *given: str,
    **more: bool,
) -> CycleState:
    """What the command makes of it; the state itself where it would refuse."""
    try:
        return command(state, *given, **more)
    except LoopwrightError:
        return state


def _with_texts(state: CycleState, after: CycleState) -> CycleState:
    """What is a person's, and keys that the schema does not know."""
    texts: dict[str, Any] = {name: getattr(after, name) for name in EDITABLE}  # Any: fields by name
    known = {**state.__dict__, **texts, "updated_at": after.updated_at}
    return CycleState.model_validate({**known, **(after.__pydantic_extra__ or {})})


def _stopped(state: CycleState, after: CycleState) -> CycleState:
    """Others end a cycle by stopping it; every other end is the runner's own."""
    if (after.status, after.engine.outcome, after.failure_reason) != ("failed", "stopped", commands.STOPPED_BY_USER):
        return state
    return _tried(state, commands.stop, after.completed_at or "")


def _with_engine(state: CycleState, after: CycleState) -> CycleState:
    given = {name: getattr(after.engine, name) for name in FOR_COMMANDS}
    return state.evolve(
        engine=state.engine.evolve(
            **given,
            settings=state.engine.settings.evolve(mode=after.engine.settings.mode),
            incidents=all_incidents(state.engine.incidents, after.engine.incidents),
            asked=answered(state.engine.asked, after.engine.asked),
        )
    )


def _carried_over(state: CycleState, found: CycleState, name: str, now: str) -> CycleState:
    if name == "status":
        return _commanded(state, found, now)
    value: Any = getattr(found, name)  # Any: a field by name
    if name in EDITABLE:
        return commands.edit(state, {name: value})
    return CycleState.model_validate({**state.__dict__, **(state.__pydantic_extra__ or {}), name: value})


def _commanded(state: CycleState, found: CycleState, now: str) -> CycleState:
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
        case (
            "begin" | "complete" | "fail" | "reopen" | "extend" | "decide" | "resolve" | "edit text" | "edit" | "delete"
        ):
            raise IllegalTransition(command, state.status, (), "cycle")
        case _:
            assert_never(command)
