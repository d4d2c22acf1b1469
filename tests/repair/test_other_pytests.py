"""Projects whose own pytest is older or newer than any that the worker can drive: it says so, and is lent ours."""

from pathlib import Path

import pytest

from tests.repair.asking import PYTEST, diagnose, mended, search
from tests.repair.cases import write

SHOP = {
    "shop.py": (
        "def price(total, member):\n    if member and total > 100:\n        return total - 10\n    return total\n"
    ),
    "test_shop.py": (
        "import pytest\nfrom shop import price\n\n\n"
        "@pytest.mark.parametrize('total, paid', [(50, 50), (100, 90), (200, 190)])\n"
        "def test_member(total, paid):\n    assert price(total, True) == paid\n\n\n"
        "def test_guest():\n    assert price(100, False) == 100\n"
    ),
}
OTHERS = {
    "older": {
        "pytest/__init__.py": "__version__ = '6.2.5'\nfrom _pytest.runner import runtestprotocol\n",
        "_pytest/__init__.py": "",
        "_pytest/runner.py": (
            "def runtestprotocol(item, log=True, nextitem=None):\n    raise NotImplementedError\n\n\n"
            "class SetupState:\n    def teardown_exact(self, item, nextitem):\n        raise NotImplementedError\n"
        ),
    },
    "newer": {
        "pytest/__init__.py": "__version__ = '99.1'\n\n\nclass Config:\n    pass\n",
        "_pytest/__init__.py": "",
        "_pytest/runner.py": "class SetupState:\n    def unwind(self, upto):\n        raise NotImplementedError\n",
    },
    "broken": {"pytest/__init__.py": "raise OSError('not for this interpreter')\n", "_pytest/__init__.py": ""},
}
CALLED = {"older": "pytest 6.2.5", "newer": "pytest 99.1", "broken": "the project's pytest cannot"}


@pytest.mark.parametrize("which", OTHERS)
def test_another_pytest_is_told_and_replaced(which: str, tmp_path: Path) -> None:
    write(OTHERS[which], tmp_path / "lib")
    command = f"PYTHONPATH={tmp_path / 'lib'} {PYTEST}"
    found = search(tmp_path / "project", SHOP, test_command=command)
    assert mended(SHOP, found, "total > 100", "total >= 100")
    assert CALLED[which] in found.note
    assert f"cannot be driven from within: its tests were run by pytest {pytest.__version__}" in found.note


def test_the_project_s_own_pytest_needs_no_word(tmp_path: Path) -> None:
    assert "driven" not in diagnose(tmp_path / "project", SHOP).note
