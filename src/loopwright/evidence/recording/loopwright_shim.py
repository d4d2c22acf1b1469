"""Stands in for `go`, `cargo` and `mvn`: runs the real one, records what it says, and shows it to people as usual.

Started as `python loopwright_shim.py ORDER TOOL ARGUMENTS…`, by small scripts that lie first on the PATH. Only a call
that runs tests is recorded; any other one becomes the real tool at once. Standard library only.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, NamedTuple, TypedDict

if TYPE_CHECKING:
    import subprocess

RECORDED_MOST = 256 * 1024 * 1024
"""Bytes of one stream that are recorded; a longer one counts as cut short."""

ASKED = "LOOPWRIGHT_SHIMS"
"""Without this variable it is a test that calls us, which is no part of the run."""

_LINGER = 0.3  # seconds that output is still read after the tool's exit, when something keeps the pipe open
_LONGEST_LINE = 1 << 20
_CARGO_VALUES = ("--config", "-Z", "-C", "--color", "--manifest-path")
_FAIL_MODES = ("-ff", "-fae", "-fn", "--fail-fast", "--fail-at-end", "--fail-never")

Render = Callable[[bytes], bytes]


class Order(TypedDict):
    """`bin`: where the stand-ins lie; `folder`: for recordings; `restore`: variables as they were without us."""

    bin: str
    folder: str
    restore: dict[str, str | None]


class Call(NamedTuple):
    """How the real tool is called. `merged`: both streams in one, in the order in which they were written.

    `render` makes what people see of one line of standard output.
    """

    args: list[str]
    merged: bool
    render: Render | None = None
    env: Mapping[str, str] = {}


def go(args: list[str], stem: str) -> Call | None:
    """`go test` with its own JSON and a coverage profile; people see what they would have seen."""
    if args[:1] != ["test"]:
        return None
    options = {word.lstrip("-").split("=")[0] for word in _until(args, "-args", "--args") if word.startswith("-")}
    if options & {"c", "list", "n", "h", "help"}:
        return None
    added = [] if "json" in options else ["-json"]
    if not any(option.startswith(("cover", "test.cover", "bench", "fuzz")) for option in options):
        added.append(f"-coverprofile={stem}.cover")
    first = 1  # where options may begin: -C has to stay the first
    if args[1:2] and args[1].lstrip("-").split("=")[0] == "C" and args[1].startswith("-"):
        first = 2 if "=" in args[1] else 3
    render = go_text(is_verbose="v" in options) if "json" not in options else None
    return Call([*args[:first], *added, *args[first:]], merged=False, render=render)


def cargo(args: list[str], stem: str) -> Call | None:
    """`cargo test` and `cargo nextest run`: every target is run, and says which one it is."""
    words = iter(range(len(args)))
    command = next((at for at in words if not _is_cargo_option(args, at, words)), len(args))
    own, rest = args[: command + 1], args[command + 1 :]
    options = _until(rest, "--")
    harness = rest[len(options) :]
    if {"--help", "-h", "--no-run", "--list"} & {*options, *harness}:
        return None
    if args[command : command + 1] in (["test"], ["t"]):
        options = [word for word in options if word not in ("-q", "--quiet")]
        harness = [word for word in harness if word not in ("-q", "--quiet", "--format=terse")]
        added = [] if "--no-fail-fast" in options else ["--no-fail-fast"]
        if not any(word.startswith("--message-format") for word in options):
            added.append("--message-format=json-render-diagnostics")
        return Call(
            [*own, *added, *options, *harness], merged=True, render=cargo_text, env={"CARGO_TERM_QUIET": "false"}
        )
    if args[command : command + 1] == ["nextest"] and options[:1] in (["run"], ["r"]):
        with open(f"{stem}.toml", "x", encoding="utf-8") as file:
            file.write(f"[profile.default.junit]\npath = {json.dumps(f'{stem}.xml')}\n")
        added = ["--tool-config-file", f"loopwright:{stem}.toml"]
        added += (
            [] if {"--no-fail-fast", "--max-fail"} & {word.split("=")[0] for word in options} else ["--no-fail-fast"]
        )
        return Call([*own, options[0], *added, *options[1:], *harness], merged=True)
    return None


def mvn(args: list[str], stem: str) -> Call | None:
    """Maven writes its reports by itself; one failing module must not hide those that do not need it."""
    if {"-v", "--version", "-h", "--help"} & {*args}:
        return None
    return Call([*args, *([] if {*_FAIL_MODES} & {*args} else ["-fae"])], merged=True)


TOOLS: dict[str, Callable[[list[str], str], Call | None]] = {"go": go, "cargo": cargo, "mvn": mvn, "mvnw": mvn}


def go_text(*, is_verbose: bool) -> Render:
    """Turns events back into the text that `go test` prints without -json."""
    held: dict[tuple[str, str], list[str]] = {}

    def render(line: bytes) -> bytes:
        event = _event(line)
        if event is None:
            return line
        package, test = str(event.get("Package")), str(event.get("Test") or "").split("/")[0]
        match event:
            case {"Action": "output" | "build-output", "Output": str(text)}:
                if is_verbose or not test:
                    return b"" if text == "PASS\n" and not is_verbose else text.encode("utf-8", "backslashreplace")
                if not text.startswith("=== "):
                    held.setdefault((package, test), []).append(text)
            case {"Action": "fail" | "pass" | "skip" as action} if str(event.get("Test") or "") == test:
                done = [key for key in held if key[0] == package and test in ("", key[1])]
                texts = [text for key in done for text in held.pop(key)]
                return "".join(texts).encode("utf-8", "backslashreplace") if action == "fail" else b""
        return b""

    return render


def cargo_text(line: bytes) -> bytes:
    """Leaves out what cargo says to programs."""
    return b"" if line.startswith(b'{"reason":') else line


def main(order_file: str, tool: str, *args: str) -> int:
    """Runs the tool; its exit status, or 128 and more for a signal, as a shell has it."""
    with open(order_file, encoding="utf-8") as file:
        order: Order = json.load(file)
    outside = [place for place in os.environ.get("PATH", os.defpath).split(os.pathsep) if place != order["bin"]]
    program = tool if "/" in tool else next(filter(_is_program, (os.path.join(p, tool) for p in outside)), None)
    if program is None:
        print(f"{tool}: command not found", file=sys.stderr)
        return 127
    name = os.path.basename(tool)
    stem = os.path.join(order["folder"], f"{name}-{time.time_ns()}-{os.getpid()}")
    call = TOOLS[name](list(args), stem) if ASKED in os.environ else None
    if call is None:
        os.execv(program, [program, *args])
    # What the tests themselves start is no part of the run: no shim, no probe.
    restored = {**os.environ, ASKED: None, **order["restore"], "PATH": os.pathsep.join(outside), **call.env}
    env = {name: value for name, value in restored.items() if value is not None}
    if name == "go" and _lacks_covdata(program, env):
        call = call._replace(args=[word for word in call.args if word != f"-coverprofile={stem}.cover"])
    return _record([program, *call.args], call, env, stem)


def _lacks_covdata(program: str, env: dict[str, str]) -> bool:
    """Whether coverage would fail for packages without tests: Go 1.25 and later, downloaded by another Go."""
    import subprocess

    null, pipe = subprocess.DEVNULL, subprocess.PIPE
    asked = subprocess.run(
        [program, "env", "GOTOOLDIR"], env=env, stdin=null, stdout=pipe, stderr=null, errors="replace"
    )
    tools = asked.stdout.strip()
    old = re.search(r"/toolchain@v[\d.]+-go1\.(\d+)", tools)
    return old is not None and int(old.group(1)) >= 25 and not os.path.exists(os.path.join(tools, "covdata"))


def _record(argv: list[str], call: Call, env: dict[str, str], stem: str) -> int:
    import subprocess

    note = {"tool": os.path.basename(argv[0]), "args": argv[1:], "cwd": os.getcwd()}
    _write(stem, note)
    process = subprocess.Popen(
        argv, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT if call.merged else subprocess.PIPE
    )
    assert process.stdout is not None
    streams = [_Stream(process.stdout, sys.stdout.fileno(), f"{stem}.out", call.render)]
    if process.stderr is not None:
        streams.append(_Stream(process.stderr, sys.stderr.fileno(), f"{stem}.err", None))
    _pass_on(streams, process)
    sizes = [stream.finish() for stream in streams]
    _write(stem, {**note, "exit": process.returncode, "sizes": sizes})
    return process.returncode if process.returncode >= 0 else 128 - process.returncode


def _pass_on(streams: list[_Stream], process: subprocess.Popen[bytes]) -> None:
    """Reads until every stream has ended, or until the tool has and something else keeps its output open."""
    import selectors

    with selectors.DefaultSelector() as selector:
        for stream in streams:
            selector.register(stream.source, selectors.EVENT_READ, stream)
        ended = float("inf")
        while selector.get_map() and time.monotonic() < ended + _LINGER:
            for key, _ in selector.select(0.1):
                if not key.data.forward():
                    selector.unregister(key.fileobj)
            if ended == float("inf") and process.poll() is not None:
                ended = time.monotonic()
    process.wait()


class _Stream:
    """One output of the tool: recorded as it is, and shown line by line."""

    def __init__(self, source: IO[bytes], sink: int, record: str, render: Render | None) -> None:
        self.source = source
        self._sink = sink
        self._record = os.open(record, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        self._render = render
        self._size = 0
        self._line = b""

    def forward(self) -> bool:
        """Passes on what can be read now; False at the end."""
        chunk = os.read(self.source.fileno(), 65_536)
        if self._size < RECORDED_MOST:
            os.write(self._record, chunk)
        self._size += len(chunk)
        if self._render is None:
            self._show(chunk)
        elif chunk:
            *lines, self._line = (self._line + chunk).split(b"\n")
            self._show(b"".join(self._render(line + b"\n") for line in lines))
            if len(self._line) > _LONGEST_LINE:
                self._show(self._render(self._line))
                self._line = b""
        return bool(chunk)

    def finish(self) -> int:
        """Shows the last line; the number of bytes there were."""
        if self._line and self._render is not None:
            self._show(self._render(self._line))
        os.close(self._record)
        self.source.close()
        return self._size

    def _show(self, data: bytes) -> None:
        try:
            while data:
                data = data[os.write(self._sink, data) :]
        except BrokenPipeError:  # the reader has gone (`| head`); the record goes on
            return


def _until(words: list[str], *ends: str) -> list[str]:
    """The words before the first of `ends`."""
    return words[: min((words.index(end) for end in ends if end in words), default=len(words))]


def _is_cargo_option(args: list[str], at: int, words: Iterator[int]) -> bool:
    """Whether a word before cargo's subcommand is none; takes the value of an option that has one."""
    if args[at] in _CARGO_VALUES:
        next(words, None)
    return args[at].startswith(("-", "+"))


def _event(line: bytes) -> Mapping[str, object] | None:
    if not line.startswith(b"{"):
        return None
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and "Action" in event else None


def _is_program(path: str) -> bool:
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _write(stem: str, note: Mapping[str, object]) -> None:
    with open(f"{stem}.new", "w", encoding="utf-8", errors="surrogateescape") as file:
        json.dump(note, file)
    os.replace(f"{stem}.new", f"{stem}.json")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
