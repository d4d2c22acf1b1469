"""A colon was missing in the project, and all that DEBUG said was that no tests were collected."""

import sys
from pathlib import Path

import pytest

from loopwright.evidence.debugging import DebugRequest
from loopwright.repair.debugger import PythonDebugger
from tests.repair.cases import write

BASKET = "class Basket:\n    def add(self, price)\n        self.price = price\n"
TEST = "from basket import Basket\n\n\ndef test_add():\n    assert Basket().add(1) is None\n"
INSIDE = "def test_add():\n    from basket import Basket\n\n    assert Basket().add(1) is None\n"
RED = "from shop import count\n\n\ndef test_red():\n    assert count([1]) == 1\n"
SHOP = "def count(items):\n    return len(items) + 1\n"


def request(project: Path, *failing: str, command: str = "python -m pytest") -> DebugRequest:
    return DebugRequest(
        project=str(project), python=sys.executable, test_command=command, failing=failing, budget_seconds=60
    )


@pytest.mark.parametrize(
    ("files", "failing"),
    [
        ({"basket.py": BASKET, "test_basket.py": TEST}, "test_basket.py"),
        ({"basket.py": BASKET, "test_basket.py": INSIDE}, "test_basket.py::test_add"),
    ],
    ids=["at import", "in the test"],
)
async def test_the_hypothesis_points_at_the_line(tmp_path: Path, files: dict[str, str], failing: str) -> None:
    write(files, tmp_path)
    asked = request(tmp_path, failing)
    diagnosis = await PythonDebugger("loop-syntax").diagnose(asked)
    first = diagnosis.hypotheses[0]
    assert diagnosis.active_bug == "basket.py, line 2: SyntaxError: expected ':'"
    assert first.logging_point == "basket.py:<module>:2"
    assert first.description == (
        "`def add(self, price)` (basket.py, line 2) cannot be loaded: SyntaxError: expected ':'"
    )
    found = await PythonDebugger("loop-syntax").search(asked.evolve(hypotheses=diagnosis.hypotheses))
    assert found.patch is None
    assert "basket.py, line 2: SyntaxError: expected ':'" in found.note
    assert "no tests were collected" not in found.note


async def test_the_test_file_itself_may_be_the_broken_one(tmp_path: Path) -> None:
    write({"test_basket.py": "def test_add(:\n    pass\n"}, tmp_path)
    diagnosis = await PythonDebugger("loop-syntax").diagnose(request(tmp_path, "test_basket.py"))
    assert diagnosis.hypotheses[0].logging_point == "test_basket.py:<module>:1"


async def test_other_faults_are_still_looked_for(tmp_path: Path) -> None:
    write({"basket.py": BASKET, "test_basket.py": INSIDE, "shop.py": SHOP, "test_shop.py": RED}, tmp_path)
    asked = request(tmp_path, "test_basket.py::test_add", "test_shop.py::test_red")
    diagnosis = await PythonDebugger("loop-syntax").diagnose(asked)
    assert [h.logging_point for h in diagnosis.hypotheses][:2] == ["basket.py:<module>:2", "shop.py:count:2"]
    found = await PythonDebugger("loop-syntax").search(asked.evolve(hypotheses=diagnosis.hypotheses))
    assert found.patch is not None
    assert found.patch.file == "shop.py"


async def test_code_that_a_test_compiles_itself_is_not_the_project(tmp_path: Path) -> None:
    write({"test_eval.py": "def test_eval():\n    assert eval('1 +') == 2\n"}, tmp_path)
    diagnosis = await PythonDebugger("loop-syntax").diagnose(request(tmp_path, "test_eval.py::test_eval"))
    assert "cannot be loaded" not in str(diagnosis)
