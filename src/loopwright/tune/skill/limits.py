"""Words and conditions that say how often something is repeated at most, or for how long."""

import re
from collections.abc import Iterator

_UNIT = (
    r"(?:times?|rounds?|attempts?|retries|retry|tries|iterations?|cycles?|passes|loops?|polls?|turns?|reminders?|steps?"
    r"|repeats?|re-?runs?|seconds?|secs?|minutes?|mins?|hours?|ms|s\b|h\b)"
)
_TIMES = r"(?:times|attempts|retries|rounds|iterations|tries|cycles|passes|loops|turns|polls)"
_NUMBER = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|N\b)"
_MOST = (
    r"(?:max(?:imum)?(?:\s+of)?|at\s+most|up\s+to|(?:no|not|never)\s+more\s+than|limit(?:ed)?(?:\s+(?:of|to|is))?|within|for"
    r"|after|until|exceeds?|reach(?:es|ed)?|(?:hard\s+)?capp?(?:ed)?(?:\s+(?:at|of))?|more\s+than|≤|<=)"
)
_ENGLISH = re.compile(
    rf"""\b{_MOST}[\s:*_`=~]{{0,4}}{_NUMBER}\+?[\s*_`-]{{1,3}}(?:\w{{1,30}}[\s-]){{0,2}}?{_UNIT}
    |\b{_NUMBER}[\s*_-]{{1,3}}(?:\w{{1,30}}\s){{0,2}}?{_UNIT}\s+(?:at\s+most|max(?:imum)?|or\s+(?:fewer|less)|in\s+total|in\s+a\s+row)
    |\b{_NUMBER}\s*(?:consecutive|failed|unsuccessful)\s+\w+
    |\b(?:max|maximum)[\s_-]{{0,4}}(?:\w{{1,30}}[\s_-])?{_UNIT}\b
    |max_?(?:[a-z]{{1,30}}_)?(?:attempt|retr|round|iteration|loop|tries|cycle|step|turn|pass|count|poll|wait)\w*|\b(?:max|MAX)[A-Z_]\w+
    |\b(?:timeout|deadline|time[\s-]?limit|budget|limit|cap)\b[\s:=*_`(]{{1,4}}(?:of\s+|is\s+)?~?\d+
    |\b(?:time[\s-]?limit|deadline|timeout|budget|limit|cap|counter)\b[^.\n]{{0,30}}\b(?:reached|exceeded|hit|expires?|runs?\s+out|exhausted)
    |\b(?:until|within|before)\s+the\s+(?:limit|timeout|deadline|budget|cap)|_(?:limit|timeout)\w*|\btimeout_\w+
    |\b(?:retry|retries|rounds?|attempts?|iterations?|cycles?)\s*(?:limit|budget|cap|[<>]=?|≥|≤|reaches|==)\s*\w*
    |\b(?:retr(?:y|ied)|again|only|just|exactly|tried|run|try)(?:\s+\w+){{0,2}}\s+once\b|(?<!at\s)\bonce\s*(?:(?=[.,;:)])|and\b|more\b|with\b|then\b|$)
    |\b(?:twice|thrice)\b|(?<!\bof\s)(?<!\bin\s)\b(?:one|a\s+single)\s+(?:more\s+)?(?:retry|time|attempt|round|pass)\b
    |\b{_NUMBER}\s*[x×]\b|\b{_NUMBER}[\s*_]+{_TIMES}\b|\b(?:rounds?|retries|attempts|iterations)\s*[:=]\s*\d+|[≤<]=?\s*\d+\s*{_TIMES}
    |\b(?:second|third|fourth|fifth|\d(?:nd|rd|th))\b[^.\n]{{0,50}}?\b(?:last|final)\b
    |\b(?:until|unless)\s+(?:the\s+|a\s+)?(?:user|human|you|they)\b[^.\n]{{0,40}}""",
    re.VERBOSE | re.IGNORECASE,
)
_CHINESE = re.compile(
    r"""用尽|用完|耗尽|直[到至]用户[^，。；\n]{0,12}|最大(?:次数|轮数|重试|迭代)\w*|(?:次数|轮次|轮数|重试|迭代)上限|超时|一次
    |(?:最多|至多|不超过|不多于|上限|最大|限制?在?|超过|达到|满|未满|不足|累计|连续|仅|只|共|各|再)[^，。；\n|]{0,12}?[\d一二两三四五六七八九十N]{1,8}\s{0,8}(?:次|轮|遍|回|秒|分钟|步)
    |(?<!\d)[\d一二两三四五六七八九十]{1,8}\s{0,8}(?:次|轮|遍|回)(?:以内|之内|为限|上限|后|机会|仍|还)?|[≤<]=?\s*\d+\s*[次轮]""",
    re.VERBOSE,
)
_CUES = (
    *"0123456789", "max", "once", "twice", "thrice", "one", "two", "three", "four", "five", "six", "seven", "eight",
    "nine", "ten", "limit", "timeout", "deadline", "cap", "budget", "last", "final", "user", "you", "human", "single",
    "≤", "<",
)  # fmt: skip
"""One of these stands in all English words that say a limit."""
_COUNTER = (
    r"(?:\w{0,40}(?:attempt|iter|round|retr|tries|count|cycle|step|turn|poll|loop|elapsed|depth|pass)\w{0,40}"
    r"|i|n|k|r|t)"
)
_HEAD = re.compile(
    rf"""[\w.$]{{0,60}}\b{_COUNTER}(?:\+\+)?\s{{0,8}}(?:<=?|!==?|≤)\s{{0,8}}[\w.$]+
    |(?<![\w.$()])[\w.$()]++\s*+(?:<=?|≤)\s*+(?:[\w.$]{{0,60}}(?:max|MAX|limit|LIMIT|deadline|timeout)[\w.$]*|\d+)
    |(?:--)?\w{{0,40}}(?:retries|attempts|tries|remaining|left|budget)\w{{0,40}}(?:--)?\s{{0,8}}(?:>=?\s{{0,8}}\d{{1,9}})?(?=\s{{0,8}}(?:\)|&&|\|\||:|and|$))
    |[\w.$]{{0,60}}(?:max|MAX)[\w.$]{{0,60}}\s{{0,8}}>=?\s{{0,8}}[\w.$]+|range\([^)\n]{{0,200}}\)|\b\d{{1,9}}\s{{0,8}}(?:times|次|轮)""",
    re.VERBOSE,
)
_EXIT = re.compile(
    rf"""(?:if|elif|when|unless|break)\b[^\n]{{0,80}}?
      (?:\b{_COUNTER}\s{{0,8}}(?:>=?|===?|≥)\s{{0,8}}[\w.$]+|(?:max|MAX|limit|LIMIT|timeout|TIMEOUT|deadline)[\w.$]*)
    |if\s{{0,8}}\(?\s{{0,8}}(?:\+\+|--)\w{{1,60}}\s{{0,8}}(?:>=?|===?|<=?)\s{{0,8}}[\w.$]+""",
    re.VERBOSE,
)


def limit_in(text: str, start: int, end: int) -> str | None:
    """The first words between the two positions that say a limit."""
    return next((words for _, words in limits(text, start, end)), None)


def limits(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """All words between the two positions that say a limit, with where they stand; English before Chinese."""
    window = text[start:end]
    low = window.lower()
    if any(cue in low for cue in _CUES):
        for found in _ENGLISH.finditer(window):
            yield start + found.start(), _whole(window, found)
    if not window.isascii():
        for found in _CHINESE.finditer(window):
            yield start + found.start(), found[0].strip()


def _whole(window: str, found: re.Match[str]) -> str:
    """The match, and what of its first word stands before it."""
    begin = found.start()
    while begin and (window[begin - 1].isalnum() or window[begin - 1] == "_") and window[begin - 1].isascii():
        begin -= 1
    return window[begin : found.end()].strip()


def limit_of_head(text: str, start: int, end: int) -> str | None:
    """The part of a loop's condition that ends it for certain: a counter, or a limit by name."""
    found = _HEAD.search(text, start, end)
    return found[0].strip() if found else None


def exit_in(text: str, start: int, end: int) -> str | None:
    """A condition in a loop's body that leaves it after so many rounds."""
    found = _EXIT.search(text, start, end)
    return found[0].strip() if found else None
