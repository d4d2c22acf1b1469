"""Which changed code a test is said to have reached: all that it rests on, and nothing that was only loaded."""

import asyncio
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.core.ports import TestOrder
from loopwright.evidence.goal_proof import changed_lines
from loopwright.evidence.run import ProjectTests
from tests.validation.projects import PYTEST, UNITTEST, lay_out

BEFORE = """\
import functools


class Money:
    words = {}
    _pattern = "a"
    _whole = _pattern + "b"

    def __init__(self, amount):
        self.amount = amount


def price():
    return 1


def told(kind):
    return getattr(Money, "words").get(kind)


def fits(text, whole=Money._whole):
    return text == whole


def whole():
    return Money._whole


LOADED = price()
"""
PRICE = BEFORE.replace("return 1", "return 2")
WORDS = BEFORE.replace("words = {}", "words = {'x': 'y'}")
PATTERN = BEFORE.replace('"a"', '"c"')
ORDERED = BEFORE.replace("class Money:", "@functools.total_ordering\nclass Money:").replace(
    "\n\ndef price",
    "\n    def __lt__(self, other):\n        return self.amount < other.amount\n\n\ndef price",
)


@dataclass(frozen=True)
class Case:
    """The product as it is, the file of its tests, and those of them that reach what differs."""

    product: str
    tests: str
    reaching: frozenset[str]
    command: str = PYTEST


CASES = {
    "called": Case(
        PRICE, "from shop import price\n\n\ndef test_a():\n    assert price() == 2\n", frozenset({"test_a"})
    ),
    "only loaded": Case(
        PRICE, "import shop\n\n\ndef test_a():\n    assert shop.LOADED == 2\n", frozenset()
    ),
    "made once for a module": Case(
        PRICE,
        "import pytest\nfrom shop import price\n\n\n@pytest.fixture(scope='module')\ndef made():\n    return price()\n"
        "\n\n"
        "def test_a(made):\n    assert made == 2\n\n\ndef test_b(made):\n    assert made > 1\n\n\n"
        "def test_c():\n    assert True\n",
        frozenset({"test_a", "test_b"}),
    ),
    "called as the tests are loaded": Case(
        PRICE,
        "import pytest\nfrom shop import price\n\n\n@pytest.mark.parametrize('found', [price()])\n"
        "def test_a(found):\n    assert found == 2\n",
        frozenset({"test_a[2]"}),
    ),
    "asked for by its name": Case(
        WORDS, "from shop import told\n\n\ndef test_a():\n    assert told('x') == 'y'\n", frozenset({"test_a"})
    ),
    "only asked whether it is there": Case(
        WORDS, "import shop\n\n\ndef test_a():\n    assert hasattr(shop.Money, 'words')\n", frozenset()
    ),
    "made of what changed, and as a default": Case(
        PATTERN,
        "import shop\n\n\ndef test_a():\n    assert shop.whole() == 'cb'\n\n\n"
        "def test_b():\n    assert shop.fits('cb')\n"
        "\n\ndef test_c():\n    assert shop.price() == 1\n",
        frozenset({"test_a", "test_b"}),
    ),
    "a decorator of a class": Case(
        ORDERED, "from shop import Money\n\n\ndef test_a():\n    assert Money(2) >= Money(1)\n", frozenset({"test_a"})
    ),
    "set up for a class of unittest": Case(
        PRICE,
        "import unittest\nfrom shop import price\n\n\nclass TestA(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.made = price()\n\n    def test_a(self):\n"
        "        assert self.made == 2\n\n"
        "    def test_b(self):\n        assert self.made > 1\n",
        frozenset({"test_a", "test_b"}),
        UNITTEST,
    ),
}  # fmt: skip


def reaching(case: Case, project: Path, copy: Path) -> frozenset[str]:
    changed = {"shop.py": changed_lines(BEFORE.encode(), case.product.encode())}
    order = TestOrder(case.command, timeout=60, marker="loop-reach", at=copy, changed=changed)
    run = asyncio.run(ProjectTests(project).run(order))
    assert {result.status for result in run.results} == {"passed"}
    assert run.reach is not None
    return frozenset(result.test_name for result in run.results if result.key in run.reach)


@pytest.mark.parametrize("name", CASES)
def test_what_a_test_rests_on(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    project = lay_out(tmp_path / "project", {"shop.py": case.product, "test_shop.py": case.tests})
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    assert reaching(case, project, copy) == case.reaching


def test_an_installed_copy_of_the_product_is_the_product(tmp_path: Path) -> None:
    tests = (
        "import sys\nsys.path.insert(0, '{at}')\nfrom shop import price\n\n\ndef test_a():\n    assert price() == 2\n"
    )
    project = lay_out(tmp_path / "project", {"src/shop.py": PRICE})
    installed = tmp_path / "lib/site-packages"
    lay_out(installed, {"shop.py": PRICE})
    lay_out(project, {"test_shop.py": tests.replace("{at}", str(installed))})
    copy = Path(shutil.copytree(project, tmp_path / "copy"))
    order = TestOrder(
        PYTEST, timeout=60, marker="m", at=copy, changed={"src/shop.py": changed_lines(BEFORE.encode(), PRICE.encode())}
    )
    run = asyncio.run(ProjectTests(project).run(order))
    assert run.reach is not None
    assert run.reach["test_shop.py::test_a"].lines == ("src/shop.py:14",)
