"""What the tools answer about skills, in words. Pure."""

from collections.abc import Iterator

from loopwright.domain.tuning_score import score_words
from loopwright.domain.words import clean, plural
from loopwright.mcp.tuning_told import Findings, FindingTold, Fixes, FixTold, TuningBrief, TuningReport


def tuning_line(run: TuningBrief) -> str:
    beside = run.outcome or (f"needs {run.needs}" if run.needs else None)
    status = f"{run.status} ({beside})" if beside else run.status
    gate = f", {run.gate} {run.score:g}" if run.gate and run.score is not None else ""
    counts = f"{run.current_iteration}/{run.max_iterations}"
    return f"{run.tuning_id} [{run.project}] {status} {counts}{gate}: {clean(run.title)}"


def tuning_page(told: TuningReport) -> Iterator[str]:
    yield tuning_line(told)
    yield f"{told.words}."
    if told.options:
        yield f"options: {' / '.join(clean(option) for option in told.options)}"
    yield from (line for one in told.gravest for line in _finding(one))
    yield from map(_fix, told.proposed)


def findings_page(told: Findings) -> Iterator[str]:
    yield f"{clean(told.name)} [{told.project}]: quality gate {told.gate}, {score_words(told.score, told.not_reviewed)}"
    counted = told.issues.model_dump()
    found = ", ".join(f"{count} {severity}" for severity, count in counted.items() if count) or "nothing that counts"
    yield f"found: {found}; {plural(told.hints, 'hint')}, {told.accepted} accepted; about {told.tokens:,} tokens"
    yield from (f"could not be looked at: {clean(problem)}" for problem in told.problems)
    yield from (line for one in told.findings for line in _finding(one))
    yield f"next: {told.next}"


def fixes_page(told: Fixes) -> Iterator[str]:
    if not told.fixes:
        yield "no fix was proposed so far"
    yield from map(_fix, told.fixes)
    if told.diff:
        yield told.diff.rstrip("\n")


def _finding(one: FindingTold) -> Iterator[str]:
    weight = one.severity if one.counts else "hint"
    yield f"{weight} {one.rule}, {clean(one.file)}:{one.line}: {clean(one.message)}"
    yield f"  why: {clean(one.why)} do: {clean(one.advice)}"


def _fix(one: FixTold) -> str:
    why = f" ({clean(one.why)})" if one.why else ""
    return f"{one.fix_id} {one.status}{why}: {clean(one.description)} [{', '.join(map(clean, one.files))}]"
