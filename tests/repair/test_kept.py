"""A first run that is kept: it serves the same question about the same files, and no other."""

import asyncio
import sys
from pathlib import Path

from loopwright.evidence.debugging import DebugRequest
from loopwright.repair.baseline import BrokenLine, TraceLog
from loopwright.repair.baseline_cache import BaselineCache
from loopwright.repair.debugger import PythonDebugger
from loopwright.repair.session import ItemOutcome
from loopwright.repair.tree import sign_files
from tests.repair.cases import write


def test_what_is_saved_reads_back_the_same(tmp_path: Path) -> None:
    outcome = ItemOutcome("failed", 0.5, "E", "m", [("shop.py", 3, "f")], waited=True)
    heard = TraceLog(
        hard=1.0, until=1.0, nodes=["a::x"], keys=["a::x"], outcomes={0: outcome},
        lines={-1: {("shop.py", 1)}, 0: {("shop.py", 3), ("shop.py", 2)}}, texts={0: "def x(): 1"},
        broken={BrokenLine("f.py", 1, "c", "s")}, troubles=["t"], fatal={0: "signal 9"}, loaded=True, done=True,
    )  # fmt: skip
    heard.save(tmp_path / "kept")
    again = TraceLog.saved(tmp_path / "kept")
    same = ("nodes", "keys", "outcomes", "lines", "texts", "broken", "troubles", "fatal", "loaded", "done")
    assert all(getattr(heard, name) == getattr(again, name) for name in same)


def test_only_the_last_question_is_kept(tmp_path: Path) -> None:
    kept, into = BaselineCache(), tmp_path / "into"
    kept.keep(("a",), tmp_path / "nothing")
    kept.fetch(("a",), into)
    assert not into.exists()
    (tmp_path / "found").write_bytes(b"one")
    kept.keep(("a",), tmp_path / "found")
    kept.fetch(("b",), into)
    assert not into.exists()
    kept.fetch(("a",), into)
    assert into.read_bytes() == b"one"


def test_any_change_of_a_file_makes_it_another_project(tmp_path: Path) -> None:
    write({"a.py": "x = 1\n", "b/c.py": "x = 2\n"}, tmp_path)
    before = dict(sign_files(str(tmp_path)))
    assert sorted(before) == ["a.py", "b/c.py"]
    write({"b/c.py": "x = 3\n"}, tmp_path)
    assert dict(sign_files(str(tmp_path))) != before
    (tmp_path / "nowhere").symlink_to("gone")
    assert "nowhere" in dict(sign_files(str(tmp_path)))


SHOP = {
    "shop.py": "def price(n):\n    return n - 1\n\n\ndef tax(n):\n    return n * 2\n",
    "test_shop.py": "from shop import price, tax\n\ndef test_price(): assert price(1) == 2\n\n"
    "def test_tax(): assert tax(3) == 6\n",
}


def test_a_search_uses_the_run_of_the_diagnosis_but_not_that_of_other_files(tmp_path: Path) -> None:
    write(SHOP, tmp_path)
    kept = BaselineCache()
    request = DebugRequest(
        project=str(tmp_path), python=sys.executable, test_command="python -m pytest", failing=(), budget_seconds=40
    )
    diagnosis = asyncio.run(PythonDebugger("kept", kept=kept).diagnose(request))
    assert "test_price" in diagnosis.active_bug
    first = kept._key
    found = asyncio.run(PythonDebugger("kept", kept=kept).search(request))
    assert found.patch is not None
    assert kept._key is first

    write({"shop.py": SHOP["shop.py"].replace("n - 1", "n + 1").replace("n * 2", "n + 2")}, tmp_path)
    found = asyncio.run(PythonDebugger("kept", kept=kept).search(request))
    assert found.patch is not None
    assert "test_tax" in found.patch.fixes[0]
    assert kept._key != first
