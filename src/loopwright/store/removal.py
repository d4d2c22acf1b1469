"""Removing the files of a state that was deleted: its tombstone is committed first, its journal goes last."""

import os
import shutil
from collections.abc import Callable, Collection
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
            if paths.home:
                self._disk.remove_folder(paths.home)

    def clear(self, paths: Paths) -> None:
        """All but the locks; the journal with its tombstone goes when nothing else can come back."""
        self._source.cache.drop(paths.id)
        spared = {paths.journal, paths.lock, paths.lease}
        if paths.home:
            self._empty(paths.home, spared)
        else:
            shutil.rmtree(paths.progress, ignore_errors=True)
            self._remove_beside(paths.id, spared)
        self._disk.sync_folder(paths.home or str(self._folder))
        self._disk.remove(paths.journal)

    def _remove_beside(self, id: str, spared: Collection[str]) -> None:
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.startswith(f"{id}.") and entry.is_file() and entry.path not in spared:
                    self._disk.remove(entry.path)

    def _empty(self, home: str, spared: Collection[str]) -> None:
        """All that is in a state's own folder; links are removed, not followed."""
        with os.scandir(home) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                elif entry.path not in spared:
                    self._disk.remove(entry.path)
