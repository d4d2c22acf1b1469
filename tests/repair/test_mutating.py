"""Mutants of changed lines: what kills them, who survives, and what the search for them leaves alone."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from loopwright.evidence.proof import Mutants, Mutation, MutationOrder
from loopwright.repair.debugger import PythonDebugger
from tests.repair.asking import MARKER, PYTEST, contents, tagged
from tests.repair.cases import write
from tests.waiting import soon

SHOP = """LIMIT = 10


def price(total, member=False):
    if member and total > 100:
        return total - 20
    return total


def shipping(total):
    cost = 5
    while cost and total >= LIMIT:
        cost -= 5
    return cost
"""
TIGHT = """from shop import price, shipping


def test_member():
    assert [price(total, True) for total in (99, 100, 101, 200)] == [99, 100, 81, 180]
    assert price(200) == 200


def test_shipping():
    assert [shipping(total) for total in (9, 10, 11)] == [5, 0, 0]
"""
LOOSE = """from shop import price, shipping


def test_member():
    price(200, True)


def test_shipping():
    shipping(20)
"""


def mutated(root: Path, files: Mapping[str, str], *tests: str, **more: object) -> Mutation:
    """All lines of all files that hold no tests, under all tests of `test_shop.py` or these."""
    write(files, root)
    before, heard = contents(root), list[str]()
    found = asyncio.run(PythonDebugger(MARKER).mutate(order(root, files, *tests, **more), heard.append))
    assert contents(root) == before, "the project itself was changed"
    assert tagged() == [], "something of it still runs"
    return found


def order(root: Path, files: Mapping[str, str], *tests: str, **more: object) -> MutationOrder:
    product = {name: text for name, text in files.items() if name.endswith(".py") and "test" not in name}
    return MutationOrder.model_validate({
        "project": str(root), "python": sys.executable, "test_command": PYTEST,
        "tests": tests or ("test_shop.py::test_member", "test_shop.py::test_shipping"),
        "lines": {name: tuple(range(1, text.count("\n") + 1)) for name, text in product.items()}, **more,
    })  # fmt: skip


def figures(mutation: Mutation) -> Mutants:
    assert mutation.mutants is not None, mutation.trouble
    return mutation.mutants


def test_tight_tests_kill_what_they_see(tmp_path: Path) -> None:
    found = figures(mutated(tmp_path, {"shop.py": SHOP, "test_shop.py": TIGHT}))
    assert found.made is None
    assert found.survivors == ()
    assert found.killed == found.total > 10


def test_tests_that_assert_nothing_kill_only_what_crashes_or_never_ends(tmp_path: Path) -> None:
    found = figures(mutated(tmp_path, {"shop.py": SHOP, "test_shop.py": LOOSE}))
    named = [str(one) for one in found.survivors]
    assert "shop.py:5: compare with `<=` instead of `>`" in named
    assert "shop.py:6: `+` instead of `-`" in named
    assert "shop.py:1: use `11` instead of `10`" in named  # a constant of the module
    # `cost += 5`, and what else makes the loop endless
    assert found.killed < found.total / 3
    assert not any("`+=`" in name for name in named)


def test_an_equivalent_mutant_survives_and_what_no_test_runs_is_told(tmp_path: Path) -> None:
    shop = "def clamp(n):\n    if n < 0:\n        return 0\n    return n\n\n\ndef idle(n):\n    return n + 1\n"
    tests = "from shop import clamp\n\n\ndef test_clamp():\n    assert [*map(clamp, (-2, -1, 0, 1))] == [0, 0, 0, 1]\n"
    found = figures(mutated(tmp_path, {"shop.py": shop, "test_shop.py": tests}, "test_shop.py::test_clamp"))
    named = [str(one) for one in found.survivors]
    idle = [name for name in named if name.startswith("shop.py:8: ")]
    assert named == [
        "shop.py:2: compare with `<=` instead of `<`", "shop.py:2: use `1` instead of `0`", *idle,
    ]  # fmt: skip
    assert idle
    assert all(name.endswith("(no test runs it)") for name in idle)


def test_only_changed_lines_have_mutants_and_only_so_many_and_each_time_the_same(tmp_path: Path) -> None:
    files = {"shop.py": SHOP, "test_shop.py": LOOSE}
    found = figures(mutated(tmp_path / "lines", files, lines={"shop.py": (6,)}))
    assert {one.line for one in found.survivors} == {6}
    few, again = (figures(mutated(tmp_path / name, files, most=5)) for name in ("few", "again"))
    assert few == again
    assert few.survivors
    assert few.total == 5
    assert few.made is not None
    assert "5 of" in few.words


def test_the_command_line_is_mutated_in_the_processes_that_run_it(tmp_path: Path) -> None:
    shop = "import sys\n\n\ndef main(words):\n    print(int(words[0]) + 1)\n\n\nmain(sys.argv[1:])\n"
    tests = (
        "import subprocess\nimport sys\n\n\ndef test_main():\n"
        "    done = subprocess.run([sys.executable, 'shop.py', '4'], capture_output=True, text=True)\n"
        "    assert done.stdout == '5\\n'\n"
    )
    key = "test_shop.py::test_main"
    files = {"shop.py": shop, "test_shop.py": tests}
    found = figures(mutated(tmp_path, files, key, lines={"shop.py": (5,)}, reached={key: ("shop.py:5",)}))
    assert found.killed == found.total > 0


def test_unittest(tmp_path: Path) -> None:
    tests = (
        "import unittest\nfrom shop import price\n\n\nclass Prices(unittest.TestCase):\n    def test_member(self):\n"
        "        self.assertEqual([price(n, True) for n in (100, 101)], [100, 81])\n"
    )
    found = figures(
        mutated(
            tmp_path, {"shop.py": SHOP, "test_shop.py": tests}, "test_shop.Prices::test_member",
            lines={"shop.py": (5, 6, 7)}, test_command="python -m unittest",
        )
    )  # fmt: skip
    assert found.killed > found.total / 2


def test_no_figure_where_there_is_nothing_to_measure(tmp_path: Path) -> None:
    files = {"shop.py": SHOP, "test_shop.py": TIGHT}
    nothing = mutated(tmp_path / "lines", files, lines={"shop.py": (2, 3)})
    assert (nothing.mutants, nothing.trouble) == (None, "the changed lines hold nothing that a mutant could change")
    gone = mutated(tmp_path / "tests", files, "test_shop.py::test_gone")
    assert (gone.mutants, gone.trouble) == (None, "the tests could not be collected in one process")


def test_it_ends_when_its_time_is_up(tmp_path: Path) -> None:
    slow = "import time\nfrom shop import price\n\n\ndef test_slow():\n    time.sleep(1)\n    price(200, True)\n"
    found = mutated(tmp_path, {"shop.py": SHOP, "test_shop.py": slow}, "test_shop.py::test_slow", seconds=6.0)
    if found.mutants is None:  # the machine has other work
        assert found.trouble
    else:
        assert found.mutants.total < (found.mutants.made or 10**6)


async def test_a_cancelled_one_leaves_no_process(tmp_path: Path) -> None:
    endless = "import time\nfrom shop import price\n\n\ndef test_slow():\n    time.sleep(5)\n    price(200, True)\n"
    files = {"shop.py": SHOP, "test_shop.py": endless}
    write(files, tmp_path)
    asked = order(tmp_path, files, "test_shop.py::test_slow")
    work = asyncio.create_task(PythonDebugger(MARKER).mutate(asked, lambda words: None))
    await soon(lambda: bool(tagged()))
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert tagged() == []
