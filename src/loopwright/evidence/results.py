"""Results from several processes or frameworks, made one."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import orjson

from loopwright.evidence.testing import Coverage, Reach, TestResult


@dataclass(frozen=True)
class RunnerReport:
    """What the runner left behind.

    `running`: keys of tests that began and never ended. `complete`: the runner itself says that it came to its end.
    `damaged`: something could not be read; `why` says what, in words, or what would help. `reported`: the framework
    was there at all, even if it came to no result. `imports`, `opened`, `reach`, `executable` and
    `from_files` as in TestRun.
    """

    results: tuple[TestResult, ...] = ()
    sources: dict[str, str] = field(default_factory=dict)
    running: tuple[str, ...] = ()
    coverage: Coverage | None = None
    complete: bool = False
    damaged: bool = False
    reported: bool = False
    why: str = ""
    reach: dict[str, Reach] | None = None
    executable: tuple[str, ...] = ()
    imports: dict[str, tuple[str, ...]] = field(default_factory=dict)
    opened: dict[str, tuple[str, ...]] = field(default_factory=dict)
    from_files: bool = False


MESSAGE_KEPT = 2000
TRACE_KEPT = 8000


def number_duplicates(results: Iterable[TestResult]) -> tuple[TestResult, ...]:
    """Tests that share a key are numbered, so that none hides another."""
    apart: dict[str, TestResult] = {}
    numbers: dict[str, int] = {}
    for result in results:
        key, name = result.key, result.test_name
        while result.key in apart:
            numbers[key] = numbers.get(key, 1) + 1
            result = result.evolve(test_name=f"{name}#{numbers[key]}")
        apart[result.key] = result
    return tuple(apart.values())


def split_key(key: str) -> tuple[str, str]:
    """Suite and name: the last `::`, but none of those in a parameter."""
    first = key.find("::")
    parameters = key.find("[", first) if first >= 0 else -1
    last = key.rfind("::", 0, parameters if parameters >= 0 else None)
    return (key[:last], key[last + 2 :]) if last >= 0 else ("", key)


def parse_json(line: str, opening: str) -> object:
    """The JSON value in a line that begins so; None for any other line, and for what is no JSON."""
    if not line.startswith(opening):
        return None
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def load_json(line: bytes) -> object:
    """What Python's json makes of it, sooner. ValueError."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:  # or lone surrogates, or a number that JSON has not
        return json.loads(line)


_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def split_lines(output: str) -> list[str]:
    """A tool's lines, without colours."""
    return _COLOUR.sub("", output).replace("\r\n", "\n").split("\n")


def encode_safely(text: str) -> str:
    """Text that any JSON writer takes: lone surrogates come from names that are no UTF-8."""
    return text.encode("utf-8", "backslashreplace").decode()


def make_failure(suite: str, name: str, text: str, *, trace: str = "") -> TestResult:
    """A failed test with what was said about it, cut to what people read."""
    return TestResult(
        test_name=name,
        suite=suite,
        status="failed",
        error_message=encode_safely(text.strip("\n"))[:MESSAGE_KEPT] or None,
        stack_trace=encode_safely(trace.strip("\n"))[-TRACE_KEPT:] or None,
    )


def join_reports(readings: Sequence[RunnerReport]) -> RunnerReport:
    """All that any of these reported; complete when each of them is."""
    there = [reading for reading in readings if reading.reported]
    # percentages of several languages cannot be added up: a threshold has to hold for each
    measured = [reading.coverage for reading in there if reading.coverage is not None]
    files = {file: percent for coverage in measured for file, percent in coverage.files.items()}
    return RunnerReport(
        results=number_duplicates(result for reading in there for result in reading.results),
        sources={key: digest for reading in there for key, digest in reading.sources.items()},
        running=tuple(dict.fromkeys(key for reading in there for key in reading.running)),
        coverage=Coverage(percent=min(one.percent for one in measured), files=files) if measured else None,
        complete=bool(there) and all(reading.complete for reading in there),
        damaged=any(reading.damaged for reading in there),
        reported=bool(there),
        why="; ".join(dict.fromkeys(reading.why for reading in there if reading.why)),
        reach=next((reading.reach for reading in there if reading.reach is not None), None),
        imports={file: named for reading in there for file, named in reading.imports.items()},
        opened={file: by for reading in there for file, by in reading.opened.items()},
        executable=next((reading.executable for reading in there if reading.executable), ()),
    )
