"""From text to tokens."""

import re
from dataclasses import dataclass

from .errors import ParseError

KEYWORDS = {
    "let", "def", "if", "then", "else", "and", "or", "not", "true", "false",
}
_NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SYMBOLS = ("<=", ">=", "==", "!=", "//", "+", "-", "*", "/", "%", "^", "(",
            ")", "[", "]", ",", "<", ">", "=")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


@dataclass(frozen=True)
class Token:
    """One token; kind is number, text, name, key, symbol, eol or end."""

    kind: str
    value: object
    line: int


def tokenize(source):
    """List of the tokens of source, the last one of kind end."""
    tokens = []
    position = 0
    line = 1
    depth = 0
    while position < len(source):
        char = source[position]
        if char == "\n":
            if depth == 0 and tokens and tokens[-1].kind != "eol":
                tokens.append(Token("eol", None, line))
            line += 1
            position += 1
            continue
        if char.isspace():
            position += 1
            continue
        if char == "#":
            end = source.find("\n", position)
            position = len(source) if end < 0 else end
            continue
        if char == '"':
            value, end = _read_text(source, position, line)
            tokens.append(Token("text", value, line))
            line += source.count("\n", position, end)
            position = end
            continue
        match = _NUMBER.match(source, position)
        if match:
            text = match.group()
            value = int(text) if text.isdigit() else float(text)
            tokens.append(Token("number", value, line))
            position = match.end()
            continue
        match = _NAME.match(source, position)
        if match:
            word = match.group()
            kind = "key" if word in KEYWORDS else "name"
            tokens.append(Token(kind, word, line))
            position = match.end()
            continue
        for symbol in _SYMBOLS:
            if source.startswith(symbol, position):
                break
        else:
            raise ParseError(f"unexpected character {char!r}", line)
        if symbol in "([":
            depth += 1
        elif symbol in ")]":
            depth = max(0, depth - 1)
        tokens.append(Token("symbol", symbol, line))
        position += len(symbol)
    tokens.append(Token("end", None, line))
    return tokens


def _read_text(source, start, line):
    """Value of the quoted text at start, and the position after it."""
    out = []
    position = start + 1
    while position < len(source):
        char = source[position]
        if char == '"':
            return "".join(out), position + 1
        if char == "\\":
            position += 1
            letter = source[position:position + 1]
            if letter not in _ESCAPES:
                raise ParseError(f"unknown escape \\{letter}", line)
            out.append(_ESCAPES[letter])
        else:
            out.append(char)
        position += 1
    raise ParseError("text without end", line)
