"""Where a tuning session stands and what an agent can do about it, in words. Pure."""

from typing import Literal

from loopwright.domain.engine_state import Outcome
from loopwright.domain.tuning import TuningState
from loopwright.domain.tuning_glance import TuningNeed, tuning_need
from loopwright.domain.tuning_score import score_words
from loopwright.domain.words import plural
from loopwright.mcp.hints import asking, standing

Need = TuningNeed | Literal["resume"]
"""`resume`: it was left behind by its process."""

NEXT: dict[Outcome, str] = {
    "over_budget": "`start_tuning` goes on with what is left, after a higher limit was set in the project's settings",
    "stopped": "nothing unverified is left in the skill's files; `start_tuning` begins anew",
    "failed": "see failure_reason; once that is mended, `start_tuning` begins anew",
}
"""By how a session has ended, where it did not come to its end."""
LOOKED = "`findings` shows all of it; `start_tuning` with `fix` or `agent` mends what can be mended"
DONE = "`fixes` and `diff` show what was changed, `findings` what is left; `roll_back` takes a fix out again"

WAITING: dict[Need, str] = {
    "choice": "`fixes` shows each with its diff; then `choose`",
    "permission": "a person has to allow or deny what it asks for (loopwright tunings approve {id}, or the dashboard);"
    " `wait`",
    "resume": "`resume` lets it run on",
}


def tuning_needs(state: TuningState, *, live: bool) -> Need | None:
    """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
    needed = tuning_need(state)
    if needed is None and state.status == "running" and not live:
        return "resume"
    return needed


def tuning_headline(state: TuningState, *, live: bool) -> str:
    """In a sentence."""
    if state.status == "pending":
        return "Created, not started yet"
    if state.status == "completed":
        left = plural(state.issues_by_severity.total, "issue")
        score = score_words(state.quality_score, state.engine.unreviewed)
        return f"Done: quality gate {state.quality_gate}, {score}, {left} left"
    return standing(
        state, live=live, asks="Waits for a choice", doing=f"{_steps(state)}{asking(state.engine)}", pausing="its step"
    )


def tuning_hint(state: TuningState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT.get(state.engine.outcome) or (DONE if state.applied_fixes else LOOKED)
    if state.status == "pending":
        return "`resume` starts it"
    if needed := tuning_needs(state, live=live):
        return WAITING[needed].format(id=state.tuning_id)
    return "`wait` until it rests"


def _steps(state: TuningState) -> str:
    doing = ", ".join(dict.fromkeys(one.step.removeprefix("action-") for one in state.engine.under_way))
    return f"{doing or 'between two steps'}, iteration {state.iteration_count} of {state.max_iterations}"
