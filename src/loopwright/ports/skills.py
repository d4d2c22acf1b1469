"""The ports to the folders of skills, and to what was found in them before."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from loopwright.domain.skill_files import Rewrite, SkillFiles


class Skills(Protocol):
    """Reads skills, and changes their files so that a crash at any moment can be undone. Calls block."""

    def read(self, root: Path) -> SkillFiles:
        """All files below `root`, without skills nested in it, hidden folders and what git ignores.

        NotFound: no such folder. Invalid: no SKILL.md in it.
        """

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        """A copy of the skill in a folder of the same name that goes away, for somebody to change."""

    def find(self, folder: Path) -> tuple[Path, ...]:
        """Every folder at or below this one that holds a SKILL.md, sorted; nested ones too. NotFound."""

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        """Writes the change, once what it touches lies in `backup` durably; gives the new digests.

        Conflict, and nothing was written, where a file is not what the change expects. An error halfway undoes all.
        """

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        """Makes what the backup's change has touched byte for byte what it was; gives the digests.

        Idempotent, and right after a crash at any moment of `apply` or of itself. Conflict, and nothing was written,
        where somebody else has changed one of these files since. NotFound: no such backup.
        """


class FoundBefore(Protocol):
    """What was worked out before, by key. It may forget anything at any time, and never gives what was not put."""

    def get(self, key: str) -> bytes | None: ...

    def put(self, key: str, data: bytes) -> None: ...

    def tidy(self) -> None:
        """Called once at the end of a command."""
