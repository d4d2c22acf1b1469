"""The folder that holds the states of one kind, hidden from the project's git by a file of its own."""

import os
from pathlib import Path

from loopwright.store.aside import move_aside
from loopwright.store.disk import Disk
from loopwright.store.paths import Paths


class Place:
    """`name` is relative to the project `root`, which always exists."""

    def __init__(self, disk: Disk, root: Path, name: str) -> None:
        self._disk = disk
        self._steps = tuple(root / Path(*Path(name).parts[: n + 1]) for n in range(len(Path(name).parts)))
        self._ignore = self._steps[0] / ".gitignore"
        self.folder = root / name

    def make(self, paths: Paths) -> None:
        """Creates what is missing, with the state's own folder where it has one."""
        self.clear(paths)
        home = Path(paths.home or self.folder)
        if not home.is_dir():
            self._disk.make_folder(home)
            self._hide()

    def clear(self, paths: Paths) -> None:
        """What stands in the place of a state's own folder and is none: nothing is written through a link."""
        if paths.home and os.path.lexists(paths.home) and not _is_folder(paths.home):
            move_aside(paths.home)

    @property
    def is_hidden(self) -> bool:
        """Whether the file is there, with whatever in it."""
        return self._ignore.exists()

    def real(self) -> tuple[str, ...]:
        """Where each step of the way leads; differs once a link was put in its place."""
        return tuple(os.path.realpath(step) for step in self._steps)

    def make_again(self, paths: Paths, real: tuple[str, ...]) -> None:
        """As `make`, after somebody put something else in a folder's place; it is moved aside."""
        for step, led_to in zip(self._steps, real, strict=True):
            if os.path.lexists(step) and (not step.is_dir() or os.path.realpath(step) != led_to):
                move_aside(str(step))
        self.make(paths)
        self._hide()

    def _hide(self) -> None:
        if self.is_hidden:
            return
        try:
            self._disk.replace(str(self._ignore), b"*\n")
        except FileNotFoundError:
            if not self.is_hidden:  # else somebody did the same at the same time
                raise


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)
