"""What the tools answer, typed for programs. Pure."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from typing import ClassVar, Generic, Literal, TypeVar

from loopwright.core.pause import pause_words
from loopwright.core.record import Items, Record
from loopwright.core.run import R, Run
from loopwright.core.state import Outcome
from loopwright.core.text import agree_word, clean_line, clip_text, drop_surrogates, plural
from loopwright.policy.permissions import request_words
from loopwright.skills.findings import (
    SEVERITIES,
    Confidence,
    Dimension,
    Finding,
    FixLevel,
    Gate,
    IssuesBySeverity,
    Risk,
    Severity,
)
from loopwright.skills.score import count_issues, score_words
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import CycleGlance, cycle_glance, cycle_need
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import Glance, loop_glance, loop_need, task_statuses
from loopwright.workflows.tuning.model import AppliedFix, Fix, TuningState
from loopwright.workflows.tuning.report.skill_check import SkillCheck
from loopwright.workflows.tuning.summary import TuningGlance, TuningNeed, tuning_glance, tuning_need

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


class AttemptOutput(Record):
    loop_id: str
    agent: str
    chosen: bool


class LoopReport(LoopBrief):
    """`words` give its status, `next` what to do about it. `attempts`: all that it is one of, in order."""

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
    attempts: Items[AttemptOutput]


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


TuningSessionNeed = TuningNeed | Literal["resume"]
"""`resume`: it was left behind by its process."""

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


B = TypeVar("B", bound=Record)
P = TypeVar("P", bound=Record)
W = TypeVar("W", bound=Record)


class RunOutputs(ABC, Generic[R, B, P, W]):
    """What the tools answer about runs of one kind. `models`: in brief, in full, and from `wait`.

    `after`: the next step by how a run has ended, `waiting` by what it needs. `question` begins the sentence about one
    that waits for somebody, `pausing` is what comes to its end before a run rests.
    """

    key: ClassVar[str]
    models: tuple[type[B], type[P], type[W]]
    after: ClassVar[Mapping[Outcome, str]]
    waiting: ClassVar[Mapping[str, str]]
    question: ClassVar[str]
    pausing: ClassVar[str]

    @abstractmethod
    def glance(self, state: R, project: str) -> Record: ...

    @abstractmethod
    def need(self, state: R) -> str | None:
        """What only a person can give it, while a process is working on it."""

    @abstractmethod
    def doing(self, state: R) -> str:
        """What it is at."""

    @abstractmethod
    def details(self, state: R) -> Mapping[str, object]:
        """What a report has of its kind alone."""

    def needs(self, state: R, *, live: bool) -> str | None:
        """What has to happen before anything goes on: also what is left behind by its process needs somebody."""
        left = not live and (state.status == "running" or state.engine.parked)
        return "resume" if left else self.need(state)

    def headline(self, state: R, *, live: bool) -> str:
        """Where it stands, in a sentence."""
        engine = state.engine
        if engine.outcome:
            why = f": {clean_line(state.failure_reason)}" if state.failure_reason else ""
            return f"{'Done' if state.status == 'completed' else 'Not done'}, {engine.outcome}{why}"
        if engine.waiting:
            return f"{self.question}: {clean_line(engine.waiting.question)}"
        if engine.parked:
            return f"Waits until {engine.parked.until}: {clean_line(engine.parked.reason)}"
        match state.status:
            case "created" | "pending":
                return "Created, not started yet"
            case "running" if live:
                asked = [request for request in engine.asked if request.answer is None]
                waits = f"; it waits for {plural(len(asked), 'permission')}" if asked else ""
                return f"Running: {self.doing(state)}{waits}"
            case "running":
                return "Interrupted: no process is working on it"
            case _:
                paused = pause_words(state)
                return f"{paused}; {self.pausing} is finished first" if live else paused

    def hint(self, state: R, *, live: bool) -> str:
        """The next step."""
        return self._step(state, live).format(id=getattr(state, self.key))

    def _step(self, state: R, live: bool) -> str:
        if state.engine.outcome:
            return self.after[state.engine.outcome]
        if state.status in ("created", "pending"):
            return "`resume` starts it"
        if needed := self.needs(state, live=live):
            return self.waiting[needed]
        return "`wait` until it ends or pauses"

    def brief(self, state: R, project: str, *, live: bool) -> B:
        return self.models[0].model_validate(self._brief(state, project, live))

    def report(self, state: R, project: str, *, live: bool) -> P:
        return self.models[1].model_validate(self._report(state, project, live))

    def waited(self, state: R, project: str, *, live: bool, rested: bool) -> W:
        return self.models[2].model_validate({**self._report(state, project, live), "rested": rested})

    def _brief(self, state: R, project: str, live: bool) -> dict[str, object]:
        return {**dict(self.glance(state, project)), "live": live, "needs": self.needs(state, live=live)}

    def _report(self, state: R, project: str, live: bool) -> dict[str, object]:
        engine, budget = state.engine, state.engine.budget
        return {
            **self._brief(state, project, live),
            "words": self.headline(state, live=live),
            "next": self.hint(state, live=live),
            "requests": tuple(
                OpenRequest(id=asked.id, words=cut_text(request_words(asked)), reason=cut_text(asked.reason))
                for asked in engine.asked
                if asked.answer is None
            ),
            "spent": SpentOutput(minutes=round(budget.spent_seconds / 60, 2), tokens=budget.tokens, cost=budget.cost),
            "incidents": tuple(cut_text(incident.message) for incident in engine.incidents[-SHOWN:]),
            **self.details(state),
        }


def _question(state: Run) -> dict[str, object]:
    waiting = state.engine.waiting
    return {"question": waiting.question if waiting else None, "options": waiting.options if waiting else ()}


def cut_text(text: str) -> str:
    """As much of what somebody wrote as is worth reading here."""
    return clip_text(drop_surrogates(text.strip()), LINE)


class LoopOutputs(RunOutputs[LoopState, LoopBrief, LoopReport, LoopWaitResult]):
    key, models = "loop_id", (LoopBrief, LoopReport, LoopWaitResult)
    question, pausing = "Waits with a question", "the action in progress"
    after: ClassVar = {
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
    waiting: ClassVar = {
        "answer": "`answer` the question",
        "permission": "a person has to answer its permission requests (loopwright approve {id}, or the dashboard);"
        " `wait`",
        "choice": "a person has to choose its next step, in the terminal's menu or the dashboard",
        "resume": "`resume` continues it",
    }

    def glance(self, state: LoopState, project: str) -> Record:
        return loop_glance(state, project)

    def need(self, state: LoopState) -> str | None:
        return loop_need(state)

    def doing(self, state: LoopState) -> str:
        action = state.skill_state.current_action if state.skill_state else None
        doing = action.upper() if action else "between two steps"
        return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}"

    def _step(self, state: LoopState, live: bool) -> str:
        step, waiting = super()._step(state, live), state.engine.waiting
        settled = waiting is not None and waiting.by_resuming and step == self.waiting["resume"]
        return f"a person has to resolve that first; then {step}" if settled else step

    def details(self, state: LoopState) -> Mapping[str, object]:
        skill, statuses = state.skill_state, task_statuses(state)
        ranked = sorted(skill.debug.hypotheses, key=lambda h: (h.status != "confirmed", h.likelihood)) if skill else []
        failed = [one for one in (skill.validate_.test_results if skill else ()) if one.status == "failed"]
        left = [(task, status) for task in state.engine.tasks if (status := statuses[task.task_id]) != "completed"]
        family = state.engine.family
        return {
            **_question(state),
            "failing": tuple(
                FailingTest(name=result.key, error=cut_text(result.error_message) if result.error_message else None)
                for result in failed[:SHOWN]
            ),
            "open_tasks": tuple(
                OpenTask(task_id=task.task_id, status=status, description=cut_text(task.description))
                for task, status in left[:SHOWN]
            ),
            "causes": tuple(
                SuspectedCause(place=h.logging_point, status=h.status, description=cut_text(h.description))
                for h in ranked[:SHOWN]
                if h.status != "rejected"
            ),
            "attempts": tuple(
                AttemptOutput(loop_id=member.id, agent=member.agent, chosen=member.id == family.winner)
                for member in family.members
            )
            if family
            else (),
        }


class CycleOutputs(RunOutputs[CycleState, CycleBrief, CycleReport, CycleWaitResult]):
    key, models = "cycle_id", (CycleBrief, CycleReport, CycleWaitResult)
    question, pausing = "Waits for a person", "the steps in progress"
    after: ClassVar = {
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
    waiting: ClassVar = {
        "decision": "`decide` the pending decisions",
        "blocker": "`resolve` the open blockers, then `resume`",
        "permission": "a person has to answer its permission requests (loopwright cycle approve {id}, or the"
        " dashboard); `wait`",
        "resume": "`resume` continues it",
    }

    def glance(self, state: CycleState, project: str) -> Record:
        return cycle_glance(state, project)

    def need(self, state: CycleState) -> str | None:
        return cycle_need(state)

    def doing(self, state: CycleState) -> str:
        doing = ", ".join(one.step for one in state.engine.under_way) or "between two steps"
        count = len(state.coordination.open_blockers)
        blocked = f"; {plural(count, 'blocker')} {agree_word(count, 'is')} open" if count else ""
        return f"{doing}, iteration {state.current_iteration} of {state.max_iterations}{blocked}"

    def details(self, state: CycleState) -> Mapping[str, object]:
        coordination = state.coordination
        failing = state.test_results.failed_tests if state.test_results else ()
        last = next((one for one in reversed(state.iterations) if one.completed_at), None)
        left = [task for task in (state.plan.tasks if state.plan else ()) if task.status != "completed"]
        return {
            "pending": tuple(
                OpenDecision(
                    id=one.id, description=cut_text(one.description), options=tuple(map(cut_text, one.options))
                )
                for one in coordination.undecided[:SHOWN]
            ),
            "open_blockers": tuple(
                OpenBlocker(id=one.id, description=cut_text(one.description), reported_by=one.reported_by)
                for one in coordination.open_blockers[:SHOWN]
            ),
            "failing": tuple(map(cut_text, failing[:SHOWN])),
            "issues": tuple(map(cut_text, last.issues_found[:SHOWN])) if last else (),
            "open_tasks": tuple(
                OpenPlanTask(id=task.id, status=task.status, description=cut_text(task.description))
                for task in left[:SHOWN]
            ),
        }


LOOKED = "`findings` shows all of them; `start_tuning` with `fix` or `agent` fixes what it can"
DONE = "`fixes` and `diff` show the changes, `findings` what is left; `roll_back` undoes a fix"


class TuningOutputs(RunOutputs[TuningState, TuningBrief, TuningReport, TuningWaitResult]):
    """`after`: where a session did not come to its end."""

    key, models = "tuning_id", (TuningBrief, TuningReport, TuningWaitResult)
    question, pausing = "Waits for a choice", "its step"
    after: ClassVar = {
        "over_budget": "raise the limit in the project's settings, then `start_tuning` again",
        "stopped": "nothing unverified is left in the skill's files; `start_tuning` starts over",
        "failed": "see failure_reason; once that is fixed, `start_tuning` starts over",
    }
    waiting: ClassVar = {
        "choice": "`fixes` shows each with its diff; then `choose`",
        "permission": "a person has to answer its permission requests (loopwright tunings approve {id}, or the"
        " dashboard); `wait`",
        "resume": "`resume` continues it",
    }

    def glance(self, state: TuningState, project: str) -> Record:
        return tuning_glance(state, project)

    def need(self, state: TuningState) -> str | None:
        return tuning_need(state)

    def needs(self, state: TuningState, *, live: bool) -> str | None:
        """A choice can be made whether its process is there or not."""
        return self.need(state) or ("resume" if state.status == "running" and not live else None)

    def headline(self, state: TuningState, *, live: bool) -> str:
        if state.status != "completed":
            return super().headline(state, live=live)
        left = plural(state.issues_by_severity.total, "issue")
        score = score_words(state.quality_score, state.engine.unreviewed)
        return f"Done: quality gate {state.quality_gate}, {score}, {left} left"

    def doing(self, state: TuningState) -> str:
        doing = ", ".join(dict.fromkeys(one.step.removeprefix("action-") for one in state.engine.under_way))
        return f"{doing or 'between two steps'}, iteration {state.iteration_count} of {state.max_iterations}"

    def _step(self, state: TuningState, live: bool) -> str:
        outcome = state.engine.outcome
        if outcome and outcome not in self.after:
            return DONE if state.applied_fixes else LOOKED
        return super()._step(state, live)

    def details(self, state: TuningState) -> Mapping[str, object]:
        engine = state.engine
        gravest = [finding for finding in engine.findings if finding.counts][:SHOWN]
        return {
            **_question(state),
            "gravest": tuple(_finding(one, engine.fixable.get(one.fingerprint)) for one in gravest),
            "proposed": tuple(_fix(state, fix) for fix in state.proposed_fixes[-SHOWN:]),
        }


LOOPS, CYCLES, TUNINGS = LoopOutputs(), CycleOutputs(), TuningOutputs()
loop_report, cycle_report, tuning_report = LOOPS.report, CYCLES.report, TUNINGS.report
tuning_hint = TUNINGS.hint


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
    ordered = sorted(
        found.findings, key=lambda one: (not one.counts, SEVERITIES.index(one.severity), one.file, one.start)
    )
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


def _finding(finding: Finding, level: FixLevel | None) -> FindingOutput:
    review = finding.review
    quotes = (*review.quotes, *review.against) if review else ()
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
        sides=tuple(cut_text(f"{one.file}:{one.line}: {one.text}") for one in quotes),
        fixable=level,
        fingerprint=finding.fingerprint,
    )


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
