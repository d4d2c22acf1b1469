"""The report of a tuning session, as it lies beside its state. Pure."""

from collections.abc import Iterator

from loopwright.core.text import clean_line, plural
from loopwright.skills.findings import DIMENSIONS, SEVERITIES, Dimension, Finding
from loopwright.skills.score import meaning_words, score_words
from loopwright.workflows.tuning.model import AppliedFix, Fix, TuningState

TITLES: dict[Dimension, str] = {
    "context": "Context: what fills the model's context window",
    "memory": "Memory: what is forgotten on the way",
    "dataflow": "Data flow: what does not fit together",
    "agent": "Agents and tools: who does what",
}
GATES = {"pass": "passed", "review": "needs a person's review", "fail": "not passed"}
ALSO = 8
"""Further places of one finding that are named."""


def render_report(state: TuningState) -> str:
    """What was found, where, why it matters, what to do, and what was done."""
    parts = [_head(state), _standings(state), _fixes(state), [""], *(_dimension(state, one) for one in DIMENSIONS)]
    lines = [line for part in parts for line in part]
    return "\n".join([*lines, *_ending(state)]).rstrip() + "\n"


def _head(state: TuningState) -> Iterator[str]:
    engine = state.engine
    counted = state.issues_by_severity.model_dump()
    found = ", ".join(f"{counted[severity]} {severity}" for severity in SEVERITIES if counted[severity])
    hints = sum(not finding.counts for finding in engine.findings)
    yield f"# {_text(state.title)}"
    yield ""
    yield f"**Quality gate {GATES[state.quality_gate]}**, {score_words(state.quality_score, engine.unreviewed)}."
    yield ""
    yield f"- Skill: `{_code(engine.path)}`, about {engine.size:,} tokens"
    if state.user_issue_description:
        yield f"- Described: {_text(state.user_issue_description)}"
    yield f"- Found: {found or 'nothing'}" + (f"; {plural(hints, 'hint')}, which do not count" if hints else "")
    yield f"- Meaning: {meaning_words(engine.dimensions, engine.unreviewed)}"
    if engine.silenced:
        yield f"- Accepted by a comment in the skill or by the baseline: {len(engine.silenced):,}"
    unasked = [dimension for dimension in DIMENSIONS if dimension not in engine.dimensions]
    if unasked:
        yield f"- Not asked for: {', '.join(unasked)}"
    for dimension in engine.dimensions:
        result = state.diagnosis.of(dimension)
        if result and result.status == "failed":
            yield f"- **{dimension} could not be checked**, so the gate cannot be passed"


def _standings(state: TuningState) -> Iterator[str]:
    standings = state.engine.standings
    if len(standings) > 1:
        yield from ("", "| iteration | score | gate |", "|---|---|---|")
        for one in standings:
            yield f"| {one.iteration} | {one.score:g} | {one.gate} |"


def _fixes(state: TuningState) -> Iterator[str]:
    if not state.proposed_fixes:
        return
    yield from ("", "## Fixes", "")
    applied = {one.fix_id: one for one in state.applied_fixes}
    for fix in state.proposed_fixes:
        yield f"- **{fix.id}** {_text(fix.description)} ({', '.join(f'`{_code(c.file)}`' for c in fix.changes)})"
        yield f"  - {_outcome(state, fix, applied.get(fix.id))}; the change is in `fixes/{fix.id}.diff`"


def _outcome(state: TuningState, fix: Fix, applied: AppliedFix | None) -> str:
    mends = ", ".join(fix.issue_ids) or "no counted issue"
    why = state.engine.dropped.get(fix.id)
    if applied and applied.verification_result == "pass":
        return f"applied and verified; fixes {mends}"
    if applied and applied.verification_result == "pending":
        return f"applied, not verified yet; meant to fix {mends}"
    if applied:
        return f"applied, and rolled back{f': {_text(why)}' if why else ''}"
    if why:
        return f"not applied: {_text(why)}"
    return f"{'waits to be applied' if fix.id in state.pending_fixes else 'proposed, not chosen'}; would fix {mends}"


def _dimension(state: TuningState, dimension: Dimension) -> Iterator[str]:
    if dimension not in state.engine.dimensions:
        return
    mine = [finding for finding in state.engine.findings if finding.dimension == dimension]
    findings = [finding for finding in mine if finding.confidence != "refuted"]
    refuted = [finding for finding in mine if finding.confidence == "refuted"]
    yield from (f"## {TITLES[dimension]}", "")
    if not findings:
        result = state.diagnosis.of(dimension)
        yield "Could not be checked." if result and result.status == "failed" else "Nothing was found."
        yield ""
    for finding in findings:
        yield from _finding(state, finding)
    if refuted:
        yield from ("**Refuted, and counted nowhere:**", "")
        for finding in refuted:
            yield from _finding(state, finding)


def _finding(state: TuningState, finding: Finding) -> Iterator[str]:
    issue = state.engine.issue_of.get(finding.fingerprint) if finding.counts else None
    weight = f"{finding.severity}, {_text(finding.known)}" if finding.counts else _text(finding.known)
    yield f"### {f'{issue} ' if issue else ''}{_text(finding.message)}"
    yield ""
    last = f"–{finding.line_end}" if finding.line_end > finding.line else ""
    yield f"{weight}, `{finding.rule}`, `{_code(finding.file)}` line {finding.line}{last}"
    yield ""
    yield from _source(finding)
    yield from _sides(finding)
    yield f"- Why it matters: {_text(finding.why)}"
    yield f"- What to do: {_text(finding.advice)}"
    if finding.also and finding.review is None:
        more = len(finding.also) - ALSO
        further = f" and {plural(more, 'more place')}" if more > 0 else ""
        yield f"- The same at: {', '.join(f'`{_code(place)}`' for place in finding.also[:ALSO])}{further}"
    engine = state.engine
    last_try = engine.rejected.get(finding.fingerprint)
    for why in engine.tried.get(finding.fingerprint) or ([last_try] if last_try else []):
        yield f"- Not fixed: {_text(why)}"
    level = engine.fixable.get(finding.fingerprint)
    if level:
        yield f"- Can be fixed by `--fix{'' if level == 'mechanical' else '=all'}`"
    yield ""


def _sides(finding: Finding) -> Iterator[str]:
    """All that an agent quotes, beside each other, and what it has searched for in vain."""
    review = finding.review
    if review is None:
        return
    for what, quotes in (("It says", review.evidence), ("But also", review.other_side), ("Against it", review.against)):
        for one in quotes:
            yield f"- {what}, `{_code(one.file)}` line {one.line}: “{_text(one.text)}”"
    if review.absent:
        yield f"- Searched for and not found: {', '.join(f'“{_text(words)}”' for words in review.absent)}"


def _source(finding: Finding) -> Iterator[str]:
    """The line it stands in, with the place marked below."""
    if not finding.excerpt:
        return
    excerpt = clean_line(finding.excerpt)
    fence = "`" * max(3, 1 + max((len(run) for run in _ticks(excerpt)), default=0))
    yield f"{fence}text"
    yield f"{finding.line:>5} | {excerpt}"
    yield fence
    yield ""


def _ticks(text: str) -> list[str]:
    """The runs of back ticks in it."""
    return "".join(char if char == "`" else " " for char in text).split()


def _ending(state: TuningState) -> Iterator[str]:
    if state.engine.incidents:
        yield from ("## What happened along the way", "")
        yield from (f"- {_text(incident.message)}" for incident in state.engine.incidents)
        yield ""
    if state.engine.outcome:
        reason = f": {_text(state.engine.reason)}" if state.engine.reason else ""
        yield f"The session ended ({state.engine.outcome}{reason})."


def _text(text: str) -> str:
    """One line of prose in which nothing is taken for Markdown that steers the page."""
    line = clean_line(text)
    for char in "\\<>|":
        line = line.replace(char, f"\\{char}")
    return line


def _code(text: str) -> str:
    """What may stand between back ticks."""
    return clean_line(text).replace("`", "'")
