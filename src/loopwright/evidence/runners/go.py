"""go test, of Go 1.19 and later."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from textwrap import dedent

from tree_sitter import Node

from loopwright.evidence import results
from loopwright.evidence.project_files import walk_folders
from loopwright.evidence.recording import shims
from loopwright.evidence.recording.shims import ToolRecording
from loopwright.evidence.results import RunnerReport, encode_safely, make_failure, number_duplicates, parse_json
from loopwright.evidence.runners.recorded import RecordedRunner
from loopwright.evidence.sources import digest_nodes, name_of, parse_file
from loopwright.evidence.testing import TestResult, TestStatus


class GoRunner(RecordedRunner):
    name = "go"
    tools = ("go",)
    command = re.compile(r"(?<![\w.-])go\s+test(?![\w.-])")

    def detect(self, root: Path) -> str | None:
        if not (root / "go.mod").is_file():
            return None
        has_tests = any(next(at.glob("*_test.go"), None) for at in walk_folders(root))
        return "go test ./..." if has_tests else None

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.coverage import combine_coverage, read_go_profile

        project = GoProject(root)

        def one(recording: shims.ToolRecording) -> RunnerReport:
            return read_events(recording, lambda package: project.suite_of(package, recording.cwd))

        whole = results.join_reports([one(recording) for recording in recordings])
        profiles = (Path(f"{recording.stem}.cover") for recording in recordings)
        return replace(
            whole,
            sources={r.key: project.digest_of(r.suite, r.test_name) for r in whole.results if r.suite},
            coverage=combine_coverage(
                root, [lines for file in profiles for lines in read_go_profile(file, project.path_of)]
            ),
        )


_ENDS: dict[str, TestStatus] = {"pass": "passed", "fail": "failed", "skip": "skipped"}
_NOT_BUILT = re.compile(r"^FAIL\t(\S+) \[(?:build|setup) failed\]", re.MULTILINE)
_NO_PACKAGES = re.compile(r"matched no packages|no packages to test|no Go files in")
_END = re.compile(r"--- (PASS|FAIL|SKIP): (\S+) \(")
_PANIC = re.compile(r"^\s*panic: .*", re.MULTILINE)
_FRAME = re.compile(r"^(=== |\s*--- (PASS|FAIL|SKIP): |FAIL$|PASS$|FAIL\t|ok  \t|coverage: )")
_LINES_KEPT = 500
_LONGEST_LINE = 4000


@dataclass
class _Test:
    name: str
    status: TestStatus | None = None
    seconds: float = 0
    output: list[str] = field(default_factory=list)

    def hear(self, text: str) -> None:
        """Keeps the beginning and the end, where assertions and panics stand."""
        self.output.append(text[:_LONGEST_LINE])
        if len(self.output) > _LINES_KEPT:
            del self.output[_LINES_KEPT // 2]


@dataclass
class _Package(_Test):
    """`earlier`: tests that were run once more afterwards."""

    tests: dict[str, _Test] = field(default_factory=dict)
    earlier: list[_Test] = field(default_factory=list)


def read_events(recording: ToolRecording, suite_of: Callable[[str], str]) -> RunnerReport:
    """Results of one call. `suite_of` names the folder of an import path.

    A package that could not be built, or that failed without a failing test, is one failed test of its suite's name.
    """
    packages, others, builds = _gathered(recording.output)
    said = "".join([*others, recording.errors])
    not_built = dict.fromkeys(_NOT_BUILT.findall("".join([*others, *(t for p in packages.values() for t in p.output)])))
    compiler = _compiler(f"{builds}\n{said}") if not_built else {}
    results = [make_failure("", suite_of(name), compiler.get(name) or compiler[""]) for name in not_built]
    running: list[str] = []
    for name, package in packages.items():
        if name not in not_built:
            suite = suite_of(name)
            _settle(package)
            results += _results(suite, package)
            running += [f"{suite}::{test.name}" for test in package.tests.values() if test.status is None]
    have_ended = all(package.status is not None for package in packages.values())
    failed = any(result.status == "failed" for result in results)
    explained = recording.exit_code == 0 or failed or (not results and _NO_PACKAGES.search(said) is not None)
    return RunnerReport(
        results=number_duplicates(results),
        running=tuple(running),
        complete=recording.exit_code is not None and have_ended and explained and (bool(packages) or bool(said)),
        reported=True,
    )


def _gathered(output: str) -> tuple[dict[str, _Package], list[str], str]:
    """Packages, lines that are no events, and what the compiler said in events (Go 1.24 and later)."""
    packages: dict[str, _Package] = {}
    others: list[str] = []
    builds: list[str] = []
    for line in re.findall(r"[^\n]*\n|[^\n]+", output):
        match parse_json(line, "{"):
            case {"Action": "build-output", "Output": str(text)}:
                builds.append(text)
            case {"Action": str(action), "Package": str(name), **more}:
                _take(packages.setdefault(encode_safely(name), _Package(encode_safely(name))), action, more)
            case {"Action": str()}:
                pass
            case _:
                others.append(line)
    return packages, others, "".join(builds)


def _take(package: _Package, action: str, more: Mapping[object, object]) -> None:
    name = encode_safely(str(more.get("Test") or ""))
    test = package.tests.get(name)
    match action:
        case "run" if name:
            if test is not None:  # -count: the same test once more
                package.earlier.append(test)
            package.tests[name] = _Test(name)
        case "output":
            (test or package).hear(encode_safely(str(more.get("Output") or "")))
        case "pass" | "fail" | "skip" if not name:
            package.status = _ENDS[action]
        case "pass" | "fail" | "skip" if test is not None and test.status != "failed":
            # A test that prints such lines can end another one for test2json before Go 1.20: the worst counts.
            took = more.get("Elapsed")
            test.status = _ENDS[action]
            test.seconds = float(took) if isinstance(took, (int, float)) and 0 <= took < 1e9 else 0.0


def _settle(package: _Package) -> None:
    """Says how tests without an end of their own went: test2json before 1.20 misses ends behind unfinished lines."""
    tests = (*package.earlier, *package.tests.values())
    ends: dict[str, set[str]] = {}
    for text in (text for said in (package, *tests) for text in said.output):
        for word, name in _END.findall(text):
            ends.setdefault(name, set()).add(word.lower())
    for test in tests:
        if test.status is None and package.status in ("passed", "skipped"):
            test.status = "passed"
        elif test.status is None and package.status == "failed" and (said := ends.get(test.name)):
            test.status = _ENDS[said.pop()] if len(said) == 1 else "failed"


def _results(suite: str, package: _Package) -> list[TestResult]:
    tests = (*package.earlier, *package.tests.values())
    results = [
        _failed(suite, test)
        if test.status == "failed"
        else TestResult(test_name=test.name, suite=suite, status=test.status, duration_ms=test.seconds * 1000)
        for test in tests
        if test.status is not None
    ]
    is_explained = any(test.status in ("failed", None) for test in tests)
    if package.status == "failed" and not is_explained:
        text = "".join(line for line in package.output if not _FRAME.match(line))
        results.append(make_failure("", suite, text or "the package failed, and none of its tests did"))
    return results


def _failed(suite: str, test: _Test) -> TestResult:
    text = dedent("".join(line for line in test.output if not _FRAME.match(line)))
    panic = _PANIC.search(text)
    found = make_failure(suite, test.name, panic.group().strip() if panic else text, trace=text if panic else "")
    return found.evolve(duration_ms=test.seconds * 1000)


def _compiler(said: str) -> dict[str, str]:
    """What was said about each package, under its `# package` line; under "" all of it, for packages without one."""
    sections: dict[str, str] = {}
    for part in re.split(r"^(?=# )", said, flags=re.MULTILINE):
        head, _, text = part.partition("\n")
        if head.startswith("# ") and text.strip():
            name = head[2:].split(" ")[0].removesuffix("_test")
            sections[name] = sections.get(name, "") + _NOT_BUILT.sub("", text).strip("\n") + "\n"
    return {**sections, "": "".join(sections.values()) or said.strip("\n") or "the package could not be built"}


_MODULE = re.compile(r'^module\s+"?([^\s"]+)"?', re.MULTILINE)
_AROUND = frozenset({"SetupSuite", "SetupTest", "SetupSubTest", "TearDownSuite", "TearDownTest", "TearDownSubTest"})
"""What testify's suites run around their tests."""


class GoProject:
    """The modules below a folder, read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._tests: dict[Path, list[Node]] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Folders of the modules, by module path."""
        found = {}
        for folder in walk_folders(self._root):
            file = folder / "go.mod"
            if file.is_file() and (line := _MODULE.search(file.read_bytes().decode("utf-8", "replace"))):
                found[line.group(1)] = folder
        return found

    def path_of(self, name: str) -> Path | None:
        """The file or folder of an import path, or None for one of no module of the project."""
        modules = [path for path in self.modules if name == path or name.startswith(f"{path}/")]
        if not modules:
            return None
        module = max(modules, key=len)
        return self.modules[module] / name[len(module) :].lstrip("/")

    def suite_of(self, package: str, cwd: Path) -> str:
        """A package's folder relative to the project, or its import path where it lies elsewhere."""
        folder = cwd if package == "command-line-arguments" else self.path_of(package)
        return folder.relative_to(self._root).as_posix() if folder and folder.is_relative_to(self._root) else package

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's function with TestMain, and of its method in a testify suite; "" when not sure."""
        name, _, inner = test.partition("/")
        folder = self._root / suite
        if folder not in self._tests:
            trees = [parse_file(file) for file in sorted(folder.glob("*_test.go"))]
            kinds = ("function_declaration", "method_declaration")
            self._tests[folder] = [node for tree in trees if tree for node in tree.children if node.type in kinds]
        functions = self._tests[folder]
        own = [node for node in functions if node.type == "function_declaration" and name_of(node) == name]
        if len(own) != 1:
            return ""
        method = inner.split("/")[0]
        methods = [node for node in functions if node.type == "method_declaration"]
        if any(name_of(node) == method for node in methods):
            own += [node for node in methods if name_of(node) in {method, *_AROUND}]
        return digest_nodes([*own, *(node for node in functions if name_of(node) == "TestMain")])
