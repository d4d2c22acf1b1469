"""What tests leave behind in a loaded project is put back, in place; what cannot be put back is known."""

import io
import itertools
import sys
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.repair.state import ModuleState

PROGRAM = """
import functools
import random
from collections import Counter, OrderedDict, deque
from dataclasses import dataclass, field

LIMIT = 3
registry = {}
queue = deque([1])
order = OrderedDict(a=1, b=2)
counts = Counter("aab")
dice = random.Random(7)
secrets = random.SystemRandom()

@functools.lru_cache
def twice(n):
    return n * LIMIT

def remembered(n, memo={}):
    return memo.setdefault(n, n * LIMIT)

def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    return step

step = counter()

class Shelf:
    shared = []
    made = 0
    def __init__(self):
        self.items = ["a"]
        Shelf.made += 1

class Slim:
    __slots__ = ("x",)
    def __init__(self, x):
        self.x = x

class Numbers:
    last = 0
    def __next__(self):
        self.last += 1
        return self.last

shelf = Shelf()
slim = Slim([1])
"""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[ModuleType]:
    file = tmp_path / "held_program.py"
    file.write_text(PROGRAM)
    sys.path.insert(0, str(tmp_path))
    try:
        yield __import__("held_program")
    finally:
        sys.path.remove(str(tmp_path))
        del sys.modules["held_program"]


def test_everything_comes_back(program: ModuleType, tmp_path: Path) -> None:
    first = program.dice.getstate()
    shelf, registry = program.shelf, program.registry
    state = ModuleState(str(tmp_path))
    assert state.whole
    space = vars(program)
    space["LIMIT"] = 10
    assert (program.twice(2), program.remembered(2), program.step(), program.dice.random() < 1) == (20, 20, 1, True)
    program.registry["x"] = [1]
    program.queue.append(2)
    program.order["c"] = 3
    program.counts["z"] += 5
    program.shelf.items.append("b")
    program.shelf.more = True
    program.Shelf.shared.append(1)
    program.Shelf.made = 99
    program.Shelf.extra = 1
    program.slim.x.append(2)
    space |= {"shelf": None, "fresh": 1}
    state.restore()
    assert (program.LIMIT, program.twice(2), program.remembered(2), program.step()) == (3, 6, 6, 1)
    assert (registry, program.queue, program.counts) == ({}, deque([1]), Counter("aab"))
    assert program.order == OrderedDict(a=1, b=2)
    assert program.shelf is shelf
    assert vars(shelf) == {"items": ["a"]}
    assert (program.Shelf.shared, program.Shelf.made, hasattr(program.Shelf, "extra")) == ([], 1, False)
    assert (program.slim.x, hasattr(program, "fresh")) == ([1], False)
    assert program.dice.getstate() == first


def test_what_goes_on_by_itself_can_not_be_put_back(tmp_path: Path, program: ModuleType) -> None:
    state, spent = ModuleState(str(tmp_path)), iter([1, 2])
    assert state.takes([1], {"a": 1})
    assert not state.takes({"values": [spent]})
    assert not state.takes(spent), "also when it was seen before"
    assert state.takes(itertools.count()), "a counter may go on"
    assert state.whole, "who is given nothing of it needs not care"
    space = vars(program)
    space |= {"ended": (n for n in [1]), "printed": sys.__stdout__, "own": program.Numbers()}
    list(program.ended)
    state = ModuleState(str(tmp_path))
    assert state.whole
    assert (next(program.own), next(program.own)) == (1, 2)
    state.restore()
    assert next(program.own) == 1
    space["iterator"] = spent
    assert not ModuleState(str(tmp_path)).whole


def test_files_in_memory_and_attributes_of_functions_come_back(tmp_path: Path, program: ModuleType) -> None:
    data, text = io.BytesIO(b"abc"), io.StringIO("a\nb\nc")
    text.readline()
    state = ModuleState(str(tmp_path))
    assert state.takes(data, text)
    for _ in range(2):
        assert (data.read(), text.read()) == (b"abc", "b\nc")
        data.write(b"more")
        text.close()
        program.twice.__wrapped__.note = 1
        state.restore()
        assert not hasattr(program.twice.__wrapped__, "note")


def test_values_of_other_libraries_are_not_looked_into(tmp_path: Path) -> None:
    foreign = Path("x")
    assert ModuleState(str(tmp_path)).takes({"path": foreign, "none": None})


plain = st.recursive(
    st.integers() | st.text(max_size=3), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=2), inner)
)


@given(plain, st.data())
def test_any_containers_come_back_as_the_same_objects(value: object, data: st.DataObject) -> None:
    root = {"value": value}
    before = repr(root)
    state = ModuleState("/nowhere")
    state.takes(root)
    _spoil(root, data)
    state.restore()
    assert repr(root) == before
    assert root["value"] is value


def _spoil(thing: object, data: st.DataObject) -> None:
    if isinstance(thing, dict):
        for inner in list(thing.values()):
            _spoil(inner, data)
        if data.draw(st.booleans()):
            thing.clear()
        thing["new"] = 1
    elif isinstance(thing, list):
        for inner in thing:
            _spoil(inner, data)
        thing.reverse()
        if data.draw(st.booleans()):
            thing.append(0)


class Refuses:
    """What a program may well define."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


def test_an_object_that_refuses_to_be_looked_at_can_not_be_put_back(tmp_path: Path, program: ModuleType) -> None:
    program.__dict__["shelf"] = Refuses()
    state = ModuleState(str(tmp_path))
    state.restore()
    assert not state.whole
