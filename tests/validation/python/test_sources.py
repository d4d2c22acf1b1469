"""Digests of tests: what changes the meaning of a test changes its digest, and nothing else does."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.validation.projects import PYTEST, UNITTEST, lay_out, run

PROJECT = {
    "shop.py": "def price(net):\n    return net * 2\n",
    "pytest.ini": "[pytest]\naddopts = -q\nmarkers = slow\n",
    "conftest.py": "import pytest\n\n\n@pytest.fixture\ndef one():\n    return 1\n",
    "tests/__init__.py": "",
    "tests/conftest.py": """
        import pytest
        from tests.support import prepared
        READY = True
        @pytest.fixture(autouse=True)
        def ready():
            return prepared()
    """,
    "tests/support.py": """
        LIMIT = 3
        class Cart:
            def total(self):
                return LIMIT
        def prepared():
            return 1
        def check(value):
            return value == expected()
        def expected():
            return 2
        def unused():
            return 0
    """,
    "tests/test_shop.py": '''
        """Tests of the shop."""
        import pytest
        import shop
        from tests import support
        from tests.support import check
        WANTED = 2
        OTHER = 3

        def helper():
            return WANTED

        def test_helper():
            """Doubles."""
            assert shop.price(1) == helper()

        def test_imported():
            assert check(shop.price(1))

        def test_of_module():
            assert support.Cart().total() == 3

        def test_plain(one):
            assert one

        @pytest.mark.parametrize("net", [1, 2])
        def test_cases(net):
            assert shop.price(net)

        class TestCart:
            size = 2
            spare = 3
            def test_own(self):
                assert self.doubled() == 4
            def doubled(self):
                return self.size * 2
    ''',
}
HELPER, IMPORTED, OF_MODULE, PLAIN, CASES, OWN = (
    {"test_helper"}, {"test_imported"}, {"test_of_module"}, {"test_plain"}, {"test_cases[1]", "test_cases[2]"},
    {"test_own"},
)  # fmt: skip
ALL = HELPER | IMPORTED | OF_MODULE | PLAIN | CASES | OWN
TESTS, SUPPORT, CONFTEST = "tests/test_shop.py", "tests/support.py", "tests/conftest.py"


def digests(root: Path) -> dict[str, str]:
    found = run(root, f"{PYTEST} --collect-only").sources
    return {key.rpartition("::")[2]: digest for key, digest in found.items() if "::" in key}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    found = digests(lay_out(tmp_path_factory.mktemp("before"), PROJECT))
    assert found.keys() == ALL
    assert all(found.values())
    return found


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        pytest.param(TESTS, "return WANTED", "return WANTED + 0", HELPER, id="a helper of the module"),
        pytest.param(TESTS, "WANTED = 2", "WANTED = 3", HELPER, id="a constant that a helper names"),
        pytest.param(SUPPORT, "return 2", "return 4", IMPORTED, id="a helper of a helper, in another file"),
        pytest.param(SUPPORT, "LIMIT = 3", "LIMIT = 4", OF_MODULE, id="what a class elsewhere names"),
        pytest.param(SUPPORT, "return 1", "return 2", ALL, id="what an autouse fixture calls"),
        pytest.param(TESTS, "size = 2", "size = 4", OWN, id="an attribute of the class"),
        pytest.param(TESTS, "* 2", "* 3", OWN, id="a method of the class"),
        pytest.param(TESTS, "[1, 2]", "[1, 3]", {"test_cases[3]"}, id="a case of several"),
        pytest.param(TESTS, "[1, 2]", "[1, 2, 3]", {"test_cases[3]"}, id="one more case"),
        pytest.param(TESTS, "OTHER = 3", "shop.price = abs", ALL, id="what the module does when loaded"),
        pytest.param(TESTS, "OTHER = 3", "OTHER = abs(3)", ALL, id="a constant that may do something"),
        pytest.param(TESTS, "OTHER = 3", "pytestmark = pytest.mark.slow", ALL, id="a mark for all"),
        pytest.param("conftest.py", "return 1", "return 2", PLAIN, id="a fixture of the root"),
        pytest.param("conftest.py", "import pytest", "def pytest_runtest_setup(item):\n    1 / 1\nimport pytest", ALL,
                     id="a hook"),
        pytest.param(CONFTEST, "READY = True", "import shop; shop.price = abs", ALL, id="what a conftest does"),
        pytest.param("pytest.ini", "-q", "-q --runxfail", ALL, id="an option"),
        pytest.param("pytest.ini", "markers = slow", "markers = slow\nxfail_strict = true", ALL, id="a setting"),
    ],
)  # fmt: skip
def test_what_changes_a_digest(
    tmp_path: Path, before: dict[str, str], file: str, old: str, new: str, changed: set[str]
) -> None:
    lay_out(tmp_path, PROJECT)
    path = tmp_path / file
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    after = digests(tmp_path)
    assert {key for key, digest in after.items() if before.get(key) != digest} == changed


MEANINGLESS = (
    (TESTS, "OTHER = 3", "OTHER = 4"),  # a constant that nobody names
    (TESTS, "spare = 3", "spare = 4"),
    (TESTS, "Doubles.", "Doubles nets."),
    (TESTS, "return WANTED", "return ( WANTED )  # what is wanted"),
    (TESTS, "def test_plain", "NEW = {'a': 1}\ndef new(): pass\ndef test_new(): new()\ndef test_plain"),
    (SUPPORT, "return 0", "return 9"),  # a helper that nobody uses
    (CONFTEST, "READY = True", "@pytest.fixture\ndef new():\n    return 1"),
    ("pytest.ini", "slow", "slow\n    fast"),
    ("shop.py", "net * 2", "net * 3"),
)


def test_what_changes_none(tmp_path: Path, before: dict[str, str]) -> None:
    lay_out(tmp_path, PROJECT)
    for file, old, new in MEANINGLESS:
        path = tmp_path / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
    after = digests(tmp_path)
    assert {key for key, digest in after.items() if before.get(key) != digest} == {"test_new"}


UNITTESTS = {
    "shop.py": "def price(net):\n    return net * 2\n",
    "tests/__init__.py": "",
    "tests/support.py": "class Checks:\n    def check(self, value):\n        self.assertEqual(value, 2)\n",
    "tests/test_shop.py": """
        import unittest
        import shop
        from tests.support import Checks
        class Prices(Checks, unittest.TestCase):
            def test_price(self):
                self.check(shop.price(1))
            def test_other(self):
                pass
    """,
}


DISCOVER = f"{UNITTEST} discover -s tests -t ."


@pytest.fixture(scope="module")
def of_unittest(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    return run(lay_out(tmp_path_factory.mktemp("unittest"), UNITTESTS), DISCOVER).sources


@pytest.mark.parametrize(
    ("file", "old", "new", "changed"),
    [
        (SUPPORT, "value, 2", "2, 2", {"test_price"}),
        (TESTS, "import shop", "import shop\nshop.price = abs", {"test_price", "test_other"}),
        ("tests/__init__.py", "", "import shop\nshop.price = abs", {"test_price", "test_other"}),
        (TESTS, "pass", "self.skipTest('x')", {"test_other"}),
        (TESTS, "class Prices", "@unittest.skip('x')\nclass Prices", {"test_price", "test_other"}),
        (TESTS, "def test_other", "def test_new(self): pass\n    def test_other", {"test_new"}),
        ("shop.py", "net * 2", "net * 3", set()),
    ],
)
def test_what_changes_a_digest_of_unittest(
    tmp_path: Path, of_unittest: Mapping[str, str], file: str, old: str, new: str, changed: set[str]
) -> None:
    lay_out(tmp_path, UNITTESTS)
    path = tmp_path / file
    path.write_text(path.read_text().replace(old, new) if old else new)
    after = run(tmp_path, DISCOVER).sources
    differing = {key for key, digest in after.items() if of_unittest.get(key) != digest and "::" in key}
    assert {key.rpartition("::")[2] for key in differing} == changed


def test_what_each_file_imports(tmp_path: Path) -> None:
    """Something that does not like to be looked at is no module, function or class."""
    lay_out(tmp_path, PROJECT)
    shy = "class Shy:\n    @property\n    def __class__(self): raise RuntimeError('unbound')\nshy = Shy()\n"
    lay_out(
        tmp_path,
        {
            "shop.py": f"import rates\n{shy}def price(net):\n    return net * rates.two()\n",
            "rates.py": "import json\nimport shop\ndef two():\n    return 2\n",
        },
    )
    imports = run(tmp_path, PYTEST).imports
    assert set(imports["tests/test_shop.py"]) == {"shop.py", "tests/__init__.py", "tests/support.py"}
    assert (imports["shop.py"], imports["rates.py"]) == (("rates.py",), ("shop.py",))
