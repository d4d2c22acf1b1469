"""A copy of the project that candidates work on: what they did to its files is seen, and taken back."""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress

Sign = tuple[int, int, int]
"""A file's time of change, size and mode."""


class Copy:
    """`pristine` is another copy, which nothing has touched; files that only this one has are not brought back."""

    def __init__(self, tree: str, pristine: str) -> None:
        self._tree = tree
        self._pristine = pristine
        self._before = dict(_signs(tree))

    def put_back(self) -> bool:
        """Whether something had changed since; it is as it was before now."""
        now = dict(_signs(self._tree))
        if now == self._before:
            return False
        for name in now.keys() - self._before.keys():
            _remove(os.path.join(self._tree, name))
        for name, sign in self._before.items():
            if now.get(name) != sign:
                self._bring(name)
        self._before = dict(_signs(self._tree))
        return True

    def _bring(self, name: str) -> None:
        source, target = os.path.join(self._pristine, name), os.path.join(self._tree, name)
        if not os.path.lexists(source):
            return
        _remove(target)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(source, target, follow_symlinks=False)


def _signs(root: str) -> Iterator[tuple[str, Sign]]:
    """All files below, links among them, by their path from there."""
    folders = [root]
    while folders:
        with suppress(FileNotFoundError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                else:
                    told = entry.stat(follow_symlinks=False)
                    yield entry.path[len(root) + 1 :], (told.st_mtime_ns, told.st_size, told.st_mode)


def _remove(path: str) -> None:
    with suppress(FileNotFoundError):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        else:
            os.unlink(path)
