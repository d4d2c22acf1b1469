"""Deeds that a rule forbids and another sentence allows or orders: never shorten, and you may shorten."""

import re
from collections.abc import Iterator
from itertools import islice

from loopwright.tune.reading.rules.ban_lists import is_banned
from loopwright.tune.reading.rules.clauses import (
    CONDITION,
    NEGATION,
    Clause,
    holds_in,
    not_ordered,
    sentence_at,
    speaks,
)
from loopwright.tune.reading.rules.families import blocks_in
from loopwright.tune.reading.words.spots import places
from loopwright.tune.skill.model import Block, Concept, Page, Section, Skill

RULES, ORDERS = 80, 40
"""So many rules of a skill, and sentences for each, are looked at."""
_OF_RULES: frozenset[Concept] = frozenset({"constraints", "limits"})
_FORBIDS = re.compile(
    r"\b(?:never|do not|don't|don’t|must not|must never|may not)\s{1,8}(?:(?:ever|directly|simply"
    r"|just)\s{1,8})?(?P<verb>[a-z]{3,})"
    r"(?:(?:,\s{0,8}\w{1,40}){0,12}\s{1,8}(?:or|nor)\s{1,8}(?P<second>[a-z]{3,}))?"
    r"|\b(?P<passive>[A-Za-z]{4,})\s{1,8}(?:is|are)\s{1,8}(?:not|never)\s{1,8}(?P<done>[a-z]{4,40}ed|rewritten|touched)\b"
    r"|\b(?P<none>write|edit|change|touch|create|start|delete|rename|move)\s+no\s+(?P<thing>[a-z]{4,})\b"
    r"|(?:^|[,;]\s{0,8})no (?P<noun>commit|push|merge|rebase|deploy\w*|install\w*|connection|guess\w*|network)\b",
    re.IGNORECASE,
)
_CHANGING = ("edit", "modify", "change", "alter", "correct", "fix", "adjust", "rewrite", "rework", "update")
STEM = 5
"""Letters that words have in common which mean the same."""
_WORD = re.compile(r"[A-Za-z][a-z]{3,}")
_PLAIN = frozenset({
    "have", "make", "take", "give", "keep", "leave", "find", "look", "need", "want", "must", "will", "with", "from",
    "that", "this", "then", "than", "them", "they", "your", "into", "onto", "over", "only", "also", "more", "most",
    "other", "same", "every", "each", "first", "last", "here", "there", "where", "when", "which", "what", "some",
    "such", "very", "just", "about", "after", "before", "file", "files",
})  # fmt: skip
_GENERIC = frozenset({
    "use", "uses", "add", "adds", "make", "put", "get", "let", "give", "take", "run", "try", "call", "start",
    "stop", "go", "see", "set", "keep", "show", "tell", "say", "ask", "write", "read", "create", "open", "load",
    "skip", "return", "check", "include", "pass", "assume", "rely", "leave", "mix", "treat", "mention", "touch",
    "need", "want", "wait", "continue", "proceed", "spend", "output", "report",
})  # fmt: skip
"""Verbs of so many objects that the object has to be the same, too."""
_MAY = re.compile(
    r"\b(?:may|can|should|feel free to|go ahead and|simply|directly|just|yourself)\s+(?:also\s+|even\s+"
    r"|directly\s+|be\s+)?\Z",
    re.IGNORECASE,
)
_DEED = re.compile(r"[A-Za-z]{3,14}\b(?P<rest>[^.;:\n]{0,40})")
ROOT = 6
"""Letters of a verb that all of its forms have."""
_BEGINS = re.compile(r"(?:then|always|first|finally|and|next|also|now)?[\s*_`\-\"“]*\Z", re.IGNORECASE)
_ZH = re.compile(
    r"(?:绝不|不得|不要|不许|不能|不可|禁止|严禁|切勿|勿|不)(?:允许|再|直接|擅自|准)?(?P<verb>修改|改动|编辑|覆盖|删除|移动|重写|改写|合并|提交|执行|启动|[改写删动读问译碰])"
    r"(?P<thing>[\u4e00-\u9fff]{2,6})"
)
_READ_ONLY = re.compile(r"(?P<thing>[\u4e00-\u9fff]{2,5}?)(?:一律|始终|全程|都|是)?只读")
_ALLOWS = re.compile(r"直接|可以|顺手|允许|自行|先把|随手|也可")
_CHANGES = ("修改", "改动", "编辑", "覆盖", "删除", "重写", "改写", "改", "写入", "修")
_EMPTY = frozenset(["任何", "其他", "别的", "文件", "内容", "东西", "所有", "自己", "用户", "一个", "这个", "进去"])


def banned(skill: Skill) -> Iterator[tuple[Clause, Clause, str]]:
    """What is told, the rule against it, and the deed."""
    for page, block in islice(_rules(skill), RULES):
        yield from _of_rule(skill, page, block)


def _rules(skill: Skill) -> Iterator[tuple[Page, Block]]:
    for page in skill.pages.values():
        sections = page.sections if page.kind not in ("template", "script", "data", "reference") else ()
        blocks = (b for s in sections if s.concept in _OF_RULES for b in blocks_in(page, s.body, s.end))
        for block in blocks:
            if block.kind in ("item", "paragraph") and block.use in ("instruction", "prompt"):
                yield page, block


def _of_rule(skill: Skill, page: Page, block: Block) -> Iterator[tuple[Clause, Clause, str]]:
    if page.language == "zh":
        yield from _of_chinese(skill, page, block)
    for found in _FORBIDS.finditer(block.text):
        rule = sentence_at(page, block.body + found.end() - 1)
        if rule is None or CONDITION.search(rule.text) or rule.text.rstrip(" *").endswith(":") or _quoted(rule, found):
            continue
        things = _of(rule.text)
        for verb in _verbs(found):
            thing = found["passive"] or found["thing"]
            about = {thing.lower()[:STEM]} if thing else things - {verb[:STEM]}
            if found["noun"]:
                about = _of(re.split(r"[,.;]", block.text[found.end() :])[0])
            if thing or verb not in _GENERIC:
                yield from _told(skill, page, rule, verb, about)


def _of(text: str) -> set[str]:
    """The words that say what a sentence is about."""
    return {word.lower()[:STEM] for word in _WORD.findall(text) if word.lower() not in _PLAIN}


def _quoted(rule: Clause, found: re.Match[str]) -> bool:
    """The words are somebody else's: an odd number of quotes stands before them."""
    before = rule.block.text[: found.start()]
    return before.count('"') % 2 == 1 or before.count("“") > before.count("”")


def _verbs(found: re.Match[str]) -> Iterator[str]:
    for verb in (found["verb"], found["second"], found["none"], found["noun"]):
        if verb:
            yield verb.lower()
    if found["done"]:
        yield re.sub(r"(?:ten|ed)$", "", found["done"].lower())


def _told(skill: Skill, page: Page, rule: Clause, verb: str, things: set[str]) -> Iterator[tuple[Clause, Clause, str]]:
    """Sentences that order the deed at their beginning, or allow it."""
    stems = _CHANGING if any(one.startswith(verb) for one in _CHANGING) else (verb[:ROOT],)
    for other in holds_in(page, skill):
        for at in islice((at for stem in stems for at in places(other.text, stem)), ORDERS):
            found = _DEED.match(other.text, at)
            sentence = sentence_at(other, at) if found and not other.text[at - 1 : at].isalnum() else None
            if found is None or sentence is None or (other is page and sentence.start == rule.start):
                continue
            may = _MAY.search(other.text, max(sentence.start, at - 40), at) is not None
            if _is_order(sentence, other, at, may=may) and _concerns(
                sentence, found, things, near=other is not page, may=may
            ):
                yield sentence, rule, found[0][: -len(found["rest"]) or None].lower()


def _concerns(sentence: Clause, found: re.Match[str], things: set[str], *, near: bool, may: bool) -> bool:
    """It speaks of the same things; in another page right behind the verb."""
    if not near and (may or not things):
        return True
    text = " ".join(found["rest"].split()[:3]) if near else sentence.text
    return bool({word.lower()[:STEM] for word in _WORD.findall(text)} & things)


def _is_order(sentence: Clause, page: Page, at: int, *, may: bool) -> bool:
    block = sentence.block
    if not speaks(block, page) or block.use == "reference" or block.kind == "row" or _among_rules(page, block):
        return False
    if is_banned(page, block):
        return False
    if NEGATION.search(sentence.text) or CONDITION.search(sentence.text):
        return False
    before = sentence.text[: at - sentence.start]
    if not_ordered(sentence.text, len(before)):
        return False
    return may or bool(_BEGINS.fullmatch(before.strip(" 0123456789.)")))


def _among_rules(page: Page, block: Block) -> bool:
    section: Section | None = page.sections[block.section] if block.section >= 0 else None
    return section is not None and section.concept in _OF_RULES and block.text[:1].islower()


def _of_chinese(skill: Skill, page: Page, block: Block) -> Iterator[tuple[Clause, Clause, str]]:
    for pattern in (_ZH, _READ_ONLY):
        for found in pattern.finditer(block.text):
            rule = sentence_at(page, block.body + found.start())
            if rule is None or CONDITION.search(rule.text):
                continue
            thing = found["thing"]
            grams = {thing[at : at + 2] for at in range(len(thing) - 1)} - _EMPTY
            verbs = (found["verb"],) if pattern is _ZH else _CHANGES
            if pattern is _ZH and found["verb"] in ("修改", "改动", "编辑", "改", "动", "改写"):
                verbs = _CHANGES
            if grams:
                yield from _told_in_chinese(skill, page, rule, verbs, grams)


def _told_in_chinese(
    skill: Skill, page: Page, rule: Clause, verbs: tuple[str, ...], grams: set[str]
) -> Iterator[tuple[Clause, Clause, str]]:
    for other in holds_in(page, skill):
        for count, found in enumerate(_ALLOWS.finditer(other.text)):
            if count > ORDERS:
                break
            sentence = sentence_at(other, found.start())
            if (
                sentence is None
                or not speaks(sentence.block, other)
                or (other is page and sentence.start == rule.start)
            ):
                continue
            rest = re.split(r"[，,、；;的]", other.text[found.end() : min(sentence.end, found.end() + 24)])[0]
            verb = next((verb for verb in verbs if verb in rest), None)
            if verb and any(gram in sentence.text for gram in grams) and not _hedged(sentence):
                yield sentence, rule, verb


def _hedged(sentence: Clause) -> bool:
    return bool(NEGATION.search(sentence.text) or CONDITION.search(sentence.text))
