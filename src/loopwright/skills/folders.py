"""Skills as folders on this machine's disk."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path

from loopwright.domain.skill_files import Rewrite, SkillFiles
from loopwright.skills.change import apply, roll_back
from loopwright.skills.copying import copied
from loopwright.skills.finding import files_above, find_skills
from loopwright.skills.reading import read_folder


class SkillFolders:
    """Implements `ports.Skills`.

    `catalogues` reads what the user has written of tools, see `config.catalogues`, once; it may say Invalid.
    """

    def __init__(self, catalogues: Callable[[], tuple[tuple[str, str], ...]] = tuple) -> None:
        self._catalogues = cache(catalogues)

    def read(self, root: Path) -> SkillFiles:
        return replace(read_folder(root), catalogues=self._catalogues(), above=files_above(root))

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        return copied(root)

    def find(self, folder: Path) -> tuple[Path, ...]:
        return find_skills(folder)

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return apply(root, change, backup)

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return roll_back(root, backup)
