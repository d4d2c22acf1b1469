"""The debugger as the engine sees it: evidence, verdicts, promises about the project, and clean ends."""

import asyncio
import os
import signal
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid
from loopwright.core.ports import Debugger
from loopwright.evidence.debugging import DebugRequest, SearchFindings
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis
from loopwright.processes.process_tree import ProcessMark, kill_marked
from loopwright.repair.debugger import PythonDebugger
from tests.repair.cases import load, request, write
from tests.waiting import soon, until

MARKER = "loop-debugger-test"

SHOP = """def discount(total, member):
    # from 100 on
    if member and total > 100:
        return total * 0.9
    return total


def count(items):
    return len(items)
"""
TESTS = """import pytest
from shop import count, discount


@pytest.mark.parametrize(("total", "price"), [(50, 50), (100, 90), (200, 180)])
def test_member(total, price):
    assert discount(total, True) == price


def test_guest():
    assert discount(100, False) == 100


def test_count():
    assert count("ab") == 2
"""
FAILING = "test_shop.py::test_member[100-90]"


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    write({"shop.py": SHOP, "test_shop.py": TESTS, ".git/HEAD": "x", "node_modules/a.js": ""}, tmp_path)
    return tmp_path


def order(project: Path, **more: object) -> DebugRequest:
    given = {
        "project": str(project),
        "python": sys.executable,
        "test_command": "python -m pytest",
        "failing": (FAILING,),
    }
    return DebugRequest.model_validate({"budget_seconds": 60, **given, **more})


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_it_is_a_debugger_for_pytest_and_unittest() -> None:
    debugger: Debugger = PythonDebugger(MARKER)
    assert debugger.supports("python -m pytest -q tests")
    assert debugger.supports("python3 -m unittest discover")
    assert not debugger.supports("npm test")
    assert not debugger.supports(None)


def test_a_command_it_can_not_take_over_is_refused(shop: Path) -> None:
    with pytest.raises(Invalid, match="make check"):
        asyncio.run(PythonDebugger(MARKER).search(order(shop, test_command="make check")))


def test_a_diagnosis_ranks_places_with_evidence_and_probes(shop: Path) -> None:
    before = files(shop)
    known = Hypothesis(
        id="H4",
        description="an old one",
        testable_condition="",
        logging_point="elsewhere.py:f:1",
        evidence_criteria=EvidenceCriteria(confirm="", reject=""),
        likelihood=1,
    )
    found = asyncio.run(PythonDebugger(MARKER).diagnose(order(shop, hypotheses=(known,))))
    assert files(shop) == before
    assert found.active_bug.startswith(f"{FAILING}: AssertionError")
    assert [one.id for one in found.hypotheses] == [f"H{n}" for n in range(5, 5 + len(found.hypotheses))]
    assert [one.likelihood for one in found.hypotheses] == [float(n + 1) for n in range(len(found.hypotheses))]
    assert {one.logging_point for one in found.hypotheses} >= {"shop.py:discount:3", "shop.py:discount:5"}
    assert all(":count:" not in one.logging_point for one in found.hypotheses)
    condition = next(one for one in found.hypotheses if one.logging_point == "shop.py:discount:3")
    assert condition.evidence is not None
    assert condition.evidence["failing_tests"] == 1
    assert condition.evidence["passing_tests"] == 3
    assert condition.evidence["probe_values"] == [{"total": "100", "member": "True"}]
    assert {hit.hid for hit in found.probes} <= {one.id for one in found.hypotheses}
    assert all(hit.func == "discount" for hit in found.probes)


def test_a_search_gives_verdicts_and_a_minimal_patch_and_leaves_the_project_alone(shop: Path) -> None:
    before = files(shop)
    debugger = PythonDebugger(MARKER)
    first = order(shop)
    diagnosed = first.evolve(hypotheses=asyncio.run(debugger.diagnose(first)).hypotheses)
    found = asyncio.run(debugger.search(diagnosed))
    assert files(shop) == before
    assert found.patch is not None
    assert found.patch.new_text == SHOP.replace("total > 100", "total >= 100")
    assert (found.patch.fixes, found.patch.still_failing) == ((FAILING,), ())
    assert found.patch.diff.splitlines()[:2] == ["--- a/shop.py", "+++ b/shop.py"]
    cause = next(one for one in found.hypotheses if one.id == found.patch.hypothesis)
    assert (cause.status, cause.logging_point) == ("confirmed", "shop.py:discount:3")
    assert all(one.evidence and one.verdict_reason for one in found.hypotheses if one.status != "pending")
    assert {one.id for one in diagnosed.hypotheses} <= {one.id for one in found.hypotheses}
    assert all(rival.fingerprint != found.patch.fingerprint for rival in found.rivals)


def test_the_same_order_gives_the_same_findings_and_a_refused_patch_never_comes_again(shop: Path) -> None:
    debugger = PythonDebugger(MARKER)

    async def twice() -> tuple[SearchFindings, SearchFindings]:
        """Both at once, so that their processes get in each other's way."""
        return await asyncio.gather(debugger.search(order(shop)), debugger.search(order(shop)))

    first, second = asyncio.run(twice())
    assert first.patch is not None
    assert first.evolve(note="") == second.evolve(note=""), "the note tells what it took"
    third = asyncio.run(debugger.search(order(shop, tried=(first.patch.fingerprint,))))
    assert third.patch is not None
    assert third.patch.fingerprint != first.patch.fingerprint
    assert third.patch.new_text != first.patch.new_text


def test_a_project_that_is_green_on_the_copy_is_said_to_be(shop: Path) -> None:
    found = asyncio.run(PythonDebugger(MARKER).search(order(shop, failing=("test_shop.py::test_count",))))
    assert found.patch is None
    assert "none of the failing tests failed" in found.note


def test_a_project_that_can_not_be_collected_is_said_to_be(tmp_path: Path) -> None:
    write({"test_a.py": "import no_such_module_anywhere\n"}, tmp_path)
    found = asyncio.run(PythonDebugger(MARKER).search(order(tmp_path)))
    assert found.patch is None
    assert "no_such_module_anywhere" in found.note


def test_an_interpreter_without_pytest(tmp_path: Path) -> None:
    """A unittest project needs none; it is lent ours."""
    python = tmp_path / "bare"
    venv.create(python, symlinks=True)
    project = tmp_path / "project"
    tests = (
        "import unittest\nfrom picking import pick\n\n\nclass Picks(unittest.TestCase):\n"
        "    def test_last(self):\n        self.assertEqual(pick([1, 2, 3]), 3)\n"
    )
    write({"picking.py": "def pick(items):\n    return items[0]\n", "test_picking.py": tests}, project)
    asked = order(
        project,
        python=str(python / "bin" / "python"),
        test_command="python -m unittest",
        failing=("test_picking.Picks::test_last",),
    )
    found = asyncio.run(PythonDebugger(MARKER).search(asked))
    assert found.patch is not None, found.note
    assert found.patch.new_text == "def pick(items):\n    return items[-1]\n"
    assert found.patch.fixes == ("test_picking.Picks::test_last",)


def test_edits_beside_dangerous_calls_are_not_tried(tmp_path: Path) -> None:
    program = "import os\n\n\ndef clean(path, really):\n    if really:\n        os.unlink(path)\n    return 1\n"
    tests = "from a import clean\n\n\ndef test_a():\n    assert clean('x', False) == 2\n"
    write({"a.py": program, "test_a.py": tests}, tmp_path)
    found = asyncio.run(PythonDebugger(MARKER).search(order(tmp_path, failing=("test_a.py::test_a",))))
    assert found.patch is not None
    assert found.patch.new_text == program.replace("return 1", "return 2")
    assert all("os.unlink(path)" in rival.new_text for rival in found.rivals)


def test_a_cancelled_search_leaves_no_process(tmp_path: Path) -> None:
    case = load("endless_collatz")
    write(case.files, tmp_path)

    async def cancelled() -> None:
        search = asyncio.create_task(PythonDebugger(MARKER).search(request(case, tmp_path)))
        await soon(lambda: _tagged() != [])
        search.cancel()
        await asyncio.wait([search])

    asyncio.run(cancelled())
    assert _tagged() == []


def test_a_killed_engine_leaves_no_process(tmp_path: Path) -> None:
    """Its temporary files lie inside the project, which must not be copied into itself."""
    case = load("endless_collatz")
    write(case.files, tmp_path)
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from loopwright.repair.debugger import PythonDebugger\n"
        "from tests.repair.cases import load, request\n"
        f"order = request(load('endless_collatz'), Path({str(tmp_path)!r}))\n"
        f"asyncio.run(PythonDebugger({MARKER!r}).search(order))\n"
    )
    root = Path(__file__).parent.parent.parent
    environment = {**os.environ, "PYTHONPATH": f"{root / 'src'}:{root}", "TMPDIR": str(tmp_path)}
    engine = subprocess.Popen([sys.executable, "-c", program], cwd=root, env=environment)
    until(lambda: len(_tagged()) >= 4)
    engine.send_signal(signal.SIGKILL)
    engine.wait()
    try:
        until(lambda: _tagged() == [])
    finally:
        kill_marked(ProcessMark(MARKER, str(tmp_path)))


def _tagged() -> list[int]:
    """Living processes, other than zombies, that carry the marker."""
    needle = f"LOOPWRIGHT_LOOP={MARKER}\0".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            tagged = needle in Path(f"/proc/{name}/environ").read_bytes()
            state = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:  # it ended while we looked, or is not ours
            continue
        if tagged and state != "Z":
            found.append(int(name))
    return found
