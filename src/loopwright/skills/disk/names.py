"""Which names count in a skill's folder, and which a change may have."""

import os
from pathlib import Path

from loopwright.core.errors import Invalid
from loopwright.skills.files import MAIN, is_encodable, main_among

SKIPPED = frozenset({
    ".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", "venv", ".tox", ".nox", ".cache", ".workflow",
    ".loop", ".mypy_cache", ".pytest_cache", ".ruff_cache",
})  # fmt: skip
"""Folders in which nobody keeps skills: of version control, of installed packages, of caches, of ours."""
TEMPORARY = ".loopwright-"
"""What our own files begin with while a change is made."""


def holds_skill(folder: str | Path) -> bool:
    """Whether a main file is there, as far as can be seen."""
    try:
        return main_among(os.listdir(folder)) is not None
    except OSError:
        return False


def main_in(folder: str) -> str | None:
    """The name of the folder's own SKILL.md; a link counts only where it stays inside of the folder."""
    try:
        names = [name for name in os.listdir(folder) if name.lower() == MAIN]
    except OSError:
        return None
    return main_among(name for name in names if is_main(os.path.join(folder, name), folder))


def is_main(path: str, folder: str) -> bool:
    """Whether a file stands there, and not behind a link that leads out of the folder."""
    if not os.path.islink(path):
        return os.path.isfile(path)
    return os.path.isfile(path) and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def is_left_out(folder: str) -> bool:
    """Whether what lies in a folder of that name is no part of a skill."""
    return folder.startswith(".") or folder in SKIPPED


def decode_name(name: str) -> str:
    """A name as text that every JSON reader takes; bytes that are no UTF-8 are written out."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def split_checked_name(name: str) -> tuple[str, ...]:
    """The parts of a name that a change may write to. Invalid for all that leads elsewhere."""
    parts = tuple(name.split("/"))
    if not is_encodable(name) or "\0" in name or any(part in ("", ".", "..") for part in parts):
        raise Invalid(f"{name!r} is not a file name in the skill's folder; use a relative one like phases/01.md")
    if any(is_left_out(part) for part in parts[:-1]) or parts[-1] in SKIPPED or parts[-1].startswith(TEMPORARY):
        raise Invalid(f"{name} is where no skill files are kept (hidden folders, version control, packages)")
    return parts
