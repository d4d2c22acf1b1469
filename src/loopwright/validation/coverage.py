"""Line coverage of the project's own code, from the JSON reports of coverage.py."""

import json
import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from loopwright.domain.testing import Coverage

_FOREIGN = frozenset(
    {"tests", "test", "site-packages", "node_modules", ".venv", "venv", ".tox", ".nox", ".workflow", ".loop"}
)
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py|setup\.py|noxfile\.py")


class Report(NamedTuple):
    """A report that may have been written, and the folder that its paths are relative to."""

    cwd: Path
    file: Path


def is_own_code(file: PurePosixPath) -> bool:
    """Whether this project-relative file is neither a test nor someone else's."""
    return ".." not in file.parts and not _FOREIGN & set(file.parts[:-1]) and not _TEST_FILE.fullmatch(file.name)


def combined(root: Path, reports: Iterable[Report]) -> Coverage | None:
    """Lines that any of the processes ran; None when none of them measured, or there is no code to measure."""
    ran: dict[str, set[int]] = {}
    lines: dict[str, set[int]] = {}
    for file, executed, missing in (part for report in reports for part in _files(root, report)):
        ran.setdefault(file, set()).update(executed)
        lines.setdefault(file, set()).update(executed, missing)
    total = sum(map(len, lines.values()))
    if not total:
        return None
    return Coverage(
        percent=_percent(sum(map(len, ran.values())), total),
        files={file: _percent(len(ran[file]), len(lines[file])) for file in sorted(lines)},
    )


def _files(root: Path, report: Report) -> Iterable[tuple[str, list[int], list[int]]]:
    try:
        files = json.loads(report.file.read_bytes())["files"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):  # not measured, or ended while it was written
        return
    for name, measured in files.items():
        path = (report.cwd / name).resolve()
        if path.is_relative_to(root) and is_own_code(relative := PurePosixPath(path.relative_to(root))):
            yield str(relative), measured["executed_lines"], measured["missing_lines"]


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 100.0
