"""Skills as folders on this machine's disk."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path

from loopwright.domain.skill_files import Rewrite, SkillFiles, Surroundings
from loopwright.skills.around import Neighbours
from loopwright.skills.change import apply, roll_back
from loopwright.skills.copying import copied
from loopwright.skills.finding import find_skills
from loopwright.skills.reading import read_folder


class SkillFolders:
    """Implements `ports.Skills`. Keeps what it has seen around the skills: one object serves one session.

    `catalogues` reads what the user has written of tools and roles, see `config.catalogues`; it may say Invalid.
    """

    def __init__(self, home: Path | None = None, catalogues: Callable[[], tuple[tuple[str, str], ...]] = tuple) -> None:
        self._neighbours = Neighbours(home)
        self._catalogues = cache(catalogues)

    def read(self, root: Path) -> SkillFiles:
        return read_folder(root, self._around)

    def _around(self, real: str) -> Surroundings:
        return replace(self._neighbours.around(real), catalogues=self._catalogues())

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        return copied(root)

    def find(self, folder: Path) -> tuple[Path, ...]:
        return find_skills(folder)

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return apply(root, change, backup)

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return roll_back(root, backup)
