"""What follows from a state and is never stored: progress in percent, and the plan as people see it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from loopwright.domain.events import Entry
from loopwright.domain.loop import FINISHED, LoopState, TaskStatus
from loopwright.domain.words import plural

PlanStatus = Literal["pending", "in_progress", "completed"]

WAITING_SHOWN = 3
"""Tasks that wait before the rest is only counted: the plan has to fit on the screen."""


@dataclass(frozen=True)
class Progress:
    """Percentages (0–100) and the two flags behind them."""

    develop: float
    debug_completed: bool
    validation_passed: bool

    @property
    def overall(self) -> float:
        return 0.5 * self.develop + 25 * self.debug_completed + 25 * self.validation_passed


def progress(state: LoopState) -> Progress:
    """How far the loop is. A loop without tasks, or without a bug, counts these as done once validation passed."""
    skill = state.skill_state
    if skill is None:
        return Progress(0, False, False)
    passed = skill.validate_.passed and bool(skill.validate_.test_results)
    tasks = skill.develop
    develop = 100 * tasks.completed / tasks.total if tasks.total else 100.0 * passed
    return Progress(develop, passed or skill.debug.confirmed_hypothesis is not None, passed)


def task_statuses(state: LoopState) -> Mapping[str, TaskStatus]:
    """How far each of the API's tasks is; one that the runner has not seen yet is pending."""
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    seen = {task.id: task.status for task in tasks}
    return {task.task_id: seen.get(task.task_id, "pending") for task in state.engine.tasks}


@dataclass(frozen=True)
class Done:
    """One finished action from the journal. `result`: pass or fail for VALIDATE, else a few words."""

    action: str
    result: str = ""


@dataclass(frozen=True)
class PlanLine:
    content: str
    status: PlanStatus

    @property
    def depth(self) -> int:
        """0 for a phase, 1 for what it unfolds to."""
        return int(self.content.startswith(" "))


def finished(entries: Sequence[Entry]) -> tuple[Done, ...]:
    """The actions that ended, as the plan wants them."""
    ended = (entry.event.data for entry in entries if entry.event.type == "action_finished")
    return tuple(Done(str(data.get("action")), str(data.get("result") or "")) for data in ended)


def plan(state: LoopState, history: Sequence[Done]) -> tuple[PlanLine, ...]:
    """The phase list: what is over folded to a line, the running phase unfolded down to what is still to come."""
    begun = bool(history) or state.skill_state is not None
    first = PlanLine("Phase 1: Session Initialization", "completed" if begun else "in_progress")
    groups, open_group = _grouped([done for done in history if done.action != "COMPLETE"])
    ends = state.status in FINISHED or _current(state) == "COMPLETE"
    if ends and any(done.action != "INIT" for done in open_group):
        groups.append(open_group)
    folded = [PlanLine(f"Iteration {n}: {_folded(group)}", "completed") for n, group in enumerate(groups, 1)]
    if state.status in FINISHED:
        return (first, *folded, PlanLine(f"Phase 2: COMPLETE ({state.engine.outcome})", "completed"))
    if ends:
        return (first, *folded, PlanLine("Phase 2: COMPLETE", "in_progress"))
    if not begun:
        return (first, PlanLine("Phase 2: Orchestration Loop", "pending"))
    is_over = not open_group and bool(groups) and groups[-1][-1].result == "pass"
    unfolded = _unfolded(state, open_group, is_over=is_over)
    return (first, *folded, PlanLine("Phase 2: Orchestration Loop", "in_progress"), *unfolded)


def _grouped(history: list[Done]) -> tuple[list[list[Done]], list[Done]]:
    """Finished iterations, each ending with its validation, and the one still open."""
    groups: list[list[Done]] = []
    current: list[Done] = []
    for done in history:
        current.append(done)
        if done.action == "VALIDATE":
            groups.append(current)
            current = []
    return groups, current


def _folded(group: list[Done]) -> str:
    """`DEVELOP x3 + VALIDATE (pass)`."""
    parts: list[str] = []
    for action, run in groupby((done for done in group if done.action != "INIT"), key=lambda done: done.action):
        same = list(run)
        times = f" x{len(same)}" if len(same) > 1 else ""
        result = f" ({same[-1].result})" if action == "VALIDATE" and same[-1].result else ""
        parts.append(f"{action}{times}{result}")
    return " + ".join(parts)


def _current(state: LoopState) -> str | None:
    skill = state.skill_state
    return skill.current_action.upper() if skill and skill.current_action else None


def _unfolded(state: LoopState, open_group: list[Done], *, is_over: bool) -> list[PlanLine]:
    """`is_over`: the last thing that was done was a validation, and it passed."""
    now = _current(state)
    statuses = task_statuses(state).values()
    first, total = 1 + sum(status in ("completed", "failed") for status in statuses), len(statuses)
    lines = [_action(done.action, "completed") for done in open_group]
    if now == "DEVELOP" and total:
        lines.append(_action(f"DEVELOP (task {min(first, total)}/{total})", "in_progress"))
        first += 1
    elif now:
        lines.append(_action(now, "in_progress"))
    waiting = range(first, total + 1)
    lines += [_action(f"DEVELOP (task {n}/{total})", "pending") for n in waiting[:WAITING_SHOWN]]
    if more := waiting[WAITING_SHOWN:]:
        lines.append(_action(f"DEVELOP ({plural(len(more), 'more task')})", "pending"))
    if waiting or (now != "VALIDATE" and (now or not is_over)):
        lines.append(_action("VALIDATE", "pending"))
    return [*lines, _action("COMPLETE", "pending")]


def _action(words: str, status: PlanStatus) -> PlanLine:
    return PlanLine(f"  → Action: {words}", status)
