"""Where the files of one state are."""

from pathlib import Path
from typing import NamedTuple

from loopwright.domain.ids import checked, is_safe

STATE = ".json"
JOURNAL = ".events.ndjson"
PROGRESS = ".progress"


class Paths(NamedTuple):
    """`base` is the path without a suffix; plain texts, because they are built for every call."""

    id: str
    base: str

    @classmethod
    def of(cls, folder: Path, id: str, kind: str = "loop") -> "Paths":
        """Invalid, with the name of the `kind`, for an id that is not safe."""
        return cls(id, f"{folder}/{checked(id, kind)}")

    @property
    def state(self) -> str:
        return self.base + STATE

    @property
    def journal(self) -> str:
        return self.base + JOURNAL

    @property
    def lock(self) -> str:
        return self.base + ".lock"

    @property
    def lease(self) -> str:
        return self.base + ".lease"

    @property
    def progress(self) -> Path:
        return Path(self.base + PROGRESS)

    def side(self, suffix: str) -> str:
        return f"{self.base}.{suffix}"


def id_in(name: str) -> str | None:
    """The id that a file or folder name in the store's folder speaks of."""
    for suffix in (JOURNAL, STATE, PROGRESS):
        if name.endswith(suffix):
            id = name.removesuffix(suffix)
            return id if is_safe(id) else None
    return None
