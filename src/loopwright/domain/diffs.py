"""Unified diffs, put into a text or taken out of it again. Pure."""

import re
from dataclasses import dataclass, field

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NO_NEWLINE = "\\ "


@dataclass
class Hunk:
    """Lines as they were and as they are, from these line numbers on (1 is the first)."""

    numbers: tuple[int, int]
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)


def changed_by(diff: str, text: str, *, back: bool = False) -> str | None:
    """The text with one file's diff applied, or taken `back`; None where the lines that it is about are not there.

    They are looked for where the diff has them, else anywhere, as long as they stand there only once.
    """
    shift = 0
    for hunk in _hunks(diff):
        old, new = (hunk.after, hunk.before) if back else (hunk.before, hunk.after)
        found = _place("".join(old), text, hunk.numbers[1 if back else 0] + shift)
        if found is None:
            return None
        text = f"{text[:found]}{''.join(new)}{text[found + len(''.join(old)) :]}"
        shift += len(new) - len(old)
    return text


def _hunks(diff: str) -> list[Hunk]:
    hunks: list[Hunk] = []
    last: list[list[str]] = []
    for line in diff.split("\n"):
        if found := _HUNK.match(line):
            hunks.append(Hunk((int(found[1]), int(found[2]))))
        elif hunks and line.startswith(_NO_NEWLINE):
            _cut_newline(last)
        elif hunks and line:
            last = [hunks[-1].before] * (line[0] in " -") + [hunks[-1].after] * (line[0] in " +")
            _add(last, f"{line[1:]}\n")
    return hunks


def _cut_newline(sides: list[list[str]]) -> None:
    for side in sides:
        side[-1] = side[-1].removesuffix("\n")


def _add(sides: list[list[str]], line: str) -> None:
    for side in sides:
        side.append(line)


def _place(block: str, text: str, number: int) -> int | None:
    """Where the block begins: in line `number`, else in the only line where it can."""
    starts = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n")]
    fits = [at for at in starts if text.startswith(block, at)]
    if 0 < number <= len(starts) and starts[number - 1] in fits:
        return starts[number - 1]
    return fits[0] if len(fits) == 1 else None
