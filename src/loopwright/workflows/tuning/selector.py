"""What a tuning session does next: the first row of the table that holds. Pure."""

from collections.abc import Callable

from loopwright.skills.findings import Finding
from loopwright.workflows.tuning.model import DIAGNOSES, FINISHED, RANKS, TuningState, TuningStep


def undiagnosed_steps(state: TuningState) -> tuple[TuningStep, ...]:
    """What was asked for and has no result in this iteration; one after the other where an agent is asked, too."""
    engine = state.engine
    steps = tuple(TuningStep(DIAGNOSES[one]) for one in engine.dimensions if one not in engine.diagnosed)
    return steps[:1] if engine.reviewer else steps


def unverified_steps(state: TuningState) -> tuple[TuningStep, ...]:
    waiting = [fix.fix_id for fix in state.applied_fixes if fix.verification_result == "pending"]
    return (TuningStep("action-verify", waiting[0]),) if waiting else ()


def pending_steps(state: TuningState) -> tuple[TuningStep, ...]:
    return (TuningStep("action-apply-fix", state.pending_fixes[0]),) if state.pending_fixes else ()


def may_be_fixed(state: TuningState) -> tuple[Finding, ...]:
    """Findings that the chosen level may mend, and that nobody has tried in vain."""
    engine = state.engine
    most = RANKS[engine.level]

    def may(finding: Finding) -> bool:
        if not finding.counts or finding.fingerprint in engine.rejected:
            return False
        level = engine.fixable.get(finding.fingerprint)
        if level is None:
            return engine.level == "agent"
        return RANKS[level] <= most

    return tuple(finding for finding in engine.findings if may(finding))


def improved_nothing(state: TuningState) -> bool:
    """Whether the last iteration has left the skill as it was, and not even found out what does not hold."""
    known = [(one.tree, one.in_vain) for one in state.engine.standings[-2:]]
    return len(known) > 1 and known[0] == known[1]


def is_over(state: TuningState) -> bool:
    engine = state.engine
    if engine.level == "none" or state.iteration_count >= state.max_iterations or improved_nothing(state):
        return True
    return not may_be_fixed(state) and not engine.edits


def has_work(state: TuningState) -> bool:
    """Whether there is anything left that could be mended."""
    return bool(state.pending_fixes) or not is_over(state)


def is_out_of_budget(state: TuningState) -> bool:
    return state.engine.budget.reached is not None and has_work(state)


def _only(step: TuningStep) -> Callable[[TuningState], tuple[TuningStep, ...]]:
    return lambda state: (step,)


ROWS: tuple[tuple[Callable[[TuningState], object], Callable[[TuningState], tuple[TuningStep, ...]]], ...] = (
    (lambda s: s.status in FINISHED, lambda s: ()),
    (lambda s: s.error_count >= s.max_errors, _only(TuningStep("action-fail"))),
    (lambda s: s.status == "pending" or "action-init" not in s.completed_actions, _only(TuningStep("action-init"))),
    (undiagnosed_steps, undiagnosed_steps),
    (lambda s: not s.engine.reported, _only(TuningStep("action-report"))),
    (unverified_steps, unverified_steps),
    (is_out_of_budget, _only(TuningStep("action-complete"))),
    (pending_steps, pending_steps),
    (is_over, _only(TuningStep("action-complete"))),
    (lambda s: not s.engine.proposed and may_be_fixed(s), _only(TuningStep("action-propose-fixes"))),
    (lambda s: s.engine.waiting is not None, lambda s: ()),
    (lambda s: True, _only(TuningStep("action-next-iteration"))),
)
"""Condition → steps. The last but one: a person has to choose among the fixes first."""


def next_steps(state: TuningState) -> tuple[TuningStep, ...]:
    """The steps of the first row that holds; several only where all missing diagnoses run at once."""
    return next(steps(state) for holds, steps in ROWS if holds(state))


def select_ready(state: TuningState, running: tuple[TuningStep, ...]) -> tuple[TuningStep, ...]:
    """Those that can begin beside what is running: diagnoses beside each other, everything else alone."""
    if state.status != "running" and state.status != "pending":
        return ()
    steps = next_steps(state)
    if any(step.dimension is None for step in running):
        return ()
    return tuple(step for step in steps if step not in running and (not running or step.dimension is not None))


def still_holds(state: TuningState, step: TuningStep) -> bool:
    """Whether the latest state would choose this step, too."""
    return step in next_steps(state)
