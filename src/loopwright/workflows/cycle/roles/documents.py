"""What a role has written into its own folder: read with care, and asked for once more where it cannot be taken."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from loopwright.core.cycle_names import CycleStep, Role
from loopwright.core.errors import AgentError, Invalid, NotFound
from loopwright.core.progress_files import read_text
from loopwright.core.record import Record
from loopwright.core.text import clip_text, drop_surrogates, plural
from loopwright.evidence.testing import Coverage, TestResult
from loopwright.reports.phase import PhaseReport
from loopwright.workflows.cycle.documents import without_header
from loopwright.workflows.cycle.model import version_of
from loopwright.workflows.cycle.session import CycleSession
from loopwright.workflows.cycle.templates import FailingTest, FoundTests

T = TypeVar("T")

LONGEST = 100_000
"""Characters of a document; more is none that another role reads."""

SHORTEST = 200
"""Characters of a report's summary that may stand for a document nobody wrote."""


def read_written(folder: Path, name: str) -> str:
    """The text of a document without its header; empty where there is none. Invalid where it cannot be taken."""
    try:
        text, is_cut = read_text(folder, name)
    except NotFound:
        if (folder / name).exists() or (folder / name).is_symlink():
            raise Invalid(f"{name} is not a regular file; write it as one") from None
        return ""
    text = without_header(drop_surrogates(text)).strip()
    if is_cut or len(text) > LONGEST:
        raise Invalid(f"{name} is longer than {LONGEST:,} characters; keep what others need")
    return text


def read_previous(folder: Path, name: str) -> str:
    """The text as it was when a turn began; what could not be taken then will be written anew."""
    try:
        return read_written(folder, name)
    except Invalid:
        return ""


def find_reported(report: PhaseReport, sign: str) -> str:
    """The document that a role put into its report instead of a file; `sign`: what its text holds. Else empty."""
    text = report.summary.strip()
    return text if len(text) >= SHORTEST and sign in text else ""


async def ask_role(
    session: CycleSession, role: Role, step: CycleStep, order: str, take: Callable[[PhaseReport], T]
) -> tuple[PhaseReport, T]:
    """One turn, and what `take` makes of what was written; another turn where that is Invalid. AgentError."""
    report = await session.ask(role, step, order, reading=True)
    try:
        return report, take(report)
    except Invalid as error:
        problem = str(error)
    if report.status == "failed":
        raise AgentError("protocol", _failure(role, report, problem))
    session.note("asked_again", f"{role} was asked again: {problem}")
    mend = session.prompts.render("mend", problem=problem, folder=str(session.folder(role)))
    report = await session.ask(role, step, mend, reading=True)
    try:
        return report, take(report)
    except Invalid as error:
        raise AgentError("protocol", _failure(role, report, str(error))) from error


def keep_documents(session: CycleSession, files: dict[str, str]) -> None:
    """Writes documents of ours or of a report to their places; names below the progress folder."""
    session.store.write_progress(session.id, {name: f"{text.rstrip()}\n".encode() for name, text in files.items()})


def add_discoveries(session: CycleSession, role: Role, entries: Iterable[Mapping[str, object]]) -> None:
    """Tells the board, as an agent without our tools does: by lines in the role's own folder."""
    lines = [json.dumps(entry, ensure_ascii=False).encode(errors="replace") for entry in entries]
    session.store.append_progress(session.id, f"{role}/discoveries.ndjson", lines)


def _failure(role: Role, report: PhaseReport, problem: str) -> str:
    words = [problem]
    if report.status in ("failed", "partial") and report.summary:
        words = [f"{role} reports {report.status}: {report.summary}", problem]
    words += [blocker.description for blocker in report.blockers]
    return clip_text("; ".join(words), 1000)


NAME, COVERAGE = "failures.json", "coverage.json"
KEPT = 200
"""Failures that the file holds."""
WORDS, TRACE = 2_000, 8_000
"""Characters of a failure's message, and of its stack trace."""
SHOWN = 10


class _Covered(Record):
    files: dict[str, float] = Field(default_factory=dict)


_FAILURES = TypeAdapter(tuple[FailingTest, ...])


def keep_failures(session: CycleSession, results: Sequence[TestResult]) -> None:
    """Rewrites the file with the tests that fail now."""
    failed = [
        FailingTest(test=r.key, error=(r.error_message or "")[:WORDS], trace=(r.stack_trace or "")[-TRACE:])
        for r in results
        if r.status == "failed"
    ]
    text = json.dumps([f.model_dump(mode="json") for f in failed[:KEPT]], ensure_ascii=False, indent=2)
    session.store.write_progress(session.id, {f"vas/{NAME}": f"{text}\n".encode(errors="replace")})


def keep_coverage(session: CycleSession, coverage: Coverage | None) -> None:
    """vas/coverage.json of the first run; each validation writes it again, in the same shape."""
    document = {
        "version": version_of(session.state().current_iteration),
        "measured": coverage is not None,
        "percent": coverage.percent if coverage else 0.0,
        "files": coverage.files if coverage else {},
    }
    text = json.dumps(document, ensure_ascii=False, indent=2)
    session.store.write_progress(session.id, {f"vas/{COVERAGE}": f"{text}\n".encode(errors="replace")})


def list_failures(session: CycleSession) -> tuple[FailingTest, ...]:
    """The tests that failed when they ran last, by the state; in the words of the file where it has them."""
    state = session.state()
    if state.test_results is not None:
        names: tuple[str, ...] = state.test_results.failed_tests
    else:
        baseline = state.engine.baseline
        names = tuple(k for k, test in baseline.tests.items() if test.status == "failed") if baseline else ()
    told = {failure.test: failure for failure in _in_file(session)}
    return tuple(told.get(name) or FailingTest(test=name) for name in names)


def list_found_tests(session: CycleSession) -> FoundTests:
    """The tests as the last run found them."""
    engine = session.state().engine
    tests = engine.baseline.tests if engine.baseline else {}
    return FoundTests(
        command=engine.settings.test_command or "",
        total=len(tests),
        passing=sum(test.status == "passed" for test in tests.values()),
        failing=list_failures(session),
        names=tuple(tests),
        coverage=_covered(session),
    )


def describe_tests(session: CycleSession) -> str:
    """How the tests stand, for a role's message."""
    state = session.state()
    if state.engine.tests_found is None:
        return "not known yet; their first run is in progress"
    if not state.engine.tests_found:
        return "none were found"
    failing = list_failures(session)
    if not failing:
        return "all pass"
    named = ", ".join(failure.test for failure in failing[:SHOWN])
    more = f" and {plural(len(failing) - SHOWN, 'other')}" if len(failing) > SHOWN else ""
    return f"{len(failing)} failed: {named}{more}; messages in {session.folder('vas') / NAME}"


def _in_file(session: CycleSession) -> tuple[FailingTest, ...]:
    """A projection: where it is gone or spoilt, only the words are missing."""
    try:
        return _FAILURES.validate_json(read_text(session.folder("vas"), NAME).text)
    except (NotFound, ValidationError):
        return ()


def _covered(session: CycleSession) -> dict[str, float]:
    try:
        return _Covered.model_validate_json(read_text(session.folder("vas"), COVERAGE).text).files
    except (NotFound, ValidationError):
        return {}
