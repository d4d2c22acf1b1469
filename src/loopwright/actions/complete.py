"""COMPLETE: look once more, write the summary, end the loop."""

from loopwright.actions.session import Session
from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop import LoopState
from loopwright.domain.loop_selector import Next, open_tasks
from loopwright.domain.outcomes import ActionOutcome, Completed
from loopwright.domain.stall import stalled_because
from loopwright.domain.summary import summarise
from loopwright.domain.verdict import TROUBLES
from loopwright.domain.words import plural
from loopwright.engine.measure import nothing_to_run, validate_tree

WORTH_ANOTHER_LOOK: frozenset[Outcome] = frozenset({"succeeded", "exhausted", "unverified"})
"""Ends that a validation by this process could still change; the others are final."""


async def complete(session: Session, choice: Next) -> ActionOutcome:
    state = session.state()
    wanted = choice.outcome or "unverified"
    command = state.engine.settings.test_command
    tree = await session.tree()
    # Whatever the state says of this tree, only what this process has seen of it counts.
    seen = session.verdicts.get(tree)
    is_settled = seen is not None if wanted != "succeeded" else seen
    if is_settled or wanted not in WORTH_ANOTHER_LOOK or (command is None and wanted != "succeeded"):
        return Completed(wanted, reason(state, choice), summarise(state, session.now(), noted=session.incidents))
    if command is None:
        return nothing_to_run(tree, counted=False)
    session.bus.publish("activity", "validating once more before the end")
    checked = await validate_tree(session, command, counted=False)
    summary = summarise(state, session.now(), checked, session.incidents)
    if checked.passed and not open_tasks(state):
        return Completed("succeeded", None, summary, checked)
    if wanted == "succeeded":
        return checked
    return Completed(wanted, reason(state, choice, checked.reasons), summary, checked)


def reason(state: LoopState, choice: Next, seen: tuple[str, ...] = ()) -> str | None:
    """Why the loop ends as failed, in words; None for an end that is completed. `seen`: what the last look said."""
    limit = state.engine.budget.reached
    match choice.outcome:
        case "exhausted" if state.current_iteration >= state.max_iterations:
            return f"the limit of {plural(state.max_iterations, 'iteration')} is reached; what is left is in summary.md"
        case "exhausted":
            return "nothing is left to try; what is left is in summary.md"
        case "over_budget":
            return f"the {limit.words if limit else 'budget'} is used up"
        case "stalled":
            return stalled_because(state.engine.sightings)
        case "unverified" if choice.row:
            return f"{seen[0] if seen else TROUBLES['no_tests']}, so nothing could be verified"
        case _:
            return None
