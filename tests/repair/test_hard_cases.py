"""Suites that hang, crash, depend on their order or on chance, or cannot be loaded: an answer, and a clear one."""

from pathlib import Path

from tests.repair.asking import diagnose, mended, search

SHOP = """import time


def discount(total, member):
    if member and total > 100:
        return total * 0.9
    return total


def poll(box, total):
    while not box.get(discount(total, False)):
        time.sleep(0.01)
    return True
"""
SHOP_TESTS = """from shop import discount


def test_member():
    assert discount(100, True) == 90


def test_rich_member():
    assert discount(200, True) == 180


def test_guest():
    assert discount(100, False) == 100
"""
RIGHT = ("total > 100", "total >= 100")
MEMBER = "test_shop.py::test_member"


def test_tests_that_never_end_beside_a_fault(tmp_path: Path) -> None:
    """Those that wait run the faulty function, too, so that none of its edits can be tried without them."""
    waiting = (
        "import threading\nimport time\n\nfrom shop import discount, poll\n\n\n"
        "def test_sleeps():\n    assert discount(5, True) == 5\n    time.sleep(10**6)\n\n\n"
        "def test_locked():\n    lock = threading.Lock()\n    lock.acquire()\n    discount(5, True)\n"
        "    lock.acquire()\n\n\n"
        "def test_polls():\n    poll({}, 5)\n"
    )
    spinning = "def test_spins():\n    while True:\n        pass\n"
    files = {"shop.py": SHOP, "test_shop.py": SHOP_TESTS, "test_waiting.py": waiting, "test_spinning.py": spinning}
    found = search(tmp_path, files, budget=16)
    assert mended(files, found, *RIGHT)
    assert found.patch is not None
    assert found.patch.fixes == (MEMBER,)
    never = [f"test_waiting.py::test_{name}" for name in ("sleeps", "locked", "polls")]
    assert set(found.patch.still_failing) == {*never, "test_spinning.py::test_spins"}
    assert "test_waiting.py::test_sleeps is left for later: it waited" in found.note
    assert "at test_waiting.py:9" in found.note
    assert "at shop.py:1" in found.note  # where test_polls was


def test_a_diagnosis_names_the_place_where_a_test_waits(tmp_path: Path) -> None:
    waiting = "from shop import poll\n\n\ndef test_polls():\n    assert poll({}, 5)\n"
    found = diagnose(tmp_path, {"shop.py": SHOP, "test_waiting.py": waiting}, budget=20)
    assert found.active_bug.startswith("test_waiting.py::test_polls: TimeUp: waited")
    assert {one.logging_point for one in found.hypotheses} >= {"shop.py:poll:11", "shop.py:poll:12"}
    waits = next(one for one in found.hypotheses if one.logging_point == "shop.py:poll:12")
    assert waits.evidence is not None
    assert waits.evidence["exceptions"] == ["TimeUp"]
    assert found.probes


def test_a_fault_that_waits_for_ever(tmp_path: Path) -> None:
    program = (
        "import time\n\n\ndef drain(jobs):\n    done = 0\n    while len(jobs) >= 0:\n        if jobs:\n"
        "            jobs.pop()\n            done += 1\n        else:\n            time.sleep(0.01)\n    return done\n"
    )
    program += "\n\ndef count(jobs):\n    return len(jobs)\n"
    tests = (
        "from jobs import count, drain\n\n\ndef test_drain():\n    assert drain([1, 2]) == 2\n\n\n"
        "def test_count():\n    assert count([1]) == 1\n"
    )
    files = {"jobs.py": program, "test_jobs.py": tests}
    found = search(tmp_path, files, budget=25)
    assert mended(files, found, ">= 0", "> 0")


def test_a_fault_that_computes_for_ever(tmp_path: Path) -> None:
    program = (
        "def digits(number):\n    found = 0\n    while number >= 0:\n        number //= 10\n"
        "        found += 1\n    return found\n\n\ndef is_long(number):\n    return number > 999\n"
    )
    tests = (
        "from digits import digits, is_long\n\n\ndef test_digits():\n    assert digits(407) == 3\n\n\n"
        "def test_long():\n    assert is_long(1000)\n"
    )
    files = {"digits.py": program, "test_digits.py": tests}
    assert mended(files, search(tmp_path, files, budget=25), ">= 0", "> 0")


def test_a_search_that_finds_nothing_ends_with_its_budget(tmp_path: Path) -> None:
    """Each candidate takes two thirds of a second; the bound is in `search`."""
    program = (
        "import time\n\n\ndef spin(seconds):\n    end = time.process_time() + seconds\n"
        "    while time.process_time() < end:\n        pass\n\n\n"
        "def roman(number):\n    spin(0.6)\n    raise NotImplementedError(number)\n"
    )
    tests = "from roman import roman\n\n\ndef test_four():\n    assert roman(4) == 'IV'\n"
    found = search(tmp_path, {"roman.py": program, "test_roman.py": tests}, budget=6)
    assert found.patch is None


CRASHES = """import ctypes
import os

import pytest
from shop import discount


def test_segfault():
    discount(5, True)
    ctypes.string_at(0)


def test_leaves():
    discount(5, True)
    os._exit(3)


def test_exits():
    discount(5, True)
    raise SystemExit(3)


def test_ends_the_session():
    discount(5, True)
    pytest.exit("enough")


def test_interrupts():
    discount(5, True)
    raise KeyboardInterrupt


def test_deep():
    def deeper(n):
        return deeper(n + discount(5, True))

    deeper(0)
"""


def test_tests_that_end_the_interpreter_beside_a_fault(tmp_path: Path) -> None:
    files = {"shop.py": SHOP, "test_a_crash.py": CRASHES, "test_shop.py": SHOP_TESTS}
    found = search(tmp_path, files)
    assert mended(files, found, *RIGHT)
    assert found.patch is not None
    assert found.patch.fixes == (MEMBER,)
    assert len(found.patch.still_failing) == 6
    assert (
        "test_a_crash.py::test_segfault is left for later: it ends the interpreter (signal 11 (SIGSEGV))" in found.note
    )
    assert "test_a_crash.py::test_leaves is left for later: it ends the interpreter (exit status 3)" in found.note
    assert "at test_a_crash.py:15" in found.note


def test_a_fault_that_ends_the_interpreter(tmp_path: Path) -> None:
    program = (
        "import os\n\n\ndef check(load):\n    if load > 10:\n        halt()\n    return load\n\n\n"
        "def halt():\n    os._exit(3)\n"
    )
    tests = (
        "from guard import check\n\n\ndef test_low():\n    assert check(5) == 5\n\n\n"
        "def test_full():\n    assert check(11) == 11\n"
    )
    files = {"guard.py": program, "test_guard.py": tests}
    found = search(tmp_path, files)
    assert mended(files, found, "load > 10", "load > 11")
    said = diagnose(tmp_path, files)
    assert said.active_bug == "test_guard.py::test_full: the interpreter's end: exit status 3"
    assert {one.logging_point for one in said.hypotheses} >= {"guard.py:check:5", "guard.py:halt:11"}


def test_a_recursion_without_end(tmp_path: Path) -> None:
    program = "def total(items):\n    if items is None:\n        return 0\n    return items[0] + total(items[1:])\n"
    deep = "def depth(tree):\n    if tree == 0:\n        return 0\n    return 1 + depth(tree - 2)\n"
    tests = (
        "from deep import depth\n\n\ndef test_odd():\n    assert depth(3) == 2\n\n\n"
        "def test_even():\n    assert depth(4) == 2\n"
    )
    files = {"deep.py": deep, "sums.py": program, "test_deep.py": tests}
    assert mended(files, search(tmp_path, files), "tree == 0", "tree <= 0")


def test_a_test_that_fails_only_in_order(tmp_path: Path) -> None:
    program = (
        "_known = {}\n\n\ndef area(width, height):\n    key = width\n    if key not in _known:\n"
        "        _known[key] = width * height\n    return _known[key]\n"
    )
    tests = (
        "from area import area\n\n\ndef test_low():\n    assert area(2, 3) == 6\n\n\n"
        "def test_high():\n    assert area(2, 5) == 10\n"
    )
    found = search(tmp_path, {"area.py": program, "test_area.py": tests}, "test_area.py::test_high")
    assert found.patch is not None, found.note
    assert found.patch.still_failing == ()
    assert "the order of the tests matters here" in found.note


def test_tests_that_spoil_each_other(tmp_path: Path) -> None:
    """Nothing is wrong with the program: no patch, and the note says what is."""
    tests = (
        "from stock import stock\n\nSHARED = ['tea']\n\n\ndef test_add():\n    SHARED.append('milk')\n"
        "    assert stock(SHARED) == 2\n\n\ndef test_one():\n    assert stock(SHARED) == 1\n"
    )
    files = {"stock.py": "def stock(items):\n    return len(items)\n", "test_stock.py": tests}
    found = search(tmp_path, files, "test_stock.py::test_one", budget=6)
    assert found.patch is None
    assert "the order of the tests matters here" in found.note
    said = diagnose(tmp_path, files, "test_stock.py::test_one")
    assert "test_stock.py::test_one passes without the tests before it" in said.note


def test_a_test_that_fails_once_refutes_no_patch(tmp_path: Path) -> None:
    """Chance that can be foretold: it fails in the first fresh process that tries a patch, and in no other."""
    flaky = (
        "import tempfile\nfrom pathlib import Path\n\n\ndef test_moody():\n"
        "    been = Path(tempfile.gettempdir(), Path.cwd().parent.name)\n    first = not been.exists()\n"
        "    been.touch()\n    assert not (first and 'confirm' in been.name)\n"
    )
    files = {"shop.py": SHOP, "test_shop.py": SHOP_TESTS, "test_flaky.py": flaky}
    found = search(tmp_path, files, MEMBER)
    assert mended(files, found, *RIGHT)
    assert "with the same patch these tests failed and passed: test_flaky.py::test_moody" in found.note
