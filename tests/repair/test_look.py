"""Looking around with the real worker: tests run again, statements ranked, lines watched; and nothing is changed."""

import asyncio
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import TypeVar

import pytest

from loopwright.core.errors import Invalid
from loopwright.evidence.debugging import DebugRequest, ProbeOrder, ProbeResult
from loopwright.repair.debugger import PythonDebugger
from loopwright.repair.probes import owner_of
from tests.repair.cases import write

T = TypeVar("T")

SHOP = """\
import threading

LIMIT = 100


class Cart:
    def __init__(self):
        self.items = []

    def add(self, price, count=1):
        self.items.append((price, count))

    def total(self, member=False):
        total = 0
        for price, count in self.items:
            total = total + price * count
        if member and total > LIMIT:
            return total * 0.9
        return total


def apart(values):
    found = []
    worker = threading.Thread(target=lambda: found.append(
        sum(values)
    ))
    worker.start()
    worker.join()
    return found[0]
"""
TESTS = """\
import pytest
from shop import Cart, apart


@pytest.mark.parametrize(("prices", "expected"), [((50,), 50), ((50, 50), 90), ((200,), 180)])
def test_member(prices, expected):
    cart = Cart()
    for price in prices:
        cart.add(price)
    assert cart.total(True) == expected


def test_guest():
    cart = Cart()
    cart.add(100)
    assert cart.total() == 100


def test_apart():
    assert apart([1, 2]) == 4
"""
FAILING = "test_shop.py::test_member[prices1-90]"
COMPARED, SUMMED, APART = 17, 16, 25


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    project = tmp_path / "shop"
    write({"shop.py": SHOP, "test_shop.py": TESTS}, project)
    return project


def request(project: Path, *failing: str, **more: object) -> DebugRequest:
    given = {"project": str(project), "python": sys.executable, "test_command": "python -m pytest", "failing": failing}
    return DebugRequest.model_validate({"budget_seconds": 30, **given, **more})


def asked(work: Coroutine[object, object, T]) -> T:
    return asyncio.run(work)


def probe(
    project: Path, line: int, *expressions: str, tests: tuple[str, ...] = (FAILING,), **more: object
) -> ProbeResult:
    given = {"file": "shop.py", "func": None, "line": line, "expressions": expressions, **more}
    return asked(PythonDebugger("look").probe(request(project, *tests), ProbeOrder.model_validate(given)))


def values(seen: ProbeResult) -> list[dict[str, object]]:
    return [dict(hit.data) for test in seen.tests for hit in test.hits]


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_failing_tests_are_run_again_and_say_where_they_came_from(shop: Path) -> None:
    before = files(shop)
    found = asked(PythonDebugger("look").run_tests(request(shop)))
    assert (found.passed, found.failed, found.skipped, found.note) == (3, 2, 0, "")
    first, second = found.tests
    assert (first.test, first.status, first.error, first.place) == (
        FAILING, "failed", "AssertionError", "test_shop.py:10 in test_member",
    )  # fmt: skip
    assert first.message.startswith("assert 100 == 90")
    assert second.test == "test_shop.py::test_apart"
    assert files(shop) == before


def test_tests_that_are_named_are_told_also_when_they_pass(shop: Path) -> None:
    found = asked(PythonDebugger("look").run_tests(request(shop, "test_guest", FAILING)))
    assert [(test.test, test.status) for test in found.tests] == [
        (FAILING, "failed"), ("test_shop.py::test_guest", "passed"),
    ]  # fmt: skip
    with pytest.raises(Invalid, match=r"tests: none is called 'test_nope'; the first of 5 is 'test_shop.py::test_mem"):
        asked(PythonDebugger("look").run_tests(request(shop, FAILING, "test_nope")))


def test_a_project_without_a_failure_says_so(shop: Path) -> None:
    (shop / "test_shop.py").write_text("def test_fine():\n    pass\n")
    debugger = PythonDebugger("look")
    assert asked(debugger.run_tests(request(shop))).note == "no test fails on the copy of the project (1 passed)"
    assert asked(debugger.rank(request(shop), 5)).note == "no test fails on the copy of the project (1 collected)"
    before = asked(debugger.rank(request(shop, "test_shop.py::test_fine"), 5))
    assert before.note == "none of the tests that failed before fails on the copy of the project (1 collected)"


def test_a_project_whose_tests_can_not_be_loaded_says_why(shop: Path) -> None:
    (shop / "test_shop.py").write_text("import no_such_module\n")
    for work in (PythonDebugger("look").run_tests(request(shop)), PythonDebugger("look").rank(request(shop), 5)):
        with pytest.raises(
            Invalid, match=r"(?s)^no tests were collected on the copy .*No module named 'no_such_module'"
        ):
            asked(work)
    (shop / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    with pytest.raises(Invalid, match=r"(?s)^no tests were collected on the copy .*--no-such-option"):
        asked(PythonDebugger("look").run_tests(request(shop, FAILING)))


def test_statements_are_ranked_with_their_counts(shop: Path) -> None:
    debugger, order = PythonDebugger("look"), request(shop, FAILING)
    found = asked(debugger.rank(order, 200))
    assert (len(found.statements), found.failing_tests, found.passing_tests) == (found.total, 1, 3)
    assert [one.rank for one in found.statements] == list(range(1, found.total + 1))
    scores = [one.score for one in found.statements]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    (last,) = (one for one in found.statements if one.line == 19)
    assert (last.file, last.func, last.code, last.failing, last.passing) == (
        "shop.py",
        "Cart.total",
        "return total",
        1,
        2,
    )
    assert asked(debugger.rank(order, 3)).statements == found.statements[:3]


def test_a_line_shows_its_variables_each_time_just_before_it_runs(shop: Path) -> None:
    before = files(shop)
    seen = probe(shop, SUMMED)
    assert (seen.place, seen.code) == ("shop.py:Cart.total:16", "total = total + price * count")
    assert values(seen) == [
        {"self": "Cart(items=[(50, 1), (50, 1)])", "member": "True", "total": total, "price": "50", "count": "1"}
        for total in ("0", "50")
    ]
    (test,) = seen.tests
    assert (test.test, test.status, test.reached) == (FAILING, "failed", 2)
    assert {(hit.hid, hit.func, hit.line) for hit in test.hits} == {("probe", "Cart.total", SUMMED)}
    assert files(shop) == before


def test_expressions_see_the_frame_and_its_module_and_what_goes_wrong_is_their_value(shop: Path) -> None:
    seen = probe(
        shop, COMPARED, "total > LIMIT", "[p for p, c in self.items if c < total]", "self.nope", "1 / 0",
        "exec('while True: pass')", "exit(3)", "self.total() and 7", "'é' * 9_000", "[[i] * 99 for i in range(99)]",
    )  # fmt: skip
    (found,) = values(seen)
    assert found["total > LIMIT"] == "False"
    assert found["[p for p, c in self.items if c < total]"] == "[50, 50]"
    assert found["self.nope"] == "<raised AttributeError: 'Cart' object has no attribute 'nope'>"
    assert found["1 / 0"] == "<raised ZeroDivisionError: division by zero>"
    assert found["exec('while True: pass')"] == "<took longer than 1 s>"
    assert found["exit(3)"] == "<raised SystemExit: 3>"
    assert found["self.total() and 7"] == "7", "an expression may come to its own line"
    assert all(len(str(value)) <= 2_001 for value in found.values())
    assert seen.tests[0].status == "failed", "with the error of its own"
    assert seen.tests[0].error == "AssertionError"


def test_private_names_mean_what_they_mean_in_the_source(tmp_path: Path) -> None:
    write({
        "account.py": "class _Account:\n    def __init__(self):\n        self.__total = 7\n\n    def check(self):\n"
                      "        def inner():\n            return self.__total\n\n        return inner()\n",
        "test_account.py": "from account import _Account\ndef test_check():\n    assert _Account().check() == 8\n",
    }, tmp_path)  # fmt: skip
    given = ProbeOrder(file="account.py", func="inner", line=7, expressions=("self.__total", "self.__class__.__name__"))
    seen = asked(PythonDebugger("look").probe(request(tmp_path), given))
    assert seen.place == "account.py:_Account.check.inner:7"
    assert values(seen) == [{"self.__total": "7", "self.__class__.__name__": "'_Account'"}]


@pytest.mark.parametrize(
    ("func", "owner"),
    [
        ("A.m", "A"), ("A.m.<locals>.inner", "A"), ("f.<locals>.g", None), ("f", None), ("f.<locals>.A.m", "A"),
        ("A.B.m", "B"), ("<module>", None), ("", None),
    ],
)  # fmt: skip
def test_the_class_around_a_function(func: str, owner: str | None) -> None:
    assert owner_of(func) == owner


def test_what_an_expression_writes_stays_in_the_copy(shop: Path, tmp_path: Path) -> None:
    before = files(shop)
    probe(shop, COMPARED, "open('shop.py', 'w').write('broken')", "self.items.clear()")
    assert files(shop) == before


@pytest.mark.parametrize("expression", ["while True", "x = 1", "total +", "\0", "("])
def test_what_is_no_expression_is_refused(shop: Path, expression: str) -> None:
    with pytest.raises(Invalid, match=r"^expressions: .* is not a Python expression: "):
        probe(shop, COMPARED, expression)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (
            {"line": 3, "func": "total"},
            r"line 3 of shop.py lies in <module>, not in total; total has the lines 14 to",
        ),
        ({"line": 4}, r"nothing runs at line 4 of shop.py \(the nearest that do: 1, 3, 6\)"),
        ({"line": 900}, r"nothing runs at line 900 of shop.py \(the nearest that do: 27, 28, 29\)"),
        ({"line": 16, "func": "add"}, r"line 16 of shop.py lies in Cart.total, not in add; add has the lines 11 to 11"),
        ({"file": "cart.py", "line": 3}, r"there is no file cart.py in the project"),
        ({"file": "bad.py", "line": 3}, r"bad.py is not valid Python: line 1, "),
    ],
)
def test_a_place_that_can_not_be_watched_is_told_which_could(shop: Path, place: dict[str, object], words: str) -> None:
    (shop / "bad.py").write_text("def (:\n")
    with pytest.raises(Invalid, match=words):
        probe(shop, **{"line": 0, **place})  # type: ignore[arg-type]  # fields of the order


@pytest.mark.parametrize("func", ["total", "Cart.total"])
def test_a_function_may_be_named_as_it_is_called(shop: Path, func: str) -> None:
    assert values(probe(shop, COMPARED, "total", func=func)) == [{"total": "100"}]


def test_the_first_times_are_shown_and_all_are_counted(shop: Path) -> None:
    (shop / "test_shop.py").write_text(
        "from shop import Cart\ndef test_many():\n    cart = Cart()\n    for n in range(40):\n        cart.add(n)\n"
        "    assert cart.total() == 1\n"
    )
    seen = probe(shop, SUMMED, "price", tests=(), hits=3)
    assert values(seen) == [{"price": "0"}, {"price": "1"}, {"price": "2"}]
    assert seen.tests[0].reached == 40


def test_a_line_in_another_thread_is_watched_too(shop: Path) -> None:
    assert values(probe(shop, APART, "values", tests=("test_apart",))) == [{"values": "[1, 2]"}]


def test_a_line_that_no_test_comes_to_says_so(shop: Path) -> None:
    assert probe(shop, 18).note == "none of these tests reached that line"
    seen = probe(shop, 3)
    assert seen.note.endswith("a line outside all functions runs when its file is imported")


def test_an_alarm_that_a_test_has_set_still_rings(shop: Path) -> None:
    (shop / "test_shop.py").write_text(
        "import signal, time\nfrom shop import Cart\nrung = []\ndef test_alarm():\n"
        "    signal.signal(signal.SIGALRM, lambda n, f: rung.append(n))\n"
        "    signal.setitimer(signal.ITIMER_REAL, 0.3)\n    Cart().total()\n    until = time.monotonic() + 5\n"
        "    while not rung and time.monotonic() < until:\n        time.sleep(0.01)\n    assert rung\n"
    )
    seen = probe(shop, COMPARED, "total", tests=("test_alarm",))
    assert [(test.status, test.message, test.reached) for test in seen.tests] == [("passed", "", 1)]


def test_an_endless_test_is_cut_and_what_was_seen_of_it_is_told(shop: Path) -> None:
    (shop / "test_shop.py").write_text(
        "from shop import Cart\ndef test_endless():\n    Cart().total()\n    while True:\n        pass\n"
    )
    given = ProbeOrder(file="shop.py", func=None, line=COMPARED, expressions=("total",))
    order = request(shop, budget_seconds=4)
    seen = asked(PythonDebugger("look").probe(order, given))
    assert [(test.status, test.error, len(test.hits)) for test in seen.tests] == [("failed", "TimeUp", 1)]


def test_an_expression_that_can_not_be_stopped_ends_the_run_with_words(shop: Path) -> None:
    given = ProbeOrder(file="shop.py", func=None, line=COMPARED, expressions=("1 in iter(int, 1)",))
    with pytest.raises(Invalid, match="did not finish within 3 seconds"):
        asked(PythonDebugger("look").probe(request(shop, FAILING, budget_seconds=3), given))


def test_tests_that_end_the_interpreter_are_not_said_to_be_late(shop: Path) -> None:
    write({"test_end.py": "import os\n\ndef test_end(): os._exit(3)\n"}, shop)
    with pytest.raises(Invalid, match=r"ended the interpreter after \d+\.\d seconds; .* to see which does it"):
        asked(PythonDebugger("look").run_tests(request(shop, "test_end.py::test_end")))


def test_unittest_cases_are_watched_and_run_too(tmp_path: Path) -> None:
    write({
        "price.py": "def gross(net):\n    tax = net * 0.2\n    return net - tax\n",
        "test_price.py": "import unittest\nfrom price import gross\n\n\nclass TestPrice(unittest.TestCase):\n"
                         "    def test_gross(self):\n        self.assertEqual(gross(10), 12)\n",
    }, tmp_path)  # fmt: skip
    order = request(tmp_path, test_command="python -m unittest")
    given = ProbeOrder(file="price.py", func="gross", line=3, expressions=("net + tax",))
    (test,) = asked(PythonDebugger("look").probe(order, given)).tests
    assert (test.test, test.reached, test.hits[0].data) == (
        "test_price.TestPrice::test_gross",
        1,
        {"net + tax": "12.0"},
    )
    assert asked(PythonDebugger("look").run_tests(order)).tests[0].place.startswith("test_price.py:7 in test_gross")


def test_an_interpreter_that_answers_nothing_is_told(shop: Path) -> None:
    false = shop.parent / "python3"
    false.write_text("#!/bin/sh\necho no snakes here\nexit 3\n")
    false.chmod(0o755)
    with pytest.raises(Invalid, match="the repair worker ended with 3: no snakes here"):
        asked(PythonDebugger("look").run_tests(request(shop, python=str(false))))
