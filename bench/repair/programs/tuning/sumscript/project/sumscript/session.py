"""Running of scripts."""

import math
from dataclasses import dataclass

from .errors import EvalError
from .parser import parse

MAX_DEPTH = 60


@dataclass(frozen=True)
class Function:
    """A function that a script has defined."""

    name: str
    params: tuple
    body: tuple
    scope: "Scope"


class Scope:
    """Names and their values, with an outer scope."""

    def __init__(self, outer=None):
        self.names = {}
        self.outer = outer

    def find(self, name):
        """The innermost scope that knows a name, or None."""
        scope = self
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return scope


def _number(value, line):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise EvalError(f"not a number: {show(value)}", line)
    return value


def _whole(value, line):
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise EvalError(f"not a whole number: {show(value)}", line)
    return value


def show(value):
    """A value as a script would write it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, str):
        text = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + text.replace("\n", "\\n").replace("\t", "\\t") + '"'
    if isinstance(value, tuple):
        return "[" + ", ".join(show(item) for item in value) + "]"
    if isinstance(value, Function):
        return f"{value.name}({', '.join(value.params)})"
    return str(value)


def _mean(values):
    return sum(values) / len(values)


_LIST_BUILTINS = {"sum": sum, "min": min, "max": max, "mean": _mean}
_NUMBER_BUILTINS = {"abs": abs, "sqrt": math.sqrt, "floor": math.floor}


class Session:
    """Names and functions that live from one run to the next."""

    def __init__(self, **names):
        self.globals = Scope()
        self.globals.names.update(names)
        self.depth = 0

    def run(self, source):
        """Value of the last statement, None where it has none.

        A script that fails leaves the names as they were before.
        """
        statements = parse(source)
        before = dict(self.globals.names)
        result = None
        try:
            for statement in statements:
                result = self.execute(statement)
        except EvalError:
            self.globals.names = before
            raise
        return result

    def execute(self, node):
        kind = node[0]
        if kind == "let":
            self.globals.names[node[2]] = self.evaluate(node[3], self.globals)
            return None
        if kind == "def":
            _, _, name, params, body = node
            self.globals.names[name] = Function(name, params, body, self.globals)
            return None
        return self.evaluate(node, self.globals)

    def evaluate(self, node, scope):
        """Value of an expression."""
        kind, line = node[:2]
        return getattr(self, "_" + kind)(scope, line, *node[2:])

    def _truth(self, value, line):
        if not isinstance(value, bool):
            raise EvalError(f"not true or false: {show(value)}", line)
        return value

    def _value(self, scope, line, value):
        return value

    def _name(self, scope, line, name):
        home = scope.find(name)
        if home is None:
            raise EvalError(f"unknown name: {name}", line)
        return home.names[name]

    def _list(self, scope, line, items):
        return tuple(self.evaluate(item, scope) for item in items)

    def _if(self, scope, line, condition, chosen, other):
        if self._truth(self.evaluate(condition, scope), line):
            return self.evaluate(chosen, scope)
        return self.evaluate(other, scope)

    def _or(self, scope, line, left, right):
        if self._truth(self.evaluate(left, scope), line):
            return True
        return self._truth(self.evaluate(right, scope), line)

    def _and(self, scope, line, left, right):
        if not self._truth(self.evaluate(left, scope), line):
            return False
        return self._truth(self.evaluate(right, scope), line)

    def _not(self, scope, line, operand):
        return not self._truth(self.evaluate(operand, scope), line)

    def _minus(self, scope, line, operand):
        return -_number(self.evaluate(operand, scope), line)

    def _compare(self, scope, line, left, links):
        value = self.evaluate(left, scope)
        for operator, node in links:
            other = self.evaluate(node, scope)
            if not self._holds(operator, value, other, line):
                return False
            value = other
        return True

    def _holds(self, operator, left, right, line):
        if operator == "==":
            return self._same(left, right)
        if operator == "!=":
            return not self._same(left, right)
        if not (isinstance(left, str) and isinstance(right, str)):
            _number(left, line)
            _number(right, line)
        if operator == "<":
            return left < right
        if operator == "<=":
            return left <= right
        if operator == ">":
            return left > right
        return left >= right

    def _same(self, left, right):
        """Equality in which true is not 1, also inside lists."""
        if isinstance(left, tuple) and isinstance(right, tuple):
            return len(left) == len(right) and all(
                self._same(one, two) for one, two in zip(left, right)
            )
        if isinstance(left, bool) != isinstance(right, bool):
            return False
        return left == right

    def _binary(self, scope, line, operator, left_node, right_node):
        left = self.evaluate(left_node, scope)
        right = self.evaluate(right_node, scope)
        if operator == "+" and type(left) is type(right) and isinstance(
            left, (str, tuple)
        ):
            return left + right
        _number(left, line)
        _number(right, line)
        try:
            if operator == "+":
                return left + right
            if operator == "-":
                return left - right
            if operator == "*":
                return left * right
            if operator == "/":
                return left / right
            if operator == "//":
                return left // right
            if operator == "%":
                return left % right
            if abs(right) > 1000:
                raise EvalError("exponent too large", line)
            result = left ** right
        except ZeroDivisionError:
            raise EvalError("division by zero", line) from None
        except OverflowError:
            raise EvalError("number too large", line) from None
        if isinstance(result, complex):
            raise EvalError("root of a negative number", line)
        return result

    def _index(self, scope, line, target, index):
        items = self.evaluate(target, scope)
        if not isinstance(items, (str, tuple)):
            raise EvalError(f"not a list: {show(items)}", line)
        number = _whole(self.evaluate(index, scope), line)
        if not 1 <= number <= len(items):
            raise EvalError(f"no item {number}", line)
        return items[number - 1]

    def _call(self, scope, line, name, args):
        home = scope.find(name)
        if home is None:
            return self._builtin(line, name, [self.evaluate(a, scope) for a in args])
        function = home.names[name]
        if not isinstance(function, Function):
            raise EvalError(f"not a function: {name}", line)
        if len(args) != len(function.params):
            raise EvalError(
                f"{name} takes {len(function.params)} values, got {len(args)}", line
            )
        inner = Scope(function.scope)
        for param, arg in zip(function.params, args):
            inner.names[param] = self.evaluate(arg, scope)
        if self.depth >= MAX_DEPTH:
            raise EvalError(f"{name} calls itself too often", line)
        self.depth += 1
        try:
            return self.evaluate(function.body, inner)
        finally:
            self.depth -= 1

    def _builtin(self, line, name, values):
        if name in _LIST_BUILTINS:
            if len(values) == 1 and isinstance(values[0], tuple):
                values = values[0]
            for value in values:
                _number(value, line)
            if not values and name != "sum":
                raise EvalError(f"{name} of nothing", line)
            return _LIST_BUILTINS[name](values)
        if name == "len" and len(values) == 1 and isinstance(values[0], (str, tuple)):
            return len(values[0])
        if name == "round" and len(values) in (1, 2):
            return self._round(line, *values)
        if name in _NUMBER_BUILTINS and len(values) == 1:
            number = _number(values[0], line)
            if name == "sqrt" and number < 0:
                raise EvalError("root of a negative number", line)
            return _NUMBER_BUILTINS[name](number)
        if name in _NUMBER_BUILTINS or name in ("len", "round"):
            raise EvalError(f"wrong values for {name}", line)
        raise EvalError(f"unknown function: {name}", line)

    def _round(self, line, value, places=0):
        """Rounds halves away from zero."""
        scale = 10 ** _whole(places, line)
        scaled = math.floor(abs(_number(value, line)) * scale + 0.5) / scale
        return math.copysign(scaled, value) if places else int(math.copysign(scaled, value))
