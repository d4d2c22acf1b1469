"""What the tools answer about a loop: typed for programs. Pure."""

from collections.abc import Collection, Iterator
from typing import Literal

from loopwright.core.pause import pause_words
from loopwright.core.record import Items, Record
from loopwright.core.run import Run
from loopwright.core.state import Budget, Outcome, PermissionRequest, RunState
from loopwright.core.text import agree_word, clean_line, clip_text, drop_surrogates, plural
from loopwright.policy.permissions import request_words
from loopwright.skills.findings import Confidence, Dimension, Finding, FixLevel, Gate, IssuesBySeverity, Risk, Severity
from loopwright.skills.score import count_issues, score_words
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import CycleGlance, CycleNeed, cycle_glance, cycle_need
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import Glance, Need, loop_glance, loop_need, task_statuses
from loopwright.workflows.tuning.model import AppliedFix, Fix, TuningState
from loopwright.workflows.tuning.report.skill_check import SkillCheck
from loopwright.workflows.tuning.summary import TuningGlance, TuningNeed, tuning_glance, tuning_need

NEXT_FOR_LOOP: dict[Outcome, str] = {
    "succeeded": "`diff` shows the changes",
    "unproven": "`diff` shows the changes; `add_task` for a test that fails without it and proves the goal, then"
    " `extend`; if no test can prove it, a person decides (loopwright reopen {id} --proof preserve, or none)",
    "unverified": "`diff` shows the changes; nothing has proved them: review them, or add tests and `extend`",
    "exhausted": "`extend` with a higher max_iterations, after `add_task` to try something else",
    "over_budget": "`extend` with a higher limit continues it",
    "stalled": "it is going in circles: `add_task` with another idea, then `extend`",
    "stopped": "`extend` reopens it",
    "failed": "see failure_reason; once that is fixed, `extend` reopens it",
}
"""By how a loop has ended."""

WAITING_LOOP: dict[Need, str] = {
    "answer": "`answer` the question",
    "permission": "a person has to answer its permission requests (loopwright approve {id}, or the dashboard); `wait`",
    "choice": "a person has to choose its next step, in the terminal's menu or the dashboard",
    "resume": "`resume` continues it",
}


def loop_needs(state: LoopState, *, live: bool) -> Need | None:
    """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
    if live:
        return loop_need(state)
    if state.status == "running" or state.engine.parked:
        return "resume"
    return loop_need(state)


def loop_headline(state: LoopState, *, live: bool) -> str:
    """In a sentence."""
    asks = "Waits with a question"
    return describe_standing(state, live=live, asks=asks, doing=_action(state), pausing="the action in progress")


def describe_standing(state: Run, *, live: bool, asks: str, doing: str, pausing: str) -> str:
    """Where any run stands, in a sentence: `doing` while it runs, `pausing` while it comes to rest."""
    engine = state.engine
    if engine.outcome:
        why = f": {clean_line(state.failure_reason)}" if state.failure_reason else ""
        return f"{'Done' if state.status == 'completed' else 'Not done'}, {engine.outcome}{why}"
    if engine.waiting:
        return f"{asks}: {clean_line(engine.waiting.question)}"
    if engine.parked:
        return f"Waits until {engine.parked.until}: {clean_line(engine.parked.reason)}"
    match state.status:
        case "created":
            return "Created, not started yet"
        case "running" if live:
            return f"Running: {doing}{describe_requests(engine)}"
        case "running":
            return "Interrupted: no process is working on it"
        case _:
            paused = pause_words(state)
            return f"{paused}; {pausing} is finished first" if live else paused


def loop_hint(state: LoopState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT_FOR_LOOP[state.engine.outcome].format(id=state.loop_id)
    if state.status == "created":
        return "`resume` starts it"
    if needed := loop_needs(state, live=live):
        settled = state.engine.waiting is not None and state.engine.waiting.by_resuming
        first = "a person has to resolve that first; then " if settled and needed == "resume" else ""
        return f"{first}{WAITING_LOOP[needed].format(id=state.loop_id)}"
    return "`wait` until it ends or pauses"


def _action(state: LoopState) -> str:
    action = state.skill_state.current_action if state.skill_state else None
    doing = action.upper() if action else "between two steps"
    return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}"


def describe_requests(engine: RunState) -> str:
    """How many permissions are asked for, where there are any."""
    asked = [request for request in engine.asked if request.answer is None]
    return f"; it waits for {plural(len(asked), 'permission')}" if asked else ""


SHOWN = 10
"""Items of a list; the others are only counted."""
LINE = 400
"""Characters of what somebody wrote that are worth reading here."""


class LoopBrief(Glance):
    """`live`: a process is working on it. `needs`: what it is waiting for."""

    live: bool


class FailingTest(Record):
    name: str
    error: str | None


class OpenTask(Record):
    task_id: str
    status: Literal["pending", "in_progress", "failed"]
    description: str


class OpenRequest(Record):
    """Something the loop's agent may do only once a person allows it."""

    id: str
    words: str
    reason: str


class SuspectedCause(Record):
    """A suspected cause of the failures, and where."""

    place: str
    status: str
    description: str


class SpentOutput(Record):
    minutes: float
    tokens: int | None
    cost: float | None


class LoopReport(LoopBrief):
    """`words` give its status, `next` what to do about it."""

    words: str
    next: str
    question: str | None
    options: Items[str]
    requests: Items[OpenRequest]
    failing: Items[FailingTest]
    open_tasks: Items[OpenTask]
    causes: Items[SuspectedCause]
    spent: SpentOutput
    incidents: Items[str]


class LoopWaitResult(LoopReport):
    """`rested`: it has ended, paused or needs a person; otherwise the wait timed out."""

    rested: bool


class AddedTaskOutput(Record):
    loop_id: str
    project: str
    task_id: str
    description: str
    tool: str
    next: str


def loop_brief(state: LoopState, project: str, *, live: bool) -> LoopBrief:
    return LoopBrief.model_validate(_brief(state, project, live))


def loop_report(state: LoopState, project: str, *, live: bool) -> LoopReport:
    return LoopReport.model_validate(_report(state, project, live))


def loop_wait_result(state: LoopState, project: str, *, live: bool, rested: bool) -> LoopWaitResult:
    return LoopWaitResult.model_validate({**_report(state, project, live), "rested": rested})


def _brief(state: LoopState, project: str, live: bool) -> dict[str, object]:
    return {**dict(loop_glance(state, project)), "live": live, "needs": loop_needs(state, live=live)}


def _report(state: LoopState, project: str, live: bool) -> dict[str, object]:
    engine, skill = state.engine, state.skill_state
    waiting = engine.waiting
    ranked = sorted(skill.debug.hypotheses, key=lambda h: (h.status != "confirmed", h.likelihood)) if skill else []
    return {
        **_brief(state, project, live),
        "words": loop_headline(state, live=live),
        "next": loop_hint(state, live=live),
        "question": waiting.question if waiting else None,
        "options": waiting.options if waiting else (),
        "requests": list_requests(engine),
        "failing": _failing(state),
        "open_tasks": _open_tasks(state),
        "causes": tuple(
            SuspectedCause(place=h.logging_point, status=h.status, description=cut_text(h.description))
            for h in ranked[:SHOWN]
            if h.status != "rejected"
        ),
        "spent": make_spent_output(engine.budget),
        "incidents": tuple(cut_text(incident.message) for incident in engine.incidents[-SHOWN:]),
    }


def _failing(state: LoopState) -> tuple[FailingTest, ...]:
    results = state.skill_state.validate_.test_results if state.skill_state else ()
    failed = [result for result in results if result.status == "failed"]
    return tuple(
        FailingTest(name=result.key, error=cut_text(result.error_message) if result.error_message else None)
        for result in failed[:SHOWN]
    )


def _open_tasks(state: LoopState) -> tuple[OpenTask, ...]:
    statuses = task_statuses(state)
    left = [(task, status) for task in state.engine.tasks if (status := statuses[task.task_id]) != "completed"]
    return tuple(
        OpenTask(task_id=task.task_id, status=status, description=cut_text(task.description))
        for task, status in left[:SHOWN]
    )


def list_requests(engine: RunState) -> tuple[OpenRequest, ...]:
    """Those that nobody has answered."""
    return tuple(_request(asked) for asked in engine.asked if asked.answer is None)


def _request(asked: PermissionRequest) -> OpenRequest:
    return OpenRequest(id=asked.id, words=cut_text(request_words(asked)), reason=cut_text(asked.reason))


def make_spent_output(budget: Budget) -> SpentOutput:
    return SpentOutput(minutes=round(budget.spent_seconds / 60, 2), tokens=budget.tokens, cost=budget.cost)


def cut_text(text: str) -> str:
    """As much of what somebody wrote as is worth reading here."""
    return clip_text(drop_surrogates(text.strip()), LINE)


NEXT_FOR_CYCLE: dict[Outcome, str] = {
    "succeeded": "`documents` and `diff` show the result; `extend` with `task` adds to it",
    "unproven": "`diff` shows the changes; `extend` it with a test that proves the goal, or a person decides"
    " (loopwright cycle reopen {id} --proof preserve, or none)",
    "unverified": "`diff` shows the changes; nothing has proved them: review them, or add tests and `extend`",
    "exhausted": "`extend` with a higher max_iterations, or with `task` for what to try",
    "over_budget": "`extend` with a higher limit continues it",
    "stalled": "it is going in circles: `extend` with `task` for another idea",
    "stopped": "`extend` reopens it",
    "failed": "see failure_reason; once that is fixed, `extend` reopens it",
}
"""By how a cycle has ended."""

WAITING_CYCLE: dict[CycleNeed, str] = {
    "decision": "`decide` the pending decisions",
    "blocker": "`resolve` the open blockers, then `resume`",
    "permission": "a person has to answer its permission requests (loopwright cycle approve {id}, or the dashboard);"
    " `wait`",
    "resume": "`resume` continues it",
}


def cycle_needs(state: CycleState, *, live: bool) -> CycleNeed | None:
    """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
    if not live and (state.status == "running" or state.engine.parked):
        return "resume"
    return cycle_need(state)


def cycle_headline(state: CycleState, *, live: bool) -> str:
    """In a sentence."""
    return describe_standing(
        state, live=live, asks="Waits for a person", doing=_steps(state), pausing="the steps in progress"
    )


def cycle_hint(state: CycleState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT_FOR_CYCLE[state.engine.outcome]
    if state.status == "created":
        return "`resume` starts it"
    if needed := cycle_needs(state, live=live):
        return WAITING_CYCLE[needed].format(id=state.cycle_id)
    return "`wait` until it ends or pauses"


def _steps(state: CycleState) -> str:
    keys = [one.step for one in state.engine.under_way]
    doing = ", ".join(keys) or "between two steps"
    return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}{_open(state)}"


def _open(state: CycleState) -> str:
    count = len(state.coordination.open_blockers)
    return f"; {plural(count, 'blocker')} {agree_word(count, 'is')} open" if count else ""


class CycleBrief(CycleGlance):
    """`live`: a process is working on it. `needs`: what it is waiting for."""

    live: bool


class OpenDecision(Record):
    """`options`: the possible decisions; any text if there are none."""

    id: str
    description: str
    options: Items[str]


class OpenBlocker(Record):
    id: str
    description: str
    reported_by: str


class OpenPlanTask(Record):
    id: str
    status: str
    description: str


class CycleReport(CycleBrief):
    """`words` give its status, `next` what to do about it. `issues`: the issues of its last iteration."""

    words: str
    next: str
    pending: Items[OpenDecision]
    open_blockers: Items[OpenBlocker]
    requests: Items[OpenRequest]
    failing: Items[str]
    issues: Items[str]
    open_tasks: Items[OpenPlanTask]
    spent: SpentOutput
    incidents: Items[str]


class CycleWaitResult(CycleReport):
    """`rested`: it has ended, paused or needs a person; otherwise the wait timed out."""

    rested: bool


class DocumentOutput(Record):
    """`versions`, oldest first, end with the current one; a log has none."""

    name: str
    version: str | None
    versions: Items[str]


class DocumentsOutput(Record):
    """The list; or the named document's text. `truncated`: there is more of it."""

    cycle_id: str
    project: str
    documents: Items[DocumentOutput]
    name: str | None
    version: str | None
    text: str | None
    truncated: bool


def cycle_brief(state: CycleState, project: str, *, live: bool) -> CycleBrief:
    return CycleBrief.model_validate(_cycle_brief(state, project, live))


def cycle_report(state: CycleState, project: str, *, live: bool) -> CycleReport:
    return CycleReport.model_validate(_cycle_report(state, project, live))


def cycle_wait_result(state: CycleState, project: str, *, live: bool, rested: bool) -> CycleWaitResult:
    return CycleWaitResult.model_validate({**_cycle_report(state, project, live), "rested": rested})


def _cycle_brief(state: CycleState, project: str, live: bool) -> dict[str, object]:
    return {**dict(cycle_glance(state, project)), "live": live, "needs": cycle_needs(state, live=live)}


def _cycle_report(state: CycleState, project: str, live: bool) -> dict[str, object]:
    engine, coordination = state.engine, state.coordination
    failing = state.test_results.failed_tests if state.test_results else ()
    last = next((one for one in reversed(state.iterations) if one.completed_at), None)
    return {
        **_cycle_brief(state, project, live),
        "words": cycle_headline(state, live=live),
        "next": cycle_hint(state, live=live),
        "pending": tuple(
            OpenDecision(id=one.id, description=cut_text(one.description), options=tuple(map(cut_text, one.options)))
            for one in coordination.undecided[:SHOWN]
        ),
        "open_blockers": tuple(
            OpenBlocker(id=one.id, description=cut_text(one.description), reported_by=one.reported_by)
            for one in coordination.open_blockers[:SHOWN]
        ),
        "requests": list_requests(engine),
        "failing": tuple(map(cut_text, failing[:SHOWN])),
        "issues": tuple(map(cut_text, last.issues_found[:SHOWN])) if last else (),
        "open_tasks": _open_cycle_tasks(state),
        "spent": make_spent_output(engine.budget),
        "incidents": tuple(cut_text(incident.message) for incident in engine.incidents[-SHOWN:]),
    }


def _open_cycle_tasks(state: CycleState) -> tuple[OpenPlanTask, ...]:
    left = [task for task in state.plan.tasks if task.status != "completed"] if state.plan else []
    return tuple(
        OpenPlanTask(id=task.id, status=task.status, description=cut_text(task.description)) for task in left[:SHOWN]
    )


TuningSessionNeed = TuningNeed | Literal["resume"]
"""`resume`: it was left behind by its process."""

NEXT_FOR_TUNING: dict[Outcome, str] = {
    "over_budget": "raise the limit in the project's settings, then `start_tuning` again",
    "stopped": "nothing unverified is left in the skill's files; `start_tuning` starts over",
    "failed": "see failure_reason; once that is fixed, `start_tuning` starts over",
}
"""By how a session has ended, where it did not come to its end."""
LOOKED = "`findings` shows all of them; `start_tuning` with `fix` or `agent` fixes what it can"
DONE = "`fixes` and `diff` show the changes, `findings` what is left; `roll_back` undoes a fix"

WAITING_TUNING: dict[TuningSessionNeed, str] = {
    "choice": "`fixes` shows each with its diff; then `choose`",
    "permission": "a person has to answer its permission requests (loopwright tunings approve {id}, or the dashboard);"
    " `wait`",
    "resume": "`resume` continues it",
}


def tuning_needs(state: TuningState, *, live: bool) -> TuningSessionNeed | None:
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
    return describe_standing(
        state,
        live=live,
        asks="Waits for a choice",
        doing=f"{_next_steps(state)}{describe_requests(state.engine)}",
        pausing="its step",
    )


def tuning_hint(state: TuningState, *, live: bool) -> str:
    """The next step."""
    if state.engine.outcome:
        return NEXT_FOR_TUNING.get(state.engine.outcome) or (DONE if state.applied_fixes else LOOKED)
    if state.status == "pending":
        return "`resume` starts it"
    if needed := tuning_needs(state, live=live):
        return WAITING_TUNING[needed].format(id=state.tuning_id)
    return "`wait` until it ends or pauses"


def _next_steps(state: TuningState) -> str:
    doing = ", ".join(dict.fromkeys(one.step.removeprefix("action-") for one in state.engine.under_way))
    return f"{doing or 'between two steps'}, iteration {state.iteration_count} of {state.max_iterations}"


FixStatus = Literal["offered", "pending", "applied", "held", "rolled_back", "dropped", "not_chosen"]


class FindingOutput(Record):
    """`known`: exactly, or by which agents; `sides`: everything they quote. `counts`: a hint does not.

    `fixable`: what can fix it without instructions; None: an agent or a person.
    """

    rule: str
    dimension: Dimension
    severity: Severity
    confidence: Confidence
    known: str
    counts: bool
    file: str
    line: int
    line_end: int
    message: str
    why: str
    advice: str
    excerpt: str
    also: Items[str]
    sides: Items[str]
    fixable: FixLevel | None
    fingerprint: str


class FindingsOutput(Record):
    """A page of the findings, most severe first; `total` counts all. `tuning_id`: None if there is no session.

    `problems`: dimensions that could not be checked, with the reason; `not_reviewed`: those whose meaning nobody
    was asked about.
    """

    tuning_id: str | None
    project: str
    path: str
    name: str
    score: float
    gate: Gate
    tokens: int
    issues: IssuesBySeverity
    hints: int
    accepted: int
    problems: Items[str]
    not_reviewed: Items[Dimension]
    findings: Items[FindingOutput]
    offset: int
    total: int
    next: str


class FixOutput(Record):
    """`status`: offered (somebody has to choose), pending, applied (not verified yet), held, rolled_back, dropped
    (`why` says the reason of both), not_chosen. `mends`: ids of issues.
    """

    fix_id: str
    status: FixStatus
    description: str
    level: FixLevel | None
    risk: Risk
    files: Items[str]
    mends: Items[str]
    why: str | None


class FixesOutput(Record):
    """The list; or only the named fix, with its unified diff. `truncated`: there is more of it."""

    tuning_id: str
    project: str
    fixes: Items[FixOutput]
    diff: str | None
    truncated: bool


class TuningBrief(TuningGlance):
    """`live`: a process is working on it. `needs`: what it is waiting for."""

    live: bool
    needs: TuningSessionNeed | None  # type: ignore[assignment]  # wider: also what its process has left behind


class TuningReport(TuningBrief):
    """`words` give its status, `next` what to do about it. `gravest`: the most severe counted findings."""

    words: str
    next: str
    question: str | None
    options: Items[str]
    requests: Items[OpenRequest]
    gravest: Items[FindingOutput]
    proposed: Items[FixOutput]
    spent: SpentOutput
    incidents: Items[str]


class TuningWaitResult(TuningReport):
    """`rested`: it has ended, paused or needs a person; otherwise the wait timed out."""

    rested: bool


def tuning_brief(state: TuningState, project: str, *, live: bool) -> TuningBrief:
    return TuningBrief.model_validate(_tuning_brief(state, project, live))


def tuning_report(state: TuningState, project: str, *, live: bool) -> TuningReport:
    return TuningReport.model_validate(_tuning_report(state, project, live))


def tuning_wait_result(state: TuningState, project: str, *, live: bool, rested: bool) -> TuningWaitResult:
    return TuningWaitResult.model_validate({**_tuning_report(state, project, live), "rested": rested})


def make_findings_output(
    found: SkillCheck,
    project: str,
    *,
    dimensions: Collection[Dimension],
    limit: int,
    offset: int,
    following: str,
    tuning_id: str | None = None,
) -> FindingsOutput:
    """A part of them; `following`: what to do next, where this is the last part."""
    ordered = sorted(found.findings, key=_gravity)
    wanted = [finding for finding in ordered if finding.dimension in dimensions]
    shown = wanted[offset:][:limit]
    more = offset + len(shown) < len(wanted)
    return FindingsOutput(
        tuning_id=tuning_id,
        project=project,
        path=found.path,
        name=found.name,
        score=found.score,
        gate=found.gate,
        tokens=found.tokens,
        issues=count_issues(found.findings),
        hints=len(found.hints),
        accepted=len(found.silenced),
        problems=tuple(f"{dimension}: {why}" for dimension, why in found.problems.items()),
        not_reviewed=found.unreviewed,
        findings=tuple(_finding(one, found.fixable.get(one.fingerprint)) for one in shown),
        offset=offset,
        total=len(wanted),
        next=f"there are {len(wanted) - offset - len(shown)} more: offset={offset + len(shown)}" if more else following,
    )


def make_fixes_output(state: TuningState, project: str, fix: Fix | None, most: int) -> FixesOutput:
    """All of them, or this one with its diff."""
    diff = drop_surrogates("".join(change.diff or "" for change in fix.changes)) if fix else None
    return FixesOutput(
        tuning_id=state.tuning_id,
        project=project,
        diff=diff[:most] if diff is not None else None,
        fixes=tuple(_fix(state, one) for one in ((fix,) if fix else state.proposed_fixes)),
        truncated=diff is not None and len(diff) > most,
    )


def advise_after_diagnosis(found: SkillCheck) -> str:
    """What to do about a skill that was only looked at."""
    levels = [found.fixable.get(finding.fingerprint) for finding in found.counted]
    plain, known = levels.count("mechanical"), len([level for level in levels if level in ("mechanical", "template")])
    if not levels:
        return "nothing that counts was found"
    if not known:
        return "fix it as `advice` says and `diagnose` again; or `start_tuning` with fix=all and `agent`"
    fix = "mechanical" if plain == known else "all"
    return f"`start_tuning` with fix={fix} fixes {plural(known, 'finding')}; the rest as `advice` says, or an `agent`"


def _gravity(finding: Finding) -> tuple[bool, int, str, int]:
    return (
        not finding.counts,
        ("critical", "high", "medium", "low").index(finding.severity),
        finding.file,
        finding.start,
    )


def _tuning_brief(state: TuningState, project: str, live: bool) -> dict[str, object]:
    return {**dict(tuning_glance(state, project)), "live": live, "needs": tuning_needs(state, live=live)}


def _tuning_report(state: TuningState, project: str, live: bool) -> dict[str, object]:
    engine, waiting = state.engine, state.engine.waiting
    gravest = [finding for finding in engine.findings if finding.counts][:SHOWN]
    return {
        **_tuning_brief(state, project, live),
        "words": tuning_headline(state, live=live),
        "next": tuning_hint(state, live=live),
        "question": waiting.question if waiting else None,
        "options": waiting.options if waiting else (),
        "requests": list_requests(engine),
        "gravest": tuple(_finding(one, engine.fixable.get(one.fingerprint)) for one in gravest),
        "proposed": tuple(_fix(state, fix) for fix in state.proposed_fixes[-SHOWN:]),
        "spent": make_spent_output(engine.budget),
        "incidents": tuple(cut_text(incident.message) for incident in engine.incidents[-SHOWN:]),
    }


def _finding(finding: Finding, level: FixLevel | None) -> FindingOutput:
    return FindingOutput(
        rule=finding.rule,
        dimension=finding.dimension,
        severity=finding.severity,
        confidence=finding.confidence,
        known=cut_text(finding.known),
        counts=finding.counts,
        file=drop_surrogates(finding.file),
        line=finding.line,
        line_end=finding.line_end,
        message=cut_text(finding.message),
        why=cut_text(finding.why),
        advice=cut_text(finding.advice),
        excerpt=cut_text(finding.excerpt),
        also=tuple(map(drop_surrogates, finding.also[:SHOWN])),
        sides=tuple(cut_text(side) for side in _sides(finding)),
        fixable=level,
        fingerprint=finding.fingerprint,
    )


def _sides(finding: Finding) -> Iterator[str]:
    review = finding.review
    for one in (*review.quotes, *review.against) if review else ():
        yield f"{one.file}:{one.line}: {one.text}"


def _fix(state: TuningState, fix: Fix) -> FixOutput:
    proposal = state.engine.proposals.get(fix.id)
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    why = state.engine.dropped.get(fix.id)
    return FixOutput(
        fix_id=fix.id,
        status=_status(state, fix.id, entry),
        description=cut_text(fix.description),
        level=proposal.level if proposal else None,
        risk=fix.risk,
        files=tuple(drop_surrogates(change.file) for change in fix.changes),
        mends=fix.issue_ids,
        why=cut_text(why) if why else None,
    )


def _status(state: TuningState, id: str, entry: AppliedFix | None) -> FixStatus:
    if entry is not None:
        kept: dict[str, FixStatus] = {"pass": "held", "pending": "applied", "fail": "rolled_back"}
        return kept[entry.verification_result]
    if id in state.pending_fixes:
        return "pending"
    if id in state.engine.dropped:
        return "dropped"
    waiting = state.engine.waiting
    return "offered" if waiting and id in waiting.options else "not_chosen"


class DamagedRun(Record):
    """It cannot be read."""

    kind: Literal["loop", "cycle", "tuning"]
    id: str
    reason: str


class RunListing(Record):
    """A page of loops, cycles and tuning sessions; `total` counts all matches.

    `projects`: every available project.
    """

    loops: Items[LoopBrief]
    cycles: Items[CycleBrief]
    tunings: Items[TuningBrief]
    total: int
    damaged: Items[DamagedRun]
    projects: Items[str]


class DiffOutput(Record):
    """A unified diff; `truncated`: there is more."""

    id: str
    project: str
    checkpoint: int | None
    iteration: int | None
    diff: str
    truncated: bool
