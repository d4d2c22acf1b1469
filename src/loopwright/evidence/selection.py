"""Which tests are run first, because they can refute the work before all are run. A selected run only ever refutes."""

from collections.abc import Collection

from loopwright.core.state import Baseline, Require
from loopwright.evidence.testing import LEAST, TIMES, TestLimits, TestRun
from loopwright.evidence.verdict import file_of

WORTH_SELECTING = 20.0
"""Seconds that all tests took; where they took less, all are run at once."""


def select_tests(whole: TestRun, changed: Collection[str]) -> tuple[str, ...]:
    """Tests that failed when all were run last, and those in the files that changed since; with those in files that
    import what changed, directly or not, where all that is a quarter at most. None where all shall be run: the last run
    was quick or had trouble, or more than half would be selected.
    """
    if whole.trouble is not None or whole.exit_code is None or whole.duration_ms < WORTH_SELECTING * 1000:
        return ()
    keys = [result.key for result in whole.results]
    for files, share in ((_list_importers(whole, changed), 0.25), (changed, 0.5)):
        selected = tuple(dict.fromkeys((*whole.failed, *(key for key in keys if file_of(key) in files))))
        if len(selected) <= share * len(keys):
            return selected
    return ()


def _list_importers(whole: TestRun, changed: Collection[str]) -> frozenset[str]:
    """The changed files, and all that import one of them or one of these."""
    importers: dict[str, list[str]] = {}
    for file, named in whole.imports.items():
        for other in named:
            importers.setdefault(other, []).append(file)
    found, queue = set(changed), list(changed)
    for file in queue:
        new = [importer for importer in importers.get(file, ()) if importer not in found]
        found.update(new)
        queue += new
    return frozenset(found)


def limit_selected(limits: TestLimits, whole: TestRun, selected: Collection[str]) -> TestLimits:
    """The limits of single tests as they are where all are run: beside few others, a slow test would look endless."""
    usual = max(LEAST, TIMES * sum(result.duration_ms for result in whole.results) / 1000)
    return TestLimits(limits.fixed, {**dict.fromkeys(selected, usual), **limits.known})


def refutes(run: TestRun, selected: Collection[str], baseline: Baseline, require: Require) -> bool:
    """Whether the run of the selected tests alone shows that the work does not pass, or that a file of theirs cannot
    even be loaded.
    """
    failed = frozenset(run.failed) & {*selected, *map(file_of, selected)}
    if require != "all":
        failed -= {key for key, test in baseline.tests.items() if test.status == "failed"}
    return run.trouble is None and run.exit_code is not None and bool(failed)


def merge_runs(whole: TestRun, run: TestRun, selected: Collection[str]) -> TestRun:
    """What is known of all tests: of the selected ones by their run, and of the others by the last run of all."""
    others = (result for result in whole.results if result.key not in selected)
    results = {result.key: result for result in (*others, *run.results)}
    return run.evolve(
        results=tuple(results.values()), sources={**whole.sources, **run.sources}, coverage=whole.coverage
    )
