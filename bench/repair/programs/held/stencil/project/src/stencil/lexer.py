"""Cut template source into tokens."""

import re
from dataclasses import dataclass

from .errors import TemplateSyntaxError

_OPEN = re.compile(r"\{\{-?|\{%-?|\{#")
_CLOSE = {
    "{{": re.compile(r"(-?)\}\}"),
    "{%": re.compile(r"(-?)%\}"),
    "{#": re.compile(r"()#\}"),
}
_KIND = {"{{": "print", "{%": "tag"}


@dataclass(frozen=True)
class Token:
    kind: str  # "text", "print" or "tag"
    value: str
    line: int


def tokenize(source):
    """Yield tokens; comments leave nothing behind."""
    position = 0
    line = 1
    trim = False
    while True:
        start = _OPEN.search(source, position)
        text = source[position : start.start()] if start else source[position:]
        lines_in_text = text.count("\n")
        if trim:
            text = text.lstrip()
        if start and start.group().endswith("-"):
            text = text.rstrip()
        if text:
            yield Token("text", text, line)
        line += lines_in_text
        if start is None:
            return
        opener = start.group()[:2]
        close = _CLOSE[opener].search(source, start.end())
        if close is None:
            raise TemplateSyntaxError(f"{opener} is never closed", line)
        body = source[start.end() : close.start()]
        if opener in _KIND:
            yield Token(_KIND[opener], body.strip(), line)
        line += body.count("\n")
        trim = close.group(1) == "-"
        position = close.end()
