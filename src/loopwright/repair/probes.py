"""What expressions come to when a line is reached, seen from outside: no source file is edited."""

import ast
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import CodeType, FrameType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import TraceFunction


_HITS = 4
_PROBE_NAMES = 12
_PROBE_WIDTH = 80
_PROBE_ITEMS = 6
_PROBE_DEPTH = 2


class LocalsProbe:
    """Records locals at given lines, at most a few times each. `places` maps (file, line) to a hypothesis."""

    def __init__(self, root: str, places: Mapping[tuple[str, int], str]) -> None:
        self._root = root + os.sep
        self._places = places
        self._files = {file for file, _ in places}
        self._seen: dict[str, int] = {}
        self.hits: list[dict[str, object]] = []

    def start(self) -> None:
        sys.settrace(self._called)

    def stop(self) -> None:
        sys.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        filename = frame.f_code.co_filename
        if not filename.startswith(self._root):
            return None
        return self._line if filename[len(self._root) :].replace(os.sep, "/") in self._files else None

    def _line(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "line":
            file = frame.f_code.co_filename[len(self._root) :].replace(os.sep, "/")
            hypothesis = self._places.get((file, frame.f_lineno))
            if hypothesis is not None and self._seen.get(hypothesis, 0) < _HITS:
                self._seen[hypothesis] = self._seen.get(hypothesis, 0) + 1
                self._record(hypothesis, frame)
        return self._line

    def _record(self, hypothesis: str, frame: FrameType) -> None:
        names = list(frame.f_locals.items())[:_PROBE_NAMES]
        self.hits.append(
            {
                "hid": hypothesis,
                "ts": datetime.now().astimezone().isoformat(timespec="milliseconds"),
                "func": frame.f_code.co_qualname,
                "line": frame.f_lineno,
                "data": {name: shorten_value(value) for name, value in names if not name.startswith("@")},
            }
        )


def shorten_value(
    value: object, depth: int = _PROBE_DEPTH, width: int = _PROBE_WIDTH, items: int = _PROBE_ITEMS
) -> str:
    """A bounded picture of a value that runs none of the project's code. `width`: characters of a text in it."""
    kind = type(value)
    if kind is int:
        return str(value) if int.bit_length(value) < 200 else f"<int of {int.bit_length(value)} bits>"  # type: ignore[arg-type]  # it is one
    if kind in (bool, float, complex, type(None)):
        return repr(value)
    if kind is str or kind is bytes:
        head = value[:width]  # type: ignore[index]  # it is one of the two
        return repr(head) + ("…" if len(value) > width else "")  # type: ignore[arg-type]  # as above
    if kind in (list, tuple, set, frozenset, dict):
        return _container(value, depth, width, items) if depth else f"<{kind.__name__}>"
    fields = getattr(value, "__dict__", None) if not isinstance(value, type) else None
    if depth and type(fields) is dict and fields:
        shown = list(fields.items())[:items]
        inner = ", ".join(f"{name}={shorten_value(field, depth - 1, width, items)}" for name, field in shown)
        return f"{kind.__name__}({inner})"
    return f"<{kind.__name__}>"


def _container(value: Any, depth: int, width: int, items: int) -> str:  # Any: a built-in container, as checked before
    def inner(part: object) -> str:
        return shorten_value(part, depth - 1, width, items)

    if type(value) is dict:
        parts = [f"{inner(k)}: {inner(v)}" for k, v in list(value.items())[:items]]
    else:
        parts = [inner(item) for item, _ in zip(value, range(items), strict=False)]
    more = ", …" if len(value) > items else ""
    opening, closing = "[]" if type(value) is list else "()" if type(value) is tuple else "{}"
    return f"{opening}{', '.join(parts)}{more}{closing}"


_SECONDS = 1.0  # that one expression may take
_REPEAT = 0.1  # an expression that swallows the alarm gets it again
_LONGEST, _TROUBLE = 2_000, 300  # characters of a value, of an exception's words
_NAMES = 20
_WIDTH, _ITEMS, _DEPTH = 400, 20, 3


class SlowExpression(BaseException):
    """Raised inside an expression that takes too long; not an Exception, so that few programs catch it."""


class ExpressionProbe:
    """Evaluates expressions in the frame each time before the line runs; keeps the first `most` times of a test.

    Without expressions it shows the local variables. `reached` counts all times.
    """

    def __init__(self, path: str, line: int, expressions: Sequence[tuple[str, CodeType]], most: int) -> None:
        self._path = path
        self._at = line
        self._expressions = expressions
        self._most = most
        self._busy = False
        self._holding: dict[CodeType, bool] = {}
        self.reached = 0
        self.hits: list[dict[str, object]] = []

    def __enter__(self) -> None:
        """A test is about to run."""
        self.reached, self.hits = 0, []
        threading.settrace(self._called)
        sys.settrace(self._called)

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)
        threading.settrace(None)

    def _called(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        code = frame.f_code
        if code not in self._holding:
            self._holding[code] = code.co_filename == self._path and any(at == self._at for _, _, at in code.co_lines())
        return self._line if self._holding[code] else None

    def _line(self, frame: FrameType, event: str, arg: object) -> "TraceFunction | None":
        if event == "line" and frame.f_lineno == self._at and not self._busy:
            self.reached += 1
            if len(self.hits) < self._most:
                self._busy = True  # an expression may come to this line itself, in a thread
                try:
                    self._record(frame)
                finally:
                    self._busy = False
        return self._line

    def _record(self, frame: FrameType) -> None:
        if self._expressions:
            names = {**frame.f_globals, **frame.f_locals}  # one scope, so that comprehensions see the locals
            data = {text: _value(code, names) for text, code in self._expressions}
        else:
            named = [(name, value) for name, value in frame.f_locals.items() if not name.startswith("@")]
            data = {name: _shown(value) for name, value in named[:_NAMES]}
        self.hits.append(
            {
                "ts": datetime.now().astimezone().isoformat(timespec="milliseconds"),
                "func": frame.f_code.co_qualname,
                "line": frame.f_lineno,
                "data": data,
            }
        )


def _value(code: CodeType, names: dict[str, object]) -> str:
    """The value, or what kept it from coming; what a test's own time limit raises goes on to the test."""
    try:
        with _within(_SECONDS):
            return _shown(eval(code, names))
    except SlowExpression:
        return f"<took longer than {_SECONDS:g} s>"
    except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as error:  # noqa: BLE001 - shown as the value
        words = "".join(traceback.format_exception_only(error)).strip()
        return f"<raised {words[:_TROUBLE]}>"


def _shown(value: object) -> str:
    shown = shorten_value(value, _DEPTH, _WIDTH, _ITEMS)
    return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"


@contextmanager
def _within(seconds: float) -> Iterator[None]:
    """Raises Slow in the block once so much time has passed. Elsewhere than in the main thread nothing can."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(number: int, frame: FrameType | None) -> None:
        raise SlowExpression

    before = signal.signal(signal.SIGALRM, late)
    left, again = signal.setitimer(signal.ITIMER_REAL, seconds, _REPEAT)  # a test may have set an alarm of its own
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, again)


def compile_expressions(expressions: Sequence[str], func: str) -> list[tuple[str, CodeType]]:
    """As they would mean it in that function. ValueError names the one that is none, and why."""
    found = []
    for text in expressions:
        try:
            tree = ast.parse(text.strip(), mode="eval")
            _private(tree, owner_of(func))
            found.append((text, compile(tree, "<probe>", "eval", dont_inherit=True)))
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            why = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
            raise ValueError(f"expressions: {text!r} is not a Python expression: {why}") from error
    return found


def owner_of(func: str) -> str | None:
    """The class that a qualified name's function stands in, also one within a method."""
    inner = (part.split(".") for part in reversed(func.split(".<locals>.")))
    return next((parts[-2] for parts in inner if len(parts) > 1), None)


def _private(tree: ast.Expression, owner: str | None) -> None:
    """`self.__total` is kept under another name, which nobody sees in the source."""
    if owner is None:
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr.startswith("__") and not node.attr.endswith("__"):
            node.attr = f"_{owner.lstrip('_')}{node.attr}"


def lines_of(path: str) -> dict[int, str]:
    """The lines of a file that a probe can stand at, with the qualified name of the function that each lies in.

    OSError; SyntaxError and ValueError where it cannot be compiled.
    """
    with open(path, "rb") as file:
        module = compile(file.read(), path, "exec", dont_inherit=True)
    found: dict[int, str] = {}
    rest = [(module, "<module>")]
    while rest:
        code, name = rest.pop(0)
        lines = {line for _, _, line in code.co_lines() if line}
        if code is not module and len(lines) > 1:
            lines.discard(code.co_firstlineno)  # the call itself, which is no line that runs
        nameless = code is not module and code.co_name.startswith("<")
        found |= {line: name for line in lines if not nameless or line not in found}
        # A comprehension or a lambda goes by the function around it
        rest += [
            (const, (name if const.co_name.startswith("<") else const.co_qualname))
            for const in code.co_consts
            if isinstance(const, CodeType)
        ]
    return found


def is_inside(path: str, root: str) -> bool:
    """Whether a file of a traceback lies in the project's copy."""
    return path.startswith(root + os.sep) and "site-packages" not in path
