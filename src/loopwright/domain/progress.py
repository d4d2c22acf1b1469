"""What follows from a state and is never stored: progress in percent, and the plan as people see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loopwright.domain.loop import LoopState


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


@dataclass(frozen=True)
class Done:
    """One finished action from the journal. `result`: pass or fail for VALIDATE, else a few words."""

    action: str
    result: str = ""


@dataclass(frozen=True)
class PlanLine:
    content: str
    status: Literal["pending", "in_progress", "completed"]


def plan(state: LoopState, history: Sequence[Done]) -> tuple[PlanLine, ...]:
    """The phase list: what is over folded to a line, the running phase unfolded."""
    begun = bool(history) or (state.skill_state is not None and state.skill_state.last_action is not None)
    over = state.status in ("completed", "failed")
    first = PlanLine("Phase 1: Session Initialization", "completed" if begun else "in_progress")
    groups, open_group = _grouped([d for d in history if d.action not in ("INIT", "COMPLETE")])
    folded = [PlanLine(f"Iteration {n}: {_folded(group)}", "completed") for n, group in enumerate(groups, 1)]
    if over:
        if open_group:
            folded.append(PlanLine(f"Iteration {len(groups) + 1}: {_folded(open_group)}", "completed"))
        return (first, *folded, PlanLine(f"Phase 2: COMPLETE ({state.engine.outcome})", "completed"))
    second = PlanLine("Phase 2: Orchestration Loop", "in_progress" if begun else "pending")
    return (first, *folded, second, *_unfolded(state, open_group))


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
    for i, done in enumerate(group):
        if i and group[i - 1].action == done.action and done.action != "VALIDATE":
            continue
        run = sum(1 for _ in _same(group[i:], done.action))
        times = f" x{run}" if run > 1 and done.action != "VALIDATE" else ""
        result = f" ({done.result})" if done.action == "VALIDATE" and done.result else ""
        parts.append(f"{done.action}{times}{result}")
    return " + ".join(parts)


def _same(group: list[Done], action: str) -> list[Done]:
    end = next((i for i, done in enumerate(group) if done.action != action), len(group))
    return group[:end]


def _unfolded(state: LoopState, open_group: list[Done]) -> list[PlanLine]:
    lines = [PlanLine(f"  → Action: {d.action}{f' ({d.result})' if d.result else ''}", "completed") for d in open_group]
    skill = state.skill_state
    if skill is None or skill.current_action in (None, "complete"):
        return lines
    words = skill.current_action.upper()
    if words == "DEVELOP" and skill.develop.total:
        words += f" (task {min(skill.develop.completed + 1, skill.develop.total)}/{skill.develop.total})"
    return [*lines, PlanLine(f"  → Action: {words}", "in_progress")]
