"""Object literals as authors write them: JSON, JSON with comments and gaps, JavaScript, in one tolerant pass."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from string import ascii_letters, digits
from typing import Literal, NamedTuple

ShapeKind = Literal["string", "number", "boolean", "null", "array", "object", "other"]

_TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.){0,4000}"'
    r"|'(?:[^'\\\n]|\\.){0,4000}'"
    r"|`(?:[^`\\]|\\.){0,4000}`"
    r"|//[^\n]*"
    r"|\#[^\n]*"
    r"|/\*"
    r"|\.\.\."
    r"|\n"
    r"|=>"
    r"|[A-Za-z_$\u0080-\U0010ffff][\w$.\-]*"
    r"|\d[\w.\-]*"
    r"|[^\s]",
    re.DOTALL,
)
TOKENS = 20_000
"""Tokens of one literal that are looked at."""
ELEMENTS = 60
"""Strings of one list that are kept."""
DEPTH = 40
"""Brackets within brackets that are told apart."""
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_VALUE = re.compile(r"[\w.:/+\-]+\Z")
_TYPES = frozenset({
    "string", "str", "text", "number", "int", "integer", "float", "boolean", "bool", "object", "array", "list", "any",
    "dict", "path", "url", "uuid", "date", "datetime", "timestamp", "iso8601", "iso-8601", "iso", "字符串", "数字",
    "布尔", "数组", "对象",
})  # fmt: skip
"""Beside `null` or another type they say of what kind a value is, and not which it is."""


class Token(NamedTuple):
    """`kind`: s string, w word or number, n newline, # comment, … three dots, or the character itself."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A key with its value. `path` from the outermost object: `a.b`, `items[].id`. `start`, `end` of the key.

    `values`: strings that the value may be; `elements`: those of an array. `source`: the value, where it is short.
    """

    path: str
    start: int
    end: int
    kind: ShapeKind
    values: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    shorthand: bool = False
    source: str = ""


def tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """At most `TOKENS`; comments of several lines are one, the rest of a line after # is one only at its begin."""
    at, left = start, TOKENS
    while at < end:
        for found in islice(_TOKEN.finditer(text, at, end), left):
            left -= 1
            raw = found[0]
            begin, at = found.span()
            if raw == "/*":
                close = text.find("*/", at, end)
                at = end if close < 0 else close + 2
                yield Token("#", begin, at, text[begin:at])
                break
            yield Token(_KINDS.get(raw) or _WORDS.get(raw[0]) or _token_kind(raw), begin, at, raw)
        else:
            return


_KINDS = {"\n": "n", "...": "…", **dict(zip("{}[](),:;=.<>|&?!+-*", "{}[](),:;=.<>|&?!+-*", strict=True))}

_WORDS = dict.fromkeys(ascii_letters + digits + "_$", "w")


def _token_kind(raw: str) -> str:
    first = raw[0]
    if first in "\"'`" and len(raw) > 1:
        return "s"
    if first.isalnum() or first in "_$" or first >= "\u0080":
        return "w"
    if first == "#" or raw.startswith("//"):
        return "#"
    return "n" if first == "\n" else "…" if raw == "..." else raw


@dataclass(slots=True)
class _Frame:
    bracket: str
    prefix: str
    entry: int = -1


@dataclass(slots=True)
class _Reading:
    """`key` waits for its value; `opaque` counts brackets of an expression whose inside is nobody's."""

    text: str
    stack: list[_Frame] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    key: Token | None = None
    value: list[Token] = field(default_factory=list)
    colon: bool = False
    opaque: int = 0
    spread: bool = False

    def feed(self, token: Token) -> bool:
        """False when the outermost bracket has closed."""
        if token.kind in "n#":
            if token.kind == "n" and len(self.value) == 1 and self.value[0].kind == "…":
                # Three dots alone on a line are a gap.
                self.value, self.colon = [], False
            if token.kind == "n" and self.key is not None and not self.colon and self.stack[-1].bracket == "{":
                self.key = None
            return True
        if self.opaque:
            self.opaque += (token.kind in "{[(") - (token.kind in "}])")
            self.value.append(token)
            return True
        if token.kind in ("}", "]", ")"):
            self.finish()
            self.stack.pop()
            self.key, self.colon = None, False
            return bool(self.stack)
        frame = self.stack[-1]
        if frame.bracket == "[":
            self._element(frame, token)
        else:
            self._of_object(token)
        return True

    def _of_object(self, token: Token) -> None:
        if token.kind == "…":
            self.spread = self.spread or len(self.stack) == 1
            self.key, self.colon, self.value = None, True, [token]
            return
        if token.kind == ",":
            self.finish()
            return
        if not self.colon:
            self._named(token)
            return
        if not self.value and token.kind in ("{", "[") and self.key is not None:
            self._open(token)
            return
        self.value.append(token)
        self.opaque += token.kind in "{[("

    def _element(self, frame: _Frame, token: Token) -> None:
        if token.kind in ("{", "["):
            self.stack.append(_Frame(token.kind, frame.prefix + "[]"))
        self.opaque += token.kind == "("
        if token.kind == "s" and frame.entry >= 0:
            entry = self.entries[frame.entry]
            if len(entry.elements) < ELEMENTS:
                self.entries[frame.entry] = replace(entry, elements=(*entry.elements, token.text[1:-1]))

    def _named(self, token: Token) -> None:
        if token.kind == ":" and self.key is not None:
            self.colon = True
        elif token.kind == "?" and self.key is not None:
            pass
        elif token.kind in "sw":
            self.key = token
        elif token.kind in ("{", "[", "("):
            self.key, self.colon, self.value, self.opaque = None, True, [], 1
        else:
            self.key = None

    def _path(self, key: Token) -> str:
        name = key.text[1:-1] if key.kind == "s" else key.text
        prefix = self.stack[-1].prefix
        return f"{prefix}.{name}" if prefix else name

    def _open(self, token: Token) -> None:
        key = self.key
        assert key is not None
        path = self._path(key)
        self.entries.append(Entry(path, key.start, key.end, "object" if token.kind == "{" else "array"))
        index = len(self.entries) - 1
        self.stack.append(_Frame(token.kind, path, index if token.kind == "[" else -1))
        self.key, self.colon, self.value = None, False, []

    def finish(self) -> None:
        key, value = self.key, self.value
        if key is not None and self.stack[-1].bracket == "{":
            if self.colon and value:
                source = self.text[value[0].start : min(value[-1].end, value[0].start + 120)]
                self.entries.append(
                    Entry(self._path(key), key.start, key.end, _kind(value), _values(value), (), False, source)
                )
            elif not self.colon and key.kind == "w":
                self.entries.append(Entry(self._path(key), key.start, key.end, "other", shorthand=True))
        self.key, self.value, self.colon = None, [], False


def _kind(value: list[Token]) -> ShapeKind:
    first = value[0]
    if len(value) > 1:
        return "string" if all(token.kind in "s|" for token in value) else "other"
    if first.kind == "s":
        return "string"
    if first.text in ("true", "false"):
        return "boolean"
    if first.text == "null":
        return "null"
    return "number" if first.text[0].isdigit() else "other"


def _values(value: list[Token]) -> tuple[str, ...]:
    """`'a'`, `ok ? 'a' : 'b'`, `"a" | "b"`; nothing for any other expression."""
    kinds = [token.kind for token in value]
    strings = tuple(token.text[1:-1] for token in value if token.kind == "s")
    if not strings or any("${" in string for string in strings):
        return ()
    if len(value) == 1 or all(kind in "s|" for kind in kinds):
        return strings
    if "?" in kinds and ":" in kinds and "(" not in kinds and kinds.count("s") == kinds[kinds.index("?") :].count("s"):
        return strings
    return ()


def entries(text: str, start: int, end: int) -> tuple[list[Entry], int, bool]:
    """Those of the object or array that begins at or after `start`; where it ends; whether it takes in another one."""
    reading = _Reading(text)
    last = start
    for token in tokens(text, start, end):
        last = token.end
        if not reading.stack:
            if token.kind in ("{", "["):
                reading.stack.append(_Frame(token.kind, ""))
            continue
        if len(reading.stack) > DEPTH or not reading.feed(token):
            break
    if reading.stack:
        reading.finish()
    return reading.entries, last, reading.spread


def choices(value: str) -> tuple[str, ...]:
    """`pending | running | done` and `a/b/c` in angle brackets: what a template says a value may be."""
    inner = value.strip().strip("<>{}").strip()
    if "|" not in inner:
        return ()
    found = tuple(part.strip().strip("\"'`") for part in inner.split("|"))
    if sum(part != "null" for part in found) < 2 or not all(_VALUE.match(part) for part in found):
        return ()
    return () if all(part.lower().removesuffix("[]") in _TYPES for part in found if part != "null") else found
