"""Wrappers: one command that starts any framework, or several, or none that we know."""

import shutil
from pathlib import Path

import pytest

from loopwright.evidence.python import probe
from loopwright.evidence.results import RunnerReport, join_reports
from loopwright.evidence.run import ProjectTests, is_done
from loopwright.evidence.runners import WRAPPED, find_runner
from loopwright.evidence.runners.pytest import PytestRunner
from loopwright.evidence.testing import Coverage, TestResult
from loopwright.evidence.verdict import baseline_of, compare_runs, judge_run
from tests.javascript import Toolbox
from tests.tools import runs
from tests.validation.projects import PYTEST, UNITTEST, lay_out, run, statuses

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
needs_cargo = pytest.mark.skipif(not runs("cargo", "--version"), reason="no cargo that runs")

TESTS = "import subprocess\n\ndef test_fits(): pass\n\ndef test_fails(): assert 1 == 2, 'no'\n"
CRATE = {
    "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/lib.rs": "#[test]\nfn fits() {}\n",
}
NODE = "const test = require('node:test')\ntest('fits', () => {})\ntest('fails', () => { throw new Error('no') })\n"


def makefile(*lines: str) -> dict[str, str]:
    return {"Makefile": ".PHONY: test\ntest:\n" + "".join(f"\t{line}\n" for line in lines)}


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cargo-target")


class TestDetect:
    @pytest.mark.parametrize(
        ("files", "command"),
        [
            ({"Makefile": "test:\n\ttrue\n"}, "make test"),
            ({"makefile": "all: x\n\ntest : all\n\ttrue\n"}, "make test"),
            ({"GNUmakefile": "check:\n\ttrue\n"}, "make check"),
            ({"Makefile": "check:\n\ttrue\ntest:: check\n\ttrue\n"}, "make check"),
            ({"Makefile": "test := yes\n# test:\n"}, None),
            ({"Makefile": "tests:\n\ttrue\n"}, None),
            ({}, None),
        ],
    )
    def test_a_makefile_with_a_target(self, tmp_path: Path, files: dict[str, str], command: str | None) -> None:
        assert ProjectTests(lay_out(tmp_path, files)).detect() == command

    def test_the_framework_itself_comes_first(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {**makefile("true"), "test_a.py": TESTS})
        assert (ProjectTests(tmp_path).detect() or "").endswith("-m pytest")

    def test_no_text(self, tmp_path: Path) -> None:
        (tmp_path / "Makefile").write_bytes(b"\xff\0test:\n")
        assert ProjectTests(tmp_path).detect() is None

    @pytest.mark.parametrize(
        ("command", "name"),
        [
            ("pytest -q", "pytest"),
            ("go test ./...", "go"),
            ("cargo test", "cargo"),
            ("cargo nextest run", "cargo"),
            ("cargo +nightly --locked t", "cargo"),
            ("pytest -k 'a;b|c'", "pytest"),
            ("make test", "wrapper"),
            ("./run-tests.sh", "wrapper"),
            ("cargo build", "wrapper"),
            ("pytest && go test ./...", "wrapper"),
            ("./check;pytest", "wrapper"),
            ("pytest 'tests", "pytest"),
        ],
    )
    def test_who_takes_a_command(self, tmp_path: Path, command: str, name: str) -> None:
        assert find_runner(command, tmp_path).name == name


@needs_make
class TestMake:
    def test_pytest(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {**makefile(PYTEST), "test_a.py": TESTS})
        measured = run(tmp_path, "make test")
        assert statuses(measured) == {"test_a.py::test_fits": "passed", "test_a.py::test_fails": "failed"}
        assert (measured.runner, measured.trouble) == ("wrapper", None)
        assert measured.coverage is None or measured.coverage.files == {}

    @needs_cargo
    def test_cargo(self, tmp_path: Path, target: Path) -> None:
        lay_out(tmp_path, {**makefile("cd . && cargo test"), **CRATE})
        measured = run(tmp_path, f"CARGO_TARGET_DIR={target} make test")
        assert (statuses(measured), measured.trouble) == ({"shop::fits": "passed"}, None)

    def test_node(self, tmp_path: Path, javascript: Toolbox) -> None:
        lay_out(tmp_path, {**makefile("node --test"), "a.test.js": NODE})
        measured = run(tmp_path, "make test")
        assert statuses(measured) == {"a.test.js::fits": "passed", "a.test.js::fails": "failed"}

    @needs_cargo
    def test_all_of_them_at_once(self, tmp_path: Path, target: Path, javascript: Toolbox) -> None:
        lay_out(tmp_path, {**makefile(f"-{PYTEST}", "-node --test", "cargo test"), **CRATE})
        lay_out(tmp_path, {"a.test.js": NODE, "test_a.py": TESTS})
        measured = run(tmp_path, f"CARGO_TARGET_DIR={target} make test")
        assert statuses(measured) == {
            "test_a.py::test_fits": "passed",
            "test_a.py::test_fails": "failed",
            "a.test.js::fits": "passed",
            "a.test.js::fails": "failed",
            "shop::fits": "passed",
        }
        assert (measured.exit_code, measured.trouble) == (0, None), "what make ignored has failed all the same"

    def test_a_framework_that_dies_is_not_hidden_by_one_that_passes(self, tmp_path: Path, javascript: Toolbox) -> None:
        passing = "require('node:test')('fits', () => {})\n"
        lay_out(tmp_path, {**makefile(f"-{PYTEST}", "node --test"), "a.test.js": passing})
        lay_out(tmp_path, {"conftest.py": "import nowhere_at_all\n", "test_a.py": TESTS})
        measured = run(tmp_path, "make test")
        assert (measured.exit_code, measured.trouble) == (0, "crashed")

    def test_silence_is_never_a_pass_and_says_what_would_help(self, tmp_path: Path) -> None:
        lay_out(tmp_path, makefile("@echo all is well"))
        measured = run(tmp_path, "make test")
        assert (measured.results, measured.trouble) == ((), "unparsable")
        comparison = compare_runs(
            baseline_of(measured, "tree", "2026-01-01T12:00:00+00:00"), measured, allow_changes=False
        )
        passed, reasons = judge_run(measured, comparison, require="all", min_pass_rate=0, min_coverage=0)
        assert not passed
        assert "no known test framework reported; name the framework's own command (test_command)" in reasons[0]

    def test_unittest_behind_a_wrapper_is_not_reached(self, tmp_path: Path) -> None:
        case = "import unittest\nclass Case(unittest.TestCase):\n    def test_it(self): pass\n"
        lay_out(tmp_path, {**makefile(UNITTEST), "test_a.py": case})
        assert run(tmp_path, "make test").trouble == "unparsable"


class TestSeveral:
    def test_two_frameworks_in_one_command(self, tmp_path: Path, javascript: Toolbox) -> None:
        lay_out(tmp_path, {"a.test.js": NODE, "test_a.py": TESTS})
        measured = run(tmp_path, f"{PYTEST}; node --test")
        assert len(statuses(measured)) == 4
        assert measured.trouble is None

    def test_unittest_beside_another(self, tmp_path: Path) -> None:
        case = "import unittest\nclass Case(unittest.TestCase):\n    def test_it(self): pass\n"
        lay_out(tmp_path, {"unit/test_b.py": case, "test_a.py": "def test_fits(): pass\n"})
        measured = run(tmp_path, f"{PYTEST} test_a.py && cd unit && {UNITTEST}")
        assert statuses(measured) == {"test_a.py::test_fits": "passed", "test_b.Case::test_it": "passed"}

    @needs_cargo
    def test_what_tests_start_is_no_part_of_the_run(self, tmp_path: Path, target: Path) -> None:
        inner = {**CRATE, "src/lib.rs": "#[test]\nfn fails() { panic!() }\n"}
        lay_out(tmp_path, {f"inner/{name}": text for name, text in inner.items()})
        test = f"""
            import os, subprocess
            def test_outer():
                assert os.environ["PATH"].startswith("/of/its/own:") and "NODE_OPTIONS" not in os.environ
                env = {{**os.environ, "CARGO_TARGET_DIR": {str(target)!r}}}
                assert subprocess.run(["cargo", "test"], cwd="inner", env=env).returncode == 101
        """
        lay_out(tmp_path, {"test_a.py": test, "t.sh": f"PATH=/of/its/own:$PATH {PYTEST}\n"})
        measured = run(tmp_path, "sh t.sh")
        assert (statuses(measured), measured.trouble) == ({"test_a.py::test_outer": "passed"}, None)


class TestReports:
    WRITE = "mkdir -p out && cat > out/report.xml <<'EOF'\n{}\nEOF\n"

    def test_junit_that_was_written_during_the_run(self, tmp_path: Path) -> None:
        report = (
            '<testsuite name="c"><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>'
        )
        lay_out(tmp_path, {"t.sh": self.WRITE.format(report) + "exit 1\n"})
        measured = run(tmp_path, "sh t.sh")
        assert statuses(measured) == {"c::a": "passed", "c::b": "failed"}
        assert measured.trouble is None

    def test_junit_of_an_earlier_run(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"out/report.xml": '<testsuite name="c"><testcase name="a"/></testsuite>'})
        folder = tmp_path.parent / "waiting"
        while not folder.exists() or folder.stat().st_ctime_ns <= (tmp_path / "out/report.xml").stat().st_ctime_ns:
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)  # until the kernel's clock has gone on
        assert run(tmp_path, "true").trouble == "unparsable"

    def test_hostile_junit(self, tmp_path: Path) -> None:
        kind = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/hostname">]>'
        report = f'{kind}<testsuite name="c"><testcase name="&e;"/></testsuite>'
        lay_out(tmp_path, {"t.sh": self.WRITE.format(report)})
        measured = run(tmp_path, "sh t.sh")
        assert (measured.results, measured.trouble) == ((), "unparsable")
        assert "report.xml cannot be read: it has a document type (DOCTYPE)" in (measured.why or "")

    def test_cobertura(self, tmp_path: Path) -> None:
        lines = '<lines><line number="1" hits="1"/><line number="2" hits="0"/></lines>'
        measured_class = f'<classes><class filename="a.c">{lines}</class></classes>'
        coverage = f"<coverage><packages><package>{measured_class}</package></packages></coverage>"
        report = '<testsuite name="c"><testcase name="a"/></testsuite>'
        lay_out(
            tmp_path, {"a.c": "", "t.sh": self.WRITE.format(report) + f"echo '{coverage}' > cobertura-coverage.xml\n"}
        )
        measured = run(tmp_path, "sh t.sh")
        assert measured.coverage is not None
        assert measured.coverage.files == {"a.c": 50.0}


def test_joined_readings() -> None:
    test = TestResult(test_name="a", suite="s", status="passed")
    low, high = Coverage(percent=40, files={"a.go": 40}), Coverage(percent=90, files={"b.py": 90})
    one = RunnerReport(results=(test,), coverage=high, complete=True, reported=True)
    other = RunnerReport(results=(test,), coverage=low, complete=True, reported=True, sources={"s::a": "1"})
    whole = join_reports([one, RunnerReport(), other])
    assert [result.key for result in whole.results] == ["s::a", "s::a#2"]
    assert whole.coverage == Coverage(percent=40, files={"a.go": 40, "b.py": 90})
    assert (whole.complete, whole.damaged, whole.sources) == (True, False, {"s::a": "1"})
    assert not join_reports([one, RunnerReport(reported=True)]).complete
    assert join_reports([one, RunnerReport(reported=True, damaged=True, why="torn")]).why == "torn"
    assert join_reports([RunnerReport()]) == RunnerReport()


def test_what_follows_a_framework_that_is_done_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "1-1.jsonl").write_text('{"kind": "begin"}\n{"kind": "end", "status": 0}\n')
    WRAPPED.environment(tmp_path, tmp_path)
    assert WRAPPED.read(tmp_path, tmp_path).complete
    assert is_done(PytestRunner(), tmp_path, tmp_path)
    assert not is_done(WRAPPED, tmp_path, tmp_path)


def test_tox_is_told_to_hand_on_what_the_frameworks_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOX_OVERRIDE", raising=False)
    (tmp_path / "first").mkdir()
    env = WRAPPED.instrument("tox", tmp_path, tmp_path / "first").env
    setting, _, names = env["TOX_OVERRIDE"].partition("+=")
    assert setting == "testenv.pass_env"
    assert {*names.split(",")} == (env.keys() | {probe.COPY}) - {"PATH", "TOX_OVERRIDE"}
    monkeypatch.setenv("TOX_OVERRIDE", "testenv.commands=true")
    (tmp_path / "second").mkdir()
    assert "TOX_OVERRIDE" not in WRAPPED.instrument("tox", tmp_path, tmp_path / "second").env


def test_the_wrapper_knows_the_projects_python(tmp_path: Path) -> None:
    lay_out(tmp_path, {"test_a.py": TESTS})
    assert WRAPPED.interpreter("make test", tmp_path) is not None
    assert WRAPPED.interpreter("make test", tmp_path / "nowhere") is None
