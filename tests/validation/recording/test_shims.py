"""The stand-ins for go, cargo and mvn: which calls they record, how they change them, and that nobody notices."""

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.evidence.recording import loopwright_shim as shim
from loopwright.evidence.recording import shims
from tests.tiers import examples

ADDED = ("-json", "-fae", "-coverprofile=/run/s.cover")
CARGO = ["--no-fail-fast", "--message-format=json-render-diagnostics"]


def changed(tool: str, words: str, stem: Path = Path("/run/s")) -> list[str] | None:
    call = shim.TOOLS[tool](shlex.split(words), str(stem))
    return None if call is None else call.args


class TestCalls:
    @pytest.mark.parametrize(
        ("words", "args"),
        [
            ("test ./...", "test -json -coverprofile=/run/s.cover ./..."),
            ("test", "test -json -coverprofile=/run/s.cover"),
            ("test -C sub -v .", "test -C sub -json -coverprofile=/run/s.cover -v ."),
            ("test -C=sub .", "test -C=sub -json -coverprofile=/run/s.cover ."),
            ("test -json .", "test -coverprofile=/run/s.cover -json ."),
            ("test --cover .", "test -json --cover ."),
            ("test -coverprofile c.out .", "test -json -coverprofile c.out ."),
            ("test -bench . -run X", "test -json -bench . -run X"),
            ("test . -args -c -list", "test -json -coverprofile=/run/s.cover . -args -c -list"),
            ("test -c .", None), ("test -list=. .", None), ("test -n .", None), ("test -h", None),
            ("build ./...", None), ("vet", None), ("env GOPATH", None), ("help test", None), ("", None),
        ],
    )  # fmt: skip
    def test_go(self, words: str, args: str | None) -> None:
        assert changed("go", words) == (None if args is None else args.split())

    @pytest.mark.parametrize(
        ("words", "args"),
        [
            ("test", ["test", *CARGO]),
            ("t -p shop", ["t", *CARGO, "-p", "shop"]),
            ("+nightly --color never --locked test", ["+nightly", "--color", "never", "--locked", "test", *CARGO]),
            ("test -q name -- -q --test-threads=1", ["test", *CARGO, "name", "--", "--test-threads=1"]),
            ("test --no-fail-fast", ["test", CARGO[1], "--no-fail-fast"]),
            ("test --message-format json", ["test", CARGO[0], "--message-format", "json"]),
            ("test --no-run", None), ("test --help", None), ("test -- --list", None),
            ("build", None), ("--version", None), ("", None), ("nextest list", None), ("nextest", None),
            ("run -- test", None), ("xtask test", None),
        ],
    )  # fmt: skip
    def test_cargo(self, words: str, args: list[str] | None) -> None:
        assert changed("cargo", words) == args

    def test_nextest_is_told_where_to_write(self, tmp_path: Path) -> None:
        args = changed("cargo", "nextest run -p shop -- --skip slow", tmp_path / "it's")
        settings_file = f"loopwright:{tmp_path}/it's.toml"
        expected = [
            "nextest",
            "run",
            "--tool-config-file",
            settings_file,
            "--no-fail-fast",
            "-p",
            "shop",
            "--",
            "--skip",
        ]
        assert args == [*expected, "slow"]
        assert (tmp_path / "it's.toml").read_text() == f'[profile.default.junit]\npath = "{tmp_path}/it\'s.xml"\n'

    @pytest.mark.parametrize(
        ("words", "args"),
        [("test", "test -fae"), ("-ff verify", "-ff verify"), ("--fail-never test", "--fail-never test"), ("-v", None)],
    )
    def test_mvn(self, words: str, args: str | None) -> None:
        assert changed("mvn", words) == changed("mvnw", words) == (None if args is None else args.split())

    @settings(max_examples=examples(60))
    @given(
        st.sampled_from(["go", "mvn"]),
        st.lists(st.sampled_from(["test", "-v", "-C", "--", "-args", "x", "-json", "-fae"])),
    )
    def test_no_word_of_a_person_is_lost(self, tool: str, words: list[str]) -> None:
        call = shim.TOOLS[tool](words, "/run/s")
        kept = [] if call is None else [word for word in call.args if word not in ADDED]
        assert call is None or kept == [word for word in words if word not in ADDED]


class TestPaths:
    @pytest.mark.parametrize(
        ("command", "expected"),
        [
            ("./mvnw test", "R ./mvnw test"),
            ("A=1 ../mvnw -q test", "A=1 R ../mvnw -q test"),
            ("cd x && /opt/go/bin/go test", "cd x && R /opt/go/bin/go test"),
            ("(~/go/bin/go test)", "(R ~/go/bin/go test)"),
            ("go test", "go test"),
            ("cat ./mvnw.txt; ls /go/x", "cat ./mvnw.txt; ls /go/x"),
        ],
    )
    def test_tools_named_by_a_path(self, tmp_path: Path, command: str, expected: str) -> None:
        assert shims.record_command(command, tmp_path, ("go", "mvnw")) == expected.replace("R ", f"{tmp_path}/record ")


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose `tools/go` is a program of ours, and a `run` folder for recordings."""
    (tmp_path / "tools").mkdir()
    (tmp_path / "run").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'tools'}{os.pathsep}{os.environ['PATH']}")
    return tmp_path


def tool(bench: Path, script: str) -> None:
    (bench / "tools/go").write_text(f'#!/bin/sh\n[ "$1" = env ] && exit\n{script}\n')
    (bench / "tools/go").chmod(0o755)


def call(bench: Path, command: str, **more: str) -> subprocess.CompletedProcess[str]:
    env: Mapping[str, str] = {**os.environ, **shims.shim_environment(bench / "run", ("go", "no-such-tool")), **more}
    return subprocess.run(
        ["sh", "-c", command], env=env, cwd=bench, capture_output=True, text=True, timeout=30, check=False
    )


class TestStandIn:
    def test_streams_status_and_arguments(self, bench: Path) -> None:
        tool(bench, 'echo "$@"; echo err >&2; cat; exit 3')
        done = call(bench, "echo in | go test 'a b' \"\"")
        assert (done.stderr, done.returncode) == ("err\n", 3)
        assert done.stdout.endswith(".cover a b \nin\n")
        (recording,) = shims.read_recordings(bench / "run", ("go",))
        assert (recording.output, recording.errors, recording.exit_code) == (done.stdout, "err\n", 3)
        assert (recording.cwd, recording.args[-2:]) == (bench, ("a b", ""))

    def test_other_calls_are_the_tool_itself(self, bench: Path) -> None:
        tool(bench, 'echo "$0 $@"')
        assert call(bench, "go build x").stdout == f"{bench}/tools/go build x\n"
        assert list(shims.read_recordings(bench / "run", ("go",))) == []

    def test_nobody_asked(self, bench: Path) -> None:
        tool(bench, 'echo "$@"')
        assert call(bench, f"unset {shims.ASKED}; go test x").stdout == "test x\n"
        assert shims.ASKED == shim.ASKED

    def test_a_tool_that_is_not_there_is_not_there(self, bench: Path) -> None:
        assert call(bench, "command -v no-such-tool").returncode != 0

    def test_a_death_by_signal(self, bench: Path) -> None:
        tool(bench, "kill -9 $$")
        assert call(bench, "go test").returncode == 128 + 9
        assert next(shims.read_recordings(bench / "run", ("go",))).exit_code == -9

    def test_a_stand_in_that_is_killed_leaves_no_end(self, bench: Path) -> None:
        tool(bench, "echo begun; kill -9 $PPID")
        call(bench, "go test")
        assert next(shims.read_recordings(bench / "run", ("go",))).exit_code is None

    def test_a_recording_that_was_cut_short_has_no_end(self, bench: Path) -> None:
        tool(bench, "echo out; echo err >&2")
        call(bench, "go test")
        (note,) = (bench / "run").glob("go-*.json")
        assert next(shims.read_recordings(bench / "run", ("go",))).exit_code == 0
        note.with_suffix(".err").write_text("er")
        assert next(shims.read_recordings(bench / "run", ("go",))).exit_code is None

    def test_a_reader_that_leaves(self, bench: Path) -> None:
        tool(bench, "seq 200000; exit 4")
        assert call(bench, "go test | head -n 1").stdout == "1\n"
        (recording,) = shims.read_recordings(bench / "run", ("go",))
        assert (recording.output.count("\n"), recording.exit_code) == (200_000, 4)

    def test_a_child_that_keeps_the_output_open_holds_nobody_up(self, bench: Path) -> None:
        tool(bench, "echo out; sleep 6 & exit 0")
        begun = time.monotonic()
        done = call(bench, "go test > out.txt 2>&1; cat out.txt")
        assert (done.stdout, done.returncode) == ("out\n", 0)
        assert time.monotonic() - begun < 5

    def test_what_the_tool_starts_is_on_its_own(self, bench: Path) -> None:
        tool(bench, 'case "$*" in *inner*) echo inner;; *) echo "$PATH [$MARK]"; go test inner;; esac')
        shims.restore_variables(bench / "run", {"MARK": None})
        done = call(bench, "go test", MARK="set")
        assert f"{bench}/run" not in done.stdout
        assert "[]\ninner\n" in done.stdout
        assert len(list(shims.read_recordings(bench / "run", ("go",)))) == 1

    def test_a_tool_that_is_a_script_around_itself(self, bench: Path) -> None:
        (bench / "inner").mkdir()
        tool(bench, f'PATH={bench}/inner:$PATH; exec go "$@"')
        (bench / "inner/go").write_text('#!/bin/sh\necho "$1"\n')
        (bench / "inner/go").chmod(0o755)
        assert call(bench, "go test").stdout == "test\n"

    @pytest.mark.parametrize(("version", "measured"), [("1.24.9", True), ("1.25.0", False)])
    def test_coverage_that_would_fail_is_left_out(self, bench: Path, version: str, measured: bool) -> None:
        tools = bench / f"golang.org/toolchain@v0.0.1-go{version}.linux-amd64/pkg/tool"
        tool(bench, "")
        (bench / "tools/go").write_text(f'#!/bin/sh\n[ "$1" = env ] && echo {tools} || echo "$@"\n')
        assert ("-coverprofile" in call(bench, "go test").stdout) is measured

    def test_flood(self, bench: Path) -> None:
        tool(bench, "head -c 30000000 /dev/zero")
        begun = time.monotonic()
        call(bench, "go test > /dev/null")
        assert len(next(shims.read_recordings(bench / "run", ("go",))).output) == 30_000_000
        assert time.monotonic() - begun < 10

    def test_names_that_are_no_text(self, bench: Path) -> None:
        tool(bench, "exit 0")
        call(bench, "go test $(printf '\\377')")
        assert next(shims.read_recordings(bench / "run", ("go",))).exit_code == 0


class TestText:
    EVENTS = (
        {"Action": "run", "Package": "p", "Test": "T"},
        {"Action": "output", "Package": "p", "Test": "T", "Output": "=== RUN   T\n"},
        {"Action": "output", "Package": "p", "Test": "T/s", "Output": "    said\n"},
        {"Action": "fail", "Package": "p", "Test": "T/s"},
        {"Action": "output", "Package": "p", "Test": "T", "Output": "--- X: T\n"},
    )

    def shown(self, *events: Mapping[str, object], is_verbose: bool = False) -> str:
        render = shim.go_text(is_verbose=is_verbose)
        return b"".join(render(json.dumps(event).encode() + b"\n") for event in events).decode()

    def test_only_failures_are_shown(self) -> None:
        assert self.shown(*self.EVENTS, {"Action": "pass", "Package": "p", "Test": "T"}) == ""
        assert self.shown(*self.EVENTS, {"Action": "fail", "Package": "p", "Test": "T"}) == "    said\n--- X: T\n"
        assert self.shown(*self.EVENTS, {"Action": "fail", "Package": "p"}) == "    said\n--- X: T\n"
        assert self.shown(*self.EVENTS, is_verbose=True) == "=== RUN   T\n    said\n--- X: T\n"

    def test_packages_and_lines_that_are_no_events(self) -> None:
        assert self.shown({"Action": "output", "Package": "p", "Output": "ok  \tp\n"}) == "ok  \tp\n"
        assert self.shown({"Action": "output", "Package": "p", "Output": "PASS\n"}) == ""
        assert self.shown({"Action": "build-output", "ImportPath": "p", "Output": "# p\n"}) == "# p\n"
        assert self.shown({"no": "event"}) == '{"no": "event"}\n'

    @settings(max_examples=examples(60))
    @given(st.binary())
    def test_no_line_makes_it_stumble(self, line: bytes) -> None:
        shim.go_text(is_verbose=False)(b"{" + line)
        assert shim.cargo_text(line) in (line, b"")


def test_it_starts_quickly_and_needs_nothing(bench: Path) -> None:
    script = Path(shim.__file__ or "").read_text()
    code = f"import sys; exec(compile({script!r}, 'shim', 'exec'), {{'__name__': 'shim'}}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    assert not {"subprocess", "asyncio", "pathlib", "loopwright"} & {*done.stdout.split()}
