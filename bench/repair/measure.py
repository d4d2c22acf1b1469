"""One fault: found, mended, and the repair held against the healthy program."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.repair.corpus import Fault, Program
from loopwright.evidence.debugging import TRIALS, DebugRequest, Patch, SearchFindings
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.repair.debugger import PythonDebugger
from loopwright.repair.source import SourceText

ROUNDS = 3
"""Searches, each after the patch of the one before: a fault may have several places."""
INPUTS = 400
PATIENCE = 120
_OUTCOMES = "import sys, json, inputs; json.dump(inputs.outcomes(1, int(sys.argv[1])), sys.stdout)"


@dataclass(frozen=True)
class Repaired:
    """`rank` of the first hypothesis at a line that is wrong, 1 for the first; None when none is there.

    `plausible`: the suite passes in a fresh process; `correct`: and the program does what the healthy one does.
    `seconds` and `candidates` to the patch that made the suite pass, None where none did.
    """

    program: str
    fault: Fault
    rank: int | None
    plausible: bool
    correct: bool
    seconds: float | None
    candidates: int | None
    patches: tuple[str, ...]
    notes: tuple[str, ...]


def repaired(program: Program, fault: Fault, budget: float) -> Repaired:
    """What becomes of the fault. `budget`: seconds for each search."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "project"
        program.planted(fault, root)
        return asyncio.run(_repaired(program, fault, root, budget))


async def _repaired(program: Program, fault: Fault, root: Path, budget: float) -> Repaired:
    request = DebugRequest(
        project=str(root), python=sys.executable, test_command=program.command, failing=(), budget_seconds=budget
    )
    debugger = PythonDebugger(marker="bench-repair")
    hypotheses = (await debugger.diagnose(request.evolve(trials=TRIALS))).hypotheses
    rank = _rank(fault, hypotheses, root)
    begun, found = time.monotonic(), list[SearchFindings]()
    for round in range(ROUNDS):
        found.append(await debugger.search(request.evolve(hypotheses=hypotheses, round=round)))
        patch, hypotheses = found[-1].patch, ()
        if patch is None:
            break
        _apply(patch, root)
        if not patch.still_failing:
            break
    seconds, patches = time.monotonic() - begun, [one.patch for one in found if one.patch]
    plausible = bool(patches) and _passes(program, root)
    return Repaired(
        program.name, fault, rank, plausible,
        correct=plausible and _outcomes(program, root) == _outcomes(program, program.project),
        seconds=seconds if plausible else None,
        candidates=sum(one.candidates for one in found) if plausible else None,
        patches=tuple(patch.diff for patch in patches),
        notes=tuple(one.note for one in found if one.note),
    )  # fmt: skip


def _apply(patch: Patch, root: Path) -> None:
    target = root / patch.file
    if target.read_text() != patch.old_text:
        raise ValueError(f"the patch of {patch.file} is made against another text")
    target.write_text(patch.new_text)


def _rank(fault: Fault, hypotheses: tuple[Hypothesis, ...], root: Path) -> int | None:
    wrong = {place for line in fault.lines for place in _statements(root, line.file, line.text)}
    places = (one.logging_point.rsplit(":", 2) for one in hypotheses)
    return next((n for n, (file, _, line) in enumerate(places, start=1) if (file, int(line)) in wrong), None)


def _statements(root: Path, file: str, text: str) -> set[tuple[str, int]]:
    """Where the statements begin that these lines belong to; some are told without their indentation."""
    source = SourceText(file, (root / file).read_text())
    lines = [number for number, line in enumerate(source.lines, start=1) if line.strip() == text.strip()]
    return {(file, source.by_line[line].lineno if line in source.by_line else line) for line in lines}


def _passes(program: Program, root: Path) -> bool:
    arguments = program.command.split()[1:]
    try:
        done = subprocess.run(
            [sys.executable, *arguments], cwd=root, env=_environment(root), capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _outcomes(program: Program, root: Path) -> object:
    """What this version does with random inputs; None where it does not end."""
    argv = [sys.executable, "-c", _OUTCOMES, str(INPUTS)]
    path = os.pathsep.join([str(program.inputs.parent), _environment(root)["PYTHONPATH"]])
    try:
        done = subprocess.run(
            argv, cwd=root, env=_environment(root) | {"PYTHONPATH": path}, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.returncode == 0 else None


def _environment(root: Path) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(root / "src"), str(root)]),
        "PYTHONDONTWRITEBYTECODE": "1", "PYTHONHASHSEED": "0", "PYTEST_ADDOPTS": "-p no:cacheprovider -p no:randomly",
    }  # fmt: skip
