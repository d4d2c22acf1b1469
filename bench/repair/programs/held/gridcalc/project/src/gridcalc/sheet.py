"""The sheet: raw texts, formulas, values and who depends on whom."""

from . import parser
from .errors import CYCLE, DIV0, NAME, REF, VALUE, CellError
from .functions import LAZY, PLAIN, number, text
from .refs import expand, name_of, parse_ref


class Sheet:
    def __init__(self):
        self._raw = {}
        self._trees = {}
        self._values = {}
        self._needs = {}
        self._needed_by = {}
        self._busy = set()

    # -- writing -----------------------------------------------------------

    def set(self, address, raw):
        """Put text into a cell; empty text clears it."""
        self._put(parse_ref(address).key, raw)

    def clear(self, address):
        self.set(address, "")

    def _put(self, key, raw):
        tree = parser.parse(raw[1:]) if raw.startswith("=") else None
        self._forget_needs(key)
        self._trees.pop(key, None)
        self._raw.pop(key, None)
        if raw != "":
            self._raw[key] = raw
        if tree is not None:
            self._trees[key] = tree
            self._note_needs(key, tree)
        self._invalidate(key)

    def _note_needs(self, key, tree):
        needs = set()
        for node in parser.references(tree):
            if isinstance(node, parser.Cell):
                needs.add(node.ref.key)
            else:
                needs.update(expand(node.first, node.last))
        self._needs[key] = needs
        for need in needs:
            self._needed_by.setdefault(need, set()).add(key)

    def _forget_needs(self, key):
        for need in self._needs.pop(key, ()):
            self._needed_by[need].discard(key)

    def _invalidate(self, key):
        waiting = [key]
        seen = set()
        while waiting:
            current = waiting.pop()
            if current in seen:
                continue
            seen.add(current)
            self._values.pop(current, None)
            waiting.extend(self._needed_by.get(current, ()))

    def copy(self, source, target):
        """Copy a cell; relative references of a formula move along."""
        start = parse_ref(source).key
        end = parse_ref(target).key
        raw = self._raw.get(start, "")
        if start in self._trees:
            columns, rows = end[0] - start[0], end[1] - start[1]
            raw = "=" + parser.moved_text(raw[1:], columns, rows)
        self._put(end, raw)

    # -- reading -----------------------------------------------------------

    def raw(self, address):
        return self._raw.get(parse_ref(address).key, "")

    def get(self, address):
        """The value of a cell; an error comes back as a CellError object."""
        return self._value(parse_ref(address).key)

    def show(self, address):
        value = self.get(address)
        return value.code if isinstance(value, CellError) else text(value)

    def dependents(self, address):
        """Names of the cells whose formula mentions this one directly."""
        found = self._needed_by.get(parse_ref(address).key, ())
        return [name_of(key) for key in sorted(found)]

    def rows(self):
        """The used rectangle from A1 as rows of shown texts."""
        if not self._raw:
            return []
        width = max(column for column, _ in self._raw)
        height = max(row for _, row in self._raw)
        return [
            [self.show(name_of((column, row))) for column in range(1, width + 1)]
            for row in range(1, height + 1)
        ]

    # -- computing ---------------------------------------------------------

    def _value(self, key):
        if key in self._values:
            return self._values[key]
        if key in self._busy:
            return CellError(CYCLE)
        tree = self._trees.get(key)
        if tree is None:
            value = _constant(self._raw.get(key))
        else:
            self._busy.add(key)
            try:
                value = self._evaluate(tree)
            except CellError as error:
                value = error
            finally:
                self._busy.discard(key)
            if self._busy and value == CellError(CYCLE):
                return value
        self._values[key] = value
        return value

    def _evaluate(self, node):
        value = self._evaluate_any(node)
        if isinstance(value, list):
            raise CellError(VALUE)
        return value

    def _evaluate_any(self, node):
        """Like _evaluate, but a range gives the list of its values."""
        if isinstance(node, (parser.Number, parser.Text)):
            return node.value
        if isinstance(node, parser.Broken):
            raise CellError(REF)
        if isinstance(node, parser.Cell):
            value = self._value(node.ref.key)
            if isinstance(value, CellError):
                raise value
            return value
        if isinstance(node, parser.Area):
            return [self._value(key) for key in expand(node.first, node.last)]
        if isinstance(node, parser.Unary):
            value = number(self._evaluate(node.operand))
            return -value if node.op == "-" else value / 100.0
        if isinstance(node, parser.Binary):
            left = self._evaluate(node.left)
            right = self._evaluate(node.right)
            return _combine(node.op, left, right)
        return self._call(node)

    def _call(self, node):
        try:
            if node.name in LAZY:
                return LAZY[node.name](self._evaluate, *node.arguments)
            if node.name not in PLAIN:
                raise CellError(NAME)
            arguments = [self._evaluate_any(item) for item in node.arguments]
            return PLAIN[node.name](*arguments)
        except TypeError:
            raise CellError(VALUE) from None


def _constant(raw):
    if raw is None:
        return None
    if raw.upper() in ("TRUE", "FALSE"):
        return raw.upper() == "TRUE"
    if raw.startswith("'"):
        return raw[1:]
    try:
        return float(raw)
    except ValueError:
        return raw


def _combine(op, left, right):
    if op == "&":
        return text(left) + text(right)
    if op in parser.COMPARE:
        return _compare(op, left, right)
    a, b = number(left), number(right)
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/":
        if b == 0:
            raise CellError(DIV0)
        return a / b
    try:
        result = a**b
    except (ZeroDivisionError, OverflowError):
        raise CellError(DIV0) from None
    if isinstance(result, complex):
        raise CellError(VALUE)
    return result


def _compare(op, left, right):
    """Text compares without case; a blank is like an empty neighbour."""
    if left is None:
        left = "" if isinstance(right, str) else 0.0
    if right is None:
        right = "" if isinstance(left, str) else 0.0
    if isinstance(left, str) and isinstance(right, str):
        left, right = left.casefold(), right.casefold()
    elif isinstance(left, str) or isinstance(right, str):
        # numbers sort before every text
        left, right = isinstance(left, str), isinstance(right, str)
    return {
        "=": left == right,
        "<>": left != right,
        "<": left < right,
        ">": left > right,
        "<=": left <= right,
        ">=": left >= right,
    }[op]
