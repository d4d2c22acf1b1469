"""The table of the tiers: what it names is there, and it says of each test when it runs."""

import ast
from pathlib import Path

import pytest

from tests.tables import each
from tests.tiers import ALL, SOAK, STANDARD, TABLE, has_any, misnamed, runs, tier_of

ROOT = Path(__file__).parent.parent


def names_of(path: Path) -> set[str]:
    """Tests and classes as node ids name them."""
    found = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            found.add(node.name)
            found |= {f"{node.name}::{inner.name}" for inner in node.body if hasattr(inner, "name")}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
    return found


@each("name", TABLE)
def test_what_the_table_names_is_there(name: str) -> None:
    path, _, test = name.partition("::")
    assert (ROOT / path).exists()
    assert not test or test.partition("[")[0] in names_of(ROOT / path)


def test_nothing_is_named_twice_or_in_vain() -> None:
    assert len(TABLE) == sum(len(names.strip().splitlines()) for names in (STANDARD, ALL, SOAK))
    for name, tier in TABLE.items():
        above = name.rpartition("[")[0] or name.rpartition("::")[0] or name.rpartition("/")[0]
        assert tier_of(above) != tier, f"{name} is {tier} already by what it lies in"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {"tests/a": "all", "tests/a/test_x.py::test_b": "standard", "tests/c/test_y.py::test_d[1-e]": "all"}
    monkeypatch.setattr("tests.tiers.TABLE", few)


@pytest.mark.usefixtures("table")
def test_the_closest_name_counts() -> None:
    tiers = {
        "tests/a/test_x.py::test_b": "standard",
        "tests/a/test_x.py::test_b[1]": "standard",
        "tests/a/test_x.py::test_c": "all",
        "tests/a/test_x.py::TestC::test_b": "all",
        "tests/ab/test_x.py::test_b": "fast",
        "tests/c/test_y.py::test_d[1-e]": "all",
        "tests/c/test_y.py::test_d[2-e]": "fast",
    }
    assert {id: tier_of(id) for id in tiers} == tiers
    assert [runs("tests/a/test_x.py::test_b", tier) for tier in ("fast", "standard", "all")] == [False, True, True]


@pytest.mark.usefixtures("table")
def test_a_case_that_a_test_does_not_have_is_found() -> None:
    d = "tests/c/test_y.py::test_d"
    assert misnamed({f"{d}[2-e]", "tests/a/test_x.py::test_b"}) == [f"{d}[1-e]"]
    assert misnamed({f"{d}[1-e]", f"{d}[2-e]"}) == misnamed({"tests/c/test_z.py::test_d[2-e]"}) == []


@pytest.mark.usefixtures("table")
def test_a_file_is_loaded_only_where_it_may_have_something_to_run() -> None:
    assert [has_any("tests/a/test_x.py", tier) for tier in ("fast", "standard", "all")] == [False, True, True]
    assert [has_any("tests/a", tier) for tier in ("fast", "standard")] == [False, True]
    assert [has_any("tests/a/test_z.py", tier) for tier in ("standard", "all")] == [False, True]
    assert has_any("tests/c/test_y.py", "fast")
    assert has_any("tests", "fast")
