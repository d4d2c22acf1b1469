"""Reads the pseudo-code of skills into tokens: JavaScript-like, Python-like or half prose. It never fails."""

import re
from bisect import bisect_left
from dataclasses import dataclass, field

from loopwright.tune.skill.literals import Hole, Reader

_TOKEN = re.compile(
    r"""(?<!:)//[^\n]*+|/\*|(?<![^\s])\#[^\n]*+
    |mcp__[A-Za-z0-9_-]++|[A-Za-z_$][A-Za-z0-9_$]*+(?:\??\.[A-Za-z_$][A-Za-z0-9_$]*+)*+
    |\n
    |\"\"\"|'''|"(?:[^"\\\n]|\\.)*+"|(?:(?<![\w)\]])|(?<=\b[fFrR]))'(?:[^'\\\n]|\\.)*+'(?!\w)|["`]
    |[()\[\]{}]
    |=>|[=!]==?|[<>+]=|\|\||&&|\?\?|\.\.\.|…|[=,:;]
    |(?<=[(=,:!&|?\[])/(?![/*\s])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,80}+\]){1,160}+/|\\.
    |[0-9][\w.]*+""",
    re.VERBOSE,
)
_CLOSES = {")": "(", "]": "[", "}": "{"}
_DEEPEST = 24
"""Brackets nested deeper are read, but nothing in them is recorded: nobody writes that."""
_QUOTES = "\"'`"
_KINDS = {
    **dict.fromkeys("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", "name"),
    **dict.fromkeys("0123456789", "number"),
    "#": "comment",
    "…": "...",
    **{mark: mark for mark in "()[]{},;:\n"},
}


@dataclass(slots=True)
class Source:
    """Tokens of one piece of code, as lists side by side.

    `kinds`: a bracket, an operator or a line end is its own kind, the rest is name, string, template, number, comment
    or pattern. `partner` of a bracket is the index of the other one; where it is never closed, of the token that ends
    its paragraph. `parent` is the index of the bracket a token lies in, or -1. `holes`: what a template interpolates.
    """

    text: str
    start: int
    end: int
    kinds: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    partner: dict[int, int] = field(default_factory=dict)
    parent: list[int] = field(default_factory=list)
    holes: dict[int, list[Hole]] = field(default_factory=dict)
    deep: list[int] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.kinds)

    def word(self, index: int) -> str:
        """The text of a token; empty outside of the source."""
        return self.text[self.starts[index] : self.ends[index]] if 0 <= index < len(self.kinds) else ""

    def kind(self, index: int) -> str:
        return self.kinds[index] if 0 <= index < len(self.kinds) else ""

    def after(self, index: int) -> int:
        """The index of the next token that is no comment and no line end."""
        index += 1
        while index < len(self.kinds) and self.kinds[index] in ("\n", "comment"):
            index += 1
        return index

    def close(self, index: int) -> int:
        """Where the bracket of that index ends in the text."""
        other = self.partner.get(index, len(self.kinds))
        if other >= len(self.kinds):
            return self.end
        return self.ends[other] if _CLOSES.get(self.kinds[other]) == self.kinds[index] else self.starts[other]

    def too_deep(self, index: int) -> bool:
        return self.deep[index] > _DEEPEST

    def at(self, position: int) -> int:
        """The first token that begins at `position` or behind it."""
        return bisect_left(self.starts, position)


def read_source(text: str, start: int, end: int, *, one: bool = False) -> Source:
    """Reads `text` from `start` to `end`; with `one` to the end of the first bracket only."""
    source = Source(text, start, end)
    reader = Reader(text, end)
    stack: list[int] = []
    counts = {"(": 0, "[": 0, "{": 0}
    pos = start
    while 0 <= pos < end:
        pos = _run(source, reader, stack, counts, pos, one)
    if one and source.kinds:
        source.end = max(source.ends[-1], start)
    _close_open(source, stack)
    return source


def _run(source: Source, reader: Reader, stack: list[int], counts: dict[str, int], pos: int, one: bool) -> int:
    """Reads until a literal must be passed over by hand and says where to go on; -1 at the end."""
    text, end = source.text, source.end
    kinds, starts, ends, parent, deep = source.kinds, source.starts, source.ends, source.parent, source.deep
    for found in _TOKEN.finditer(text, pos, end):
        first, last = found.span()
        kind = _KINDS.get(text[first])
        jump = False
        if kind is None:
            kind, last, jump = _other(source, reader, first, last)
            if not kind:
                continue
        if kind in _CLOSES:
            _shut(source, stack, counts, _CLOSES[kind])
        kinds.append(kind)
        starts.append(first)
        ends.append(last)
        parent.append(stack[-1] if stack else -1)
        deep.append(len(stack))
        if kind in counts:
            stack.append(len(kinds) - 1)
            counts[kind] += 1
        if jump:
            return last
        if one and kind in _CLOSES and not stack:
            return -1
    return -1


def _other(source: Source, reader: Reader, first: int, last: int) -> tuple[str, int, bool]:
    """Kind and end of what its first character does not tell, and whether reading jumps there; no kind: it is none."""
    text = source.text
    char = text[first]
    if char in _QUOTES:
        return _literal(source, reader, first, last)
    if char == "/":
        return _slash(text, first, last, source.end)
    return ("", last, False) if char == "\\" else (text[first:last], last, False)


def _literal(source: Source, reader: Reader, first: int, last: int) -> tuple[str, int, bool]:
    text = source.text
    quote = text[first]
    if last - first == 3 and text[first + 1] == quote and text[first + 2] == quote:
        return "string", reader.triple(first), True
    if last - first > 1:
        return "string", last, False
    if quote == "`":
        template = reader.template(first)
        if template is None:
            return "", last, False
        if template[1]:
            source.holes[len(source.kinds)] = template[1]
        return "template", template[0], True
    before = text[max(first - 3, source.start) : first].rstrip().rstrip("frbFRB")
    late = reader.late(first) if before[-1:] in ("=", ":", "(") else None
    return ("string", late, True) if late else ("", last, False)


def _slash(text: str, first: int, last: int, end: int) -> tuple[str, int, bool]:
    if text.startswith("/*", first):
        close = text.find("*/", last, end)
        return "comment", (close + 2 if close >= 0 else last), True
    return ("comment" if text.startswith("//", first) else "pattern"), last, False


def _shut(source: Source, stack: list[int], counts: dict[str, int], opener: str) -> None:
    """Closes the last bracket of that kind with the token that comes, and those forgotten within; else nothing."""
    if not counts[opener]:
        return
    here = len(source.kinds)
    while stack:
        index = stack.pop()
        kind = source.kinds[index]
        counts[kind] -= 1
        source.partner[index] = here
        if kind == opener:
            source.partner[here] = index
            return


def _close_open(source: Source, stack: list[int]) -> None:
    """A bracket that is never closed ends with its paragraph."""
    blank = len(source.kinds)
    left = set(stack)
    if not left:
        return
    for index in range(len(source.kinds) - 1, -1, -1):
        if source.kinds[index] == "\n" and index + 1 < len(source.kinds) and source.kinds[index + 1] == "\n":
            blank = index
        if index in left:
            source.partner[index] = blank


def indented_end(text: str, line: int, stop: int, end: int) -> int:
    """Where the lines below a head end that are further in than it; of a head without such lines its paragraph."""
    indent = _indent(text, line)
    pos, last = stop + 1, stop
    deeper = None
    while pos < end:
        newline = text.find("\n", pos, end)
        newline = end if newline < 0 else newline
        blank = text[pos:newline].isspace() or pos == newline
        if blank and deeper is not True:
            break
        if not blank:
            inside = _indent(text, pos) > indent
            if deeper is None:
                deeper = inside
            if deeper and not inside:
                break
            last = newline
        pos = newline + 1
    return min(max(last, stop), end)


def _indent(text: str, line: int) -> int:
    here = line
    while text[here : here + 1] in (" ", "\t"):
        here += 1
    return here - line
