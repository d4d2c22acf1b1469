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


def tuning_line(run: TuningBrief) -> str:
    beside = run.outcome or (f"needs {run.needs}" if run.needs else None)
    status = f"{run.status} ({beside})" if beside else run.status
    gate = f", {run.gate} {run.score:g}" if run.gate and run.score is not None else ""
    counts = f"{run.current_iteration}/{run.max_iterations}"
    return f"{run.tuning_id} [{run.project}] {status} {counts}{gate}: {clean_line(run.title)}"


def tuning_page(told: TuningReport) -> Iterator[str]:
    yield tuning_line(told)
    yield f"{told.words}."
    if told.options:
        yield f"options: {' / '.join(clean_line(option) for option in told.options)}"
    yield from (line for one in told.gravest for line in _finding(one))
    yield from map(_fix, told.proposed)


def findings_page(told: FindingsOutput) -> Iterator[str]:
    score = score_words(told.score, told.not_reviewed)
    yield f"{clean_line(told.name)} [{told.project}]: quality gate {told.gate}, {score}"
    counted = told.issues.model_dump()
    found = ", ".join(f"{count} {severity}" for severity, count in counted.items() if count) or "nothing that counts"
    yield f"found: {found}; {plural(told.hints, 'hint')}, {told.accepted} accepted; about {told.tokens:,} tokens"
    yield from (f"could not be checked: {clean_line(problem)}" for problem in told.problems)
    yield from (line for one in told.findings for line in _finding(one))
    yield f"next: {told.next}"


def fixes_page(told: FixesOutput) -> Iterator[str]:
    if not told.fixes:
        yield "no fixes proposed so far"
    yield from map(_fix, told.fixes)
    if told.diff:
        yield told.diff.rstrip("\n")


def _finding(one: FindingOutput) -> Iterator[str]:
    weight = one.severity if one.counts else "hint"
    yield f"{weight} {one.rule}, {clean_line(one.file)}:{one.line}: {clean_line(one.message)}"
    yield f"  why: {clean_line(one.why)} do: {clean_line(one.advice)}"


def _fix(one: FixOutput) -> str:
    why = f" ({clean_line(one.why)})" if one.why else ""
    return f"{one.fix_id} {one.status}{why}: {clean_line(one.description)} [{', '.join(map(clean_line, one.files))}]"


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
        case LoopReport():
            return "\n".join(_report(told))
        case CycleReport():
            return "\n".join(_cycle(told))
        case RunListing():
            return "\n".join(_list(told))
        case AddedTaskOutput():
            return f"{told.task_id} added to {told.loop_id}, for {told.tool}; {told.next}"
        case DiffOutput():
            return _changed(told)
        case DocumentsOutput():
            return "\n".join(_documents(told))
        case TuningReport():
            return "\n".join(_tuning(told))
        case FindingsOutput():
            return "\n".join(findings_page(told))
        case FixesOutput():
            return "\n".join([*fixes_page(told), *([MORE] if told.truncated else [])])
        case RerunResults() | Spectrum() | ProbeResult() | FixProposal():
            return debug_page(told)
        case _:
            assert_never(told)


def _changed(told: DiffOutput) -> str:
    if not told.diff:
        return "no changes so far"
    return f"{told.diff}\n{MORE}" if told.truncated else told.diff


MORE = "[… truncated; raise max_chars to see more]"


def _documents(told: DocumentsOutput) -> Iterator[str]:
    if told.text is not None:
        yield told.text
        if told.truncated:
            yield MORE
    elif not told.documents:
        yield "no documents so far"
    for document in told.documents:
        versions = f" ({', '.join(document.versions)})" if document.versions else ""
        yield f"{document.name}{versions}"


def _list(told: RunListing) -> Iterator[str]:
    shown: tuple[LoopBrief | CycleBrief | TuningBrief, ...] = (*told.loops, *told.cycles, *told.tunings)
    if not shown:
        yield f"nothing here; start_loop, start_cycle or start_tuning makes one (projects: {', '.join(told.projects)})"
    yield from (_line(run) for run in shown)
    if told.total > len(shown):
        yield f"{len(shown)} of {told.total}; see limit and offset"
    yield from (f"{damaged.id} cannot be read: {damaged.reason}" for damaged in told.damaged)


def _line(run: LoopBrief | CycleBrief | TuningBrief) -> str:
    if isinstance(run, TuningBrief):
        return tuning_line(run)
    id = run.loop_id if isinstance(run, LoopBrief) else run.cycle_id
    beside = run.outcome or (f"needs {run.needs}" if run.needs else None)
    counts = f"{run.current_iteration}/{run.max_iterations}"
    status = f"{run.status} ({beside})" if beside else run.status
    return f"{id} [{run.project}] {status} {counts}: {clean_line(run.title)}"


def _report(told: LoopReport) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
    if told.options:
        yield f"options: {' / '.join(clean_line(option) for option in told.options)}"
    if told.tests:
        yield f"tests: {told.tests.passed} passed, {told.tests.failed} failed, {told.tests.skipped} skipped"
    yield from (f"fails: {test.name}{f': {clean_line(test.error)}' if test.error else ''}" for test in told.failing)
    yield from (f"cause ({cause.status}): {cause.place}: {clean_line(cause.description)}" for cause in told.causes)
    yield from (f"task {task.task_id} ({task.status}): {clean_line(task.description)}" for task in told.open_tasks)
    yield from _ending(told, rested=not isinstance(told, LoopWaitResult) or told.rested)


def _cycle(told: CycleReport) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
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
    yield from _ending(told, rested=not isinstance(told, CycleWaitResult) or told.rested)


def _tuning(told: TuningReport) -> Iterator[str]:
    yield from tuning_page(told)
    yield from _ending(told, rested=not isinstance(told, TuningWaitResult) or told.rested)


def _ending(told: LoopReport | CycleReport | TuningReport, *, rested: bool) -> Iterator[str]:
    yield from (f"asks, {asked.id}: {clean_line(asked.words)} ({clean_line(asked.reason)})" for asked in told.requests)
    yield from (f"note: {clean_line(incident)}" for incident in told.incidents)
    if not rested:
        yield "Timed out, and it is still running: `wait` again."
    yield f"next: {told.next}"
