"""What V8 itself writes down (NODE_V8_COVERAGE): counts of ranges of characters, made counts of lines."""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypedDict
from urllib.parse import unquote, urlsplit

from loopwright.validation.coverage.lines import FileLines


class _Range(TypedDict):
    startOffset: int
    endOffset: int
    count: int


class _Function(TypedDict):
    ranges: list[_Range]


def read(reports: Iterable[Path], root: Path) -> Iterator[FileLines]:
    """The scripts below `root`, once for each process. Left out are those translated from another language: what V8
    saw are not the lines of the file.
    """
    known: dict[Path, _Text] = {}
    for file in reports:
        try:
            report = json.loads(file.read_bytes())
            scripts, translated = report["result"], report.get("source-map-cache", {})
            for script in scripts:
                path = _path(script["url"])
                if path is not None and script["url"] not in translated and _is_below(path, root):
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


def _path(url: str) -> Path | None:
    return Path(unquote(urlsplit(url).path)) if url.startswith("file://") else None


def _is_below(path: Path, root: Path) -> bool:
    return path.is_relative_to(root) and "node_modules" not in path.parts


def _units(text: str) -> int:
    return len(text) + sum(letter > "\uffff" for letter in text)
