"""Which skills a command is about: what was typed, or what is installed for the known hosts."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

from loopwright.core.errors import Invalid, NotFound
from loopwright.core.text import agree_word, plural
from loopwright.skills.disk.names import holds_skill
from loopwright.surfaces.cli.output import print_remark

if TYPE_CHECKING:
    from loopwright.core.ports import SkillStore
    from loopwright.skills.accepted import Baseline
    from loopwright.workflows.tuning.report.skill_check import SkillCheck


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


def find_named(given: Sequence[str], skills: "SkillStore") -> Targets:
    """The skills at and below these paths, of which the last may say what is wrong instead. NotFound, Invalid."""
    paths, words = _split(given)
    if not paths:
        raise Invalid("name a skill or a folder of skills, as in: tune .claude/skills/my-skill; or give --installed")
    roots = tuple(dict.fromkeys(root for path in paths for root in _below(path, skills)))
    single = len(paths) == 1 and len(roots) == 1 and (paths[0].is_file() or roots[0] == paths[0].resolve())
    return Targets(roots, single, words)


def find_installed(places: Sequence[Path], skills: "SkillStore") -> Targets:
    """Those that hosts find in one of these folders: projects, or a home. NotFound."""
    folders = [place / name for place in places for name in INSTALLED]
    found = (root.resolve() for folder in folders if folder.is_dir() for root in skills.find(folder))
    roots = tuple(dict.fromkeys(found))
    if not roots:
        raise NotFound(f"no skill is installed: looked for {', '.join(INSTALLED)} in the project and at home")
    return Targets(roots, False, "")


def find_owning(files: Sequence[str]) -> Targets:
    """The skills that these files belong to, also where one is deleted. NotFound, Invalid.

    Files that are there and belong to no skill stand for none: hooks hand over whatever was committed.
    """
    if not files:
        raise Invalid("--files takes the files whose skills are meant; name at least one")
    homes = {file: _above(Path(file).resolve()) for file in files}
    if gone := [file for file, home in homes.items() if home is None and not _exists(file)]:
        raise NotFound(f"there is no file or folder {gone[0]!r}")
    return Targets(tuple(dict.fromkeys(home for home in homes.values() if home)), False, "")


def display_path(root: Path, base: Path) -> str:
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
            f"there is no file or folder {path!r}; describe what is wrong with a skill last, in several words"
        )
    return Path(path)


def _above(path: Path) -> Path | None:
    """The nearest folder around a file that is a skill."""
    return next((folder for folder in path.parents if holds_skill(folder)), None)


def _below(path: Path, skills: "SkillStore") -> Iterator[Path]:
    if not path.is_dir():
        root = _above(path.resolve())
        if root is None or not path.exists():
            raise NotFound(f"{path} belongs to no skill: {NO_SKILL}; name that folder")
        yield root
        return
    folder = path.resolve()
    if not os.access(folder, os.R_OK | os.X_OK):
        raise Invalid(f"{path} cannot be read: its permissions do not allow it")
    found = skills.find(folder)
    if not found:
        raise NotFound(f"there is no skill in {path}: {NO_SKILL}")
    yield from found


class AcceptedFindings(Protocol):
    """What is known of the skills already."""

    def accepted(self, root: Path) -> frozenset[str]:
        """Fingerprints of what is not to be told again."""
        ...


class NoBaseline:
    """No baseline was named."""

    def accepted(self, root: Path) -> frozenset[str]:
        return frozenset()


class BaselineFile:
    """What a file accepts."""

    def __init__(self, file: Path, baseline: "Baseline") -> None:
        self._file, self._baseline = file, baseline

    def accepted(self, root: Path) -> frozenset[str]:
        return self._baseline.accepted(_name(self._file, root))

    def tell_gone(self, found: "Sequence[tuple[Path, SkillCheck]]") -> None:
        """Entries about these skills that nothing stands for any more, so that the file shrinks."""
        gone = [
            entry
            for root, skill in found
            for entry in self._baseline.gone(
                _name(self._file, root), (*skill.findings, *(one.finding for one in skill.silenced))
            )
            if _was_looked_for(entry.rule, skill)
        ]
        for entry in gone:
            print_remark(f"gone: {entry.skill}: {entry.rule} in {entry.file}: {entry.message}")
        if gone:
            words = f"{plural(len(gone), 'finding')} in {self._file} no longer {agree_word(len(gone), 'occurs')}"
            print_remark(f"{words}; rewrite it with --update-baseline")


def read_baseline(file: Path) -> BaselineFile:
    """NotFound, Invalid, NewerSchema."""
    from loopwright.skills.accepted import parse_baseline

    if not file.is_file():
        raise NotFound(f"there is no baseline {file}; write one with --update-baseline")
    return BaselineFile(file, parse_baseline(str(file), file.read_bytes()))


def write_baseline(file: Path, found: "Sequence[tuple[Path, SkillCheck]]", now: str) -> BaselineFile:
    """Accepts all of this. Entries about other skills stay; an unreadable file is not written over."""
    from loopwright import __version__
    from loopwright.skills.accepted import baseline_of, encode_baseline

    if file.is_dir():
        raise Invalid(f"--baseline {file} is a folder; name a file in it")
    mine = {_name(file, root): skill.findings for root, skill in found}
    made = baseline_of(mine, version=__version__, created=now)
    if file.exists():
        others = [entry for entry in _known_in(file).entries if entry.skill not in mine]
        entries = sorted((*made.entries, *others), key=lambda e: (e.skill, e.file, e.rule, e.fingerprint))
        made = made.evolve(entries=tuple(entries))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(encode_baseline(made))
    print_remark(f"{plural(sum(map(len, mine.values())), 'finding')} accepted in {file}")
    return BaselineFile(file, made)


def _known_in(file: Path) -> "Baseline":
    from loopwright.skills.accepted import parse_baseline

    try:
        return parse_baseline(str(file), file.read_bytes())
    except Invalid as error:
        raise Invalid(f"{file} is not a baseline and is not overwritten: delete it, or name another file") from error


def _was_looked_for(rule: str, skill: "SkillCheck") -> bool:
    from loopwright.skills.diagnosis import rules_of

    return any(one.rule == rule for one in rules_of(skill.dimensions))


def _name(file: Path, root: Path) -> str:
    return Path(os.path.relpath(root, file.resolve().parent)).as_posix()
