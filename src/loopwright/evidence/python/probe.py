"""The probe that runs inside of the project's Python, seen from outside: how it is asked, and what it wrote."""

import json
import os
import re
import signal
import time
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from loopwright.core.private_files import read_regular
from loopwright.evidence import coverage
from loopwright.evidence.coverage import FileLines, combine_coverage
from loopwright.evidence.python.statements import list_unseen
from loopwright.evidence.results import RunnerReport, encode_safely, load_json, number_duplicates, split_key
from loopwright.evidence.test_material import PATTERN
from loopwright.evidence.testing import LEAST, Reach, TestResult, TestStatus

INJECTED = Path(__file__).parent / "injected"
ORDER = "LOOPWRIGHT_PROBE"
"""Environment variable that tells the probe what is asked of it."""

COPY = "LOOPWRIGHT_COPY"
"""Environment variable that tells every Python process in a copy of the project about it."""

OWN = "LOOPWRIGHT_PYTHONPATH"
"""Environment variable with the folders of the probe, which a command's own PYTHONPATH must not displace."""

RING = getattr(signal, "SIGRTMIN", signal.SIGVTALRM) + (11 if hasattr(signal, "SIGRTMIN") else 0)
"""Signal by which a test is ended that does not end; one that nobody uses."""

FINISHED = frozenset({0, 1, 5})
"""Exit statuses by which a runner says that it came to its end: passed, failed, nothing found."""


def instrument_command(command: str) -> str:
    """The command, with our probe on every PYTHONPATH that it sets by itself."""
    return re.sub(r"(?<![\w$])PYTHONPATH=(?=\S)", f'\\g<0>"${OWN}":', command)


def probe_environment(root: Path, folder: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """What the probe needs to be imported and to find its order; it puts back what was there before."""
    known = os.environ.get("PYTHONPATH")
    env = {"PYTHONPATH": os.pathsep.join([str(INJECTED), *([known] if known else [])]), **(extra or {})}
    order: dict[str, object] = {
        "folder": str(folder),
        "root": str(root),
        "material": PATTERN,
        "restore": {name: os.environ.get(name) for name in env},
        "xdist": os.environ.get("PYTEST_XDIST_TESTRUNUID"),
        "own": [str(INJECTED)],
        "only": [],
        "without": [],
        "signal": int(RING),
        "least": LEAST,
        "covers": True,
        "opens": False,
    }
    return {
        **env,
        OWN: str(INJECTED),
        ORDER: json.dumps(order),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONUNBUFFERED": "1",
        "COVERAGE_FILE": str(folder / "coverage"),
    }


def relocate_environment(
    env: Mapping[str, str],
    origin: Path,
    folder: Path,
    *,
    only: Sequence[str] = (),
    changed: Mapping[str, tuple[int, ...]] | None = None,
) -> dict[str, str]:
    """The same for a run in a copy of `origin`: nothing is imported from there, and more is asked of the probe.

    See ports.TestOrder for `only` and `changed`. Without a probe, it is the environment as it was.
    """
    if ORDER not in env:
        return dict(env)
    order = json.loads(env[ORDER])
    own = os.pathsep.join((str(INJECTED / "children"), str(INJECTED)))
    path = own + env["PYTHONPATH"].removeprefix(str(INJECTED))
    order = {**order, "only": list(only), "own": []}  # what the tests start imports from the copy, too
    copy = {
        "origin": str(origin),
        "target": order["root"],
        "folder": str(folder),
        "material": order["material"],
        "changed": changed or {},
    }
    return {**env, "PYTHONPATH": path, OWN: own, ORDER: json.dumps(order), COPY: json.dumps(copy)}


def limit_environment(env: Mapping[str, str], *, least: float, covers: bool, opens: bool) -> dict[str, str]:
    """The same where no test is ended before it has run for `least` seconds; `covers`: coverage is measured; `opens`:
    so is what is opened.
    """
    return _ordered(env, least=least, covers=covers, opens=opens)


def narrow_environment(
    env: Mapping[str, str], *, only: Collection[str] = (), without: Collection[str] = ()
) -> dict[str, str]:
    """The same for `only` these tests, or for those that are not known."""
    return _ordered(env, only=sorted(only), without=sorted(without))


def _ordered(env: Mapping[str, str], **more: object) -> dict[str, str]:
    return {**env, ORDER: json.dumps({**json.loads(env[ORDER]), **more})} if ORDER in env else dict(env)


LONGEST = 100_000
"""Bytes of one variable; Linux takes 128 KiB."""


def shorten_environment(env: Mapping[str, str], folder: Path) -> dict[str, str]:
    """The same, where what is too long for a variable stands in a file of the folder."""
    long = {name: text for name in (ORDER, COPY) if len((text := env.get(name, "")).encode()) > LONGEST}
    for name, text in long.items():
        (folder / f"{name}.order").write_text(text)
    return {**env, **{name: f"@{folder / name}.order" for name in long}}


def write_end(folder: Path, pid: int) -> None:
    """Writes the end that a process could not write, because it was ended over a test."""
    _write(folder, f"{pid}-settled", {"kind": "end", "status": 1})


def retract_tests(folder: Path, tests: Collection[str]) -> None:
    """What is known of these tests counts no more: they will be run again."""
    _write(folder, "again", {"kind": "again", "ids": sorted(tests)})


def _write(folder: Path, name: str, line: Mapping[str, object]) -> None:
    (folder / f"{time.time_ns()}-{name}.jsonl").write_text(json.dumps(line) + "\n")


def read_probes(root: Path, folder: Path) -> RunnerReport:
    """All that the probes of one run wrote, in the order in which their processes began."""
    results: list[TestResult] = []
    sources: dict[str, str] = {}
    imports: dict[str, tuple[str, ...]] = {}
    opened: dict[str, tuple[str, ...]] = {}
    started: Counter[str] = Counter()
    measured: list[FileLines] = []
    reached: dict[str, dict[str, list[str]]] | None = None
    executable: dict[str, None] = {}
    unseen: tuple[list[str], str] | None = None
    began, ended, damaged = 0, 0, False
    for line in (line for file in sorted(folder.glob("*.jsonl")) for line in _lines(file)):
        match line:
            case {"kind": "start", "id": str(id)}:
                started[encode_safely(id)] += 1
            case {"kind": "result", "id": str(id), "status": ("passed" | "failed" | "skipped") as status, **more}:
                results.append(_result(encode_safely(id), status, more))
                started[encode_safely(id)] = 0
            case {"kind": "runs" | "shared"}:
                pass
            case {"kind": "again", "ids": list(ids)}:
                results = [result for result in results if result.key not in ids]
            case {"kind": "sources", "digests": dict(digests)}:
                sources.update({encode_safely(str(key)): str(value) for key, value in digests.items()})
            case {"kind": "imports", "files": dict(files)}:
                imports.update(_files(files))
            case {"kind": "opened", "files": dict(files)}:
                opened |= {file: (*opened.get(file, ()), *by) for file, by in _files(files).items()}
            case {"kind": "coverage", "cwd": str(cwd), "file": str(file)}:
                measured += coverage.read_coverage_py(Path(file), Path(cwd))
            case {"kind": "unseen", "omit": list(omit), "exclude": str(exclude)}:
                unseen = (omit, exclude)
            case {"kind": "executable", "lines": dict(lines)}:
                reached = reached or {}
                executable.update((f"{encode_safely(str(file))}:{n}", None) for file, ns in lines.items() for n in ns)
            case {"kind": "reach", "id": str(id), "how": ("line" | "uses" | "opened") as how, "what": str(what)}:
                reached = reached or {}
                reached.setdefault(encode_safely(id), {}).setdefault(_REACH[how], []).append(encode_safely(what))
            case {"kind": "begin"}:
                began += 1
            case {"kind": "end", "status": int(status)}:
                ended += status in FINISHED
            case _:
                damaged = True
    if unseen:
        measured += list_unseen(root, {file.path for file in measured}, *unseen)
    return RunnerReport(
        results=number_duplicates(results),
        sources=sources,
        imports=imports,
        opened=opened,
        running=tuple(id for id, count in started.items() if count),
        coverage=combine_coverage(root, measured),
        complete=0 < began == ended,
        damaged=damaged,
        reported=began > 0,
        reach=None if reached is None else {test: _reach(found) for test, found in reached.items()},
        executable=tuple(executable),
    )


def _files(files: Mapping[object, object]) -> dict[str, tuple[str, ...]]:
    return {
        encode_safely(str(file)): tuple(encode_safely(str(one)) for one in named)
        for file, named in files.items()
        if isinstance(named, list)
    }


_REACH = {"line": "lines", "uses": "uses", "opened": "opened"}


def _reach(found: Mapping[str, list[str]]) -> Reach:
    return Reach.model_validate({field: tuple(dict.fromkeys(places)) for field, places in found.items()})


def _lines(file: Path) -> Iterator[object]:
    """The parsed lines of one process; the last may have been torn by its death."""
    try:
        *whole, _torn = read_regular(file).split(b"\n")
    except OSError:
        whole = [b"?"]
    for line in whole:
        try:
            yield load_json(line)
        except ValueError:
            yield None


def _result(key: str, status: TestStatus, more: Mapping[object, object]) -> TestResult:
    suite, name = split_key(key)
    return TestResult(
        test_name=name,
        suite=suite,
        status=status,
        duration_ms=float(str(more.get("ms") or 0)),
        error_message=encode_safely(str(more.get("message") or "")) or None,
        stack_trace=encode_safely(str(more.get("trace") or "")) or None,
    )
