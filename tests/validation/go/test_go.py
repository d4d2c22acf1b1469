"""go test: recorded events, sources, coverage profiles, and real runs where Go is installed."""

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence import coverage
from loopwright.evidence.coverage import combine_coverage
from loopwright.evidence.results import RunnerReport
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners import go
from loopwright.evidence.runners.go import GoProject
from tests.tiers import examples
from tests.validation import recordings
from tests.validation.projects import lay_out, message_of, run, statuses
from tests.validation.recordings import cuts, is_green, recording

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")

MODULE = "module example.com/shop\n\ngo 1.19\n"
CALC = "package calc\n\nfunc Add(a, b int) int {\n\tif a > 1000 {\n\t\treturn 0\n\t}\n\treturn a + b\n}\n"
CALC_TEST = """package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("wrong")
	}
}

func TestTable(t *testing.T) {
	t.Run("fits", func(t *testing.T) {})
	t.Run("does not", func(t *testing.T) { t.Errorf("got %d", Add(1, 1)) })
}

func TestSkipped(t *testing.T) { t.Skip("not today") }
"""


@pytest.fixture(autouse=True)
def _no_settings_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOFLAGS", "")
    monkeypatch.setenv("GOPROXY", "off")


def _suite(package: str) -> str:
    return package.removeprefix("example.com/shop").lstrip("/") or "."


def read(name: str, exit_code: int | None, output: str | None = None) -> RunnerReport:
    return go.read_events(recording(name, exit_code=exit_code, output=output), _suite)


class TestRecorded:
    def test_everything_that_can_happen(self) -> None:
        reading = read("go-1.19.8/shop", 2)
        assert recordings.statuses(reading) == {
            "broken": "failed",
            "setup": "failed",
            "user": "failed",
            "vetted": "failed",
            "calc::TestAdd": "failed",  # passed, but another test printed its failure: the worst counts
            "calc::TestTable": "failed",
            "calc::TestTable/small_numbers": "passed",
            "calc::TestTable/wrong/sum": "failed",
            "calc::TestTable/#00": "passed",
            "calc::TestSkipped": "skipped",
            "calc::TestNoise": "passed",  # its end stands behind a line without end
            "calc::TestParallel": "passed",
            "calc::TestParallel/a": "passed",
            "calc::TestParallel/b": "passed",
            "calc::ExampleAdd": "failed",
            "green::TestGreen": "passed",
            "green::TestUnfinishedLine": "passed",
            "panics::TestBefore": "passed",
            "panics::TestPanics": "failed",
            "strict": "failed",  # TestMain says so, and no test does
            "strict::TestFine": "passed",
            "torn::TestBefore": "passed",
        }
        assert reading.running == ("torn::TestExits",)
        assert (reading.complete, reading.damaged, reading.reported) == (True, False, True)

    def test_messages_are_those_of_the_test_and_of_the_compiler(self) -> None:
        reading = read("go-1.19.8/shop", 2)
        message = recordings.message_of
        assert message(reading, "calc::TestTable/wrong/sum") == "calc_test.go:22: Add(2, 2) = 4, want 5"
        assert message(reading, "calc::ExampleAdd") == "got:\n3\nwant:\n4"
        assert message(reading, "panics::TestPanics") == "panic: assignment to entry in nil map [recovered]"
        assert "panics.TestPanics" in (recordings.result_of(reading, "panics::TestPanics").stack_trace or "")
        assert message(reading, "broken") == "broken/b_test.go:5:28: undefined: undefinedThing"
        assert "no required module provides package example.com/nowhere/x" in message(reading, "setup")
        assert 'cannot use "x"' in message(reading, "user"), "the fault lies in a package that it needs"
        assert message(reading, "vetted").startswith("vetted/v_test.go:8:30: fmt.Printf format %d")

    def test_all_green_with_a_package_without_tests(self) -> None:
        reading = read("go-1.19.8/green", 0)
        assert set(recordings.statuses(reading).values()) == {"passed"}
        assert is_green(reading, exit_code=0)

    def test_the_same_test_twice(self) -> None:
        assert recordings.statuses(read("go-1.19.8/twice", 0)).keys() == {
            "green::TestGreen", "green::TestGreen#2", "green::TestUnfinishedLine", "green::TestUnfinishedLine#2",
        }  # fmt: skip

    def test_events_of_builds(self) -> None:
        reading = read("go-1.24-documented", 1)
        assert recordings.statuses(reading) == {"broken": "failed", "calc::TestAdd": "passed"}
        assert recordings.message_of(reading, "broken") == "broken/b_test.go:5:28: undefined: undefinedThing"
        assert reading.complete

    def test_a_pattern_that_matches_nothing_is_a_crash_with_its_words(self) -> None:
        reading = read("go-1.19.8/no-packages", 1)
        assert (reading.results, reading.complete, reading.reported) == ((), False, True)

    def test_no_test_files(self) -> None:
        line = '{"Action":"skip","Package":"example.com/shop/none"}\n'
        assert read("go-1.19.8/none", 0, line).complete
        assert not read("go-1.19.8/none", None, line).complete


class TestTorn:
    SHOP = recording("go-1.19.8/shop", exit_code=2).output

    @settings(max_examples=examples(60))
    @given(cuts(SHOP), st.sampled_from([2, None]), st.sampled_from([0, 1]))
    def test_a_failing_run_never_becomes_a_passing_one(self, at: int, exit_code: int | None, outer: int) -> None:
        assert not is_green(read("go-1.19.8/shop", exit_code, self.SHOP[:at]), exit_code=outer)

    def test_an_end_that_is_missing(self) -> None:
        whole = recording("go-1.19.8/green", exit_code=0).output
        assert not read("go-1.19.8/green", None).complete
        assert not read("go-1.19.8/shop", None).complete
        assert not read("go-1.19.8/green", 1).complete, "the exit status has no explanation"
        assert not read("go-1.19.8/green", 0, whole[: whole.rindex('{"Time"')]).complete, "a package has no end"

    def test_the_worst_of_two_ends_counts(self) -> None:
        events = [{"Action": action, "Package": "p", "Test": "TestA"} for action in ("run", "fail", "pass")]
        output = "".join(json.dumps(event) + "\n" for event in events)
        assert [result.status for result in read("go-1.19.8/none", 0, output).results] == ["failed"]

    def test_killed(self) -> None:
        whole = recording("go-1.19.8/green", exit_code=0).output
        reading = read("go-1.19.8/green", None, whole[: whole.index('"Test":"TestUnfinishedLine"') + 30])
        assert not reading.complete

    @settings(max_examples=examples(40))
    @given(st.text() | st.lists(st.sampled_from(SHOP.splitlines(keepends=True))).map("".join), st.integers(-9, 3))
    def test_no_text_makes_it_stumble(self, text: str, exit_code: int) -> None:
        recordings.statuses(read("go-1.19.8/shop", exit_code, text))

    @pytest.mark.parametrize(
        "line",
        ["{", "null", '{"Action":1}', '{"Action":"run"}', '{"Action":"run","Package":"p","Test":5}', "[" * 100_000,
         '{"Action":"pass","Package":"p","Test":"T","Elapsed":1e999}', '{"Action":"output","Package":"p","Output":3}',
         '{"Action":"fail","Package":"\\ud800"}'],
    )  # fmt: skip
    def test_strange_events(self, line: str) -> None:
        reading = read("go-1.19.8/none", 0, line + "\n")
        assert all(result.model_dump_json() for result in reading.results)

    def test_an_end_without_a_beginning_is_no_test(self) -> None:
        line = '{"Action":"pass","Package":"example.com/shop/a","Test":"TestGhost"}\n'
        assert read("go-1.19.8/none", 0, line).results == ()


def _digests(root: Path) -> dict[str, str]:
    project = GoProject(root)
    return {name: project.digest_of("calc", name) for name in ("TestAdd", "TestSkipped", "TestTable", "TestTable/fits")}


class TestSources:
    def test_what_counts(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"go.mod": MODULE, "calc/calc_test.go": CALC_TEST})
        before = _digests(tmp_path)
        (tmp_path / "calc/calc_test.go").write_text(
            CALC_TEST.replace("t.Fatal", "// stricter\n\t\tt.Fatal").replace('"not today"', '"never"')
        )
        after = _digests(tmp_path)
        assert before["TestAdd"] == after["TestAdd"] != ""
        assert before["TestSkipped"] != after["TestSkipped"]
        assert after["TestTable"] == after["TestTable/fits"]

    def test_what_is_not_sure_is_not_known(self, tmp_path: Path) -> None:
        twice = {"a_test.go": "package a\nfunc TestA() {}\n", "b_test.go": "package a_test\nfunc TestA() {}\n"}
        project = GoProject(lay_out(tmp_path, {"go.mod": MODULE, **twice}))
        assert project.digest_of(".", "TestA") == project.digest_of("nowhere", "TestB") == ""

    def test_main_and_the_methods_of_a_suite(self, tmp_path: Path) -> None:
        text = (
            "package a\nfunc TestSuite() {}\nfunc (s *S) TestOne() {}\nfunc (s *S) SetupTest() {}\nfunc TestMain() {}\n"
        )
        lay_out(tmp_path, {"go.mod": MODULE, "a_test.go": text})
        digest = GoProject(tmp_path).digest_of(".", "TestSuite/TestOne")
        for old in ("TestOne() {}", "SetupTest() {}", "TestMain() {}"):
            (tmp_path / "a_test.go").write_text(text.replace(old, old.replace("{}", "{ x() }")))
            assert GoProject(tmp_path).digest_of(".", "TestSuite/TestOne") not in (digest, "")


class TestCoverage:
    PROFILE = "mode: set\nexample.com/shop/calc/calc.go:3.24,4.14 1 1\nexample.com/shop/calc/calc.go:4.14,6.3 1 0\n"

    def test_lines_of_statements(self, tmp_path: Path) -> None:
        lay_out(
            tmp_path,
            {"go.mod": MODULE, "calc/calc.go": CALC, "p": self.PROFILE + "example.com/other/x.go:1.1,2.2 1 1\n"},
        )
        measured = combine_coverage(tmp_path, coverage.read_go_profile(tmp_path / "p", GoProject(tmp_path).path_of))
        assert measured is not None
        assert measured.files == {"calc/calc.go": 50.0}

    def test_none(self, tmp_path: Path) -> None:
        assert list(coverage.read_go_profile(tmp_path / "missing", GoProject(tmp_path).path_of)) == []

    @settings(max_examples=examples(40))
    @given(st.text(alphabet="x.go:0123456789, \n") | st.text())
    def test_any_text(self, tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
        file = tmp_path_factory.getbasetemp() / "profile"
        file.write_bytes(text.encode("utf-8", "surrogatepass"))
        assert all(lines.path for lines in coverage.read_go_profile(file, Path))


def test_detected_where_a_module_has_tests(tmp_path: Path) -> None:
    lay_out(tmp_path, {"go.mod": MODULE, "calc/calc.go": CALC, "vendor/x/x_test.go": "package x\n"})
    assert ProjectTests(tmp_path).detect() is None
    lay_out(tmp_path, {"calc/calc_test.go": CALC_TEST})
    assert ProjectTests(tmp_path).detect() == "go test ./..."


@needs_go
class TestReal:
    def test_a_run(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"go.mod": MODULE, "calc/calc.go": CALC, "calc/calc_test.go": CALC_TEST})
        lay_out(tmp_path, {"dep/dep.go": "package dep\n", "bad/bad_test.go": "package bad\nfunc TestX( {\n"})
        measured = run(tmp_path, "go test ./...")
        assert statuses(measured) == {
            "bad": "failed",
            "calc::TestAdd": "passed",
            "calc::TestTable": "failed",
            "calc::TestTable/fits": "passed",
            "calc::TestTable/does_not": "failed",
            "calc::TestSkipped": "skipped",
        }
        assert (measured.runner, measured.trouble, measured.exit_code) == ("go", None, 1)
        assert "bad/bad_test.go:2:" in message_of(measured, "bad")
        assert measured.coverage is not None
        assert measured.coverage.files == {"calc/calc.go": 60.0}
        assert "got 2" in measured.output
        assert '"Action"' not in measured.output, "people see text"
        assert "=== RUN" not in measured.output
        assert measured.sources["calc::TestAdd"] != ""

    def test_in_a_folder_with_flags_and_behind_a_script(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"go.mod": MODULE, "calc/calc.go": CALC, "calc/calc_test.go": CALC_TEST})
        lay_out(tmp_path, {"t.sh": "set -e\ngo version\ncd calc\ngo test -v -run 'TestAdd|TestSkipped' . -args list\n"})
        measured = run(tmp_path, "sh t.sh")
        assert statuses(measured) == {"calc::TestAdd": "passed", "calc::TestSkipped": "skipped"}
        assert (measured.runner, measured.trouble, measured.exit_code) == ("wrapper", None, 0)
        assert "=== RUN   TestAdd" in measured.output, "asked for by -v"

    def test_what_tests_start_is_no_part_of_the_run(self, tmp_path: Path) -> None:
        inner = 'package inner\nimport "testing"\nfunc TestInner(t *testing.T) { t.Fatal("on purpose") }\n'
        outer = """package outer
import ("os/exec"; "testing")
func TestOuter(t *testing.T) {
	command := exec.Command("go", "test", "./testdata/inner")
	command.Dir = ".."
	if command.Run() == nil { t.Fatal("the inner test has to fail") }
}
"""
        lay_out(tmp_path, {"go.mod": MODULE, "testdata/inner/i_test.go": inner, "outer/o_test.go": outer})
        measured = run(tmp_path, "go test ./...")
        assert statuses(measured) == {"outer::TestOuter": "passed"}
        assert measured.trouble is None

    def test_cached_results_are_results(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"go.mod": MODULE, "a_test.go": 'package a\nimport "testing"\nfunc TestA(t *testing.T) {}\n'})
        first, second = run(tmp_path, "go test ."), run(tmp_path, "go test .")
        assert statuses(first) == statuses(second) == {".::TestA": "passed"}
        assert first.sources == second.sources

    def test_a_hanging_test_has_failed(self, tmp_path: Path) -> None:
        tests = "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { time.Sleep(time.Hour) }\n"
        slow = f'package a\nimport ("testing"; "time")\n{tests}'
        lay_out(tmp_path, {"go.mod": MODULE, "a_test.go": slow})
        run(tmp_path, "go test -run TestA .")  # compiled now, so that the time is the test's
        measured = run(tmp_path, "go test .", timeout=5)
        assert measured.trouble == "timeout"
        assert statuses(measured) == {".::TestA": "passed", ".::TestB": "failed"}

    def test_no_tests(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"go.mod": MODULE, "a.go": "package a\n"})
        assert run(tmp_path, "go test ./...").trouble == "no_tests"
