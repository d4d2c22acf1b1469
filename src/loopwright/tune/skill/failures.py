"""Whether a failure of a call has a branch: try and catch, a check of the result, words behind it, a section about errors."""

import re
from bisect import bisect_left

from loopwright.tune.skill.calls import Found
from loopwright.tune.skill.code import Source
from loopwright.tune.skill.model import Page
from loopwright.tune.skill.places import Places

_FAILS = re.compile(
    r"""\b(?:if|when|on|in\s+case\s+of|should|unless|where|after|any)\b[^.\n]{0,60}?\b(?:fail\w*|errors?|times?\s+out|timed[\s_]out|timeouts?|crash\w*|missing|empty|unavailable|not\s+(?:found|available|respond\w*|return\w*|come|exist|succe\w*)|nothing|no\s+(?:result|answer|response|output)|invalid|malformed|blocked|does\s+not\s+\w+|doesn't|cannot|can\s+not|can't)\b
    |\b(?:fallback|fall\s+back|failure|fails?:|on\s+error|otherwise|non-?zero\s+exit|retry|retried|BLOCKED|degrade\w*|silent)\b
    |失败|超时|出错|报错|异常|错误时|若无|未返回|无响应|重试|降级|不可用|否则""",
    re.VERBOSE | re.IGNORECASE,
)
_MARKS = ("fail", "error", "time", "crash", "missing", "empty", "unavailable", "not ", "nothing", "no ", "invalid", "blocked", "retr", "otherwise", "fall", "cannot", "can't", "doesn't", "silent", "degrade", "non-zero", "失败", "超时", "出错", "报错", "异常", "错误", "若无", "未返回", "无响应", "重试", "降级", "不可用", "否则")  # fmt: skip
_CODE_LINES = 8
_PROSE_LINES = 6


class Failures:
    """What a page says of failures, by position."""

    def __init__(self, page: Page, places: Places) -> None:
        self._page = page
        self._places = places
        self._said = self._find(page.text)
        self._sections = [
            (section.start, section.end, page.sections[section.parent] if section.parent >= 0 else None)
            for section in page.sections
            if section.concept == "errors"
        ]

    @staticmethod
    def _find(text: str) -> list[int]:
        return [match.start() for match in _FAILS.finditer(text)]

    def handled(self, call: Found) -> bool:
        return (call.open >= 0 and _in_code(call)) or self._near(call) or self._section(call.start)

    def _near(self, call: Found) -> bool:
        """Words of failure in the same lines or the next ones."""
        start = self._places.line_start(call.start) if call.open < 0 else call.end
        stop = self._places.lines_on(call.end, _CODE_LINES)
        index = bisect_left(self._said, start)
        return index < len(self._said) and self._said[index] < stop

    def _section(self, position: int) -> bool:
        """A section about errors that stands beside or below the one of the call."""
        return any(
            start <= position < end or parent is None or parent.start <= position < parent.end
            for start, end, parent in self._sections
        )


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
    names = "|".join(re.escape(name) for name in (call.target or "").split(", "))
    window = source.text[call.end : min(source.end, call.end + 800)]
    return bool(
        re.search(
            rf"\bif\b\s*\(?[^\n]{{0,40}}?(?:!\s*|not\s+)(?:{names})\b|\bif\b[^\n]{{0,60}}?\b(?:{names})\b[^\n]{{0,60}}?(?:fail|error|timed_out|timeout|status|null|undefined|None|ok|success|completed|code|length|empty)"
            rf"|\b(?:{names})\b[\w.?]*\s*(?:\|\||\?\?)",
            window,
        )
    )
