"""cargo test (libtest and harnesses that print as it does) and cargo nextest."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from tree_sitter import Node

from loopwright.evidence import junit, results
from loopwright.evidence.project_files import list_changed_files
from loopwright.evidence.recording import shims
from loopwright.evidence.recording.shims import ToolRecording
from loopwright.evidence.results import (
    RunnerReport,
    encode_safely,
    make_failure,
    number_duplicates,
    parse_json,
    split_lines,
)
from loopwright.evidence.runners.recorded import RecordedRunner
from loopwright.evidence.sources import digest_nodes, parse_file, text_of
from loopwright.evidence.testing import BUILD, TestResult, TestStatus


class CargoRunner(RecordedRunner):
    name = "cargo"
    tools = ("cargo",)
    command = re.compile(r"(?<![\w.-])cargo\s+(\+\S+\s+|--?\w\S*\s+)*(test|t|nextest\s+r(un)?)(?![\w.-])")

    def detect(self, root: Path) -> str | None:
        return "cargo test" if (root / "Cargo.toml").is_file() else None

    def read_recorded(self, root: Path, recordings: Sequence[shims.ToolRecording], begun: int) -> RunnerReport:
        # A run needs these; naming the runners does not.

        def one(recording: shims.ToolRecording) -> RunnerReport:
            if "nextest" not in recording.args:
                return read_cargo_test(recording)
            ours = Path(f"{recording.stem}.xml")
            # where the project's own settings say that nextest writes its report elsewhere
            elsewhere = (path for path in list_changed_files(root, begun, ".xml") if "nextest" in path.parts)
            return read_nextest(recording, [ours] if ours.exists() else [*elsewhere])

        whole = results.join_reports([one(recording) for recording in recordings])
        crates = Crates(target for r in recordings for target in list_targets(r.output.split("\n")).values())
        return replace(whole, sources={r.key: crates.digest_of(r.suite, r.test_name) for r in whole.results if r.suite})


RUNNING = re.compile(r"^running (\d{1,9}) tests?$")
_RESULT = re.compile(
    r"^test result: (?:ok|FAILED)\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ignored; (\d{1,9}) measured; "
)
_NAME = r"test (?P<name>\S(?:(?! \.\.\. ).)*?)(?: - should panic| - compile| - compile fail)? \.\.\. "
_END = r"(?P<end>ok|FAILED|ignored|bench:)(?:(?<=ignored), .*|(?<=bench:) .*| <[\d.]+s>)?"
_WHOLE = re.compile(f"^{_NAME}{_END}$")
_OPEN = re.compile(f"^{_NAME}")
_BEHIND_NOISE = re.compile(rf"^.+?test (?P<name>\S+)(?: - should panic)? \.\.\. {_END}$")
_OPEN_BEHIND_NOISE = re.compile(r"^.+?test (?P<name>\S+)(?: - should panic)? \.\.\. ")
_ALONE = re.compile(f"^{_END}$")
_SECTION = re.compile(r"^---- (.+?) (?:stdout|stderr) ----$")
_LINE_NUMBER = re.compile(r" \(line (\d{1,9})\)")
_PANIC = re.compile(r"^thread '.*' (?:\(\d+\) )?panicked at ")
_LIBTEST_STATUS: dict[str, TestStatus] = {"ok": "passed", "FAILED": "failed", "ignored": "skipped", "bench:": "passed"}


@dataclass
class HarnessBlock:
    """One `running N tests`; `closed`: a `test result` agreed with it; `contradicted`: there was one that did not."""

    expected: int
    tests: list[tuple[str, TestStatus | None]] = field(default_factory=list)
    said: dict[str, list[str]] = field(default_factory=dict)
    closed: bool = False
    contradicted: bool = False

    @property
    def open_names(self) -> list[str]:
        return [name for name, status in self.tests if status is None]

    def results(self, suite: str) -> list[TestResult]:
        """What has ended, in one order for every run, however many threads there were.

        Line numbers of documentation tests are left out of their names: they move with every edit.
        """
        found = []
        for raw, status in sorted(self.tests, key=lambda test: (name_of(test[0]), _line(test[0]))):
            name = name_of(raw)
            if status == "failed":
                text = "\n".join(self.said.get(raw, ()))
                found.append(make_failure(suite, name, _message(text), trace=text))
            elif status is not None:
                found.append(TestResult(test_name=name, suite=suite, status=status))
        return found


def name_of(raw: str) -> str:
    return encode_safely(_LINE_NUMBER.sub("", raw))


def _line(raw: str) -> int:
    found = _LINE_NUMBER.search(raw)
    return int(found.group(1)) if found else 0


def read_block(lines: Sequence[str], at: int, ends: re.Pattern[str]) -> tuple[HarnessBlock, int]:
    """The block that begins with the line `at`, and the line after it. It ends early where a line matches `ends`."""
    start = RUNNING.match(lines[at])
    block = HarnessBlock(int(start.group(1)) if start else 0)
    at += 1
    while at < len(lines) and not ends.match(line := lines[at]):
        if (counts := _RESULT.match(line)) is not None:
            block.closed = _agrees(block, [int(count) for count in counts.groups()], _listed(lines, at))
            block.contradicted = not block.closed
            if block.closed:
                return block, at + 1
        elif line == "" and len(block.tests) >= block.expected and not block.open_names:
            return _to_the_end(block, lines, at, ends)
        else:
            _take(block, line)
        at += 1
    return block, at


def _to_the_end(block: HarnessBlock, lines: Sequence[str], at: int, ends: re.Pattern[str]) -> tuple[HarnessBlock, int]:
    """All tests are known: what follows is what they printed, and the list of those that failed."""
    failed = {name for name, status in block.tests if status == "failed"}
    current: list[str] = []
    while at < len(lines) and not ends.match(lines[at]):
        line = lines[at]
        counts, section = _RESULT.match(line), _SECTION.match(line)
        if counts is not None and _agrees(block, [int(count) for count in counts.groups()], _listed(lines, at)):
            block.closed = True
            return block, at + 1
        block.contradicted = block.contradicted or counts is not None
        if section is not None and section.group(1) in failed:
            current = block.said.setdefault(section.group(1), [])
        elif line == "failures:":
            current = []
        else:
            current.append(line)
        at += 1
    return block, at


def _take(block: HarnessBlock, line: str) -> None:
    """One line while tests run. Without capture, what tests print may stand before a line, behind it, or in it."""
    found = _WHOLE.match(line) or _OPEN.match(line) or _BEHIND_NOISE.match(line) or _OPEN_BEHIND_NOISE.match(line)
    if found is not None:
        end = found.groupdict().get("end")
        block.tests.append((found["name"], None if end is None else _LIBTEST_STATUS[end]))
    elif (alone := _ALONE.match(line)) is not None and len(names := block.open_names) == 1:
        block.tests[block.tests.index((names[0], None))] = (names[0], _LIBTEST_STATUS[alone["end"]])


def _agrees(block: HarnessBlock, counts: Sequence[int], listed: Sequence[str]) -> bool:
    """Whether the counts are those of the lines; tests whose end was lost in noise get what is left for them."""
    if not len(block.tests) == block.expected == sum(counts):
        return False
    passed, failed, ignored, measured = counts
    settled = [(name, status or ("failed" if name in listed else "passed")) for name, status in block.tests]
    have = [status for _, status in settled]
    if (have.count("passed"), have.count("failed"), have.count("skipped")) != (passed + measured, failed, ignored):
        return False
    if sorted(name for name, status in settled if status == "failed") != sorted(listed):
        return False
    block.tests = list(settled)
    return True


def _listed(lines: Sequence[str], at: int) -> list[str]:
    """The names in the list of failures above the line `at`."""
    names: list[str] = []
    above = at - 2 if at >= 2 and lines[at - 1] == "" else at
    while above >= 0 and lines[above].startswith("    "):
        names.append(lines[above][4:])
        above -= 1
    return names if above >= 0 and lines[above] == "failures:" else []


def _message(text: str) -> str:
    """The panic without its backtrace, or all that was said."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if _PANIC.match(line)), None)
    if first is None:
        return text
    rest = lines[first:]
    last = next((n for n, line in enumerate(rest) if line == "stack backtrace:" or line.startswith("note: ")), None)
    return "\n".join(rest[:last])


_HEADER = re.compile(r"^ +Running (?:unittests ?)?(?P<source>[^()`]*?) ?\((?P<file>.+)\)$")
_COMMAND = re.compile(r"^ +Running `(?:.* )?(?P<file>[^\s`]+/deps/[\w.-]+-[0-9a-f]{16})(?: [^`]*)?`$")
_DOC = re.compile(r"^ +Doc-tests (\S+)$")
_FAILED = re.compile(r"^error: (?:test|doctest|bench) failed, to rerun pass ")
ENDS = re.compile(
    rf"{_HEADER.pattern}|{_DOC.pattern}|{_FAILED.pattern}".replace("?P<source>", "").replace("?P<file>", "")
)
_NOT_COMPILED = re.compile(r"^error: could not compile `([^`]+)`(?: \(([^)]*)\))?", re.MULTILINE)
_STATUS = re.compile(
    r"^ +(?:Compiling|Checking|Fresh|Dirty|Building|Finished|Blocking|Locking|Adding|Updating|Download\w+) "
)
_NOISE_KEPT = 200
_PRINTED_DIFFERENTLY = "the results of {suite} could not be read: its lines and its own counts do not agree"


@dataclass(frozen=True)
class CrateTarget:
    """A test binary; `source` is the file of its crate root, None where it is not known."""

    suite: str
    source: Path | None


@dataclass
class _Run:
    """One binary's turn."""

    suite: str
    blocks: list[HarnessBlock] = field(default_factory=list)
    is_doc: bool = False
    failed: bool = False
    said: list[str] = field(default_factory=list)

    def hear(self, line: str) -> None:
        self.failed = self.failed or _FAILED.match(line) is not None
        if line and len(self.said) < _NOISE_KEPT:
            self.said.append(line)


def read_cargo_test(recording: ToolRecording) -> RunnerReport:
    """Results of one call. A binary that died, or could not be compiled, is one failed test of its suite's name."""
    lines = split_lines(recording.output)
    runs = _runs(lines, list_targets(lines))
    results = [*list_compile_failures(lines)]
    running: list[str] = []
    contradicted = None
    for run in runs:
        results += _results(run)
        running += [f"{run.suite}::{name_of(n)}" for b in run.blocks if not b.closed for n in b.open_names]
        if any(block.contradicted and not block.closed for block in run.blocks):
            contradicted = run.suite
    failed = any(result.status == "failed" for result in results)
    return RunnerReport(
        results=number_duplicates(results),
        running=tuple(running),
        complete=recording.exit_code is not None and bool(runs or failed) and (recording.exit_code == 0 or failed),
        damaged=contradicted is not None,
        reported=True,
        why="" if contradicted is None else _PRINTED_DIFFERENTLY.format(suite=contradicted),
    )


def list_targets(lines: list[str]) -> dict[str, CrateTarget]:
    """Test binaries by file name, and libraries by crate name, as cargo itself describes them."""
    found = {}
    for line in lines:
        match parse_json(line, '{"reason":'):
            case {
                "reason": "compiler-artifact",
                "package_id": str(id),
                "target": {"kind": [str(kind), *_], "name": str(name), "src_path": str(source)},
                "profile": {"test": bool(is_test)},
                "executable": executable,
            }:
                target = CrateTarget(encode_safely(_suite(_package(id), kind, name)), Path(source))
                if is_test and isinstance(executable, str):
                    found[Path(executable).name] = target
                elif kind in ("lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"):
                    found[name.replace("-", "_")] = target
    return found


def _runs(lines: list[str], known: dict[str, CrateTarget]) -> list[_Run]:
    """Every binary's turn. Before the first of them, cargo compiles."""
    runs: list[_Run] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if (begun := _begun(line, known)) is not None:
            runs.append(begun)
        elif RUNNING.match(line):
            runs = runs or [_Run("tests")]
            block, at = read_block(lines, at, ENDS)
            runs[-1].blocks.append(block)
            continue
        elif runs:
            runs[-1].hear(line)
        at += 1
    return runs


def _begun(line: str, known: dict[str, CrateTarget]) -> _Run | None:
    if (doc := _DOC.match(line)) is not None:
        crate = doc.group(1)
        return _Run(f"{known[crate].suite if crate in known else encode_safely(crate)}/doc", is_doc=True)
    header = _HEADER.match(line) or _COMMAND.match(line)
    if header is None:
        return None
    file = Path(header["file"]).name
    if file in known:
        return _Run(known[file].suite)
    name = encode_safely(re.sub(r"-[0-9a-f]{16}$", "", file))
    return _Run(f"{name}/bin/{name}" if header.groupdict().get("source") == "src/main.rs" else name)


def _results(run: _Run) -> list[TestResult]:
    results = [result for block in run.blocks for result in block.results(run.suite)]
    died = any(not block.closed for block in run.blocks)
    text = "\n".join(run.said)
    if died or (run.failed and not any(result.status == "failed" for result in results)):
        return [*results, make_failure("", run.suite, text or "the test binary did not finish")]
    if not run.blocks and not run.is_doc:  # a harness of its own, whose exit status is its only word
        return [TestResult(test_name=run.suite, status="passed")]
    return results


def list_compile_failures(lines: list[str]) -> Iterator[TestResult]:
    """One failed test for every target that could not be compiled, with what the compiler said."""
    said = "\n".join(line for line in lines if not line.startswith('{"reason":') and not _STATUS.match(line))
    failed = _NOT_COMPILED.findall(said)
    errors = [part for part in said.split("\n\n") if re.match(r"error(\[E\d+\])?:", part.lstrip("\n"))]
    text = "\n\n".join(part for part in errors if not _NOT_COMPILED.match(part.lstrip("\n"))) or said
    names = {package: [_unbuilt(package, label) for of, label in failed if of == package] for package, _ in failed}
    for package, targets_of in names.items():
        build = f"{BUILD} of {package}"
        for name in (build,) if build in targets_of else dict.fromkeys(targets_of):  # its tests rest on it
            yield make_failure("", encode_safely(name), text)


def _unbuilt(package: str, label: str) -> str:
    """The suite whose tests are missing; a part of the project that is no test stands for the build itself."""
    match label.split(" "):
        case ["lib", "test"]:
            return package
        case [kind, name, *test] if kind == "test" or test == ["test"]:
            return _suite(package, kind, name.strip('"'))
    return f"{BUILD} of {package}"


def _suite(package: str, kind: str, name: str) -> str:
    if kind == "test":
        return f"{package}/{name}"
    return f"{package}/{kind}/{name}" if kind in ("bin", "example", "bench") else package


def _package(id: str) -> str:
    """The name in a package id: `path+file:///a/name#1.0.0`, `…#name@1.0.0`, or before 1.77 `name 1.0.0 (…)`."""
    if "#" not in id:
        return id.split(" ")[0]
    place, _, name = id.rpartition("#")
    return name.split("@")[0] if "@" in name or not name[:1].isdigit() else place.rstrip("/").rpartition("/")[2]


_NO_TESTS = 4
"""Exit status by which nextest says that there are none."""


def read_nextest(recording: ToolRecording, reports: list[Path]) -> RunnerReport:
    """The tests of the reports of one call; what could not be compiled is one failed test."""
    found = junit.read_reports([("", report) for report in reports])
    # a binary id `crate::target` or `crate::kind/target` becomes the suite `crate/target` or `crate/kind/target`
    results = [one.evolve(suite=one.suite.replace("::", "/", 1)) for one in found.results]
    results += list_compile_failures(recording.output.split("\n"))
    has_failed = any(result.status == "failed" for result in results)
    has_ended = found.complete or has_failed or recording.exit_code == _NO_TESTS
    explained = recording.exit_code == 0 or has_failed or not results
    return replace(
        found,
        results=tuple(results),
        complete=recording.exit_code is not None and has_ended and explained,
        reported=True,
    )


class Crates:
    """The test binaries of a run."""

    def __init__(self, targets: Iterable[CrateTarget]) -> None:
        self._roots: dict[str, set[Path]] = {}
        for target in targets:
            if target.source is not None:
                self._roots.setdefault(target.suite, set()).add(target.source)
        self._items = cache(_items)

    def digest_of(self, suite: str, test: str) -> str:
        """The digest of a test's function with its attributes; "" when it is not found for sure."""
        roots = self._roots.get(suite, set())
        if len(roots) != 1:
            return ""
        (root,) = roots
        *modules, name = test.split("::")
        found = self._function(root, modules, name)
        if not found and modules:  # a case that a macro made of one function: `adds::case_1`
            found = self._function(root, modules[:-1], modules[-1])
        return digest_nodes(found) if found else ""

    def _function(self, root: Path, modules: list[str], name: str) -> list[Node]:
        file, folder = root, root.parent
        items = self._items(file)
        for module in modules:
            node = items.get(("mod_item", module))
            if node is None or any("path" in text_of(attribute) for attribute in node[:-1]):
                return []
            folder = folder / module
            body = node[-1].child_by_field_name("body")
            if body is not None:
                items = _of(body)
                continue
            places = [path for path in (folder.with_suffix(".rs"), folder / "mod.rs") if path.is_file()]
            if len(places) != 1:
                return []
            items = self._items(places[0])
        return items.get(("function_item", name), [])


def _items(file: Path) -> dict[tuple[str, str], list[Node]]:
    tree = parse_file(file)
    return _of(tree) if tree is not None else {}


def _of(parent: Node) -> dict[tuple[str, str], list[Node]]:
    """Functions and modules by kind and name, each behind its attributes; those that are there twice are left out."""
    items: dict[tuple[str, str], list[Node]] = {}
    twice: set[tuple[str, str]] = set()
    attributes: list[Node] = []
    for node in parent.named_children:
        if node.type == "attribute_item":
            attributes.append(node)
        elif node.type not in ("line_comment", "block_comment"):
            key = (node.type, text_of(node.child_by_field_name("name")))
            twice |= {key} & items.keys()
            items[key] = [*attributes, node]
            attributes = []
    return {key: nodes for key, nodes in items.items() if key not in twice}
