"""What `go test -json` says, read: packages, tests, panics, builds that failed."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from textwrap import dedent
from typing import Any  # Any: parsed JSON, matched where it is used

from loopwright.domain.loop import TestResult, TestStatus
from loopwright.validation.reading import Reading
from loopwright.validation.results import failure, plain, told_apart
from loopwright.validation.shims import Recording

_ENDS: dict[str, TestStatus] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_NOT_BUILT = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]", re.MULTILINE)
_NO_PACKAGES = re.compile(r"matched no packages|no packages to test|no Go files in")
_FRAME = re.compile(r"^(=== |\s*--- (PASS|FAIL|SKIP): |FAIL$|PASS$|FAIL\t|ok  \t|coverage: )")
_OUTPUT_KEPT = 64_000


@dataclass
class _Test:
    name: str
    status: TestStatus | None = None
    seconds: float = 0
    output: list[str] = field(default_factory=list)


@dataclass
class _Package:
    tests: dict[str, _Test] = field(default_factory=dict)
    earlier: list[_Test] = field(default_factory=list)
    status: TestStatus | None = None
    output: list[str] = field(default_factory=list)


def read(recording: Recording, suite_of: Callable[[str], str]) -> Reading:
    """Results of one call. `suite_of` names the folder of an import path.

    A package that could not be built, or that failed without a failing test, is one failed test of its suite's name.
    """
    packages, others, builds = _gathered(recording.output)
    said = "".join([*others, recording.errors])
    not_built = dict.fromkeys(_NOT_BUILT.findall("".join([*others, *(t for p in packages.values() for t in p.output)])))
    results = [failure("", suite_of(name), _compiler(f"{builds}\n{said}", name)) for name in not_built]
    running: list[str] = []
    for name, package in packages.items():
        if name not in not_built:
            results += _results(suite_of(name), package)
            running += _running(suite_of(name), package)
    have_ended = all(package.status is not None for package in packages.values())
    failed = any(result.status == "failed" for result in results)
    explained = recording.exit_code == 0 or failed or (not results and _NO_PACKAGES.search(said) is not None)
    return Reading(
        results=told_apart(results),
        running=tuple(running),
        complete=recording.exit_code is not None and have_ended and explained and (bool(packages) or bool(said)),
        reported=True,
    )


def _gathered(output: str) -> tuple[dict[str, _Package], list[str], str]:
    """Packages, lines that are no events, and what the compiler said in events (Go 1.24 and later)."""
    packages: dict[str, _Package] = {}
    others: list[str] = []
    builds: list[str] = []
    for line in output.splitlines(keepends=True):
        match _event(line):
            case {"Action": "build-output", "Output": str(text)}:
                builds.append(text)
            case {"Action": str(action), "Package": str(name), **more}:
                _take(packages.setdefault(plain(name), _Package()), action, more)
            case {"Action": str()}:
                pass
            case _:
                others.append(line)
    return packages, others, "".join(builds)


def _take(package: _Package, action: str, more: dict[object, Any]) -> None:
    name = plain(str(more.get("Test") or ""))
    test = package.tests.get(name)
    match action:
        case "run" if name:
            if test is not None:  # -count: the same test once more
                package.earlier.append(test)
            package.tests[name] = _Test(name)
        case "output":
            kept = test.output if test else package.output
            text = plain(str(more.get("Output") or ""))
            if sum(map(len, kept[-200:])) < _OUTPUT_KEPT:
                kept.append(text)
        case "pass" | "fail" | "skip" if not name:
            package.status = _ENDS[action]
        case "pass" | "fail" | "skip" if test is not None and test.status != "failed":
            # A test that prints such lines can end another one for test2json before Go 1.20: the worst counts.
            test.status, test.seconds = _ENDS[action], _seconds(more.get("Elapsed"))


def _results(suite: str, package: _Package) -> list[TestResult]:
    results = []
    for test in (*package.earlier, *package.tests.values()):
        status = test.status or _by_text(package, test.name)
        if status == "failed":
            text = dedent("".join(line for line in test.output if not _FRAME.match(line)))
            panic = re.search(r"^\s*panic: .*", text, re.MULTILINE)
            message = panic.group().strip() if panic else text
            found = failure(suite, test.name, message, trace=text if panic else "")
            results.append(found.evolve(duration_ms=test.seconds * 1000))
        elif status is not None:
            results.append(TestResult(test_name=test.name, suite=suite, status=status, duration_ms=test.seconds * 1000))
    if package.status == "failed" and not any(result.status == "failed" for result in results):
        text = "".join(line for line in package.output if not _FRAME.match(line))
        if not _running(suite, package):
            results.append(failure("", suite, text or "the package failed, and none of its tests did"))
    return results


def _by_text(package: _Package, name: str) -> TestStatus | None:
    """How a test without an end of its own went: test2json before 1.20 misses ends behind unfinished lines."""
    if package.status in ("passed", "skipped"):
        return "passed"
    if package.status is None:
        return None
    texts = [*package.output, *(line for test in package.tests.values() for line in test.output)]
    ends = {word for text in texts for word, of in re.findall(r"--- (PASS|FAIL|SKIP): (\S+) \(", text) if of == name}
    if ends == {"PASS"}:
        return "passed"
    if ends == {"SKIP"}:
        return "skipped"
    return "failed" if ends else None


def _running(suite: str, package: _Package) -> list[str]:
    tests = package.tests.values()
    return [f"{suite}::{t.name}" for t in tests if t.status is None and _by_text(package, t.name) is None]


def _compiler(said: str, package: str) -> str:
    """What was said about a package, under its `# package` line; all of it where there is no such line."""
    sections = list(_sections(said))
    own = [text for name, text in sections if name == package]
    return "\n".join(own or [text for _, text in sections]) or said or "the package could not be built"


def _sections(said: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r"^(?=# )", said, flags=re.MULTILINE):
        head, _, text = part.partition("\n")
        if head.startswith("# ") and text.strip():
            yield head[2:].split(" ")[0].removesuffix("_test"), _NOT_BUILT.sub("", text).strip("\n")


def _event(line: str) -> Any:
    if not line.startswith("{"):
        return None
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _seconds(value: object) -> float:
    return float(value) if isinstance(value, (int, float)) and 0 <= value < 1e9 else 0.0
