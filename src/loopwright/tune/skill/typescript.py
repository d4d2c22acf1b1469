"""TypeScript interfaces and types, as authors use them to say the shape of a state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.shapes import Token
from loopwright.tune.skill.shapes import tokens as tokens_of

_DECLARES = re.compile(r"(?<![\w.])(?:interface|type)\s+([A-Za-z_$][\w$]*)")
_GAPS = re.compile(r" (?=[\]\[>;,)])|(?<=[\[<(]) | (?=<)")
_OPENS = frozenset("{[(<")
_CLOSES = frozenset("}])>")
DEPTH = 12
HEAD = 60
"""Tokens between the name of a type and its braces."""


@dataclass(frozen=True, slots=True)
class Member:
    """`names`: words of its type, of which some may be other interfaces."""

    path: str
    type: str
    start: int
    end: int
    values: tuple[str, ...] = ()
    optional: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Declared:
    """An interface with its members, or an alias with its `values`. `open`: it has an index signature."""

    name: str
    start: int
    end: int
    members: tuple[Member, ...]
    values: tuple[str, ...] = ()
    open: bool = False
    extends: tuple[str, ...] = ()


def declared(text: str, start: int, end: int) -> Iterator[Declared]:
    at = start
    while (found := _DECLARES.search(text, at, end)) is not None:
        reader = _Reader(t for t in tokens_of(text, found.end(), end) if t.kind != "#")
        alias = text.startswith("type", found.start())
        one = reader.alias(found[1], found.start()) if alias else reader.interface(found[1], found.start())
        at = max(found.end(), one.end if one else 0)
        if one is not None:
            yield one


class _Reader:
    """Takes tokens as far as one declaration goes, so that a text with many of them is read once."""

    def __init__(self, source: Iterator[Token]) -> None:
        self._source = source
        self._read: list[Token] = []
        self._at = 0
        self._open = False

    def _token(self, index: int) -> Token | None:
        while len(self._read) <= index:
            token = next(self._source, None)
            if token is None:
                return None
            self._read.append(token)
        return self._read[index]

    def _peek(self) -> Token | None:
        return self._token(self._at)

    def _kind(self) -> str:
        token = self._token(self._at)
        return token.kind if token else ""

    def alias(self, name: str, start: int) -> Declared | None:
        """`type X = 'a' | 'b'`, `type X = A & { … }`; None where it is anything else."""
        while self._kind() == "n":
            self._at += 1
        if self._kind() != "=":
            return None
        self._at += 1
        begin = self._at
        while self._kind() and self._kind() in "ns|":
            self._at += 1
        strings = tuple(t.text[1:-1] for t in self._read[begin : self._at] if t.kind == "s")
        if strings:
            return Declared(name, start, self._read[self._at - 1].end, (), strings)
        return self._body(name, start, "wn&|")

    def interface(self, name: str, start: int) -> Declared | None:
        return self._body(name, start, "wn<>,")

    def _body(self, name: str, start: int, between: str) -> Declared | None:
        """The braces that come after nothing but names; what they stand beside is `extends`."""
        extends: list[str] = []
        while (kind := self._kind()) and kind in between and self._at < HEAD:
            token = self._read[self._at]
            if token.kind == "w" and token.text != "extends":
                extends.append(token.text)
            self._at += 1
        if kind != "{":
            return None
        members = tuple(self._members("", 0))
        return Declared(name, start, self._read[self._at - 1].end, members, (), self._open, tuple(extends))

    def _members(self, prefix: str, depth: int) -> Iterator[Member]:
        """Those of the brace at which the reading stands; it stands behind its end after."""
        self._at += 1
        while (token := self._peek()) is not None:
            if token.kind == "}":
                self._at += 1
                return
            if token.kind in ("[",):
                self._open = self._open or depth == 0
                self._type(prefix, depth + DEPTH)
                continue
            if token.kind not in "sw" or token.text == "readonly":
                self._at += 1
                continue
            self._at += 1
            key = token.text[1:-1] if token.kind == "s" else token.text
            optional = (mark := self._peek()) is not None and mark.kind == "?"
            self._at += optional
            if (mark := self._peek()) is None or mark.kind != ":":
                self._type(prefix, depth + DEPTH)
                continue
            self._at += 1
            path = f"{prefix}.{key}" if prefix else key
            inner, text, values, names = self._type(path, depth + 1)
            yield Member(path, text, token.start, token.end, values, optional, names)
            yield from inner

    def _type(self, path: str, depth: int) -> tuple[list[Member], str, tuple[str, ...], tuple[str, ...]]:
        """Reads a type to the end of its member: members of braces in it, its text, literals, names."""
        inner: list[Member] = []
        level = 0
        begin = self._at
        mapped = False
        names: list[str] = []
        while (token := self._peek()) is not None:
            if level == 0 and (token.kind in ";,}" or (token.kind == "n" and self._ends(begin))):
                break
            if token.kind == "{" and depth < DEPTH and not mapped:
                place = self._at
                members = list(self._members(path, depth))
                listed = self._listed(place)
                inner += [_below(member, path) for member in members] if listed else members
                continue
            mapped = mapped or token.text in ("Record", "Map")
            if token.kind == "w":
                names.append(token.text)
            level += (token.kind in _OPENS) - (token.kind in _CLOSES)
            if level < 0:
                break
            self._at += 1
        own = self._read[begin : self._at]
        text = _GAPS.sub("", " ".join(t.text for t in own[:60] if t.kind != "n"))[:120]
        kinds = [t for t in own if t.kind not in "n|"]
        strings = [t.text[1:-1] for t in kinds if t.kind == "s"]
        plain = strings and all(t.kind == "s" or t.text in ("null", "undefined") for t in kinds)
        if (token := self._peek()) is not None and token.kind in ";,":
            self._at += 1
        return inner, text, tuple(strings) if plain else (), tuple(names)

    def _ends(self, begin: int) -> bool:
        """Whether the line end at which the reading stands ends the type: nothing goes on before or behind it."""
        at = self._at + 1
        while (token := self._token(at)) is not None and token.kind == "n":
            at += 1
        before = self._read[self._at - 1].kind if self._at > begin else "|"
        return (token is None or token.kind not in "|&") and before not in "|&:"

    def _listed(self, place: int) -> bool:
        """Whether the braces that were just read are the type of a list: `{…}[]`, `Array<{…}>`."""
        before = self._read[place - 2].text if place >= 2 and self._read[place - 1].kind == "<" else ""
        return self._kind() == "[" or before in ("Array", "ReadonlyArray")


def _below(member: Member, path: str) -> Member:
    return Member(
        path + "[]" + member.path[len(path) :], member.type, member.start, member.end, member.values, member.optional,
        member.names,
    )  # fmt: skip
