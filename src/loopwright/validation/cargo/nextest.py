"""Reports of cargo nextest, with tests named as `cargo test` has them here."""

from dataclasses import replace
from pathlib import Path

from loopwright.domain.loop import TestResult
from loopwright.validation import junit
from loopwright.validation.cargo import printed
from loopwright.validation.reading import Reading
from loopwright.validation.recording.shims import Recording

_NO_TESTS = 4
"""Exit status by which nextest says that there are none."""


def read(recording: Recording, reports: list[Path]) -> Reading:
    """The tests of the reports of one call; what could not be compiled is one failed test."""
    found = junit.read([("", report) for report in reports])
    results = [*map(_named, found.results), *printed.not_compiled(recording.output.split("\n"))]
    has_failed = any(result.status == "failed" for result in results)
    has_ended = found.complete or has_failed or recording.exit_code == _NO_TESTS
    explained = recording.exit_code == 0 or has_failed or not results
    return replace(
        found,
        results=tuple(results),
        complete=recording.exit_code is not None and has_ended and explained,
        reported=True,
    )


def _named(result: TestResult) -> TestResult:
    """A binary id `crate::target` or `crate::kind/target` becomes the suite `crate/target` or `crate/kind/target`."""
    return result.evolve(suite=result.suite.replace("::", "/", 1))
