"""The lines of a report's block, however they are dressed up. Pure."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Literal, NamedTuple, TypeVar, get_args
from unicodedata import normalize

from loopwright.core.text import clip_text, drop_surrogates

MOST_BLOCKS = 20
"""Blocks of one text that are looked at: the last ones."""

_MARKS = r"[\s#*_`+•-]*"
_BEHIND = r"[*_`\"']*\s*"
_FILE = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+(?P<file>.+)$")
_FENCE = ("```", "~~~")
_WIDE = str.maketrans({0xFF01 + n: 0x21 + n for n in range(94)} | {0x3000: " "})
"""The full-width forms of ASCII, as Chinese and Japanese input methods write them."""


class BlockForm:
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


ACTION = BlockForm(
    ("ACTION_RESULT", "FILES_UPDATED", "NEXT_ACTION_NEEDED"),
    {
        "action": "action",
        "status": "status",
        "message": "message",
        "state_updates": "state_updates",
        "state updates": "state_updates",
        "options": "options",
        "动作": "action",
        "操作": "action",
        "状态": "status",
        "消息": "message",
        "信息": "message",
        "状态更新": "state_updates",
        "选项": "options",
    },
)
PHASE = BlockForm(
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


class ReportBlock(NamedTuple):
    """`fields` by their names, as text, lists with their indentation; the lines below the other headings.

    `rest`: the lines from state_updates on.
    """

    form: BlockForm
    fields: dict[str, str]
    files: tuple[str, ...]
    next_action: str
    rest: str
    report: dict[str, Any] | None  # Any: an agent's JSON, checked where it is used


def find_blocks(text: str) -> Iterator[ReportBlock]:
    """The blocks of a text, the last one first. Lines of a quotation do not count."""
    lines = list(_lines(drop_surrogates(text)))
    starts = [(n, form) for n, line in enumerate(lines) if (form := _opened(line))]
    for (start, form), (end, _) in list(pairwise([*starts[-MOST_BLOCKS:], (len(lines), ACTION)]))[::-1]:
        yield _block(form, lines[start:end])


def is_quoted(text: str, form: BlockForm) -> bool:
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
        return json.loads(drop_surrogates(json.dumps(value, ensure_ascii=False)))
    return None


def strip_marks(words: str) -> str:
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


def _opened(line: str) -> BlockForm | None:
    """The kind of block that begins in this line."""
    return next((form for form in FORMS if _heading(form, line) == form.opening), None)


def _heading(form: BlockForm, line: str) -> str | None:
    found = _match(form.heading, line)
    return found[0].upper().replace(" ", "_") if found else None


def _block(form: BlockForm, lines: Sequence[str]) -> ReportBlock:
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
    return ReportBlock(
        form,
        fields,
        tuple(_files(sections.get("FILES_UPDATED", ()))),
        wanted.strip("`*\"', "),
        rest,
        first_object("\n".join(head)) if is_json else None,
    )


def _fields(form: BlockForm, lines: Sequence[str]) -> tuple[dict[str, str], str]:
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


NOTHING_LENGTH, ENTRY_LENGTH, MOST_BELOW = 100, 6_000, 50
"""Characters of words for nothing; characters of an entry that are kept, and the entries below one."""

_NOTHING = re.compile(
    r"(?:none|null|nil|n/?a|nothing|no|无|空|没有|暂无)"
    r"(?:\s+(?:new|open|known|pending|issues?|blockers?|decisions?|files?|found|written|so far|to report|needed))*",
    re.IGNORECASE,
)
_REMARK = re.compile(r"\s*[(（][^()（）]*[)）]$")
_BULLET = re.compile(r"^(?P<indent>\s*)(?:[-*+•–]|\(?\w{1,2}[.)])\s+(?P<text>.*)$")
_JSON = re.compile(r"\{\s*[\"}]|\[\s*[\"{\]]")


class ListEntry(NamedTuple):
    """One entry: its words, and those of the entries below it; or the JSON object that stands for both."""

    text: str
    below: tuple[str, ...] = ()
    given: dict[str, Any] | None = None  # Any: an agent's JSON, checked where it is used


def is_nothing(text: str) -> bool:
    """Whether this says that there is nothing, in any dress, also with a remark in brackets."""
    if len(text) > NOTHING_LENGTH:
        return False
    dress = "`*_\"'.-<>{}[]()（）。 "
    bare = text.strip(dress)
    return not bare or any(_NOTHING.fullmatch(words.strip(dress)) for words in (bare, _REMARK.sub("", text.strip())))


def read_list(text: str) -> tuple[ListEntry, ...] | None:
    """The entries; None for JSON that cannot be read. A list ends where something else begins."""
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return ()
    if _JSON.match(lines[0].strip()) or lines[0].strip() in ("[", "{"):
        given = read_json("\n".join(lines).strip())
        return None if given is None else read_json_entries(given)
    if is_nothing(_bare(lines[0])):
        return ()
    entries = _bullets(lines) if _BULLET.match(lines[0]) else [ListEntry(_kept(_paragraph(lines)))]
    return tuple(_object(entry) for entry in entries if not is_nothing(entry.text))


def read_json_entries(value: Any) -> tuple[ListEntry, ...] | None:  # Any: an agent's JSON
    """The entries of what is JSON: a list, one object, or an object that numbers them. None for what is no list."""
    if isinstance(value, str):
        return read_list(value)
    if isinstance(value, dict):
        value = list(value.values()) if value and all(str(key).isdigit() for key in value) else [value]
    if value is None:
        return ()
    if not isinstance(value, list):
        return None
    entries = (ListEntry("", given=each) if isinstance(each, dict) else ListEntry(_kept(str(each))) for each in value)
    return tuple(entry for entry in entries if entry.given or not is_nothing(entry.text))


def _object(entry: ListEntry) -> ListEntry:
    """An entry that is a JSON object, as one."""
    given = read_json(entry.text) if entry.text.startswith("{") else None
    return ListEntry("", given=given) if isinstance(given, dict) else entry


def _bare(line: str) -> str:
    found = _BULLET.match(line)
    return found["text"] if found else line


def _paragraph(lines: Sequence[str]) -> str:
    """Until the first empty line."""
    end = next((n for n, line in enumerate(lines) if not line.strip()), len(lines))
    return " ".join(line.strip() for line in lines[:end])


def _bullets(lines: Sequence[str]) -> list[ListEntry]:
    """Entries of the outermost level with those below them; a line that runs on belongs to the entry before it."""
    found: list[list[str]] = []
    outermost, is_parted = _indent(lines[0]), False
    for line in lines:
        bullet, depth = _BULLET.match(line), _indent(line)
        if not line.strip():
            is_parted = True
            continue
        if is_parted and (depth < outermost or (bullet is None and depth == outermost)):
            break
        is_parted = False
        if bullet is None:
            found[-1][-1] += f" {line.strip()}"
            continue
        if depth <= outermost:
            found.append([])
        found[-1].append(bullet["text"])
    return [ListEntry(_kept(texts[0]), tuple(map(_kept, texts[1 : 1 + MOST_BELOW]))) for texts in found]


def _kept(text: str) -> str:
    """In one line."""
    return clip_text(" ".join(text.split()), ENTRY_LENGTH)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


BULLET = re.compile(r"^(?:[-*•]|\(?\w{1,2}[.)])\s+")
QUOTES = "`\"'“”"


def read_choices(text: str) -> tuple[str, ...]:
    """`a | b` as the protocol's own schema writes alternatives; a JSON list, a list of lines, or commas do as well.

    The first of these that makes a list of the text does, so that a comma within one of them stays.
    """
    given = text.strip()
    listed = _json_list(given)
    parts = listed if listed is not None else _split(_unbracketed(given))
    cleaned = (BULLET.sub("", part.strip()).strip().strip(QUOTES).strip() for part in parts)
    return tuple(dict.fromkeys(part for part in cleaned if part))


def _json_list(text: str) -> list[str] | None:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return [str(item) for item in value if isinstance(item, (str, int, float))] if isinstance(value, list) else None


def _unbracketed(text: str) -> str:
    return text[1:-1] if text[:1] + text[-1:] in ("[]", "{}", "()") else text


def _split(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(BULLET.match(line.strip()) for line in lines):
        return lines
    text = " ".join(lines)
    for separator in ("|", ";", ","):
        if separator in text:
            parts = text.split(separator)
            return [*parts[:-1], re.sub(r"^\s*or\s+", "", parts[-1], flags=re.IGNORECASE)]
    return [text]


ReportStatus = Literal["success", "failed", "needs_input"]
PhaseStatus = Literal["success", "failed", "partial"]
S = TypeVar("S", ReportStatus, PhaseStatus)

ALLOWED = ", ".join(get_args(ReportStatus))
PHASE_ALLOWED = ", ".join(get_args(PhaseStatus))

_ENDS: dict[str, Literal["success", "failed"]] = {
    "success": "success",
    "succeeded": "success",
    "successful": "success",
    "completed": "success",
    "ok": "success",
    "成功": "success",
    "完成": "success",
    "已完成": "success",
    "failed": "failed",
    "failure": "failed",
    "fail": "failed",
    "error": "failed",
    "失败": "failed",
}
_WORDS: dict[str, ReportStatus] = {
    **_ENDS,
    "needs_input": "needs_input",
    "needs input": "needs_input",
    "waiting_input": "needs_input",
    "waiting input": "needs_input",
    "需要输入": "needs_input",
}
_PHASE_WORDS: dict[str, PhaseStatus] = {
    **_ENDS,
    "partial": "partial",
    "partially": "partial",
    "partly": "partial",
    "partial success": "partial",
    "partial_success": "partial",
    "partially completed": "partial",
    "部分": "partial",
    "部分完成": "partial",
    "部分成功": "partial",
}
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_STATUS_REMARK = re.compile(r"\s+[-–—(（]|[.,;:!。，；：！（]")


def read_status(given: object) -> ReportStatus:
    """The status that is meant, also with a remark behind it; ValueError says which there are."""
    return _read(given, _WORDS, ALLOWED)


def read_phase_status(given: object) -> PhaseStatus:
    """The same for a step of a cycle."""
    return _read(given, _PHASE_WORDS, PHASE_ALLOWED)


def _read(given: object, known: Mapping[str, S], allowed: str) -> S:
    words = normalize("NFKC", str(given)).strip().lower()
    for written in (words, _STATUS_REMARK.split(words)[0]):
        if status := known.get(_EDGES.sub("", written).replace("-", "_")):
            return status
    shown = " ".join(str(given).split())[:40]
    raise ValueError(f"was {shown!r}; allowed are {allowed}")
