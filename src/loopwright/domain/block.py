"""The lines of a report's block, however they are dressed up. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from loopwright.domain.words import whole

MOST_BLOCKS = 20
"""Blocks of one text that are looked at: the last ones."""

_MARKS = r"[\s#*_`+•-]*"
_BEHIND = r"[*_`\"']*\s*"
_FILE = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?P<file>.+)$")
_FENCE = ("```", "~~~")
_WIDE = str.maketrans({0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: " "})
"""The full-width forms of ASCII, as Chinese and Japanese input methods write them."""


class Form:
    """A kind of block: its headings, the first of which opens it, and its fields by all of their names.

    `lists`: fields whose value is a list; what stands deeper than their name belongs to them.
    """

    def __init__(
        self, sections: tuple[str, ...], names: Mapping[str, str], lists: frozenset[str] = frozenset()
    ) -> None:
        self.opening, self.names, self.lists = sections[0], names, lists
        written = "|".join(name.replace("_", "[_ ]") for name in sections)
        named = "|".join(names)
        self.heading = re.compile(rf"^[\s#*_`+•\"'{{-]*({written}){_BEHIND}(?::{_BEHIND}(?P<rest>.*))?$", re.IGNORECASE)
        self.field = re.compile(rf"^{_MARKS}({named}){_BEHIND}:[*_`]*\s*(?P<rest>.*)$", re.IGNORECASE)
        self.titled = re.compile(rf"^\s*(?:#{{1,6}}\s+[*_`]*|\*\*)({named})[*_`]*\s*$", re.IGNORECASE)


ACTION = Form(
    ("ACTION_RESULT", "FILES_UPDATED", "NEXT_ACTION_NEEDED"),
    {
        "action": "action", "status": "status", "message": "message", "state_updates": "state_updates",
        "state updates": "state_updates", "options": "options",
        "动作": "action", "操作": "action", "状态": "status", "消息": "message", "信息": "message",
        "状态更新": "state_updates", "选项": "options",
    },
)  # fmt: skip
PHASE = Form(
    ("PHASE_RESULT",),
    {
        "phase": "phase", "status": "status", "summary": "summary", "message": "summary",
        "files_written": "files_written", "files written": "files_written", "files": "files_written",
        "files_updated": "files_written", "files updated": "files_written",
        "issues": "issues", "blockers": "blockers", "decisions": "decisions",
        "shown_by": "shown_by", "shown by": "shown_by",
        "阶段": "phase", "状态": "status", "摘要": "summary", "总结": "summary", "消息": "summary", "信息": "summary",
        "写入文件": "files_written", "写入的文件": "files_written", "文件": "files_written",
        "问题": "issues", "阻塞": "blockers", "阻塞项": "blockers", "决策": "decisions", "决定": "decisions",
    },
    lists=frozenset({"files_written", "issues", "blockers", "decisions", "shown_by"}),
)  # fmt: skip
FORMS = (ACTION, PHASE)


class Block(NamedTuple):
    """`fields` by their names, as text, lists with their indentation; the lines below the other headings.

    `rest`: the lines from state_updates on.
    """

    form: Form
    fields: dict[str, str]
    files: tuple[str, ...]
    next_action: str
    rest: str
    report: dict[str, Any] | None  # Any: an agent's JSON, checked where it is used


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a text, the last one first. Lines of a quotation do not count."""
    lines = list(_lines(whole(text)))
    starts = [(n, form) for n, line in enumerate(lines) if (form := _opened(line))]
    for (start, form), (end, _) in list(pairwise([*starts[-MOST_BLOCKS:], (len(lines), ACTION)]))[::-1]:
        yield _block(form, lines[start:end])


def is_quoted(text: str, form: Form) -> bool:
    """Whether a block of this kind begins in a quotation."""
    lines = (line.lstrip() for line in text.splitlines())
    return any(_opened(line.lstrip("> ")) is form for line in lines if line.startswith(">"))


def first_object(text: str) -> dict[str, Any] | None:  # Any: as in Block
    """The first JSON object in a text; commas too many are forgiven."""
    start = text.find("{")
    value = read_json(text[start:]) if start >= 0 else None
    return value if isinstance(value, dict) else None


def read_json(text: str) -> Any:  # Any: as in Block
    """The JSON value that a text begins with; commas too many are forgiven. None where there is none."""
    for written in (text, re.sub(r",(\s*[}\]])", r"\1", text)):
        try:
            value, _ = json.JSONDecoder(strict=False).raw_decode(written)
        except (ValueError, RecursionError):
            continue
        return json.loads(whole(json.dumps(value, ensure_ascii=False)))
    return None


def unwrapped(words: str) -> str:
    """Without the marks that enclose all of it."""
    words = words.strip()
    for mark in ("**", "`", '"', "“”", "*"):
        first, last = (mark[0], mark[-1]) if len(mark) == 2 and mark[0] != mark[1] else (mark, mark)
        inner = words[len(first) : len(words) - len(last)]
        if len(words) > len(first) + len(last) and words.startswith(first) and words.endswith(last):
            words = words if first in inner or last in inner else inner.strip()
    return words


def _lines(text: str) -> Iterator[str]:
    """Without quotations, rows of a table as the lines that they stand for; an empty line where a fence ends."""
    is_fenced = False
    for line in text.splitlines():
        bare = line.strip()
        if bare.startswith((">", "＞")):
            continue
        if bare.startswith(_FENCE):
            if is_fenced:
                yield ""
            is_fenced = not is_fenced
            continue
        if bare.startswith("|") and bare.endswith("|") and len(bare) > 1:
            cells = [cell.strip() for cell in bare[1:-1].split("|", 1)]
            if not set(bare) <= set("|-: "):
                yield cells[0] if len(cells) == 1 else f"- {cells[0]}: {cells[1]}"
            continue
        yield line.rstrip()


def _match(pattern: re.Pattern[str], line: str) -> tuple[str, str | None, int] | None:
    """The name that a line begins with, what follows as it is written, and the column of the name."""
    found = pattern.match(line.translate(_WIDE))
    if found is None:
        return None
    start = found.start("rest") if "rest" in pattern.groupindex else -1
    column = len(line[: found.start(1)].rstrip("*_`"))
    return found[1], line[start:].strip() if start >= 0 else None, column


def _opened(line: str) -> Form | None:
    """The kind of block that begins in this line."""
    return next((form for form in FORMS if _heading(form, line) == form.opening), None)


def _heading(form: Form, line: str) -> str | None:
    found = _match(form.heading, line)
    return found[0].upper().replace(" ", "_") if found else None


def _block(form: Form, lines: Sequence[str]) -> Block:
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in lines:
        found = _match(form.heading, line)
        if found:
            name = found[0].upper().replace(" ", "_")
            if name in sections:
                break
            current = sections.setdefault(name, [found[1]] if found[1] else [])
        elif "NEXT_ACTION_NEEDED" not in sections or not current:
            current.append(line)
    head = sections[form.opening]
    fields, rest = _fields(form, head)
    wanted = next((line for line in sections.get("NEXT_ACTION_NEEDED", ()) if line), "")
    is_json = next((line for line in head if line), "").lstrip().startswith("{")
    return Block(
        form, fields, tuple(_files(sections.get("FILES_UPDATED", ()))), wanted.strip("`*\"', "), rest,
        first_object("\n".join(head)) if is_json else None,
    )  # fmt: skip


def _fields(form: Form, lines: Sequence[str]) -> tuple[dict[str, str], str]:
    """`name: value`, the first of each; a value goes on to the next name, or (but for lists) to an empty line."""
    fields: dict[str, list[str]] = {}
    key, rest, deep = "", "", 0
    for n, line in enumerate(lines):
        found = _match(form.field, line) or _match(form.titled, line)
        name = form.names[found[0].lower()] if found else ""
        if found and name not in fields and not (key in form.lists and found[2] > deep):
            key, deep, fields[name] = name, found[2], [found[1] or ""]
            if name == "state_updates":
                rest = "\n".join([*fields[name], *lines[n + 1 :]])
            continue
        if key in form.lists:
            fields[key].append(line)
        elif key and (line or not any(fields[key])):
            fields[key].append(line.strip())
        else:
            key = ""
    return {name: "\n".join(written).strip("\n") for name, written in fields.items()}, rest


def _files(lines: Iterable[str]) -> Iterator[str]:
    """The entries of a list; it ends where something else begins."""
    begun = False
    for line in lines:
        found = _FILE.match(line)
        if found:
            begun = True
            yield found["file"]
        elif line and begun:
            return
