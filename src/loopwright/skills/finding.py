"""Finds the skills below a folder, and what stands above one."""

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from loopwright.domain.errors import NotFound
from loopwright.domain.skill_files import MAIN
from loopwright.skills.names import SKIPPED, is_main, main_in, shown

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
        start = shown(f"{prefix}{path[len(folder) + 1 :]}/") if path != folder else prefix
        yield from (start + shown(name) for name in files)


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
