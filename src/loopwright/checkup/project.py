"""The machine and the project: what is there, and what would keep a loop from working."""

import asyncio
import os
import platform
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from loopwright import __version__
from loopwright.agents.installed import version_of
from loopwright.agents.presets import AgentCommand
from loopwright.domain.errors import Invalid
from loopwright.repair.command import parse
from loopwright.store.loops import LOOPS
from loopwright.store.network import NETWORK, file_system
from loopwright.validation.run import ProjectTests
from loopwright.validation.runners import runner_for
from loopwright.wiring import Means
from loopwright.workspace.sandbox import Sandbox, sandbox


@dataclass(frozen=True)
class Machine:
    """Versions; None where a program is not there."""

    loopwright: str
    python: str
    system: str
    git: str | None
    node: str | None
    sandbox: Sandbox


@dataclass(frozen=True)
class Place:
    """A folder that loops write into; `trouble`: why they could not."""

    path: str
    file_system: str | None
    trouble: str | None


@dataclass(frozen=True)
class Tests:
    """How the project is tested. `measured`: the embedded debugger can trace these tests."""

    command: str | None
    origin: str
    runner: str | None
    measured: bool
    trouble: str | None


@dataclass(frozen=True)
class Project:
    root: str
    configured_in: tuple[str, ...]
    store: Place
    private: Place
    tests: Tests


async def machine_here() -> Machine:
    git, node = await asyncio.gather(_told("git"), _told("node"))
    inside = await asyncio.to_thread(sandbox)
    return Machine(__version__, platform.python_version(), platform.platform(terse=True), git, node, inside)


async def _told(program: str) -> str | None:
    path = shutil.which(program)
    return (await version_of(path, AgentCommand(program, (path,)), Path.cwd()) or "?") if path else None


def project_here(means: Means) -> Project:
    root, config = means.project, means.config
    files = [origin for origin in config.origins.values() if origin not in ("default", "environment", "flag")]
    state = _place(root / LOOPS.folder)
    if state.trouble is None and state.file_system in NETWORK and not config.settings.unsafe_fs:
        words = f"{root} is on a network file system ({state.file_system}): use a local folder, or set unsafe_fs = true"
        state = replace(state, trouble=words)
    return Project(str(root), tuple(dict.fromkeys(files)), state, _place(means.private), _tests(means))


def _place(folder: Path) -> Place:
    """Nothing is written to find out."""
    there = next(path for path in (folder, *folder.parents) if path.exists())
    kind = file_system(there.resolve())
    if not there.is_dir():
        return Place(str(folder), kind, f"{folder} can not be made: {there} is no folder")
    can = os.access(there, os.W_OK | os.X_OK)
    return Place(str(folder), kind, None if can else f"{folder} can not be written: {there} does not allow it")


def _tests(means: Means) -> Tests:
    tests, settings = ProjectTests(means.project), means.config.settings
    given = settings.test_command
    command = given or tests.detect()
    if command is None:
        return Tests(None, "none found", None, False, None)
    trouble = None
    try:
        tests.check(command)
    except Invalid as error:
        trouble = str(error)
    return Tests(
        command, means.config.origins["test_command"] if given else "detected",
        runner_for(command, means.project).name, parse(command, means.project) is not None, trouble,
    )  # fmt: skip
