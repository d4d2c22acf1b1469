"""A tuning session at a glance: what a list of sessions, a stream of changes and a tool's answer say of each. Pure."""

from typing import Literal

from loopwright.core.names import TuningStatus
from loopwright.core.record import Items, Record, Timestamp
from loopwright.core.state import Outcome
from loopwright.skills.findings import Dimension, Gate, IssuesBySeverity
from loopwright.workflows.tuning.model import Level, TuningState

TuningNeed = Literal["permission", "choice"]
"""What only a person can give it: a permission, or a choice among the fixes."""


class FixCounts(Record):
    """`applied` ones are in the skill's files; `rolled_back` ones did not hold, or were undone."""

    proposed: int = 0
    pending: int = 0
    applied: int = 0
    rolled_back: int = 0


class TuningGlance(Record):
    """`project` is the name of its project; `rev` the version that an ETag names.

    `score` and `gate` are None before the first report.
    """

    tuning_id: str
    project: str
    title: str
    path: str
    status: TuningStatus
    outcome: Outcome | None = None
    dimensions: Items[Dimension]
    level: Level
    agent: str | None = None
    score: float | None = None
    gate: Gate | None = None
    issues: IssuesBySeverity
    fixes: FixCounts
    current_iteration: int
    max_iterations: int
    needs: TuningNeed | None = None
    failure_reason: str | None = None
    rev: int
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None


def tuning_glance(state: TuningState, project: str) -> TuningGlance:
    """The session in brief, for a list."""
    engine = state.engine
    known = bool(engine.standings)
    return TuningGlance(
        tuning_id=state.tuning_id, project=project, title=state.title, path=engine.path, status=state.status,
        outcome=engine.outcome, dimensions=engine.dimensions, level=engine.level, agent=engine.agent,
        score=state.quality_score if known else None, gate=state.quality_gate if known else None,
        issues=state.issues_by_severity, fixes=_fixes(state), current_iteration=state.iteration_count,
        max_iterations=state.max_iterations, needs=tuning_need(state), failure_reason=state.failure_reason,
        rev=engine.rev, created_at=engine.created_at, updated_at=state.updated_at,
    )  # fmt: skip


def tuning_need(state: TuningState) -> TuningNeed | None:
    """What keeps the session until a person gives it."""
    if state.status != "running":
        return None
    if any(request.answer is None for request in state.engine.asked):
        return "permission"
    return "choice" if state.engine.waiting is not None else None


def _fixes(state: TuningState) -> FixCounts:
    standing = sum(fix.success and fix.rollback_available for fix in state.applied_fixes)
    return FixCounts(
        proposed=len(state.proposed_fixes),
        pending=len(state.pending_fixes),
        applied=standing,
        rolled_back=len(state.applied_fixes) - standing,
    )
