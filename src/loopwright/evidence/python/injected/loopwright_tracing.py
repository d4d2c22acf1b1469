"""Traces what the project runs, and not what pytest does around it. Standard library, Python 3.8, see loopwright_probe.

Before Python 3.12, lines are measured by a trace function, and where there is one, all that Python runs takes twice as
long, traced or not.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any  # Any: trace functions, and parts of pytest

FAMILIAR = frozenset(
    {
        "_pytest",
        "loopwright_pytest",
        "xdist",
        "pytest_timeout",
        "pytest_cov",
        "pytest_mock",
        "pytest_asyncio",
        "anyio",
        "_hypothesis_pytestplugin",
        "schemathesis",
    }
)
"""Packages with plugins that run nothing of the project but tests and fixtures, by pytest's hooks for these."""

RUNNING = (
    "pytest_runtest_protocol",
    "pytest_runtest_logstart",
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_runtest_makereport",
    "pytest_runtest_logreport",
    "pytest_runtest_logfinish",
    "pytest_report_teststatus",
    "pytest_report_to_serializable",
)
"""Hooks that are called around a test that does not fail."""

_suspended: list[Any] = []


@contextmanager
def unobserved() -> Iterator[None]:
    """Nothing of the project runs in the block: it is not traced, which would slow it down, nor is garbage looked for
    among the many objects that it makes.
    """
    was_enabled, trace = gc.isenabled(), sys.gettrace()
    gc.disable()
    _suspended.append(trace)
    sys.settrace(None)
    try:
        yield
    finally:
        sys.settrace(_suspended.pop())
        if was_enabled:
            gc.enable()


@contextmanager
def observed() -> Iterator[None]:
    """Inside of such a block: this part of it may run something of the project."""
    if not _suspended:
        yield
        return
    sys.settrace(_suspended[-1])
    try:
        yield
    finally:
        sys.settrace(None)


class TraceRest:
    """Rests the trace function of this thread, as long as it is that one; and never while garbage is collected, which
    may run what the project does at an object's end. Tests replace the system's functions.
    """

    def __init__(self) -> None:
        self._get, self._set = sys.gettrace, sys.settrace
        self._trace = sys.gettrace()
        self._thread = threading.get_ident()
        self._is_resting = self._is_collecting = False
        gc.callbacks.append(self._collect)

    def rest(self) -> None:
        if self._trace is not None and self._get() is self._trace:
            self._set(None)
            self._is_resting = True

    def wake(self) -> bool:
        """Whether it rested."""
        if not self._is_resting:
            return False
        self._is_resting = False
        if self._get() is None:
            self._set(self._trace)
        return True

    def _collect(self, phase: str, _: dict[str, int]) -> None:
        if phase == "start":
            self._is_collecting = self._is_resting and threading.get_ident() == self._thread and self.wake()
        elif self._is_collecting:
            self.rest()


def are_familiar(hooks: Any) -> bool:
    """Whether nobody but familiar plugins takes part in running tests."""
    found = (hook for name in RUNNING if (hook := getattr(hooks, name, None)) is not None)
    plugins = (one.plugin for hook in found for one in hook.get_hookimpls())
    names = (getattr(plugin, "__name__", None) or type(plugin).__module__ for plugin in plugins)
    return all(name.partition(".")[0] in FAMILIAR for name in names)
