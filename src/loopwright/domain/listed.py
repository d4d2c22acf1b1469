"""Lists as agents write them: bullets, numbers, JSON, one line, or a word for nothing. Pure."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from loopwright.domain.block import read_json
from loopwright.domain.words import clipped

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


class Entry(NamedTuple):
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


def read_list(text: str) -> tuple[Entry, ...] | None:
    """The entries; None for JSON that can not be read. A list ends where something else begins."""
    lines = text.splitlines()
    while lines and not lines[0].strip():
        lines.pop(0)
    if not lines:
        return ()
    if _JSON.match(lines[0].strip()) or lines[0].strip() in ("[", "{"):
        given = read_json("\n".join(lines).strip())
        return None if given is None else of_json(given)
    if is_nothing(_bare(lines[0])):
        return ()
    entries = _bullets(lines) if _BULLET.match(lines[0]) else [Entry(_kept(_paragraph(lines)))]
    return tuple(_object(entry) for entry in entries if not is_nothing(entry.text))


def of_json(value: Any) -> tuple[Entry, ...] | None:  # Any: an agent's JSON
    """The entries of what is JSON: a list, one object, or an object that numbers them. None for what is no list."""
    if isinstance(value, str):
        return read_list(value)
    if isinstance(value, dict):
        value = list(value.values()) if value and all(str(key).isdigit() for key in value) else [value]
    if value is None:
        return ()
    if not isinstance(value, list):
        return None
    entries = (Entry("", given=each) if isinstance(each, dict) else Entry(_kept(str(each))) for each in value)
    return tuple(entry for entry in entries if entry.given or not is_nothing(entry.text))


def _object(entry: Entry) -> Entry:
    """An entry that is a JSON object, as one."""
    given = read_json(entry.text) if entry.text.startswith("{") else None
    return Entry("", given=given) if isinstance(given, dict) else entry


def _bare(line: str) -> str:
    found = _BULLET.match(line)
    return found["text"] if found else line


def _paragraph(lines: Sequence[str]) -> str:
    """Until the first empty line."""
    end = next((n for n, line in enumerate(lines) if not line.strip()), len(lines))
    return " ".join(line.strip() for line in lines[:end])


def _bullets(lines: Sequence[str]) -> list[Entry]:
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
    return [Entry(_kept(texts[0]), tuple(map(_kept, texts[1 : 1 + MOST_BELOW]))) for texts in found]


def _kept(text: str) -> str:
    """In one line."""
    return clipped(" ".join(text.split()), ENTRY_LENGTH)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
