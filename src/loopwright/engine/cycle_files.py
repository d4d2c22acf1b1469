"""The documents of a cycle for whoever looks from elsewhere: which there are, in which versions, and what they say."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import Any, NamedTuple

from loopwright.domain.cycle import CycleState, iteration_of, version_of
from loopwright.domain.errors import Invalid, NotFound
from loopwright.engine.progress_files import ProgressFile, last_lines, listed, shown

FOLDERS = ("ra", "ep", "cd", "vas", "coordination")
HISTORY = "history"
BOARD = "coordination/discoveries.ndjson"
MOST_LINES = 100_000

Discovery = dict[str, Any]  # Any: parsed JSON
"""What somebody found out about the project: `ts`, `agent`, `type`, `data`."""

_ARCHIVED = re.compile(r"(?P<stem>.+)-v(?P<version>1\.(?:0|[1-9]\d{0,6})\.0)(?P<suffix>\.[^.]+)?", re.ASCII)


def _requirements(state: CycleState) -> str | None:
    return state.requirements.version if state.requirements else None


def _exploration(state: CycleState) -> str | None:
    return state.exploration.version if state.exploration else None


def _tests(state: CycleState) -> str | None:
    return state.test_results.version if state.test_results else None


def _iteration(state: CycleState) -> str | None:
    return version_of(state.current_iteration) if state.current_iteration else None


VERSIONED: dict[str, Callable[[CycleState], str | None]] = {
    "ra/requirements.md": _requirements,
    "ra/edge-cases.md": _requirements,
    "ep/exploration.md": _exploration,
    "ep/architecture.md": _exploration,
    "ep/plan.json": lambda state: state.plan.version if state.plan else None,
    "cd/implementation.md": _iteration,
    "cd/issues.md": _iteration,
    "vas/summary.md": _tests,
    "vas/test-results.json": _tests,
    "vas/coverage.json": _tests,
}
"""The main documents, each with where its version stands; all others are logs, which only grow."""


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


def documents(state: CycleState, folder: Path, zone: tzinfo | None) -> tuple[Document, ...]:
    """Every file of the roles, and of their coordination, by name."""
    return tuple(
        _document(state, under, file, _archived(folder, zone, under)) for under in FOLDERS
        for file in listed(folder, zone, under)
    )  # fmt: skip


def document(state: CycleState, folder: Path, name: str, version: str | None = None) -> DocumentText:
    """One of them, in the version that is named. NotFound, Invalid."""
    under, _, file = name.partition("/")
    if under not in FOLDERS or not file or "/" in file:
        raise Invalid(f"a document is named such as ra/requirements.md (got {name[:80]!r})")
    present = _version(state, name)
    if version in (None, present):
        text, truncated = shown(folder, name)
        return DocumentText(name, present, text, truncated)
    _check(version)
    path = Path(file)
    archived = f"{under}/{HISTORY}/{path.stem}-v{version}{path.suffix}"
    try:
        text, truncated = shown(folder, archived)
    except NotFound:
        known = ", ".join((*_archived(folder, None, under).get(file, ()), *([present] if present else [])))
        raise NotFound(f"{name} has no version {version} (there are: {known or 'none'})") from None
    return DocumentText(name, version, text, truncated)


def discoveries(folder: Path) -> tuple[Discovery, ...]:
    """The lines of the discovery board, of its last MiB; what is no such line is passed over."""
    lines = last_lines(folder, BOARD, MOST_LINES).lines
    return tuple(found for line in lines if (found := _discovery(line)))


def _discovery(line: str) -> Discovery | None:
    try:
        raw = json.loads(line)
    except ValueError:
        return None
    known = isinstance(raw, dict) and all(isinstance(raw.get(name), str) for name in ("ts", "agent", "type"))
    if not known or not isinstance(raw.get("data"), dict):
        return None
    return {name: raw[name] for name in ("ts", "agent", "type", "data")}


def _document(state: CycleState, under: str, file: ProgressFile, archived: dict[str, tuple[str, ...]]) -> Document:
    name = f"{under}/{file.name}"
    version = _version(state, name)
    older = (one for one in archived.get(file.name, ()) if one != version)
    versions = () if version is None else (*older, version)
    return Document(name, under, file.size, file.modified_at, version, versions)


def _archived(folder: Path, zone: tzinfo | None, under: str) -> dict[str, tuple[str, ...]]:
    """The versions of each file that were put aside, oldest first."""
    found: dict[str, list[str]] = {}
    for file, version in _in_history(folder, zone, under):
        found.setdefault(file, []).append(version)
    return {file: tuple(sorted(versions, key=iteration_of)) for file, versions in found.items()}


def _in_history(folder: Path, zone: tzinfo | None, under: str) -> Iterator[tuple[str, str]]:
    for file in listed(folder, zone, f"{under}/{HISTORY}"):
        if found := _ARCHIVED.fullmatch(file.name):
            yield f"{found['stem']}{found['suffix'] or ''}", found["version"]


def _version(state: CycleState, name: str) -> str | None:
    of = VERSIONED.get(name)
    return of(state) if of else None


def _check(version: str | None) -> None:
    try:
        iteration_of(version or "")
    except ValueError as error:
        raise Invalid(str(error)) from error
