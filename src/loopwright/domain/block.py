"""The lines of an ACTION_RESULT block, however they are dressed up. Pure."""

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from loopwright.domain.words import whole

SECTIONS = ("ACTION_RESULT", "FILES_UPDATED", "NEXT_ACTION_NEEDED")
NAMES = {
    "action": "action", "status": "status", "message": "message", "state_updates": "state_updates",
    "state updates": "state_updates", "options": "options",
    "动作": "action", "操作": "action", "状态": "status", "消息": "message", "信息": "message",
    "状态更新": "state_updates", "选项": "options",
}  # fmt: skip
MOST_BLOCKS = 20
"""Blocks of one text that are looked at: the last ones."""

_MARKS = r"[\s#*_`+•-]*"
_BEHIND = r"[*_`\"']*\s*"
_SECTION = "|".join(name.replace("_", "[_ ]") for name in SECTIONS)
_HEADING = re.compile(rf"^[\s#*_`+•\"'{{-]*({_SECTION}){_BEHIND}(?::{_BEHIND}(?P<rest>.*))?$", re.IGNORECASE)
_FIELD = re.compile(rf"^{_MARKS}({'|'.join(NAMES)}){_BEHIND}:[*_`]*\s*(?P<rest>.*)$", re.IGNORECASE)
_FILE = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?P<file>.+)$")
_FENCE = ("```", "~~~")
_WIDE = str.maketrans({0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: " "})
"""The full-width forms of ASCII, as Chinese and Japanese input methods write them."""


class Block(NamedTuple):
    """`fields` by their names, as text; the lines below the other headings; `rest`: the lines from state_updates on."""

    fields: dict[str, str]
    files: tuple[str, ...]
    next_action: str
    rest: str
    report: dict[str, Any] | None  # Any: an agent's JSON, checked where it is used


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, the last one first. Lines of a quotation do not count."""
    lines = list(_lines(whole(text)))
    starts = [n for n, line in enumerate(lines) if _section(line) == SECTIONS[0]]
    for start, end in list(pairwise([*starts[-MOST_BLOCKS:], len(lines)]))[::-1]:
        yield _block(lines[start:end])


def is_quoted(text: str) -> bool:
    """Whether a block begins in a quotation."""
    lines = (line.lstrip() for line in text.splitlines())
    return any(_section(line.lstrip("> ")) == SECTIONS[0] for line in lines if line.startswith(">"))


def first_object(text: str) -> dict[str, Any] | None:  # Any: as in Block
    """The first JSON object in a text; commas too many are forgiven."""
    start = text.find("{")
    for written in (text[start:], re.sub(r",(\s*[}\]])", r"\1", text[start:])) if start >= 0 else ():
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(written)
        except (ValueError, RecursionError):
            continue
        return json.loads(whole(json.dumps(value, ensure_ascii=False))) if isinstance(value, dict) else None
    return None


def _lines(text: str) -> Iterator[str]:
    """Without quotations and fences, and rows of a table as the lines that they stand for."""
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith((">", "＞", *_FENCE)):
            continue
        if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
            cells = [cell.strip() for cell in bare[1:-1].split("|", 1)]
            if not set(bare) <= set("|-: "):
                yield cells[0] if len(cells) == 1 else f"- {cells[0]}: {cells[1]}"
            continue
        yield bare


def _match(pattern: re.Pattern[str], line: str) -> tuple[str, str | None] | None:
    """The name that a line begins with, and what follows as it is written."""
    found = pattern.match(line.translate(_WIDE))
    if found is None:
        return None
    start = found.start("rest")
    return found[1], line[start:].strip() if start >= 0 else None


def _section(line: str) -> str | None:
    found = _match(_HEADING, line)
    return found[0].upper().replace(" ", "_") if found else None


def _block(lines: Sequence[str]) -> Block:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        found = _match(_HEADING, line)
        if found:
            name = found[0].upper().replace(" ", "_")
            if name in sections:
                break
            current = sections.setdefault(name, [found[1]] if found[1] else [])
        elif "NEXT_ACTION_NEEDED" not in sections or not current:
            current.append(line)
    head = sections["ACTION_RESULT"]
    fields, rest = _fields(head)
    wanted = next((line for line in sections.get("NEXT_ACTION_NEEDED", ()) if line), "")
    is_json = bool(head) and head[0].startswith("{")
    return Block(
        fields, tuple(_files(sections.get("FILES_UPDATED", ()))), wanted.strip("`*\"', "), rest,
        first_object("\n".join(head)) if is_json else None,
    )  # fmt: skip


def _fields(lines: Sequence[str]) -> tuple[dict[str, str], str]:
    """`name: value`, the first of each; a value goes on to the next name, or to an empty line."""
    fields: dict[str, list[str]] = {}
    key, rest = "", ""
    for n, line in enumerate(lines):
        found = _match(_FIELD, line)
        name = NAMES[found[0].lower()] if found else ""
        if found and name not in fields:
            key, fields[name] = name, [found[1] or ""]
            if name == "state_updates":
                rest = "\n".join([*fields[name], *lines[n + 1 :]])
        elif not line and key and any(fields[key]):
            key = ""
        elif key:
            fields[key].append(line)
    return {name: "\n".join(written).strip() for name, written in fields.items()}, rest


def _files(lines: Sequence[str]) -> Iterator[str]:
    """The entries of a list; it ends where something else begins."""
    begun = False
    for line in lines:
        found = _FILE.match(line)
        if found:
            begun = True
            yield found["file"]
        elif line and begun:
            return
