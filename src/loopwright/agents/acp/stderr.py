"""What an agent prints besides its messages, and the words for its end."""

import re
from pathlib import Path

TOLD = 4_096
"""Bytes at the end of the file in which the last words are looked for."""

LINES = 3
LINE = 300

KEPT = 20_000_000
"""Bytes after which the file is emptied."""

_CONTROLS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f\x7f]")


class Stderr:
    """The file `path`, that the agent appends to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen = self._signs = 0

    def signs(self) -> int:
        """How often it has been seen to have grown."""
        size = self.path.stat().st_size
        self._signs += size > self._seen
        self._seen = size
        if size > KEPT:  # it is appended to, so it can be emptied under the writer
            with self.path.open("r+b") as file:
                file.truncate(0)
            self._seen = 0
        return self._signs

    def last_words(self) -> str:
        """The last lines, after a colon; empty where there are none."""
        with self.path.open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - TOLD))
            text = _CONTROLS.sub("", file.read().decode("utf-8", "replace"))
        lines = [line.strip()[:LINE] for line in text.splitlines() if line.strip()]
        return f": {'; '.join(lines[-LINES:])}" if lines else ""


def ended(exit_code: int | None, when: str) -> str:
    """None: it is still there, and does not talk any more."""
    if exit_code is None:
        return "closed its output and lives on"
    return f"ended {when} by signal {-exit_code}" if exit_code < 0 else f"ended {when} with exit code {exit_code}"
