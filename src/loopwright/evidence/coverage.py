"""What every report format boils down to: the lines of a file that ran, and those that did not."""

import json
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import NamedTuple, TypedDict
from urllib.parse import unquote, urlsplit
from xml.etree.ElementTree import Element

from loopwright.core.private_files import read_regular
from loopwright.evidence.junit import UnreadableXml, parse_xml
from loopwright.evidence.testing import Coverage

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
    return _is_own_folder(str(file.parent)) and not _TEST_FILE.fullmatch(file.name)


@lru_cache(maxsize=10_000)
def _is_own_folder(folder: str) -> bool:
    parts = frozenset(folder.split("/"))
    return ".." not in parts and not _FOREIGN & parts


def combine_coverage(root: Path, measured: Iterable[FileLines]) -> Coverage | None:
    """Lines that any of the reports saw run; None when there is no report, or no code of the project in them."""
    ran: dict[str, set[int]] = {}
    lines: dict[str, set[int]] = {}
    folders: dict[str, str] = {}
    inside = f"{root}/"
    for file in measured:
        folder, _, name = str(file.path).rpartition("/")
        path = f"{folders.get(folder) or folders.setdefault(folder, os.path.realpath(folder or '/'))}/{name}"
        path = os.path.realpath(path) if os.path.islink(path) else path
        relative = path.removeprefix(inside)
        folder, _, name = relative.rpartition("/")
        if relative != path and _is_own_folder(folder) and not _TEST_FILE.fullmatch(name):
            ran.setdefault(relative, set()).update(file.ran)
            lines.setdefault(relative, set()).update(file.ran, file.missed)
    total = sum(map(len, lines.values()))
    if not total:
        return None
    return Coverage(
        percent=_percent(sum(map(len, ran.values())), total),
        files={file: _percent(len(ran[file]), len(lines[file])) for file in sorted(lines)},
    )


def _percent(part: int, whole: int) -> float:
    return round(100 * part / whole, 2) if whole else 100.0


def read_cobertura(file: Path, root: Path) -> Iterator[FileLines]:
    """The files of a report; UnreadableXml where it is none, or has a document type."""
    report = parse_xml(file.read_bytes())
    if report.tag != "coverage":
        raise UnreadableXml("it is not a Cobertura report")
    sources = [Path((source.text or "").strip() or ".") for source in report.iter("source")]
    places = [*(root / source for source in sources), root, file.parent]  # an absolute source stays what it is
    for measured in report.iter("class"):
        name = measured.get("filename") or ""
        if not name or "\0" in name:
            continue
        path = next((place / name for place in places if (place / name).is_file()), root / name)
        hits = dict(_hits(measured))
        yield FileLines(path, [n for n, count in hits.items() if count], [n for n, count in hits.items() if not count])


def _hits(measured: Element) -> Iterator[tuple[int, bool]]:
    """Line numbers with whether they ran; methods repeat lines of their class."""
    for line in measured.iter("line"):
        number, hits = line.get("number") or "", line.get("hits") or ""
        if number.isascii() and number.isdecimal() and hits.isascii() and hits.isdecimal() and len(number) < 9:
            yield int(number), hits.strip("0") != ""


def read_coverage_py(file: Path, cwd: Path) -> Iterator[FileLines]:
    """The files of a report, whose paths are relative to `cwd`; none where it is missing or cut short."""
    try:
        files = json.loads(read_regular(file))["files"]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return
    for name, measured in files.items():
        yield FileLines(cwd / name, measured["executed_lines"], measured["missing_lines"])


_BLOCK = re.compile(r"(?P<file>[^\n]+\.go):(?P<first>\d{1,7})\.\d+,(?P<last>\d{1,7})\.\d+ \d+ (?P<count>\d+)")
_LONGEST_BLOCK = 100_000


def read_go_profile(file: Path, path_of: Callable[[str], Path | None]) -> Iterator[FileLines]:
    """The blocks of a profile; none where it is missing or no profile. `path_of` finds the file of an import path."""
    try:
        text = read_regular(file).decode("utf-8", "replace")
    except FileNotFoundError:
        return
    ran: dict[str, set[int]] = {}
    missed: dict[str, set[int]] = {}
    for block in map(_BLOCK.fullmatch, text.split("\n")):
        if block is None:
            continue
        lines = range(int(block["first"]), min(int(block["last"]), int(block["first"]) + _LONGEST_BLOCK) + 1)
        (missed if int(block["count"][:1]) == 0 else ran).setdefault(block["file"], set()).update(lines)
    for name in dict.fromkeys((*ran, *missed)):
        if (path := path_of(name)) is not None:
            yield FileLines(path, ran.get(name, set()), missed.get(name, set()))


class _Measured(TypedDict):
    """`statementMap`: where each statement stands, by its number; `s`: how often it ran."""

    statementMap: dict[str, dict[str, dict[str, int]]]
    s: dict[str, int]


def read_istanbul(file: Path) -> Iterator[FileLines]:
    """A line ran when a statement that begins on it did; nothing where the report is missing or cut short."""
    try:
        files = json.loads(read_regular(file))
        yield from [_lines(Path(name), measured) for name, measured in files.items()]
    except (FileNotFoundError, ValueError, KeyError, TypeError, AttributeError):
        return


def _lines(path: Path, measured: _Measured) -> FileLines:
    counts: dict[int, int] = {}
    for id, place in measured["statementMap"].items():
        line = place["start"]["line"]
        counts[line] = max(counts.get(line, 0), measured["s"][id])
    return FileLines(path, {n for n, count in counts.items() if count}, {n for n, count in counts.items() if not count})


_LINE = re.compile(r"DA:(\d+),(-?\d+)(,|$)")


def read_lcov(text: str, cwd: Path) -> Iterator[FileLines]:
    """The files of a trace, whose paths are relative to `cwd`. A record that does not end does not count."""
    name: str | None = None
    ran: set[int] = set()
    missed: set[int] = set()
    for line in map(str.strip, text.splitlines()):
        if line.startswith("SF:"):
            name, ran, missed = line[3:], set(), set()
        elif line == "end_of_record" and name is not None:
            yield FileLines(cwd / name, ran, missed - ran)
            name = None
        elif found := _LINE.match(line):
            (ran if int(found[2]) > 0 else missed).add(int(found[1]))


class _Range(TypedDict):
    startOffset: int
    endOffset: int
    count: int


class _Function(TypedDict):
    ranges: list[_Range]


def read_v8(reports: Iterable[Path], root: Path) -> Iterator[FileLines]:
    """The scripts below `root`, once for each process. Left out are those translated from another language: what V8
    saw are not the lines of the file.
    """
    known: dict[Path, _Text] = {}
    for file in reports:
        try:
            report = json.loads(read_regular(file))
            scripts, translated = report["result"], report.get("source-map-cache", {})
            for script in scripts:
                url = script["url"]
                if not url.startswith("file://") or url in translated:
                    continue
                path = Path(unquote(urlsplit(url).path))
                if path.is_relative_to(root) and "node_modules" not in path.parts:
                    text = known.get(path) or known.setdefault(
                        path, _Text(path.read_bytes().decode("utf-8-sig", "replace"))
                    )
                    yield text.counted(path, script["functions"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # torn by the death of its process
            continue


class _Text:
    """Where lines begin and end, without the blanks around them, in UTF-16 units as V8 counts; blank ones are none."""

    def __init__(self, text: str) -> None:
        self._numbers: list[int] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        at = 0
        for number, line in enumerate(re.split(r"(?<=\n)", text), start=1):
            if line.strip():
                start = at + len(line) - len(line.lstrip())
                self._numbers.append(number)
                self._starts.append(start)
                self._ends.append(start + _units(line.strip()))
            at += _units(line)

    def counted(self, path: Path, functions: Sequence[_Function]) -> FileLines:
        """Ranges come from the outside inwards: the last that holds a line decides."""
        counts = [1] * len(self._numbers)
        for part in (part for function in functions for part in function["ranges"]):
            first = bisect_left(self._starts, part["startOffset"])
            behind = bisect_right(self._ends, part["endOffset"])
            counts[first:behind] = [part["count"]] * (behind - first)
        ran = {number for number, count in zip(self._numbers, counts, strict=True) if count}
        return FileLines(path, ran, set(self._numbers) - ran)


def _units(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)
