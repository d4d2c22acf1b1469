"""Where a range of characters lies, as people and programs are told: lines, columns, and the line itself. Pure."""

from typing import NamedTuple

EXCERPT = 160
"""Characters of a line that a finding shows."""
BEFORE = 40
"""Of those, how many stand before the place where the line is cut."""


_NO_UTF_8 = dict.fromkeys(range(0xDC80, 0xDD00), "\ufffd")


class TextSpan(NamedTuple):
    """`column` and `column_end` (exclusive, in `line_end`) count UTF-16 code units from 1.

    `marked`: the characters of `excerpt` that are meant, from and to.
    """

    line: int
    line_end: int
    column: int
    column_end: int
    excerpt: str
    marked: tuple[int, int]


def locate_span(text: str, start: int, end: int) -> TextSpan:
    """The place of the characters from `start` to `end`."""
    start = min(start, len(text))
    end = min(max(start, end), len(text))
    last = max(start, end - 1)
    bol, eol = text.rfind("\n", 0, start) + 1, _line_end(text, start)
    line = text.count("\n", 0, start) + 1
    excerpt, marked = _excerpt(text[bol:eol], start - bol, min(end, eol) - bol)
    return TextSpan(
        line=line,
        line_end=line + text.count("\n", start, last),
        column=count_utf16(text[bol:start]) + 1,
        column_end=count_utf16(text[text.rfind("\n", 0, last) + 1 : end]) + 1,
        excerpt=excerpt,
        marked=marked,
    )


def count_utf16(text: str) -> int:
    """How many code units the text takes in UTF-16."""
    return len(text) if text.isascii() else len(text) + sum(char > "\uffff" for char in text)


def replace_bad_bytes(text: str) -> str:
    """Bytes that are no UTF-8 as the sign for them, one each: journals and reports cannot hold them as they are."""
    return text if text.isascii() else text.translate(_NO_UTF_8)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    end = end if end >= 0 else len(text)
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _excerpt(line: str, start: int, end: int) -> tuple[str, tuple[int, int]]:
    """The line without its margins, or as much of it as fits around the place."""
    first = len(line) - len(line.lstrip())
    last = max(first, len(line.rstrip()))
    start, end = min(max(start, first), last), min(max(end, first), last)
    head = tail = ""
    if last - first > EXCERPT and start - first > BEFORE:
        first = min(start - BEFORE, last - EXCERPT + 1)
        head = "…"
    if last - first > EXCERPT - len(head):
        last = first + EXCERPT - len(head) - 1
        tail = "…"
    shift = len(head) - first
    return f"{head}{line[first:last]}{tail}", (start + shift, max(start, min(end, last)) + shift)
