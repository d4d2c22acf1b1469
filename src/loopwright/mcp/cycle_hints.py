"""Where a cycle stands and what an agent can do about it, in words. Pure."""

from loopwright.domain.cycle import CycleState
from loopwright.domain.cycle_glance import CycleNeed, cycle_need
from loopwright.domain.engine_state import Outcome
from loopwright.domain.words import agreeing, plural
from loopwright.mcp.hints import standing

NEXT: dict[Outcome, str] = {
    "succeeded": "`documents` and `diff` show what came of it; `extend` with `task` adds to it",
    "unproven": "`diff` shows what was changed; `extend` it with the test that shows the goal, or a person decides"
    " (loopwright cycle reopen {id} --proof preserve, or none)",
    "unverified": "`diff` shows what was changed; nothing has proved it: look at it, or `extend` with tests in place",
    "exhausted": "`extend` with a higher max_iterations, or with `task` for what should be tried",
    "over_budget": "`extend` with a higher limit lets it run on",
    "stalled": "it goes in circles: `extend` with `task` for another idea",
    "stopped": "`extend` reopens it",
    "failed": "see failure_reason; once that is mended, `extend` reopens it",
}
"""By how a cycle has ended."""

WAITING: dict[CycleNeed, str] = {
    "decision": "`decide` what is pending",
    "blocker": "`resolve` what is open, then `resume`",
    "permission": "a person has to allow or deny what it asks for (loopwright cycle approve {id}, or the dashboard);"
    " `wait`",
    "resume": "`resume` lets it run on",
}


def cycle_needs(state: CycleState, *, live: bool) -> CycleNeed | None:
    """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
    if not live and (state.status == "running" or state.engine.parked):
        return "resume"
    return cycle_need(state)


def cycle_headline(state: CycleState, *, live: bool) -> str:
    """In a sentence."""
    return standing(state, live=live, asks="Waits for a person", doing=_steps(state), pausing="what is under way")


def cycle_hint(state: CycleState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT[state.engine.outcome]
    if state.status == "created":
        return "`resume` starts it"
    if needed := cycle_needs(state, live=live):
        return WAITING[needed].format(id=state.cycle_id)
    return "`wait` until it rests"


def _steps(state: CycleState) -> str:
    keys = [one.step for one in state.engine.under_way]
    doing = ", ".join(keys) or "between two steps"
    return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}{_open(state)}"


def _open(state: CycleState) -> str:
    count = len(state.coordination.open_blockers)
    return f"; {plural(count, 'blocker')} {agreeing(count, 'is')} open" if count else ""
