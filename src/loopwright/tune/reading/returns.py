"""What prompts and roles say of the answer that an agent gives back, and how long it may be."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Page, Skill

_RETURN = re.compile(
    r"^[ \t>*\-`'\"\d.)#]*(?:\*\*|[\[【])?\s*(?:(?:then|finally|at the end|when (?:you are )?done|最后|然后"
    r"|完成后|结束时|结束后|做完后),?，?\s*)?"
    r"(?:只|仅|再|把)?(?:(?P<en>return|answer|reply|respond|report back|report|output"
    r"|give back|send back|final message)\b|(?P<zh>返回|回复|汇报|答复|回报|交回|发回|带回"
    r"|回(?=[一二两三四五六七八九十\d]))|(?:把)?[^\n]{2,20}(?P<back>发回来|带回来|交回来|返回来|贴回来))",
    re.IGNORECASE | re.MULTILINE,
)
_AGAIN = re.compile(r"(?<=[.。;；]\s)(?:Return|Answer|Reply|Respond|Report back)\b|(?<=[。；])(?:返回|回复)")
_NUMBER = (
    r"(?:\d[\d,]*|one|two|three|four|five|six|seven|eight|nine|ten|a few|[一二两三四五六七八九十百]+"
    r"|\$\{\w+\}|\{\w+\}|<\w+>|N)"
)
_MOST = (
    r"(?:at\s+most|no\s+more\s+than|not\s+more\s+than|max(?:imum)?(?:\s+of)?|up\s+to|under|below|within|fewer\s+than"
    r"|less\s+than|≤|<=?|~|about|in|exactly|only)"
)
_UNIT = (
    r"(?:lines?|words?|tokens?|characters?|chars?|bullets?|sentences?|items?|entries|rows?|paragraphs?|points?|kb"
    r"|findings?|results?|tasks?|questions?|issues?)"
)
SIZE = re.compile(
    rf"{_MOST}\s*{_NUMBER}[\s-]*(?:\w+\s)?{_UNIT}"
    rf"|{_NUMBER}[\s-]+(?:lines?|words?|tokens?|characters?|bullets?|sentences?|paragraphs?)"
    rf"|(?:不超过|最多|至多|不多于|控制在|限|≤|前|仅|只)\s*{_NUMBER}\s*(?:个)?(?:行|字|条|句|项|段|词|token|个)"
    rf"|{_NUMBER}\s*(?:行|字|条|句话?|项|段)(?:以内|之内|内|的?摘要)?|一句话|一行",
    re.IGNORECASE,
)
SHORT = re.compile(
    r"\b(?:brief(?:ly)?|short|concise|compact|summary only|only the (?:path|paths|name|id|status|verdict)"
    r"|just the|nothing else|one of|single word|yes or no|json|schema|boolean|number only|path)\b"
    r"|简短|简要|摘要|仅返回|只返回|只回|路径|JSON|是或否",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:brief(?:ly)?|short|concise|compact|summar\w+|only|just|nothing else)\b|简短|简要|摘要|仅|只", re.IGNORECASE
)
EVERYTHING = re.compile(
    r"\b(?:all|every|everything|full|complete|entire|whole|each|detailed|in detail|verbatim|as much)\b|全部|所有"
    r"|完整|逐条|逐项|详细|全文|每一?[条个处项]",
    re.IGNORECASE,
)
LONGEST, FIRST = 700, 80


@dataclass(frozen=True, slots=True)
class Return:
    """What is said of one answer. `size`: the words that limit it; `prompt`: index of the prompt, -1 for a role."""

    page: Page
    start: int
    end: int
    text: str
    size: str | None
    prompt: int

    @property
    def is_short(self) -> bool:
        if self.size is not None:
            return True
        return (_STRICT if self.wants_everything else SHORT).search(self.text) is not None

    @property
    def wants_everything(self) -> bool:
        """It asks for all there is, in its first words."""
        return EVERYTHING.search(self.text, 0, FIRST) is not None


def returns(skill: Skill) -> Iterator[Return]:
    """One for each prompt that says what to give back: the last such line with what belongs to it."""
    for index, prompt in enumerate(skill.prompts):
        page = skill.pages.get(prompt.at.file)
        if page is None or prompt.at.use not in ("instruction", "prompt") or prompt.call < 0:
            continue
        found = _last(page.text, prompt.at.start, prompt.at.end)
        if found is not None:
            start, end = found
            text = page.text[start:end]
            limit = SIZE.search(text)
            yield Return(page, start, end, text, limit[0] if limit else None, index)


def _last(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the return is said: from its line to the end of the paragraph."""
    begin = -1
    for found in (*_RETURN.finditer(text, start, end), *_AGAIN.finditer(text, start, end)):
        begin = max(begin, found.start() if found.re is _AGAIN else _line(text, found, start))
    if begin < 0:
        return None
    stop = min(end, begin + LONGEST)
    for mark in ("\n\n", "\r\n\r\n"):
        blank = text.find(mark, begin, stop)
        if blank >= 0:
            stop = blank
    return begin, stop


def _line(text: str, found: re.Match[str], start: int) -> int:
    word = next(found.start(name) for name in ("en", "zh", "back") if found[name])
    return max(start, text.rfind("\n", 0, word) + 1)
