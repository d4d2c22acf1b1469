"""A pytest session that we drive ourselves: collect as the project does, then run the tests we choose."""

import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath
from typing import Literal, TextIO

import pytest
from _pytest.runner import runtestprotocol

from .budget import TimeUp, compute_wait, limit_clock_time, limit_processor_time

Status = Literal["passed", "failed", "skipped"]

_QUIET = ("-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:terminalreporter", "--capture=sys", "--tb=native")
_EARLY = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # plugins are loaded before pytest would do so
_SAID = 4000
_ERRORS = 200  # kept to look into; a suite that cannot be collected has one a file
_UNITTEST = ("-o", "addopts=")
_CALM = {"pytest_cov": "--no-cov", "xdist": "-n0", "timeout": "--timeout=0"}
"""Plugins of pytest, where they are loaded, and what keeps them quiet."""


@dataclass
class ItemOutcome:
    """What one test did. `seconds` by the clock; `frames` are (file, line, function), outermost first.

    `waited`: it was cut short because it waited for too long.
    """

    status: Status = "passed"
    seconds: float = 0.0
    error: str = ""
    message: str = ""
    frames: list[tuple[str, int, str]] = field(default_factory=list)
    waited: bool = False


class SessionDriver:
    """Pytest plugin: hands the collected items to `loop` and keeps what the test under way reports.

    `errors` are what kept files from being collected and tests from passing. `said`: why it never `began`.
    """

    def __init__(
        self,
        loop: Callable[["SessionDriver", list[pytest.Item]], None],
        plain: bool,
        files: Sequence[str] = (),
    ) -> None:
        """`files`: those that hold the tests, where they are known; no others are collected."""
        self._loop = loop
        self._plain = plain
        self._known = frozenset(files)
        self._ways = frozenset(str(folder) for file in files for folder in PurePosixPath(file).parents)
        self._outcome = ItemOutcome()
        self.troubles: list[str] = []
        self.errors: list[BaseException] = []
        self.began = False
        self.said = ""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config, args: list[str]) -> Iterator[None]:
        """Keeps plugins quiet: those that are there, for a command or an environment may have left some out."""
        known = [option for name, option in _CALM.items() if early_config.pluginmanager.hasplugin(name)]
        end = args.index("--") if "--" in args else len(args)
        args[end:end] = known
        if hasattr(early_config.known_args_namespace, "no_cov"):
            early_config.known_args_namespace.no_cov = True  # it has been read before
        yield

    @pytest.hookimpl(tryfirst=True)
    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> "bool | None":
        """In a big project, to look into every folder takes most of the time."""
        if not self._known or not collection_path.is_relative_to(config.rootpath):
            return None
        name = collection_path.relative_to(config.rootpath).as_posix()
        return None if name in self._known or name in self._ways else True

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.troubles.append(f"{report.nodeid}: {str(report.longrepr)[-400:]}")

    def pytest_exception_interact(self, call: "pytest.CallInfo[object]") -> None:
        if call.excinfo is not None and len(self.errors) < _ERRORS:
            self.errors.append(call.excinfo.value)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.began = True
        self._loop(self, session.items)
        return True

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(self, call: "pytest.CallInfo[None]") -> Iterator[None]:
        yield
        if call.excinfo is None or self._outcome.error:
            return
        self._outcome.error = call.excinfo.typename
        self._outcome.waited = isinstance(call.excinfo.value, TimeUp) and call.excinfo.value.waited
        if not self._plain:
            # what the error says, without its type; a broken `__str__` does no harm here
            kind = type(call.excinfo.value)
            words = "".join(traceback.format_exception_only(call.excinfo.value))[:4000].strip()
            self._outcome.message = words.removeprefix(f"{kind.__module__}.").removeprefix(f"{kind.__qualname__}: ")
            self._outcome.frames = [(str(e.path), e.lineno + 1, e.name) for e in call.excinfo.traceback][-40:]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._fold(report)  # parts of a test (unittest's subTest) report themselves

    def run(
        self, item: pytest.Item, following: pytest.Item | None, seconds: float, clock: float | None = None
    ) -> ItemOutcome:
        """Runs one item: `seconds` of processor time, `clock` seconds in all. Tears down what `following` needs not."""
        self._outcome = ItemOutcome()
        if self._plain:
            # showing a traceback takes most of the time
            item.repr_failure = lambda excinfo, style=None: excinfo.typename  # type: ignore[method-assign]
        started = time.monotonic()
        try:
            with limit_processor_time(seconds), limit_clock_time(compute_wait(seconds) if clock is None else clock):
                reports = runtestprotocol(item, log=False, nextitem=following)
        except (TimeUp, KeyboardInterrupt, SystemExit, pytest.exit.Exception) as stopped:
            self._outcome.status, self._outcome.error = "failed", type(stopped).__name__
            self._outcome.waited = isinstance(stopped, TimeUp) and stopped.waited
            reports = []
            tear_down(item)
        for report in reports:
            self._fold(report)
        self._outcome.seconds = time.monotonic() - started
        return self._outcome

    def _fold(self, report: pytest.TestReport) -> None:
        """What fails as it is expected to is as good as passed: a right change may bring that about."""
        expected = hasattr(report, "wasxfail")
        if report.failed:
            self._outcome.status = "failed"
        elif report.skipped and not expected and self._outcome.status == "passed":
            self._outcome.status = "skipped"


def load_plugins(tree: str) -> bool:
    """Imports what pytest would load by itself in each session; False where that has loaded parts of the project."""
    wanted = () if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD") else entry_points(group="pytest11")
    for point in wanted:
        with suppress(Exception):
            import_module(point.module)
    files = [str(getattr(module, "__dict__", {}).get("__file__") or "") for module in list(sys.modules.values())]
    return not any(file.startswith(tree + os.sep) for file in files)


def tear_down(item: pytest.Item) -> None:
    """Ends what was set up for tests that will not be run, so that the next one starts anew."""
    with suppress(BaseException), limit_processor_time(1.0):
        item.session._setupstate.teardown_exact(None)


def arguments(chosen: Sequence[str], style: str, plain: bool) -> list[str]:
    """Command line for pytest.main: the project's own choice of tests, none of its reports. `plain`: bare asserts."""
    extra = [*(_UNITTEST if style == "unittest" else ()), *(["--assert=plain"] if plain else [])]
    return [*_QUIET, *_EARLY, *extra, *chosen]


def collect_and_run(
    loop: Callable[[SessionDriver, list[pytest.Item]], None],
    chosen: Sequence[str],
    style: str,
    *,
    plain: bool,
    files: Sequence[str] = (),
) -> SessionDriver:
    """Runs one session in this process; what it prints is kept only where it did not get as far as the tests."""
    return drive_session(SessionDriver(loop, plain, files), chosen, style, plain=plain)


def drive_session(driver: SessionDriver, chosen: Sequence[str], style: str, *, plain: bool) -> SessionDriver:
    """The same with a driver that may do more."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as paper:
        sys.stdout = sys.stderr = paper
        try:
            with suppress(Exception), _told(paper):
                pytest.main(arguments(chosen, style, plain), plugins=[driver])
        except SystemExit as left:  # of a conftest
            place = traceback.extract_tb(left.__traceback__)[-1]
            print(f"{place.filename}, line {place.lineno}: SystemExit: {left.code}", file=paper)
        finally:
            sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        if not driver.began:
            paper.seek(0)
            driver.said = paper.read()[-_SAID:]
    return driver


@contextmanager
def _told(paper: TextIO) -> Iterator[None]:
    """Writes down what pytest or a plugin raises."""
    try:
        yield
    except Exception:
        traceback.print_exc(limit=-1, file=paper)
        raise


def key_of(item: pytest.Item, style: str) -> str:
    """The name this test has in the engine's results."""
    owner = getattr(item, "cls", None)
    if style == "unittest" and owner is not None:
        return f"{owner.__module__}.{owner.__qualname__}::{item.name}"
    return item.nodeid
