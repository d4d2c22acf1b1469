"""Where fenced code begins and ends, also where authors nest fences of one length."""

import re
from dataclasses import dataclass

_IN_LIST = re.compile(r"(?:[-*+]|\d{1,9}[.)])[ \t]+(?=[`~])")
_LANG = re.compile(r"[{.]*([\w#+.-]*)")
PATIENCE = 16
"""Fences that are never closed, after which nesting is no longer looked for: each costs a look at all that follow."""


@dataclass(slots=True)
class Fence:
    """A line that opens or closes; `bare`: nothing stands behind its marks. `close` is the line that closes it."""

    line: int
    mark: str
    indent: int
    info: str
    bare: bool
    close: int | None = None

    @property
    def lang(self) -> str:
        """The first word of the info string, in small letters."""
        found = _LANG.match(self.info)
        return found[1].casefold().rstrip(".") if found else ""

    def closes(self, opening: "Fence") -> bool:
        return self.bare and self.mark[0] == opening.mark[0] and len(self.mark) >= len(opening.mark)


def fences(lines: list[str], first: int = 0) -> dict[int, Fence]:
    """The outermost fences by their first line, of the lines from `first` on."""
    marks = [mark for number in _candidates(lines, first) if (mark := _read(lines[number], number))]
    found: dict[int, Fence] = {}
    index, patience = 0, PATIENCE
    while index < len(marks):
        opening = marks[index]
        closing = _nested_end(marks, index) if patience else None
        if closing is None:
            patience -= bool(patience)
            closing = _plain_end(marks, index)
        opening.close = None if closing is None else marks[closing].line
        found[opening.line] = opening
        if closing is None:
            break
        index = closing + 1
    return found


def _candidates(lines: list[str], first: int) -> list[int]:
    return [number for number, line in enumerate(lines) if ("```" in line or "~~~" in line) and number >= first]


def _read(line: str, number: int) -> Fence | None:
    bare = line.strip()
    marker = ""
    if bare[0] not in "`~":
        found = _IN_LIST.match(bare)
        if not found:
            return None
        marker, bare = found[0], bare[found.end() :]
    rest = bare.lstrip(bare[0])
    mark, info = bare[: len(bare) - len(rest)], rest.strip()
    if len(mark) < 3 or (mark[0] == "`" and "`" in info):
        return None
    margin = line[: len(line) - len(line.lstrip())]
    return Fence(number, mark, len(margin.expandtabs(4)) + len(marker), info, not info)


def _plain_end(marks: list[Fence], index: int) -> int | None:
    """What CommonMark says: the first line that may close it."""
    opening = marks[index]
    return next((i for i in range(index + 1, len(marks)) if marks[i].closes(opening)), None)


def _nested_end(marks: list[Fence], index: int) -> int | None:
    """Each fence with a language that stands in another opens one inside; None where that comes out uneven."""
    stack = [marks[index]]
    for at in range(index + 1, len(marks)):
        mark, top = marks[at], stack[-1]
        if mark.mark[0] != top.mark[0] or len(mark.mark) < len(top.mark):
            continue
        if not mark.bare or _opens_deeper(marks, at, top):
            stack.append(mark)
            continue
        stack.pop()
        if not stack:
            return at
    return None


def _opens_deeper(marks: list[Fence], at: int, top: Fence) -> bool:
    """Two bare fences, further in than the one they stand in, are a pair."""
    mark = marks[at]
    return (
        mark.indent >= top.indent + 2
        and at + 1 < len(marks)
        and marks[at + 1].bare
        and marks[at + 1].indent == mark.indent
    )
