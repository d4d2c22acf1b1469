"""What tests and candidates leave behind, in the program and on the disk, spoils no search."""

from pathlib import Path

import pytest

from tests.repair.asking import mended, search

TEA = """PRICES = {}


def price(name, count):
    if count > 10:
        return PRICES[name] * count - count
    return PRICES[name] * count
"""
TEA_TESTS = """import shop


def test_fill():
    shop.PRICES["tea"] = 3
    assert shop.PRICES


def test_one():
    assert shop.price("tea", 1) == 3


def test_many():
    assert shop.price("tea", 20) == 40


def test_ten():
    FILL
    assert shop.price("NAME", 10) == 10 * (shop.PRICES["NAME"] - 1)
"""


@pytest.mark.parametrize(("fill", "name"), [('shop.PRICES["milk"] = 2', "milk"), ("pass", "tea")])
def test_tests_that_pass_only_in_order(fill: str, name: str, tmp_path: Path) -> None:
    """The one that fails needs what the first one leaves behind, or it needs nothing."""
    files = {"shop.py": TEA, "test_shop.py": TEA_TESTS.replace("FILL", fill).replace("NAME", name)}
    assert mended(files, search(tmp_path, files), "> 10", ">= 10")


LEVEL = """from pathlib import Path

DATA = Path(__file__).parent / "data.txt"


def level(number):
    if number > 5:
        spoil()
    return read() + number - 1


def read():
    return len(DATA.read_text())


def spoil():
    DATA.write_text("")
"""
LEVEL_TESTS = """from level import level


def test_three():
    assert level(3) == 13


def test_four():
    assert level(4) == 14
"""


def test_candidates_that_empty_a_file_of_the_project(tmp_path: Path) -> None:
    found = search(tmp_path, {"level.py": LEVEL, "data.txt": "1234567890", "test_level.py": LEVEL_TESTS})
    assert found.patch is not None, found.note
    assert found.patch.still_failing == ()
