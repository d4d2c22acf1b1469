"""Copies of the project to work in: what is left out, how paths find their way to a copy, and which are tests."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

LEFT_OUT = frozenset({
    ".git", ".hg", ".svn", ".workflow", ".loop", "node_modules", "__pycache__", ".pytest_cache", ".mypy_cache",
    ".ruff_cache", ".tox", ".nox", ".hypothesis", ".venv", "venv", ".eggs",
})  # fmt: skip


Sign = tuple[int, int, int]
"""A file's time of change (ns), size and mode."""


def sign_files(root: str) -> Iterator[tuple[str, Sign]]:
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


def survey_project(origin: str, check: Callable[[], None]) -> tuple[list[tuple[str, Sign]], list[str]]:
    """Its files with their signs, sorted, and what copies of it do without: paths from there.

    `check` is called again and again, and may raise.
    """
    signs, left_out = [], []
    for entry in _walk(origin, check):
        name = entry.path[len(origin) + 1 :]
        if _is_left_out(entry):
            left_out.append(name)
        elif not entry.is_dir(follow_symlinks=False):
            told = entry.stat(follow_symlinks=False)
            signs.append((name, (told.st_mtime_ns, told.st_size, told.st_mode)))
    return sorted(signs), left_out


def _walk(origin: str, check: Callable[[], None]) -> Iterator["os.DirEntry[str]"]:
    """All that is there, but not what lies in folders that are left out."""
    folders = [origin]
    while folders:
        check()
        with suppress(OSError), os.scandir(folders.pop()) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False) and not _is_left_out(entry):
                    folders.append(entry.path)


def _is_left_out(entry: "os.DirEntry[str]") -> bool:
    return entry.name in LEFT_OUT or os.path.exists(os.path.join(entry.path, "pyvenv.cfg"))


def copy_tree(origin: Path, target: Path, check: Callable[[], None] = lambda: None) -> None:
    """Copies what the tests may need. Links stay links; sockets and what cannot be read are left out.

    So is the folder that holds `target`, for projects that keep their temporary files inside. `check` as above.
    """

    def is_left_out(path: str) -> bool:
        if target.is_relative_to(path) or os.path.exists(os.path.join(path, "pyvenv.cfg")):
            return True
        is_readable = os.path.isfile(path) and os.access(path, os.R_OK)
        return not (os.path.islink(path) or os.path.isdir(path) or is_readable)

    def left_out(folder: str, names: list[str]) -> set[str]:
        check()
        return {name for name in names if name in LEFT_OUT or is_left_out(os.path.join(folder, name))}

    shutil.copytree(origin, target, symlinks=True, ignore=left_out, ignore_dangling_symlinks=True, dirs_exist_ok=True)


def is_test_file(path: str) -> bool:
    """Whether a project-relative path belongs to the tests, which are never changed."""
    parts = PurePosixPath(path).parts
    name = parts[-1]
    return (
        name.startswith("test_")
        or name.endswith(("_test.py", "_tests.py"))
        or name in ("conftest.py", "setup.py", "noxfile.py", "test.py", "tests.py")
        or any(part in ("tests", "test") for part in parts[:-1])
    )


def relocate(origin: str, target: str) -> None:
    """Makes this process import from `target` what it would import from `origin` (installed in editable mode, too)."""
    sys.path[:] = [map_path(entry, origin, target) for entry in sys.path]
    for name, module in list(sys.modules.items()):
        mapping = getattr(module, "MAPPING", None)  # setuptools' editable finders keep their table here
        if name.startswith("__editable__") and isinstance(mapping, dict):
            mapping.update({key: map_path(value, origin, target) for key, value in mapping.items()})
    sys.path_importer_cache.clear()


def map_path(path: str, origin: str, target: str) -> str:
    """`path` inside the copy, when it lies in the project and the copy has it."""
    if path != origin and not path.startswith(origin + os.sep):
        return path
    there = target + path[len(origin) :]
    return there if os.path.exists(there) else path
