"""Which skills a command is about: what was typed, or what is installed for the known hosts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from loopwright.domain.errors import Invalid, NotFound
from loopwright.domain.words import plural

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


class Targets(NamedTuple):
    """`single`: one skill was named, not a folder of skills."""

    roots: tuple[Path, ...]
    single: bool
    words: str


def targets(given: Sequence[str], *, installed: bool, project: Path, home: Path, skills: "Skills") -> Targets:
    """The folders of skills behind the arguments, of which the last may say what is wrong. NotFound, Invalid."""
    paths, words = _split(given)
    if installed:
        folders = [place / name for place in (project, home) for name in INSTALLED]
        roots = tuple(dict.fromkeys(root for folder in folders if folder.is_dir() for root in skills.find(folder)))
        if not roots and not paths:
            raise NotFound(f"no skill is installed: looked for {', '.join(INSTALLED)} in the project and at home")
        return Targets((*roots, *(root for path in paths for root in _below(path, skills))), False, words)
    if not paths:
        raise Invalid(
            "name a skill or a folder of skills, as in: loopwright tune .claude/skills/my-skill, or --installed"
        )
    roots = tuple(dict.fromkeys(root for path in paths for root in _below(path, skills)))
    return Targets(roots, len(paths) == 1 and _is_skill(paths[0]), words)


def _split(given: Sequence[str]) -> tuple[list[Path], str]:
    """Paths that exist; a last argument that is none is what the user says is wrong."""
    *first, last = given or ("",)
    if first and not Path(last).exists() and (" " in last.strip() or not any(c in last for c in "/\\")):
        return [_existing(path) for path in first], last.strip()
    return [_existing(path) for path in given], ""


def _existing(path: str) -> Path:
    if not Path(path).exists():
        raise NotFound(f"there is no file or folder {path}")
    return Path(path)


def _is_skill(path: Path) -> bool:
    folder = path.parent if path.is_file() else path
    return any((folder / name).is_file() for name in ("SKILL.md", "skill.md"))


def _below(path: Path, skills: "Skills") -> Iterator[Path]:
    if path.is_file() and path.name.lower() != "skill.md":
        raise Invalid(f"{path} is no skill: a skill is a folder with a SKILL.md, name that")
    folder = (path.parent if path.is_file() else path).resolve()
    if _is_skill(path):
        yield folder
        return
    found = skills.find(folder)
    if not found:
        raise NotFound(f"{path} holds no skill: a skill is a folder with a SKILL.md")
    yield from found


def told(count: int) -> str:
    return plural(count, "skill")
