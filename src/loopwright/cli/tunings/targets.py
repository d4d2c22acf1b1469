"""Which skills a command is about: what was typed, or what is installed for the known hosts."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loopwright.domain.errors import Invalid, NotFound
from loopwright.skills.names import holds_skill

if TYPE_CHECKING:
    from loopwright.ports import Skills

INSTALLED = (
    ".claude/skills",
    ".claude/plugins",
    ".codex/skills",
    ".agents/skills",
    ".gemini/skills",
    ".gemini/extensions",
)
"""Where hosts keep skills, in a project and in a home."""
NO_SKILL = "a skill is a folder with a SKILL.md"


class Targets(NamedTuple):
    """`single`: one skill was named, not a folder of skills. `words`: what is wrong with it."""

    roots: tuple[Path, ...]
    single: bool
    words: str


def named(given: Sequence[str], skills: "Skills") -> Targets:
    """The skills at and below these paths, of which the last may say what is wrong instead. NotFound, Invalid."""
    paths, words = _split(given)
    if not paths:
        raise Invalid("name a skill or a folder of skills, as in: tune .claude/skills/my-skill; or give --installed")
    roots = tuple(dict.fromkeys(root for path in paths for root in _below(path, skills)))
    single = len(paths) == 1 and len(roots) == 1 and (paths[0].is_file() or roots[0] == paths[0].resolve())
    return Targets(roots, single, words)


def installed(places: Sequence[Path], skills: "Skills") -> Targets:
    """Those that hosts find in one of these folders: projects, or a home. NotFound."""
    folders = [place / name for place in places for name in INSTALLED]
    found = (root.resolve() for folder in folders if folder.is_dir() for root in skills.find(folder))
    roots = tuple(dict.fromkeys(found))
    if not roots:
        raise NotFound(f"no skill is installed: looked for {', '.join(INSTALLED)} in the project and at home")
    return Targets(roots, False, "")


def owning(files: Sequence[str]) -> Targets:
    """The skills that these files belong to, also where one is deleted. NotFound, Invalid.

    Files that are there and belong to no skill stand for none: hooks hand over whatever was committed.
    """
    if not files:
        raise Invalid("--files takes the files whose skills are meant; name at least one")
    homes = {file: _above(Path(file).resolve()) for file in files}
    if gone := [file for file, home in homes.items() if home is None and not _exists(file)]:
        raise NotFound(f"there is no file or folder {gone[0]!r}")
    return Targets(tuple(dict.fromkeys(home for home in homes.values() if home)), False, "")


def shown(root: Path, base: Path) -> str:
    """As people call the folder: from the base where it lies in that."""
    return root.relative_to(base).as_posix() if root.is_relative_to(base) else str(root)


def _split(given: Sequence[str]) -> tuple[list[Path], str]:
    """Paths that exist; a last argument of several words that is none says what is wrong."""
    if given and not _exists(given[-1]) and (len(given[-1].split()) > 1 or not given[-1].isascii()):
        return [_existing(path) for path in given[:-1]], given[-1].strip()
    return [_existing(path) for path in given], ""


def _exists(path: str) -> bool:
    try:
        return bool(path) and os.path.lexists(path)
    except ValueError:  # a character that no path has
        return False


def _existing(path: str) -> Path:
    if not _exists(path):
        raise NotFound(
            f"there is no file or folder {path!r}; what is wrong with a skill is said last, in several words"
        )
    return Path(path)


def _above(path: Path) -> Path | None:
    """The nearest folder around a file that is a skill."""
    return next((folder for folder in path.parents if holds_skill(folder)), None)


def _below(path: Path, skills: "Skills") -> Iterator[Path]:
    if not path.is_dir():
        root = _above(path.resolve())
        if root is None or not path.exists():
            raise NotFound(f"{path} belongs to no skill: {NO_SKILL}; name that folder")
        yield root
        return
    folder = path.resolve()
    if not os.access(folder, os.R_OK | os.X_OK):
        raise Invalid(f"{path} can not be read: its permissions do not allow it")
    found = skills.find(folder)
    if not found:
        raise NotFound(f"there is no skill in {path}: {NO_SKILL}")
    yield from found
