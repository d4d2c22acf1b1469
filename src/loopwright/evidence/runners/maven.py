"""Maven with surefire and failsafe, by `mvn` or the project's own `mvnw`."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from tree_sitter import Node

from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.recording import shims
from loopwright.evidence.results import RunnerReport, make_failure, split_lines
from loopwright.evidence.runners.recorded import RecordedRunner
from loopwright.evidence.sources import digest_nodes, name_of, parse_file, text_of, walk_tree
from loopwright.evidence.testing import BUILD, TestResult

_FEWER = "Maven counted {counted} tests, and its reports hold {held}: the others wrote no XML report"


class MavenRunner(RecordedRunner):
    name = "maven"
    tools = ("mvn", "mvnw")
    command = re.compile(
        r"(?<![\w.-])(?:mvn|mvnw)\s(?:.*\s)?(?:test|verify|package|install|deploy|integration-test|\S*(?:surefire|failsafe)\S*)"
        r"(?![\w-])"
    )

    def detect(self, root: Path) -> str | None:
        if not (root / "pom.xml").is_file():
            return None
        return "./mvnw test" if (root / "mvnw").is_file() else "mvn test"

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.
        from loopwright.evidence.junit import read_reports

        lines = [line for recording in recordings for line in split_lines(recording.output)]
        reports = [path for path in list_changed_files(root, begun, ".xml") if path.name.startswith("TEST-")]
        found = read_reports([(f"{m}/" if (m := module_of(root, path)) else "", path) for path in reports])
        whole = (*found.results, *list_compile_failures(root, lines))
        ran, failed = count_tests(lines)
        has_failed = any(result.status == "failed" for result in whole)
        is_short = len(found.results) < ran or (failed > 0 and not has_failed)
        ended = all(recording.exit_code is not None for recording in recordings)
        explained = has_failed or all(recording.exit_code == 0 for recording in recordings)
        java = JavaTests(root)
        return replace(
            found,
            results=whole,
            sources={r.key: java.digest_of(r.suite, r.test_name) for r in whole if r.suite},
            complete=ended and explained and (bool(whole) or any(_NO_TESTS.search(line) for line in lines)),
            damaged=found.damaged or is_short,
            reported=True,
            why=found.why or (_FEWER.format(counted=ran, held=len(found.results)) if is_short else ""),
        )


_CLASSES = frozenset({"class_declaration", "record_declaration", "enum_declaration", "interface_declaration"})
_AROUND = re.compile(r"(?:Before|After)(?:Each|All|Class|Method|Suite|Test)?|DataProvider|Parameters")
_OLD_AROUND = frozenset({"setUp", "tearDown"})
_METHOD = re.compile(r"[A-Za-z_$][\w$]*")


def module_of(root: Path, file: Path) -> str:
    """The nearest folder with a pom.xml, relative to the project; "" for the project itself."""
    for folder in file.parents:
        if folder == root or not folder.is_relative_to(root):
            return ""
        if (folder / "pom.xml").is_file():
            return folder.relative_to(root).as_posix()
    return ""


def suite_of(module: str, classname: str) -> str:
    return f"{module}/{classname}" if module else classname


class JavaTests:
    """The test classes of a project, each read once."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._methods = cache(self._read)

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's method and of what its class runs around it; "" when it is not found for sure."""
        name = _METHOD.match(test)
        methods = self._methods(suite)
        own = [node for node in methods if name is not None and name_of(node) == name.group()]
        return digest_nodes([*own, *(node for node in methods if _is_around(node))]) if own else ""

    def _read(self, suite: str) -> list[Node]:
        module, _, classname = suite.rpartition("/")
        outer, *inner = classname.split("$")
        file = self._root / module / "src/test/java" / f"{outer.replace('.', '/')}.java"
        tree = parse_file(file)
        scope = tree
        for name in (outer.rpartition(".")[2], *inner):
            inner_classes = [node for node in scope.children if node.type in _CLASSES] if scope is not None else []
            found = [node for node in inner_classes if name_of(node) == name]
            scope = found[0].child_by_field_name("body") if len(found) == 1 else None
        return [node for node in scope.children if node.type == "method_declaration"] if scope is not None else []


def _is_around(method: Node) -> bool:
    modifiers = (child for child in method.children if child.type == "modifiers")
    names = [
        text_of(node.child_by_field_name("name")).rpartition(".")[2]
        for child in modifiers
        for node in walk_tree(child)
        if node.type in ("marker_annotation", "annotation")
    ]
    return any(_AROUND.fullmatch(name) for name in names) or name_of(method) in _OLD_AROUND


_LEVEL = re.compile(r"^\[(?:INFO|WARNING|ERROR)\] ?")
_COMPILER = re.compile(r"^\[ERROR\] COMPILATION ERROR ?:.*$")
_PLACE = re.compile(r"^(?P<file>/.*\.(?:java|kt|groovy|scala)):\[\d+")
_TOTAL = re.compile(
    r"^\[(?:INFO|WARNING|ERROR)\] Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: \d+\s*$"
)
_NO_TESTS = re.compile(r"No tests (?:to run|were executed)")
_TEST_CLASS = re.compile(r"(?:Test|IT).*|.*(?:Tests?|TestCase|IT|ITCase)")
_OF_TESTS = re.compile(r"src/test/\w+/(.+)\.\w+$")


def count_tests(lines: list[str]) -> tuple[int, int]:
    """Tests that ran, and those of them that failed, by Maven's own summaries."""
    totals = [found for line in lines if (found := _TOTAL.match(line)) is not None]
    return (
        sum(int(total.group(1)) for total in totals),
        sum(int(total.group(2)) + int(total.group(3)) for total in totals),
    )


def list_compile_failures(root: Path, lines: list[str]) -> Iterator[TestResult]:
    """One failed test for every test class that does not compile; for other code, one for its module's build."""
    for block in _compiler_blocks(lines):
        text = "\n".join(block)
        files = [Path(found["file"]) for line in block if (found := _PLACE.match(line)) is not None]
        for name in dict.fromkeys(_unbuilt(root, file) for file in files):
            yield make_failure("", name, text)
        if not files:
            yield make_failure("", BUILD, text)


def _compiler_blocks(lines: list[str]) -> Iterator[list[str]]:
    """The compiler's own words of each failed module, without Maven's levels and rulers."""
    block: list[str] | None = None
    for line in lines:
        said = _LEVEL.sub("", line)
        if _COMPILER.match(line):
            block = []
        elif block is not None and re.match(r"^\[INFO\] \d+ errors?|^\[INFO\] -+$", line) and block:
            yield block
            block = None
        elif block is not None and not said.startswith("-----"):
            block.append(said)
    if block:
        yield block


def _unbuilt(root: Path, file: Path) -> str:
    module = module_of(root, file)
    of_test = _OF_TESTS.search(file.as_posix())
    if of_test is not None and _TEST_CLASS.fullmatch(file.stem):
        return suite_of(module, of_test.group(1).replace("/", "."))
    return f"{BUILD} of {module}" if module else BUILD
