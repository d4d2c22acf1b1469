"""How the outcome of a step lands in a tuning session's state. Pure."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import assert_never

from loopwright.core.run import add_incidents, charge_budget
from loopwright.core.state import Outcome, Waiting
from loopwright.core.text import plural
from loopwright.skills.findings import DIMENSIONS, SEVERITIES, Dimension, Finding
from loopwright.skills.score import compute_score, count_issues, decide_gate
from loopwright.workflows.tuning.model import (
    ERRORS_KEPT,
    HISTORY_KEPT,
    ISSUE_TYPES,
    TRIES,
    ActionHistoryEntry,
    ActionResult,
    AppliedFix,
    DiagnosisDetails,
    DiagnosisResult,
    Evidence,
    Issue,
    Location,
    Standing,
    TargetSkill,
    TuningEngine,
    TuningErrorEntry,
    TuningState,
    TuningStep,
    TuningStepUnderWay,
)
from loopwright.workflows.tuning.outcomes import (
    ApplyOutcome,
    DiagnosisOutcome,
    EndOutcome,
    FailureOutcome,
    InterruptionOutcome,
    IterationOutcome,
    ProposalOutcome,
    RefusalOutcome,
    ReportOutcome,
    ScopeOutcome,
    TuningOutcome,
    TuningStepDone,
    VerifyOutcome,
)
from loopwright.workflows.tuning.selector import has_work

SURE = ("certain", "confirmed", "likely", "hint", "refuted")
EVIDENCE_SHOWN = 200
"""Entries of evidence in one result."""

_WORD = re.compile(r"[a-z0-9_]{3,}|[\u4e00-\u9fff]{2}")


def rank_findings(findings: Iterable[Finding], described: str) -> tuple[Finding, ...]:
    """The most urgent first: by severity, then what the user has described, then how sure, then where."""
    wanted = frozenset(_WORD.findall(described.casefold()))

    def key(finding: Finding) -> tuple[int, int, int, str, int, str]:
        words = _WORD.findall(f"{finding.rule} {finding.message} {finding.why} {finding.file}".casefold())
        near = -len(wanted.intersection(words))
        return (
            SEVERITIES.index(finding.severity),
            near,
            SURE.index(finding.confidence),
            finding.file,
            finding.start,
            finding.fingerprint,
        )

    return tuple(sorted(findings, key=key))


def number_issues(findings: Sequence[Finding], known: Mapping[str, str]) -> dict[str, str]:
    """By fingerprint the id of its issue: the one it has had before, else the next free one. Hints are none."""
    taken = (id.rpartition("-")[2] for id in known.values())
    following = max((int(number) for number in taken if number.isdecimal()), default=0) + 1
    ids: dict[str, str] = {}
    for finding in findings:
        if finding.counts and finding.fingerprint not in ids:
            ids[finding.fingerprint] = known.get(finding.fingerprint) or f"ISS-{following:03}"
            following += finding.fingerprint not in known
    return ids


def issues_of(findings: Sequence[Finding], ids: Mapping[str, str]) -> tuple[Issue, ...]:
    """In the order of `findings`, which is their priority. The same thing in several places is one issue."""
    places: dict[str, list[Finding]] = {}
    of_subject: dict[str, list[str]] = {}
    for finding in findings:
        id = ids.get(finding.fingerprint)
        if id is None or not finding.counts:
            continue
        if id not in places:
            of_subject.setdefault(finding.subject, []).append(id)
        places.setdefault(id, []).append(finding)
    return tuple(
        _issue(id, priority, found, of_subject[found[0].subject])
        for priority, (id, found) in enumerate(places.items(), 1)
    )


def _issue(id: str, priority: int, places: Sequence[Finding], same: Sequence[str]) -> Issue:
    """`places`: the most urgent first; `same`: ids of all issues with this subject."""
    finding = places[0]
    lines = [f"{place.file}:{place.line}: {place.excerpt}" for place in places]
    also = (line for place in places for line in place.also)
    return Issue(
        id=id,
        type=ISSUE_TYPES[finding.dimension],
        severity=finding.severity,
        priority=priority,
        location=Location(file=finding.file, line_start=finding.line, line_end=finding.line_end, phase=finding.phase),
        description=finding.message,
        evidence=tuple(dict.fromkeys((*lines, *also))),
        root_cause=f"{finding.rule}: {finding.subject}",
        impact=finding.why,
        suggested_fix=finding.advice,
        related_issues=tuple(other for other in same if other != id),
    )


def result_of(diagnosed: DiagnosisOutcome) -> DiagnosisResult:
    """The result of one dimension, with a hint shown as evidence and not counted."""
    counting = [finding for finding in diagnosed.findings if finding.counts]
    worst = min((finding.severity for finding in counting), key=SEVERITIES.index, default=None)
    matched = sorted({finding.rule for finding in diagnosed.findings})
    details = DiagnosisDetails(
        patterns_checked=diagnosed.checked,
        patterns_matched=tuple(matched),
        evidence=tuple(_evidence(finding) for finding in diagnosed.findings[:EVIDENCE_SHOWN]),
        recommendations=tuple(dict.fromkeys(finding.advice for finding in counting)),
    )
    return DiagnosisResult(
        status="failed" if diagnosed.problem else "completed",
        issues_found=len({finding.fingerprint for finding in counting}),
        severity=worst or "none",
        execution_time_ms=round(diagnosed.took, 3),
        details=details,
    )


def _evidence(finding: Finding) -> Evidence:
    severity = finding.severity if finding.counts else "hint"
    return Evidence(
        file=finding.file, line=finding.line, pattern=finding.rule, context=finding.excerpt, severity=severity
    )


CHOOSE = "Which of the proposed fixes should be applied?"
TOO_MANY_ERRORS = "{errors} happened, the maximum for a session; the last one: {last}"


def begin_step(state: TuningState, step: TuningStep, at: str) -> TuningState:
    """The step is under way; the first one of all begins the session."""
    engine = state.engine.evolve(
        under_way=(*state.engine.under_way, TuningStepUnderWay(step=step.name, at=at, fix=step.fix))
    )
    return state.evolve(
        status="running", started_at=state.started_at or at, updated_at=at, current_action=step.name, engine=engine
    )


def end_step(state: TuningState, done: TuningStepDone) -> TuningState:
    """What came of it, in the state; it is no longer under way."""
    state = _landed(_closed(state, done), done)
    state = charge_budget(add_incidents(state, done.incidents), done.elapsed, done.usage)
    return state.evolve(updated_at=done.at)


def _closed(state: TuningState, done: TuningStepDone) -> TuningState:
    rest = tuple(one for one in state.engine.under_way if (one.step, one.fix) != (done.step.name, done.step.fix))
    result = _result(done.outcome)
    entry = ActionHistoryEntry(
        action=done.step.name, started_at=done.begun, completed_at=done.at, result=result, output_files=done.files
    )
    completed = state.completed_actions
    if result == "success" and done.step.name not in completed:
        completed = (*completed, done.step.name)
    return state.evolve(
        engine=state.engine.evolve(under_way=rest),
        current_action=rest[-1].step if rest else None,
        action_history=(*state.action_history, entry)[-HISTORY_KEPT:],
        completed_actions=completed,
    )


def _result(outcome: TuningOutcome) -> ActionResult:
    match outcome:
        case FailureOutcome() | VerifyOutcome(passed=False) | EndOutcome(failed=True):
            return "failure"
        case DiagnosisOutcome(problem=problem):
            return "failure" if problem else "success"
        case RefusalOutcome() | InterruptionOutcome():
            return "skipped"
        case _:
            return "success"


def _landed(state: TuningState, done: TuningStepDone) -> TuningState:
    match done.outcome:
        case ScopeOutcome():
            return _scoped(state, done.outcome)
        case DiagnosisOutcome():
            return _diagnosed(state, done.outcome, done.at)
        case ReportOutcome():
            return _reported(state, done.outcome)
        case ProposalOutcome():
            return _proposed(state, done.outcome, done.at)
        case ApplyOutcome():
            return _applied(state, done.outcome, done.at)
        case RefusalOutcome(fix_id=id, again=True):
            return state.evolve(pending_fixes=_without(state.pending_fixes, id))
        case RefusalOutcome(fix_id=id, reason=reason):
            return _dropped(state, id, reason)
        case VerifyOutcome():
            return _verified(state, done.outcome)
        case IterationOutcome():
            engine = state.engine.evolve(diagnosed=(), reported=False, proposed=False, edits={})
            return state.evolve(iteration_count=state.iteration_count + 1, engine=engine)
        case EndOutcome():
            return _ended(state, done.outcome)
        case FailureOutcome():
            return _failed(state, done.step, done.outcome, done.at)
        case InterruptionOutcome():
            return state
        case _:
            assert_never(done.outcome)


def _scoped(state: TuningState, found: ScopeOutcome) -> TuningState:
    target = TargetSkill(
        name=found.name, path=state.engine.path, execution_mode=found.mode, phases=found.phases, specs=found.specs
    )
    others: dict[str, DiagnosisResult] = {
        one: DiagnosisResult(status="skipped") for one in DIMENSIONS if one not in state.engine.dimensions
    }
    engine = state.engine.evolve(size=found.size, digests=dict(found.digests))
    return state.evolve(target_skill=target, diagnosis=state.diagnosis.evolve(**others), engine=engine)


def _diagnosed(state: TuningState, seen: DiagnosisOutcome, at: str) -> TuningState:
    kept = tuple(f for f in state.engine.findings if f.dimension != seen.dimension)
    accepted = tuple(one for one in state.engine.silenced if one.finding.dimension != seen.dimension)
    engine = state.engine.evolve(
        diagnosed=(*state.engine.diagnosed, seen.dimension),
        digests=dict(seen.digests),
        silenced=(*accepted, *seen.silenced),
        reviewed=(*state.engine.reviewed, *((seen.dimension,) if seen.reviewed else ())),
    )
    diagnosis = state.diagnosis.evolve(**{seen.dimension: result_of(seen)})
    state = set_findings(state.evolve(engine=engine, diagnosis=diagnosis), (*kept, *seen.findings))
    if seen.problem is None:
        return state
    return _error(state, f"action-diagnose-{seen.dimension}", seen.problem, at, recoverable=False)


def set_findings(state: TuningState, findings: tuple[Finding, ...]) -> TuningState:
    """With these findings, and all that follows from them."""
    in_order = rank_findings(findings, state.user_issue_description)
    ids = number_issues(in_order, state.engine.issue_of)
    known = {**state.engine.issue_of, **ids}
    issues = issues_of(in_order, ids)
    engine = state.engine.evolve(findings=in_order, issue_of=known)
    return _scored(state.evolve(issues=issues, issues_by_severity=count_issues(in_order), engine=engine))


def _scored(state: TuningState) -> TuningState:
    points = compute_score(state.engine.findings, state.engine.size)
    passed = decide_gate(
        points, state.engine.findings, all_ran=all(_ran(state, one) for one in state.engine.dimensions)
    )
    return state.evolve(quality_score=points, quality_gate=passed)


def _ran(state: TuningState, dimension: Dimension) -> bool:
    result = state.diagnosis.of(dimension)
    return result is not None and result.status == "completed"


def _reported(state: TuningState, report: ReportOutcome) -> TuningState:
    standing = Standing(
        iteration=state.iteration_count,
        score=state.quality_score,
        gate=state.quality_gate,
        tree=report.tree,
        in_vain=state.engine.in_vain,
    )
    engine = state.engine.evolve(
        reported=True, fixable=dict(report.fixable), standings=(*state.engine.standings, standing)
    )
    return state.evolve(engine=engine)


def _proposed(state: TuningState, outcome: ProposalOutcome, at: str) -> TuningState:
    engine, ids = state.engine, tuple(offer.fix.id for offer in outcome.offers)
    waiting = Waiting(question=CHOOSE, options=ids, since=at) if engine.choosing and ids else None
    engine = engine.evolve(
        proposed=True,
        rejected={**engine.rejected, **outcome.without},
        waiting=waiting,
        proposals={**engine.proposals, **{offer.fix.id: offer.proposal for offer in outcome.offers}},
    )
    engine = _in_vain(engine, outcome.tried)
    fixes = (*state.proposed_fixes, *(offer.fix for offer in outcome.offers))
    return state.evolve(proposed_fixes=fixes, pending_fixes=() if waiting else ids, engine=engine)


def _applied(state: TuningState, outcome: ApplyOutcome, at: str) -> TuningState:
    fix, engine = outcome.fix, state.engine
    entry = AppliedFix(
        fix_id=fix.id, applied_at=at, success=True, backup_path=outcome.backup_path, rollback_available=True
    )
    engine = engine.evolve(
        edits={**engine.edits, fix.id: outcome.edits}, digests=_with(engine.digests, outcome.digests)
    )
    return state.evolve(
        applied_fixes=(*state.applied_fixes, entry),
        pending_fixes=_without(state.pending_fixes, fix.id),
        proposed_fixes=tuple(fix if one.id == fix.id else one for one in state.proposed_fixes),
        engine=engine,
    )


def _dropped(state: TuningState, id: str, reason: str) -> TuningState:
    """A fix that is not applied, and is not proposed again as it was."""
    proposal = state.engine.proposals.get(id)
    rejected = dict.fromkeys(proposal.fingerprints if proposal else (), reason)
    engine = state.engine.evolve(dropped={**state.engine.dropped, id: reason})
    if proposal is not None and proposal.level == "agent":
        engine = _in_vain(engine, rejected)
    else:
        engine = engine.evolve(rejected={**engine.rejected, **rejected})
    return state.evolve(pending_fixes=_without(state.pending_fixes, id), engine=engine)


def _in_vain(engine: TuningEngine, reasons: Mapping[str, str]) -> TuningEngine:
    """An agent has failed at these; it may try so often."""
    tried = {**engine.tried, **{print: (*engine.tried.get(print, ()), why) for print, why in reasons.items()}}
    given_up = {print: why for print, why in reasons.items() if len(tried[print]) >= TRIES}
    return engine.evolve(tried=tried, rejected={**engine.rejected, **given_up})


def _verified(state: TuningState, outcome: VerifyOutcome) -> TuningState:
    if not outcome.passed:
        state = mark_undone(_dropped(state, outcome.fix_id, "; ".join(outcome.reasons)), outcome.fix_id)
        return state.evolve(engine=state.engine.evolve(digests=_with(state.engine.digests, outcome.digests)))
    state = _with_entry(state, outcome.fix_id, verification_result="pass")
    state = state.evolve(engine=state.engine.evolve(fixable=dict(outcome.fixable), silenced=outcome.silenced))
    return set_findings(state, outcome.findings)


def mark_undone(state: TuningState, id: str) -> TuningState:
    """Rolled back: it did not hold."""
    edits = {fix: made for fix, made in state.engine.edits.items() if fix != id}
    state = _with_entry(state, id, success=False, verification_result="fail", rollback_available=False)
    return state.evolve(engine=state.engine.evolve(edits=edits))


def _with_entry(state: TuningState, id: str, **changes: object) -> TuningState:
    """With the latest entry of that fix changed."""
    at = max(n for n, one in enumerate(state.applied_fixes) if one.fix_id == id)
    changed = state.applied_fixes[at].evolve(**changes)
    return state.evolve(applied_fixes=(*state.applied_fixes[:at], changed, *state.applied_fixes[at + 1 :]))


def _ended(state: TuningState, outcome: EndOutcome) -> TuningState:
    for id in outcome.undone:
        state = mark_undone(state, id)
    reached = state.engine.budget.reached
    if not outcome.failed and reached is not None and has_work(state):
        left = plural(state.issues_by_severity.total, "issue")
        return finish_session(state, "over_budget", f"the {reached.words} is used up; {left} left")
    if not outcome.failed:
        return finish_session(state, "succeeded", None)
    return finish_session(state, "failed", _why(state))


def _why(state: TuningState) -> str:
    """The errors that it failed by: too many of them, or the one that no other try helps against."""
    if not state.errors:
        return f"{plural(state.error_count, 'error')} happened"
    last = state.errors[-1]
    if not last.recoverable and len(state.errors) < state.error_count:
        return f"{last.action} failed: {last.message}"
    return TOO_MANY_ERRORS.format(errors=plural(state.error_count, "error"), last=last.message)


def finish_session(state: TuningState, outcome: Outcome, reason: str | None) -> TuningState:
    """At its end; fixes that nobody has begun stay proposed. `reason`: why it failed."""
    engine = state.engine.evolve(outcome=outcome, reason=reason, waiting=None, under_way=())
    status = "failed" if reason else "completed"
    return state.evolve(status=status, pending_fixes=(), current_action=None, engine=engine)


def _failed(state: TuningState, step: TuningStep, failure: FailureOutcome, at: str) -> TuningState:
    why = _why(state)
    state = _error(state, step.name, failure.message, at, recoverable=failure.recoverable)
    if step.name == "action-fail":
        return _given_up(state, f"{why}; and not everything was restored: {failure.message}")
    if failure.recoverable:
        return state
    if step.fix is not None and step.name == "action-apply-fix":
        return _dropped(state, step.fix, failure.message)
    return state.evolve(error_count=max(state.error_count, state.max_errors))


def _given_up(state: TuningState, why: str) -> TuningState:
    """It ends all the same: what could not be taken out of the skill's files is left to be put back."""
    left = tuple(fix.fix_id for fix in state.applied_fixes if fix.verification_result == "pending")
    state = state.evolve(engine=state.engine.evolve(undo=left))
    for id in left:
        state = mark_undone(state, id)
    return finish_session(state, "failed", why)


def _error(state: TuningState, action: str, message: str, at: str, *, recoverable: bool) -> TuningState:
    entry = TuningErrorEntry(action=action, message=message, timestamp=at, recoverable=recoverable)
    return state.evolve(errors=(*state.errors, entry)[-ERRORS_KEPT:], error_count=state.error_count + 1)


def _with(digests: Mapping[str, str], new: Mapping[str, str | None]) -> dict[str, str]:
    return {file: digest for file, digest in {**digests, **new}.items() if digest is not None}


def _without(ids: tuple[str, ...], id: str) -> tuple[str, ...]:
    return tuple(one for one in ids if one != id)
