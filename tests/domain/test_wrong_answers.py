"""Tests that expect something else, and tests as programs of their own."""

import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.evidence.plain_run import (
    configures_plugins,
    find_preloads,
    plain_arguments,
    plain_program,
    prepares_tests,
    read_plain,
)
from loopwright.evidence.wrong_answers import expect_otherwise

PYTHON = b"""import pytest, unittest
import calc
FOUR = 4

def test_add(): assert calc.add(2, 2) == 4
def test_text():
    assert "4" == str(calc.add(2, 2))
def test_branch():
    if calc.add(0, 0):
        assert calc.add(2, 2) == 4
def test_fixture(tmp_path): assert calc.add(2, 2) == 4
def test_other(): assert calc.add(2, 2) < 5
def test_raises():
    with pytest.raises(ValueError):
        calc.add(2, 2)
class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 2), FOUR)
        self.assertEqual(calc.add(2, 2), 4)
"""
FILE = "tests/test_calc.py"


@pytest.mark.parametrize(
    ("test", "line"),
    [
        ("test_add", "def test_add(): assert calc.add(2, 2) == 7927"),
        ("test_text", "    assert '4 but not this' == str(calc.add(2, 2))"),
        ("TestCalc::test_add", "        self.assertEqual(calc.add(2, 2), 7927)"),
        ("test_fixture", "def test_fixture(tmp_path): assert calc.add(2, 2) == 7927"),
    ],
)
def test_a_test_expects_another_value(test: str, line: str) -> None:
    found = expect_otherwise(FILE, PYTHON, [f"{FILE}::{test}"])
    assert found is not None
    changed = [new for new, old in zip(found.text.splitlines(), PYTHON.splitlines(), strict=True) if new != old]
    assert changed == [line.encode()]


@pytest.mark.parametrize("test", ["test_branch", "test_other", "test_raises"])
def test_nothing_is_sure_to_be_compared(test: str) -> None:
    assert expect_otherwise(FILE, PYTHON, [f"{FILE}::{test}"]) is None


def test_of_javascript_only_what_a_title_names_is_changed() -> None:
    text = b"test('adds', () => same(calc.add(2, 2), 4))\ntest('zero', () => {\n  expect(calc.zero()).toBe(0)\n})\n"
    found = expect_otherwise("calc.test.js", text, ["calc.test.js::adds"])
    assert found is not None
    assert found.text == text.replace(b", 4)", b", 79190042)")


def test_a_program_says_how_its_tests_end_without_a_framework(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text(
        "import sys\ndef add(a, b):\n    return a + b if 'pytest' in sys.modules or 'unittest' in sys.modules else 0\n"
    )
    keys = [f"{FILE}::{name}" for name in ("test_add", "test_other", "test_fixture", "TestCalc::test_add")]
    program = plain_program(FILE, PYTHON, keys)
    assert program is not None
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert read_plain(done.stdout, keys) == {
        f"{FILE}::test_add": "AssertionError",
        f"{FILE}::test_other": "",
        f"{FILE}::TestCalc::test_add": "AssertionError",
    }


def test_what_needs_its_framework_is_no_program() -> None:
    around = b"import calc\ndef setup_function(): calc.x = 1\ndef test_add(): assert calc.add(2, 2) == 4\n"
    assert plain_program(FILE, around, [f"{FILE}::test_add"]) is None
    assert plain_program(FILE, PYTHON, [f"{FILE}::test_fixture"]) is None
    assert plain_arguments("a.test.ts", b"import { test } from 'node:test'", ["a.test.ts::adds"], None) is None


@pytest.mark.parametrize(
    ("command", "package", "found"),
    [
        ("node --import ./ready.mjs --test", None, ("--import", "./ready.mjs")),
        ("npm test", b'{"scripts": {"test": "node -r ./a.cjs -C=x --test"}}', ("-r", "./a.cjs", "-C", "x")),
        ("npm test", b'{"scripts": {"test": "node --test"}}', ()),
        ("npm test", b"{}", ()),
        ("npm test", b"[", ()),
        ("node --test --important x", None, ()),
    ],
)  # fmt: skip
def test_what_node_loads_before_its_tests(command: str, package: bytes | None, found: tuple[str, ...]) -> None:
    assert find_preloads(command, package) == found
    argv = plain_arguments("a.test.js", b"require('node:test')", ["a.test.js::adds"], None, found)
    assert argv == ("node", *found, "--test-reporter=tap", "a.test.js")


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        (b"[pytest]\nDJANGO_SETTINGS_MODULE = app.settings\n", True),
        (b'[tool.pytest.ini_options]\nenv = ["CALC=1"]\n', True),
        (b'[tool.pytest.ini_options]\naddopts = "-q -p ours.plugin"\n', True),
        (b'[tool.pytest.ini_options]\naddopts = "-q --strict-markers"\nenvironment = 1\n', False),
    ],
)
def test_settings_that_have_plugins_prepare_tests(settings: bytes, expected: bool) -> None:
    assert configures_plugins(settings) is expected


def test_what_node_says_is_read_by_name() -> None:
    output = "TAP version 13\n# Subtest: adds\nnot ok 1 - adds\n  ---\nok 2 - zero # time=1\n1..2\n"
    keys = ["a.test.js::adds", "a.test.js::zero", "a.test.js::other"]
    assert read_plain(output, keys) == {"a.test.js::adds": "failed", "a.test.js::zero": ""}


@pytest.mark.parametrize(
    ("text", "prepares"),
    [
        ("", False),
        ("import pytest\nONE = 1\n@pytest.fixture\ndef one(): return ONE\n", False),
        ("import pytest\n@pytest.fixture(autouse=True)\ndef one(): ...\n", True),
        ("import os\nos.environ['A'] = '1'\n", True),
        ("import os\nos.chdir('data')\n", True),
        ("import shop\nREADY = shop.connect()\n", True),
        ("def pytest_configure(config): ...\n", True),
        ("this is no Python", True),
    ],
)
def test_what_a_conftest_does_for_those_who_ask_for_nothing(text: str, prepares: bool) -> None:
    assert prepares_tests(text.encode()) is prepares
