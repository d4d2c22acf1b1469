"""What pytest and unittest offer, and how projects are laid out: each is taken over as it is."""

import importlib.util
import subprocess
import venv
from pathlib import Path

import pytest

from tests.repair.asking import PYTEST, mended, search

ADD = "def add(a, b):\n    return a - b\n"
MINUS = ("a - b", "a + b")
TESTS = "from adding import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"

FEATURES = """from adding import add, upto


import asyncio
import pytest


@pytest.fixture(scope="module")
def store():
    held = [1]
    yield held
    held.clear()


@pytest.fixture
def shifted(store, base):
    store.append(base)
    yield store
    store.pop()


def test_fixture(shifted):
    assert add(shifted[0], shifted[-1]) == 11


class TestMany:
    @pytest.fixture(autouse=True)
    def prepared(self):
        self.start = 4

    @pytest.mark.parametrize("more", [1, 2], ids=["one", "two"])
    def test_more(self, more):
        assert add(self.start, more) == 4 + more

    def test_nothing(self):
        assert add(self.start, 0) == 4


def test_generator():
    assert list(upto(2)) == [0, 1, 2]


def test_coroutine():
    async def ask():
        await asyncio.sleep(0)
        return add(1, 2)

    assert asyncio.run(ask()) == 3


@pytest.mark.skip
def test_skipped():
    assert add(1, 1) == 5


@pytest.mark.xfail
def test_known():
    assert add(1, 1) == 5
"""


def test_fixtures_classes_parameters_generators_and_coroutines(tmp_path: Path) -> None:
    program = (
        "import functools\n\n\ndef counted(function):\n    @functools.wraps(function)\n    def inner(*args):\n"
        "        inner.calls += 1\n        return function(*args)\n\n    inner.calls = 0\n    return inner\n\n\n"
        f"@counted\n{ADD}\n\ndef upto(end):\n    number = 0\n    while number <= end:\n        yield number\n"
        "        number += 1\n"
    )
    conftest = "import pytest\n\n\n@pytest.fixture(scope='session')\ndef base():\n    return 10\n"
    files = {"adding.py": program, "test_adding.py": FEATURES, "conftest.py": conftest}
    found = search(tmp_path, files)
    assert mended(files, found, *MINUS)
    assert found.patch is not None
    assert len(found.patch.fixes) == 4
    assert found.patch.still_failing == ()


@pytest.mark.skipif(importlib.util.find_spec("anyio") is None, reason="anyio is not installed")
def test_asynchronous_tests(tmp_path: Path) -> None:
    tests = (
        "import pytest\nfrom adding import add\n\npytestmark = pytest.mark.anyio\n\n\nasync " + TESTS.split("\n\n\n")[1]
    )
    conftest = "import pytest\n\n\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n"
    files = {"adding.py": ADD, "test_adding.py": tests, "conftest.py": conftest}
    found = search(tmp_path, files, test_command=f"{PYTEST} -p anyio.pytest_plugin")
    assert mended(files, found, *MINUS)


def test_a_fault_in_a_coroutine_and_in_a_generator(tmp_path: Path) -> None:
    program = (
        "import asyncio\n\n\nasync def total(numbers):\n    found = 0\n    async for number in each(numbers):\n"
        "        found -= number\n    return found\n\n\nasync def each(numbers):\n    for number in numbers:\n"
        "        await asyncio.sleep(0)\n        yield number\n"
    )
    tests = (
        "import asyncio\nfrom totals import total\n\n\ndef test_total():\n    assert asyncio.run(total([1, 2])) == 3\n"
    )
    files = {"totals.py": program, "test_totals.py": tests}
    assert mended(files, search(tmp_path, files), "-= number", "+= number")


def test_doctests(tmp_path: Path) -> None:
    program = 'def add(a, b):\n    """Both together.\n\n    >>> add(2, 3)\n    5\n    """\n    return a - b\n'
    found = search(tmp_path, {"adding.py": program}, test_command=f"{PYTEST} --doctest-modules")
    assert mended({"adding.py": program}, found, *MINUS)
    assert found.patch is not None
    assert found.patch.fixes == ("adding.py::adding.add",)


def test_a_source_folder_with_several_modules(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['src']\ntestpaths = ['tests']\n",
        "src/sums/__init__.py": "from sums.outer import double\n\n__all__ = ['double']\n",
        "src/sums/inner.py": ADD,
        "src/sums/outer.py": "from .inner import add\n\n\ndef double(a):\n    return add(a, a)\n",
        "tests/test_sums.py": "from sums import double\n\n\ndef test_double():\n    assert double(4) == 8\n",
    }
    found = search(tmp_path, files, test_command=PYTEST.replace("python -m ", ""))
    assert mended(files, found, *MINUS)
    assert found.patch is not None
    assert found.patch.file == "src/sums/inner.py"


def test_a_project_that_is_installed_in_an_environment_of_its_own(tmp_path: Path) -> None:
    """Linked by a .pth file, as an editable installation does it; what is tried must be the copy."""
    room = tmp_path / "environment"
    venv.create(room, symlinks=True)
    python = room / "bin" / "python"
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", ask], capture_output=True, text=True, check=True).stdout.strip())
    project = tmp_path / "project"
    (packages / "project.pth").write_text(f"{project / 'src'}\n")
    ours = Path(importlib.util.find_spec("pytest").origin).parent.parent  # type: ignore[union-attr, arg-type]  # it runs this
    (packages / "ours.pth").write_text(f"{ours}\n")
    files = {"src/adding.py": ADD, "test_adding.py": TESTS}
    found = search(project, files, python=str(python))
    assert mended(files, found, *MINUS)


def test_unittest_with_a_class_that_is_set_up_and_parts_of_tests(tmp_path: Path) -> None:
    tests = (
        "import unittest\nfrom adding import add\n\n\nclass Adding(unittest.TestCase):\n    @classmethod\n"
        "    def setUpClass(cls):\n        cls.pairs = [(1, 2, 3), (4, 0, 4), (2, 2, 4)]\n\n"
        "    def setUp(self):\n        self.one = 1\n\n"
        "    def test_pairs(self):\n        for a, b, both in self.pairs:\n            with self.subTest(a=a, b=b):\n"
        "                self.assertEqual(add(a, b), both)\n\n"
        "    def test_one(self):\n        self.assertEqual(add(self.one, 0), 1)\n"
    )
    files = {"adding.py": ADD, "test_adding.py": tests}
    found = search(tmp_path, files, test_command=PYTEST.replace("pytest", "unittest"))
    assert mended(files, found, *MINUS)
    assert found.patch is not None
    assert found.patch.fixes == ("test_adding.Adding::test_pairs",)
