"""What the tools answer, in words for people and for callers that read only text. Pure."""

from collections.abc import Iterator
from typing import assert_never

from loopwright.core.text import clean, plural
from loopwright.evidence.debugging import Looked, Probed, Proposal, RanTests, Spectrum
from loopwright.skills.score import score_words
from loopwright.surfaces.mcp.debug_pages import debug_page
from loopwright.surfaces.mcp.tool_outputs import (
    Added,
    Brief,
    Changed,
    CycleBrief,
    CycleReport,
    CycleWaited,
    Documents,
    Findings,
    FindingTold,
    Fixes,
    FixTold,
    Listed,
    Report,
    TuningBrief,
    TuningReport,
    TuningWaited,
    Waited,
)


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
    yield from (f"could not be checked: {clean(problem)}" for problem in told.problems)
    yield from (line for one in told.findings for line in _finding(one))
    yield f"next: {told.next}"


def fixes_page(told: Fixes) -> Iterator[str]:
    if not told.fixes:
        yield "no fixes proposed so far"
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


Answered = (
    Report | Waited | CycleReport | CycleWaited | TuningReport | TuningWaited | Listed | Added | Changed | Documents
    | Findings | Fixes | Looked
)  # fmt: skip


def page(told: Answered) -> str:
    match told:
        case Report():
            return "\n".join(_report(told))
        case CycleReport():
            return "\n".join(_cycle(told))
        case Listed():
            return "\n".join(_list(told))
        case Added():
            return f"{told.task_id} added to {told.loop_id}, for {told.tool}; {told.next}"
        case Changed():
            return _changed(told)
        case Documents():
            return "\n".join(_documents(told))
        case TuningReport():
            return "\n".join(_tuning(told))
        case Findings():
            return "\n".join(findings_page(told))
        case Fixes():
            return "\n".join([*fixes_page(told), *([MORE] if told.truncated else [])])
        case RanTests() | Spectrum() | Probed() | Proposal():
            return debug_page(told)
        case _:
            assert_never(told)


def _changed(told: Changed) -> str:
    if not told.diff:
        return "no changes so far"
    return f"{told.diff}\n{MORE}" if told.truncated else told.diff


MORE = "[… truncated; raise max_chars to see more]"


def _documents(told: Documents) -> Iterator[str]:
    if told.text is not None:
        yield told.text
        if told.truncated:
            yield MORE
    elif not told.documents:
        yield "no documents so far"
    for document in told.documents:
        versions = f" ({', '.join(document.versions)})" if document.versions else ""
        yield f"{document.name}{versions}"


def _list(told: Listed) -> Iterator[str]:
    shown: tuple[Brief | CycleBrief | TuningBrief, ...] = (*told.loops, *told.cycles, *told.tunings)
    if not shown:
        yield f"nothing here; start_loop, start_cycle or start_tuning makes one (projects: {', '.join(told.projects)})"
    yield from (_line(run) for run in shown)
    if told.total > len(shown):
        yield f"{len(shown)} of {told.total}; see limit and offset"
    yield from (f"{damaged.id} cannot be read: {damaged.reason}" for damaged in told.damaged)


def _line(run: Brief | CycleBrief | TuningBrief) -> str:
    if isinstance(run, TuningBrief):
        return tuning_line(run)
    id = run.loop_id if isinstance(run, Brief) else run.cycle_id
    beside = run.outcome or (f"needs {run.needs}" if run.needs else None)
    counts = f"{run.current_iteration}/{run.max_iterations}"
    status = f"{run.status} ({beside})" if beside else run.status
    return f"{id} [{run.project}] {status} {counts}: {clean(run.title)}"


def _report(told: Report) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
    if told.options:
        yield f"options: {' / '.join(clean(option) for option in told.options)}"
    if told.tests:
        yield f"tests: {told.tests.passed} passed, {told.tests.failed} failed, {told.tests.skipped} skipped"
    yield from (f"fails: {test.name}{f': {clean(test.error)}' if test.error else ''}" for test in told.failing)
    yield from (f"cause ({cause.status}): {cause.place}: {clean(cause.description)}" for cause in told.causes)
    yield from (f"task {task.task_id} ({task.status}): {clean(task.description)}" for task in told.open_tasks)
    yield from _ending(told, rested=not isinstance(told, Waited) or told.rested)


def _cycle(told: CycleReport) -> Iterator[str]:
    yield _line(told)
    yield f"{told.words}."
    yield f"roles: {', '.join(f'{role.role} {role.status}' for role in told.roles)}"
    for decision in told.pending:
        options = " / ".join(clean(option) for option in decision.options) or "any text"
        yield f"decision {decision.id}: {clean(decision.description)} ({options})"
    for blocker in told.open_blockers:
        yield f"blocker {blocker.id} of {clean(blocker.reported_by)}: {clean(blocker.description)}"
    if told.tests:
        yield f"tests: {told.tests.total}, {told.tests.failed} failed, coverage {told.tests.coverage:g} %"
    yield from (f"fails: {clean(name)}" for name in told.failing)
    yield from (f"issue: {clean(issue)}" for issue in told.issues)
    yield from (f"task {task.id} ({task.status}): {clean(task.description)}" for task in told.open_tasks)
    yield from _ending(told, rested=not isinstance(told, CycleWaited) or told.rested)


def _tuning(told: TuningReport) -> Iterator[str]:
    yield from tuning_page(told)
    yield from _ending(told, rested=not isinstance(told, TuningWaited) or told.rested)


def _ending(told: Report | CycleReport | TuningReport, *, rested: bool) -> Iterator[str]:
    yield from (f"asks, {asked.id}: {clean(asked.words)} ({clean(asked.reason)})" for asked in told.requests)
    yield from (f"note: {clean(incident)}" for incident in told.incidents)
    if not rested:
        yield "Timed out, and it is still running: `wait` again."
    yield f"next: {told.next}"
