"""Changes from outside, to a tuning session's file or its journal: what is taken in, and what is put back. Pure."""

from collections.abc import Callable
from typing import Any, assert_never

from loopwright.domain import tuning_commands as commands
from loopwright.domain.errors import IllegalTransition, LoopwrightError
from loopwright.domain.external import BOOKKEEPING, LIMITS, all_incidents, answered, forbidden, unknown
from loopwright.domain.tuning import FINISHED, TuningState
from loopwright.domain.tuning_engine import TuningEngine
from loopwright.domain.tuning_reading import judged

EDITABLE = commands.EDITABLE
OWN = frozenset(TuningState.model_fields) - EDITABLE - {"status", "updated_at", "engine"}
"""What the runner writes, and commands that are given for it."""
FOR_COMMANDS = frozenset({"interrupt", "parked", *BOOKKEEPING})
"""Of `engine`, what commands may change while a runner lives, whatever else they do."""


def take_in(
    base: TuningState, found: TuningState, current: TuningState, now: str
) -> tuple[TuningState, tuple[str, ...], tuple[str, ...]]:
    """What `found` changed against `base`, carried over to `current` as far as the status table allows.

    Returns the state to go on with, what was accepted, and what is put back, in words.
    """
    accepted: list[str] = []
    refused = forbidden(base, _before_its_end(base, found), OWN, frozenset())
    state = current
    names = sorted(name for name in EDITABLE if getattr(found, name) != getattr(base, name))
    steps = [*names, *unknown(base, found)]
    if found.status not in (base.status, current.status):
        steps.append("status")
    for name in steps:
        try:
            state = _carried_over(state, found, name, now)
        except LoopwrightError as error:
            refused.append(f"{name} ({error})")
        else:
            accepted.append(name)
    return state, tuple(accepted), tuple(refused)


def keep_own(before: TuningState, after: TuningState) -> tuple[TuningState, tuple[str, ...]]:
    """`after`, which others committed while a runner lives, with what only the runner may change as it was `before`.

    What commands do to a session is done here again to `before`: only what comes of it is theirs. Returns with it the
    names of what had to be put back: none when only commands were given.
    """
    kept = _stopped(_with_texts(_chosen(_limited(before, after), after), after), after)
    kept = _with_engine(kept, after)
    names = [
        name
        for name in sorted(TuningState.model_fields)
        if name not in ("engine", "updated_at") and getattr(kept, name) != getattr(after, name)
    ]
    fields = TuningEngine.model_fields
    names += [f"engine.{name}" for name in fields if getattr(kept.engine, name) != getattr(after.engine, name)]
    return (kept, tuple(names)) if names else (after, ())


def _before_its_end(base: TuningState, found: TuningState) -> TuningState:
    """As it was found, but for what a bare status brings along when it is read as an end. To compare, not to keep."""
    if found.status == base.status or found.status not in FINISHED:
        return found
    fixes = base.applied_fixes if found.applied_fixes == judged(base.applied_fixes) else found.applied_fixes
    engine = found.engine.model_copy(update={"reason": base.engine.reason})
    return found.model_copy(update={"applied_fixes": fixes, "engine": engine})


def _limited(state: TuningState, after: TuningState) -> TuningState:
    limits = {name: getattr(after.engine.budget, name) for name in LIMITS}
    budget = state.engine.budget.evolve(**limits)
    return state.evolve(max_iterations=after.max_iterations, engine=state.engine.evolve(budget=budget))


def _chosen(state: TuningState, after: TuningState) -> TuningState:
    """With the fixes that somebody took of those offered, also when a stop came behind that."""
    waiting, ended = state.engine.waiting, after.status in FINISHED
    if waiting is None or after.engine.waiting is not None:
        return state
    refused = after.engine.rejected.keys() - state.engine.rejected.keys()
    if not ended:
        return _tried(state, commands.choose, after.pending_fixes)
    proposals = state.engine.proposals
    taken = [id for id in waiting.options if not refused.intersection(proposals[id].fingerprints)]
    return _tried(state, commands.choose, taken) if refused else state


def _stopped(state: TuningState, after: TuningState) -> TuningState:
    """Others end a session by stopping it; every other end is the runner's own."""
    if (after.status, after.engine.outcome, after.engine.reason) != ("failed", "stopped", commands.STOPPED_BY_USER):
        return state
    return _tried(state, commands.stop, after.updated_at or "")


def _tried(
    state: TuningState,
    command: Callable[..., TuningState],  # Any: each command with its own arguments
    *given: object,
) -> TuningState:
    """What the command makes of it; the state itself where it would refuse."""
    try:
        return command(state, *given)
    except LoopwrightError:
        return state


def _with_texts(state: TuningState, after: TuningState) -> TuningState:
    """What is a person's, and keys that the schema does not know."""
    texts: dict[str, Any] = {name: getattr(after, name) for name in EDITABLE}  # Any: fields by name
    known = {**state.__dict__, **texts, "updated_at": after.updated_at}
    return TuningState.model_validate({**known, **(after.__pydantic_extra__ or {})})


def _with_engine(state: TuningState, after: TuningState) -> TuningState:
    given = {name: getattr(after.engine, name) for name in FOR_COMMANDS}
    return state.evolve(
        updated_at=after.updated_at,
        engine=state.engine.evolve(
            **given,
            incidents=all_incidents(state.engine.incidents, after.engine.incidents),
            asked=answered(state.engine.asked, after.engine.asked),
        ),
    )


def _carried_over(state: TuningState, found: TuningState, name: str, now: str) -> TuningState:
    if name == "status":
        return _commanded(state, found, now)
    value: Any = getattr(found, name)  # Any: a field by name
    if name in EDITABLE:
        return commands.edit(state, {name: value})
    return TuningState.model_validate({**state.__dict__, **(state.__pydantic_extra__ or {}), name: value})


def _commanded(state: TuningState, found: TuningState, now: str) -> TuningState:
    """The command that a change of the bare status stands for."""
    command = commands.command_for(state, found.status)
    match command:
        case "start":
            return commands.start(state)
        case "stop":
            return commands.stop(state, now)
        case "pause" | "resume" | "reopen" | "choose" | "roll back" | "complete" | "fail" | "edit" | "delete":
            raise IllegalTransition(command, state.status, (), "tuning session")
        case _:
            assert_never(command)
