"""Which language, and which deed, a sentence orders or forbids without naming it in code."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.rules.clauses import CONDITION, NEGATION, Clause, holds_in, places_of, sentence_at, speaks
from loopwright.tune.reading.words.spots import begun, spotted
from loopwright.tune.skill.model import Page, Skill

_LANGUAGES = {
    "english": "English", "英文": "English", "英语": "English", "chinese": "Chinese", "中文": "Chinese",
    "simplified chinese": "Chinese", "简体中文": "Chinese", "汉语": "Chinese",
}  # fmt: skip
_IN = re.compile(
    r"(?:\b(?:in|into)\s+(?P<en>(?:simplified )?chinese|english)\b"
    r"|(?:用|以|使用|均为|一律)\s*(?P<zh>简体中文|中文|英文|英语))",
    re.IGNORECASE,
)
_TONGUES = dict.fromkeys(("english", "chinese", "中文", "英文", "英语"), _IN)
_NOUN = {
    "report": "report", "reports": "report", "报告": "report", "reply": "reply", "replies": "reply",
    "回复": "reply", "answer": "reply", "answers": "reply", "回答": "reply", "summary": "summary",
    "摘要": "summary", "总结": "summary", "comments": "comments", "注释": "comments", "output": "output",
    "outputs": "output", "输出": "output", "messages": "messages", "消息": "messages", "document": "document",
    "documents": "document", "documentation": "document", "文档": "document", "commit": "commit",
    "findings": "findings", "问题": "findings",
}  # fmt: skip
_NO_ORDER = re.compile(
    r"translat|翻译|译成|source|原文|术语|example|例如|search|检索|keyword|fluent|native", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Said:
    what: str
    value: str
    sentence: Clause


def languages(skill: Skill) -> Iterator[tuple[Said, Said]]:
    """Reports are written in English, and 报告用中文写: the one in the narrower place first."""
    groups: dict[str, list[Said]] = {}
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in spotted(page.text, _TONGUES):
            sentence = sentence_at(page, found.start())
            if sentence is None or not speaks(sentence.block, page) or _NO_ORDER.search(sentence.text):
                continue
            if CONDITION.search(sentence.text) or NEGATION.search(sentence.text):
                continue
            value = _LANGUAGES[(found["en"] or found["zh"]).lower()]
            for noun in {_NOUN[word] for word in _words(sentence.text) if word in _NOUN}:
                groups.setdefault(noun, []).append(Said(noun, value, sentence))
    for said in groups.values():
        yield from _differing(skill, said)


def _words(text: str) -> list[str]:
    latin = [word.lower() for word in re.findall(r"[A-Za-z]+", text)]
    return latin + [noun for noun in _NOUN if noun[0] >= "\u4e00" and noun in text]


def _differing(skill: Skill, said: list[Said]) -> Iterator[tuple[Said, Said]]:
    for index, one in enumerate(said[:20]):
        for other in said[index + 1 : 20]:
            if one.value != other.value and _meet(skill, one.sentence.page, other.sentence.page):
                yield (other, one) if other.sentence.page.path != skill.main else (one, other)
                return


def _meet(skill: Skill, one: Page, other: Page) -> bool:
    return one is other or any(page.path == skill.main or page.kind == "spec" for page in (one, other))


_FORBIDS = re.compile(
    r"(?:never|do not|don't|don’t|must not|must never)\s+(?P<verb>[a-z]{2,})\s+(?:(?:the|any|a|an|your"
    r"|its)\s+)?(?P<noun>[a-z]{3,})\b",
    re.IGNORECASE,
)
_STARTS = ("never", "do not", "don't", "don’t", "must ")
_GENERIC = frozenset({
    "be", "do", "use", "have", "make", "let", "get", "take", "put", "go", "try", "need", "it", "this", "that",
    "them", "things", "anything", "more", "than", "other", "same", "just", "into", "about", "from", "with", "only",
    "too", "so", "very", "much", "also", "ever", "until", "before", "after", "without", "unless",
})  # fmt: skip


def deeds(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """Never ask the user, and a step that begins with: Ask the user."""
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in begun(page.text, _STARTS, _FORBIDS):
            verb, noun = found["verb"].lower(), found["noun"].lower()
            rule = sentence_at(page, found.start())
            if rule is None or {verb, noun} & _GENERIC or not _is_rule(page, rule) or _bound(page, found, rule):
                continue
            order = re.compile(rf"{verb}\s+(?:(?:the|any|a|an|your|its)\s+)?{noun}\b", re.IGNORECASE)
            for other in holds_in(page, skill):
                yield from _ordered(other, rule, verb, order)


def _orders(sentence: Clause, page: Page) -> bool:
    block = sentence.block
    return speaks(block, page) and block.use != "reference" and block.kind != "row"


def _is_rule(page: Page, rule: Clause) -> bool:
    """It stands among rules, so that it holds for all of the page; cells of a table hold for their row only."""
    if rule.block.kind == "row" or not speaks(rule.block, page) or rule.block.section < 0:
        return False
    return page.sections[rule.block.section].concept in ("constraints", "limits", "negative")


def _bound(page: Page, found: re.Match[str], rule: Clause) -> bool:
    """The prohibition holds under a condition, or of something narrower than the noun."""
    rest = page.text[found.end() : rule.end]
    return bool(CONDITION.search(rule.text)) or not re.match(r"\s*(?:[.;!*]|$)", rest)


def _ordered(other: Page, rule: Clause, verb: str, order: re.Pattern[str]) -> Iterator[tuple[Clause, Clause, str]]:
    for word in {verb, verb.capitalize()}:
        for at in [*places_of(other, word)][:30]:
            found = order.match(other.text, at)
            sentence = sentence_at(other, at) if found else None
            if found is None or sentence is None or not _orders(sentence, other):
                continue
            begins = sentence.text[: at - sentence.start].strip(" *-\"'“0123456789.)")
            if begins.lower() not in ("", "then", "always", "first", "finally") or CONDITION.search(sentence.text):
                continue
            if NEGATION.search(sentence.text) or (other is rule.page and sentence.start == rule.start):
                continue
            yield sentence, rule, found[0]
