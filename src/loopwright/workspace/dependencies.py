"""Installed Python distributions, and which of their files are as they were installed."""

import base64
import csv
import hashlib
import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from email.parser import Parser
from pathlib import Path
from typing import NamedTuple

from loopwright.domain.environment import TOOLS, Distribution, Manifests, normalised, wanted_names
from loopwright.domain.test_material import is_framework

_REQUIRED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PLUGINS = re.compile(r"^\s*\[\s*pytest11\s*\]", re.MULTILINE)


def distributions(
    project: Path, roots: Iterable[str], changed: Collection[str], before: Collection[str], manifests: Manifests
) -> Iterator[Distribution]:
    """Those of which something is among the `changed` places, and that were there, or are asked for by the manifests.

    `before`: all places that there were.
    """
    records = {record for root in roots for record in Path(root).rglob("*.dist-info/RECORD")}
    look = _Changes(project, frozenset(changed), before, manifests.removed)
    told = {record: _metadata(record) for record in records if look.is_new(record)}
    asked = wanted_names({one.name: one.requires for one in told.values()}, manifests)
    for record in records:
        if record not in told or told[record].name in asked:
            name = told[record].name if record in told else record.parent.name
            if found := look.distribution(name, record):
                yield found


class _Metadata(NamedTuple):
    """`requires`: names."""

    name: str
    requires: frozenset[str]


def _metadata(record: Path) -> _Metadata:
    told = Parser().parsestr(_read(record.parent / "METADATA"), headersonly=True)
    required = (_REQUIRED.match(line) for line in told.get_all("Requires-Dist", ()))
    name = str(told.get("Name") or record.parent.name.partition("-")[0])
    return _Metadata(normalised(name), frozenset(normalised(one[0]) for one in required if one))


class _Changes:
    """What has changed, by the distributions that it belongs to."""

    def __init__(
        self, project: Path, changed: frozenset[str], before: Collection[str], removed: frozenset[str]
    ) -> None:
        self._project, self._changed, self._before, self._removed = project, changed, before, removed
        self._notes: dict[str, list[str]] = defaultdict(list)
        for place in changed:
            folder, mark, _ = place.partition(".dist-info/")
            if mark:
                self._notes[folder + mark].append(place)
        self._taken: dict[str, frozenset[str]] = {}

    def is_new(self, record: Path) -> bool:
        return self._place(record) in self._changed

    def distribution(self, name: str, record: Path) -> Distribution | None:
        folder, notes = self._place(record.parent.parent), f"{self._place(record.parent)}/"
        names: dict[str, str] = {}
        for row in csv.reader(_read(record).splitlines()):
            path = Path(os.path.normpath(record.parent.parent / row[0])) if row else record
            place = self._place(path)
            if place in self._changed and _is_as_installed(path, row):
                is_harmless = _is_asked_for(row[0], path) and not self._stands_for_own(row[0], path)
                if is_harmless or not self.is_new(record):  # else it is as it was before
                    names[place] = row[0]
        # What an installer writes behind the record says nothing to any program, but for the plugins of pytest.
        for place in self._notes[notes]:
            if _is_asked_for(place, self._project / place):
                names[place] = place.removeprefix(f"{folder}/")
        if not names:
            return None
        taken = self._modules(folder)
        fresh = frozenset(place for place, own in names.items() if _is_fresh(place, own, taken, self._before))
        return Distribution(name, frozenset(names), fresh, is_new=self.is_new(record))

    def _stands_for_own(self, name: str, path: Path) -> bool:
        """Whether it would be loaded in the place of a module of the project, and is not a copy of it."""
        first = name.split("/")[0].partition(".")[0]
        for folder in ("", "src/"):
            if not self._removed.isdisjoint(f"{folder}{one}" for one in (name, f"{first}.py", f"{first}/__init__.py")):
                return True
            own = self._project / folder / name
            if own.is_file():
                return own.read_bytes() != path.read_bytes()
            stem = own.parent / own.name.partition(".")[0]
            if own.suffix in (".so", ".pyd") and (stem.is_dir() or stem.with_suffix(".py").is_file()):
                return True
        return False

    def _place(self, path: Path) -> str:
        return str(path).removeprefix(f"{self._project}/")

    def _modules(self, folder: str) -> frozenset[str]:
        """Names that could be loaded from that folder before."""
        if folder not in self._taken:
            inside = (place.removeprefix(f"{folder}/") for place in self._before if place.startswith(f"{folder}/"))
            self._taken[folder] = frozenset(name.split("/")[0].split(".")[0] for name in inside)
        return self._taken[folder]


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
