"""States in older places: they can be read and listed; the first write goes to the new place."""

from pathlib import Path
from typing import Generic

import orjson

from loopwright.domain.errors import Invalid, StoreError
from loopwright.store.disk import Disk
from loopwright.store.kind import Document, Kind, S


class Legacy(Generic[S]):
    """The old files under one project root, by the id that each has now."""

    def __init__(self, disk: Disk, kind: Kind[S], root: Path) -> None:
        self._disk, self._kind, self._root = disk, kind, root
        self._places: dict[str, tuple[Path, str]] | None = None

    def find(self, id: str, now: str) -> S | None:
        """The old state with this id. Places are searched once; `states` searches them again."""
        if self._places is None:
            self.states(now)
        place = self._places.get(id) if self._places else None
        return self._read(*place, now) if place else None

    def states(self, now: str) -> tuple[dict[str, S], dict[str, str]]:
        """All old states that can be read, and for the others the reason by name."""
        found: dict[str, S] = {}
        places: dict[str, tuple[Path, str]] = {}
        damaged: dict[str, str] = {}
        for path, name in self._kind.legacy(self._root).items():
            try:
                state = self._read(path, name, now)
            except (Invalid, StoreError) as error:
                damaged[name] = f"{path.relative_to(self._root)}: {error}"
                continue
            id = self._kind.id_of(state)
            if id not in found:
                found[id], places[id] = state, (path, name)
        self._places = places
        return found, damaged

    def _read(self, path: Path, name: str, now: str) -> S:
        data = self._disk.read(str(path)) or b""
        try:
            raw = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            raise Invalid(f"not JSON: {error}") from error
        beside = {}
        for suffix in self._kind.side_files:
            text = self._disk.read(str(path.with_suffix(f".{suffix}")))
            if text is not None:
                beside[suffix] = text.decode(errors="replace")
        return self._kind.read(Document(raw, name, now, beside))[0]
