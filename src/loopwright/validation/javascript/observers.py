"""Our observers inside of Node's test runners, seen from outside: how they are asked, and what they wrote."""

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, NamedTuple

from loopwright.domain.loop import TestResult, TestStatus
from loopwright.validation import results
from loopwright.validation.coverage import istanbul, lcov, v8
from loopwright.validation.coverage.lines import FileLines, combined
from loopwright.validation.javascript import package_json, testfile
from loopwright.validation.javascript.testfile import TestFile
from loopwright.validation.reading import Reading

Framework = Literal["node", "vitest", "jest"]
INJECTED = Path(__file__).parent / "injected"
SEPARATOR = " > "


def environment(root: Path, folder: Path) -> dict[str, str]:
    """Loads our observer into every Node process; the one that is a test runner gives back what was there before."""
    path = str(INJECTED / "loopwright_node.cjs").replace("\\", "\\\\").replace('"', '\\"')
    preload = f'--require "{path}"'
    known = os.environ.get("NODE_OPTIONS")
    return {
        "NODE_OPTIONS": f"{known} {preload}" if known else preload,
        "LOOPWRIGHT_PRELOAD": preload,
        "LOOPWRIGHT_NODE": json.dumps({"folder": str(folder), "root": str(root)}),
    }


def instrumented(command: str) -> str:
    """The command, with our observer in every NODE_OPTIONS that it sets by itself."""
    return re.sub(r"(?<![\w$])NODE_OPTIONS=", r'\g<0>"$LOOPWRIGHT_PRELOAD "', command)


def read(root: Path, folder: Path, framework: Framework) -> Reading:
    """All that the observers of this framework wrote in one run, in the order in which their processes began."""
    logs = [_log(file) for file in sorted(folder.glob(f"*.{framework}.ndjson"))]
    # What a child of `node --test` says itself is whole, also where it exits before its parent has heard it.
    heard = {test.file for log in logs if log.role == "child" for test in (*log.running.values(), *log.tests)}
    cut = {test.file for log in logs if log.role == "child" for test in log.running.values()}
    outer = [log for log in logs if log.role != "child"]
    tests = [test for log in logs for test in log.all_tests() if not _is_echo(test, log, heard, cut)]
    running = {test.key: None for log in logs for test in log.running.values() if not _is_echo(test, log, heard, cut)}
    files = {file: testfile.parsed(root / file) for file in sorted({test.file for test in tests})}
    found = results.told_apart(_result(test, files[test.file]) for test in tests)
    return Reading(
        results=found,
        sources=_sources(tests, found, files),
        running=tuple(key for key in running if not _is_around(key, running)),
        coverage=combined(root, _code_only(_measured(root, folder, framework, logs))),
        complete=bool(outer) and all(log.ended for log in outer),
        damaged=any(log.damaged for log in logs),
        reported=bool(logs),
        why="" if tests else package_json.missing_dependencies(root),
    )


class _Test(NamedTuple):
    """`path`: the names from the outermost suite down to the test; empty for a file as a whole."""

    file: str
    path: tuple[str, ...]
    status: TestStatus = "passed"
    ms: float = 0
    message: str = ""
    trace: str = ""

    @property
    def name(self) -> str:
        return SEPARATOR.join(self.path)

    @property
    def key(self) -> str:
        return f"{self.file}::{self.name}" if self.path else self.file


@dataclass
class _Log:
    """What one process told. `provisional` results count where the process did not live to say the final ones."""

    role: str = ""
    tests: list[_Test] = field(default_factory=list)
    provisional: dict[str, _Test] = field(default_factory=dict)
    running: dict[str, _Test] = field(default_factory=dict)
    traces: list[str] = field(default_factory=list)
    ended: bool = False
    damaged: bool = False

    def all_tests(self) -> list[_Test]:
        return [*self.tests, *self.provisional.values()]

    def take(self, line: object) -> None:
        match line:
            case {"kind": "begin", **more}:
                self.role = str(more.get("role", ""))
            case {"kind": "start", "token": str(token), "file": str(file), "path": list(path)}:
                self.running[token] = _Test(results.plain(file), tuple(results.plain(str(name)) for name in path))
            case {"kind": "done", "token": str(token)}:
                self.running.pop(token, None)
            case {"kind": "provisional" | "result" as kind, "token": str(token), **more}:
                self._end(kind, token, more)
            case {"kind": "coverage", "text": str(text)}:
                self.traces.append(text)
            case {"kind": "end", "status": int()}:
                self.ended = True
            case _:
                self.damaged = True

    def _end(self, kind: str, token: str, more: Mapping[object, object]) -> None:
        self.running.pop(token, None)
        self.provisional.pop(token, None)
        match more:
            case {"file": str(file), "path": list(path), "status": ("passed" | "failed" | "skipped") as status}:
                names = tuple(results.plain(str(name)) for name in path)
                message, trace = (
                    results.plain(str(more.get("message") or "")),
                    results.plain(str(more.get("trace") or "")),
                )
                test = _Test(results.plain(file), names, status, float(str(more.get("ms") or 0)), message, trace)
                if kind == "result":
                    self.tests.append(test)
                else:
                    self.provisional[token] = test
            case _:
                self.damaged = True


def _log(file: Path) -> _Log:
    """The last line may have been torn by the death of its process."""
    log = _Log()
    *whole, _torn = file.read_bytes().split(b"\n")
    for line in whole:
        try:
            log.take(json.loads(line))
        except ValueError:
            log.damaged = True
    return log


def _is_echo(test: _Test, log: _Log, heard: set[str], cut: set[str]) -> bool:
    """Whether the parent only repeats a child; its own failure is news, unless a test that was cut short explains."""
    if log.role == "child" or test.file not in heard:
        return False
    return bool(test.path) or test.status != "failed" or test.file in cut


def _is_around(key: str, running: Mapping[str, None]) -> bool:
    """Whether something inside of this running file or suite is running too."""
    return any(other.startswith((f"{key}::", f"{key}{SEPARATOR}")) for other in running)


def _result(test: _Test, file: TestFile | None) -> TestResult:
    status, message = test.status, test.message
    if status == "passed" and not test.path and file is not None and file.declares_tests:
        # Node is content with a file that exits before any of its tests has run.
        status, message = "skipped", "the file ended before any of its tests was run"
    return TestResult(
        test_name=test.name or test.file,
        suite=test.file if test.path else "",
        status=status,
        duration_ms=test.ms,
        error_message=message or None,
        stack_trace=test.trace or None,
    )


def _sources(tests: list[_Test], found: tuple[TestResult, ...], files: Mapping[str, TestFile | None]) -> dict[str, str]:
    digests = {name: file.digest() for name, file in files.items() if file is not None}
    for test, result in zip(tests, found, strict=True):
        file = files[test.file]
        if file is not None and test.path:
            digests[result.key] = file.digest_of(test.path)
    return digests


def _measured(root: Path, folder: Path, framework: Framework, logs: list[_Log]) -> Iterator[FileLines]:
    if framework != "node":
        for file in sorted(folder.glob("*.istanbul.json")):
            yield from istanbul.read(file)
        return
    for text in (text for log in logs for text in log.traces):
        yield from lcov.read(text, root)
    yield from v8.read(sorted((folder / "v8").glob("*.json")), root)


def _code_only(measured: Iterable[FileLines]) -> Iterator[FileLines]:
    """Lines that hold code: V8 also counts comments and closing brackets."""
    known: dict[Path, frozenset[int] | None] = {}
    for path, ran, missed in measured:
        if path not in known:
            known[path] = testfile.code_lines(path)
        lines = known[path]
        yield FileLines(
            path, ran if lines is None else lines & set(ran), missed if lines is None else lines & set(missed)
        )
