"""Where a loop stands and what an agent can do about it, in words. Pure."""

from loopwright.domain.engine_state import Outcome, RunState
from loopwright.domain.glance import Need, need
from loopwright.domain.loop import LoopState
from loopwright.domain.pausing import paused_words
from loopwright.domain.run import Run
from loopwright.domain.words import clean, plural

NEXT: dict[Outcome, str] = {
    "succeeded": "`diff` shows what was changed",
    "unproven": "`diff` shows what was changed; `add_task` for a test that fails without it and shows the goal, then"
    " `extend`; where no test can show it, a person decides (loopwright reopen {id} --proof preserve, or none)",
    "unverified": "`diff` shows what was changed; nothing has proved it: look at it, or `extend` with tests in place",
    "exhausted": "`extend` with a higher max_iterations, after `add_task` if something else should be tried",
    "over_budget": "`extend` with a higher limit lets it run on",
    "stalled": "it goes in circles: `add_task` with another idea, then `extend`",
    "stopped": "`extend` reopens it",
    "failed": "see failure_reason; once that is mended, `extend` reopens it",
}
"""By how a loop has ended."""

WAITING: dict[Need, str] = {
    "answer": "`answer` the question",
    "permission": "a person has to allow or deny what it asks for (loopwright approve {id}, or the dashboard); `wait`",
    "choice": "a person has to choose its next step, at the menu of the terminal or in the dashboard",
    "resume": "`resume` lets it run on",
}


def needs(state: LoopState, *, live: bool) -> Need | None:
    """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
    if live:
        return need(state)
    if state.status == "running" or state.engine.parked:
        return "resume"
    return need(state)


def headline(state: LoopState, *, live: bool) -> str:
    """In a sentence."""
    asks = "Waits with a question"
    return standing(state, live=live, asks=asks, doing=_action(state), pausing="the action under way")


def standing(state: Run, *, live: bool, asks: str, doing: str, pausing: str) -> str:
    """Where any run stands, in a sentence: `doing` while it runs, `pausing` while it comes to rest."""
    engine = state.engine
    if engine.outcome:
        why = f": {clean(state.failure_reason)}" if state.failure_reason else ""
        return f"{'Done' if state.status == 'completed' else 'Not done'}, {engine.outcome}{why}"
    if engine.waiting:
        return f"{asks}: {clean(engine.waiting.question)}"
    if engine.parked:
        return f"Waits until {engine.parked.until}: {clean(engine.parked.reason)}"
    match state.status:
        case "created":
            return "Created, not started yet"
        case "running" if live:
            return f"Running: {doing}{asking(engine)}"
        case "running":
            return "Interrupted: no process is at work on it"
        case _:
            paused = paused_words(state)
            return f"{paused}; {pausing} is finished first" if live else paused


def hint(state: LoopState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT[state.engine.outcome].format(id=state.loop_id)
    if state.status == "created":
        return "`resume` starts it"
    if needed := needs(state, live=live):
        settled = state.engine.waiting is not None and state.engine.waiting.by_resuming
        first = "a person has to settle that first; then " if settled and needed == "resume" else ""
        return f"{first}{WAITING[needed].format(id=state.loop_id)}"
    return "`wait` until it rests"


def _action(state: LoopState) -> str:
    action = state.skill_state.current_action if state.skill_state else None
    doing = action.upper() if action else "between two steps"
    return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}"


def asking(engine: RunState) -> str:
    """How many permissions are asked for, where there are any."""
    asked = [request for request in engine.asked if request.answer is None]
    return f"; it waits for {plural(len(asked), 'permission')}" if asked else ""
