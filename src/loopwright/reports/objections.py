"""The objections that a reviewer reports, held against the project: what it quotes has to stand there. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue, ValidationError

from loopwright.core.text import clean_line, clip_text
from loopwright.evidence.failures import SourceReader
from loopwright.evidence.objections import Objection, objection_key
from loopwright.reports.tools import LONGEST, QUOTE_LENGTH, ReportObjection

MOST = 8
"""Objections of one review."""
SHORTEST = 8
"""Characters of a quote that is not a whole line: fewer stand anywhere."""


@dataclass(frozen=True)
class CheckedObjections:
    """`taken` have no id yet. `refused`: what was not taken, and why."""

    taken: tuple[Objection, ...] = ()
    refused: tuple[str, ...] = ()


class _Refused(ValueError):
    """Why an objection is not taken."""


def check_objections(given: JsonValue, files: Sequence[str], read: SourceReader, diff: str) -> CheckedObjections:
    """Those whose quote stands in the project, or among the lines that the diff removes; each place once.

    `files`: the project's own; nothing else is read.
    """
    entries = given if isinstance(given, list) else [given] if given else []
    taken: dict[tuple[str, str], Objection] = {}
    refused: list[str] = []
    for entry in entries:
        try:
            one = _checked(entry, files, read, diff)
        except _Refused as why:
            refused.append(str(why))
            continue
        if len(taken) < MOST:
            taken.setdefault(objection_key(one), one)
        elif objection_key(one) not in taken:
            refused.append(f"“{one.why}”: only {MOST} objections are taken")
    return CheckedObjections(tuple(taken.values()), tuple(refused))


def _checked(entry: JsonValue, files: Sequence[str], read: SourceReader, diff: str) -> Objection:
    try:
        said = ReportObjection.model_validate(_bounded(entry))
    except ValidationError:
        raise _Refused("an objection without file, quote and reason") from None
    words = f"“{clip_text(clean_line(said.why), 120)}”"
    file = next((file for file in files if _names(said.file, file)), "")
    line = _find(read(file), said.quote, said.line) if file else None
    if line is None:
        file = file or next((name for name in _removed(diff) if _names(said.file, name)), "")
        if _find(_removed(diff).get(file, ()), said.quote, None) is None:
            where = file or f"{said.file or 'no file'}, which the project does not have"
            raise _Refused(f"{words}: its quote does not stand in {where}")
    return Objection(id="", file=file, line=line, quote=said.quote, why=said.why)


def _bounded(entry: JsonValue) -> JsonValue:
    """Overlong texts are cut, as are those of other proposals in text."""
    if not isinstance(entry, dict):
        return entry
    limits = {"quote": QUOTE_LENGTH, "why": LONGEST}
    return {k: clip_text(v, limits[k]) if k in limits and isinstance(v, str) else v for k, v in entry.items()}


def _names(said: str, file: str) -> bool:
    """Whether that is how somebody names the file: from the project's root, or absolute."""
    said = said.strip().replace("\\", "/").removeprefix("./")
    return said == file or (said.startswith("/") and said.endswith(f"/{file}"))


def _find(lines: Sequence[str], quote: str, near: int | None) -> int | None:
    """The line where the quote begins, the one nearest to `near`; blanks and a diff's marks do not matter."""
    for words in (quote, re.sub(r"(?m)^[+ -]", "", quote)):
        sought = [clean for line in words.splitlines() if (clean := " ".join(line.split()))]
        if not sought:
            return None
        known = [(n, clean) for n, line in enumerate(lines, 1) if (clean := " ".join(line.split()))]
        found = [
            known[at][0]
            for at in range(len(known) - len(sought) + 1)
            if _fits(sought, [clean for _, clean in known[at : at + len(sought)]])
        ]
        if found:
            return min(found, key=lambda n: abs(n - (near or n)))
    return None


def _fits(sought: Sequence[str], lines: Sequence[str]) -> bool:
    """The first line may begin, and the last one end, in the middle."""
    if len(sought) == 1:
        return sought[0] == lines[0] or (len(sought[0]) >= SHORTEST and sought[0] in lines[0])
    inner = sought[1:-1] == lines[1:-1]
    return inner and lines[0].endswith(sought[0]) and lines[-1].startswith(sought[-1])


def _removed(diff: str) -> Mapping[str, Sequence[str]]:
    """By file the lines that the diff takes away."""
    removed: dict[str, list[str]] = {}
    file, in_hunk = "", False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            file, in_hunk = line.rpartition(" b/")[2], False
        elif line.startswith("@@"):
            in_hunk = True
        elif in_hunk and line.startswith("-"):
            removed.setdefault(file, []).append(line[1:])
    return removed
