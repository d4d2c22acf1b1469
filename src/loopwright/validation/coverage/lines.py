"""What every report format boils down to: the lines of a file that ran, and those that did not."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from loopwright.domain.testing import Coverage

_FOREIGN = frozenset(
    {"tests", "test", "__tests__", "__mocks__", "site-packages", "node_modules", ".venv", "venv", ".tox", ".nox",
     ".workflow", ".loop"}
)  # fmt: skip
_TEST_FILE = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py|setup\.py|noxfile\.py|.*[._-](test|spec)\.[cm]?[jt]sx?")


class FileLines(NamedTuple):
    """One file of a report; `path` absolute, lines counted from 1."""

    path: Path
    ran: Collection[int]
    missed: Collection[int]


def is_own_code(file: PurePosixPath) -> bool:
    """Whether this project-relative file is neither a test nor someone else's."""
    return ".." not in file.parts and not _FOREIGN & set(file.parts[:-1]) and not _TEST_FILE.fullmatch(file.name)


def combined(root: Path, measured: Iterable[FileLines]) -> Coverage | None:
    """Lines that any of the reports saw run; None when there is no report, or no code of the project in them."""
    ran: dict[str, set[int]] = {}
    lines: dict[str, set[int]] = {}
    for file in measured:
        path = file.path.resolve()
        if path.is_relative_to(root) and is_own_code(relative := PurePosixPath(path.relative_to(root))):
            ran.setdefault(str(relative), set()).update(file.ran)
            lines.setdefault(str(relative), set()).update(file.ran, file.missed)
    total = sum(map(len, lines.values()))
    if not total:
        return None
    return Coverage(
        percent=_percent(sum(map(len, ran.values())), total),
        files={file: _percent(len(ran[file]), len(lines[file])) for file in sorted(lines)},
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 100.0
