"""What agents list in their Markdown documents: bullets, numbers, rows of a table, or short sections. Pure."""

import re
from collections.abc import Iterator

from loopwright.domain.listed import is_nothing
from loopwright.domain.words import clipped

ITEM = 2_000
"""Characters of an item that are kept."""

POINTS = ("integration points", "integration point", "集成点", "接入点", "对接点")
RISKS = ("risks", "identified risks", "risk", "风险", "已识别风险", "潜在风险")
"""Headings of exploration.md below which its lists stand."""

_BULLET = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)、])[ \t]+(?P<text>\S.*)")
_HEADING = re.compile(r"(?P<level>#{1,6})[ \t]+(?P<text>.*?)[ \t]*#*")
_ROW = re.compile(r"[ \t]*\|(?P<cells>.*)\|[ \t]*")
_RULE = re.compile(r"[ \t:|-]+")
_DRESS = re.compile(r"^[\W\d_]+|[\W_]+$")


def listed_items(text: str) -> list[str]:
    """Every entry of its lists, each in one line with what stands below it. Without a list: rows, else sections."""
    lines = list(_plain_lines(text))
    items = _bullets(lines) or _rows(lines) or _sections(lines)
    return [kept for item in items if not is_nothing(kept := clipped(" ".join(item.split()), ITEM))]


def section_items(text: str, *headings: str) -> list[str]:
    """What is listed below the first of these headings, at any level, until the next of its level."""
    wanted = {heading.casefold() for heading in headings}
    level, inside = 0, list[str]()
    for line in _plain_lines(text):
        heading = _HEADING.fullmatch(line)
        if level and heading and len(heading["level"]) <= level:
            break
        if level:
            inside.append(line)
        elif heading and _DRESS.sub("", heading["text"]).casefold() in wanted:
            level = len(heading["level"])
    return listed_items("\n".join(inside))


def _plain_lines(text: str) -> Iterator[str]:
    """Without what stands between fences, and without comments."""
    fence = ""
    for line in text.splitlines():
        mark = line.strip()[:3]
        if mark in ("```", "~~~") and fence in ("", mark):
            fence = "" if fence else mark
        elif not fence and not line.lstrip().startswith("<!--"):
            yield line


def _bullets(lines: list[str]) -> list[str]:
    """Entries of the outermost level; those below one, and lines that run on, belong to it."""
    items: list[str] = []
    depth: int | None = None
    is_parted = False
    for line in lines:
        bullet, indent = _BULLET.fullmatch(line), len(line) - len(line.lstrip())
        if not line.strip():
            is_parted = True
            continue
        if bullet and (depth is None or indent <= depth + 1):
            items.append(bullet["text"])
            depth = indent if depth is None else min(depth, indent)
        elif bullet:
            items[-1] = f"{items[-1].rstrip('.;')}; {bullet['text']}"
        elif depth is not None and not _HEADING.fullmatch(line) and (indent > depth or not is_parted):
            items[-1] += f" {line.strip()}"
        else:
            depth = None
        is_parted = False
    return items


def _rows(lines: list[str]) -> list[str]:
    """Rows of a table, without its head."""
    rows = [found["cells"] for line in lines if (found := _ROW.fullmatch(line))]
    rule = next((n for n, row in enumerate(rows) if _RULE.fullmatch(row)), None)
    below = rows if rule is None else [row for row in rows[rule + 1 :] if not _RULE.fullmatch(row)]
    return [" · ".join(cell for part in row.split("|") if (cell := part.strip())) for row in below]


def _sections(lines: list[str]) -> list[str]:
    """Headings below the first level, each with its first paragraph."""
    items: list[str] = []
    is_open = False
    for line in lines:
        heading = _HEADING.fullmatch(line)
        if heading:
            is_open = len(heading["level"]) > 1
            if is_open:
                items.append(heading["text"])
        elif line.strip() and is_open:
            items[-1] += f"{'' if items[-1].endswith((':', '：')) else ':'} {line.strip()}"
            is_open = False
    return items
