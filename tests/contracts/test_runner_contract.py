"""What every test runner keeps to: the one that tests of the engine steer, and the real ones."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.core.ports import TestOrder, TestRunner
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun, TestStatus
from tests.fakes import JudgedTests
from tests.validation.projects import PYTEST, UNITTEST

Verdicts = dict[str, TestStatus]


@dataclass(frozen=True)
class Bench:
    """A runner, its command, and a way to make its project's tests end as wished."""

    runner: TestRunner
    command: str
    arrange: Callable[[Verdicts], None]

    def run(self) -> TestRun:
        return asyncio.run(self.runner.run(TestOrder(self.command, timeout=60, marker="loop-contract")))


def _judged(root: Path) -> Bench:
    verdicts: dict[str, str] = {}
    return Bench(JudgedTests(root, lambda _: verdicts), "judge", verdicts.update)


def _case(verdicts: Verdicts) -> str:
    bodies = {"passed": "pass", "failed": "self.fail('no')", "skipped": "self.skipTest('why')"}
    methods = "".join(f"    def test_{name}(self):\n        {bodies[status]}\n" for name, status in verdicts.items())
    return f"import unittest\nclass Case(unittest.TestCase):\n    x = 1\n{methods}"


def _real(command: str) -> Callable[[Path], Bench]:
    def bench(root: Path) -> Bench:
        (root / "test_it.py").write_text(_case({}))
        return Bench(ProjectTests(root), command, lambda verdicts: _write(root / "test_it.py", _case(verdicts)))

    return bench


def _write(path: Path, text: str) -> None:
    path.write_text(text)


@pytest.fixture(params=[_judged, _real(PYTEST), _real(UNITTEST)], ids=["judged", "pytest", "unittest"])
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    made: Bench = request.param(tmp_path)
    return made


def test_a_detected_command_can_be_started(bench: Bench) -> None:
    bench.arrange({"a": "passed"})
    command = bench.runner.detect()
    assert command is not None
    bench.runner.check(command)


def test_a_program_that_does_not_exist_is_refused(bench: Bench) -> None:
    with pytest.raises(Invalid, match="no-such-program"):
        bench.runner.check("no-such-program --all")


def test_results_are_those_of_the_tests(bench: Bench) -> None:
    bench.arrange({"a": "passed", "b": "failed", "c": "skipped", "d": "passed"})
    measured = bench.run()
    assert [result.status for result in measured.results] == ["passed", "failed", "skipped", "passed"]
    assert (measured.passed_count, len(measured.failed), measured.trouble) == (2, 1, None)
    assert measured.failed[0].endswith("b")
    assert measured.exit_code != 0
    assert measured.command == bench.command


def test_all_green(bench: Bench) -> None:
    bench.arrange({"a": "passed"})
    measured = bench.run()
    assert (measured.exit_code, measured.failed, measured.trouble) == (0, (), None)


def test_no_tests_is_a_trouble_and_not_a_pass(bench: Bench) -> None:
    measured = bench.run()
    assert (measured.results, measured.trouble) == ((), "no_tests")


def test_keys_stay_the_same_from_run_to_run(bench: Bench) -> None:
    bench.arrange({"a": "passed", "b": "failed"})
    first, second = bench.run(), bench.run()
    assert [result.key for result in first.results] == [result.key for result in second.results]
    assert first.sources == second.sources
