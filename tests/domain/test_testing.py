"""What a test run leaves behind, and what must not change while it runs."""

import pytest

from loopwright.evidence.testing import list_unsettled, split_leftovers


def test_new_files_are_output_unless_they_are_code_or_test_material() -> None:
    changes = (
        ("report.xml", "create"), ("tests/out/a.png", "create"), ("app/__init__.py", "create"),
        ("conftest.py", "create"), ("pytest.ini", "create"), ("app.py", "modify"), ("data.db", "delete"),
        ("src/__snapshots__/a.snap", "create"),
    )  # fmt: skip
    assert split_leftovers(changes) == (
        ("report.xml", "tests/out/a.png", "src/__snapshots__/a.snap"),
        ("app/__init__.py", "conftest.py", "pytest.ini", "app.py", "data.db"),
    )


@pytest.mark.parametrize(
    ("touched", "first", "last", "loose"),
    [
        (("app.py",), (), (), ("app.py",)),
        (("app.py",), (), ("app.py",), ("app.py",)),  # code that changes under every run is still not what was measured
        (("app.py",), ("app.py",), (), ()),  # it did so before any agent was at work
        (("runs.db",), (), (), ("runs.db",)),
        (("runs.db",), (), ("runs.db",), ()),
        ((), (), (), ()),
    ],
)
def test_what_makes_a_run_worthless(
    touched: tuple[str, ...], first: tuple[str, ...], last: tuple[str, ...], loose: tuple[str, ...]
) -> None:
    assert list_unsettled(touched, first, last) == loose
