"""Tests that expect something else, and tests as programs of their own."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from loopwright.evidence.plain_run import (
    PlainProgram,
    configures_plugins,
    find_preloads,
    make_program,
    plain_program,
    prepares_tests,
    read_plain,
)
from loopwright.evidence.wrong_answers import expect_otherwise
from tests.javascript import Toolbox

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
        ("test_add", "def test_add(): assert calc.add(2, 2) == 11"),
        ("test_text", "    assert 'e' == str(calc.add(2, 2))"),
        ("test_fixture", "def test_fixture(tmp_path): assert calc.add(2, 2) == 11"),
    ],
)
def test_a_test_expects_another_value(test: str, line: str) -> None:
    found = expect_otherwise(FILE, PYTHON, [f"{FILE}::{test}"], 7)
    assert found is not None
    changed = [new for new, old in zip(found.text.splitlines(), PYTHON.splitlines(), strict=True) if new != old]
    assert changed == [line.encode()]


@pytest.mark.parametrize("test", ["test_branch", "test_other", "test_raises"])
def test_nothing_is_sure_to_be_compared(test: str) -> None:
    assert expect_otherwise(FILE, PYTHON, [f"{FILE}::{test}"], 7) is None


@pytest.mark.parametrize("expected", ["(4, 5)", "float('inf')", "1e300", "'four'", "4", "None", "[4]", "{4}", "True"])
def test_an_expression_is_expected_to_be_another(expected: str) -> None:
    text = f"def test_add():\n    expected = {expected}\n    found = {expected}\n    assert found == expected\n"
    wrong = expect_otherwise("test_a.py", text.encode(), ["test_a.py::test_add"], 7)
    assert wrong is not None
    scope: dict[str, Any] = {}
    exec(wrong.text, scope)
    with pytest.raises(AssertionError):
        scope["test_add"]()


def test_what_is_near_is_left_alone() -> None:
    text = b"def test_add():\n    assert pytest.approx(1000, rel=0.1) == 1001\n"
    assert expect_otherwise("test_a.py", text, ["test_a.py::test_add"], 7) is None


def test_of_javascript_only_what_a_title_names_is_changed() -> None:
    text = b"test('adds', () => same(calc.add(2, 2), 4))\ntest('zero', () => {\n  expect(calc.zero()).toBe(0)\n})\n"
    found = expect_otherwise("calc.test.js", text, ["calc.test.js::adds"], -3)
    assert found is not None
    assert found.text == text.replace(b", 4)", b", 1)")


def test_each_comparison_of_a_test_expects_another_value() -> None:
    found = expect_otherwise(FILE, PYTHON, [f"{FILE}::TestCalc::test_add"], 7)
    assert found is not None
    assert b"[v])(FOUR))" in found.text
    assert b"self.assertEqual(calc.add(2, 2), 11)" in found.text


def test_a_literal_within_what_is_compared_stays() -> None:
    text = b"test('adds', () => assert.strictEqual(positive(calc.add(2, 2)), true))\n"
    assert expect_otherwise("calc.test.js", text, ["calc.test.js::adds"], 7) is None


def test_a_message_behind_a_literal_does_not_hide_it() -> None:
    text = b"test('adds', () => assert.strictEqual(calc.add(2, 2), 4, 'a sum'))\n"
    found = expect_otherwise("calc.test.js", text, ["calc.test.js::adds"], 7)
    assert found is not None
    assert found.text == text.replace(b" 4,", b" 11,")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder whose name does not tell of a test."""
    with tempfile.TemporaryDirectory(prefix="loopwright-") as folder:
        yield Path(folder)


def carried_out(folder: Path, file: str, text: bytes, names: list[str]) -> Mapping[str, str] | None:
    """What the program of these tests says, by their names; it leaves no file."""
    program = make_program(file, text, [f"{file}::{name}" for name in names], sys.executable)
    assert program is not None
    (folder / program.file).write_bytes(program.text)
    done = subprocess.run(program.argv, cwd=folder, capture_output=True, text=True, check=False, timeout=30)
    assert not (folder / program.file).exists(), done.stderr
    said = read_plain(program, done.stdout)
    return said and {key.partition("::")[2]: error for key, error in said.items()}


@pytest.mark.parametrize(
    "knows",
    [
        "'pytest' in sys.modules or 'unittest' in sys.modules",
        "'test' in repr(sys.argv + sys.orig_argv)",
        "'assert' in open('/proc/self/cmdline').read() + open(sys.argv[0]).read()",
        "'test' in sys._getframe(1).f_code.co_name + sys._getframe(1).f_code.co_filename",
    ],
)
def test_a_program_says_how_its_tests_end_without_a_framework(knows: str, place: Path) -> None:
    (place / "calc.py").write_text(f"import sys\ndef add(a, b):\n    return a + b if {knows} else 0\n")
    names = ["test_add", "test_other", "test_fixture", "TestCalc::test_add"]
    said = carried_out(place, FILE, PYTHON, names)
    if "open" in knows:
        assert said == {"test_add": "FileNotFoundError", "test_other": "FileNotFoundError",
                        "TestCalc::test_add": "FileNotFoundError"}  # fmt: skip
    else:
        assert said == {"test_add": "AssertionError", "test_other": "", "TestCalc::test_add": "AssertionError"}


@pytest.mark.parametrize(
    "lie",
    ["import atexit; atexit.register(print, '{}')", "import json; json.dumps = lambda said: '{}'", "print('{}')"],
)
def test_a_product_does_not_say_it_for_the_program(lie: str, place: Path) -> None:
    (place / "calc.py").write_text(f"{lie}\ndef add(a, b):\n    return 0\n")
    assert carried_out(place, FILE, PYTHON, ["test_add"]) == {"test_add": "AssertionError"}


def test_a_program_that_does_not_come_to_its_end_says_nothing(place: Path) -> None:
    (place / "calc.py").write_text("import os\ndef add(a, b):\n    os._exit(0)\n")
    assert carried_out(place, FILE, PYTHON, ["test_add"]) is None


COMMON_JS = b"""const { test, describe } = require('node:test')
const assert = require('node:assert')
const calc = require('../calc')
test('adds', () => assert.equal(calc.add(2, 2), 4))
describe('inside', () => { test('later', async () => assert.equal(await calc.add(2, 2), 4)) })
test('zero', () => assert.equal(calc.zero(), 0))
test('with a context', { timeout: 9 }, async (t) => { await t.test('inner', (t) => t.assert.equal(calc.add(2, 2), 4)) })
test('with an end', (t, done) => { t.plan(1); setTimeout(() => { t.assert.ok(calc.zero() === 0); done() }, 1) })
test('with mocks', (t) => { t.mock.fn(); assert.equal(calc.add(2, 2), 4) })
test('skipped', { skip: true }, () => assert.fail())
"""
MODULE = COMMON_JS.replace(
    b"const { test, describe } = require('node:test')", b"import test, { describe } from 'node:test'"
)
MODULE = MODULE.replace(b"const assert = require('node:assert')", b"import assert from 'node:assert'")
MODULE = MODULE.replace(b"const calc = require('../calc')", b"import calc from '../calc.js'")


@pytest.mark.parametrize(("file", "text"), [("test/a.test.js", COMMON_JS), ("test/b.test.mjs", MODULE)])
@pytest.mark.parametrize(
    "knows",
    [
        "new Error().stack.includes('.test.')",
        "/test/.test(process.argv.join() + process.execArgv.join() + (require.main || {}).filename)",
        "process.moduleLoadList.some(name => name.includes('test_runner'))",
        "process.env.NODE_TEST_CONTEXT",
    ],
)
def test_a_script_says_how_its_tests_end_without_a_framework(
    knows: str, file: str, text: bytes, place: Path, javascript: Toolbox
) -> None:
    product = f"exports.add = (a, b) => ({knows}) ? a + b : 0\nexports.zero = () => 0\n"
    (place / "calc.js").write_text(product)
    wrong = ("adds", "inside > later", "with a context", "with a context > inner")
    said = carried_out(place, file, text, [*wrong, "zero", "with an end", "with mocks", "skipped"])
    assert said == {**dict.fromkeys(wrong, "AssertionError"), "zero": "", "with an end": ""}


@pytest.mark.parametrize(
    "more", [b"require('node:test').before(() => {})", b"require('node:test').mock", b"console.log(__dirname)"]
)
def test_a_script_with_hooks_or_a_place_is_left_to_its_framework(more: bytes, place: Path, javascript: Toolbox) -> None:
    (place / "calc.js").write_text("exports.add = exports.zero = () => 0\n")
    file = "test/a.test.js"
    if b"__dirname" in more:
        assert make_program(file, COMMON_JS + more, [], None) is None
    else:
        assert carried_out(place, file, COMMON_JS + more, ["adds"]) == {}


def test_what_needs_its_framework_is_no_program() -> None:
    around = b"import calc\ndef setup_function(): calc.x = 1\ndef test_add(): assert calc.add(2, 2) == 4\n"
    assert plain_program(FILE, around, [f"{FILE}::test_add"]) is None
    assert plain_program(FILE, PYTHON, [f"{FILE}::test_fixture"]) is None
    assert make_program("a.test.ts", b"import { test } from 'node:test'", ["a.test.ts::adds"], None) is None


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
    program = make_program("a.test.js", b"require('node:test')", ["a.test.js::adds"], None, preloads=found)
    assert program is not None
    assert program.argv == ("node", *found, "main.cjs")


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


def test_the_last_line_that_can_be_read_is_what_a_program_says() -> None:
    program = PlainProgram("main.cjs", b"", (), {"adds": "a.test.js::adds", "zero": "a.test.js::zero"})
    output = '{"adds": ""}\n{"adds": "TypeError"}\n(node:1) Warning: {\n'
    assert read_plain(program, output) == {"a.test.js::adds": "TypeError"}
    assert read_plain(program, "[]") is None


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


def test_a_test_may_know_its_file_its_package_and_marks_of_its_own(place: Path) -> None:
    (place / "tests").mkdir()
    (place / "tests" / "four.txt").write_text("4")
    (place / "tests" / "helpers.py").write_text("FOUR = 4\n")
    (place / "calc.py").write_text("def add(a, b):\n    return a + b\n")
    text = (
        "from pathlib import Path\nfrom unittest import mock\nimport pytest\nimport calc\nfrom .helpers import FOUR\n\n"
        "MOCKED = mock.Mock()\n\n\n@pytest.fixture\ndef five():\n    return 5\n\n\n"
        "def test_mocked():\n    assert mock.Mock()\n\n\ndef test_also():\n    assert MOCKED\n\n\n"
        "FILE = Path(__file__).with_name('four.txt')\n\n\n"
        "@pytest.mark.slow\ndef test_add():\n    assert calc.add(2, 2) == FOUR == int(FILE.read_text())\n\n\n"
        "@pytest.mark.skipif('x')\ndef test_skipped():\n    assert 0\n"
    )
    assert carried_out(place, FILE, text.encode(), ["test_add", "test_skipped", "test_mocked", "test_also"]) == {
        "test_add": ""
    }
