"""What the test runs of a cycle have shown, kept where every role can read it: vas/failures.json."""

import json
from collections.abc import Sequence

from pydantic import Field, TypeAdapter, ValidationError

from loopwright.cycle.session import CycleSession
from loopwright.domain.cycle import version_of
from loopwright.domain.cycle_templates import Failure, FoundTests
from loopwright.domain.errors import NotFound
from loopwright.domain.loop import TestResult
from loopwright.domain.record import Record
from loopwright.domain.testing import Coverage
from loopwright.domain.words import plural
from loopwright.engine.progress_files import shown

NAME, COVERAGE = "failures.json", "coverage.json"
KEPT = 200
"""Failures that the file holds."""
WORDS, TRACE = 2_000, 8_000
"""Characters of a failure's message, and of its stack trace."""
SHOWN = 10


class _Covered(Record):
    files: dict[str, float] = Field(default_factory=dict)


_FAILURES = TypeAdapter(tuple[Failure, ...])


def keep_failures(session: CycleSession, results: Sequence[TestResult]) -> None:
    """Rewrites the file with the tests that fail now."""
    failed = [
        Failure(test=r.key, error=(r.error_message or "")[:WORDS], trace=(r.stack_trace or "")[-TRACE:])
        for r in results
        if r.status == "failed"
    ]
    text = json.dumps([f.model_dump(mode="json") for f in failed[:KEPT]], ensure_ascii=False, indent=2)
    session.store.write_progress(session.id, {f"vas/{NAME}": f"{text}\n".encode(errors="replace")})


def keep_coverage(session: CycleSession, coverage: Coverage | None) -> None:
    """vas/coverage.json of the first run; each validation writes it again, in the same shape."""
    document = {
        "version": version_of(session.state().current_iteration), "measured": coverage is not None,
        "percent": coverage.percent if coverage else 0.0, "files": coverage.files if coverage else {},
    }  # fmt: skip
    text = json.dumps(document, ensure_ascii=False, indent=2)
    session.store.write_progress(session.id, {f"vas/{COVERAGE}": f"{text}\n".encode(errors="replace")})


def failures(session: CycleSession) -> tuple[Failure, ...]:
    """The tests that failed when they ran last, by the state; in the words of the file where it has them."""
    state = session.state()
    if state.test_results is not None:
        names: tuple[str, ...] = state.test_results.failed_tests
    else:
        baseline = state.engine.baseline
        names = tuple(k for k, test in baseline.tests.items() if test.status == "failed") if baseline else ()
    told = {failure.test: failure for failure in _in_file(session)}
    return tuple(told.get(name) or Failure(test=name) for name in names)


def found_tests(session: CycleSession) -> FoundTests:
    """The tests as the last run found them."""
    engine = session.state().engine
    tests = engine.baseline.tests if engine.baseline else {}
    return FoundTests(
        command=engine.settings.test_command or "", total=len(tests),
        passing=sum(test.status == "passed" for test in tests.values()), failing=failures(session),
        names=tuple(tests), coverage=_covered(session),
    )  # fmt: skip


def standing(session: CycleSession) -> str:
    """How the tests stand, for a role's message."""
    state = session.state()
    if state.engine.tests_found is None:
        return "they are being run for the first time just now"
    if not state.engine.tests_found:
        return "none were found"
    failing = failures(session)
    if not failing:
        return "all pass"
    named = ", ".join(failure.test for failure in failing[:SHOWN])
    more = f" and {plural(len(failing) - SHOWN, 'other')}" if len(failing) > SHOWN else ""
    return f"{len(failing)} failed: {named}{more}; messages in {session.folder('vas') / NAME}"


def _in_file(session: CycleSession) -> tuple[Failure, ...]:
    """A projection: where it is gone or spoilt, only the words are missing."""
    try:
        return _FAILURES.validate_json(shown(session.folder("vas"), NAME).text)
    except (NotFound, ValidationError):
        return ()


def _covered(session: CycleSession) -> dict[str, float]:
    try:
        return _Covered.model_validate_json(shown(session.folder("vas"), COVERAGE).text).files
    except (NotFound, ValidationError):
        return {}
