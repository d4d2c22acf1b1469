"""Where a project's prompts lie, and what is kept outside of every project."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from loopwright.core.config import Settings
from loopwright.core.errors import Invalid
from loopwright.store.disk import check_folders
from loopwright.store.kept_index import FLEET_MARKS as FLEET_MARKS
from loopwright.workspace.branches import GitBranches

if TYPE_CHECKING:
    from loopwright.core.prompts import Prompts


def read_prompts(project: Path, settings: Settings) -> "Prompts":
    """Our prompts, with those of the project's folder in their places. Invalid names a file that cannot be used."""
    from loopwright.workflows.loop.messages import loop_prompts

    return loop_prompts(_prompts(project, settings))


def read_cycle_prompts(project: Path, settings: Settings) -> "Prompts":
    """Those of cycles, in the same way."""
    from loopwright.workflows.cycle.messages import cycle_prompts

    return cycle_prompts(_prompts(project, settings))


def read_tuning_prompts(project: Path, settings: Settings) -> "Prompts":
    """Those of tuning sessions, in the same way."""
    from loopwright.workflows.tuning.messages import tuning_prompts

    return tuning_prompts(_prompts(project, settings))


def _prompts(project: Path, settings: Settings) -> Path | None:
    """The folder of the project's own."""
    usual = project / ".loopwright" / "prompts"
    check_folders(usual.parent, usual)
    if settings.prompts is not None:
        return project / Path(settings.prompts).expanduser()
    return usual if usual.is_dir() else None


def check_inside(project: Path, name: Path | str) -> Path:
    """What is named, relative to the project or absolute, with its links resolved. Invalid where it lies outside."""
    found = (project / name).resolve()
    if not found.is_relative_to(project.resolve()):
        raise Invalid(f"{name} is not in the project; over HTTP and MCP only files of the project can be named")
    return found


def checkpoints_folder(settings: Settings) -> Path:
    """The folder of the private repositories, outside every project."""
    if settings.checkpoints:
        return Path(settings.checkpoints).expanduser()
    return state_folder()


def state_folder() -> Path:
    """What is kept for this user, outside of every project."""
    home = os.environ.get("XDG_STATE_HOME")
    return Path(home) / "loopwright" if home else Path(platformdirs.user_state_dir("loopwright"))


def seals_folder() -> Path:
    """Where the key is that journals are sealed with, and what is known of each."""
    return state_folder() / "journals"


def make_branches(project: Path, settings: Settings) -> GitBranches:
    return GitBranches(project, checkpoints_folder(settings))
