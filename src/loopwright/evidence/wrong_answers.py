"""Tests that expect something else than they do: a test that passes all the same proves nothing. Pure."""

import ast
import json
import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from loopwright.evidence.results import split_key


class WrongAnswers(NamedTuple):
    """The text of a test file in which these tests must fail."""

    text: bytes
    tests: tuple[str, ...]


class _Edit(NamedTuple):
    """`start` and `end`: places among the bytes."""

    start: int
    end: int
    text: bytes


def expect_otherwise(file: str, text: bytes, tests: Collection[str], step: int) -> WrongAnswers | None:
    """With another value wherever one of the tests (by key) is sure to compare for equality, in JavaScript with a
    literal: a number that is `step` away, not 0, or a text with another character. Nobody can tell by the value that it
    is the wrong one.
    """
    find = _python_edits if file.endswith(".py") else _javascript_edits if _JAVASCRIPT.search(file) else None
    if find is None:
        return None
    edits: list[_Edit] = []
    asked = []
    for key in tests:
        if found := list(find(file, text, key, step)):
            edits += found
            asked.append(key)
    for edit in sorted(set(edits), reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return WrongAnswers(text, tuple(asked)) if asked else None


_ASSERTS = frozenset({"assertEqual", "assertEquals", "assertListEqual", "assertDictEqual", "assertTupleEqual"})


def _python_edits(file: str, text: bytes, key: str, step: int) -> Iterator[_Edit]:
    """Only statements of the test's own body: what stands in a branch may never be run."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    starts = [0, *(found.end() for found in re.finditer(rb"\r\n|\r|\n", text))]
    for inside, function in _functions(tree):
        if (inside, function.name) != function_of(key.partition("[")[0]):
            continue
        for statement in function.body:
            if isinstance(statement, ast.Return | ast.If | ast.Try | ast.While):
                break
            expected = _expected(statement)
            if expected is not None and expected.end_lineno and expected.end_col_offset is not None:
                first = starts[expected.lineno - 1] + expected.col_offset
                end = starts[expected.end_lineno - 1] + expected.end_col_offset
                yield _Edit(first, end, _otherwise(expected, text[first:end], step))


def _otherwise(expected: ast.expr, written: bytes, step: int) -> bytes:
    if isinstance(expected, ast.Constant) and isinstance(expected.value, int | float | str):
        return repr(_other(expected.value, step)).encode()
    return _ANOTHER % (step, step, written)


_ANOTHER = (
    b"(lambda v: v + %d if isinstance(v, (int, float)) and v + %d != v else v + 'e' if isinstance(v, str) else [v])(%s)"
)
"""Another value than that of an expression, whatever it is."""


def function_of(key: str) -> tuple[str, str]:
    """Class, empty where there is none, and function."""
    suite, name = split_key(key)
    last = suite.rpartition("::")[2] if "::" in suite else suite.rpartition(".")[2]
    return ("" if last == "py" or "/" in last else last), name


def _functions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    for node in tree.body:
        inside = node.body if isinstance(node, ast.ClassDef) else [node]
        for one in inside:
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node.name if isinstance(node, ast.ClassDef) else "", one


def _expected(statement: ast.stmt) -> ast.expr | None:
    """What the statement compares something with: a literal, or else what stands on the right."""
    match statement:
        case ast.Assert(test=ast.Compare(left=left, ops=[ast.Eq()], comparators=[right])):
            sides = (left, right)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=name), args=[left, right, *_])) if name in _ASSERTS:
            sides = (left, right)
        case _:
            return None
    if any("approx" in ast.dump(side) for side in sides):  # what is near may be as good
        return None
    literals = [one for one in sides if isinstance(one, ast.Constant) and isinstance(one.value, int | float | str)]
    return literals[0] if len(literals) == 1 else right


def _other(value: object, step: int) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + step
        case str():
            place = step % max(len(value), 1)
            return value[:place] + ("e" if value[place : place + 1] != "e" else "a") + value[place + 1 :]
    raise TypeError(value)


_JAVASCRIPT = re.compile(r"\.[cm]?[jt]sx?$")
_TITLE = re.compile(rb"\b(?:test|it)(?:\.only)?\s*\(\s*(['\"`])(.*?)\1\s*,")
_COMPARISON = re.compile(
    rb"(?:\b(?:same|equal|equals|strictEqual|deepEqual|deepStrictEqual|is)"
    rb"\((?:[^;\n'\"(),]|\((?:[^()\n]|\([^()\n]*\))*\))+,|\.(?:toBe|toEqual|toStrictEqual)\()"
    rb"\s*(-?(?:0|[1-9]\d*)(?:\.\d+)?)\s*(?:,|\)\s*(?=[;\n)]|$))"
)
"""The first argument may hold calls, and is one: a number within it is none that is expected."""
_BRANCH = re.compile(rb"\b(?:if|catch|return|while|switch)\b|\?")


def _javascript_edits(file: str, text: bytes, key: str, step: int) -> Iterator[_Edit]:
    """Numbers that a test's text, up to the first branch in it, compares something with."""
    name = split_key(key)[1].rpartition(" > ")[2].encode()
    titles = list(_TITLE.finditer(text))
    for number, title in enumerate(titles):
        if title[2] != name:
            continue
        end = titles[number + 1].start() if number + 1 < len(titles) else len(text)
        branch = _BRANCH.search(text, title.end(), end)
        for found in _COMPARISON.finditer(text, title.end(), branch.start() if branch else end):
            yield _Edit(*found.span(1), repr(_other(json.loads(found[1]), step)).encode())
