"""Tuning sessions for tests, made by the rules themselves, and what their steps come back with."""

from collections.abc import Callable, Iterable, Sequence

from loopwright.core.names import TuningStepName
from loopwright.skills.findings import DIMENSIONS, Confidence, Dimension, Edit, Finding, FixLevel, Proposal, Severity
from loopwright.workflows.tuning.model import DIAGNOSES, FileChange, Fix, Level, TuningEngine, TuningState, TuningStep
from loopwright.workflows.tuning.outcomes import (
    ApplyOutcome,
    DiagnosisOutcome,
    EndOutcome,
    FixOffer,
    IterationOutcome,
    ProposalOutcome,
    ReportOutcome,
    ScopeOutcome,
    TuningOutcome,
    TuningStepDone,
    VerifyOutcome,
)
from loopwright.workflows.tuning.reducer import begin_step, end_step
from loopwright.workflows.tuning.selector import may_be_fixed, select_ready

AT = "2026-01-22T10:00:00+08:00"
LATER = "2026-01-22T11:00:00+08:00"
ID = "skill-tuning-20260122T100000-0123abcd"
RULES: dict[Dimension, str] = {
    "context": "oversized-skill", "memory": "no-recovery", "dataflow": "dead-reference", "agent": "undeclared-tool",
}  # fmt: skip
Outcomes = Callable[[TuningState, TuningStep], TuningOutcome]


def finding(
    subject: str = "x", dimension: Dimension = "dataflow", severity: Severity = "medium",
    confidence: Confidence = "certain", *, rule: str | None = None, file: str = "SKILL.md", line: int = 3,
) -> Finding:  # fmt: skip
    return Finding(
        rule=rule or RULES[dimension], dimension=dimension, severity=severity, confidence=confidence, file=file,
        line=line, line_end=line, start=10 * line, end=10 * line + 5, excerpt=f"a line about {subject}",
        subject=subject, message=f"{subject} is wrong", why="a model stumbles over it", advice=f"mend {subject}",
        strategy="custom",
    )  # fmt: skip


def created(
    *, level: Level = "none", dimensions: Sequence[Dimension] = DIMENSIONS, choosing: bool = False,
    max_iterations: int = 5, description: str = "",
) -> TuningState:  # fmt: skip
    engine = TuningEngine(
        id=ID, path="skills/a", root="/p/skills/a", level=level, dimensions=tuple(dimensions), choosing=choosing
    )
    return TuningState(max_iterations=max_iterations, user_issue_description=description, engine=engine)


def ended(state: TuningState, step: TuningStep | TuningStepName, outcome: TuningOutcome, at: str = AT) -> TuningState:
    """The step, begun and ended with this outcome."""
    step = step if isinstance(step, TuningStep) else TuningStep(step)
    return end_step(begin_step(state, step, at), TuningStepDone(step=step, outcome=outcome, begun=at, at=at))


SCOPED = ScopeOutcome("a", "sequential", ("phases/1.md",), (), 1000, {"SKILL.md": "d0"})


def diagnosed(dimension: Dimension, *findings: Finding, problem: str | None = None) -> DiagnosisOutcome:
    return DiagnosisOutcome(dimension, findings, (RULES[dimension],), (), 1.5, {"SKILL.md": "d0"}, problem)


def reported(state: TuningState, level: FixLevel = "mechanical", tree: str = "tree") -> ReportOutcome:
    return ReportOutcome({finding.fingerprint: level for finding in state.engine.findings}, tree)


def offer(id: str, *findings: Finding, level: FixLevel = "mechanical") -> FixOffer:
    prints = tuple(dict.fromkeys(one.fingerprint for one in findings))
    edit = Edit(file="SKILL.md", start=0, end=3, old="bad", new="good")
    proposal = Proposal(
        fingerprints=prints, rule=findings[0].rule, strategy="custom", level=level, description=f"{id} mends it",
        rationale="it follows", edits=(edit,),
    )  # fmt: skip
    change = FileChange(file="SKILL.md", action="modify", old_content="bad", new_content="good", diff="--- a\n")
    fix = Fix(
        id=id, strategy="custom", description=f"{id} mends it", rationale="it follows", changes=(change,), risk="low",
        estimated_impact="less is wrong",
    )  # fmt: skip
    return FixOffer(fix, proposal)


def applied(state: TuningState, id: str) -> ApplyOutcome:
    fix = state.fix(id)
    assert fix is not None
    return ApplyOutcome(fix, f"backups/{id}", state.engine.proposals[id].edits, {"SKILL.md": f"after {id}"})


def verified(state: TuningState, id: str, *, passed: bool = True) -> VerifyOutcome:
    """A pass takes away what the fix was made for."""
    gone = state.engine.proposals[id].fingerprints
    left = tuple(one for one in state.engine.findings if one.fingerprint not in gone)
    fixable: dict[str, FixLevel] = {one.fingerprint: "mechanical" for one in left}
    return VerifyOutcome(id, passed, () if passed else ("it is still there",), left if passed else (), fixable)


def usual(found: Iterable[Finding] = ()) -> Outcomes:
    """Every step does well: these are found at first, one fix is offered for each, and each of them holds."""

    def outcome(state: TuningState, step: TuningStep) -> TuningOutcome:
        if step.dimension is not None:
            seen = found if state.iteration_count == 0 else state.engine.findings
            return diagnosed(step.dimension, *(one for one in seen if one.dimension == step.dimension))
        match step.name:
            case "action-init":
                return SCOPED
            case "action-report":
                return reported(state, tree=f"tree-{len(state.applied_fixes)}")
            case "action-propose-fixes":
                first = len(state.proposed_fixes) + 1
                wanted = {one.fingerprint: one for one in may_be_fixed(state)}.values()
                return ProposalOutcome(tuple(offer(f"FIX-{n:03}", one) for n, one in enumerate(wanted, first)))
            case "action-apply-fix":
                return applied(state, step.fix or "")
            case "action-verify":
                return verified(state, step.fix or "")
            case "action-next-iteration":
                return IterationOutcome()
            case "action-fail":
                return EndOutcome(
                    True, tuple(f.fix_id for f in state.applied_fixes if f.verification_result == "pending")
                )
            case _:
                return EndOutcome()

    return outcome


def driven(
    state: TuningState, outcomes: Outcomes, until: Callable[[TuningState], bool] = lambda s: False
) -> TuningState:
    """Step by step, to where nothing is left to do or `until` holds."""
    for _ in range(200):
        steps = select_ready(state, ()) if not until(state) else ()
        if not steps:
            return state
        for step in steps:
            state = ended(state, step, outcomes(state, step))
    raise AssertionError("it does not end")


def diagnosed_all(state: TuningState, *findings: Finding, level: FixLevel = "mechanical") -> TuningState:
    """Initialised, diagnosed in every dimension that was asked for, and reported."""
    state = ended(state, "action-init", SCOPED)
    for one in state.engine.dimensions:
        seen = diagnosed(one, *(f for f in findings if f.dimension == one))
        state = ended(state, DIAGNOSES[one], seen)
    return ended(state, "action-report", reported(state, level))


def proposed(state: TuningState, *offers: FixOffer) -> TuningState:
    return ended(state, "action-propose-fixes", ProposalOutcome(offers))


def in_files(state: TuningState, id: str) -> TuningState:
    return ended(state, TuningStep("action-apply-fix", id), applied(state, id))
