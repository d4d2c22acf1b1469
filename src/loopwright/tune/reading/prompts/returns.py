"""What prompts and roles say of the answer that an agent gives back, and how long it may be."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.prompts.feeding import AGENT, 智能体
from loopwright.tune.reading.words.drawn import drawn
from loopwright.tune.reading.words.sayings import Saying, is_story, sentences
from loopwright.tune.skill.letters import small
from loopwright.tune.skill.model import Page, Skill

_RETURN = re.compile(
    r"^[ \t>*\-`'\"\d.)#]{0,30}+(?:\*\*|[\[【])?\s{0,8}(?:(?:then|finally|at the end|when (?:you are )?done|最后|然后"
    r"|完成后|结束时|结束后|做完后),?，?\s{0,8})?"
    r"(?:只|仅|再|把)?(?:(?P<en>return|answer|reply|respond|report back|report|output"
    r"|give back|send back|(?:your |the )?final message|close with|end with|finish with)\b|(?P<zh>返回|回复|汇报"
    r"|答复|回报|交回|发回|带回|回话"
    r"|回(?=\s*(?:JSON|json|[一二两三四五六七八九十\d])))|(?:把)?[^\n]{2,20}(?P<back>[发带交返贴报]回来))",
    re.IGNORECASE | re.MULTILINE,
)
_AGAIN = re.compile(r"(?<=[.。;；]\s)(?:Return|Answer|Reply|Respond|Report back)\b|(?<=[。；])(?:返回|回复|回话)")
_NUMBER = (
    r"(?:\d[\d,]{0,12}|one|two|three|four|five|six|seven|eight|nine|ten|a few|[一二两三四五六七八九十百]{1,8}"
    r"|\$\{\w{1,40}\}|\{\w{1,40}\}|<\w{1,40}>|N)"
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
    rf"{_MOST}\s{{0,8}}{_NUMBER}[\s-]{{0,8}}(?:\w{{1,30}}\s)?{_UNIT}"
    rf"|{_NUMBER}[\s-]{{1,8}}(?:lines?|words?|tokens?|characters?|bullets?|sentences?|paragraphs?)"
    rf"|(?:不超过|最多|至多|不多于|控制在|限|≤|前|仅|只)\s{{0,8}}{_NUMBER}\s{{0,8}}(?:个)?(?:行|字|条|句|项|段|词|token|个)"
    rf"|(?<![每任这那哪第]){_NUMBER}\s{{0,8}}(?:行|字|条|句话?|项|段)(?:以内|之内|内|的?摘要)?",
    re.IGNORECASE,
)
SHORT = re.compile(
    r"\b(?:brief(?:ly)?|short|concise|compact|summary only|only the (?:path|paths|name|id|status|verdict)"
    r"|just the|nothing else|one of|single word|yes or no|json|schema|boolean|number only|path)\b"
    r"|简短|简要|摘要|仅返回|只返回|只回|路径|JSON|是或否",
    re.IGNORECASE,
)
_SHAPED = re.compile(
    r"\b(?:json|schema|(?:a|one|as) table|csv|yaml|one (?:line|row|word|sentence|object|entry)|score|verdict"
    r"|rating|yes/no|pass/fail)\b"
    r"|JSON|表格|一行|一句|打分|评分",
    re.IGNORECASE,
)
_PER = re.compile(
    r"\b(?:each|every)\b(?! [^.\n]{0,40}\b(?:find|found|saw|see|met)\b)|逐[条项]|每一?[条个处项]", re.IGNORECASE
)
"""Of each thing; what is said of it may still be little, and its shape be given."""
_TINY = re.compile(
    r"(?:return|answer|reply|respond|report)(?: back)?(?: with)?(?: only| just| exactly)? (?:`[^`\n]{1,24}`"
    r"|[\"“'][^\"”'\n]{1,24}[\"”']|\{\"|(?-i:[A-Z][A-Z_]{1,24}\b)|nothing\b|yes\b|ok\b"
    r"|(?:(?:the|a|an|its|your) )?(?:\w+ )?(?:numbers?|counts?|ids?|names?|scores?|ratings?|titles?|codes?|dates?"
    r"|status|verdicts?|totals?|ranks?|urls?|keys?|sizes?)"
    r"\b)|(?:返回|回复|答复|回)\s?(?:[`\"“「][^`\"”」\n]{1,12}[`\"”」]|(?-i:[A-Z]{2,24}\b)|文件名|名称|编号|标题|数目|个数|分数|总数"
    r"|写了几|[^，。；\n]{0,8}多少|是否)",
    re.IGNORECASE,
)
_REASONED = re.compile(
    r"\b(?:reason|expla|evidence|detail|analys|argument|finding|descri|everything|narrat|quote|list|notes?\b|full)\w*"
    r"|理由|说明|证据|细节|分析|过程|经过|发现|意见|全部|所有|清单",
    re.IGNORECASE,
)
"""A word, a number or a name, and no words about it."""
_LITTLE = re.compile(
    r"\b(?:when|once|after|until|if|whether|that) (?:all|every|each)\b|\beach question with yes or no\b"
    r"|\b(?:full|complete|entire|whole|all|every|each)(?: (?:the|of|list|its|changed|new|written|created|modified"
    r"|touched|file)){0,4} (?:paths?|names?|ids?|titles?|urls?|numbers?|sentences?|changed files"
    r"|(?:files|pages) (?:you|that|it)\b)"
    r"|\b(?:verdict|score|rating|status|grade|number|count|total)s? [^.;\n]{0,30}?\b(?:for|of) (?:the )?(?:whole"
    r"|entire)\b|\b(?:paths?|names?|ids?|titles?) (?:of|for) (?:each|every|all)\b"
    r"|每一?[个条项份][^，。；\n]{0,6}?的(?:完整)?(?:路径|名称|文件名|编号|标题)"
    r"|(?:完整|全部|所有)的?(?:文件)?(?:路径|名称|文件名|编号|标题)|全部(?:完成|写完|做完)|所有[^，。；\n]{0,8}(?:完成|写完)[后时]",
    re.IGNORECASE,
)
"""All of what is short by itself, or all as a condition."""
UNLIMITED = re.compile(
    r"\b(?:at any length|no matter how (?:long|many)|however (?:long|many)|as long as (?:you|it) (?:like|want|need)s?"
    r"|no (?:length |size )?limit|as much (?:detail )?as)\b|有什么说什么|想到什么|不限(?:长度|字数|篇幅)?"
    r"|越(?:详细|长|多)越好|多长都",
    re.IGNORECASE,
)
"""Words that take any limit away."""
_QUOTED = re.compile(r"[\"“「][^\"”」\n]{1,120}[\"”」]")
"""What is answered word for word."""
_STRICT = re.compile(
    r"\b(?:brief(?:ly)?|short|concise|compact|summar\w+|only|just|nothing else)\b|简短|简要|摘要|仅|只", re.IGNORECASE
)
EVERYTHING = re.compile(
    r"\b(?:all|every|everything|full|complete|entire|whole|each|detailed|in detail|verbatim|as much|raw|unabridged"
    r"|transcript"
    r"|at (?:any )?length|however (?:long|many)|no matter how)\b|全部|所有"
    r"|完整|逐条|逐项|详细|全文|原样|不限|有什么说什么|每一?[条个处项]",
    re.IGNORECASE,
)
_BACK = re.compile(
    r"\b(?:returns?|returned|returning|repl(?:y|ies)|respon(?:ds?|ses?)|answers?|reports?|(?:send|hand|bring|give"
    r"|come|report|post)s? (?:\w+ ){0,3}?back)\b"
    r"|返回|汇报|回报|交回|发回|回复|带回",
    re.IGNORECASE,
)
_ALL_OF_IT = re.compile(
    r"\b(?:(?:full|complete|entire|whole|raw)(?:,? \w+){0,2}? (?:contents?|text|transcripts?|outputs?|analys[ie]s"
    r"|findings|details?|diffs?|reasoning|logs?"
    r"|results?|responses?|answers?|sources?|files?|data|evidence|trace|notes|work|list)|everything|verbatim"
    r"|unabridged|in full(?! sentences)|at any length"
    r"|no matter how (?:long|many)|however (?:long|many)|as much (?:detail|text|context)\w*|as long as (?:they"
    r"|it) (?:like|want|need)s?|no (?:length |size )?limit"
    r"|all (?:the |their |its |your )?(?:details|evidence|output|text|contents?|reasoning|raw|data|notes|sources)"
    r"|every (?:detail|file in full|line))\b"
    r"|全部(?:内容|过程|细节|结果|输出|原文|发现)|所有(?:内容|细节|原文|过程|输出)|全文|完整(?:的)?[^，。；\n]{0,6}?(?:内容|输出"
    r"|过程|结果|分析|日志|报告)|不限(?:长度|字数|篇幅)"
    r"|越(?:详细|长)越好|原样|一字不|有什么说什么",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:not|never|don['’]t|no|avoid|without|rather than|instead of|if|unless)\b(?! (?:matter|(?:length "
    r"|size )?limit))|不(?!限)|勿|别(?!人)|避免|而非|如果",
    re.IGNORECASE,
)
_ASIDE = re.compile(
    r"\b(?:to (?:a|the|its|their|disk)\b[^.]{0,20}?\b(?:file|disk)|paths?|(?:to|for|with|by) (?:the )?users?"
    r"|summar\w+|brief|concise|short|only|just|json|schema|until|after|once|when|asks|wait(?:s|ing)?)\b|路径|用户"
    r"|摘要|简短|只|仅|之后|后再|等",
    re.IGNORECASE,
)
_ABOUT = (
    (
        "hand", "list", "artifact", "evidence", "output", "deliver", "includ", "return", "repl", "respon", "answer",
        "report", "back", "send", "pass", "forward", "发给", "传给", "交给",
        "返回", "汇报", "回报", "交回", "发回", "回复", "带回",
    ),
    (
        "full", "complete", "entire", "ever", "whole", "raw", "everything", "verbatim", "unabridged",
        "length", "no matter", "however",
        "as much", "as long", "limit", "all ", "every", "全", "所有", "完整", "不限", "越", "原样", "一字", "有什么",
    ),
)  # fmt: skip
_AGENT = re.compile(rf"\b{AGENT}\b|{智能体}", re.IGNORECASE)
_WITHIN = 90
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
        if UNLIMITED.search(self.text):
            return False
        if self.is_shaped or self.is_tiny:
            return True
        return (_STRICT if self.wants_everything else SHORT).search(self.text) is not None

    @property
    def is_tiny(self) -> bool:
        return len(self.text) < 160 and bool(_TINY.search(self.text)) and not _REASONED.search(self.text)

    @property
    def is_shaped(self) -> bool:
        """One entry of a given shape for each thing, and nothing in full."""
        first = self.text[:FIRST]
        each = _PER.search(first) is not None and EVERYTHING.search(_PER.sub(" ", first)) is None
        return each and _SHAPED.search(self.text) is not None and _ALL_OF_IT.search(self.text) is None

    @property
    def wants_everything(self) -> bool:
        """It asks for all there is, in its first words."""
        first = _LITTLE.sub(" ", _QUOTED.sub(" ", self.text[: 2 * FIRST])[:FIRST])
        return EVERYTHING.search(first) is not None or UNLIMITED.search(self.text) is not None


def returns(skill: Skill) -> Iterator[Return]:
    """One for each prompt that says what to give back: the last such line with what belongs to it."""
    for index, prompt in enumerate(skill.prompts):
        page = skill.pages.get(prompt.at.file)
        if page is None or prompt.at.use not in ("instruction", "prompt"):
            continue
        if prompt.call < 0 and page.kind == "role":
            continue
        found = _last(page.text, prompt.at.start, prompt.at.end)
        if found is not None:
            start, end = found
            text = page.text[start:end]
            limit = SIZE.search(text)
            yield Return(page, start, end, text, limit[0] if limit else None, index)


_NAMED = re.compile(
    r"`?\b(?P<name>(?:max_?)?(?:reply|replies|answer|return|response|closing|summary|report|result)s?_?(?:max_?)?"
    r"(?:words|lines|tokens|chars|items|length|size|limit|bullets|sentences))\b`?\s*[|:=]\s*`?(?P<value>\d+)",
    re.IGNORECASE,
)
_ENDS = ("words", "lines", "tokens", "chars", "_items", "length", "_size", "limit", "bullets", "sentences")
_LIMITED = re.compile(r"(?:words|lines|tokens|chars|items|length|size|limit|bullets|sentences)`?\s*[|:=]\s*`?\d")
_UNITS = ("words", "lines", "tokens", "chars", "items", "bullets", "sentences")


def unused(skill: Skill) -> Iterator[tuple[Page, int, str, str]]:
    """Limits of answers that have a name and that nothing uses: page, place, name, the limit in words."""
    for page in skill.pages.values():
        for found in _limits(page.text):
            name, value = found["name"], found["value"]
            unit = next((unit for unit in _UNITS if name.lower().endswith(unit)), "words")
            uses = sum(other.text.count(name) for other in skill.pages.values())
            if uses == 1 and not any(re.search(rf"\b{value}\s*-?{unit[:-1]}", o.text) for o in skill.pages.values()):
                yield page, found.start("name"), name, f"at most {value} {unit}"


def _limits(text: str) -> Iterator[re.Match[str]]:
    """All matches of `_NAMED`, looked for by what such a name ends with."""
    low, after = small(text), 0
    for limited in _LIMITED.finditer(low) if any(end in low for end in _ENDS) else ():
        near = _NAMED.search(text, max(after, limited.start() - _WITHIN), limited.end())
        found = _NAMED.match(text, near.start()) if near else None
        if found is not None:
            after = found.end()
            yield found


def told(skill: Skill) -> Iterator[Saying]:
    """Sentences about agents that have all of something come back from them."""
    roles = {page.path for page in skill.pages.values() if page.kind == "role"}
    for saying in (*sentences(skill, _ABOUT), *drawn(skill, _ABOUT)):
        found = wants_all(saying.text) and (
            saying.page.path in roles or _AGENT.search(f"{saying.lead} {saying.text}") is not None
        )
        if (found or _sent_up(saying.text) or _lists_all(saying.text) or _hands_over_all(saying.text)) and not is_story(
            saying.text
        ):
            yield saying


_LISTS = re.compile(
    r"\b(?:list|report|include|return|output|give|write down|note) (?:\w+ )?(?:everything|every (?:single )?\w+"
    r"|all (?:of )?(?:the |your )?\w+)\b"
    r"[^.\n]{0,12}?\b(?:you|it|they) (?:found|find|saw|see|read|looked|come|came|think|have)",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:hand-?off|report|artifact|evidence|result|return|answer|output|deliver|commands? run|closing"
    r"|final message)\w{0,20}\b[^.|\n]{0,80}?"
    r"\b(?:complete|full|entire|whole|raw|unabridged)(?: \w+){0,2} (?:outputs?|logs?|transcripts?|traces?)\b",
    re.IGNORECASE,
)


_SENT_UP = re.compile(
    r"\b(?:send|pass|post|forward|deliver|message)(?:s|es|ing)?\b(?P<what>[^.;\n]{3,120}?)\bto (?:the |its )?"
    r"(?:coordinator|orchestrator|team[ -]?lead|lead|caller|parent|main agent|main session)\b"
    r"|[把将](?P<zh>[^，。；\n]{3,60}?)(?:一并|全部|直接)?(?:发|传|交|回)给(?:协调[者器]|主流程|主代理|调用[方者]|编排[者器])",
    re.IGNORECASE,
)


def _sent_up(text: str) -> bool:
    """What goes to whoever leads is a whole text."""
    found = _SENT_UP.search(text)
    if found is None or _NO.search(text, max(0, found.start() - 40), found.start()):
        return False
    return is_all(found["what"] or found["zh"])


def _hands_over_all(text: str) -> bool:
    """A report or a hand-over holds a whole log or output."""
    found = _REPORTED.search(text)
    if found is None:
        return False
    near = text[max(0, found.start() - _WITHIN) : found.end() + _WITHIN // 2]
    return not _NO.search(near) and not _ASIDE.search(near)


def _lists_all(text: str) -> bool:
    return _LISTS.search(text) is not None and not SIZE.search(text) and not _ASIDE.search(text)


def is_all(text: str) -> bool:
    """A whole text, or all there is, and no limit."""
    return _ALL_OF_IT.search(text) is not None and not SIZE.search(text) and not _ASIDE.search(text)


def wants_all(text: str) -> bool:
    """It is to be given back as a whole, at any length; what goes to a file, or to the user, may be long."""
    for back in _BACK.finditer(text):
        start = max(0, back.start() - _WITHIN)
        if not _is_object(text[start : back.start()], back[0], text[back.end() : back.end() + _WITHIN]):
            continue
        if (
            not _NO.search(text, max(start, back.start() - 40), back.start())
            and not SIZE.search(text)
            and not _ASIDE.search(text)
        ):
            return True
    return False


_CLAUSE = re.compile(r"[;；。]")
_ACTIVE = re.compile(
    r"(?:returns|replies|responds|answers|reports|(?:sends|hands|brings|gives|comes|posts)\b.*)$", re.IGNORECASE
)
_IT = re.compile(r"\W{0,3}(?:it|them|that|all of it|to)\b", re.IGNORECASE)


def _is_object(before: str, back: str, after: str) -> bool:
    """All of it is what comes back: `returns the full log`, `the full log is returned`, `read it all and return it`."""
    if _ALL_OF_IT.search(_CLAUSE.split(after)[0]):
        return True
    if not _ALL_OF_IT.search(_CLAUSE.split(before)[-1]):
        return False
    return not back.isascii() or not _ACTIVE.match(back) or _IT.match(after) is not None


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
