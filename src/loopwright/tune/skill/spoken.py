"""Calls in running text, with their brackets: `Read("a.md")` in inline code, Task(prompt="…") in an entry of a list."""

import re

from loopwright.tune.skill.calls import NO_CALLS, Found, read_calls
from loopwright.tune.skill.code import read_source
from loopwright.tune.skill.places import Places, Stretch
from loopwright.tune.skill.toolnames import TOOLS

_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\Z", re.ASCII)
_SERVER = re.compile(r"mcp__[\w-]+\Z", re.ASCII)
_LONGEST = 60
"""Characters that a name may have."""
_FARTHEST = 12_000
"""Characters that a call in running text may go over."""


def spoken_calls(places: Places, part: Stretch) -> list[Found]:
    """The calls in a stretch of prose, in order; each bracket is read once."""
    text, end = places.text, part.end
    found: list[Found] = []
    pos = after = part.start
    while (pos := text.find("(", pos, end)) >= 0:
        before = text[pos - 1] if pos > after else " "
        start = _named(text, pos, after) if before.isalnum() or before in "_$" else None
        if start is None:
            pos += 1
            continue
        use = part.use or places.use(start)
        stop = end if part.use else min(end, places.block_end(start))
        source = read_source(text, start, _reach(text, pos, stop), one=True)
        found += read_calls(source, places, use, {})
        pos = after = max(pos + 1, source.end)
    return found


def _named(text: str, bracket: int, least: int) -> int | None:
    """Where the name before a bracket begins, if that is a call for certain: a known tool, or inline code."""
    begin = bracket
    while begin > least and begin > bracket - _LONGEST and _is_of_name(text[begin - 1]):
        begin -= 1
    name = text[begin:bracket].lstrip(".0123456789")
    begin = bracket - len(name)
    if text[begin - 1 : begin] == "-":
        server = _SERVER.search(text, max(least, begin - _LONGEST), bracket)
        begin, name = (server.start(), server[0]) if server else (begin, name)
    if name.startswith("mcp__"):
        return begin
    if not name or name in NO_CALLS or not _NAME.match(name):
        return None
    if name in TOOLS or name.startswith("functions."):
        return begin if name != "Skill" or text[bracket + 1 : bracket + 2] != "s" else None
    if text[max(begin - 1, least) : begin] == "`" or text[max(begin - 6, least) : begin] == "await ":
        return begin
    line = text.rfind("\n", max(least, begin - 400), begin) + 1 or max(least, begin - 400)
    return begin if text.count("`", line, begin) % 2 else None


def _is_of_name(char: str) -> bool:
    return char < "\x7f" and (char.isalnum() or char in "_$.")


def _reach(text: str, bracket: int, end: int) -> int:
    """How far a call may go: to the end of its paragraph, or of its inline code."""
    end = min(end, bracket + _FARTHEST)
    if text.startswith(("({", "(\n"), bracket):
        return end
    blank = text.find("\n\n", bracket, end)
    return end if blank < 0 else blank
