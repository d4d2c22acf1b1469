"""What the tools answer about a skill and its tuning sessions: typed for programs. Pure."""

from collections.abc import Collection, Iterator
from typing import Literal

from loopwright.domain.findings import Confidence, Dimension, Finding, FixLevel, Risk, Severity
from loopwright.domain.record import Items, Record
from loopwright.domain.tuning import AppliedFix, Fix, Gate, IssuesBySeverity, TuningState
from loopwright.domain.tuning_glance import TuningGlance, tuning_glance
from loopwright.domain.tuning_score import counts
from loopwright.domain.words import plural, whole
from loopwright.mcp.told import SHOWN, Request, Spent, cut, requests, spent
from loopwright.mcp.tuning_hints import Need, tuning_headline, tuning_hint, tuning_needs
from loopwright.tune.report.checked import Checked

FixStatus = Literal["offered", "pending", "applied", "held", "rolled_back", "dropped", "not_chosen"]


class FindingTold(Record):
    """`known`: exactly, or by which agents; `sides`: all that they quote. `counts`: a hint does not.

    `fixable`: who could mend it without being told how; None: an agent or a person.
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


class Findings(Record):
    """A part of all that was found, the gravest first; `total` counts all of it. `tuning_id`: None for a look only.

    `problems`: dimensions that could not be looked at, with why; `not_reviewed`: those whose meaning nobody was asked
    about.
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
    findings: Items[FindingTold]
    offset: int
    total: int
    next: str


class FixTold(Record):
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


class Fixes(Record):
    """The list; or, where one was named, it alone with its unified diff. `truncated`: there is more of that."""

    tuning_id: str
    project: str
    fixes: Items[FixTold]
    diff: str | None
    truncated: bool


class TuningBrief(TuningGlance):
    """`live`: a process is at work on it. `needs`: what it waits for before anything goes on."""

    live: bool
    needs: Need | None  # type: ignore[assignment]  # wider: also what its process has left behind


class TuningReport(TuningBrief):
    """`words` say where it stands, `next` what to do about it. `gravest`: of what was found, that counts."""

    words: str
    next: str
    question: str | None
    options: Items[str]
    requests: Items[Request]
    gravest: Items[FindingTold]
    proposed: Items[FixTold]
    spent: Spent
    incidents: Items[str]


class TuningWaited(TuningReport):
    """`rested`: nothing goes on by itself any more; otherwise the time was over first."""

    rested: bool


def tuning_brief(state: TuningState, project: str, *, live: bool) -> TuningBrief:
    return TuningBrief.model_validate(_brief(state, project, live))


def tuning_report(state: TuningState, project: str, *, live: bool) -> TuningReport:
    return TuningReport.model_validate(_report(state, project, live))


def tuning_waited(state: TuningState, project: str, *, live: bool, rested: bool) -> TuningWaited:
    return TuningWaited.model_validate({**_report(state, project, live), "rested": rested})


def findings_told(
    found: Checked, project: str, *, dimensions: Collection[Dimension], limit: int, offset: int, following: str,
    tuning_id: str | None = None,
) -> Findings:  # fmt: skip
    """A part of them; `following`: what to do next, where this is the last part."""
    ordered = sorted(found.findings, key=_gravity)
    wanted = [finding for finding in ordered if finding.dimension in dimensions]
    shown = wanted[offset:][:limit]
    more = offset + len(shown) < len(wanted)
    return Findings(
        tuning_id=tuning_id, project=project, path=found.path, name=found.name, score=found.score, gate=found.gate,
        tokens=found.tokens, issues=counts(found.findings), hints=len(found.hints), accepted=len(found.silenced),
        problems=tuple(f"{dimension}: {why}" for dimension, why in found.problems.items()),
        not_reviewed=found.unreviewed,
        findings=tuple(_finding(one, found.fixable.get(one.fingerprint)) for one in shown),
        offset=offset, total=len(wanted),
        next=f"there are {len(wanted) - offset - len(shown)} more: offset={offset + len(shown)}" if more else following,
    )  # fmt: skip


def fixes_told(state: TuningState, project: str, fix: Fix | None, most: int) -> Fixes:
    """All of them, or this one with its diff."""
    diff = whole("".join(change.diff or "" for change in fix.changes)) if fix else None
    return Fixes(
        tuning_id=state.tuning_id, project=project, diff=diff[:most] if diff is not None else None,
        fixes=tuple(_fix(state, one) for one in ((fix,) if fix else state.proposed_fixes)),
        truncated=diff is not None and len(diff) > most,
    )  # fmt: skip


def next_of_a_look(found: Checked) -> str:
    """What to do about a skill that was only looked at."""
    levels = [found.fixable.get(finding.fingerprint) for finding in found.counted]
    plain, known = levels.count("mechanical"), len([level for level in levels if level in ("mechanical", "template")])
    if not levels:
        return "nothing that counts was found"
    if not known:
        return "mend it as `advice` says and `diagnose` again; or `start_tuning` with fix=all and `agent`"
    fix = "mechanical" if plain == known else "all"
    return f"`start_tuning` with fix={fix} mends {plural(known, 'finding')}; the rest as `advice` says, or an `agent`"


def _gravity(finding: Finding) -> tuple[bool, int, str, int]:
    return (
        not finding.counts,
        ("critical", "high", "medium", "low").index(finding.severity),
        finding.file,
        finding.start,
    )


def _brief(state: TuningState, project: str, live: bool) -> dict[str, object]:
    return {**dict(tuning_glance(state, project)), "live": live, "needs": tuning_needs(state, live=live)}


def _report(state: TuningState, project: str, live: bool) -> dict[str, object]:
    engine, waiting = state.engine, state.engine.waiting
    gravest = [finding for finding in engine.findings if finding.counts][:SHOWN]
    return {
        **_brief(state, project, live),
        "words": tuning_headline(state, live=live),
        "next": tuning_hint(state, live=live),
        "question": waiting.question if waiting else None,
        "options": waiting.options if waiting else (),
        "requests": requests(engine),
        "gravest": tuple(_finding(one, engine.fixable.get(one.fingerprint)) for one in gravest),
        "proposed": tuple(_fix(state, fix) for fix in state.proposed_fixes[-SHOWN:]),
        "spent": spent(engine.budget),
        "incidents": tuple(cut(incident.message) for incident in engine.incidents[-SHOWN:]),
    }


def _finding(finding: Finding, level: FixLevel | None) -> FindingTold:
    return FindingTold(
        rule=finding.rule, dimension=finding.dimension, severity=finding.severity, confidence=finding.confidence,
        known=cut(finding.known), counts=finding.counts, file=whole(finding.file), line=finding.line,
        line_end=finding.line_end, message=cut(finding.message), why=cut(finding.why), advice=cut(finding.advice),
        excerpt=cut(finding.excerpt), also=tuple(map(whole, finding.also[:SHOWN])),
        sides=tuple(cut(side) for side in _sides(finding)), fixable=level, fingerprint=finding.fingerprint,
    )  # fmt: skip


def _sides(finding: Finding) -> Iterator[str]:
    review = finding.review
    for one in (*review.quotes, *review.against) if review else ():
        yield f"{one.file}:{one.line}: {one.text}"


def _fix(state: TuningState, fix: Fix) -> FixTold:
    proposal = state.engine.proposals.get(fix.id)
    entry = next((one for one in reversed(state.applied_fixes) if one.fix_id == fix.id), None)
    why = state.engine.dropped.get(fix.id)
    return FixTold(
        fix_id=fix.id, status=_status(state, fix.id, entry), description=cut(fix.description),
        level=proposal.level if proposal else None, risk=fix.risk,
        files=tuple(whole(change.file) for change in fix.changes), mends=fix.issue_ids, why=cut(why) if why else None,
    )  # fmt: skip


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
