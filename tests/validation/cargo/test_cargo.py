"""cargo test and cargo nextest: recorded output, sources, and real runs where cargo is installed."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence.results import RunnerReport
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.runners import cargo
from loopwright.evidence.runners.cargo import Crates, CrateTarget
from loopwright.evidence.testing import BUILD
from tests.tiers import examples
from tests.tools import runs
from tests.validation import recordings
from tests.validation.projects import lay_out, message_of, run, statuses
from tests.validation.recordings import RECORDED, cuts, is_green, recording

needs_cargo = pytest.mark.skipif(not runs("cargo", "--version"), reason="no cargo that runs")

MANIFEST = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
LIBRARY = """pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    #[test]
    fn adds() {
        assert_eq!(super::add(1, 2), 3);
    }

    #[test]
    #[ignore]
    fn slow() {}
}
"""
FAILING = '#[test]\nfn fits() {}\n\n#[test]\nfn fails() {\n    assert_eq!(shop::add(1, 2), 4, "sums differ");\n}\n'


def read(name: str, exit_code: int | None = 101, output: str | None = None) -> RunnerReport:
    return cargo.read_cargo_test(recording(f"cargo-1.95.0/{name}", exit_code=exit_code, output=output))


class TestRecorded:
    def test_a_workspace(self) -> None:
        reading = read("workspace")
        assert recordings.statuses(reading) == {
            "shop-core::inner::tests::deep": "passed",
            "shop-core::tests::adds": "passed",
            "shop-core::tests::does_not_panic": "failed",
            "shop-core::tests::fails": "failed",
            "shop-core::tests::panics": "passed",
            "shop-core::tests::returns": "failed",
            "shop-core::tests::slow": "skipped",
            "shop-core::tests::slower": "skipped",
            "shop-core/bin/shop-core::in_main": "passed",
            "shop-core/it::whole": "passed",
            "till/it::whole": "passed",
            "shop-core/doc::shop/src/lib.rs - add": "passed",  # in the order of the file, not of the output
            "shop-core/doc::shop/src/lib.rs - add#2": "passed",
            "shop-core/doc::shop/src/lib.rs - add#3": "skipped",
        }
        assert (reading.complete, reading.damaged, reading.running) == (True, False, ())

    def test_messages(self) -> None:
        reading = read("workspace")
        message = recordings.message_of(reading, "shop-core::tests::fails")
        assert message.endswith("assertion `left == right` failed: sums differ\n  left: 3\n right: 4")
        assert "stack backtrace" in (recordings.result_of(reading, "shop-core::tests::fails").stack_trace or "")
        assert recordings.message_of(reading, "shop-core::tests::returns") == 'Error: "no luck"'
        assert recordings.message_of(reading, "shop-core::tests::does_not_panic").startswith("note: test did not panic")

    def test_a_binary_that_dies_and_one_with_a_harness_of_its_own(self) -> None:
        reading = read("noisy")
        found = recordings.statuses(reading)
        assert (found["noisy/aborts"], found["noisy/own"]) == ("failed", "passed")
        assert "signal: 6, SIGABRT" in recordings.message_of(reading, "noisy/aborts")

    @pytest.mark.parametrize("name", ["noisy", "imitated"])
    def test_an_imitated_result_line_is_found_out(self, name: str) -> None:
        reading = read(name)
        assert reading.damaged
        assert "do not agree" in reading.why
        assert not is_green(reading, exit_code=0)

    @pytest.mark.parametrize("name", ["one-thread", "verbose"])
    def test_noise_between_and_other_forms_of_the_header(self, name: str) -> None:
        reading = read(name)
        assert recordings.statuses(reading) == {
            "noisy::tests::a_prints": "passed",
            "noisy::tests::b_imitates": "passed",
            "noisy::tests::c_fails": "failed",
            "noisy::tests::d_ignored": "skipped",
            "noisy::tests::e_last": "passed",
        }
        assert not reading.damaged

    def test_colours(self) -> None:
        found = recordings.statuses(read("coloured"))
        assert (found["noisy::tests::c_fails"], found["noisy/own"], len(found)) == ("failed", "passed", 6)

    def test_a_test_that_does_not_compile(self) -> None:
        reading = read("test-not-compiled")
        assert recordings.statuses(reading) == {"broken/it": "failed"}
        message = recordings.message_of(reading, "broken/it")
        assert message.startswith(
            "error[E0061]: this function takes 0 arguments but 1 argument was supplied\n --> tests/"
        )
        assert "error[E0308]: mismatched types" in message

    def test_a_library_that_does_not_compile_is_one_failure(self) -> None:
        reading = read("lib-not-compiled")
        assert recordings.statuses(reading) == {f"{BUILD} of broken": "failed"}
        assert "expected `i32`, found `&str`" in recordings.message_of(reading, f"{BUILD} of broken")

    def test_green_and_empty(self) -> None:
        assert is_green(read("green", 0), exit_code=0)
        assert (read("no-tests", 0).results, read("no-tests", 0).complete) == ((), True)


class TestTorn:
    WORKSPACE = recording("cargo-1.95.0/workspace", exit_code=101).output
    GREEN = recording("cargo-1.95.0/green", exit_code=0).output

    @settings(max_examples=examples(60))
    @given(
        st.sampled_from(["workspace", "noisy", "one-thread", "coloured", "test-not-compiled"]).flatmap(
            lambda name: st.tuples(st.just(name), cuts(recording(f"cargo-1.95.0/{name}", exit_code=101).output))
        ),
        st.sampled_from([101, None]),
        st.sampled_from([0, 101]),
    )
    def test_a_failing_run_never_becomes_a_passing_one(
        self, cut: tuple[str, int], code: int | None, outer: int
    ) -> None:
        name, at = cut
        whole = recording(f"cargo-1.95.0/{name}", exit_code=101).output
        assert not is_green(read(name, code, whole[:at]), exit_code=outer)

    def test_killed_inside_of_a_test(self) -> None:
        header = "     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)\n"
        reading = read("none", None, f"{header}\nrunning 2 tests\ntest a ... ok\ntest b ... ")
        assert (reading.running, reading.complete) == (("a::b",), False)

    @settings(max_examples=examples(60))
    @given(st.text() | st.lists(st.sampled_from(WORKSPACE.splitlines(keepends=True))).map("".join))
    def test_no_text_makes_it_stumble(self, text: str) -> None:
        recordings.statuses(read("none", 0, text))

    @pytest.mark.parametrize(
        "change",
        [
            ("1 passed", "2 passed"),
            ("test fine ... ok", "test fine ... ok\ntest ghost ... ok"),
            ("test fine ... ok\n", ""),
            ("running 1 test", "running 2 tests"),
            ("test fine ... ok", "test fine ... FAILED"),
            ("test result: ok. 1 passed; 0 failed", "test result: FAILED. 0 passed; 1 failed"),
        ],
    )
    def test_lines_and_counts_have_to_agree(self, change: tuple[str, str]) -> None:
        assert change[0] in self.GREEN
        assert not is_green(read("green", 0, self.GREEN.replace(*change, 1)), exit_code=0)

    def test_the_list_of_failures_has_to_agree(self) -> None:
        changed = self.WORKSPACE.replace("\n    tests::fails\n", "\n    tests::ghost\n")
        assert changed != self.WORKSPACE
        assert read("workspace", 101, changed).damaged

    def test_an_exit_status_without_an_explanation(self) -> None:
        assert not read("green", 101).complete
        assert not read("green", None).complete

    def test_what_a_test_prints_does_not_end_the_tests(self) -> None:
        output = self.GREEN.replace("test fine ... ok", "failures:\n\n---- x stdout ----\ntest fine ... ok")
        assert is_green(read("green", 0, output), exit_code=0)

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("test a::b ... ok", "a::b"),
            ("test a::b - should panic ... ok", "a::b"),
            ("test a ... ignored, because of this", "a"),
            ("test a ... ok <0.003s>", "a"),
            ("test a ... bench:       1,234 ns/iter (+/- 5)", "a"),
            ("test src/lib.rs - f (line 12) - compile fail ... ok", "src/lib.rs - f"),
            ("what a test prints before test a::b ... ok", "a::b"),
        ],
    )
    def test_forms_of_a_line(self, line: str, name: str) -> None:
        block, _ = cargo.read_block(["running 1 test", line], 0, cargo.ENDS)
        assert [cargo.name_of(raw) for raw, status in block.tests if status] == [name]


class TestNextest:
    def test_documented_report(self) -> None:
        reading = cargo.read_nextest(recording("none", exit_code=100), [RECORDED / "nextest-documented.xml"])
        assert recordings.statuses(reading) == {
            "shop-core::tests::adds": "passed",
            "shop-core::tests::fails": "failed",
            "shop-core/it::whole": "passed",
            "shop-core/bin/till::in_main": "passed",
        }
        assert reading.complete

    @pytest.mark.parametrize(("code", "complete"), [(None, False), (0, False), (100, False), (4, True)])
    def test_without_a_report(self, code: int | None, complete: bool) -> None:
        reading = cargo.read_nextest(recording("none", exit_code=code), [])
        assert (reading.complete, reading.reported, reading.results) == (complete, True, ())

    def test_a_build_that_failed(self) -> None:
        output = recording("cargo-1.95.0/test-not-compiled", exit_code=101).output
        reading = cargo.read_nextest(recording("none", exit_code=101, output=output), [])
        assert recordings.statuses(reading) == {"broken/it": "failed"}


class TestSources:
    @staticmethod
    def digest(root: Path, test: str) -> str:
        return Crates([CrateTarget("shop", root / "src/lib.rs")]).digest_of("shop", test)

    def test_what_counts(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"src/lib.rs": LIBRARY})
        before, other = self.digest(tmp_path, "tests::adds"), self.digest(tmp_path, "tests::slow")
        lay_out(
            tmp_path, {"src/lib.rs": LIBRARY.replace("fn adds() {", "fn adds() {  // more\n").replace("a + b", "b + a")}
        )
        assert self.digest(tmp_path, "tests::adds") == before != ""
        lay_out(tmp_path, {"src/lib.rs": LIBRARY.replace("#[ignore]", "").replace("2), 3", "2), 4")})
        assert self.digest(tmp_path, "tests::adds") not in (before, "")
        assert self.digest(tmp_path, "tests::slow") not in (other, "")

    def test_modules_in_files(self, tmp_path: Path) -> None:
        test = "#[test]\nfn t() {}\n"
        lay_out(tmp_path, {"src/lib.rs": "mod a;\nmod b { mod c; }\n", "src/a.rs": f"mod d;\n{test}"})
        lay_out(tmp_path, {"src/a/d.rs": test, "src/b/c/mod.rs": test})
        assert all(self.digest(tmp_path, name) for name in ("a::t", "a::d::t", "b::c::t"))

    @pytest.mark.parametrize("name", ["t", "a::t", "nowhere::t", "src/lib.rs - add", "tests::t"])
    def test_what_is_not_sure_is_not_known(self, tmp_path: Path, name: str) -> None:
        text = '#[path = "other.rs"]\nmod a;\nmacro_rules! m { () => { #[test] fn t() {} } }\nm!();\n'
        twice = "#[cfg(unix)]\nmod tests { #[test] fn t() {} }\n#[cfg(windows)]\nmod tests { #[test] fn t() {} }\n"
        lay_out(tmp_path, {"src/lib.rs": text + twice, "src/a.rs": "#[test] fn t() {}\n"})
        assert self.digest(tmp_path, name) == ""

    def test_cases_of_one_function(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"src/lib.rs": "#[rstest]\n#[case(1)]\nfn adds(#[case] n: i32) {}\n"})
        before = self.digest(tmp_path, "adds::case_1")
        lay_out(tmp_path, {"src/lib.rs": "#[rstest]\n#[case(2)]\nfn adds(#[case] n: i32) {}\n"})
        assert self.digest(tmp_path, "adds::case_1") not in (before, "")


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for what cargo builds."""
    return tmp_path_factory.mktemp("cargo-target")


@needs_cargo
class TestReal:
    @pytest.fixture(autouse=True)
    def _one_target(self, target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("CARGO_TARGET_DIR", str(target))
        monkeypatch.setenv("CARGO_NET_OFFLINE", "true")

    def test_a_run(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": LIBRARY, "tests/it.rs": FAILING})
        assert ProjectTests(tmp_path).detect() == "cargo test"
        measured = run(tmp_path, "cargo test -q")
        assert statuses(measured) == {
            "shop::tests::adds": "passed",
            "shop::tests::slow": "skipped",
            "shop/it::fails": "failed",
            "shop/it::fits": "passed",
        }
        assert (measured.runner, measured.trouble, measured.exit_code) == ("cargo", None, 101)
        assert "sums differ" in message_of(measured, "shop/it::fails")
        assert "sums differ" in measured.output
        assert '"reason"' not in measured.output, "people see text"
        assert all(measured.sources.values())

    def test_a_compile_error(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": LIBRARY.replace("a + b", '"a"')})
        measured = run(tmp_path, "cd src && cargo test")
        assert statuses(measured) == {f"{BUILD} of shop": "failed"}
        assert "error[E0308]" in message_of(measured, f"{BUILD} of shop")

    def test_a_binary_that_dies_by_a_path_to_cargo(self, tmp_path: Path) -> None:
        dies = "#[test]\nfn a() {}\n\n#[test]\nfn b() { std::process::exit(0) }\n"
        lay_out(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": LIBRARY, "tests/dies.rs": dies})
        measured = run(tmp_path, f"{shutil.which('cargo')} test --tests")
        assert "shop/dies" in measured.failed
        assert statuses(measured)["shop::tests::adds"] == "passed"

    def test_a_broken_manifest_is_a_crash_with_its_words(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"Cargo.toml": "[package\n", "src/lib.rs": ""})
        measured = run(tmp_path, "cargo test")
        assert (measured.trouble, measured.results) == ("crashed", ())
        assert "Cargo.toml" in measured.output

    def test_no_tests(self, tmp_path: Path) -> None:
        lay_out(tmp_path, {"Cargo.toml": MANIFEST, "src/lib.rs": ""})
        assert run(tmp_path, "cargo test").trouble == "no_tests"
