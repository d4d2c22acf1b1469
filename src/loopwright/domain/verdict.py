"""What a test run is worth: compared with the first one, and judged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loopwright.domain.engine_state import Baseline, BaselineTest, Require
from loopwright.domain.testing import RunTrouble, TestRun

NAMES_SHOWN = 5

TROUBLES: dict[RunTrouble, str] = {
    "timeout": "the test run took too long and was ended",
    "no_tests": "no tests were found",
    "crashed": "the test command failed by itself (exit code {exit_code})",
    "unparsable": "the test results could not be read",
}


@dataclass(frozen=True)
class Comparison:
    """Keys of tests that differ from the baseline.

    `changed`: the test's own source is another one. `suspicious`: changed, failed before, passes now, and nobody
    allowed that. `new_failures`: failed now, and did not in the baseline.
    """

    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()
    new_failures: tuple[str, ...] = ()


def baseline_of(run: TestRun, tree: str, at: str) -> Baseline:
    """What later runs are compared with."""
    tests = {
        result.key: BaselineTest(status=result.status, source=run.sources.get(result.key, "")) for result in run.results
    }
    return Baseline(tree=tree, at=at, tests=tests)


def compare(baseline: Baseline, run: TestRun, *, allow_changes: bool) -> Comparison:
    """Every difference that matters. Tests that the baseline does not know are always welcome."""
    before = baseline.tests
    now = {result.key: result.status for result in run.results}
    # A module that could not be loaded was one failed test; it is mended when its own tests are there.
    mended = {key for key in before if key not in now and _is_loaded(key, now)}
    changed = tuple(
        key
        for key, test in before.items()
        if (key in now or key in mended) and test.source and run.sources.get(key, test.source) != test.source
    )
    suspicious = tuple(
        key for key in changed if before[key].status == "failed" and (key in mended or now[key] == "passed")
    )
    return Comparison(
        vanished=tuple(key for key in before if key not in now and key not in mended),
        newly_skipped=tuple(k for k, test in before.items() if now.get(k) == "skipped" and test.status != "skipped"),
        changed=changed,
        suspicious=() if allow_changes else suspicious,
        new_failures=tuple(key for key in run.failed if (known := before.get(key)) is None or known.status != "failed"),
    )


def verdict(
    run: TestRun, comparison: Comparison, *, require: Require, min_pass_rate: float, min_coverage: float
) -> tuple[bool, tuple[str, ...]]:
    """Whether the run passes, and every reason why not, in words. Rates in percent; skipped tests count in none."""
    failed = run.failed if require == "all" else comparison.new_failures
    reasons = [
        f"{len(keys)} {words}: {_named(keys)}"
        for words, keys in (
            ("failed" if require == "all" else "failed that did not fail in the first run", failed),
            ("of the first run missing", comparison.vanished),
            ("skipped that ran in the first run", comparison.newly_skipped),
            ("passing only since its own code was changed", comparison.suspicious),
        )
        if keys
    ]
    if run.trouble is not None:
        reasons.insert(0, TROUBLES[run.trouble].format(exit_code=run.exit_code))
    elif not run.passed_count:
        reasons.insert(0, "no test passed")
    reasons += _below(run, len(failed), min_pass_rate, min_coverage)
    return not reasons, tuple(reasons)


def _is_loaded(key: str, now: Mapping[str, str]) -> bool:
    """Whether what could not be loaded under this key (a module or folder, so without `::`) now has tests inside."""
    return "::" not in key and any(other.startswith((f"{key}::", f"{key}/", f"{key}.")) for other in now)


def _below(run: TestRun, failed: int, min_pass_rate: float, min_coverage: float) -> list[str]:
    reasons = []
    judged = run.passed_count + failed
    rate = 100 * run.passed_count / judged if judged else 0.0
    if judged and rate < min_pass_rate:
        reasons.append(f"{rate:.1f} % of the tests pass, {min_pass_rate:g} % are required")
    if min_coverage > 0 and run.coverage is None:
        reasons.append(f"coverage could not be measured, {min_coverage:g} % is required")
    elif run.coverage is not None and run.coverage.percent < min_coverage:
        reasons.append(f"coverage is {run.coverage.percent:.1f} %, {min_coverage:g} % is required")
    return reasons


def _named(keys: Sequence[str]) -> str:
    more = len(keys) - NAMES_SHOWN
    return ", ".join(keys[:NAMES_SHOWN]) + (f" and {more} more" if more > 0 else "")
