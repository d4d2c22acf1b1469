"""Strings and template literals as authors write them, with what is interpolated; every reader goes forward only."""

import re
from dataclasses import dataclass, field

_IN_TEXT = re.compile(r"[`\\]|\$\{")
_IN_HOLE = re.compile(r"""[`{}]|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""")
_LATE_CLOSE = re.compile(r'"(?=\s{0,80}(?:[,;)}\]]|\Z))')
_FULL_ATTEMPTS = 8
"""So many templates without an end are read to the end of the source; after that the next backtick closes."""

Hole = tuple[int, int]
"""An interpolated expression: where it begins and ends, without its braces."""


@dataclass(slots=True)
class Reader:
    """Finds where literals end, and remembers what it has sought in vain, so that nothing is sought twice."""

    text: str
    end: int
    _attempts: int = 0
    _no_late_close: bool = False
    _no_triple: set[str] = field(default_factory=set)

    def triple(self, start: int) -> int:
        """The end of the three quotes that begin at `start`; where they are never closed, `start` + 3."""
        quotes = self.text[start : start + 3]
        if quotes in self._no_triple:
            return start + 3
        found = self.text.find(quotes, start + 3, self.end)
        if found < 0:
            self._no_triple.add(quotes)
            return start + 3
        return found + 3

    def late(self, start: int) -> int | None:
        """The end of a double-quoted string over several lines: a quote with the end of an argument behind it."""
        if self._no_late_close:
            return None
        found = _LATE_CLOSE.search(self.text, start + 1, self.end)
        if found is None:
            self._no_late_close = True
            return None
        return found.end()

    def template(self, start: int) -> tuple[int, list[Hole]] | None:
        """The end of the template literal at `start` and what it interpolates; None where no backtick follows."""
        if self._attempts < _FULL_ATTEMPTS:
            found = read_template(self.text, start, self.end)
            if found is not None:
                return found
            self._attempts += 1
        close = self.text.find("`", start + 1, self.end)
        return None if close < 0 else (close + 1, [])


def read_template(text: str, start: int, end: int) -> tuple[int, list[Hole]] | None:
    """Reads a template literal; templates in its expressions are passed over. None: it is not closed.

    Authors forget to escape backticks in a prompt: one with a word right behind it opens inline code of the
    prompt and the next one closes that, three are a fence.
    """
    holes: list[Hole] = []
    modes = [-1]
    hole = inner = 0
    pos = start + 1
    while True:
        deep = modes[-1]
        found = (_IN_TEXT if deep < 0 else _IN_HOLE).search(text, pos, end)
        if found is None:
            return None
        pos = found.end()
        mark = text[pos - 1] if pos - found.start() < 3 else ""
        if deep >= 0:
            _in_hole(modes, mark)
            if len(modes) == 1:
                holes.append((hole, pos - 1))
            continue
        if mark == "\\":
            pos += 1
            continue
        if mark == "{":
            hole = pos if len(modes) == 1 else hole
            modes.append(0)
            continue
        if len(modes) > 1:
            modes.pop()
            continue
        if not inner and not _opens_code(text, pos):
            return pos, holes
        pos, inner = _inner(text, pos, inner)


def _in_hole(modes: list[int], mark: str) -> None:
    if mark == "`":
        modes.append(-1)
    if mark == "{":
        modes[-1] += 1
    if mark == "}":
        modes[-1] -= 1
        if modes[-1] < 0:
            modes.pop()


def _opens_code(text: str, pos: int) -> bool:
    """Whether the backtick before `pos` can not be the end of a literal."""
    behind = text[pos : pos + 1]
    return behind.isalnum() or (behind in ("_", "$", "~", "@", "/", "<", "-", "`") and behind != "")


def _inner(text: str, pos: int, inner: int) -> tuple[int, int]:
    if text.startswith("``", pos):
        return pos + 2, 0
    return pos, 1 - inner
