"""Which agents are on this machine: their programs, as a shell would find them, and what these say of themselves."""

import os
import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from loopwright.agents.presets import AgentCommand
from loopwright.domain.agents import PRESETS
from loopwright.domain.errors import Invalid
from loopwright.workspace.patience import Patience
from loopwright.workspace.process import run_group

VERSION_LIMIT = 10.0
"""Seconds that a program has to say its version."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


def program_of(command: AgentCommand, project: Path) -> str | None:
    """The absolute path of its program: on the PATH that the agent gets, or below the project where it names a folder.

    Links are kept as they are: some programs are found by them.
    """
    first = os.path.expanduser(command.argv[0])
    if os.sep in first:
        return shutil.which(str(project / first))
    path = command.environment.get("PATH", os.environ.get("PATH", os.defpath))
    found = shutil.which(first, path=path)
    return os.path.abspath(found) if found else None


def first_installed(commands: Mapping[str, AgentCommand], project: Path) -> str:
    """What `auto` means here: the first preset whose program is there, else `builtin`."""
    return next((name for name in PRESETS if program_of(commands[name], project)), "builtin")


def not_installed(command: AgentCommand) -> str:
    """What to say of one whose program is not there."""
    words = f"{command.name} is not installed: there is no program {command.argv[0]!r}"
    return f"{words}; install it with: {command.install}" if command.install else words


async def version_of(program: str, command: AgentCommand, folder: Path) -> str | None:
    """The version that the program tells when asked, or None. It runs in `folder` and is ended after a time limit."""
    try:
        finished = await run_group(
            (program, "--version"), cwd=folder, marker="doctor", patience=Patience(VERSION_LIMIT),
            env=command.environment, output_cap=10_000,
        )  # fmt: skip
    except Invalid:
        return None
    told = _VERSION.search(finished.output) if finished.exit_code == 0 else None
    return told[0] if told else None
