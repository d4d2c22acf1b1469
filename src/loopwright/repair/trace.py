"""Which project lines each test ran: `sys.monitoring` from Python 3.12 on, marks before; else `settrace`."""

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from types import CodeType, FrameType
from typing import TYPE_CHECKING

from .marks import Line as Line
from .marks import Marks
from .tree import is_test_file

if TYPE_CHECKING:
    from _typeshed import TraceFunction

MONITORED = sys.version_info >= (3, 12)

IMPORT = -1
"""Stands for everything that ran before the first test: imports, collection."""


class Recorder:
    """Collects lines under the number of the test that is running. `heard` is told each at once, the first time.

    With `marks` modules that are imported from now on note them, those of tests left out.
    """

    def __init__(self, root: str, heard: Callable[[Line], None] | None = None, *, marks: bool = False) -> None:
        self._root = root + os.sep
        self._heard = heard
        self._files: dict[str, str | None] = {}
        self.lines: dict[int, set[Line]] = {IMPORT: set()}
        self._current = self.lines[IMPORT]
        self._calls: Counter[CodeType] = Counter()
        self._marks = Marks(self._markable) if marks and not MONITORED else None

    def switch(self, test: int) -> None:
        """What runs from now on belongs to this test."""
        self._current = self.lines.setdefault(test, set())
        self._calls.clear()
        if self._marks:
            self._marks.clear()
        if sys.version_info >= (3, 12):
            sys.monitoring.restart_events()

    def start(self) -> None:
        if sys.version_info >= (3, 12):
            self._monitor()
        elif not self._marks:
            threading.settrace(self._called)
            sys.settrace(self._called)

    def stop(self) -> None:
        if sys.version_info >= (3, 12):
            if sys.monitoring.get_tool(_TOOL) is not None:
                sys.monitoring.set_events(_TOOL, 0)
                sys.monitoring.free_tool_id(_TOOL)
        elif self._marks:
            self._current.update(self._marks.ran())
        else:
            sys.settrace(None)
            threading.settrace(None)

    def project_file(self, filename: str) -> str | None:
        """The relative path of a code object's file, None for foreign code."""
        if filename not in self._files:
            path = filename if filename.startswith("<") else os.path.abspath(filename)
            inside = path.startswith(self._root) and "site-packages" not in path
            self._files[filename] = path[len(self._root) :].replace(os.sep, "/") if inside else None
        return self._files[filename]

    def _markable(self, filename: str) -> str | None:
        file = self.project_file(filename)
        return None if file is None or is_test_file(file) else file

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if self.project_file(frame.f_code.co_filename) is None:
            return None
        self._calls[frame.f_code] += 1
        return self._in_project if self._calls[frame.f_code] <= _CALLS else None

    def _in_project(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "line":
            file = self._files[frame.f_code.co_filename]
            if file is not None:
                self._add((file, frame.f_lineno))
        return self._in_project

    def _add(self, line: Line) -> None:
        if self._heard is not None and line not in self._current:
            self._heard(line)
        self._current.add(line)

    if sys.version_info >= (3, 12):

        def _monitor(self) -> None:
            sys.monitoring.use_tool_id(_TOOL, "repair")
            sys.monitoring.register_callback(_TOOL, sys.monitoring.events.LINE, self._line)
            sys.monitoring.set_events(_TOOL, sys.monitoring.events.LINE)

        def _line(self, code: CodeType, line: int) -> object:
            file = self.project_file(code.co_filename)
            if file is not None:
                self._add((file, line))
            return sys.monitoring.DISABLE


_CALLS = 200  # further calls of a function within one test are not followed: they would cost much and tell little
_TOOL = 3  # the ids 0, 1, 2 and 5 are spoken for by debuggers, coverage, profilers and optimizers
