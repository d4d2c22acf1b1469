"""COMPLETE: look once more, write the summary, end the loop."""

from collections.abc import Iterable
from datetime import datetime

from loopwright.actions.measure import nothing_to_run, validate_tree
from loopwright.actions.session import Session
from loopwright.domain.engine_state import Outcome
from loopwright.domain.loop import FINISHED, LoopState, SkillState, Summary
from loopwright.domain.loop_selector import Next, open_tasks
from loopwright.domain.outcomes import ActionOutcome, Completed, Validated
from loopwright.domain.stall import stalled_because
from loopwright.domain.verdict import TROUBLES
from loopwright.domain.words import plural

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
        return Completed(wanted, reason(state, choice), summarise(session, state, None))
    if command is None:
        return nothing_to_run(tree, counted=False)
    session.bus.publish("activity", "validating once more before the end")
    checked = await validate_tree(session, command, counted=False)
    if checked.passed and not open_tasks(state):
        return Completed("succeeded", None, summarise(session, state, checked), checked)
    if wanted == "succeeded":
        return checked
    return Completed(wanted, reason(state, choice, checked.reasons), summarise(session, state, checked), checked)


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


def summarise(session: Session, state: LoopState, checked: Validated | None) -> Summary:
    """What was done and what is left; `duration` in milliseconds since the loop was created."""
    skill = state.skill_state or SkillState()
    noted = (*state.engine.incidents, *session.incidents)
    begun = datetime.fromisoformat(state.created_at)
    duration = (session.clock.now() - begun).total_seconds() * 1000
    return Summary(
        duration=round(max(duration, 0)),
        iterations=state.current_iteration,
        develop=_develop(skill),
        debug=_debug(skill),
        validate=_validate(state, skill, checked, dict.fromkeys(f"{i.kind}: {i.message}" for i in noted)),
    )


def summed_up(session: Session, state: LoopState) -> LoopState:
    """A loop that ended without COMPLETE (a task that fails fast, errors in a row, a stop) has its summary too."""
    skill = state.skill_state
    if state.status not in FINISHED or skill is None or skill.summary is not None:
        return state
    return state.evolve(skill_state=skill.evolve(summary=summarise(session, state, None)))


def _develop(skill: SkillState) -> dict[str, object]:
    left = [
        f"{task.id} ({task.status}): {task.description}" for task in skill.develop.tasks if task.status != "completed"
    ]
    changed = sorted({file for task in skill.develop.tasks for file in task.files_changed})
    return {
        "tasks": skill.develop.total, "completed": skill.develop.completed, "files_changed": changed,
        "left_to_do": left, "errors": [f"{e.action}: {e.message}" for e in skill.errors],
    }  # fmt: skip


def _debug(skill: SkillState) -> dict[str, object]:
    told = [
        f"{h.id} {h.status}, {h.logging_point}: {h.description}"
        + (f" ({h.verdict_reason})" if h.verdict_reason else "")
        for h in skill.debug.hypotheses
    ]
    return {"rounds": skill.debug.iteration, "confirmed": skill.debug.confirmed_hypothesis, "hypotheses": told}


def _validate(
    state: LoopState, skill: SkillState, checked: Validated | None, incidents: Iterable[str]
) -> dict[str, object]:
    failing = checked.failing if checked else skill.validate_.failed_tests
    last = state.engine.last_validation
    return {
        "passed": checked.passed if checked else skill.validate_.passed,
        "tests": len(checked.results if checked else skill.validate_.test_results),
        "coverage": f"{checked.coverage if checked else skill.validate_.coverage:g} %",
        "require": state.engine.settings.require,
        "still_failing": list(failing),
        "reasons": list(checked.reasons if checked else last.reasons if last else ()),
        "open_tasks": open_tasks(state),
        "incidents": list(incidents),
    }
