"""What both test runners share. This folder is imported by the project's own Python: standard library, Python 3.8.

A probe writes one JSON line for everything that happens, so that what was measured survives any death.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import warnings
from collections.abc import Collection
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    from types import FrameType

    import coverage  # need not be installed

    from loopwright.evidence.python.injected import loopwright_tracing as tracing
else:
    import loopwright_tracing as tracing

ORDER = "LOOPWRIGHT_PROBE"
TRACE_KEPT = 8000


class Order(TypedDict):
    """`restore`: variables as they were without us. `xdist`: the run of pytest-xdist that we are part of.

    `own`: folders of ours on the PYTHONPATH. `only`: the tests to keep to; none of them: all are run. `without`: tests
    that are known already. `signal` ends a test that has run for `least` seconds. `covers`: coverage is wanted;
    `opens`: what is opened, and by whom.
    """

    folder: str
    root: str
    material: str
    restore: dict[str, str | None]
    xdist: str | None
    own: list[str]
    only: list[str]
    without: list[str]
    signal: int
    least: float
    covers: bool
    opens: bool


def read_order() -> Order | None:
    """What loopwright asks of this process, or None."""
    text = read_variable(ORDER)
    if text is None:
        return None
    order: Order = json.loads(text)
    return order


def read_variable(name: str) -> str | None:
    """What it says, or the file that it names because that is long."""
    text = os.environ.get(name)
    if text is None or not text.startswith("@"):
        return text
    with open(text[1:], encoding="utf-8") as file:
        return file.read()


def restore_environment(order: Order) -> None:
    """Makes the environment what it was without us, so that tests that start Python measure nothing for us."""
    del os.environ[ORDER]
    os.environ.pop("LOOPWRIGHT_PYTHONPATH", None)
    for name, value in order["restore"].items():
        if name == "PYTHONPATH":  # the command may have added to it
            entries = os.environ.get(name, "").split(os.pathsep)
            value = os.pathsep.join(entry for entry in entries if entry not in order["own"]) or None
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class TimeUp(BaseException):
    """Raised inside of a test that does not end; not an Exception, so that few programs catch it."""


class Bell:
    """Ends the test that is under way in this process when it is told to from outside.

    It cannot where other code than Python's waits, or where what is raised is swallowed: then the process is ended.
    """

    def __init__(self, order: Order) -> None:
        self._least = order["least"]
        self._since = 0.0
        self._clock = time.monotonic  # tests replace it
        self.is_armed = False
        """Whether what runs is a test, and whoever called it copes with what is raised there."""
        with suppress(ValueError):  # not the main thread
            signal.signal(order["signal"], self._ring)

    def begin(self) -> None:
        """A test begins."""
        self._since = self._clock()

    def _ring(self, number: int, frame: FrameType | None) -> None:
        __tracebackhide__ = True
        # The test that was meant may just have ended, and another have begun.
        if self.is_armed and self._clock() - self._since >= self._least:
            raise TimeUp("it did not end, and was ended")


class Log:
    """Appends lines to a file of this process.

    Holds the system's own functions, because tests replace them. Tests close all files, too: whether ours is still
    there, and is ours, is asked each time.
    """

    def __init__(self, folder: str) -> None:
        self._path = os.path.join(folder, f"{time.time_ns()}-{os.getpid()}.jsonl")
        self._owner = os.getpid()
        self._system = (os.open, os.write, os.fstat, os.getpid, json.dumps)
        self._file = -1
        self._place: tuple[int, int] | None = None

    def write(self, kind: str, **fields: object) -> None:
        _, write, _, getpid, dumps = self._system
        if getpid() == self._owner:  # else a fork of a test that came back to us
            write(self._opened(), dumps({"kind": kind, **fields}).encode() + b"\n")

    def _opened(self) -> int:
        open_, _, fstat, _, _ = self._system
        with suppress(OSError):
            found = fstat(self._file)
            if (found.st_dev, found.st_ino) == self._place:
                return self._file
        self._file = open_(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        found = fstat(self._file)
        self._place = found.st_dev, found.st_ino
        return self._file


class OpenedFiles:
    """Files of the project that are opened for reading, each with those of its files whose code opened it.

    That is the nearest on the stack: a test that has the product read a file did not read it.
    """

    def __init__(self, root: str) -> None:
        self._root = os.path.realpath(root) + os.sep
        self._names: dict[str, str] = {}
        self._found: set[tuple[str, str]] = set()
        sys.addaudithook(self._hear)

    def by_file(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for file, by in sorted(self._found):
            found.setdefault(file, []).append(by)
        return found

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:  # Any: as sys.addaudithook has it
        if event != "open" or not isinstance(arguments[0], (str, bytes)) or arguments[2] & (os.O_WRONLY | os.O_RDWR):
            return
        file = self._name(os.path.abspath(os.fsdecode(arguments[0])))
        frame: FrameType | None = sys._getframe(1) if file else None
        while frame is not None:
            opener = self._name(frame.f_code.co_filename)
            if opener:
                self._found.add((file, opener))
                return
            frame = frame.f_back

    def _name(self, path: str) -> str:
        """Project-relative; empty for what is not the project's own."""
        if path not in self._names and path.startswith("<"):  # code without a file
            self._names[path] = ""
        if path not in self._names:
            real = os.path.realpath(path)
            ours = real.startswith(self._root) and f"{os.sep}site-packages{os.sep}" not in real
            self._names[path] = real[len(self._root) :].replace(os.sep, "/") if ours else ""
        return self._names[path]


def start_coverage(order: Order) -> coverage.Coverage | None:
    """Starts measuring the project's own lines, by the project's own settings; None where that cannot be done, or
    nobody wants it.

    Without settings of its own, files that are not loaded are left to whoever reads the report: they are many, and each
    process would parse them all.
    """
    if not order["covers"]:
        return None
    try:
        import coverage
    except ImportError:
        return None
    if coverage.Coverage.current() is not None or sys.gettrace() is not None:
        return None  # someone else is measuring, or debugging
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            data = os.path.join(order["folder"], f"coverage-{time.time_ns()}-{os.getpid()}.data")
            measuring = coverage.Coverage(data_file=data, messages=False)
            if not any(measuring.get_option(f"run:{name}") for name in ("source", "source_pkgs", "include")):
                measuring.set_option("run:include", everything(order))
            # Tests are not measured; leaving them out already here saves most of the time that measuring takes.
            tests = [f"{order['root']}/**/{name}" for name in ("test_*.py", "*_test.py", "conftest.py")]
            foreign = [
                f"{place}/*" for place in {sys.prefix, sys.base_prefix} if place.startswith(order["root"] + os.sep)
            ]
            omitted: Any = measuring.get_option("run:omit")  # Any: an option of any type
            measuring.set_option("run:omit", [*(omitted or ()), *tests, *foreign])
            measuring.set_option("run:branch", False)  # lines are all that is read
            if can_monitor(measuring):
                measuring.set_option("run:core", "sysmon")
            measuring.start()
        except (coverage.CoverageException, ImportError):  # settings it refuses, or a plugin that is not installed
            return None
    return measuring


def can_monitor(measuring: coverage.Coverage) -> bool:
    """Whether sys.monitoring can measure the same; it costs next to nothing, where a tracer doubles the time."""
    import coverage

    needs_tracer = any(measuring.get_option(f"run:{name}") for name in ("core", "plugins", "timid", "dynamic_context"))
    concurrency: Any = measuring.get_option("run:concurrency")  # Any: an option of any type
    is_plain = set(concurrency or ()) <= {"thread", "multiprocessing"}
    return hasattr(sys, "monitoring") and coverage.version_info >= (7, 10) and is_plain and not needs_tracer


def everything(order: Order) -> list[str]:
    """Patterns of all that may be the project's own."""
    return [f"{order['root']}/*"]


def finish_coverage(measuring: coverage.Coverage, order: Order, log: Log) -> None:
    """Stops measuring and writes coverage's own JSON report; and what holds for files that are not in it."""
    import coverage

    file = os.path.join(order["folder"], f"coverage-{time.time_ns()}-{os.getpid()}.json")
    log.write("coverage", cwd=os.getcwd(), file=file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            measuring.stop()
            with tracing.unobserved():
                measuring.get_data()  # or a report that maps paths finds none
                measuring.json_report(outfile=file, ignore_errors=True)
        except coverage.CoverageException as problem:
            if not str(problem).startswith("No data"):
                return
    if measuring.get_option("run:include") == everything(order):
        exclude: Any = measuring.get_option("report:exclude_lines")  # Any: an option of any type
        log.write(
            "unseen", omit=measuring.get_option("run:omit"), exclude="|".join(f"(?:{each})" for each in exclude or ())
        )


def worst_of(statuses: Collection[str]) -> str:
    """The outcome of a test by those of its phases."""
    return next((worst for worst in ("failed", "skipped") if worst in statuses), "passed")
