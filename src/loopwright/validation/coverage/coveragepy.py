"""JSON reports of coverage.py."""

import json
from collections.abc import Iterator
from pathlib import Path

from loopwright.validation.coverage.lines import FileLines


def read(file: Path, cwd: Path) -> Iterator[FileLines]:
    """The files of a report, whose paths are relative to `cwd`; none where it is missing or cut short."""
    try:
        files = json.loads(file.read_bytes())["files"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return
    for name, measured in files.items():
        yield FileLines(cwd / name, measured["executed_lines"], measured["missing_lines"])
