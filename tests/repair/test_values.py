"""Values that are exchanged in a loaded program: what can be, what may not be, and what it is like afterwards."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from loopwright.repair.candidate import (
    Compiler,
    Undo,
    UnfitCandidate,
    Value,
    exchange_values,
    read_while_imported,
    value_of,
)
from loopwright.repair.edits.site import Edit
from loopwright.repair.source import SourceText
from tests.repair.asking import mended, search
from tests.repair.test_candidate import location_at

PROGRAM = """from enum import Enum

LIMIT = 10
PAIR = (1, 2)
SIZE: int = LIMIT * 2
a, b = 1, 2


class Shelf:
    width = 4
    depth = width + 1

    def room(self, count=3, *, wide=True):
        return self.width * count


class Colour(Enum):
    RED = 77


def under(number, most=5):
    return number < LIMIT and number < most
"""


def value(old: str, new: str) -> Value | None:
    source = SourceText("program.py", PROGRAM)
    start = PROGRAM.index(old)
    return value_of(location_at(source, PROGRAM[:start].count("\n") + 1), Edit(start, start + len(old), new, 1.0, ""))


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[ModuleType, ModuleType]]:
    (tmp_path / "program.py").write_text(PROGRAM)
    (tmp_path / "user_of_it.py").write_text("from program import LIMIT\n\ndef limit():\n    return LIMIT\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("program"), importlib.import_module("user_of_it")
    for name in ("program", "user_of_it"):
        del sys.modules[name]


def exchange(module: ModuleType, found: Value | None) -> Undo:
    assert found is not None
    functions = [module.Shelf.room] if found[0] == "Shelf.room" else [module.under]
    return exchange_values([found], str(module.__file__), functions)


def test_a_value_of_a_module_is_another_for_all_who_imported_it(program: tuple[ModuleType, ModuleType]) -> None:
    module, user = program
    undo = exchange(module, value("10", "20"))
    assert (module.LIMIT, user.limit(), module.under(15, 99)) == (20, 20, True)
    undo()
    assert (module.LIMIT, user.limit(), module.under(15, 99)) == (10, 10, False)


@pytest.mark.parametrize(
    ("old", "new", "shown", "before", "after"),
    [
        ("4", "5", "Shelf().room(1)", 4, 5),
        ("count=3", "count=LIMIT", "Shelf().room()", 12, 40),
        ("wide=True", "wide=None", "Shelf.room.__kwdefaults__['wide']", True, None),
        ("most=5", "most=50", "under(9)", False, True),
    ],
)
def test_a_value_of_a_class_and_defaults(
    program: tuple[ModuleType, ModuleType], old: str, new: str, shown: str, before: object, after: object
) -> None:
    module, _ = program
    assert eval(shown, vars(module)) == before
    undo = exchange(module, value(old, new))
    assert eval(shown, vars(module)) == after
    undo()
    assert eval(shown, vars(module)) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [("a, b = 1", "a, b = 3"), ("LIMIT = 10", "LIMITS = 10"), ("< most", "<= most"), ("class Shelf", "class Shelves"),
     ("number, most=5", "number=1, top=5"), ("(1, 2)", "(1, "), ("= 4", "= 4 + 1")],
)  # fmt: skip
def test_what_is_more_than_a_value_is_none(old: str, new: str) -> None:
    assert value(old, new) is None


def test_members_of_an_enum_are_not_exchanged(program: tuple[ModuleType, ModuleType]) -> None:
    module, _ = program
    with pytest.raises(UnfitCandidate):
        exchange(module, value("77", "78"))


def test_what_was_read_while_loading_is_known() -> None:
    text = "A = 1\nB = A + 1\nC = 3\n\n\ndef f(a=C):\n    return D\n\n\nclass K(Base):\n    x = 1\n\n\nE += 1\n"
    source = SourceText("m.py", text)
    lines = {("m.py", line) for line in (1, 2, 3, 6, 10, 11, 14)}
    read = read_while_imported({"m.py": source}, lines)
    assert {"A", "C", "Base", "E"} <= read.keys()
    assert not {"B", "D", "x"} & read.keys()
    other = SourceText("n.py", "from m import A as first\nfrom m import C\n")
    assert set(read_while_imported({"n.py": other}, {("n.py", 1), ("n.py", 2)})) == {"A"}


def test_a_candidate_outside_of_functions_has_a_value() -> None:
    source = SourceText("program.py", PROGRAM)
    start = PROGRAM.index("10")
    found = Compiler(source, "program.py").candidate(
        location_at(source, 3), "test", Edit(start, start + 2, "9", 1.0, "")
    )
    assert found is not None
    assert not found.swaps
    assert [one[:3] for one in found.values] == [("", "LIMIT", 0)]


FILES = {
    "rates.py": "BASE = 7\nSTEPS = {'a': 1, 'b': 3}\n\n\nclass Rate:\n    factor = 2\n\n"
    "    def of(self, name, share=4):\n        return BASE * self.factor * STEPS[name] / share\n",
    "test_rates.py": "from rates import Rate\n\ndef test_a(): assert Rate().of('a', 1) == 14\n\n"
    "def test_b(): assert Rate().of('b', 1) == 28\n\ndef test_half(): assert Rate().of('a', 2) == 7\n",
}


def test_a_search_needs_no_fresh_import_for_a_table(tmp_path: Path) -> None:
    found = search(tmp_path, FILES)
    assert mended(FILES, found, "'b': 3", "'b': 2")
    assert ", 0 with a fresh import)" in found.note


def test_nor_for_a_default(tmp_path: Path) -> None:
    right = FILES["rates.py"].replace("'b': 3", "'b': 2")
    tests = "\n\ndef test_default(): assert Rate().of('a') == 7\n\ndef test_default_b(): assert Rate().of('b') == 14\n"
    files = {"rates.py": right, "test_rates.py": FILES["test_rates.py"] + tests}
    found = search(tmp_path, files)
    assert mended(files, found, "share=4", "share=2")
    assert ", 0 with a fresh import)" in found.note
