"""Tests that do not end: each is ended alone, and the others have their results."""

import asyncio
from pathlib import Path

import pytest

from loopwright.core.ports import TestOrder
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestLimits, TestRun
from tests.validation.projects import PYTEST, PYTHON, UNITTEST, lay_out, message_of, statuses
from tests.validation.test_run import COMMANDS, FRAMEWORKS, KEYS, case, tagged

LIMIT = 1.5
WORDS = "did not end within 1.5 s (setting per_test_timeout)"


@pytest.fixture(autouse=True)
def _short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.evidence.run._GRACE", 1.0)  # 5 s else


def run(root: Path, command: str, limits: TestLimits | None = None, news: list[str] | None = None) -> TestRun:
    order = TestOrder(
        command, timeout=240, marker="loop-endless", limits=limits or TestLimits(LIMIT),
        on_news=(news if news is not None else []).append,
    )  # fmt: skip
    return asyncio.run(ProjectTests(root).run(order))


WAYS = {
    "computes": "while True: pass",
    "waits": "time.sleep(600)",
    "waits for a thread": "t = __import__('threading').Thread(target=time.sleep, args=(600,), daemon=True)\n"
    "        t.start(); t.join()",
    "waits for a program": "subprocess.run(['sleep', '600'])",
    "swallows what is raised": "exec('while True:\\n try: time.sleep(600)\\n except BaseException: pass')",
    "waits where no signal is heard": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 64)); time.sleep(600)",
    "took the signal away": "[signal.signal(n, signal.SIG_DFL) for n in range(34, 64)]; time.sleep(600)",
}


@FRAMEWORKS
@pytest.mark.parametrize("way", WAYS)
def test_it_is_ended_alone(tmp_path: Path, framework: str, way: str) -> None:
    case(tmp_path, "pass", WAYS[way], "pass", "self.fail('on purpose')")
    measured = run(tmp_path, COMMANDS[framework])
    key = KEYS[framework].format
    a, b, c, d = (key(f"test_{letter}") for letter in "abcd")
    assert statuses(measured) == {a: "passed", b: "failed", c: "passed", d: "failed"}
    assert message_of(measured, b) == WORDS
    assert (measured.trouble, measured.endless) == (None, {b: LIMIT})
    assert set(measured.sources) >= {a, b, c, d}
    assert tagged("loop-endless") == []


def test_where_it_hung_is_told(tmp_path: Path) -> None:
    lay_out(tmp_path, {"calc.py": "def spin():\n    while True:\n        pass\n",
                       "test_it.py": "import calc\ndef test_it(): calc.spin()\n"})  # fmt: skip
    (failure,) = run(tmp_path, PYTEST).results
    assert "calc.py:" in (failure.stack_trace or "")


def test_with_several_workers(tmp_path: Path) -> None:
    case(tmp_path, "time.sleep(600)", "pass", WAYS["swallows what is raised"], "pass")
    measured = run(tmp_path, f"{PYTEST} -p xdist -n 2")
    assert [statuses(measured)[KEYS["pytest"].format(f"test_{letter}")] for letter in "abcd"] == [
        "failed", "passed", "failed", "passed",
    ]  # fmt: skip
    assert {result.error_message for result in measured.results if result.status == "failed"} == {WORDS}
    assert measured.trouble is None


def test_behind_a_script_that_hands_on_the_environment(tmp_path: Path) -> None:
    case(tmp_path, "pass", WAYS["swallows what is raised"], "pass")
    lay_out(tmp_path, {"run.sh": f"{PYTEST} -q\n"})
    measured = run(tmp_path, "sh run.sh")
    assert sorted(statuses(measured).values()) == ["failed", "passed", "passed"]
    assert (measured.trouble, measured.runner) == (None, "wrapper")


def test_it_is_judged_by_all_others_and_so_once_more_where_it_came_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.evidence.testing.LEAST", 2.0)  # 20 s else
    slow = "time.sleep(3.5); open('ended', 'a').write('.')"
    case(tmp_path, slow, "time.sleep(1.5)")
    news: list[str] = []
    measured = run(tmp_path, PYTEST, TestLimits(), news)
    assert set(statuses(measured).values()) == {"passed"}
    assert (measured.endless, measured.exit_code, (tmp_path / "ended").read_text()) == ({}, 0, ".")
    assert "did not end within 2 s" in news[0]


def test_what_tests_share_is_not_the_time_of_the_first_of_them(tmp_path: Path) -> None:
    lay_out(tmp_path, {"test_it.py": """\
        import time, pytest

        @pytest.fixture(scope="session")
        def service():
            time.sleep(2.5)
            yield
            time.sleep(2.5)

        def test_a(service): pass
        def test_b(service): pass
        """})  # fmt: skip
    assert set(statuses(run(tmp_path, PYTEST)).values()) == {"passed"}


def test_one_that_is_known_gets_its_limit_at_once(tmp_path: Path) -> None:
    case(tmp_path, "pass", "time.sleep(600)", "pass")
    key = KEYS["pytest"].format("test_b")
    measured = run(tmp_path, PYTEST, TestLimits(known={key: 2}))
    assert measured.endless == {key: 2}


def test_what_the_test_starts_hears_nothing_of_it(tmp_path: Path) -> None:
    asks = f"subprocess.run([{PYTHON!r}, '-c', 'import signal; assert not signal.getsignal(45)'], check=True)"
    case(tmp_path, asks)
    assert set(statuses(run(tmp_path, UNITTEST)).values()) == {"passed"}


@FRAMEWORKS
def test_the_first_failure_is_told_while_the_tests_run(tmp_path: Path, framework: str) -> None:
    """The next test ends only when somebody has heard of it."""
    fails = "self.fail('on purpose')"
    case(tmp_path, fails, "while not os.path.exists('heard'): time.sleep(0.02)", fails)
    news: list[str] = []

    def hear(words: str) -> None:
        news.append(words)
        (tmp_path / "heard").touch()

    order = TestOrder(COMMANDS[framework], 60, "loop-endless", on_news=hear, limits=TestLimits(30.0))
    measured = asyncio.run(ProjectTests(tmp_path).run(order))
    key = KEYS[framework].format
    assert list(statuses(measured).values()) == ["failed", "passed", "failed"]
    assert [words.partition(": ")[0] for words in news] == [f"{key('test_a')} failed"]
    assert "on purpose" in news[0]
