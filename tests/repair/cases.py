"""Small faulty programs as data: what stands in a project, and what a right repair must satisfy beyond its tests."""

import asyncio
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loopwright.evidence.debugging import DebugRequest, Patch, SearchFindings
from loopwright.repair.debugger import PythonDebugger

CORPUS = Path(__file__).parent / "corpus"
_HIDDEN = "hidden/"


@dataclass(frozen=True)
class Case:
    """`hidden` files are laid beside the repaired project; `rounds` is how often DEBUG may be called."""

    name: str
    command: str
    expect: str
    rounds: int
    files: Mapping[str, str]
    hidden: Mapping[str, str]


@dataclass
class Repair:
    """What came of one case."""

    patches: list[Patch] = field(default_factory=list)
    findings: list[SearchFindings] = field(default_factory=list)
    green: bool = False
    right: bool = False


def load(name: str) -> Case:
    """Reads `NAME.case`: `key: value` lines, then `=== path` before each file's text."""
    head, *parts = (CORPUS / f"{name}.case").read_text().split("=== ")
    settings = dict(line.split(": ", 1) for line in head.splitlines() if line)
    files = {path: text for path, _, text in (part.partition("\n") for part in parts)}
    return Case(
        name=name,
        command=settings["command"],
        expect=settings.get("expect", "patched"),
        rounds=int(settings.get("rounds", "1")),
        files={path: text for path, text in files.items() if not path.startswith(_HIDDEN)},
        hidden={path: text for path, text in files.items() if path.startswith(_HIDDEN)},
    )


def names() -> list[str]:
    return sorted(path.stem for path in CORPUS.glob("*.case"))


def write(files: Mapping[str, str], root: Path) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


def request(
    case: Case, root: Path, *, python: str = sys.executable, budget: float = 60, round: int = 0
) -> DebugRequest:
    """An order for the whole project: empty `failing` stands for all tests that fail."""
    return DebugRequest(
        project=str(root), python=python, test_command=case.command, failing=(), budget_seconds=budget, round=round
    )


async def repair(case: Case, root: Path, *, python: str = sys.executable, budget: float = 60) -> Repair:
    """Asks for patches and applies them, as DEBUG would, until nothing is left to mend or nothing is found."""
    write(case.files, root)
    debugger, done = PythonDebugger(marker="loop-repair-test"), Repair()
    for _ in range(case.rounds):
        found = await debugger.search(request(case, root, python=python, budget=budget))
        done.findings.append(found)
        if found.patch is None:
            break
        target = root / found.patch.file
        assert target.read_text() == found.patch.old_text
        target.write_text(found.patch.new_text)
        done.patches.append(found.patch)
        if not found.patch.still_failing:
            break
    done.green = await passes(root, *case.command.split()[1:], python=python)
    write(case.hidden, root)
    hidden = ("-m", "pytest", "-q", *case.hidden)
    done.right = done.green and bool(case.hidden) and await passes(root, *hidden, python=python)
    return done


async def passes(root: Path, *arguments: str, python: str = sys.executable) -> bool:
    """Whether a fresh run in the project itself is green."""
    command = [python, *arguments]
    environment = {
        "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": f"{root}:{root / 'src'}",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    }  # fmt: skip

    def run() -> bool:
        try:
            return subprocess.run(command, cwd=root, env=environment, capture_output=True, timeout=60).returncode == 0
        except subprocess.TimeoutExpired:
            return False

    return await asyncio.to_thread(run)
