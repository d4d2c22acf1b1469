"""What tests read is theirs, whatever it is called; what the product reads, or what tests are about, is not."""

from collections.abc import Mapping

from loopwright.evidence.oracles import list_oracles
from loopwright.evidence.testing import TestResult, TestRun
from tests.tables import each

CALC = {"calc.py": "def add(a, b):\n    return a + b\n", "tests/test_calc.py": "import calc\n"}
JS = {"calc.js": "exports.add = (a, b) => a + b\n"}
TEST = ("tests/test_calc.py",)
CALLED = "import calc\nimport other\n\ndef test():\n    other.check(calc.add)\n"
USED = "import calc\nimport other\n\ndef test():\n    assert other.check(calc.add)\n"
ASSERTS = "def check(add):\n    assert add(1, 2) == 3\n"


def found(
    files: Mapping[str, str],
    opened: Mapping[str, tuple[str, ...]] | None = None,
    imports: tuple[str, ...] = ("calc.py",),
    command: str = "pytest",
) -> tuple[str, ...]:
    run = TestRun(
        command=command,
        runner="pytest",
        results=(TestResult(test_name="test", suite="tests/test_calc.py", status="passed"),),
        imports={"tests/test_calc.py": imports} if opened is not None else {},
        opened=dict(opened or {}),
    )
    return list_oracles(run, files, lambda file: files.get(file, ""), command)


@each(
    ("files", "opened", "oracles"),
    [
        ({**CALC, "golden/in.json": ""}, {"golden/in.json": TEST}, ("golden/in.json",)),
        ({**CALC, "golden/in.json": ""}, {"golden/in.json": ("calc.py",)}, ()),
        ({**CALC, "golden/in.json": ""}, {"golden/in.json": (*TEST, "calc.py")}, ()),
        ({**CALC, "golden/in.json": "", "b.py": "open('golden/in.json')"}, {"golden/in.json": TEST}, ()),
        ({**CALC, "pyproject.toml": "", "package.json": ""}, {"pyproject.toml": TEST, "package.json": TEST}, ()),
    ],
)
def test_data_is_of_the_tests_where_they_alone_open_it(
    files: dict[str, str], opened: dict[str, tuple[str, ...]], oracles: tuple[str, ...]
) -> None:
    assert found(files, opened) == oracles


def test_what_tests_are_about_is_no_oracle_of_theirs() -> None:
    assert found({**CALC, "README.md": ""}, {"README.md": TEST}, imports=()) == ()


@each(
    ("other", "test", "is_oracle"),
    [
        (ASSERTS, CALLED, True),
        (ASSERTS, USED, False),
        ("def check(add):\n    add(1, 2)\n", CALLED, False),
        ("import pytest\n\n" + ASSERTS, USED, True),
        ("ADDED = {(1, 2): 3}\n", USED, True),
    ],
)
def test_a_module_is_of_the_tests_where_it_judges_for_them(other: str, test: str, is_oracle: bool) -> None:
    files = {**CALC, "other.py": other, "tests/test_calc.py": test}
    assert found(files, {}, imports=("calc.py", "other.py")) == (("other.py",) if is_oracle else ())


def test_a_helper_may_be_read_by_a_helper() -> None:
    files = {**CALC, "checks.py": f"import pytest\nimport expected\n{ASSERTS}", "expected.py": "X = 1\n"}
    opened = {"expected.py": ("checks.py",)}
    assert found(files, opened, imports=("calc.py", "checks.py")) == ("checks.py", "expected.py")


@each(
    ("test", "oracles"),
    [
        ("require('../calc'); read(join(__dirname, '..', 'golden', 'in.json'))", ("golden/in.json",)),
        ("require('../calc'); require('../checks')", ("checks.js",)),
        ("require('../calc')", ()),
    ],
)
def test_where_nothing_is_measured_it_is_what_tests_name(test: str, oracles: tuple[str, ...]) -> None:
    checks = "const assert = require('assert')\nexports.check = add => assert(add(1, 2) === 3)\n"
    assert found({**JS, "checks.js": checks, "golden/in.json": "", "tests/a.test.js": test}) == oracles


def test_scripts_that_the_command_runs() -> None:
    files = {"Makefile": "include test.mk\n", "test.mk": "test:\n\tsh scripts/test.sh\n", "scripts/test.sh": "pytest\n",
             "scripts/build.sh": "make\n"}  # fmt: skip
    assert found(files, command="make test") == ("scripts/test.sh", "test.mk")
