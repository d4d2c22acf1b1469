"""Removing the files of a state that was deleted: its tombstone is committed first, its journal goes last."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Generic

from loopwright.store.disk import Disk
from loopwright.store.kind import S
from loopwright.store.locks import Flock
from loopwright.store.paths import Paths
from loopwright.store.source import Source


class Removal(Generic[S]):
    """Called under the write lock."""

    def __init__(self, disk: Disk, folder: Path, source: Source[S], now: Callable[[], str]) -> None:
        self._disk = disk
        self._folder = folder
        self._source = source
        self._now = now

    def finish(self, paths: Paths) -> None:
        """Removes what a deletion left that was cut short. While somebody drives the state there was none."""
        held = Flock.at_once(paths.lease)
        if held is None:
            return
        try:
            self.remove(paths)
        finally:
            held.release()

    def remove(self, paths: Paths) -> None:
        """Every file of a buried state. Where an older place still has it, the tombstone stays and hides that."""
        if self._source.legacy.find(paths.id, self._now()) is None:
            self.clear(paths)
            self._disk.remove(paths.lease)
            self._disk.remove(paths.lock)

    def clear(self, paths: Paths) -> None:
        """All but the locks; the journal with its tombstone goes when nothing else can come back."""
        self._source.cache.drop(paths.id)
        shutil.rmtree(paths.progress, ignore_errors=True)
        spared = {paths.journal, paths.lock, paths.lease}
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.startswith(f"{paths.id}.") and entry.is_file() and entry.path not in spared:
                    self._disk.remove(entry.path)
        self._disk.sync_folder(str(self._folder))
        self._disk.remove(paths.journal)
