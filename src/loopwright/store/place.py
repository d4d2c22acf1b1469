"""The folder that holds the states of one kind, hidden from the project's git by a file of its own."""

import os
from pathlib import Path

from loopwright.store.aside import move_aside
from loopwright.store.disk import Disk


class Place:
    """`name` is relative to the project `root`, which always exists."""

    def __init__(self, disk: Disk, root: Path, name: str) -> None:
        self._disk = disk
        self._steps = tuple(root / Path(*Path(name).parts[: n + 1]) for n in range(len(Path(name).parts)))
        self._ignore = self._steps[0] / ".gitignore"
        self.folder = root / name

    def make(self) -> None:
        """Creates what is missing."""
        if not self.folder.is_dir():
            self._disk.make_folder(self.folder)
            self._hide()

    @property
    def is_hidden(self) -> bool:
        """Whether the file is there, with whatever in it."""
        return self._ignore.exists()

    def real(self) -> tuple[str, ...]:
        """Where each step of the way leads; differs once a link was put in its place."""
        return tuple(os.path.realpath(step) for step in self._steps)

    def make_again(self, real: tuple[str, ...]) -> None:
        """As `make`, after somebody put something else in a folder's place; it is moved aside."""
        for step, led_to in zip(self._steps, real, strict=True):
            if os.path.lexists(step) and (not step.is_dir() or os.path.realpath(step) != led_to):
                move_aside(str(step))
        self.make()
        self._hide()

    def _hide(self) -> None:
        if self.is_hidden:
            return
        try:
            self._disk.replace(str(self._ignore), b"*\n")
        except FileNotFoundError:
            if not self.is_hidden:  # else somebody did the same at the same time
                raise
