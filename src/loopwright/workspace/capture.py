"""What a process prints, kept within a bound and passed on line by line."""

import codecs
import time
from collections.abc import Callable

LONGEST_LINE = 65_536

FLOOD = 1_000_000
"""Bytes a second that are passed on: whoever listens shows them to people, and must not hold up the reading."""


class Capture:
    """Keeps the head and the tail of a stream of bytes, at most `cap` of them, and counts its `total`.

    `on_output` gets the text as it arrives, whole lines at a time; a line longer than 64 KiB comes in pieces. Of a
    flood it gets the first part of every second, and a line that says how much was left out.
    """

    def __init__(self, cap: int, on_output: Callable[[str], None] | None = None) -> None:
        self.total = 0
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self._listener = None if on_output is None else _Listener(on_output)

    def feed(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._half:  # twice, so that trimming costs nothing per byte
            del self._tail[: -self._half]
        if self._listener is not None:
            self._listener.feed(chunk)

    def finish(self) -> None:
        """Passes on the last line, even without its newline."""
        if self._listener is not None:
            self._listener.finish()

    @property
    def truncated(self) -> bool:
        return self.total > 2 * self._half

    @property
    def text(self) -> str:
        """Head and tail; what was left out between them is said in a line of its own."""
        tail = self._tail[-self._half :]
        if not self.truncated:
            return (self._head + tail).decode("utf-8", "replace")
        gap = f"\n{_left_out(self.total - len(self._head) - len(tail))}\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")


class _Listener:
    """Passes text on in whole lines, as much of it as somebody can want to see."""

    def __init__(self, on_output: Callable[[str], None]) -> None:
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""
        self._second = 0.0
        self._passed = self._skipped = 0

    def feed(self, chunk: bytes) -> None:
        now = time.monotonic()
        if now - self._second >= 1:
            self._second, self._passed = now, 0
        if self._passed >= FLOOD:
            self._skipped += len(chunk)
            return
        self._passed += len(chunk)
        self._pass_on(self._gap() + self._decoder.decode(chunk))

    def finish(self) -> None:
        rest = self._line + self._decoder.decode(b"", final=True) + self._gap()
        self._line = ""
        if rest:
            self._on_output(rest)

    def _pass_on(self, text: str) -> None:
        whole, newline, rest = (self._line + text).rpartition("\n")
        self._line = rest
        if newline:
            self._on_output(whole + newline)
        if len(rest) > LONGEST_LINE:
            self._on_output(rest)
            self._line = ""

    def _gap(self) -> str:
        skipped, self._skipped = self._skipped, 0
        return f"\n{_left_out(skipped)}\n" if skipped else ""


def _left_out(count: int) -> str:
    return f"… {count:,} bytes left out …"
