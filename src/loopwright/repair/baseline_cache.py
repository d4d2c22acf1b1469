"""The last first run of a project, kept in memory for who asks about the same files next: diagnosis, then search."""

from contextlib import suppress
from pathlib import Path

from loopwright.core.private_files import read_regular

Key = tuple[object, ...]


class BaselineCache:
    """One measured project at a time."""

    def __init__(self) -> None:
        self._key: Key = ()
        self._data = b""

    def fetch(self, key: Key, into: Path) -> None:
        """Writes what was measured under this key, if that is the last that was kept."""
        if key == self._key:
            into.write_bytes(self._data)

    def keep(self, key: Key, found: Path) -> None:
        """Takes what was measured, if anything was."""
        if key != self._key:
            with suppress(OSError):  # it lies in a folder of the project's programs
                self._key, self._data = key, read_regular(found)
