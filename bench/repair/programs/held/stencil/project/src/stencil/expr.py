"""Expressions: literals, dotted names, ``not``/``and``/``or``, comparison, filters."""

import operator
import re

from .errors import StencilError, TemplateSyntaxError, UndefinedName

_PIECE = re.compile(
    r"\s*(?:(?P<number>-?\d+(?:\.\d+)?)|(?P<text>\"[^\"]*\"|'[^']*')"
    r"|(?P<name>[A-Za-z_]\w*(?:\.\w+)*)|(?P<sign>==|!=|<=|>=|<|>|\||:|,|\(|\)))"
)
_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_CONSTANTS = {"true": True, "false": False, "none": None}
_WORDS = {"and", "or", "not"}


class Expression:
    """Parsed once, evaluated with ``expression(scope, filters)``."""

    def __init__(self, source, line):
        self._line = line
        self._pieces = list(self._split(source))
        self._index = 0
        self._run = self._either()
        if self._index < len(self._pieces):
            self._fail(f"unexpected {self._peek()[1]!r}")

    def __call__(self, scope, filters):
        return self._run(scope, filters)

    def _split(self, source):
        position = 0
        source = source.rstrip()
        while position < len(source):
            match = _PIECE.match(source, position)
            if match is None:
                self._fail(f"cannot read {source[position:].strip()!r}")
            yield match.lastgroup, match.group(match.lastgroup)
            position = match.end()

    def _fail(self, message):
        raise TemplateSyntaxError(message, self._line)

    def _peek(self):
        if self._index < len(self._pieces):
            return self._pieces[self._index]
        return (None, None)

    def _take(self, *wanted):
        value = self._peek()[1]
        if value in wanted and self._peek()[0] in ("name", "sign"):
            self._index += 1
            return value
        return None

    def _either(self):
        return self._chain("or", self._both, stop=True)

    def _both(self):
        return self._chain("and", self._negation, stop=False)

    def _chain(self, word, operand, stop):
        """Operands joined by a word; the first one of that truth is the value."""
        parts = [operand()]
        while self._take(word):
            parts.append(operand())

        def run(scope, filters):
            for part in parts:
                value = part(scope, filters)
                if bool(value) is stop:
                    break
            return value

        return run

    def _negation(self):
        if self._take("not"):
            inner = self._negation()
            return lambda scope, filters: not inner(scope, filters)
        return self._comparison()

    def _comparison(self):
        left = self._filtered()
        sign = self._take(*_COMPARE)
        if sign is None:
            return left
        right = self._filtered()
        compare = _COMPARE[sign]
        return lambda scope, filters: compare(left(scope, filters), right(scope, filters))

    def _filtered(self):
        run = self._atom()
        while self._take("|"):
            kind, name = self._peek()
            if kind != "name":
                self._fail("a filter name must follow |")
            self._index += 1
            arguments = []
            if self._take(":"):
                arguments.append(self._atom())
                while self._take(","):
                    arguments.append(self._atom())
            run = _filtering(run, name, arguments)
        return run

    def _atom(self):
        kind, value = self._peek()
        self._index += 1
        if kind == "number":
            number = float(value) if "." in value else int(value)
            return lambda scope, filters: number
        if kind == "text":
            return lambda scope, filters: value[1:-1]
        if value == "(":
            inner = self._either()
            if not self._take(")"):
                self._fail("missing )")
            return inner
        if kind == "name" and value in _CONSTANTS:
            return lambda scope, filters: _CONSTANTS[value]
        if kind == "name" and value not in _WORDS:
            path = value.split(".")
            return lambda scope, filters: lookup(scope, path)
        self._fail("an expression is missing" if value is None else f"unexpected {value!r}")


def _filtering(inner, name, arguments):
    def run(scope, filters):
        if name not in filters:
            raise StencilError(f"no filter named {name!r}")
        values = [argument(scope, filters) for argument in arguments]
        return filters[name](inner(scope, filters), *values)

    return run


def lookup(scope, path):
    """Follow a dotted path; an unknown first name is an error, the rest gives None."""
    name, *rest = path
    try:
        value = scope.get(name)
    except KeyError:
        raise UndefinedName(f"{name!r} is not defined") from None
    for step in rest:
        if isinstance(value, dict):
            value = value.get(step)
        elif step.isdigit() and isinstance(value, (list, tuple)):
            value = value[int(step)] if int(step) < len(value) else None
        elif step.startswith("_"):
            raise StencilError(f"{step!r} is private")
        else:
            value = getattr(value, step, None)
    return value
