"""What the tools answer, in words for people and for callers that read only text. Pure."""

from collections.abc import Iterator
from typing import assert_never

from loopwright.core.text import clean_line, plural
from loopwright.evidence.debugging import DebugAnswer, FixProposal, ProbeResult, RerunResults, Spectrum
from loopwright.skills.score import score_words
from loopwright.surfaces.mcp.debug_pages import debug_page
from loopwright.surfaces.mcp.tool_outputs import (
    AddedTaskOutput,
    CycleBrief,
    CycleReport,
    CycleWaitResult,
    DiffOutput,
    DocumentsOutput,
    FindingOutput,
    FindingsOutput,
    FixesOutput,
    FixOutput,
    LoopBrief,
    LoopReport,
    LoopWaitResult,
    RunListing,
    TuningBrief,
    TuningReport,
    TuningWaitResult,
)

MORE = "[… truncated; raise max_chars to see more]"

ToolOutput = (
    LoopReport
    | LoopWaitResult
    | CycleReport
    | CycleWaitResult
    | TuningReport
    | TuningWaitResult
    | RunListing
    | AddedTaskOutput
    | DiffOutput
    | DocumentsOutput
    | FindingsOutput
    | FixesOutput
    | DebugAnswer
)


def render_page(told: ToolOutput) -> str:
    match told:
        case RerunResults() | Spectrum() | ProbeResult() | FixProposal():
            return debug_page(told)
        case _:
            return "\n".join(_lines(told))


def _lines(
    told: LoopReport
    | CycleReport
    | TuningReport
    | RunListing
    | AddedTaskOutput
    | DiffOutput
    | DocumentsOutput
    | FindingsOutput
    | FixesOutput,
) -> Iterator[str]:
    match told:
        case LoopReport() | CycleReport() | TuningReport():
            yield from _report(told)
        case RunListing():
            yield from _list(told)
        case AddedTaskOutput():
            yield f"{told.task_id} added to {told.loop_id}, for {told.tool}; {told.next}"
        case DiffOutput():
            yield told.diff or "no changes so far"
        case DocumentsOutput():
            yield from _documents(told)
        case FindingsOutput():
            yield from _findings(told)
        case FixesOutput():
            yield from map(_fix, told.fixes) if told.fixes else ("no fixes proposed so far",)
            if told.diff:
                yield told.diff.rstrip("\n")
        case _:
            assert_never(told)
    if isinstance(told, DiffOutput | DocumentsOutput | FixesOutput) and told.truncated:
        yield MORE


def _documents(told: DocumentsOutput) -> Iterator[str]:
    if told.text is not None:
        yield told.text
    elif not told.documents:
        yield "no documents so far"
    for document in told.documents:
        versions = f" ({', '.join(document.versions)})" if document.versions else ""
        yield f"{document.name}{versions}"


def _list(told: RunListing) -> Iterator[str]:
    shown: tuple[LoopBrief | CycleBrief | TuningBrief, ...] = (*told.loops, *told.cycles, *told.tunings)
    if not shown:
        yield f"nothing here; start_loop, start_cycle or start_tuning makes one (projects: {', '.join(told.projects)})"
    yield from map(_line, shown)
    if told.total > len(shown):
        yield f"{len(shown)} of {told.total}; see limit and offset"
    yield from (f"{damaged.id} cannot be read: {damaged.reason}" for damaged in told.damaged)


def _line(run: LoopBrief | CycleBrief | TuningBrief) -> str:
    gate = ""
    match run:
        case LoopBrief():
            id = run.loop_id
        case CycleBrief():
            id = run.cycle_id
        case TuningBrief():
            id = run.tuning_id
            gate = f", {run.gate} {run.score:g}" if run.gate and run.score is not None else ""
    beside = run.outcome or (f"needs {run.needs}" if run.needs else None)
    status = f"{run.status} ({beside})" if beside else run.status
    return f"{id} [{run.project}] {status} {run.current_iteration}/{run.max_iterations}{gate}: {clean_line(run.title)}"


def _report(told: LoopReport | CycleReport | TuningReport) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
    if not isinstance(told, CycleReport) and told.options:
        yield f"options: {' / '.join(clean_line(option) for option in told.options)}"
    match told:
        case LoopReport():
            yield from _loop(told)
        case CycleReport():
            yield from _cycle(told)
        case TuningReport():
            yield from (line for one in told.gravest for line in _finding(one))
            yield from map(_fix, told.proposed)
    yield from (f"asks, {asked.id}: {clean_line(asked.words)} ({clean_line(asked.reason)})" for asked in told.requests)
    yield from (f"note: {clean_line(incident)}" for incident in told.incidents)
    if isinstance(told, LoopWaitResult | CycleWaitResult | TuningWaitResult) and not told.rested:
        yield "Timed out, and it is still running: `wait` again."
    yield f"next: {told.next}"


def _loop(told: LoopReport) -> Iterator[str]:
    if told.tests:
        yield f"tests: {told.tests.passed} passed, {told.tests.failed} failed, {told.tests.skipped} skipped"
    yield from (f"fails: {test.name}{f': {clean_line(test.error)}' if test.error else ''}" for test in told.failing)
    yield from (f"cause ({cause.status}): {cause.place}: {clean_line(cause.description)}" for cause in told.causes)
    yield from (f"task {task.task_id} ({task.status}): {clean_line(task.description)}" for task in told.open_tasks)
    for number, one in enumerate(told.attempts, 1):
        yield f"attempt {number}: {one.loop_id} ({clean_line(one.agent)}){', chosen' if one.chosen else ''}"


def _cycle(told: CycleReport) -> Iterator[str]:
    yield f"roles: {', '.join(f'{role.role} {role.status}' for role in told.roles)}"
    for decision in told.pending:
        options = " / ".join(clean_line(option) for option in decision.options) or "any text"
        yield f"decision {decision.id}: {clean_line(decision.description)} ({options})"
    for blocker in told.open_blockers:
        yield f"blocker {blocker.id} of {clean_line(blocker.reported_by)}: {clean_line(blocker.description)}"
    if told.tests:
        yield f"tests: {told.tests.total}, {told.tests.failed} failed, coverage {told.tests.coverage:g} %"
    yield from (f"fails: {clean_line(name)}" for name in told.failing)
    yield from (f"issue: {clean_line(issue)}" for issue in told.issues)
    yield from (f"task {task.id} ({task.status}): {clean_line(task.description)}" for task in told.open_tasks)


def _findings(told: FindingsOutput) -> Iterator[str]:
    score = score_words(told.score, told.not_reviewed)
    yield f"{clean_line(told.name)} [{told.project}]: quality gate {told.gate}, {score}"
    counted = told.issues.model_dump()
    found = ", ".join(f"{count} {severity}" for severity, count in counted.items() if count) or "nothing that counts"
    yield f"found: {found}; {plural(told.hints, 'hint')}, {told.accepted} accepted; about {told.tokens:,} tokens"
    yield from (f"could not be checked: {clean_line(problem)}" for problem in told.problems)
    yield from (line for one in told.findings for line in _finding(one))
    yield f"next: {told.next}"


def _finding(one: FindingOutput) -> Iterator[str]:
    weight = one.severity if one.counts else "hint"
    yield f"{weight} {one.rule}, {clean_line(one.file)}:{one.line}: {clean_line(one.message)}"
    yield f"  why: {clean_line(one.why)} do: {clean_line(one.advice)}"


def _fix(one: FixOutput) -> str:
    why = f" ({clean_line(one.why)})" if one.why else ""
    return f"{one.fix_id} {one.status}{why}: {clean_line(one.description)} [{', '.join(map(clean_line, one.files))}]"
