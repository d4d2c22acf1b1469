"""What a command prints: one JSON object, or text for people."""

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from loopwright.core.text import json_line

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

    from loopwright.core.errors import LoopwrightError

WIDE = 160
"""Cells of a line that no terminal shows."""
DAMAGED = 6
"""As ExitCode has it, which a command that answers at once does without."""

Data = Any  # Any: whatever JSON can hold, or a model that knows how to become that


class OutputStream(io.FileIO):
    """Goes on when nobody reads any more, or nothing more can be kept: a loop does not end for want of an audience.

    `trouble` is what has kept the output from being written; a reader that has gone away is none.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self.trouble: OSError | None = None

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            return memoryview(data).nbytes
        except OSError as error:
            self.trouble = self.trouble or error
            return memoryview(data).nbytes

    def text(self) -> io.TextIOWrapper:
        """What `print` can write to, in UTF-8."""
        buffer = io.BufferedWriter(self)
        return io.TextIOWrapper(buffer, encoding="utf-8", errors="backslashreplace", line_buffering=self.isatty())


def close_output(out: OutputStream, code: int) -> int:
    """The exit code, where all was said that was to be said; else the output is at fault, which is told."""
    sys.stdout.flush()
    if out.trouble:
        print_error(False, f"the output could not be written: {out.trouble.strerror}")
    return code or (DAMAGED if out.trouble else 0)


def is_plain() -> bool:
    """No colours and no cursor movements: not a terminal, or a person who does not want them."""
    return not sys.stdout.isatty() or bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def count_cells() -> int:
    """How wide a line may be: the terminal's width, where there is one or COLUMNS names it."""
    import shutil

    known = sys.stdout.isatty() or os.environ.get("COLUMNS")
    return max(shutil.get_terminal_size().columns, 20) if known else WIDE


def has_person() -> bool:
    """Somebody can be asked: a terminal on both ends, and one that can show a menu."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def print_answer(as_json: bool, data: Data, text: str, **more: Data) -> None:
    """The result of a command, see `format_answer`."""
    if shown := format_answer(as_json, data, text, **more):
        print(shown, flush=as_json)


def format_answer(as_json: bool, data: Data, text: str, **more: Data) -> str:
    """`{"success": true, "data": …}` as the HTTP API has it, or `text`."""
    return _json_line({"success": True, "data": data, **more}) if as_json else text


def print_error(as_json: bool, words: str, error: "LoopwrightError | None" = None) -> None:
    """An error, once: for people on stderr, for programs on stdout, with its advice apart."""
    if as_json:
        from dataclasses import asdict

        apart = {"refusal": error.words, **asdict(error.advice)} if error and error.advice else None
        print_json({"success": False, "error": words, **({"advice": apart} if apart else {})})
    else:
        print(f"loopwright: {words}", file=sys.stderr)


class SilentExit(Exception):
    """An end with a code of its own, about which all has been said."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


NO_SANDBOX = "no sandbox can be had here: agents and tests can read and write what you can (see docs/sandbox.md)"
"""Said where `auto` comes to none."""


def print_remark(words: str) -> None:
    """Something beside the result; never on stdout."""
    print(words, file=sys.stderr, flush=True)


@contextmanager
def show_patience(words: str) -> Iterator[None]:
    """Shows that something is going on which takes a while."""
    if is_plain():
        print(f"({words})", flush=True)
        yield
        return
    from rich.console import Console

    with Console().status(words):
        yield


def print_json(document: Data) -> None:
    """One JSON object on one line."""
    print(_json_line(document), flush=True)


def _json_line(document: Data) -> str:
    return json_line(document, lambda model: model.model_dump(mode="json", by_alias=True))
