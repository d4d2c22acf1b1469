"""Istanbul's own JSON, as Jest and Vitest write it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TypedDict

from loopwright.validation.coverage.lines import FileLines


class _Measured(TypedDict):
    """`statementMap`: where each statement stands, by its number; `s`: how often it ran."""

    statementMap: dict[str, dict[str, dict[str, int]]]
    s: dict[str, int]


def read(file: Path) -> Iterator[FileLines]:
    """A line ran when a statement that begins on it did; nothing where the report is missing or cut short."""
    try:
        files = json.loads(file.read_bytes())
        yield from [_lines(Path(name), measured) for name, measured in files.items()]
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return


def _lines(path: Path, measured: _Measured) -> FileLines:
    counts: dict[int, int] = {}
    for id, place in measured["statementMap"].items():
        line = place["start"]["line"]
        counts[line] = max(counts.get(line, 0), measured["s"][id])
    return FileLines(path, {n for n, count in counts.items() if count}, {n for n, count in counts.items() if not count})
