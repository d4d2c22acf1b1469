"""Whether a failure of a call has a branch: a catch, a check of the result, words behind it, a section about errors."""

import re
from bisect import bisect_right

from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.model import Page
from loopwright.tune.skill.places import Places
from loopwright.tune.skill.toolnames import SPAWNS, TOOLS

_FAILS = re.compile(
    r"""\b(?:if|when|on|in\s+case\s+of|should|unless|where|after|any)\b[^.\n]{0,60}?\b(?:fail\w*|errors?|times?\s+out|timed[\s_]out|timeouts?|crash\w*|missing|empty|unavailable|not\s+(?:found|available|respond\w*|return\w*|come|exist|succe\w*)|nothing|no\s+(?:result|answer|response|output)|invalid|malformed|blocked|does\s+not\s+\w+|doesn't|cannot|can\s+not|can't)\b
    |\b(?:fallback|fall\s+back|failure|on\s+error|otherwise|non-?zero\s+exit|retry\w*|retried|BLOCKED|degrade\w*|silent)\b
    |\bfails?\s*:
    |['"]failed['"]|失败|超时|出错|报错|异常|错误时|若无|未返回|无响应|重试|降级|不可用|否则""",
    re.VERBOSE | re.IGNORECASE,
)
_LONGEST = 600
"""Characters of a line that are looked at."""
_LINES = 12
"""Lines below a call in which words of failure may stand, in its section."""
_TITLE = re.compile(r"\bfail|\berrors?\b|goes?\s+wrong|not\s+come\s+back|出错|失败|异常", re.IGNORECASE)
_IF = re.compile(r"\bif\b|\s\?\s|\|\||\?\?|\bassert\b|\bmatch\b|\bswitch\b")
_OF_FAILURE = re.compile(
    r"!|\bnot\b|fail|error|timed|timeout|status|null|undefined|None|\bok\b|success|complete|code|length|empty|exist|\|\||\?\?"
)
_NAME = re.compile(r"[\w$]+")


class Failures:
    """What a page says of failures, found line by line where a call asks for it."""

    def __init__(self, page: Page, places: Places) -> None:
        self._page = page
        self._places = places
        self._lines: dict[int, bool] = {}
        self._covered = _covered(page)

    def handled(self, call: Found) -> bool:
        """Ordinary functions are looked at in code only."""
        if call.open >= 0 and _in_code(call):
            return True
        return _is_tool(call.name) and (self._section(call.start) or self._near(call))

    def _near(self, call: Found) -> bool:
        """Words of failure in the same line or the next ones of the section."""
        lines = self._places.lines
        first = lines.number(call.end) - 1
        block = self._places.block(call.start)
        section = self._page.blocks[block].section if block >= 0 else -1
        end = self._page.sections[section].end if section >= 0 else len(self._places.text)
        if call.open >= 0:
            stop = min(self._places.line_end(call.end), call.end + _LONGEST)
            if _FAILS.search(self._places.text, call.end, stop):
                return True
            first += 1
        for line in range(first, min(first + _LINES, len(lines.starts))):
            if lines.starts[line] >= end:
                return False
            if self._says(line):
                return True
        return False

    def _says(self, line: int) -> bool:
        known = self._lines.get(line)
        if known is None:
            starts = self._places.lines.starts
            stop = starts[line + 1] if line + 1 < len(starts) else len(self._places.text)
            known = self._lines[line] = bool(
                _FAILS.search(self._places.text, starts[line], min(stop, starts[line] + _LONGEST))
            )
        return known

    def _section(self, position: int) -> bool:
        """A section about errors that stands beside or below the one of the call."""
        at = bisect_right(self._covered, (position, len(self._places.text) + 1)) - 1
        return at >= 0 and position < self._covered[at][1]


def _covered(page: Page) -> list[tuple[int, int]]:
    """What sections about errors hold for, in order and without overlap."""
    ranges = []
    speaks = _TITLE.search("\n".join([section.title for section in page.sections])) is not None
    for section in page.sections:
        if section.concept == "errors" or (speaks and _TITLE.search(section.title)):
            above = page.sections[section.parent] if section.parent >= 0 else None
            ranges.append((above.start, above.end) if above else (0, len(page.text)))
    merged: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _is_tool(name: str) -> bool:
    return name in TOOLS or name in SPAWNS or name.startswith(("mcp__", "functions.", "spawn"))


def _in_code(call: Found) -> bool:
    source = call.source
    closing = source.partner.get(call.open, len(source))
    behind = source.after(closing)
    if source.kind(behind) in ("||", "??") or source.text.startswith(".catch", call.end):
        return True
    return _in_try(source, call.open) or (call.target is not None and _checked(source, call))


def _in_try(source: Source, index: int) -> bool:
    bracket = source.parent[index]
    depth = 0
    while bracket >= 0 and depth < 40:
        if source.kinds[bracket] == "{" and source.word(bracket - 1) == "try":
            return True
        if source.kinds[bracket] == "(" and source.text.startswith(".catch", source.close(bracket)):
            return True
        bracket, depth = source.parent[bracket], depth + 1
    return _in_python_try(source, index)


def _in_python_try(source: Source, index: int) -> bool:
    text = source.text
    line = text.rfind("\n", source.start, source.starts[index]) + 1 or source.start
    indent = len(text[line : source.starts[index]]) - len(text[line : source.starts[index]].lstrip())
    head = text.rfind("try:", max(source.start, line - 3000), line)
    if head < 0 or indent == 0:
        return False
    head_line = text.rfind("\n", source.start, head) + 1 or source.start
    if head - head_line >= indent:
        return False
    return text.find("except", source.starts[index], min(source.end, source.starts[index] + 3000)) >= 0


def _checked(source: Source, call: Found) -> bool:
    """A condition on the result in the code that follows."""
    window = source.text[call.end : min(source.end, call.end + 800)]
    if not _IF.search(window):
        return False
    names = set(_NAME.findall(call.target or ""))
    return any(
        _IF.search(line) and _OF_FAILURE.search(line) and not names.isdisjoint(_NAME.findall(line))
        for line in window.split("\n")
    )
