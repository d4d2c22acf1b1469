"""Pairs of rules of which only one can be followed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from loopwright.tune.reading.agents.shares import shared_out
from loopwright.tune.reading.files.originals import overwritten
from loopwright.tune.reading.prompts.purity import impure, passed
from loopwright.tune.reading.rules.amounts import apart, metrics
from loopwright.tune.reading.rules.antonyms import excluding
from loopwright.tune.reading.rules.ban_lists import listed
from loopwright.tune.reading.rules.bans import banned
from loopwright.tune.reading.rules.clauses import (
    AT_ONCE,
    BEFORE,
    CONDITION,
    MAY,
    NEGATION,
    VERBS,
    Clause,
    clause_of,
    holds_in,
    places_of,
    sentence_at,
    speaks,
)
from loopwright.tune.reading.rules.measures import counters, headed, measured, ranges
from loopwright.tune.reading.rules.numbers import Limit, limits_by_name, limits_by_noun
from loopwright.tune.reading.rules.opposites import opposites
from loopwright.tune.reading.rules.tongues import deeds, languages
from loopwright.tune.reading.words.spots import begun, spotted
from loopwright.tune.skill.model import Page, Skill

RULES, PLACES = 200, 30
"""So many prohibitions of a skill, and places of a name, are looked at."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """`text` at `start` breaks what `other` says."""

    kind: str
    what: str
    subject: str
    page: Page
    start: int
    end: int
    text: str
    other_page: Page
    other_start: int
    other: str
    facts: dict[str, str] = field(default_factory=dict)


def conflicts(skill: Skill) -> Iterator[Conflict]:
    seen: set[tuple[str, int]] = set()
    for one in (
        *forbidden_things(skill),
        *preferences(skill),
        *forbidden_deeds(skill),
        *numbers(skill),
        *tongues(skill),
    ):
        if (one.page.path, one.start) not in seen:
            seen.add((one.page.path, one.start))
            yield one


_FORBIDS_THING = re.compile(
    r"\b(?:never|do not|don't|don’t|must not|may not|must never|should not|cannot)\s+(?:\w+ly\s+"
    r"|ever\s+)?(?P<verb>[a-z]+)\s+(?:(?:the|any|a|an|to|in|into|from)\s+){0,2}`(?P<thing>[^`\n]{2,60})`"
    r"|(?:绝不|不得|不要|不许|不能|不可|禁止|严禁|切勿|勿|不)(?:能|要|可|许|再|准|允许"
    r"|直接)?(?P<动>[\u4e00-\u9fff]{1,2})\s*`(?P<物>[^`\n]{2,60})`",
    re.IGNORECASE,
)


_THINGS = (
    "never",
    "do not",
    "don't",
    "don’t",
    "must ",
    "may not",
    "should not",
    "cannot",
    "不",
    "禁止",
    "严禁",
    "切勿",
    "勿",
)


def forbidden_things(skill: Skill) -> Iterator[Conflict]:
    """不改 `build/`, and a step that changes `build/` all the same."""
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in begun(page.text, _THINGS, _FORBIDS_THING)[:RULES] if "`" in page.text else ():
            verb = found["verb"] or found["动"]
            kind = VERBS.get(verb.lower())
            sentence = sentence_at(page, found.start())
            if (
                kind is None
                or sentence is None
                or not speaks(sentence.block, page)
                or sentence.block.use == "reference"
            ):
                continue
            yield from _done_all_the_same(skill, page, sentence, kind, found["thing"] or found["物"])


def _done_all_the_same(skill: Skill, page: Page, rule: Clause, kind: str, thing: str) -> Iterator[Conflict]:
    waits = bool(BEFORE.search(rule.text))
    if CONDITION.search(rule.text) and not waits:
        return
    for other in holds_in(page, skill):
        for at in [*places_of(other, f"`{thing}`")][:PLACES]:
            sentence = sentence_at(other, at)
            if (
                sentence is None
                or (sentence.start == rule.start and other is page)
                or not speaks(sentence.block, other)
            ):
                continue
            clause = clause_of(sentence, at)
            if NEGATION.search(clause.text) or not _does(clause.text, kind):
                continue
            around = sentence.text[: clause.end - sentence.start]
            if not (AT_ONCE.search(clause.text) if waits else MAY.search(clause.text)) or CONDITION.search(around):
                continue
            yield Conflict(
                "thing", f"`{thing}` must not be touched so, and is", f"{kind} {thing}", other,
                clause.start + _blank(clause.text), clause.end, sentence.text, page, rule.start, rule.text,
            )  # fmt: skip


def _blank(text: str) -> int:
    return len(text) - len(text.lstrip())


def _does(text: str, kind: str) -> bool:
    """One of the verbs of that kind stands in it."""
    words = {word.lower() for word in re.findall(r"[A-Za-z]+", text)}
    if any(VERBS.get(word) == kind for word in words):
        return True
    return any(known == kind and verb[0] >= "\u4e00" and verb in text for verb, known in VERBS.items())


_PREFERS = re.compile(
    r"(?P<a>`[^`\n]{1,40}`|[A-Za-z][\w-]+)\s+(?:is|are)\s+(?:always\s+|far\s+|much\s+)?(?:better|safer"
    r"|preferred)\s+(?:than|to|over)\s+(?:a |an |the )?(?P<b>`[^`\n]{1,40}`|[\w-]+(?: [\w-]+){0,3})"
    r"|(?P<a2>`[^`\n]{1,40}`|[A-Za-z][\w-]+)\s+beats?\s+(?:a |an |the )?(?P<b2>`[^`\n]{1,40}`|[\w-]+)"
    r"|\bprefers?\s+(?:a |an |the )?(?P<a3>`[^`\n]{1,40}`|[\w-]+)\s+(?:over|to)\s+(?:a |an "
    r"|the )?(?P<b3>`[^`\n]{1,40}`|[\w-]+)"
    r"|(?P<a4>`[^`\n]{1,40}`|[\u4e00-\u9fff]{2,6})(?:优先于|优于|好过|胜过)(?P<b4>`[^`\n]{1,40}`|[\u4e00-\u9fff]{2,8})",
)
_PREFERRING = dict.fromkeys(
    ("better than", "safer than", "preferred", "beat", "prefer", "优先于", "优于", "好过", "胜过"), _PREFERS
)


def preferences(skill: Skill) -> Iterator[Conflict]:
    """A range is better than a false number, and elsewhere: ranges are not accepted."""
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data"):
            continue
        for found in spotted(page.text, _PREFERRING):
            sentence = sentence_at(page, found.start())
            if sentence is None or not speaks(sentence.block, page) or CONDITION.search(_bare(sentence.text)):
                continue
            better = next(found[name] for name in ("a", "a2", "a3", "a4") if found[name])
            worse = next(found[name] for name in ("b", "b2", "b3", "b4") if found[name])
            for other in holds_in(page, skill):
                yield from _against(other, page, sentence, better, worse)


def _bare(text: str) -> str:
    """Without what is quoted in backticks, and without the word of the comparison."""
    return re.sub(r"`[^`]*`|\bthan\b", "", text)


def _against(other: Page, page: Page, rule: Clause, better: str, worse: str) -> Iterator[Conflict]:
    if better not in other.text and worse not in other.text and better.lower() not in other.text:
        return
    a, b = re.escape(better), re.escape(worse)
    plural = "s?" if better[-1:].isalpha() and better.isascii() else ""
    against = re.compile(
        rf"\b{a.strip('`') if '`' not in better else a}{plural}\s+(?:is|are)\s+(?:not|never)\s+(?:accepted|allowed"
        rf"|permitted|wanted|used|acceptable)"
        rf"|(?:\bprefer|\bdefault to|\breach for|\balways use|\bstart with)\s+(?:a |an "
        rf"|the )?{b}(?=[^.]{{0,30}}\b(?:first|always|by default)\b|\s*[.,;:]|\s+over)"
        rf"|{b}\s+(?:is|are|comes?)\s+(?:always\s+)?(?:the )?(?:first|preferred|default|better)"
        rf"|(?:首选|优先(?:使用|用)?|默认用)\s*{b}|{b}\s*(?:优先|是首选|为首选)"
        rf"|(?:不接受|不允许|禁止|不要|不得)(?:使用|用)?\s*{a}",
        re.IGNORECASE,
    )
    for found in against.finditer(other.text):
        sentence = sentence_at(other, found.start())
        if sentence is None or (other is page and sentence.start == rule.start) or not speaks(sentence.block, other):
            continue
        if not CONDITION.search(other.text[sentence.start : found.start()]) and "n't" not in sentence.text:
            yield Conflict(
                "preference", f"{better} is to be preferred, and is not", f"{better} {worse}", other, found.start(),
                found.end(),
                sentence.text, page, rule.start, rule.text,
            )  # fmt: skip


_FORBIDS_DEED = re.compile(
    r"(?:(?P<前>[\u4e00-\u9fff]{2,6}?)(?:一律|绝对|绝|都|也|均)?(?:不得|不要|不许|不能|不可|禁止|不)(?:允许|再"
    r"|被)?(?P<动>[\u4e00-\u9fff]{2})(?![\u4e00-\u9fff]))"
    r"|(?:(?:绝不|不得|不要|不许|不可|禁止|严禁|切勿)(?:允许"
    r"|再)?(?P<动2>[\u4e00-\u9fff]{2})(?P<后>[\u4e00-\u9fff]{2,6})(?![\u4e00-\u9fff]))"
)
_SIGNS = ("不", "禁止", "严禁", "切勿")
LONGEST = 120
"""Characters of a sentence that is one rule."""
_NO_DEED = frozenset({
    "正确", "准确", "完整", "一致", "清楚", "明确", "存在", "超过", "足够", "可能", "需要", "支持", "可用", "合格",
    "合法", "符合", "满足", "匹配", "确定", "影响", "包含", "属于", "知道", "应该", "等于", "大于", "少于", "小于",
    "低于", "高于", "适合", "适用", "通过", "重复", "相同", "变化", "重要", "稳定", "可靠", "安全", "兼容", "在乎",
    "好看", "出来", "下去", "过去", "起来", "同的", "是在", "仅是", "只是", "但要", "得不", "了解", "熟悉", "理想",
    "同步",
})  # fmt: skip
_ORDERS = re.compile(r"用|把|将|应|须|必须|要|可以|直接|一律|统一|先|都")
_COMMON = frozenset({
    "用户", "可以", "需要", "进行", "使用", "文件", "内容", "结果", "任务", "阶段", "步骤", "问题", "输出", "状态",
    "数据", "这个", "所有", "其他", "一个",
})  # fmt: skip


def forbidden_deeds(skill: Skill) -> Iterator[Conflict]:
    """缺失值不填补, and elsewhere 缺失率低的列用众数填补."""
    for page in skill.pages.values():
        if page.language != "zh" or page.kind in ("template", "script", "data", "reference"):
            continue
        for at in [at for sign in _SIGNS for at in places_of(page, sign)][:RULES]:
            sentence = sentence_at(page, at)
            if sentence is None or not speaks(sentence.block, page) or len(sentence.text) > LONGEST:
                continue
            for found in _FORBIDS_DEED.finditer(page.text, max(sentence.start, at - 12), min(sentence.end, at + 14)):
                verb, thing = found["动"] or found["动2"], found["前"] or found["后"]
                if verb not in _NO_DEED and not CONDITION.search(sentence.text):
                    yield from _deed(skill, page, sentence, verb, thing)


def _deed(skill: Skill, page: Page, rule: Clause, verb: str, thing: str) -> Iterator[Conflict]:
    grams = {thing[at : at + 2] for at in range(len(thing) - 1)} - _COMMON
    if verb in _COMMON or not grams:
        return
    for other in holds_in(page, skill):
        for at in [*places_of(other, verb)][:PLACES]:
            sentence = sentence_at(other, at)
            if (
                sentence is None
                or (other is page and sentence.start == rule.start)
                or not speaks(sentence.block, other)
            ):
                continue
            begins = sentence.text[: at - sentence.start]
            if (
                NEGATION.search(sentence.text)
                or not _ORDERS.search(begins)
                or not any(gram in begins for gram in grams)
            ):
                continue
            yield Conflict(
                "deed", f"{thing}{verb}: forbidden at one place and told at the other", f"{thing} {verb}", other,
                sentence.start + _blank(sentence.text), sentence.end, sentence.text, page, rule.start, rule.text,
            )  # fmt: skip


def numbers(skill: Skill) -> Iterator[Conflict]:
    """One limit with two values."""
    said = (*limits_by_name(skill), *limits_by_noun(skill))
    for wrong, right in (
        *said,
        *ranges(skill),
        *measured(skill),
        *headed(skill),
        *counters(skill),
        *apart(skill),
        *metrics(skill),
    ):
        yield Conflict(
            "number", f"{wrong.name} is {wrong.said} at one place and {right.said} at the other", wrong.name,
            wrong.page, wrong.start, wrong.end, _line(wrong), right.page, right.start, _line(right),
            {"old": wrong.said, "new": right.said, "count": str(right.count)},
        )  # fmt: skip


def _line(limit: Limit) -> str:
    text = limit.page.text
    begin = text.rfind("\n", 0, limit.start) + 1
    stop = text.find("\n", limit.end)
    return text[begin : stop if stop >= 0 else len(text)]


def tongues(skill: Skill) -> Iterator[Conflict]:
    """One thing in two languages; a deed that is forbidden and ordered."""
    for wrong, right in languages(skill):
        yield _of_two(
            "language", f"the {wrong.what} is in {wrong.value} at one place and in {right.value} at the other",
            f"language of {wrong.what}", wrong.sentence, right.sentence,
        )  # fmt: skip
    for clause, rule, said in shared_out(skill):
        yield _of_two("share", f"“{said}” at one place, and otherwise at the other", f"share {said}", clause, rule)
    for order, rule, said in (*deeds(skill), *banned(skill), *listed(skill), *overwritten(skill), *opposites(skill)):
        yield _of_two(
            "order", f"“{said}” is ordered at one place and forbidden at the other", said.lower(), order, rule
        )
    for order, rule, said in impure(skill):
        yield _of_two("order", f"{said} is forbidden at one place and ordered at the other", said, order, rule)
    for page, call, name, rule in passed(skill):
        yield Conflict(
            "parameter", f"`{name}` must not be passed, and is", f"{name} in {call.name}", page, call.at.start,
            call.at.end, page.text[call.at.start : call.at.end], rule.page, rule.start, rule.text,
        )  # fmt: skip
    for way, rule, said in excluding(skill):
        yield _of_two("way", f"one thing is to be done {said}", f"way {said}", way, rule)


def _of_two(kind: str, what: str, subject: str, one: Clause, other: Clause) -> Conflict:
    return Conflict(
        kind, what, subject, one.page, one.start + _blank(one.text), one.end, one.text, other.page, other.start,
        other.text,
    )  # fmt: skip
