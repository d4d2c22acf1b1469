"""LCOV tracefiles: `SF:` names a file, each `DA:` a line of it and how often it ran."""

import re
from collections.abc import Iterator
from pathlib import Path

from loopwright.validation.coverage.lines import FileLines

_LINE = re.compile(r"DA:(\d+),(-?\d+)(,|$)")


def read(text: str, cwd: Path) -> Iterator[FileLines]:
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
