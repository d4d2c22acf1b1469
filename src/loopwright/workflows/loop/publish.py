"""What follows from a committed step: progress files, changes.log, and a few words for people."""

import json
from collections.abc import Iterator, Sequence
from typing import assert_never

from pydantic import JsonValue

from loopwright.core.names import COUNTED
from loopwright.core.outcomes import (
    ActionFailed,
    Interrupted,
    LimitReached,
    NeedsInput,
    ValidationOutcome,
    describe_no_result,
)
from loopwright.core.record import JournalEntry
from loopwright.core.text import plural
from loopwright.workflows.loop.documents import render_progress
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import (
    ActionOutcome,
    CompleteOutcome,
    DebugOutcome,
    DevelopOutcome,
    InitOutcome,
    ReviewOutcome,
)
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.session import LoopSession

Line = dict[str, JsonValue]
IN_A_ROW = 8


def result_words(outcome: ActionOutcome) -> str:
    """The outcome as the plan view and the journal name it."""
    match outcome:
        case InitOutcome():
            baseline = outcome.baseline.tests.values() if outcome.baseline else ()
            failing = sum(test.status == "failed" for test in baseline)
            return f"{plural(len(baseline), 'test')}, {failing} failing" if baseline else "no tests"
        case DevelopOutcome():
            return "completed" if outcome.ok else f"failed: {outcome.message}"
        case ValidationOutcome():
            return "pass" if outcome.passed else "fail"
        case DebugOutcome():
            return f"{'fix applied' if outcome.changes else 'no fix'}: {outcome.message}"
        case ReviewOutcome(missing=str(words)):
            return f"not reviewed: {words}"
        case ReviewOutcome():
            return plural(len(outcome.objections), "objection") if outcome.objections else "no objections"
        case CompleteOutcome():
            return outcome.outcome
        case NeedsInput() | LimitReached() | Interrupted() | ActionFailed():
            return describe_no_result(outcome)
        case _:
            assert_never(outcome)


def change_lines(state: LoopState, choice: NextAction, outcome: ActionOutcome, at: str) -> tuple[Line, ...]:
    """The lines of changes.log for one step; (iteration, n) names each of them once and for all."""
    if not isinstance(outcome, (DevelopOutcome, DebugOutcome)):
        return ()
    iteration = state.current_iteration + (choice.action in COUNTED)
    task = state.engine.task(choice.task) if choice.task else None
    return tuple(
        {
            "timestamp": at,
            "file": change.file,
            "action": change.action,
            "iteration": iteration,
            "n": n,
            "agent": task.tool if task else state.engine.settings.agent,
            "task_id": choice.task,
            "description": outcome.message,
        }
        for n, change in enumerate(outcome.changes, 1)
    )


def publish(
    session: LoopSession, state: LoopState, lines: Sequence[Line], outcome: ActionOutcome | None = None
) -> None:
    """Writes the projections of a committed state; called again after a crash it repairs them.

    Every log exists from the first step on, empty where there was nothing to log. Where somebody has removed them,
    everything is written anew.
    """
    if session.published and not (session.store.progress_path(session.id) / "changes.log").exists():
        session.published, lines = None, missing_changes(session)
    files = render_progress(state, session.published)
    session.published = state
    checked = outcome.checked if isinstance(outcome, CompleteOutcome) else outcome
    if isinstance(checked, ValidationOutcome):
        files["coverage.json"] = _coverage(checked)
    session.store.write_progress(session.id, files)
    encoded = [json.dumps(line, ensure_ascii=False).encode() for line in lines]
    session.store.append_progress(session.id, "changes.log", encoded)
    session.store.append_progress(session.id, "debug.log", ())


def announce_end(session: LoopSession, state: LoopState) -> None:
    """Shows an end that is about to be committed: nobody takes up a loop that has ended, to write its summary."""
    session.store.write_progress(session.id, render_progress(state))


def read_back(session: LoopSession) -> Iterator[JournalEntry]:
    """The journal, the latest entry first, read no further than it is asked for."""
    upto, most = session.state().engine.rev, 64
    while upto > 0:
        after = max(0, upto - most)
        yield from (entry for entry in reversed(session.store.events(session.id, after)) if entry.seq <= upto)
        upto, most = after, most * 4


def missing_changes(session: LoopSession) -> list[Line]:
    """Lines that were committed but did not reach changes.log before a crash.

    They are looked for from the end, as far as `IN_A_ROW` steps whose lines are there; in a damaged log everywhere.
    """
    path = session.store.progress_path(session.id) / "changes.log"
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    written, whole = set(), True
    for line in text.split("\n")[:-1]:
        try:
            known = json.loads(line)
            written.add((known["iteration"], known["n"]))
        except (ValueError, KeyError, TypeError):
            whole = False
    missing, found = list[Line](), 0
    for entry in read_back(session):
        lines = _changes(entry)
        absent = [line for line in lines if (line["iteration"], line["n"]) not in written]
        missing += reversed(absent)
        found = 0 if absent else found + bool(lines)
        if whole and found >= IN_A_ROW:
            break
    return missing[::-1]


def _changes(entry: JournalEntry) -> list[Line]:
    changes = entry.event.data.get("changes")
    return [line for line in changes if isinstance(line, dict)] if isinstance(changes, list) else []


def _coverage(validated: ValidationOutcome) -> bytes:
    files = validated.coverage_files
    document = {"measured": files is not None, "percent": validated.coverage, "files": files or {}}
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()
