"""Every path with a file's extension that a page names, found in one pass over its text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_EXTENSIONS = (
    "md|mdx|mdc|json|jsonl|json5|ndjson|yaml|yml|toml|csv|tsv|txt|html|htm|css|js|mjs|cjs|jsx|ts|tsx|py|sh|bash|ps1|xml"
    "|svg|png|jpg|jpeg|gif|pdf|docx|xlsx|pptx|sql|log|lock|diff|patch|ini|cfg|rb|go|rs|java|prompt|dot|mmd|tmpl|j2|hbs"
)
_END = re.compile(rf"\.(?:{_EXTENSIONS})(?![A-Za-z0-9_])")
_MORE = re.compile(
    rf"(?:\.(?:prev|bak|backup|tmp|lock|new|old|orig|template|tmpl|example|sample|gz|{_EXTENSIONS})(?![A-Za-z0-9_]))+"
)
_PATH = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./~$@%+\\*")
_OPEN = {"}": "{", ">": "<", "]": "["}
_TAGS = frozenset({
    "td", "th", "b", "i", "p", "a", "br", "li", "em", "code", "strong", "span", "div", "pre", "tr", "ul", "ol",
    "h1", "h2", "h3", "kbd", "summary",
})  # fmt: skip
_QUOTES = "`\"'"
LONGEST = 300
"""Characters that a path may have."""
WIDEST = 80
"""Characters that a variable in a path may have."""


@dataclass(frozen=True, slots=True)
class Mention:
    """`quote`: what stands around it: a quote, a backtick, `(` for the target of a link, or nothing.

    `ticked`: it lies in inline code, maybe with other words.
    """

    raw: str
    start: int
    end: int
    quote: str
    ticked: bool


def mentions(text: str) -> Iterator[Mention]:
    """In the order of the text; what is a method (`.json()`) or a mere extension is none."""
    after = 0
    line, tick, ticks = -1, 0, 0
    for found in _END.finditer(text):
        dot, end = found.span()
        if dot < after:
            continue
        more = _MORE.match(text, end)
        if more:
            end = more.end()
        # A method is no file, and the text of a link says what its target says.
        if text[end : end + 1] == "(" or text.startswith(("](", "`]("), end):
            continue
        newline = text.rfind("\n", max(0, dot - LONGEST), dot)
        start = _begin(text, dot, max(after, newline + 1, dot - LONGEST))
        start = _trimmed(text, start, dot, end)
        if start >= dot or not _named(text, start, dot) or ("\\" in text[start:dot] and "\\." in text[start:end]):
            continue
        after = end
        before, behind = text[start - 1 : start], text[end : end + 1]
        if newline < 0:
            newline = text.rfind("\n", 0, dot)
        if newline != line:
            line, tick, ticks = newline, newline + 1, 0
        ticks += text.count("`", tick, start)
        tick = start
        quote = before if before and before in _QUOTES and (behind == before or before != "`") else ""
        if before in "(<" and (
            behind in ')#?> "' and text[max(0, start - 3) : start].startswith("](", 0 if before == "<" else 1)
        ):
            quote = "("
        yield Mention(text[start:end], start, end, quote, bool(ticks & 1))


def _begin(text: str, dot: int, least: int) -> int:
    at = dot
    while at > least:
        char = text[at - 1]
        if char in _PATH:
            at -= 1
        elif char in _OPEN:
            opened = _opening(text, at - 1, max(least, at - WIDEST))
            if opened < 0:
                break
            at = opened
        elif (
            (char == ":" and (text.startswith("//", at) or text[at : at + 1] == "\\"))
            or char == "}"
            or (char >= "\u0080" and char.isalnum() and _tight(text, at, least))
        ):
            at -= 1
        else:
            break
    return at


def _opening(text: str, close: int, least: int) -> int:
    """Where the bracket at `close` opens, with the `$` before it; -1 where it does not, or is no variable."""
    closing, opening = text[close], _OPEN[text[close]]
    depth, at = 0, close
    while at >= least:
        char = text[at]
        if char == closing:
            depth += 1
        elif char == opening:
            depth -= 1
            if depth == 0:
                break
        at -= 1
    else:
        return -1
    inner = text[at + 1 : close]
    if closing == ">" and (inner.strip("/").lower() in _TAGS or not inner or inner[0] in " =!/"):
        return -1
    if closing == "]" and (not inner or text[close + 1 : close + 2] not in "/.-_"):
        return -1
    return at - 1 if at and text[at - 1] == "$" else at


def _tight(text: str, at: int, least: int) -> bool:
    """A letter that is not Latin belongs to a path only within quotes, with a slash or quote before it."""
    begin = at
    while begin > least and (text[begin - 1] in _PATH or (text[begin - 1] >= "\u0080" and text[begin - 1].isalnum())):
        begin -= 1
    return text[begin - 1 : begin] in ("`", '"', "'", "(") and begin > 0


def _trimmed(text: str, start: int, dot: int, end: int) -> int:
    """Without emphasis, bullets and options that were taken for a part of the path."""
    while start < dot and ((text[start] == "*" and text[start + 1 : start + 2] not in "./-_") or text[start] in "+%"):
        start += 1
    if text.startswith("**", start) and text.startswith("**", end):
        start += 2
    if text.startswith("--", start):
        return dot
    return start


def _named(text: str, start: int, dot: int) -> bool:
    name = text[start:dot]
    return name[-1] not in "./" and any(char.isalnum() or char in "}>]*_" for char in name)
