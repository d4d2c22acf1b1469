"""Skills as folders on this machine's disk."""

import contextlib
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from loopwright.core.errors import NotFound
from loopwright.skills.disk.change import apply_change, roll_back_change
from loopwright.skills.disk.folder_reader import read_folder
from loopwright.skills.disk.names import SKIPPED, decode_name, is_main, main_in
from loopwright.skills.files import MAIN, Rewrite, SkillFiles

HEAD = 4_096
"""Bytes at the beginning in which a front matter ends."""
ITS_OWN = frozenset({"assets", "references", "scripts"})
"""Folders of a skill, as agentskills.io has them: a SKILL.md in there is material."""
HIGHEST = 6
"""Folders above a skill that are looked at; one that holds `.git` is the last."""
MOST_ABOVE = 2_000
"""Names in one folder above."""
_NAMED = re.compile(rb"---[ \t]*\r?\n(?:(?!---).*\n)*?(?:name|description)[ \t]*:")


def find_skills(folder: Path) -> tuple[Path, ...]:
    """Folders with a SKILL.md, sorted; each real folder once. NotFound.

    Hidden folders are looked into (`.claude/skills`), links only as far as they are a skill themselves.
    """
    if not folder.is_dir():
        raise NotFound(f"there is no folder {folder}")
    found: list[str] = []
    links: list[str] = []
    waiting = [str(folder)]
    while waiting:
        at = waiting.pop()
        if _look(at, waiting, links):
            found.append(at)
    real = {os.path.realpath(path) for path in found} if links else set()
    for link in sorted(links):
        if (leads_to := os.path.realpath(link)) not in real:
            real.add(leads_to)
            found.append(link)
    return tuple(sorted(Path(path) for path in found))


def files_above(root: Path) -> frozenset[str]:
    """Files in folders of a skill's kind that stand above this one, each as seen from there: `references/terms.md`.

    Plugins have them at their root, for all of their skills; projects have scripts.
    """
    found: set[str] = set()
    folder = os.path.realpath(root)
    for _ in range(HIGHEST):
        if os.path.exists(os.path.join(folder, ".git")):
            break
        folder = os.path.dirname(folder)
        for name in ITS_OWN:
            found.update(islice(_names(os.path.join(folder, name), f"{name}/"), MOST_ABOVE))
    return frozenset(found)


def _names(folder: str, prefix: str) -> Iterator[str]:
    """Of all files below a folder."""
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in SKIPPED]
        start = decode_name(f"{prefix}{path[len(folder) + 1 :]}/") if path != folder else prefix
        yield from (start + decode_name(name) for name in files)


def _look(at: str, waiting: list[str], links: list[str]) -> bool:
    """Whether the folder is a skill; its folders go to `waiting`, links that are skills to `links`.

    A `skill.md` in small letters makes one only where its front matter names it: other pages are called so, too.
    """
    try:
        with os.scandir(at) as found:
            entries = [*found]
    except OSError:  # may not be read, or is gone
        return False
    named = (entry for entry in entries if entry.name.lower() == MAIN and is_main(entry.path, at))
    is_skill = any(entry.name == "SKILL.md" or _is_named(entry.path) for entry in named)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name not in SKIPPED and not (is_skill and entry.name in ITS_OWN):
                waiting.append(entry.path)
        elif entry.is_symlink() and main_in(entry.path):
            links.append(entry.path)
    return is_skill


def _is_named(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return _NAMED.match(file.read(HEAD)) is not None
    except OSError:
        return False


LARGEST = 100_000_000
"""Bytes of a file that is copied; larger ones stay away."""


@contextlib.contextmanager
def copy_skill(root: Path) -> Iterator[Path]:
    """What `read` reads and lists, in a folder of the same name.

    Links are links to copies: what is written through them reaches nothing but the copy, and is no part of it.
    """
    files = read_folder(root)
    with tempfile.TemporaryDirectory(prefix="loopwright-", ignore_cleanup_errors=True) as place:
        folder, beside = Path(place) / files.name, Path(place) / "linked"
        folder.mkdir()
        for name in (*files.files, *files.unread):
            source = root / name
            if name in files.unread and _is_linked(root, name):
                _copy(source, beside / name)
                _link(folder / name, beside / name)
            else:
                _copy(source, folder / name)
        yield folder


def _is_linked(root: Path, name: str) -> bool:
    """Whether a link is on the way to it, or it is one itself."""
    parts = Path(name).parts
    return any(os.path.islink(root.joinpath(*parts[:end])) for end in range(1, len(parts) + 1))


def _link(path: Path, target: Path) -> None:
    if target.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)


def _copy(source: Path, target: Path) -> None:
    """Leaves away what cannot be read, is too large, or is gone meanwhile."""
    try:
        found = source.stat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
        target.chmod(stat.S_IMODE(found.st_mode) | stat.S_IWUSR | stat.S_IRUSR)
    except (PermissionError, FileNotFoundError):
        return


class SkillFolders:
    """Implements `ports.Skills`.

    `catalogues` reads what the user has written of tools, see `config.catalogues`, once; it may say Invalid.
    """

    def __init__(self, catalogues: Callable[[], tuple[tuple[str, str], ...]] = tuple) -> None:
        self._catalogues = cache(catalogues)

    def read(self, root: Path) -> SkillFiles:
        return replace(read_folder(root), catalogues=self._catalogues(), above=files_above(root))

    def copied(self, root: Path) -> AbstractContextManager[Path]:
        return copy_skill(root)

    def find(self, folder: Path) -> tuple[Path, ...]:
        return find_skills(folder)

    def apply(self, root: Path, change: Rewrite, backup: Path) -> Mapping[str, str | None]:
        return apply_change(root, change, backup)

    def roll_back(self, root: Path, backup: Path) -> Mapping[str, str | None]:
        return roll_back_change(root, backup)
