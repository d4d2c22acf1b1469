"""The built-in functions.

A plain function gets evaluated arguments: scalars, or lists for ranges.  A
lazy one gets the nodes and a callable that evaluates one of them.
"""

import math

from .errors import DIV0, VALUE, CellError

def number(value):
    """A scalar as a number; blank cells count as nothing."""
    if value is None:
        return 0.0
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return float(value)
    try:
        return float(value)
    except ValueError:
        raise CellError(VALUE) from None


def text(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value)


def truth(value):
    if isinstance(value, str):
        raise CellError(VALUE)
    return bool(value)


def numbers(arguments):
    """Numbers among the arguments; in ranges, text and blanks do not count."""
    found = []
    for argument in arguments:
        if isinstance(argument, list):
            for value in argument:
                if isinstance(value, CellError):
                    raise value
                if isinstance(value, float):
                    found.append(value)
        else:
            found.append(number(argument))
    return found


def _average(*arguments):
    found = numbers(arguments)
    if not found:
        raise CellError(DIV0)
    return math.fsum(found) / len(found)


def _if(evaluate, condition, then, otherwise=None):
    if truth(evaluate(condition)):
        return evaluate(then)
    return evaluate(otherwise) if otherwise is not None else False


PLAIN = {
    "SUM": lambda *arguments: math.fsum(numbers(arguments)),
    "COUNT": lambda *arguments: float(len(numbers(arguments))),
    "MIN": lambda *arguments: min(numbers(arguments), default=0.0),
    "MAX": lambda *arguments: max(numbers(arguments), default=0.0),
    "AVERAGE": _average,
}
LAZY = {"IF": _if}
