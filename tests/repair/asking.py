"""The debugger asked as the engine does, with what it promises each time: in time, nothing changed, nothing left."""

import asyncio
import os
import sys
import time
from collections.abc import Coroutine, Mapping
from pathlib import Path
from typing import TypeVar

from loopwright.evidence.debugging import DebugRequest, Diagnosis, SearchFindings
from loopwright.repair.debugger import PythonDebugger
from tests.repair.cases import write

Answer = TypeVar("Answer", Diagnosis, SearchFindings)

MARKER = f"loop-hard-case-{os.getpid()}"
PYTEST = "python -m pytest"

OVERRUN = 2.0
"""Seconds that an answer may come later than it was asked for."""


def search(root: Path, files: Mapping[str, str], *failing: str, budget: float = 60, **more: object) -> SearchFindings:
    """Writes the project and looks for a patch; without `failing` all tests that fail are meant."""
    asked = order(root, files, failing, budget, more)
    return _held(root, budget, PythonDebugger(MARKER).search(asked))


def diagnose(root: Path, files: Mapping[str, str], *failing: str, budget: float = 40, **more: object) -> Diagnosis:
    asked = order(root, files, failing, budget, more)
    return _held(root, budget, PythonDebugger(MARKER).diagnose(asked))


def order(
    root: Path, files: Mapping[str, str], failing: tuple[str, ...], budget: float, more: Mapping[str, object]
) -> DebugRequest:
    write(files, root)
    given = {"python": sys.executable, "test_command": PYTEST, **more}
    return DebugRequest.model_validate({
        "project": str(root), "failing": failing, "budget_seconds": budget, **given,
    })  # fmt: skip


def mended(files: Mapping[str, str], found: SearchFindings, old: str, new: str) -> bool:
    """Whether the patch is just this change; what else it was stands in the assertion that fails."""
    assert found.patch is not None, found.note
    before = files[found.patch.file]
    assert old in before
    assert found.patch.new_text == before.replace(old, new, 1), found.patch.diff
    return True


def tagged() -> list[int]:
    """Living processes, other than zombies, that carry the marker."""
    needle = f"LOOPWRIGHT_LOOP={MARKER}\0".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            ours = needle in Path(f"/proc/{name}/environ").read_bytes()
            state = Path(f"/proc/{name}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:  # it ended while we looked, or is not ours
            continue
        if ours and state != "Z":
            found.append(int(name))
    return found


def contents(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below `root`, byte by byte, with its mode."""
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mode) for path in files}


def _held(root: Path, budget: float, asking: Coroutine[None, None, Answer]) -> Answer:
    before, started = contents(root), time.monotonic()
    found = asyncio.run(asking)
    took = time.monotonic() - started
    assert contents(root) == before, "the project itself was changed"
    assert tagged() == [], "something of it still runs"
    assert took < budget + OVERRUN, f"{took:.1f} s of {budget:g}: {found.note}"
    return found
