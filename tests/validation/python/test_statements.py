"""Lines of files that no test has loaded, held against coverage.py's own count."""

import argparse
import asyncio.base_events
import dataclasses
import json
import json.decoder
import typing
from pathlib import Path

import pytest
from coverage.config import DEFAULT_EXCLUDE
from coverage.parser import PythonParser

from loopwright.evidence.python.statements import WORTH_KEEPING, StatementCounts, find_statements, list_unseen
from tests.validation.projects import PYTEST, lay_out, run

EXCLUDE = "|".join(f"(?:{each})" for each in DEFAULT_EXCLUDE)
MODULES = (argparse, asyncio.base_events, dataclasses, json.decoder, typing)

KINDS = '''\
"""A docstring."""
import os, sys
from typing import TYPE_CHECKING, overload

if TYPE_CHECKING:
    import json

@overload
def both(a: int) -> int: ...
@overload
def both(a: str) -> str: ...
def both(a):
    """Another."""
    global x
    x = (1 +
         2)
    return a

class Kind:
    """A third."""
    field: int = 3

    @property
    def name(self):
        try:
            with open(os.devnull) as file:
                pass
        except (OSError,
                ValueError):
            raise
        else:
            return 1
        finally:
            sys.exit()

    def never(self):  # pragma: no cover
        return 2

async def chosen(n):
    match n:
        case 1:
            return
        case [a, *_]:
            pass
    async for one in n:
        yield one
    else:
        yield lambda: (
            n)
    while n:
        if n:
            continue
        elif n > 1:
            break
    assert n; del n
'''


def theirs(source: str) -> set[int]:
    parser = PythonParser(text=source, exclude=EXCLUDE)
    parser.parse_source()
    return set(parser.statements)


def test_every_kind_of_statement() -> None:
    assert find_statements(KINDS.encode(), EXCLUDE) == theirs(KINDS)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_modules_of_the_standard_library(module: object) -> None:
    """Within one line in a hundred: code that can never run is compiled away, and annotations may be."""
    source = Path(str(module.__file__)).read_text()  # type: ignore[attr-defined]
    ours, known = find_statements(source.encode(), EXCLUDE), theirs(source)
    assert len(ours ^ known) <= len(known) / 100


PROJECT = {
    "shop/__init__.py": "def price(net):\n    return net\n",
    "shop/unused.py": KINDS,
    "shop/omitted.py": "x = 1\n",
    "shop/broken.py": "def\n",
    "shop/deep/__init__.py": "",
    "shop/deep/other.py": "x = 1\ny = 2\n",
    "scripts/alone.py": "in_no_package = 1\n",
    ".hidden/__init__.py": "x = 1\n",
    ".coveragerc": "[run]\nomit = shop/omitted.py\n",
    "test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(1) == 1\n",
}


def test_a_project_counts_as_coverage_counts_it(tmp_path: Path) -> None:
    """The same project, once with our settings and once with `source`, which makes coverage.py look for itself."""
    ours = run(lay_out(tmp_path / "ours", PROJECT), PYTEST).coverage
    rc = "[run]\nomit = shop/omitted.py\n    .hidden/*\nsource = .\n"
    known = run(lay_out(tmp_path / "theirs", {**PROJECT, ".coveragerc": rc}), PYTEST).coverage
    assert ours == known
    assert ours is not None
    named = {"shop/__init__.py", "shop/unused.py", "shop/deep/__init__.py", "shop/deep/other.py"}
    assert set(ours.files) == named


def test_a_file_is_read_again_once_it_has_changed(tmp_path: Path) -> None:
    root = lay_out(tmp_path, {"a.py": "x = 1\n", "c.py": "y = 1\n"})
    (root / "linked.py").symlink_to("a.py")
    before = {file.path.name: len(file.missed) for file in list_unseen(root, {root / "c.py"}, (), "")}
    (root / "a.py").write_text("x = 1\n\n\ny = 2\n")
    after = {file.path.name: len(file.missed) for file in list_unseen(root, {root / "c.py"}, (), "")}
    assert (before, after) == ({"a.py": 1}, {"a.py": 2})


def test_counts_are_kept_for_other_processes_and_never_believed_blindly(tmp_path: Path) -> None:
    file = tmp_path / "kept" / "counts.json"
    sources = [f"x = {n}\ny = 1\n".encode() for n in range(WORTH_KEEPING)] + [b"def\n"]

    def count(counts: StatementCounts) -> list[int | None]:
        return [counts.count(source, "") for source in sources]

    first = StatementCounts(file)
    expected = count(first)
    assert set(expected) == {2, None}
    first.keep()
    whole = file.read_bytes()
    assert len(json.loads(whole)) == len(sources)
    damaged = (whole[:-9], b"", b"[]", b'{"a": "b"}', whole.replace(b"2", b"2.5"))
    for found in (whole, *damaged):
        file.write_bytes(found)
        again = StatementCounts(file)
        assert count(again) == expected
        again.keep()
        assert file.read_bytes() == whole
