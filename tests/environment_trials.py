"""Loops of one command in projects with an environment of their own: what it does there, and how they end."""

import subprocess
import sys
from collections.abc import MutableMapping
from pathlib import Path

import pytest

from loopwright.agents.task_agent import CommandAgent
from loopwright.core.run_events import EventBus
from loopwright.core.state import RunSettings
from loopwright.evidence.run import ProjectTests
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from loopwright.workflows.loop.service import LoopService
from loopwright.workspace.checkpoints import GitWorkspace
from tests.environment_cases import CALC, JAVASCRIPT, KNOWN, Deed, distribution
from tests.fakes import CountingLauncher, NoDebugger, NoProcesses, UnsyncedDisk
from tests.validation.projects import lay_out

COMMANDS = {"python": ".venv/bin/python -m pytest -q", "javascript": "npm test"}


def set_apart(home: Path, environ: MutableMapping[str, str]) -> None:
    """A home and a search path of its own."""
    (home / "bin").mkdir(parents=True)
    environ.pop("VIRTUAL_ENV", None)
    environ.update(HOME=str(home), PATH=f"{home / 'bin'}:{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin")


def made(project: Path, language: str) -> Path:
    """A project under git, with what its tests need installed where git does not look."""
    lay_out(project, CALC if language == "python" else JAVASCRIPT)
    if language == "python":
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=project, check=True)
        [site] = project.glob(".venv/lib/python*/site-packages")
        (site / "ours.pth").write_text(f"{Path(pytest.__file__).parent.parent}\n")
        subprocess.run([sys.executable, "-c", distribution("known", KNOWN)], cwd=project, check=True)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=project, check=True)
    return project


async def carried_out(deed: Deed, project: Path, *, allowed: bool = False) -> LoopState:
    """A loop of one command, at its end."""
    clock, workspace = SystemClock("+08:00"), GitWorkspace(project, project.parent / "private")
    with FileStore(project, LOOPS, clock, disk=UnsyncedDisk()) as store:
        service = LoopService(store, workspace, clock, CountingLauncher(), NoProcesses(), "test")
        settings = RunSettings(
            mode="auto", agent="builtin", test_command=COMMANDS[deed.language], test_timeout=60, proof=deed.proof,
            allow_environment_changes=allowed,
        )  # fmt: skip
        loop_id = service.create("Make the tests pass", max_iterations=2, settings=settings).loop_id
        service.tasks.add(loop_id, {"description": "Mend", "tool": "bash", "command": deed.command})
        runner = LoopRunner(
            project=str(project),
            store=store,
            workspace=workspace,
            tests=ProjectTests(project),
            clock=clock,
            processes=NoProcesses(),
            agents=lambda name, around: CommandAgent(project, loop_id),
            debugger=lambda id, bus: NoDebugger(),
        )
        return await runner.drive(loop_id, take_up=take_up, bus=EventBus())
