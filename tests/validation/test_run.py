"""Test runs that go wrong: hanging, flooding, dying, leaving children, or printing nothing that can be read."""

import asyncio
import os
import time
from functools import partial
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.core.ports import TestOrder
from loopwright.evidence.run import OUTPUT_KEPT, ProjectTests
from loopwright.evidence.testing import TestRun
from loopwright.processes.process import Patience
from loopwright.processes.process_tree import LOOP, carries_tags, list_processes
from tests.validation.projects import PYTEST, PYTHON, UNITTEST, lay_out, message_of, run, statuses

FRAMEWORKS = pytest.mark.parametrize("framework", ["pytest", "unittest"])
COMMANDS = {"pytest": PYTEST, "unittest": UNITTEST}
RAN_OUT = "still running when the test run took longer than 2.5 s and was ended (setting test_timeout)"
KEYS = {"pytest": "test_it.py::Case::{}", "unittest": "test_it.Case::{}"}


def case(root: Path, *bodies: str) -> None:
    """A test file whose tests a, b, c … have these bodies."""
    methods = "".join(f"    def test_{chr(97 + n)}(self):\n        {body}\n" for n, body in enumerate(bodies))
    lay_out(root, {"test_it.py": f"import os, signal, subprocess, sys, time, unittest\n"
                                 f"class Case(unittest.TestCase):\n{methods}"})  # fmt: skip


def run_both(root: Path, timeout: float, marker: str) -> dict[str, TestRun]:
    """The same tests with either framework, at once."""

    async def both() -> list[TestRun]:
        return await asyncio.gather(
            *(ProjectTests(root).run(TestOrder(command, timeout, marker)) for command in COMMANDS.values())
        )

    return dict(zip(COMMANDS, asyncio.run(both()), strict=True))


def tagged(marker: str) -> list[int]:
    return [process.pid for process in list_processes() if carries_tags(process.pid, {LOOP: marker})]


def test_a_hanging_test_has_failed_and_those_before_it_are_known(tmp_path: Path) -> None:
    case(tmp_path, "pass", "self.fail('early')", "time.sleep(60)", "pass")
    begun = time.monotonic()
    runs = run_both(tmp_path, timeout=2.5, marker="loop-hanging")
    assert time.monotonic() - begun < 10
    assert tagged("loop-hanging") == []
    for framework, measured in runs.items():
        key = KEYS[framework].format
        assert measured.trouble == "timeout"
        assert statuses(measured) == {key("test_a"): "passed", key("test_b"): "failed", key("test_c"): "failed"}
        assert message_of(measured, key("test_c")) == RAN_OUT
        assert set(measured.sources) >= {key(f"test_{letter}") for letter in "abcd"}


def test_a_silent_test_has_failed_long_before_the_run_takes_too_long(tmp_path: Path) -> None:
    case(tmp_path, "pass", "time.sleep(60)")
    measured = run(tmp_path, PYTEST, timeout=60, silence=2.5)
    why = "showed no activity for 2.5 s and was ended (setting silence_timeout)"
    assert (measured.trouble, measured.why) == ("silent", f"it {why}")
    assert message_of(measured, KEYS["pytest"].format("test_b")) == f"still running when the test run {why}"


def test_tests_that_come_to_their_end_are_a_sign_of_life(tmp_path: Path) -> None:
    case(tmp_path, *["time.sleep(0.8)"] * 5)
    measured = run(tmp_path, f"{PYTEST} > /dev/null 2>&1", timeout=60, silence=3)
    assert (measured.trouble, measured.why, measured.exit_code) == (None, None, 0)
    assert set(statuses(measured).values()) == {"passed"}


STAYS = "import threading; threading.Thread(target=time.sleep, args=(60,)).start()"


def test_tests_that_are_done_and_do_not_exit_are_ended_and_their_results_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.evidence.run.Patience", partial(Patience, farewell=1))  # 10 s else
    case(tmp_path, "pass", STAYS)
    measured = run(tmp_path, UNITTEST, timeout=50)
    assert set(statuses(measured).values()) == {"passed"}
    assert (measured.trouble, measured.exit_code) == (None, None)
    assert measured.why == "it was done, did not exit within 1 s, and was ended"


def test_a_test_that_ignores_all_signals_is_ended(tmp_path: Path) -> None:
    ignore = "[signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]"
    case(tmp_path, f"{ignore}; time.sleep(60)")
    runs = run_both(tmp_path, timeout=1.5, marker="loop-deaf")
    assert [measured.trouble for measured in runs.values()] == ["timeout", "timeout"]
    assert tagged("loop-deaf") == []


@FRAMEWORKS
@pytest.mark.parametrize("death", ["os._exit(0)", "os._exit(3)", "os.kill(os.getpid(), 9)"])
def test_a_test_that_ends_the_process_has_failed(tmp_path: Path, framework: str, death: str) -> None:
    case(tmp_path, "pass", death, "pass")
    measured = run(tmp_path, COMMANDS[framework])
    key = KEYS[framework].format
    assert statuses(measured) == {key("test_a"): "passed", key("test_b"): "failed"}
    assert "ended while this test was running" in message_of(measured, key("test_b"))
    assert measured.trouble == "crashed"


def test_leaving_pytest_early_hides_nothing(tmp_path: Path) -> None:
    lay_out(tmp_path, {"test_a.py": "import pytest\ndef test_1(): pytest.exit('bye', returncode=0)\ndef test_2(): 0\n"})
    measured = run(tmp_path, PYTEST)
    assert measured.exit_code == 0
    assert statuses(measured) == {"test_a.py::test_1": "failed"}


def test_an_interrupt_inside_of_a_test_is_a_crash(tmp_path: Path) -> None:
    lay_out(tmp_path, {"test_a.py": "def test_1(): pass\ndef test_2(): raise KeyboardInterrupt\n"})
    measured = run(tmp_path, PYTEST)
    assert (measured.trouble, statuses(measured)["test_a.py::test_2"]) == ("crashed", "failed")


@FRAMEWORKS
def test_a_flood_is_capped(tmp_path: Path, framework: str) -> None:
    case(tmp_path, "[os.write(2, b'x' * 1_000_000) for _ in range(100)]", "pass")
    measured = run(tmp_path, COMMANDS[framework] + (" -s" if framework == "pytest" else ""))
    assert set(statuses(measured).values()) == {"passed"}
    assert len(measured.output) < OUTPUT_KEPT + 200


@FRAMEWORKS
def test_a_child_that_a_test_leaves_is_ended(tmp_path: Path, framework: str) -> None:
    case(tmp_path, "subprocess.Popen(['sleep', '60'], start_new_session=True)")
    begun = time.monotonic()
    command = f"{COMMANDS[framework]}" if framework == "pytest" else f"PYTHONWARNINGS=ignore {COMMANDS[framework]}"
    measured = run(tmp_path, command, marker="loop-child")
    assert measured.trouble is None
    assert time.monotonic() - begun < 10
    assert tagged("loop-child") == []


@FRAMEWORKS
def test_a_fork_that_runs_on_writes_nothing(tmp_path: Path, framework: str) -> None:
    case(tmp_path, "os.fork()", "pass")
    measured = run(tmp_path, COMMANDS[framework])
    assert set(statuses(measured)) == {KEYS[framework].format("test_a"), KEYS[framework].format("test_b")}


@FRAMEWORKS
def test_tests_may_close_files_and_replace_functions(tmp_path: Path, framework: str) -> None:
    broken = "self.doCleanups; os.closerange(3, 100); os.open = os.write = os.getpid = None; self.fail('on purpose')"
    case(tmp_path, broken, "pass")
    measured = run(tmp_path, COMMANDS[framework] + (" -s" if framework == "pytest" else ""))
    assert statuses(measured)[KEYS[framework].format("test_a")] == "failed"
    assert statuses(measured)[KEYS[framework].format("test_b")] == "passed"


@FRAMEWORKS
def test_a_name_that_is_no_text_does_not_hurt(tmp_path: Path, framework: str) -> None:
    case(tmp_path, "self.fail('\\udcff')")
    (failure,) = run(tmp_path, COMMANDS[framework]).results
    assert failure.error_message is not None
    assert "\\udcff" in failure.model_dump_json().encode().decode()


@FRAMEWORKS
def test_no_tests_is_said(tmp_path: Path, framework: str) -> None:
    lay_out(tmp_path, {"test_it.py": "x = 1\n"})
    measured = run(tmp_path, COMMANDS[framework])
    assert (measured.results, measured.trouble) == ((), "no_tests")


@pytest.mark.parametrize(
    ("command", "trouble"),
    [
        ("true", "unparsable"),
        ("false", "crashed"),
        (f"{PYTHON} -c 'print(1)'", "unparsable"),
        (f"{PYTHON} -m no_such_module", "crashed"),
        (f"{PYTEST} --no-such-option", "crashed"),
        (f"{PYTEST} no_such_file.py", "crashed"),
        (f"{PYTEST}; exit 7", "crashed"),
    ],
)
def test_a_command_without_a_story_is_never_a_pass(tmp_path: Path, command: str, trouble: str) -> None:
    lay_out(tmp_path, {"test_it.py": "def test_it(): pass\n"})
    assert run(tmp_path, command).trouble == trouble


def test_a_broken_conftest_is_a_crash_with_its_words(tmp_path: Path) -> None:
    lay_out(tmp_path, {"conftest.py": "import no_such_module\n", "test_it.py": "def test_it(): pass\n"})
    measured = run(tmp_path, PYTEST)
    assert (measured.trouble, measured.results) == ("crashed", ())
    assert "no_such_module" in measured.output


def test_lines_are_seen_as_they_come(tmp_path: Path) -> None:
    heard: list[str] = []
    lay_out(tmp_path, {"test_it.py": "def test_it(): print('spoken')\n"})
    asyncio.run(ProjectTests(tmp_path).run(TestOrder(f"{PYTEST} -s", timeout=60, marker="m", on_output=heard.append)))
    assert "spoken" in "".join(heard)


def test_cancelling_ends_the_run(tmp_path: Path) -> None:
    lay_out(
        tmp_path, {"test_it.py": "import time\ndef test_it():\n    print('begun', flush=True)\n    time.sleep(60)\n"}
    )

    async def cancelled() -> None:
        begun = asyncio.Event()

        def hear(text: str) -> None:
            if "begun" in text:
                begun.set()

        tests, order = ProjectTests(tmp_path), TestOrder(f"{PYTEST} -s", timeout=60, marker="loop-stop", on_output=hear)
        running = asyncio.ensure_future(tests.run(order))
        await asyncio.wait_for(begun.wait(), 30)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert tagged("loop-stop") == []


class TestCheck:
    @pytest.mark.parametrize(
        "command",
        [
            "sh -c true", f"{PYTHON} -m pytest", "CI=1 LEVEL='a b' sh -k test", "cd sub && ./t.sh", "./t.sh",
            "sub/../t.sh", "if true; then make; fi", "(make test)", "$RUNNER tests", "! make", "time sh",
        ],
    )  # fmt: skip
    def test_what_can_be_started(self, tmp_path: Path, command: str) -> None:
        (tmp_path / "sub").mkdir()
        (tmp_path / "t.sh").write_text("#!/bin/sh\n")
        (tmp_path / "t.sh").chmod(0o755)
        ProjectTests(tmp_path).check(command)

    @pytest.mark.parametrize(
        ("command", "words"),
        [
            ("no-such-program -v", "no program 'no-such-program'"),
            ("CI=1 no-such-program", "no program 'no-such-program'"),
            ("./missing.sh", "no program './missing.sh'"),
            ("./plain.txt", "no program './plain.txt'"),
            ("./", "no program './'"),
            ("pytest 'tests", "cannot be read"),
            ("", "empty"),
            ("  ", "empty"),
            ("A=1", "empty"),
        ],
    )
    def test_what_can_not(self, tmp_path: Path, command: str, words: str) -> None:
        (tmp_path / "plain.txt").write_text("not a program")
        with pytest.raises(Invalid, match=words):
            ProjectTests(tmp_path).check(command)


def test_the_temporary_folder_is_gone_afterwards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))  # the one place that says where temporary folders go
    lay_out(tmp_path / "project", {"test_it.py": "def test_it(): pass\n"})
    assert run(tmp_path / "project", PYTEST).trouble is None
    assert os.listdir(scratch) == []


@FRAMEWORKS
def test_only_some_of_the_tests(tmp_path: Path, framework: str) -> None:
    case(tmp_path, "self.fail('on purpose')", "self.fail('not asked')", "pass", "self.fail('not asked')")
    key = KEYS[framework].format
    (tmp_path / "product.py").write_text("x = 1\n")
    order = TestOrder(COMMANDS[framework], 60, "loop-only", only=(key("test_a"), key("test_c"), key("test_gone")))
    measured = asyncio.run(ProjectTests(tmp_path).run(order))
    assert statuses(measured) == {key("test_a"): "failed", key("test_c"): "passed"}
    assert measured.trouble is None
    assert measured.coverage is None


def test_several_processes_run_the_tests_where_xdist_is_installed(tmp_path: Path) -> None:
    case(tmp_path, *["open(os.environ['PYTEST_XDIST_WORKER'], 'w'); time.sleep(0.5)"] * 4)
    order = TestOrder(PYTEST, 60, "loop-parallel", parallel=2)
    measured = asyncio.run(ProjectTests(tmp_path).run(order))
    assert list(statuses(measured).values()) == ["passed"] * 4
    assert sorted(path.name for path in tmp_path.glob("gw*")) == ["gw0", "gw1"]
    ProjectTests(tmp_path).check(PYTEST, 2)


@pytest.mark.parametrize(
    ("command", "words"),
    [(UNITTEST, "plainly pytest"), ("sh run.sh", "plainly pytest"), ("bare", "needs pytest-xdist")],
)
def test_several_processes_that_cannot_be_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: str
) -> None:
    case(tmp_path, "pass")
    if command == "bare":
        command, _ = PYTEST, monkeypatch.setattr("loopwright.evidence.run.can_import", lambda python, module: False)
    tests = ProjectTests(tmp_path)
    with pytest.raises(Invalid, match=words):
        tests.check(command, 2)
    with pytest.raises(Invalid, match=words):
        asyncio.run(tests.run(TestOrder(command, 60, "loop-parallel", parallel=2)))
