"""What a process prints, kept within a bound and passed on line by line."""

import codecs
from collections.abc import Callable

LONGEST_LINE = 65_536


class Capture:
    """Keeps the head and the tail of a stream of bytes, at most `cap` of them.

    `on_output` gets the text as it arrives, whole lines at a time; a line longer than 64 KiB comes in pieces.
    """

    def __init__(self, cap: int, on_output: Callable[[str], None] | None = None) -> None:
        self._half = max(cap // 2, 1)
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        self._on_output = on_output
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._line = ""

    def feed(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._half - len(self._head)
        self._head += chunk[:room]
        self._tail += chunk[room:]
        if len(self._tail) > 2 * self._half:  # twice, so that trimming costs nothing per byte
            del self._tail[: -self._half]
        if self._on_output is not None:
            self._pass_on(self._decoder.decode(chunk), self._on_output)

    def finish(self) -> None:
        """Passes on the last line, even without its newline."""
        if self._on_output is not None:
            rest = self._line + self._decoder.decode(b"", final=True)
            self._line = ""
            if rest:
                self._on_output(rest)

    def _pass_on(self, text: str, on_output: Callable[[str], None]) -> None:
        whole, newline, rest = (self._line + text).rpartition("\n")
        self._line = rest
        if newline:
            on_output(whole + newline)
        if len(rest) > LONGEST_LINE:
            on_output(rest)
            self._line = ""

    @property
    def truncated(self) -> bool:
        return self.total > 2 * self._half

    @property
    def text(self) -> str:
        """Head and tail; what was left out between them is said in a line of its own."""
        tail = self._tail[-self._half :]
        if not self.truncated:
            return (self._head + tail).decode("utf-8", "replace")
        gap = f"\n… {self.total - len(self._head) - len(tail):,} bytes left out …\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
