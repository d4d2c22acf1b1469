"""The documents of a cycle for whoever looks from elsewhere: which there are, in which versions, and what they say."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from loopwright.core.errors import Invalid, NotFound
from loopwright.core.progress_files import list_files, read_last_lines, read_text
from loopwright.workflows.cycle.documents import MAIN, archived_name, version_in
from loopwright.workflows.cycle.model import iteration_of

FOLDERS = ("ra", "ep", "cd", "vas", "coordination")
HISTORY = "history"
BOARD = "coordination/discoveries.ndjson"
MOST_LINES = 100_000

Discovery = dict[str, Any]  # Any: parsed JSON
"""What somebody found out about the project: `ts`, `agent`, `type`, `data`."""

_ARCHIVED = re.compile(r"(?P<stem>.+)-v(?P<version>1\.(?:0|[1-9]\d{0,6})\.0)(?P<suffix>\.[^.]+)", re.ASCII)


@dataclass(frozen=True)
class Document:
    """`name` below the progress folder, with '/'. `versions`, oldest first, end with the present `version`.

    A log has none of them. `size` in bytes.
    """

    name: str
    folder: str
    size: int
    modified_at: str
    version: str | None
    versions: tuple[str, ...]


class DocumentText(NamedTuple):
    """Its beginning, where it is `truncated`."""

    name: str
    version: str | None
    text: str
    truncated: bool


def list_documents(folder: Path, zone: tzinfo | None) -> tuple[Document, ...]:
    """Every file of the roles, and of their coordination, by name."""
    return tuple(found for under in FOLDERS for found in _in_folder(folder, zone, under))


def read_document(folder: Path, name: str, version: str | None = None) -> DocumentText:
    """One of them, in the version that is named. NotFound, Invalid."""
    under, _, file = name.partition("/")
    if under not in FOLDERS or not file or "/" in file:
        raise Invalid(f"a document name looks like ra/requirements.md (got {name[:80]!r})")
    if version is None:
        return _present(folder, name)
    _check(version)
    present = _present_version(folder, name)
    known = _put_together(_archived(folder, None, under).get(file, ()), present)
    if version not in known:
        raise NotFound(f"{name} has no version {version} (available: {', '.join(known) or 'none'})")
    if version == known[-1] == present:
        return _present(folder, name)
    return DocumentText(name, version, *read_text(folder, archived_name(name, version)))


def read_discoveries(folder: Path) -> tuple[Discovery, ...]:
    """The lines of the discovery board, of its last MiB; what is no such line is passed over."""
    lines = read_last_lines(folder, BOARD, MOST_LINES).lines
    return tuple(found for line in lines if (found := _discovery(line)))


def _discovery(line: str) -> Discovery | None:
    try:
        raw = json.loads(line)
    except (ValueError, RecursionError):
        return None
    known = isinstance(raw, dict) and all(isinstance(raw.get(name), str) for name in ("ts", "agent", "type"))
    if not known or not isinstance(raw.get("data"), dict):
        return None
    return {name: raw[name] for name in ("ts", "agent", "type", "data")}


def _in_folder(folder: Path, zone: tzinfo | None, under: str) -> Iterator[Document]:
    archived = _archived(folder, zone, under)
    for file in list_files(folder, zone, under):
        name = f"{under}/{file.name}"
        version = _present_version(folder, name)
        versions = _put_together(archived.get(file.name, ()), version)
        yield Document(name, under, file.size, file.modified_at, version, versions)


def _present(folder: Path, name: str) -> DocumentText:
    text, truncated = read_text(folder, name)
    return DocumentText(name, version_in(name, text) if name in MAIN else None, text, truncated)


def _present_version(folder: Path, name: str) -> str | None:
    """What the document says of itself; None for a log, and where there is none."""
    try:
        return _present(folder, name).version if name in MAIN else None
    except NotFound:
        return None


def _put_together(archived: tuple[str, ...], present: str | None) -> tuple[str, ...]:
    return (*(one for one in archived if one != present), *([present] if present else []))


def _archived(folder: Path, zone: tzinfo | None, under: str) -> dict[str, tuple[str, ...]]:
    """The versions of each file that were put aside, oldest first."""
    found: dict[str, list[str]] = {}
    for kept in list_files(folder, zone, f"{under}/{HISTORY}"):
        if named := _ARCHIVED.fullmatch(kept.name):
            found.setdefault(f"{named['stem']}{named['suffix']}", []).append(named["version"])
    return {file: tuple(sorted(versions, key=iteration_of)) for file, versions in found.items()}


def _check(version: str) -> None:
    try:
        iteration_of(version)
    except ValueError as error:
        raise Invalid(str(error)) from error
