"""Suites that cannot be loaded, that have nothing to mend, that are large; and the same order given twice."""

from pathlib import Path

import pytest

from tests.repair.asking import diagnose, mended, search

ADD = "def add(a, b):\n    return a - b\n"
MINUS = ("a - b", "a + b")
TESTS = "from adding import add\n\n\ndef test_add():\n    assert add(2, 3) == 5\n"


def test_a_missing_module(tmp_path: Path) -> None:
    files = {"adding.py": "import no_such_module\n\n\n" + ADD, "test_adding.py": TESTS}
    found = search(tmp_path, files)
    assert found.patch is None
    assert "adding.py, line 1: ModuleNotFoundError: No module named 'no_such_module'" in found.note
    (place,) = diagnose(tmp_path / "again", files).hypotheses
    assert place.logging_point == "adding.py:<module>:1"
    said = "`import no_such_module` (adding.py, line 1) cannot be loaded: ModuleNotFoundError: No module named"
    assert place.description.startswith(said)


def test_a_file_that_raises_when_it_is_loaded_beside_others(tmp_path: Path) -> None:
    files = {
        "adding.py": ADD,
        "prices.py": "def vat(rates):\n    return rates['full']\n\n\nFULL = vat({})\n",
        "test_adding.py": TESTS,
        "test_lacking.py": "from adding import subtract\n\n\ndef test_subtract():\n    assert subtract(3, 2) == 1\n",
        "test_prices.py": "import prices\n\n\ndef test_full():\n    assert prices.FULL == 19\n",
    }
    found = diagnose(tmp_path, files)
    assert [one.logging_point for one in found.hypotheses[:2]] == ["adding.py:<module>:1", "prices.py:<module>:2"]
    assert "cannot import name 'subtract' from 'adding'" in found.hypotheses[0].description
    assert "cannot be loaded: KeyError: 'full'" in found.hypotheses[1].description
    assert mended(files, search(tmp_path / "search", files), *MINUS)


@pytest.mark.parametrize("name", ["test_adding.py", "conftest.py", "adding.py"])
def test_a_file_that_is_no_python(name: str, tmp_path: Path) -> None:
    files = {"adding.py": ADD, "test_adding.py": TESTS, "conftest.py": "X = 1\n"}
    files[name] += "def broken(:\n    pass\n"
    line = files[name].count("\n") - 1
    said = diagnose(tmp_path, files)
    assert said.active_bug.startswith(f"{name}, line {line}: SyntaxError")
    assert [one.logging_point for one in said.hypotheses] == [f"{name}:<module>:{line}"]
    found = search(tmp_path, files)
    assert found.patch is None
    assert f"{name}, line {line}: SyntaxError" in found.note
    assert "no edit can be tested before that is fixed" in found.note


def test_a_file_that_is_no_python_beside_a_fault(tmp_path: Path) -> None:
    files = {"adding.py": ADD, "test_adding.py": TESTS, "test_b.py": "def broken(:\n"}
    found = search(tmp_path, files)
    assert mended(files, found, *MINUS)
    assert "test_b.py, line 1: SyntaxError" in found.note
    assert "no edit can be tested" not in found.note


@pytest.mark.parametrize(
    ("conftest", "words"),
    [
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("raise RuntimeError('no database')\n", "no database"),
        ("import sys\n\nsys.exit(7)\n", "SystemExit: 7"),
        ("import os\n\nos._exit(7)\n", "exit status 7"),
    ],
)
def test_a_conftest_that_does_not_load(conftest: str, words: str, tmp_path: Path) -> None:
    found = search(tmp_path, {"adding.py": ADD, "test_adding.py": TESTS, "conftest.py": conftest})
    assert found.patch is None
    assert words in found.note
    assert "conftest.py" in found.note


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import sys; sys.exit(5)", "SystemExit: 5"),
        ("import os; os._exit(5)", "exit status 5"),
        ("import ctypes; ctypes.string_at(0)", "SIGSEGV"),
        ("while True: pass", "did not end in time"),
        ("import time; time.sleep(10**6)", "did not end in time"),
    ],
)
def test_a_program_that_ends_or_hangs_while_it_is_loaded(line: str, words: str, tmp_path: Path) -> None:
    found = search(tmp_path, {"adding.py": f"{ADD}\n\n{line}\n", "test_adding.py": TESTS}, budget=6)
    assert found.patch is None
    assert words in found.note
    assert "adding.py" in found.note


def test_a_project_without_tests(tmp_path: Path) -> None:
    found = search(tmp_path, {"adding.py": ADD})
    assert (found.patch, found.hypotheses) == (None, ())
    assert "no tests were collected" in found.note


def test_a_project_whose_tests_pass(tmp_path: Path) -> None:
    found = search(tmp_path, {"adding.py": ADD.replace(*MINUS), "test_adding.py": TESTS})
    assert (found.patch, found.hypotheses) == (None, ())
    assert found.note == "no test fails on the copy of the project: 1 of 1 passed"
    named = search(tmp_path, {}, "test_adding.py::test_gone")
    assert "no test is called 'test_adding.py::test_gone'" in named.note


def test_a_thousand_tests(tmp_path: Path) -> None:
    program = (
        "def kind(number):\n    if number % 400 == 0:\n        return 'long'\n    return 'short' if number else ''\n"
    )
    tests = (
        "import pytest\nfrom kinds import kind\n\n\n@pytest.mark.parametrize('number', range(1000))\n"
        "def test_kind(number):\n    assert kind(number) == ('long' if number % 200 == 0 else 'short')\n"
    )
    files = {"kinds.py": program, "test_kinds.py": tests}
    found = search(tmp_path, files)
    assert mended(files, found, "400", "200")
    assert found.patch is not None
    assert found.patch.fixes == tuple(f"test_kinds.py::test_kind[{n}]" for n in range(200, 1000, 400))


def test_a_module_of_five_thousand_lines(tmp_path: Path) -> None:
    parts = [
        f"def part_{n}(items, limit={n}):\n    found = []\n    for item in items:\n        if item > limit:\n"
        f"            found.append(item - {n})\n        elif item == 0:\n            break\n    return found\n\n\n"
        for n in range(500)
    ]
    program = "".join(parts)
    wrong = program.replace(
        "item > limit:\n            found.append(item - 250)", "item < limit:\n            found.append(item - 250)"
    )
    calls = "".join(f"    assert part_{n}([{n + 2}, 0]) == [2]\n" for n in range(1, 500, 25) if n != 250)
    tests = (
        f"from big import *\n\n\ndef test_others():\n{calls}\n\ndef test_middle():\n"
        "    assert part_250([251, 0, 252]) == [1]\n"
    )
    files = {"big.py": wrong, "test_big.py": tests}
    assert wrong.count("\n") >= 5000
    found = search(tmp_path, files)
    assert found.patch is not None, found.note
    assert found.patch.new_text == program


def test_the_same_order_twice_gives_the_same_diagnosis(tmp_path: Path) -> None:
    program = (
        "def late_fee(days, member):\n    if days < 0:\n        return 0\n    fee = days * 2\n"
        "    if member and fee > 10:\n        fee = fee - 2\n    return min(fee, 20)\n"
    )
    tests = (
        "import pytest\nfrom fees import late_fee\n\n\n"
        "@pytest.mark.parametrize(('days', 'member', 'fee'), [(1, False, 2), (5, True, 8), (4, True, 8), "
        "(30, False, 20), (-1, True, 0), (9, True, 16)])\n"
        "def test_fee(days, member, fee):\n    assert late_fee(days, member) == fee\n"
    )
    files = {"fees.py": program, "test_fees.py": tests}
    asked = diagnose(tmp_path, files)
    again = diagnose(tmp_path, {})
    untimed = [[hit.evolve(ts="") for hit in one.probes] for one in (asked, again)]
    assert (asked.hypotheses, asked.active_bug, asked.note, untimed[0]) == (
        again.hypotheses, again.active_bug, again.note, untimed[1],
    )  # fmt: skip


def test_warnings_are_errors_and_there_are_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Plugins are loaded before pytest does so, which it warns about."""
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    files = {"adding.py": ADD, "test_adding.py": TESTS, "pytest.ini": "[pytest]\nfilterwarnings = error\n"}
    assert mended(files, search(tmp_path, files), *MINUS)


def test_a_pytest_that_raises_is_told(tmp_path: Path) -> None:
    files = {"adding.py": ADD, "test_adding.py": TESTS, "pytest.ini": "[pytest]\nfilterwarnings = no_such_action\n"}
    found = search(tmp_path, files)
    assert found.patch is None
    assert "no_such_action" in found.note


def test_tests_whose_names_tell_the_time(tmp_path: Path) -> None:
    """They are others each time that they are collected."""
    tests = (
        "import time\nimport pytest\nfrom adding import add\n\n\n"
        "@pytest.mark.parametrize('now', [time.time_ns(), 5])\n"
        "def test_add(now):\n    assert add(now, 3) == now + 3\n\n\n"
        "@pytest.mark.parametrize('now', [str(time.time_ns())])\n"
        "def test_nothing(now):\n    assert add(2, 0) == 2\n"
    )
    files = {"adding.py": ADD, "test_adding.py": tests}
    found = search(tmp_path, files)
    assert mended(files, found, *MINUS)
    assert "did not reproduce" not in found.note


def test_a_test_that_fails_in_every_fresh_copy_is_no_veto(tmp_path: Path) -> None:
    place = (
        "import os\n\n\ndef test_place():\n    assert os.path.basename(os.getcwd()).startswith(('lane', 'project'))\n"
    )
    files = {"adding.py": ADD, "test_adding.py": TESTS, "test_place.py": place}
    found = search(tmp_path / "project", files)
    assert mended(files, found, *MINUS)
    assert "these tests fail without the patch, too: test_place.py::test_place" in found.note
