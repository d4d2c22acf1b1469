"""The user's own file: where it must be left as it is, and where it is written over."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.rules.clauses import CONDITION, NEGATION, Clause, sentence_at, speaks
from loopwright.tune.reading.words.spots import begun
from loopwright.tune.skill.model import PageKind, Skill

_FILE = (
    r"(?:(?:the |a |an |any )?(?:(?:user'?s|users'|original|source|input)(?: (?:own|original|source|input))? "
    r"(?:files?|documents?|images?|recordings?|tables?|data)\b|originals?\b|inputs?\b)"
    r"|the files? (?:that )?the user (?:gave|sent|has given|handed)(?: you)?\b)"
)
_WRITE = r"(?:write|save|overwrite|edit|change|modify|alter|touch|replace)(?:s|d|ing)?"
_KEEPS = re.compile(
    rf"(?:never|do not|don't|must not|may not)\s+(?:ever )?{_WRITE}\s+(?:(?:in)?to |over |in )?{_FILE}"
    r"|(?:不要?|不得|不许|绝不|禁止|切勿|别)(?:直接)?(?:覆盖|改动?|修改|写回|动)(?:用户的?)?(?:原(?:始)?文件|源文件|原稿|用户给的文件)"
    r"|(?:原(?:始)?文件|源文件|原稿)(?:一律|绝对)?(?:不动|不改|不得改动|不许改)",
    re.IGNORECASE,
)
_OVERWRITES = re.compile(
    rf"\b(?:write|save|put|store|rename|copy|move)\b[^.\n;]{{0,40}}?\b(?:over|back (?:in)?to|on top of)\s+{_FILE}"
    rf"|\b(?:overwrite|replace)\s+{_FILE}"
    r"|(?:直接|一律|总是|要)?(?:覆盖|写回|替换)(?:掉)?(?:用户的?)?(?:原(?:始)?文件|源文件|原稿)",
    re.IGNORECASE,
)
_STEMS = (
    "never", "do not", "don't", "must not", "may not", "不", "绝不", "禁止", "切勿", "别", "原文件", "原始文件",
    "源文件", "原稿",
)  # fmt: skip
_OVER = (
    "write", "save", "put ", "store", "rename", "copy", "move", "overwrite", "replace", "覆盖", "写回", "替换", "直接",
    "一律", "总是",
)  # fmt: skip
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec"})


def overwritten(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """Never write to the file the user gave you, and: write the result over the user's file."""
    keeps = next(_keeping(skill), None)
    if keeps is None:
        return
    for order in _said(skill, _OVER, _OVERWRITES):
        if not NEGATION.search(_before(order)) and not CONDITION.search(_before(order)):
            yield order, keeps, "writing over the user's file"


def _keeping(skill: Skill) -> Iterator[Clause]:
    return (rule for rule in _said(skill, _STEMS, _KEEPS) if not CONDITION.search(rule.text))


def _before(order: Clause) -> str:
    """The order up to what is written over; the reason that follows binds nothing."""
    found = _OVERWRITES.search(order.text)
    return order.text[: found.end()] if found else order.text


def _said(skill: Skill, stems: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[Clause]:
    for page in skill.pages.values():
        for found in begun(page.text, stems, pattern) if page.kind in _SAID else ():
            sentence = sentence_at(page, found.start())
            if sentence is not None and speaks(sentence.block, page):
                yield sentence
