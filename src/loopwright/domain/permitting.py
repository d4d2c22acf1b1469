"""What an agent asks to be permitted, and a person's answers, as pure functions over the state of any run."""

from typing import Literal

from loopwright.domain.engine_state import PermissionRequest
from loopwright.domain.errors import Conflict, Invalid, NotFound
from loopwright.domain.run import R


def asked(state: R, request: PermissionRequest) -> R:
    """Keeps what an agent asks to be permitted, until a person answers."""
    return _asking(state, (*state.engine.asked, request))


def chosen_requests(requests: tuple[PermissionRequest, ...], id: str | None, *, every: bool = False) -> tuple[str, ...]:
    """The ids that an answer is for. Without an id there has to be exactly one to answer, or `every` one is meant."""
    unanswered = tuple(request.id for request in requests if request.answer is None)
    if id is not None:
        return (id,)
    if not unanswered:
        raise Invalid("it asks for no permission at the moment")
    if len(unanswered) > 1 and not every:
        raise Invalid(f"several requests are open; name one of them, or answer all: {', '.join(unanswered)}")
    return unanswered


def answer_permission(state: R, ids: tuple[str, ...], answer: Literal["allow", "deny"]) -> R:
    """A person's answer to these requests; the runner that asked takes it. NotFound, Conflict."""
    known = {request.id: request for request in state.engine.asked}
    for id in ids:
        if id not in known:
            open_ones = ", ".join(known) or "none"
            raise NotFound(f"no request {id} is open; it may have been answered or withdrawn (open: {open_ones})")
        if known[id].answer:
            raise Conflict(f"request {id} is answered already: {known[id].answer}")
    return _asking(state, tuple(r.evolve(answer=answer) if r.id in ids else r for r in state.engine.asked))


def settled(state: R, id: str) -> R:
    """Nobody waits for that request any more."""
    if all(request.id != id for request in state.engine.asked):
        return state
    return _asking(state, tuple(request for request in state.engine.asked if request.id != id))


def nothing_asked(state: R) -> R:
    """Whoever asked is gone."""
    return _asking(state, ()) if state.engine.asked else state


def _asking(state: R, requests: tuple[PermissionRequest, ...]) -> R:
    return state.evolve(engine=state.engine.evolve(asked=requests))
