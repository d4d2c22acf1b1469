"""Formula text to a tree of small nodes."""

import re
from dataclasses import dataclass

from .errors import FormulaError
from .refs import Ref, parse_ref

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<number>\d+(?:\.\d+)?|\.\d+)
      | (?P<text>"(?:[^"]|"")*")
      | (?P<broken>\#REF!)
      | (?P<cell>\$?[A-Za-z]{1,3}\$?[1-9][0-9]*(?![A-Za-z0-9_(]))
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<op><=|>=|<>|[-+*/^&=<>%(),:])
    )""",
    re.VERBOSE,
)

COMPARE = ("=", "<>", "<", ">", "<=", ">=")


@dataclass(frozen=True)
class Number:
    value: float


@dataclass(frozen=True)
class Text:
    value: str


@dataclass(frozen=True)
class Cell:
    ref: Ref


@dataclass(frozen=True)
class Area:
    first: Ref
    last: Ref


@dataclass(frozen=True)
class Broken:
    """A reference that was moved off the grid."""


@dataclass(frozen=True)
class Unary:
    op: str
    operand: object


@dataclass(frozen=True)
class Binary:
    op: str
    left: object
    right: object


@dataclass(frozen=True)
class Call:
    name: str
    arguments: tuple


def tokens(text):
    found = []
    text = text.rstrip()
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"unexpected {text[position:].strip()[:1]!r}")
        found.append((match.lastgroup, match.group(match.lastgroup)))
        position = match.end()
    return found


class _Parser:
    def __init__(self, text):
        self.tokens = tokens(text)
        self.at = 0

    def peek(self):
        if self.at < len(self.tokens):
            return self.tokens[self.at]
        return ("end", "")

    def take(self, *operators):
        kind, text = self.peek()
        if kind == "op" and text in operators:
            self.at += 1
            return text
        return None

    def expect(self, operator):
        if self.take(operator) is None:
            raise FormulaError(f"expected {operator!r}")

    def whole(self):
        node = self.comparison()
        if self.peek()[0] != "end":
            raise FormulaError(f"unexpected {self.peek()[1]!r}")
        return node

    def chain(self, operators, below):
        node = below()
        while operator := self.take(*operators):
            node = Binary(operator, node, below())
        return node

    def comparison(self):
        return self.chain(COMPARE, self.joined)

    def joined(self):
        return self.chain(("&",), self.total)

    def total(self):
        return self.chain(("+", "-"), self.product)

    def product(self):
        return self.chain(("*", "/"), self.signed)

    def signed(self):
        if sign := self.take("-", "+"):
            operand = self.signed()
            return Unary("-", operand) if sign == "-" else operand
        return self.power()

    def power(self):
        base = self.percent()
        if self.take("^"):
            return Binary("^", base, self.signed())
        return base

    def percent(self):
        node = self.primary()
        while self.take("%"):
            node = Unary("%", node)
        return node

    def primary(self):
        kind, text = self.peek()
        self.at += 1
        if kind == "number":
            return Number(float(text))
        if kind == "text":
            return Text(text[1:-1].replace('""', '"'))
        if kind == "broken":
            if self.take(":"):
                self.at += 1
            return Broken()
        if kind == "cell":
            return self.reference(parse_ref(text))
        if kind == "name":
            return self.call(text.upper())
        if text == "(":
            node = self.comparison()
            self.expect(")")
            return node
        raise FormulaError(f"unexpected {text!r}" if text else "unexpected end")

    def reference(self, first):
        if not self.take(":"):
            return Cell(first)
        kind, text = self.peek()
        self.at += 1
        if kind == "broken":
            return Broken()
        if kind != "cell":
            raise FormulaError("a range needs two cells")
        return Area(first, parse_ref(text))

    def call(self, name):
        self.expect("(")
        arguments = []
        if not self.take(")"):
            arguments.append(self.comparison())
            while self.take(","):
                arguments.append(self.comparison())
            self.expect(")")
        return Call(name, tuple(arguments))


def parse(text):
    """The tree of a formula, without its leading equals sign."""
    return _Parser(text).whole()


def references(node):
    """Cells and areas of a tree, in reading order."""
    if isinstance(node, (Cell, Area)):
        yield node
    elif isinstance(node, Unary):
        yield from references(node.operand)
    elif isinstance(node, Binary):
        yield from references(node.left)
        yield from references(node.right)
    elif isinstance(node, Call):
        for argument in node.arguments:
            yield from references(argument)


def moved_text(text, columns, rows):
    """Formula text with its relative references moved; spaces go."""
    parts = []
    for kind, piece in tokens(text):
        if kind == "cell":
            ref = parse_ref(piece).moved(columns, rows)
            piece = str(ref) if ref else "#REF!"
        parts.append(piece)
    return "".join(parts)
