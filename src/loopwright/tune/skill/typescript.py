"""TypeScript interfaces and types, as authors use them to say the shape of a state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.shapes import Token
from loopwright.tune.skill.shapes import tokens as tokens_of

_DECLARES = re.compile(r"(?<![\w.])(?:interface|type)\s+([A-Za-z_$][\w$]*)")
_OPENS = frozenset("{[(<")
_CLOSES = frozenset("}])>")
DEPTH = 12


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
        reader = _Reader(text, [t for t in tokens_of(text, found.end(), end) if t.kind != "#"])
        one = reader.alias(found[1], found.start()) if text.startswith("type", found.start()) else None
        one = one or reader.interface(found[1], found.start())
        at = max(found.end(), one.end if one else 0)
        if one is not None:
            yield one


@dataclass(slots=True)
class _Reader:
    text: str
    tokens: list[Token]
    at: int = 0
    open: bool = False

    def _peek(self) -> Token | None:
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def _skip(self, kinds: str) -> None:
        while self.at < len(self.tokens) and self.tokens[self.at].kind in kinds:
            self.at += 1

    def alias(self, name: str, start: int) -> Declared | None:
        """`type X = 'a' | 'b'`; None where it is an object, which reads like an interface."""
        self._skip("n")
        if (token := self._peek()) is None or token.kind != "=":
            return None
        self.at += 1
        begin = self.at
        while self.at < len(self.tokens) and self.tokens[self.at].kind in "ns|":
            self.at += 1
        strings = tuple(t.text[1:-1] for t in self.tokens[begin : self.at] if t.kind == "s")
        if len(strings) < 1 or ((token := self._peek()) is not None and token.kind in "{<"):
            self.at = begin
            return None
        return Declared(name, start, self.tokens[self.at - 1].end, (), strings)

    def interface(self, name: str, start: int) -> Declared | None:
        extends: list[str] = []
        for _ in range(40):
            if (token := self._peek()) is None or token.kind == ";":
                return None
            if token.kind == "{":
                break
            if token.kind == "w" and token.text not in ("extends", "Record", "Partial"):
                extends.append(token.text)
            self.at += 1
        else:
            return None
        members = list(self._members("", 0))
        end = self.tokens[min(self.at, len(self.tokens)) - 1].end
        return Declared(name, start, end, tuple(members), (), self.open, tuple(extends))

    def _members(self, prefix: str, depth: int) -> Iterator[Member]:
        """Those of the brace at which the reading stands; it stands behind its end after."""
        self.at += 1
        while (token := self._peek()) is not None:
            if token.kind == "}":
                self.at += 1
                return
            if token.kind in ("[",):
                self.open = self.open or depth == 0
                self._type(prefix, depth + DEPTH)
                continue
            if token.kind not in "sw" or token.text == "readonly":
                self.at += 1
                continue
            self.at += 1
            key = token.text[1:-1] if token.kind == "s" else token.text
            optional = (mark := self._peek()) is not None and mark.kind == "?"
            self.at += optional
            if (mark := self._peek()) is None or mark.kind != ":":
                self._type(prefix, depth + DEPTH)
                continue
            self.at += 1
            path = f"{prefix}.{key}" if prefix else key
            inner, text, values, names = self._type(path, depth + 1)
            yield Member(path, text, token.start, token.end, values, optional, names)
            yield from inner

    def _type(self, path: str, depth: int) -> tuple[list[Member], str, tuple[str, ...], tuple[str, ...]]:
        """Reads a type to the end of its member: members of braces in it, its text, literals, names."""
        inner: list[Member] = []
        level = 0
        begin = self.at
        mapped = False
        names: list[str] = []
        while (token := self._peek()) is not None:
            if level == 0 and (token.kind in ";,}" or (token.kind == "n" and self._ends(begin))):
                break
            if token.kind == "{" and depth < DEPTH and not mapped:
                place = self.at
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
            self.at += 1
        own = self.tokens[begin : self.at]
        text = " ".join(t.text for t in own[:60] if t.kind != "n")[:120]
        kinds = [t for t in own if t.kind not in "n|"]
        strings = [t.text[1:-1] for t in kinds if t.kind == "s"]
        plain = strings and all(t.kind == "s" or t.text in ("null", "undefined") for t in kinds)
        if (token := self._peek()) is not None and token.kind in ";,":
            self.at += 1
        return inner, text, tuple(strings) if plain else (), tuple(names)

    def _ends(self, begin: int) -> bool:
        """Whether the line end at which the reading stands ends the type: nothing goes on before or behind it."""
        at = self.at + 1
        while at < len(self.tokens) and self.tokens[at].kind == "n":
            at += 1
        behind = self.tokens[at].kind if at < len(self.tokens) else "}"
        before = self.tokens[self.at - 1].kind if self.at > begin else "|"
        return behind not in "|&" and before not in "|&:"

    def _listed(self, place: int) -> bool:
        """Whether the braces that were just read are the type of a list: `{…}[]`, `Array<{…}>`."""
        after = self.tokens[self.at].kind if self.at < len(self.tokens) else ""
        before = self.tokens[place - 2].text if place >= 2 and self.tokens[place - 1].kind == "<" else ""
        return (after == "[") or before in ("Array", "ReadonlyArray")


def _below(member: Member, path: str) -> Member:
    return Member(
        path + "[]" + member.path[len(path) :], member.type, member.start, member.end, member.values, member.optional,
        member.names,
    )  # fmt: skip
