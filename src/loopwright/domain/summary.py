"""What a loop leaves behind in words and numbers when it ends. Pure."""

from collections.abc import Iterable

from loopwright.domain.engine_state import Incident
from loopwright.domain.loop import FINISHED, LoopState, SkillState, Summary
from loopwright.domain.loop_rivals import applied_patches
from loopwright.domain.loop_selector import open_tasks
from loopwright.domain.outcomes import Validated
from loopwright.domain.rivals import patch_lines


def summarise(
    state: LoopState, checked: Validated | None = None, noted: Iterable[Incident] = (), diff: str | None = None
) -> Summary:
    """What was done and what is left; `duration` in milliseconds that its steps took until now.

    `checked`: a validation, and `noted`: incidents, that are not in the state yet. `diff`: all that was changed;
    without it, what the tasks have changed.
    """
    skill = state.skill_state or SkillState()
    noted = (*state.engine.incidents, *noted)
    return Summary(
        duration=worked(state),
        iterations=state.current_iteration,
        develop=_develop(skill, diff),
        debug=_debug(skill),
        validate=_validate(state, skill, checked, dict.fromkeys(f"{i.kind}: {i.message}" for i in noted)),
    )


def worked(state: LoopState) -> int:
    """Milliseconds that its steps took; what lies between them, as a pause or the age of its file, is no work."""
    return round(state.engine.budget.spent_seconds * 1000)


def diff_stat(diff: str) -> list[tuple[str, int, int]]:
    """File, lines added, lines removed, for each file of a unified diff from git."""
    stat: list[tuple[str, int, int]] = []
    in_hunk = False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            stat.append((line.rpartition(" b/")[2], 0, 0))
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line[:1] in ("+", "-"):
            file, added, removed = stat[-1]
            stat[-1] = (file, added + (line[0] == "+"), removed + (line[0] == "-"))
    return stat


def summed_up(state: LoopState, noted: Iterable[Incident] = ()) -> LoopState:
    """A loop that ended without COMPLETE (a task that fails fast, errors in a row, a stop) has its summary too."""
    skill = state.skill_state or SkillState()
    if state.status not in FINISHED or skill.summary is not None:
        return state
    return state.evolve(skill_state=skill.evolve(summary=summarise(state, noted=noted)))


def _develop(skill: SkillState, diff: str | None) -> dict[str, object]:
    left = [
        f"{task.id} ({task.status}): {task.description}" for task in skill.develop.tasks if task.status != "completed"
    ]
    changed = sorted({file for task in skill.develop.tasks for file in task.files_changed})
    if diff is not None:
        changed = [f"{file} +{added} -{removed}" for file, added, removed in diff_stat(diff)]
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
    patches = [line for patch in applied_patches(skill) for line in patch_lines(patch)]
    return {
        "rounds": skill.debug.iteration, "confirmed": skill.debug.confirmed_hypothesis,
        **({"patches": patches} if patches else {}), "hypotheses": told,
    }  # fmt: skip


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
