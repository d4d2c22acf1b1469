"""Calls of tools as skills write them, in JavaScript's way, in Python's, or in one between the two.

Task({subagent_type: "reader", prompt: `Read ${file}`})      Read("specs/style.md")      Bash(command="ls")
"""

import re
from collections.abc import Iterator

from loopwright.skills.reader.model import Argument, Call, PositionMaker
from loopwright.skills.reader.page import Page

PYTHON = frozenset({"python", "py", "python3"})
LANGUAGES = PYTHON | frozenset(
    {"", "javascript", "js", "typescript", "ts", "jsx", "tsx", "text", "txt", "pseudo", "pseudocode"}
)
"""Of fences in which calls of tools are written down; anything else is a program of its own."""
NEAR = 100
"""Characters of a line before a call that say what it is."""
_CALL = re.compile(r"(?<![\w.$-])(?:mcp__[\w-]+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?)(?=\()")
_COMMENT = re.compile(r"[ \t]*+(?://|#|\*)")
_DEFINES = re.compile(r"\b(?:function|def|class|func|fn|new|interface|type)[ \t]+\Z")
_WORDS = frozenset({"if", "for", "while", "switch", "catch", "function", "return", "await", "elif", "and", "or", "not"})
_STRING = (
    r""""{3}(?s:.*?)(?:"{3}|\Z)|'{3}(?s:.*?)(?:'{3}|\Z)|"(?:[^"\\\n]|\\.)*+"|(?<!\w)'(?:[^'\\\n]|\\.)*+' """.strip()
    + r"|`(?:[^`\\]|\\.)*+(?:`|\Z)"
)
"""What may go over several lines takes all that is left where nothing closes it: so it is gone through once."""
_COMMENTS = r"(?<!:)//[^\n]*+|(?<=\s)#[^\n]*+|/\*(?s:.*?)(?:\*/|\Z)"
_TOKEN = re.compile(rf"(?P<string>{_STRING})|(?P<comment>{_COMMENTS})|[()\[\]{{}},]")
_ONE_STRING = re.compile(rf"[fr]?(?:{_STRING})\Z")
_NAME = re.compile(r"""(["']?)([A-Za-z_$][\w$-]*)\1\s*+(?:[:=](?![=>])\s*+|\Z)""")
_BLANK = re.compile(rf"(?:\s++|{_COMMENTS})*+")

Piece = tuple[int, int]
Brackets = dict[int, tuple[int, list[Piece]]]
"""By where a bracket opens, where it closes, and what stands between its commas."""


def parse_calls(page: Page, at: PositionMaker) -> Iterator[Call]:
    """All of a page, in order. `at` makes a place of the page."""
    spans = [(block.body, block.body + len(block.text), block.lang) for block in page.blocks if block.kind == "code"]
    spans += [(code.start + 1, code.end - 1, "") for code in page.codes]
    for start, end, lang in sorted(spans):
        if lang in LANGUAGES and page.kind not in ("script", "data"):
            yield from _calls(page.text, start, end, lang, at)


def _calls(text: str, start: int, end: int, lang: str, at: PositionMaker) -> Iterator[Call]:
    if (first := _CALL.search(text, start, end)) is None:
        return
    brackets = _brackets(text, start, end)
    for found in _CALL.finditer(text, first.start(), end):
        before = text[max(start, found.start() - NEAR) : found.start()].rpartition("\n")[2]
        if found[0] in _WORDS or _COMMENT.match(before) or _DEFINES.search(before):
            continue
        if (bracket := brackets.get(found.end())) is not None:
            arguments = tuple(_arguments(text, brackets, bracket[1], at))
            yield Call(found[0], at(found.start(), bracket[0]), arguments, lang)


def _brackets(text: str, begin: int, end: int) -> Brackets:
    """All that are closed, but for those in strings and comments."""
    closed: Brackets = {}
    opened: list[tuple[int, list[int]]] = []
    for token in _TOKEN.finditer(text, begin, end):
        if token.lastgroup is not None:
            continue
        char, at = token[0], token.start()
        if char in "([{":
            opened.append((at, []))
        elif char == ",":
            if opened:
                opened[-1][1].append(at)
        elif opened:
            start, commas = opened.pop()
            pieces = zip([start, *commas], [*commas, at], strict=True)
            closed[start] = at + 1, [(one + 1, other) for one, other in pieces]
    return closed


def _arguments(text: str, brackets: Brackets, pieces: list[Piece], at: PositionMaker) -> Iterator[Argument]:
    """A single object between the brackets is opened into its entries."""
    entries = False
    if len(pieces) == 1:
        start, end = _trimmed(text, *pieces[0])
        inner = brackets.get(start)
        if start < end and text[start] == "{" and inner is not None and inner[0] == end:
            pieces, entries = inner[1], True
    for piece in pieces:
        start, end = _trimmed(text, *piece)
        if start >= end or text.startswith(("...", "…"), start):
            continue
        named = _NAME.match(text, start, end)
        name = named[2] if named and (named.end() < end or entries) else None
        value = named.end() if named and named.end() < end else start
        whole = text[value:end]
        yield Argument(name, whole, at(value, end), _content(whole) if _ONE_STRING.match(whole) else None)


def _trimmed(text: str, start: int, end: int) -> Piece:
    """Without blanks around it, and without comments before it."""
    found = _BLANK.match(text, start, end)
    start = found.end() if found else start
    return start, start + len(text[start:end].rstrip())


def _content(string: str) -> str:
    string = string.lstrip("fr")
    width = 3 if string[:3] in ('"""', "'''") and len(string) >= 6 else 1
    return string[width:-width]
