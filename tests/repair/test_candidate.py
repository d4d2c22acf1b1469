"""From an edit to code: what is swapped in a loaded program, what needs a fresh import, what is the same."""

from types import CodeType, FunctionType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.candidate import Candidate, Compiler
from loopwright.repair.edits.site import Edit
from loopwright.repair.localize import SuspectLocation
from loopwright.repair.source import SourceText

PROGRAM = '''"""A program."""
from __future__ import annotations

LIMIT = 10


def outer(a):
    def inner(b):
        return a + b

    return inner


class Thing:
    factor = 2

    def __times(self, n):
        return n * self.factor

    def twice(self, n):
        return self.__times(n)


pair = (lambda x: x + 1, lambda x: x + 2)


def header(n=LIMIT):
    return n
'''


def location_at(source: SourceText, line: int) -> SuspectLocation:
    statement = source.by_line[line]
    return SuspectLocation(
        source.path, line, source.qualname(statement), "", 1.0, frozenset(), frozenset(), statement, source
    )


def candidate(old: str, new: str) -> Candidate | None:
    source = SourceText("program.py", PROGRAM)
    start = PROGRAM.index(old)
    edit = Edit(start, start + len(old), new, 1.0, "")
    line = PROGRAM[:start].count("\n") + 1
    return Compiler(source, "program.py").candidate(location_at(source, line), "test", edit)


def loaded() -> dict[str, object]:
    namespace: dict[str, object] = {"__name__": "program"}
    exec(compile(PROGRAM, "program.py", "exec"), namespace)
    return namespace


def swap(function: object, found: Candidate) -> None:
    assert isinstance(function, FunctionType)
    codes: dict[str, CodeType] = {name: code for (name, _), code in found.swaps}
    function.__code__ = codes[function.__code__.co_qualname]


def test_a_closure_is_swapped_whether_it_lives_already_or_not() -> None:
    found = candidate("a + b", "a - b")
    assert found is not None
    assert [key for key, _ in found.swaps] == [("outer", 7), ("outer.<locals>.inner", 8)]
    program = loaded()
    outer = program["outer"]
    assert isinstance(outer, FunctionType)
    living = outer(5)
    swap(living, found)
    swap(outer, found)
    assert living(3) == 2
    assert outer(5)(3) == 2


def test_private_names_keep_their_class() -> None:
    found = candidate("self.__times(n)", "self.__times(n + 1)")
    assert found is not None
    program = loaded()
    thing = program["Thing"]
    assert isinstance(thing, type)
    swap(thing.__dict__["twice"], found)
    assert thing().twice(3) == 8


@pytest.mark.parametrize(
    ("old", "new"), [("LIMIT = 10", "LIMIT = 11"), ("factor = 2", "factor = 3"), ("n=LIMIT", "n=None")]
)
def test_what_runs_at_import_needs_a_fresh_import(old: str, new: str) -> None:
    found = candidate(old, new)
    assert found is not None
    assert found.swaps == ()


def test_two_lambdas_on_one_line_are_not_told_apart() -> None:
    found = candidate("x + 2", "x + 3")
    assert found is not None
    assert found.swaps == ()


@pytest.mark.parametrize(("old", "new"), [("a + b", "(a + b)"), ("a + b", "a  +  b"), ("return n\n", "return (n)\n")])
def test_what_changes_nothing_is_no_candidate(old: str, new: str) -> None:
    assert candidate(old, new) is None


@pytest.mark.parametrize("new", ["a +", "return", "a + b)", "yield = 3"])
def test_what_does_not_compile_is_no_candidate(new: str) -> None:
    assert candidate("a + b", new) is None


def test_a_fingerprint_tells_types_apart_but_not_layout() -> None:
    one, true, same = candidate("a + b", "a + 1"), candidate("a + b", "a + True"), candidate("a + b", "(a + 1)")
    assert one is not None
    assert true is not None
    assert same is not None
    assert one.fingerprint != true.fingerprint
    assert one.fingerprint == same.fingerprint


@given(st.text(alphabet="ab+-*/()<>=., 01\n'\"[]", max_size=12))
def test_whatever_stands_there_the_whole_file_agrees_with_the_part(new: str) -> None:
    found = candidate("a + b", new)
    if found is not None:
        compile(found.text, "program.py", "exec")
