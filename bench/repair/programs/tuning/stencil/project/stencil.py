"""A small template engine: variables, filters, conditions, loops, includes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any


class TemplateError(Exception):
    """Something is wrong with a template; ``line`` says where."""

    def __init__(self, line: int, message: str):
        super().__init__(f"line {line}: {message}")
        self.line = line


class _Missing:
    """What a name stands for that has no value."""

    def __bool__(self) -> bool:
        return False

    def __str__(self) -> str:
        return ""

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


class Raw(str):
    """Text that is markup already and must not be escaped."""


def escape(value: Any) -> Raw:
    if isinstance(value, Raw):
        return value
    text = str(value)
    text = text.replace("&", "&amp;")
    text = text.replace("<", "&lt;")
    text = text.replace(">", "&gt;")
    text = text.replace('"', "&quot;")
    return Raw(text)


# --- filters -------------------------------------------------------------------------------

FILTERS: dict[str, Callable[..., Any]] = {}


def register(name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        FILTERS[name] = function
        return function

    return decorate


FILTERS.update(
    upper=lambda value: str(value).upper(),
    lower=lambda value: str(value).lower(),
    title=lambda value: str(value).title(),
    trim=lambda value: str(value).strip(),
    length=lambda value: len(list(value)),
    raw=lambda value: Raw(value),
    escape=escape,
)


@register("default")
def _default(value: Any, fallback: Any = "") -> Any:
    return fallback if value is MISSING or value is None else value


@register("join")
def _join(value: Any, separator: str = ", ") -> str:
    return separator.join(str(item) for item in value)


@register("truncate")
def _truncate(value: Any, width: int = 20, mark: str = "...") -> str:
    text = str(value)
    if len(text) <= width:
        return text
    return text[: max(width - len(mark), 0)].rstrip() + mark


@register("number")
def _number(value: Any, digits: int = 0) -> str:
    return f"{value:,.{digits}f}"


# --- splitting the text --------------------------------------------------------------------

_TOKEN = re.compile(r"\{\{(-?)(.*?)(-?)\}\}|\{%(-?)(.*?)(-?)%\}|\{#(-?)(.*?)(-?)#\}", re.DOTALL)


def tokens(source: str) -> list[tuple[str, str, int]]:
    """The pieces of a template: (kind, content, line); remarks are left out."""
    found: list[tuple[str, str, int]] = []
    position, line = 0, 1
    strip_next = False
    for match in _TOKEN.finditer(source):
        text = source[position:match.start()]
        groups = [g for g in match.groups() if g is not None]
        before, content, after = groups
        line_of_tag = line + text.count("\n")
        if strip_next:
            text = text.lstrip()
        if before:
            text = text.rstrip()
        if text:
            found.append(("text", text, line))
        kind = {"{": "value", "%": "tag", "#": "remark"}[match.group()[1]]
        if kind != "remark":
            found.append((kind, content.strip(), line_of_tag))
        line = line_of_tag + match.group().count("\n")
        position = match.end()
        strip_next = bool(after)
    text = source[position:]
    if strip_next:
        text = text.lstrip()
    if text:
        found.append(("text", text, line))
    return found


# --- expressions ---------------------------------------------------------------------------

_WORD = re.compile(r"""\s*("[^"]*"|'[^']*'|\d+\.\d+|\d+|[A-Za-z_][\w.]*|==|!=|<=|>=|[<>|():,])""")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
}

Evaluator = Callable[["Scope"], Any]


class Expression:
    """Parses one expression into a function of the scope.

    or < and < not < comparison < filters < names and constants
    """

    def __init__(self, text: str, line: int):
        self.line = line
        self.words: list[str] = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = _WORD.match(text, position)
            if match is None:
                raise TemplateError(line, f"cannot read {text[position:].strip()!r}")
            self.words.append(match.group(1))
            position = match.end()
        self.place = 0

    def parse(self) -> Evaluator:
        result = self._or()
        if self.place < len(self.words):
            raise TemplateError(self.line, f"unexpected {self.words[self.place]!r}")
        return result

    def _peek(self) -> str:
        return self.words[self.place] if self.place < len(self.words) else ""

    def _take(self) -> str:
        word = self._peek()
        if not word:
            raise TemplateError(self.line, "expression ends too early")
        self.place += 1
        return word

    def _or(self) -> Evaluator:
        left = self._and()
        while self._peek() == "or":
            self._take()
            left = (lambda a, b: lambda scope: a(scope) or b(scope))(left, self._and())
        return left

    def _and(self) -> Evaluator:
        left = self._not()
        while self._peek() == "and":
            self._take()
            left = (lambda a, b: lambda scope: a(scope) and b(scope))(left, self._not())
        return left

    def _not(self) -> Evaluator:
        if self._peek() == "not":
            self._take()
            inner = self._not()
            return lambda scope: not inner(scope)
        return self._comparison()

    def _comparison(self) -> Evaluator:
        left = self._filtered()
        operator = self._peek()
        if operator in _COMPARE:
            self._take()
            right = self._filtered()
            test = _COMPARE[operator]
            return lambda scope: test(left(scope), right(scope))
        return left

    def _filtered(self) -> Evaluator:
        value = self._atom()
        while self._peek() == "|":
            self._take()
            name = self._take()
            if name not in FILTERS:
                raise TemplateError(self.line, f"no filter {name!r}")
            arguments: list[Evaluator] = []
            if self._peek() == ":":
                self._take()
                arguments.append(self._atom())
                while self._peek() == ",":
                    self._take()
                    arguments.append(self._atom())
            value = self._apply(FILTERS[name], value, arguments)
        return value

    @staticmethod
    def _apply(function: Callable[..., Any], value: Evaluator, arguments: list[Evaluator]) -> Evaluator:
        return lambda scope: function(value(scope), *(argument(scope) for argument in arguments))

    def _atom(self) -> Evaluator:
        word = self._take()
        if word == "(":
            inner = self._or()
            if self._take() != ")":
                raise TemplateError(self.line, "bracket not closed")
            return inner
        if word[0] in "\"'":
            return lambda scope: word[1:-1]
        if word[0].isdigit():
            number = float(word) if "." in word else int(word)
            return lambda scope: number
        if word in ("true", "false"):
            return lambda scope: word == "true"
        if not (word[0].isalpha() or word[0] == "_"):
            raise TemplateError(self.line, f"unexpected {word!r}")
        first, *rest = word.split(".")
        return lambda scope: _descend(scope.get(first), rest)


def _descend(value: Any, names: list[str]) -> Any:
    for name in names:
        if isinstance(value, Mapping):
            value = value.get(name, MISSING)
        elif isinstance(value, (list, tuple)) and name.isdigit():
            value = value[int(name)] if int(name) < len(value) else MISSING
        else:
            value = MISSING if name.startswith("_") else getattr(value, name, MISSING)
    return value


# --- rendering -----------------------------------------------------------------------------


class Scope:
    """Names and their values; inner frames hide outer ones."""

    def __init__(self, values: Mapping[str, Any]):
        self.frames: list[dict[str, Any]] = [dict(values)]

    def get(self, name: str) -> Any:
        for frame in reversed(self.frames):
            if name in frame:
                return frame[name]
        return MISSING

    def set(self, name: str, value: Any) -> None:
        self.frames[-1][name] = value

    def push(self) -> None:
        self.frames.append({})

    def pop(self) -> None:
        self.frames.pop()


class Loop:
    """What ``loop`` stands for inside a for tag."""

    def __init__(self, index: int, length: int):
        self.index = index + 1
        self.first = index == 0
        self.last = index == length - 1
        self.length = length


Node = Callable[[Scope], Iterator[str]]
_FOR = re.compile(r"for\s+([A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*)\s+in\s+(.+)", re.DOTALL)
_SET = re.compile(r"set\s+([A-Za-z_]\w*)\s*=\s*(.+)", re.DOTALL)
_INCLUDE = re.compile(r"""include\s+(?:"([^"]+)"|'([^']+)')""")


class Template:
    def __init__(self, source: str, library: Mapping[str, str] | None = None):
        self.library = library if library is not None else {}
        self._tokens = tokens(source)
        self._place = 0
        self._nodes, stop, line = self._block(())
        assert not stop

    def render(self, **values: Any) -> str:
        return "".join(self._run(self._nodes, Scope(values)))

    @staticmethod
    def _run(nodes: list[Node], scope: Scope) -> Iterator[str]:
        for node in nodes:
            yield from node(scope)

    def _block(self, stops: tuple[str, ...], opened: int = 0) -> tuple[list[Node], str, int]:
        """Nodes up to a tag that begins with one of ``stops``; that tag and its line."""
        nodes: list[Node] = []
        while self._place < len(self._tokens):
            kind, content, line = self._tokens[self._place]
            self._place += 1
            if kind == "text":
                nodes.append(self._text(content))
            elif kind == "value":
                nodes.append(self._value(Expression(content, line).parse()))
            else:
                word = content.split(None, 1)[0] if content else ""
                if word in stops:
                    return nodes, content, line
                nodes.append(self._tag(word, content, line))
        if stops:
            raise TemplateError(opened, "tag is never ended")
        return nodes, "", 0

    def _text(self, content: str) -> Node:
        return lambda scope: iter((content,))

    def _value(self, evaluate: Evaluator) -> Node:
        return lambda scope: iter((escape(evaluate(scope)),))

    def _tag(self, word: str, content: str, line: int) -> Node:
        if word == "if":
            return self._if(content[len("if"):], line)
        if word == "for":
            return self._for(content, line)
        if word == "set":
            return self._set(content, line)
        if word == "include":
            return self._include(content, line)
        raise TemplateError(line, f"unknown tag {word!r}")

    def _if(self, condition: str, line: int) -> Node:
        branches: list[tuple[Evaluator, list[Node]]] = []
        otherwise: list[Node] = []
        test = Expression(condition, line).parse()
        while True:
            body, stop, stop_line = self._block(("elif", "else", "end"), line)
            branches.append((test, body))
            if not stop.startswith("elif"):
                break
            test = Expression(stop[len("elif"):], stop_line).parse()
        if stop == "else":
            otherwise, stop, _ = self._block(("end",), line)

        def run(scope: Scope) -> Iterator[str]:
            for test, body in branches:
                if test(scope):
                    yield from self._run(body, scope)
                    return
            yield from self._run(otherwise, scope)

        return run

    def _for(self, content: str, line: int) -> Node:
        match = _FOR.fullmatch(content)
        if match is None:
            raise TemplateError(line, "for needs NAME in VALUE")
        names = [name.strip() for name in match.group(1).split(",")]
        values = Expression(match.group(2), line).parse()
        body, stop, _ = self._block(("else", "end"), line)
        otherwise: list[Node] = []
        if stop == "else":
            otherwise, _, _ = self._block(("end",), line)

        def run(scope: Scope) -> Iterator[str]:
            items = list(values(scope))
            for index, item in enumerate(items):
                scope.push()
                scope.set("loop", Loop(index, len(items)))
                if len(names) == 1:
                    scope.set(names[0], item)
                else:
                    for name, part in zip(names, item, strict=True):
                        scope.set(name, part)
                yield from self._run(body, scope)
                scope.pop()
            if not items:
                yield from self._run(otherwise, scope)

        return run

    def _set(self, content: str, line: int) -> Node:
        match = _SET.fullmatch(content)
        if match is None:
            raise TemplateError(line, "set needs NAME = VALUE")
        name = match.group(1)
        evaluate = Expression(match.group(2), line).parse()

        def run(scope: Scope) -> Iterator[str]:
            scope.set(name, evaluate(scope))
            return iter(())

        return run

    def _include(self, content: str, line: int) -> Node:
        match = _INCLUDE.fullmatch(content)
        if match is None:
            raise TemplateError(line, "include needs a name in quotes")
        name = match.group(1) or match.group(2)

        def run(scope: Scope) -> Iterator[str]:
            if name not in self.library:
                raise TemplateError(line, f"no template {name!r}")
            part = Template(self.library[name], self.library)
            scope.push()
            yield from self._run(part._nodes, scope)
            scope.pop()

        return run
