"""cd, the Code Developer: one task of the plan; what changed is measured, not told."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from loopwright.core.cycle_names import CycleStep
from loopwright.core.errors import AgentError
from loopwright.core.outcomes import Change
from loopwright.core.protocol import Message
from loopwright.core.record import Record
from loopwright.core.text import json_line, plural
from loopwright.core.threads import run_in_thread
from loopwright.evidence.debugging import (
    TRIALS,
    DebugRequest,
    Patch,
    SearchFindings,
    describe_mends,
    record_patch,
    render_hypotheses,
)
from loopwright.evidence.failures import Attempt, quote_failures, remember_failures, select_failures
from loopwright.evidence.goals import asks_only_for_green_tests, named_tests
from loopwright.evidence.patch_exchange import choose_patch
from loopwright.evidence.rivals import AppliedPatch, comparison_words, new_rival_ids, rival_of, swap_rival
from loopwright.evidence.testing import TestResult
from loopwright.evidence.validation import run_tests
from loopwright.evidence.verdict import quote_words
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.boundary import asks_for_proof
from loopwright.workflows.cycle.lanes import (
    MergeConflict,
    WorkFolder,
    changes_between,
    merge_lane,
    prepare_folder,
    snapshot_of,
)
from loopwright.workflows.cycle.messages import conflict_order, debug_order, implement_order
from loopwright.workflows.cycle.model import PlanTask
from loopwright.workflows.cycle.outcomes import CycleOutcome, ImplementationOutcome
from loopwright.workflows.cycle.roles.documents import list_failures
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.templates import FailingTest
from loopwright.workflows.orders import attempt_words, join_parts, source_reader

SHOWN = 8
"""Tests that a report names."""

LOG = "cd/debug-log.ndjson"

SHARE = 0.8
"""Of a turn's time that a search may take."""

SECONDS = (60.0, 480.0)
"""What the first search for a task takes at most, and the second: what others mend meanwhile may be half of it.

The first one takes nothing but an edit that mends all of the task's tests: a part of them may be mended by chance.
"""


class TaskResult(NamedTuple):
    """What the agent came to. `nothing_left`: it would only do the same again. `patches`: what it has put in."""

    report: PhaseReport
    nothing_left: bool = False
    patches: tuple[AppliedPatch, ...] = ()


def _told(status: str, words: str) -> PhaseReport:
    return PhaseReport.model_validate({"phase": "cd", "status": status, "summary": words})


UNABLE = TaskResult(
    _told("failed", "The builtin agent cannot write features: it fixes what failing tests show."), nothing_left=True
)


async def list_suspects(session: CycleSession, step: CycleStep, place: WorkFolder, failing: Sequence[str]) -> str:
    """Ranked hypotheses as lines for an agent; empty where nothing can be measured."""
    request = _request(session, place, failing)
    if not _can_measure(session, request, place):
        return ""
    found = await session.debugger(place.path).diagnose(request.evolve(trials=TRIALS))
    _log(session, step, "probe", found.probes)
    measured = render_hypotheses(found.hypotheses) if found.hypotheses else ""
    return join_parts(measured, describe_mends(found.mends))


def make_debug_request(session: CycleSession, place: WorkFolder, failing: Sequence[str]) -> DebugRequest | None:
    """What the debugger works on when cd's agent asks it; None where nothing can be measured."""
    request = _request(session, place, failing)
    return request if _can_measure(session, request, place) else None


async def mend_tests(
    session: CycleSession, step: CycleStep, place: WorkFolder, failing: Sequence[str], *, measurable: bool
) -> TaskResult:
    """One failing test after the other: each fix is measured on a copy before it comes into the place.

    `measurable`: passing tests are all that the task is about; of any other, nobody could say whether it is done.
    """
    request, tried = _request(session, place, failing), session.state().engine.tries.get(step.key, 0)
    if not failing:
        return TaskResult(_told("success", "The tests of this task pass already.")) if measurable else UNABLE
    if not _can_measure(session, request, place):
        words = f"The builtin agent debugs Python projects with pytest or unittest, not {request.test_command!r}."
        return TaskResult(_told("failed", words), True)
    left = tuple(failing)
    mended: list[str] = []
    patches: list[AppliedPatch] = []
    while left:
        patch, said, kept = await _next_patch(session, step, place, left, tried)
        if patch is not None and tried == 0 and not set(left) <= set(patch.fixes):
            said = f"{patch.description} fixes some of them; a longer search may find a fix for all"
            patch = None
        if patch is None or not await _applied(session, place, patch):
            left_words = f"{plural(len(left), 'test')} still fail: {', '.join(left[:SHOWN])}; {said}"
            words = f"{'; '.join(mended)}. {left_words}" if mended else left_words
            status = "partial" if mended else "failed"
            return TaskResult(_told(status, words), nothing_left=patch is None and tried > 0, patches=tuple(patches))
        patches += [kept] if kept else []
        compared = f" ({comparison_words(kept.comparison)})" if kept else ""
        mended.append(f"{patch.description}{compared}")
        session.role_buses["cd"].publish("result", f"applied: {patch.description}")
        left = tuple(key for key in left if key not in patch.fixes)
    if not measurable:
        words = f"{'; '.join(mended)}. {UNABLE.report.summary}"
        return TaskResult(_told("partial", words), nothing_left=True, patches=tuple(patches))
    return TaskResult(_told("success", "; ".join(mended)), patches=tuple(patches))


async def _next_patch(
    session: CycleSession, step: CycleStep, place: WorkFolder, failing: tuple[str, ...], tried: int
) -> tuple[Patch | None, str, AppliedPatch | None]:
    """A fix for some of these tests, or why there is none, and what is kept of it. `tried`: how often the task failed.

    Where it has rivals, a person at the terminal chooses among them.
    """
    request = _request(session, place, failing)
    longest = SECONDS[min(tried, len(SECONDS) - 1)]
    request = request.evolve(round=tried, budget_seconds=min(request.budget_seconds, longest))
    session.role_buses["cd"].publish("activity", f"tracing {plural(len(failing), 'failing test')}")
    found = await session.debugger(place.path).diagnose(request)
    _log(session, step, "probe", found.probes)
    request = request.evolve(hypotheses=found.hypotheses)
    session.role_buses["cd"].publish(
        "activity", f"testing edits for {plural(len(found.hypotheses), 'hypothesis')} on a copy"
    )
    message = Message(action=step.name, text="", debug=request, seconds=request.budget_seconds + 60)
    output = await session.turns("cd", place.lane, place.path if place.lane else None).ask(session.agent("cd"), message)
    if output.findings is None:
        return None, output.report.message if output.report else output.text, None
    findings = output.findings
    _log(session, step, "hypothesis", findings.hypotheses)
    if findings.patch is None or findings.comparison is None:
        return findings.patch, _why(findings), None
    where = {one.id: one.logging_point for one in findings.hypotheses}.get(findings.patch.hypothesis, "")
    kept = record_patch(findings.patch, findings.comparison, where, step.task)
    if not session.interactive or session.person is None:
        return findings.patch, _why(findings), kept
    async with session.merging:  # one question at a time
        patch, rival = await choose_patch(session.person, findings, findings.patch)
    if rival is not None:
        (former,) = new_rival_ids([kept], 1)
        kept = swap_rival(kept, rival_of([kept], rival)[1], former, "a person")
    return patch, _why(findings), kept


def _why(findings: SearchFindings) -> str:
    tried = findings.candidates
    return findings.note or (f"none of {plural(tried, 'edit')} works" if tried else "no edit is known for what fails")


async def _applied(session: CycleSession, place: WorkFolder, patch: Patch) -> bool:
    """False where the file is no more what the fix was made for."""
    if place.lane is None:
        return await run_in_thread(session.workspace.replace_text, patch.file, patch.old_text, patch.new_text)
    return await run_in_thread(_replaced, place.path / patch.file, patch)


def _replaced(file: Path, patch: Patch) -> bool:
    """In a lane, which nobody else changes."""
    if file.is_symlink() or not file.is_file() or file.read_bytes() != patch.old_text.encode():
        return False
    file.write_bytes(patch.new_text.encode())
    return True


def _request(session: CycleSession, place: WorkFolder, failing: Sequence[str]) -> DebugRequest:
    settings = session.state().engine.settings
    command = settings.test_command or ""
    return DebugRequest(
        project=str(place.path),
        python=session.tests.interpreter(command) or "",
        test_command=command,
        failing=tuple(failing),
        budget_seconds=settings.action_timeout * SHARE,
        loop=session.id,
    )


def _can_measure(session: CycleSession, request: DebugRequest, place: WorkFolder) -> bool:
    return bool(request.python) and session.debugger(place.path).supports(request.test_command)


def _log(session: CycleSession, step: CycleStep, kind: str, evidence: Sequence[Record]) -> None:
    """A line each, with what it is and for which task it was found."""
    head = {"at": session.now(), "task": step.task, "kind": kind}
    lines = [json_line({**head, **entry.model_dump(mode="json")}).encode(errors="replace") for entry in evidence]
    if lines:
        session.store.append_progress(session.id, LOG, lines)


CONFLICTS = 3
"""How often a task whose merge conflicts goes back to its agent."""


async def implement_task(session: CycleSession, step: CycleStep) -> CycleOutcome:
    state = session.state()
    assert state.plan is not None
    task = next(task for task in state.plan.tasks if task.id == step.task)
    place = await prepare_folder(session, step)
    if place.unsettled.files:
        await _settle(session, step, task, place, place.unsettled)
    failed = _results(session, _known_failing(session))
    made = await _made(session, step, task, place)
    after = await snapshot_of(session, place, f"after {task.id}")
    changes = await changes_between(session, place.before.commit, after.commit)
    _hold_against(session, step, made.report, (*place.taken_in, *changes))
    if made.report.status == "none" and not (changes or place.taken_in):
        raise AgentError("protocol", f"{session.agent('cd')} reported nothing on {task.id}, and changed nothing")
    report = made.report
    if changes and place.lane is None:
        await _try_tests(session, task)
    elif changes:
        changes, report = await _merged(session, step, task, place, report)
    changes = _together(place.taken_in, changes)
    ok = report.status == "success" or (report.status == "none" and bool(changes))
    if not report.summary:
        report = report.evolve(summary=f"no words; {plural(len(changes), 'changed file')} speak for it")
    named = named_tests(report.shown_by, session.agent("cd"), state.engine.baseline)
    is_named = asks_for_proof(session.state(), task.id) and bool(named)
    missing = _missing(session, step, task, changes) if ok and not is_named else ""
    if missing:
        session.note("undone", f"{task.id} is not completed: {missing}; cd said {quote_words(report.summary)}")
        report = report.evolve(summary=f"{missing}; the report said {quote_words(report.summary)}")
    done = ok and not missing
    return ImplementationOutcome(
        report,
        done,
        changes,
        nothing_left=made.nothing_left,
        patches=made.patches if changes else (),
        named=named,
        attempt=Attempt(
            agent=session.agent("cd"),
            action=step.key,
            before=place.before.commit,
            after=after.commit,
            said=report.summary,
            failures=remember_failures(failed),
        ),
    )


def _missing(session: CycleSession, step: CycleStep, task: PlanTask, changes: Sequence[Change]) -> str:
    """What a task that is reported as done has not measurably done; of the plan's files it is told once."""
    state = session.state()
    if _is_done_already(session, task):
        return ""
    if not changes and task.id not in (state.engine.worked or ()):
        return "no change of a file was measured"
    earlier = {change.file for change in (state.changes.changes if state.changes else ())}
    touched = earlier | {change.file for change in changes}
    left = [
        file
        for file in task.files
        if not any(name == file or name.startswith(f"{file.rstrip('/')}/") for name in touched)
    ]
    if not left or state.engine.tries.get(step.key, 0):
        return ""
    return f"the plan names {_listed(left)}, where nothing was changed; change it, or say why it needs no change"


def _is_done_already(session: CycleSession, task: PlanTask) -> bool:
    """Whether others did it in this iteration: the failing tests it stands for pass, or its files are changed."""
    state = session.state()
    failing, is_named = _failing(session, task)
    is_mend = task.id in state.engine.mends
    is_measured = is_mend or session.able("cd").measures
    if is_named and (is_measured or asks_only_for_green_tests(task.description.partition(":")[0])):
        return not failing
    if is_mend:
        return False
    lines = state.changes.changes if state.changes else ()
    now = {line.file for line in lines if line.iteration == state.current_iteration}
    return bool(task.files) and now.issuperset(task.files)


async def _made(session: CycleSession, step: CycleStep, task: PlanTask, place: WorkFolder) -> TaskResult:
    """By the embedded agent, which measures; or by one that is told in words."""
    failing, named = _failing(session, task)
    if session.able("cd").measures:
        measurable = named or asks_only_for_green_tests(task.description)
        return await mend_tests(session, step, place, failing, measurable=measurable)
    if failing and task.id in session.state().engine.mends:
        hypotheses = await list_suspects(session, step, place, failing)
        failed, state = _results(session, failing), session.state()
        quoted = quote_failures(failed, str(place.path), source_reader(place.path))
        attempt = await attempt_words(session, state.engine.attempt, failed, str(place.path))
        words = debug_order(session.prompts, state, task, session.progress(), quoted, hypotheses, attempt)
    else:
        words = implement_order(session.prompts, session.state(), task, session.progress())
    debug = make_debug_request(session, place, failing)
    report = await session.ask("cd", step, words, reading=False, lane=place.lane, at=_at(place), debug=debug)
    return TaskResult(report)


async def _merged(
    session: CycleSession, step: CycleStep, task: PlanTask, place: WorkFolder, report: PhaseReport
) -> tuple[tuple[Change, ...], PhaseReport]:
    """What the task's work has changed in the project; a conflict goes back to whoever made it."""
    for asked in range(CONFLICTS + 1):
        changes, unsettled = await _taken_in(session, task, place)
        if not unsettled.files:
            return changes, report
        names = _listed(unsettled.files)
        if session.able("cd").measures:
            raise AgentError("protocol", f"{task.id} conflicts in {names}; the code it fixes has changed meanwhile")
        if asked < CONFLICTS:
            session.role_buses["cd"].publish("activity", f"{task.id} conflicts in {names}; its agent resolves them")
            report = await _settle(session, step, task, place, unsettled)
    raise AgentError("protocol", f"{task.id} could not be merged: its conflicts stayed unresolved {CONFLICTS} times")


async def _taken_in(
    session: CycleSession, task: PlanTask, place: WorkFolder
) -> tuple[tuple[Change, ...], MergeConflict]:
    """One merge with its run of the tests, beside no other.

    Once begun it comes to its end, also when the step is cancelled: what the project holds is then the step's result.
    """
    async with session.merging:
        merging = asyncio.ensure_future(merge_lane(session, place, task.id))
        try:
            changes, unsettled = await asyncio.shield(merging)
        except asyncio.CancelledError:
            await asyncio.wait({merging})
            if merging.exception() or not merging.result()[0]:
                raise
            return merging.result()
        if changes:
            await _try_tests(session, task)
        return changes, unsettled


async def _settle(
    session: CycleSession, step: CycleStep, task: PlanTask, place: WorkFolder, unsettled: MergeConflict
) -> PhaseReport:
    """The agent's turn on a conflict."""
    words = conflict_order(session.prompts, task, str(place.path), unsettled.files, unsettled.told)
    return await session.ask("cd", step, words, reading=False, lane=place.lane, at=_at(place))


async def _try_tests(session: CycleSession, task: PlanTask) -> None:
    """Run after each merge: what it has broken is told at once, and judged by the validation.

    A run that is cancelled leaves that to the validation: what is in stays in.
    """
    command = session.state().engine.settings.test_command
    if command is None:
        return
    session.role_buses["cd"].publish("activity", f"{task.id} is in; running the tests: {command}")
    before = _known_failing(session)
    try:
        measured = await run_tests(session, command, f"when {task.id} was in")
    except asyncio.CancelledError:
        return
    if broken := [key for key in measured.run.failed if key not in before]:
        words = f"since {task.id} is in, {plural(len(broken), 'test')} more fail: {_listed(broken)}"
        session.note("tests_broken", words)


def _failing(session: CycleSession, task: PlanTask) -> tuple[tuple[str, ...], bool]:
    """The failing tests that the task is about, and whether it names tests: itself, or their file; else all."""
    failing, baseline = tuple(_known_failing(session)), session.state().engine.baseline
    named = {key for key in (*failing, *(baseline.tests if baseline else ())) if key in task.description}
    if named:
        return tuple(key for key in failing if key in named), True
    files = (*task.files, *task.description.split())
    about = tuple(key for key in failing if key.partition("::")[0] in files)
    return about or failing, bool(about)


def _results(session: CycleSession, failing: Sequence[str]) -> Sequence[TestResult]:
    """What these tests said when they failed."""
    if session.measured is not None:
        return select_failures(session.measured.run.results, failing)
    told = {failure.test: failure for failure in list_failures(session)}
    return [
        TestResult(test_name=key, status="failed", error_message=one.error or None, stack_trace=one.trace or None)
        for key in failing
        if (one := told.get(key, FailingTest(test=key)))
    ]


def _known_failing(session: CycleSession) -> Sequence[str]:
    """The tests that failed when they were last run."""
    if session.measured is not None:
        return session.measured.run.failed
    state = session.state()
    if state.test_results is not None:
        return state.test_results.failed_tests
    baseline = state.engine.baseline
    return [key for key, test in baseline.tests.items() if test.status == "failed"] if baseline else ()


def _hold_against(session: CycleSession, step: CycleStep, report: PhaseReport, changes: tuple[Change, ...]) -> None:
    """Files that the role says it wrote, where no change was measured."""
    changed = {change.file for change in changes}
    root = f"{session.workspace.root}/"
    named = (name.removeprefix(root).removeprefix("./") for name in report.files_written)
    untrue = [name for name in named if name not in changed and not name.startswith(("/", "~", "../", ".workflow/"))]
    if untrue:
        session.note("false_claim", f"{step.key} said that it wrote {_listed(untrue)}; no change was measured there")


def _together(earlier: tuple[Change, ...], changes: tuple[Change, ...]) -> tuple[Change, ...]:
    """Each file once, as it was changed last."""
    files = {change.file for change in changes}
    return (*(change for change in earlier if change.file not in files), *changes)


def _at(place: WorkFolder) -> Path | None:
    return place.path if place.lane is not None else None


def _listed(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")
