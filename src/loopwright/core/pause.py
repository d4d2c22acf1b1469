"""Why a run is paused, and until when, told the same way on every surface. Pure."""

from datetime import datetime, timedelta
from typing import Literal

from loopwright.core.errors import Conflict, ExitCode, Invalid, NotFound
from loopwright.core.run import R, Run
from loopwright.core.state import EngineState, Outcome, PermissionRequest

Pause = Literal["question", "settling", "limit", "task", "request"]
"""For an answer; for something to be settled; for an agent's limit to pass; because a task failed that says so; because
a person or a program asked for it.
"""


def pause_of(state: Run) -> Pause | None:
    """What keeps it; None where it is not paused."""
    engine = state.engine
    if state.status != "paused":
        return None
    if engine.waiting:
        return "settling" if engine.waiting.by_resuming else "question"
    if engine.parked:
        return "limit"
    return "task" if failed_tasks(state) else "request"


def failed_tasks(state: Run) -> tuple[str, ...]:
    """Those whose failure has paused it, and that are tried again."""
    engine = state.engine
    return engine.retry if isinstance(engine, EngineState) else ()


def pause_words(state: Run) -> str:
    """Why, in a sentence without its full stop, where it is neither a question nor a limit, which have their own."""
    if failed := failed_tasks(state):
        again = "it is retried when the run is resumed"
        return f"Paused because {', '.join(failed)} failed, as its on_error asks for; {again}"
    return "Paused on request, by a person or a program"


FIRST, LONGEST = timedelta(minutes=15), timedelta(hours=5)
"""How long a limit lasts of which the agent does not say when it ends; twice as long each time in a row."""


def parked_until(named: datetime | None, at: datetime, row: int) -> datetime:
    """When to try again, as the agent names it; where that is over already, or not named, a wait that grows.

    `row`: limits in a row, this one included.
    """
    if named is not None and named > at:
        return named.astimezone(at.tzinfo)
    return at + min(FIRST * (1 << min(row - 1, 10)), LONGEST)


def is_due(state: Run, now: datetime) -> bool:
    """Whether a parked run may go on."""
    parked = state.engine.parked
    return parked is not None and datetime.fromisoformat(parked.until) <= now


def add_permission_request(state: R, request: PermissionRequest) -> R:
    """Keeps what an agent asks to be permitted, until a person answers."""
    return _asking(state, (*state.engine.asked, request))


def chosen_requests(requests: tuple[PermissionRequest, ...], id: str | None, *, every: bool = False) -> tuple[str, ...]:
    """The ids that an answer is for. Without an id there has to be exactly one to answer, or `every` one is meant."""
    unanswered = tuple(request.id for request in requests if request.answer is None)
    if id is not None:
        return (id,)
    if not unanswered:
        raise Invalid("there is no open permission request")
    if len(unanswered) > 1 and not every:
        raise Invalid(f"several requests are open; name one, or answer all: {', '.join(unanswered)}")
    return unanswered


def answer_permission(state: R, ids: tuple[str, ...], answer: Literal["allow", "deny"]) -> R:
    """A person's answer to these requests; the runner that asked takes it. NotFound, Conflict."""
    known = {request.id: request for request in state.engine.asked}
    for id in ids:
        if id not in known:
            open_ones = ", ".join(known) or "none"
            raise NotFound(f"no request {id} is open; it may have been answered or withdrawn (open: {open_ones})")
        if known[id].answer:
            raise Conflict(f"request {id} is already answered: {known[id].answer}")
    return _asking(state, tuple(r.evolve(answer=answer) if r.id in ids else r for r in state.engine.asked))


def remove_permission_request(state: R, id: str) -> R:
    """Nobody waits for that request any more."""
    if all(request.id != id for request in state.engine.asked):
        return state
    return _asking(state, tuple(request for request in state.engine.asked if request.id != id))


def clear_permission_requests(state: R) -> R:
    """Whoever asked is gone."""
    return _asking(state, ()) if state.engine.asked else state


def _asking(state: R, requests: tuple[PermissionRequest, ...]) -> R:
    return state.evolve(engine=state.engine.evolve(asked=requests))


EXITS: dict[Outcome, ExitCode] = {
    "succeeded": ExitCode.DONE,
    "unproven": ExitCode.UNPROVEN,
    "unverified": ExitCode.NO_SUCCESS,
    "exhausted": ExitCode.NO_SUCCESS,
    "stalled": ExitCode.NO_SUCCESS,
    "over_budget": ExitCode.BUDGET,
    "stopped": ExitCode.NO_SUCCESS,
    "failed": ExitCode.NO_SUCCESS,
}
"""A run has an outcome exactly when it is finished."""


def exit_for(state: Run) -> ExitCode:
    """By outcome; one that rests without it needs a person to go on."""
    outcome = state.engine.outcome
    return EXITS[outcome] if outcome else ExitCode.NEEDS_PERSON
