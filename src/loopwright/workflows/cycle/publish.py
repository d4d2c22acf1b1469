"""What follows from a committed step: the documents with their archives, the logs, and a few words for people."""

import os
import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import assert_never

from loopwright.core.cycle_names import ROLES, CycleStep, Role
from loopwright.core.outcomes import ActionFailed, Interrupted, LimitReached, NeedsInput, describe_no_result
from loopwright.core.record import JournalEntry
from loopwright.core.text import plural
from loopwright.workflows.cycle.documents import KEPT, MAIN, archived_name, archives, coverage, render, version_in
from loopwright.workflows.cycle.logs import LOGS, additions, changes_in, missing_lines
from loopwright.workflows.cycle.model import ChangeAction, ChangeLog, CycleState, version_of
from loopwright.workflows.cycle.outcomes import (
    AggregationOutcome,
    AnalysisOutcome,
    BaselineOutcome,
    CycleOutcome,
    ExplorationOutcome,
    ImplementationOutcome,
    JudgementOutcome,
    PlanOutcome,
)
from loopwright.workflows.cycle.reducer import implemented_lines
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.standing import steps_under_way


def result_words(outcome: CycleOutcome) -> str:
    """The outcome as the journal and whoever looks name it."""
    match outcome:
        case AnalysisOutcome():
            return f"requirements with {plural(len(outcome.edge_cases), 'edge case')}"
        case ExplorationOutcome():
            return f"explored: {plural(len(outcome.identified_risks), 'risk')}"
        case PlanOutcome():
            return f"planned {plural(len(outcome.tasks), 'task')}"
        case ImplementationOutcome():
            done = "completed" if outcome.ok else f"not done: {outcome.report.summary}"
            return f"{done} ({plural(len(outcome.changes), 'file')})"
        case BaselineOutcome():
            count = len(outcome.baseline.tests) if outcome.baseline else 0
            return f"{plural(count, 'test')}, {len(outcome.failing)} failing" if count else "no tests"
        case JudgementOutcome():
            return "pass" if outcome.validated.passed else f"fail ({'; '.join(outcome.validated.reasons[:2])})"
        case AggregationOutcome():
            return "the iteration is over"
        case NeedsInput() | LimitReached() | Interrupted() | ActionFailed():
            return describe_no_result(outcome)
        case _:
            assert_never(outcome)


def files_of(outcome: CycleOutcome) -> tuple[str, ...]:
    """The documents that a role has written in the step."""
    return (
        outcome.files
        if isinstance(outcome, (AnalysisOutcome, ExplorationOutcome, PlanOutcome, JudgementOutcome))
        else ()
    )


def adopt(session: CycleSession) -> None:
    """Takes note of what the folder holds when a runner takes the cycle up, and completes the roles' logs."""
    session.documents = _there(session, MAIN)
    entries = session.store.events(session.id)
    for role in ROLES:
        _log_changes(session, role, _documents_written(entries, role))


def archive(session: CycleSession, step: CycleStep, state: CycleState) -> None:
    """Keeps the role's documents of earlier iterations before it rewrites them."""
    if step.role is None:
        return
    version = version_of(state.current_iteration)
    own = {name: data for name, data in session.documents.items() if name.startswith(f"{step.role}/")}
    kept = {}
    for name, data in own.items():
        old = version_in(name, data.decode(errors="replace"))
        if old is not None and old != version:
            kept[archived_name(name, old)] = data
    _keep(session, kept)


def publish(session: CycleSession, state: CycleState, outcome: CycleOutcome | None = None) -> None:
    """Writes the projections of a committed state; called again after a crash it repairs them.

    Never over what a role is writing at this moment.
    """
    lost = _lost(session)
    session.store.write_progress(session.id, lost)
    since = None if lost else session.published
    kept = {name: data.decode(errors="replace") for name, data in _there(session, KEPT).items()}
    busy = _writing(state)
    new = {name: data for name, data in render(state, since, kept).items() if name.partition("/")[0] not in busy}
    if isinstance(outcome, JudgementOutcome):
        new["vas/coverage.json"] = coverage(outcome.validated, version_of(state.current_iteration))
    _keep(session, archives(session.documents, new))
    session.store.write_progress(session.id, new)
    session.documents |= {name: data for name, data in new.items() if name in MAIN}
    logs = {name: data.decode(errors="replace") for name, data in _there(session, LOGS).items()}
    for name, lines in additions(state, logs, since).items():
        session.store.append_progress(session.id, name, lines)
    session.published = state


def log_files(session: CycleSession, step: CycleStep, outcome: CycleOutcome, at: str) -> None:
    """A line for each file that the role has written, in its own log: all of them, also where the state keeps fewer."""
    if step.role is None:
        return
    number = session.state().current_iteration
    if isinstance(outcome, ImplementationOutcome):
        _log_changes(session, step.role, implemented_lines(outcome, step, number, at))
    elif files := files_of(outcome):
        known = {line.file for line in changes_in(_log_of(session, step.role))}
        words = f"{step.key}: {result_words(outcome)}"
        _log_changes(session, step.role, _entries(files, step.role, number, words, at, known))


def _entries(files: Iterable[str], role: str, iteration: int, words: str, at: str, known: set[str]) -> list[ChangeLog]:
    """Lines for documents, which are new unless they are `known`; afterwards all of them are."""
    lines = []
    for name in files:
        action: ChangeAction = "modify" if name in known else "create"
        known.add(name)
        lines.append(
            ChangeLog(timestamp=at, file=name, action=action, iteration=iteration, agent=role, description=words)
        )
    return lines


def _documents_written(entries: Sequence[JournalEntry], role: str) -> list[ChangeLog]:
    """What the journal knows of it; it may hold forged events, with anything in them."""
    found: list[ChangeLog] = []
    known: set[str] = set()
    for entry in entries:
        match entry.event.type, entry.event.data:
            case "step_finished", {
                "role": str(who),
                "files": list(files),
                "iteration": int(number),
                "step": str(step),
                "result": str(result),
                "at": str(at),
            } if who == role:
                found += _entries((str(name) for name in files), role, number, f"{step}: {result}", at, known)
    return found


def _log_changes(session: CycleSession, role: str, entries: Sequence[ChangeLog]) -> None:
    lines = missing_lines(entries, _log_of(session, role))
    session.store.append_progress(session.id, _log_name(role), [line.encode(errors="replace") for line in lines])


def _log_of(session: CycleSession, role: str) -> str:
    return _there(session, (_log_name(role),)).get(_log_name(role), b"").decode(errors="replace")


def _log_name(role: str) -> str:
    return f"{role}/changes.log"


def _keep(session: CycleSession, files: dict[str, bytes]) -> None:
    """Into the history, where a version is written once."""
    new = {name: data for name, data in files.items() if not (session.progress() / name).exists()}
    if new:
        session.store.write_progress(session.id, new)


def _lost(session: CycleSession) -> dict[str, bytes]:
    """Documents that somebody has removed, but for those of a role at work, which may be about to write them anew."""
    busy = _writing(session.state())
    return {
        name: data
        for name, data in session.documents.items()
        if name.partition("/")[0] not in busy and not os.path.lexists(session.progress() / name)
    }


def _writing(state: CycleState) -> frozenset[Role | None]:
    """Roles that are at work on their own documents; those of cd are the engine's."""
    return frozenset(step.role for step in steps_under_way(state)) - {"cd"}


def _there(session: CycleSession, names: Iterable[str]) -> dict[str, bytes]:
    """Those of the files that are there, as files of their own."""
    found = ((name, _bytes(session.progress() / name)) for name in names)
    return {name: data for name, data in found if data is not None}


def _bytes(path: Path) -> bytes | None:
    """Never through a link, and without waiting for a pipe."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    with open(descriptor, "rb") as file:
        return file.read() if stat.S_ISREG(os.fstat(descriptor).st_mode) else None
