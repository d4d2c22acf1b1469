"""Which processes belong to a loop, written down outside of the project, for whoever comes after its runner."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

from loopwright.workspace.living import Living, boot, look


class Registry:
    """Ids and start times in one file. Not synced: a machine that went down has no processes left."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._part = path.with_suffix(".part")

    def write(self, processes: Iterable[Living]) -> None:
        """Replaces all that was known; a reader finds the old or the new."""
        known = sorted((process.pid, process.started) for process in processes)
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._part.write_text(json.dumps({"boot": boot(), "processes": known}))
        os.replace(self._part, self._path)

    def living(self) -> frozenset[Living]:
        """Those that are still the same; an id that was given to another process since counts for nothing."""
        found = ((look(pid), started) for pid, started in self._known())
        return frozenset(process for process, started in found if process is not None and process.started == started)

    def clear(self) -> None:
        for path in (self._path, self._part):
            path.unlink(missing_ok=True)

    def _known(self) -> list[tuple[int, int]]:
        """Empty after a restart of the machine, and for a file that is none of ours."""
        try:
            raw = json.loads(self._path.read_bytes())
            known = [(int(pid), int(started)) for pid, started in raw["processes"]]
            return known if raw["boot"] == boot() else []
        except (FileNotFoundError, ValueError, KeyError, TypeError):
            return []
