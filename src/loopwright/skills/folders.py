"""Skills as folders on this machine's disk."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path

from loopwright.domain.skill_files import Rewrite, SkillFiles
from loopwright.skills.around import Neighbours
from loopwright.skills.change import apply, roll_back
from loopwright.skills.copying import copied
from loopwright.skills.finding import find_skills
from loopwright.skills.reading import read_folder


class SkillFolders:
    """Implements `ports.Skills`. Keeps what it has seen around the skills: one object serves one session."""

    def __init__(self, home: Path | None = None) -> None:
        self._neighbours = Neighbours(home)

    def read(self, root: Path) -> SkillFiles:
        return read_folder(root, self._neighbours.around)

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        return copied(root)

    def find(self, folder: Path) -> tuple[Path, ...]:
        return find_skills(folder)

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return apply(root, change, backup)

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return roll_back(root, backup)
