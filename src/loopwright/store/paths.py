"""Where the files of one state are, and which states the names in a folder speak of."""

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from loopwright.core.errors import NotFound
from loopwright.core.ids import check_id, is_safe_id
from loopwright.store.kept_index import JOURNAL as JOURNAL
from loopwright.store.kept_index import OWN as OWN
from loopwright.store.kept_index import PROGRESS as PROGRESS
from loopwright.store.kept_index import STATE as STATE


class StatePaths(NamedTuple):
    """`base` is the path without a suffix; plain texts, because they are built for every call.

    `home`: the folder that is this state's alone, with its progress files in it; empty where states lie side by side.
    """

    id: str
    base: str
    home: str = ""

    @classmethod
    def of(cls, folder: Path, id: str, kind: str = "loop") -> "StatePaths":
        """Side by side with others. Invalid, with the name of the `kind`, for an id that is not safe."""
        return cls(id, f"{folder}/{check_id(id, kind)}")

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
        return Path(self.home or self.base + PROGRESS)

    def side(self, suffix: str) -> str:
        return f"{self.base}.{suffix}"

    def is_own(self, name: str) -> bool:
        """Whether a name among the progress files is one of the state's own, or of what was put aside of them."""
        return bool(self.home) and name.split("/")[0].startswith(f"{OWN}.")


class KindLayout(NamedTuple):
    """How the states of a kind lie in its `folder`; `name` and `homes`: see `kind.Kind`."""

    folder: Path
    name: str
    homes: str | None

    def paths(self, id: str) -> StatePaths:
        """Invalid for an id that is not safe, NotFound for one that names a folder which is not one of ours."""
        if self.homes is None:
            return StatePaths.of(self.folder, id, self.name)
        if not check_id(id, self.name).startswith(self.homes):
            raise NotFound(f"{self.name} not found: {id} (such ids begin with {self.homes!r})")
        home = f"{self.folder}/{id}"
        return StatePaths(id, f"{home}/{OWN}", home)

    def base(self, id: str) -> str:
        """As that of `paths`, for an id that is one."""
        return f"{self.folder}/{id}" if self.homes is None else f"{self.folder}/{id}/{OWN}"

    def id_in(self, name: str) -> str | None:
        """The id that a name in the folder speaks of; None for what is somebody else's."""
        if self.homes is None:
            return parse_id(name)
        return name if name.startswith(self.homes) and is_safe_id(name) else None

    def ids(self) -> set[str]:
        """All that there is something of; a folder of its own is none if it is a link."""
        try:
            with os.scandir(self.folder) as entries:
                side_by_side = self.homes is None
                names = (entry.name for entry in entries if side_by_side or entry.is_dir(follow_symlinks=False))
                return {id for name in names if (id := self.id_in(name))}
        except (FileNotFoundError, NotADirectoryError):
            return set()


@lru_cache(1 << 12)
def parse_id(name: str) -> str | None:
    """The id that a file or folder name speaks of, where states lie side by side."""
    for suffix in (JOURNAL, STATE, PROGRESS):
        if name.endswith(suffix):
            id = name.removesuffix(suffix)
            return id if is_safe_id(id) else None
    return None
