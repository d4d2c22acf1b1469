"""Profiles of `go test -coverprofile`. They count statements; every line that one of them covers counts as a line."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from loopwright.validation.coverage.lines import FileLines

_BLOCK = re.compile(r"(?P<file>[^\n]+\.go):(?P<first>\d{1,7})\.\d+,(?P<last>\d{1,7})\.\d+ \d+ (?P<count>\d+)")
_LONGEST_BLOCK = 100_000


def read(file: Path, path_of: Callable[[str], Path | None]) -> Iterator[FileLines]:
    """The blocks of a profile; none where it is missing or no profile. `path_of` finds the file of an import path."""
    try:
        text = file.read_bytes().decode("utf-8", "replace")
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
