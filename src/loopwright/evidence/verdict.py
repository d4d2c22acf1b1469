"""What a test run is worth: compared with the first one, and judged."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport
from loopwright.core.state import Baseline, BaselineTest, CommittedTests, Require
from loopwright.core.text import plural
from loopwright.evidence.proof import join_names
from loopwright.evidence.test_material import holds_tests
from loopwright.evidence.testing import BUILD, RunTrouble, TestRun, learn_limits
from loopwright.reports.proposals import MAY_UPDATE, read_proposals

NAMES_SHOWN = 5

_FILE = re.compile(r"[^:]+\.\w{1,5}(?=::|$)")
"""The file that a test's key begins with, where runners put it there."""

TROUBLES: dict[RunTrouble, str] = {
    "timeout": "the test run took too long",
    "silent": "the test run hung",
    "no_tests": "no tests were found",
    "crashed": "the test command failed by itself (exit code {exit_code})",
    "unparsable": "the test results could not be read",
}


@dataclass(frozen=True)
class Comparison:
    """Keys of tests that differ from the baseline.

    `changed`: the test is not the one it was, or what it rests on is not. `suspicious`: failed before, passes now, and
    owes that to changed tests, which nobody allowed. `outgrown`: passed before, and passes now only as it was changed.
    `new_failures`: failed now, and did not in the baseline.
    """

    vanished: tuple[str, ...] = ()
    newly_skipped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    suspicious: tuple[str, ...] = ()
    outgrown: tuple[str, ...] = ()
    new_failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class MaterialDoubt:
    """Test material (project-relative files) that is not what it was for the baseline.

    `first`: the present product, run with the first version of that material; None where that was not done.
    """

    material: tuple[str, ...]
    first: TestRun | None = None


def baseline_of(run: TestRun, tree: str, at: str, commit: str | None = None) -> Baseline:
    """What later runs are compared with; `commit` holds the files of it."""
    tests = {
        result.key: BaselineTest(status=result.status, source=run.sources.get(result.key, "")) for result in run.results
    }
    return Baseline(
        tree=tree, at=at, tests=tests, commit=commit, endless=learn_limits(run) or None, from_files=run.from_files
    )


def count_as_committed(
    baseline: Baseline, committed: TestRun, here: TestRun, material: Sequence[str], commit: str
) -> Baseline:
    """The baseline `here`, but for tests that were others where the run `committed` was made, on `commit`.

    `material`: files of the tests that differ.
    """
    before = baseline_of(committed, baseline.tree, baseline.at)
    found = compare_runs(before, here, allow_changes=True, doubt=MaterialDoubt(tuple(material)))
    keys = tuple(key for key in before.tests if key in {*found.vanished, *found.newly_skipped, *found.changed})
    if not keys:
        return baseline
    tests = {**baseline.tests, **{key: before.tests[key] for key in keys}}
    return baseline.evolve(tests=tests, committed=CommittedTests(commit=commit, tests=keys))


def believe(run: TestRun, baseline: Baseline | None) -> TestRun:
    """The run without what reports say, where a framework itself told the results of the first one."""
    if baseline is None or baseline.from_files is not False or not run.from_files or not baseline.tests:
        return run
    why = "the command left reports, but no test framework told of a test, as one did in the first run"
    return run.evolve(results=(), sources={}, coverage=None, trouble="unparsable", why=why)


def list_repaired(baseline: Baseline, run: TestRun) -> tuple[str, ...]:
    """Tests that failed before and do not now: only these can owe their pass to a change of the tests."""
    now = _statuses(run)
    failed = (key for key, test in baseline.tests.items() if test.status == "failed")
    return tuple(key for key in failed if _standing(key, now) == "passed")


def compare_runs(
    baseline: Baseline, run: TestRun, *, allow_changes: bool, doubt: MaterialDoubt | None = None
) -> Comparison:
    """Every difference that matters. Tests that the baseline does not know are always welcome."""
    before = baseline.tests
    now = _statuses(run)
    standing = {key: _standing(key, now) for key in before}
    material = doubt.material if doubt else ()
    renamed = _renamed(before, standing, run)
    changed = tuple(
        key
        for key, test in before.items()
        if key in renamed or (standing[key] and _is_changed(key, test.source, run, material))
    )
    differing = frozenset(changed)
    again = _Again(doubt.first if doubt else None, {key: run.sources.get(key, "") for key in changed})
    suspicious = tuple(key for key in list_repaired(baseline, run) if again.doubts(key, changed=key in differing))
    return Comparison(
        vanished=tuple(key for key in before if standing[key] is None and key not in renamed),
        newly_skipped=tuple(k for k, test in before.items() if standing[k] == "skipped" != test.status),
        changed=changed,
        suspicious=() if allow_changes else suspicious,
        outgrown=tuple(
            key
            for key in changed
            if before[key].status == "passed" == (standing[key] or "passed") and again.standing(key) == "failed"
        ),
        new_failures=find_new_failures(baseline, run),
    )


def find_new_failures(baseline: Baseline, run: TestRun) -> tuple[str, ...]:
    """Tests that fail and did not in the first run."""
    before = baseline.tests
    return tuple(key for key in run.failed if (known := before.get(key)) is None or known.status != "failed")


class _Again:
    """What the run with the first version of the tests says of a test that passes with the present one."""

    def __init__(self, first: TestRun | None, changed: Mapping[str, str]) -> None:
        self._now = _statuses(first) if first else {}
        self._worked = "passed" in self._now.values()
        # A test inside of a product file was not put back: what ran there is its changed version.
        sources = first.sources if first else {}
        self._still_changed = frozenset(key for key, source in changed.items() if source and source == sources.get(key))

    def standing(self, key: str) -> str | None:
        """Its status there; None where it was not run in its first version."""
        return None if key in self._still_changed else _standing(key, self._now)

    def doubts(self, key: str, *, changed: bool) -> bool:
        """A run that could not run anything clears nobody, and accuses nobody either."""
        standing = self.standing(key)
        if standing is None:
            return changed or self._worked
        return standing != "passed"


def describe_differences(comparison: Comparison, *, allow_changes: bool) -> tuple[tuple[str, str], ...]:
    """What a person shall know of the differences: kind and words of one incident each."""
    reported = tuple(key for key in comparison.changed if key not in (*comparison.suspicious, *comparison.outgrown))
    allowed = " (allowed)" if allow_changes else ""
    lines = (
        ("tests_vanished", "of the first run missing", comparison.vanished),
        ("tests_skipped", "skipped that ran in the first run", comparison.newly_skipped),
        ("tests_suspicious", "passing only since the tests were changed", comparison.suspicious),
        (
            "tests_outgrown",
            f"passing only in the changed version, no longer in the first{allowed}",
            comparison.outgrown,
        ),
        ("tests_changed", f"changed since the first run{allowed}", reported),
    )
    return tuple(
        (kind, f"{plural(len(keys), 'test')} {words}: {join_names(keys, NAMES_SHOWN)}")
        for kind, words, keys in lines
        if keys
    )


def judge_run(
    run: TestRun,
    comparison: Comparison,
    *,
    require: Require,
    min_pass_rate: float,
    min_coverage: float,
    loose: tuple[str, ...] = (),
) -> tuple[bool, tuple[str, ...]]:
    """Whether the run passes, and every reason why not, in words. Rates in percent; skipped tests count in none.

    `loose`: files that changed while it ran.
    """
    failed = run.failed if require == "all" else comparison.new_failures
    reasons = [
        f"{len(keys)} {words}: {join_names(keys, NAMES_SHOWN)}"
        for words, keys in (
            ("failed" if require == "all" else "failed that did not fail in the first run", failed),
            ("of the first run missing", comparison.vanished),
            ("skipped that ran in the first run", comparison.newly_skipped),
            ("passing only since the tests were changed", comparison.suspicious),
            ("of the project's files changed while the tests ran", loose),
        )
        if keys
    ]
    if run.trouble is not None:
        words = TROUBLES[run.trouble].format(exit_code=run.exit_code)
        reasons.insert(0, f"{words}: {run.why}" if run.why else words)
    elif not run.passed_count:
        reasons.insert(0, "no test passed")
    reasons += _below(run, len(failed), min_pass_rate, min_coverage)
    return not reasons, tuple(reasons)


def _statuses(run: TestRun) -> dict[str, str]:
    return {result.key: result.status for result in run.results}


def _renamed(before: Mapping[str, BaselineTest], standing: Mapping[str, str | None], run: TestRun) -> frozenset[str]:
    """Tests that passed and are gone, where as many new ones of the same name ran: they count as changed.

    Their class, file or parameter set is another now. The names of some sets hold the time of the run.
    """
    gone = [key for key, test in before.items() if standing[key] is None and test.status == "passed"]
    new = Counter(
        _name(result.key) for result in run.results if result.key not in before and result.status != "skipped"
    )
    missing = Counter(map(_name, gone))
    return frozenset(key for key in gone if new[_name(key)] >= missing[_name(key)])


def _name(key: str) -> str:
    """The test's own name, without what it stands in and without its parameter set."""
    inside = key.partition("::")[2]
    return inside.partition("[")[0].rpartition("::")[2].rpartition(" > ")[2] or inside or key


def _standing(key: str, now: Mapping[str, str]) -> str | None:
    """The test's status; for a module or folder (so without `::`) that could not be loaded, that of what is inside."""
    if key in now:
        return now[key]
    if "::" in key:
        return None
    if key == BUILD or key.startswith(f"{BUILD} of "):  # there are tests, so it was built
        return "passed" if any("::" in other for other in now) else None
    inside = {now[other] for other in now if other.startswith((f"{key}::", f"{key}/", f"{key}."))}
    return next((status for status in ("failed", "passed", "skipped") if status in inside), None)


def file_of(key: str) -> str | None:
    """The file that a test's key names, where its runner puts one there."""
    found = _FILE.match(key)
    return found[0] if found else None


def test_file_of(key: str) -> str | None:
    """The file that a test is collected from, whatever it is called; none for doctests, which stand in the product."""
    file = file_of(key)
    is_doctest = file is not None and file.endswith(".py") and "." in key.rpartition("::")[2].partition("[")[0]
    return None if is_doctest else file


def _is_changed(key: str, source: str, run: TestRun, material: tuple[str, ...]) -> bool:
    """By its digest; where there was none, by the files that changed."""
    if source:
        return run.sources.get(key, "") != source
    own = file_of(key)
    return any(own is None or own == file or not holds_tests(file) for file in material)


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


WORDS_SHOWN = 160

_GREEN = re.compile(
    r"\btests?\b[^.;\n]{0,40}\b(?:pass|passes|passed|passing|green|succeeded)\b"
    r"|\b(?:pass|passes|passed|passing)\b[^.;\n]{0,20}\btests?\b|\ball green\b",
    re.IGNORECASE,
)
_UNSURE = re.compile(r"\b(?:not?|cannot|fail\w*|should|would|will|may|might|until|once|if)\b|n't\b", re.IGNORECASE)
_OURS = (".workflow", ".loop")


def refused_updates(action: ActionName, report: ActionReport) -> str | None:
    """Words about state updates that are not the agent's to make, or that nobody can read."""
    strange = sorted(str(key) for key in report.state_updates.keys() - MAY_UPDATE.get(action, frozenset()))
    wrong = [f"{action} tried to set {_listed(strange)}; an agent's words change no state"] if strange else []
    if refused := read_proposals(action, report).refused:
        wrong.append(f"{action} proposed {', and '.join(refused)}")
    if report.unread:
        wrong.append(f"{action} gave {report.unread} that cannot be read")
    return "; ".join(wrong) or None


def unmeasured_files(action: ActionName, report: ActionReport, project: str, changed: Collection[str]) -> str | None:
    """Words about files that the agent says it changed, where no change was measured."""
    named = (name.strip().removeprefix(f"{project}/").removeprefix("./") for name in report.files_updated)
    untrue = [name for name in named if name and not _is_covered(name, changed)]
    return f"{action} said that it changed {_listed(untrue)}; no change was measured there" if untrue else None


def files_named(words: str, files: Collection[str]) -> tuple[str, ...]:
    """Files of the project that the words name."""
    return tuple(file for file in files if file in words)


def claims_green_tests(report: ActionReport) -> bool:
    """Whether the agent says that the tests pass."""
    return _GREEN.search(report.message) is not None and _UNSURE.search(report.message) is None


def quote_words(words: str) -> str:
    """An agent's words as they fit into one line."""
    line = " ".join(words.split())
    return f"“{line[:WORDS_SHOWN]}{'…' if len(line) > WORDS_SHOWN else ''}”"


def _is_covered(name: str, changed: Collection[str]) -> bool:
    """Whether it changed, is a folder in which something did, or is none of the project's files."""
    folder = name.rstrip("/") + "/"
    outside = name.startswith(("/", "~", "../", *(f"{ours}/" for ours in _OURS))) or name == "path"
    return outside or name in changed or any(file.startswith(folder) for file in changed)


def _listed(names: Sequence[str]) -> str:
    return join_names([name[:WORDS_SHOWN] for name in names], NAMES_SHOWN)
