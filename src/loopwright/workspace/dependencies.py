"""Installed Python distributions, and which of their files are as they were installed."""

import base64
import csv
import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator
from email.parser import Parser
from pathlib import Path

from loopwright.domain.environment import TOOLS, Distribution, normalised
from loopwright.domain.test_material import is_framework

_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PLUGINS = re.compile(r"^\s*\[\s*pytest11\s*\]", re.MULTILINE)


def distributions(
    project: Path, roots: Iterable[str], changed: Collection[str], before: Collection[str]
) -> Iterator[Distribution]:
    """Those of which something is among the `changed` places. `before`: all places that there were."""
    places = frozenset(changed)
    for root in roots:
        for record in Path(root).rglob("*.dist-info/RECORD"):
            if found := _distribution(project, record, places, before):
                yield found


def _distribution(project: Path, record: Path, changed: frozenset[str], before: Collection[str]) -> Distribution | None:
    top = f"{project}/"
    folder, notes = str(record.parent.parent).removeprefix(top), f"{str(record.parent).removeprefix(top)}/"
    names: dict[str, str] = {}
    for row in csv.reader(_read(record).splitlines()):
        path = Path(os.path.normpath(record.parent.parent / row[0])) if row else record
        place = str(path).removeprefix(top)
        is_fine = place in changed and _is_as_installed(path, row) and _is_asked_for(row[0], path)
        if is_fine and not _stands_for_own(project, row[0], path):
            names[place] = row[0]
    # What an installer writes behind the record says nothing to any program, but for the plugins of the test framework.
    for place in changed:
        if place.startswith(notes) and _is_asked_for(place, project / place):
            names[place] = place.removeprefix(f"{folder}/")
    if not names:
        return None
    taken = {
        place.removeprefix(f"{folder}/").split("/")[0].split(".")[0] for place in before if place.startswith(folder)
    }
    told = Parser().parsestr(_read(record.parent / "METADATA"), headersonly=True)
    required = (_REQUIRED.match(line) for line in told.get_all("Requires-Dist", ()))
    return Distribution(
        normalised(str(told.get("Name") or record.parent.name.partition("-")[0])),
        frozenset(normalised(one[0]) for one in required if one),
        frozenset(names),
        frozenset(place for place, name in names.items() if _is_fresh(place, name, taken, before)),
        is_new=f"{notes}RECORD" in changed,
    )


def _is_fresh(place: str, name: str, taken: Collection[str], before: Collection[str]) -> bool:
    """Whether nothing could be loaded or started under its name before. `taken`: modules of the same folder."""
    if place in before:
        return False
    first, *more = name.split("/")
    if first == "..":  # a program, or what comes with it
        return more[-1] not in TOOLS
    return first.split(".")[0] not in taken


def _is_asked_for(name: str, path: Path) -> bool:
    """Whether it is loaded by name only, and not with every interpreter or test run."""
    if path.name == "entry_points.txt":
        return not _PLUGINS.search(_read(path))
    if path.suffix == ".pth":  # lines of paths are no code
        return not any(line.startswith(("import ", "import\t")) for line in _read(path).splitlines())
    return not is_framework(name)


def _stands_for_own(project: Path, name: str, path: Path) -> bool:
    """Whether it would be loaded in the place of a module of the project, and is not a copy of it."""
    for own in (project / name, project / "src" / name):
        if own.is_file():
            return own.read_bytes() != path.read_bytes()
        stem = own.parent / own.name.partition(".")[0]
        if own.suffix in (".so", ".pyd") and (stem.is_dir() or stem.with_suffix(".py").is_file()):
            return True
    return False


def _is_as_installed(path: Path, row: list[str]) -> bool:
    algorithm, _, digest = (row[1] if len(row) > 1 else "").partition("=")
    if algorithm != "sha256":
        return False
    try:
        found = hashlib.sha256(path.read_bytes()).digest()
    except OSError:
        return False
    return base64.urlsafe_b64encode(found).rstrip(b"=").decode() == digest.rstrip("=")


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace")
    except OSError:
        return ""
