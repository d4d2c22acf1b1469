"""What `cargo test` says around the harness: which binary runs, which died, and what could not be compiled."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.domain.loop import TestResult
from loopwright.domain.testing import BUILD
from loopwright.validation.cargo import libtest
from loopwright.validation.reading import Reading
from loopwright.validation.recording.shims import Recording
from loopwright.validation.results import failure, parsed, plain, told_apart

_COLOUR = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
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
class Target:
    """A test binary; `source` is the file of its crate root, None where it is not known."""

    suite: str
    source: Path | None


@dataclass
class _Run:
    """One binary's turn."""

    suite: str
    blocks: list[libtest.Block] = field(default_factory=list)
    is_doc: bool = False
    failed: bool = False
    said: list[str] = field(default_factory=list)

    def hear(self, line: str) -> None:
        self.failed = self.failed or _FAILED.match(line) is not None
        if line and len(self.said) < _NOISE_KEPT:
            self.said.append(line)


def read(recording: Recording) -> Reading:
    """Results of one call. A binary that died, or could not be compiled, is one failed test of its suite's name."""
    lines = _COLOUR.sub("", recording.output).replace("\r\n", "\n").split("\n")
    runs = _runs(lines, targets(lines))
    results = [*not_compiled(lines)]
    running: list[str] = []
    contradicted = None
    for run in runs:
        results += _results(run)
        running += [f"{run.suite}::{libtest.name_of(n)}" for b in run.blocks if not b.closed for n in b.open_names]
        if any(block.contradicted and not block.closed for block in run.blocks):
            contradicted = run.suite
    failed = any(result.status == "failed" for result in results)
    return Reading(
        results=told_apart(results),
        running=tuple(running),
        complete=recording.exit_code is not None and bool(runs or failed) and (recording.exit_code == 0 or failed),
        damaged=contradicted is not None,
        reported=True,
        why="" if contradicted is None else _PRINTED_DIFFERENTLY.format(suite=contradicted),
    )


def targets(lines: list[str]) -> dict[str, Target]:
    """Test binaries by file name, and libraries by crate name, as cargo itself describes them."""
    found = {}
    for line in lines:
        match parsed(line, '{"reason":'):
            case {
                "reason": "compiler-artifact",
                "package_id": str(id),
                "target": {"kind": [str(kind), *_], "name": str(name), "src_path": str(source)},
                "profile": {"test": bool(is_test)},
                "executable": executable,
            }:
                target = Target(plain(_suite(_package(id), kind, name)), Path(source))
                if is_test and isinstance(executable, str):
                    found[Path(executable).name] = target
                elif kind in ("lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"):
                    found[name.replace("-", "_")] = target
    return found


def _runs(lines: list[str], known: dict[str, Target]) -> list[_Run]:
    """Every binary's turn. Before the first of them, cargo compiles."""
    runs: list[_Run] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if (begun := _begun(line, known)) is not None:
            runs.append(begun)
        elif libtest.RUNNING.match(line):
            runs = runs or [_Run("tests")]
            block, at = libtest.read_block(lines, at, ENDS)
            runs[-1].blocks.append(block)
            continue
        elif runs:
            runs[-1].hear(line)
        at += 1
    return runs


def _begun(line: str, known: dict[str, Target]) -> _Run | None:
    if (doc := _DOC.match(line)) is not None:
        crate = doc.group(1)
        return _Run(f"{known[crate].suite if crate in known else plain(crate)}/doc", is_doc=True)
    header = _HEADER.match(line) or _COMMAND.match(line)
    if header is None:
        return None
    file = Path(header["file"]).name
    if file in known:
        return _Run(known[file].suite)
    name = plain(re.sub(r"-[0-9a-f]{16}$", "", file))
    return _Run(f"{name}/bin/{name}" if header.groupdict().get("source") == "src/main.rs" else name)


def _results(run: _Run) -> list[TestResult]:
    results = [result for block in run.blocks for result in block.results(run.suite)]
    died = any(not block.closed for block in run.blocks)
    text = "\n".join(run.said)
    if died or (run.failed and not any(result.status == "failed" for result in results)):
        return [*results, failure("", run.suite, text or "the test binary did not come to its end")]
    if not run.blocks and not run.is_doc:  # a harness of its own, whose exit status is its only word
        return [TestResult(test_name=run.suite, status="passed")]
    return results


def not_compiled(lines: list[str]) -> Iterator[TestResult]:
    """One failed test for every target that could not be compiled, with what the compiler said."""
    said = "\n".join(line for line in lines if not line.startswith('{"reason":') and not _STATUS.match(line))
    failed = _NOT_COMPILED.findall(said)
    errors = [part for part in said.split("\n\n") if re.match(r"error(\[E\d+\])?:", part.lstrip("\n"))]
    text = "\n\n".join(part for part in errors if not _NOT_COMPILED.match(part.lstrip("\n"))) or said
    names = {package: [_unbuilt(package, label) for of, label in failed if of == package] for package, _ in failed}
    for package, targets_of in names.items():
        build = f"{BUILD} of {package}"
        for name in (build,) if build in targets_of else dict.fromkeys(targets_of):  # its tests rest on it
            yield failure("", plain(name), text)


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
