"""Amounts of the same things: at most 5 agents, more than 8 agents are selected, 12 to 20 panes, `score >= 0.8`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from loopwright.tune.reading.rules.clauses import sentence_at, speaks
from loopwright.tune.reading.rules.numbers import Limit, listed
from loopwright.tune.reading.words.numerals import WORDS, from_numbers, to_numbers, to_signs
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Block, Page, Skill

Kind = Literal["most", "least", "over", "just"]
"""A bound from above or below; a threshold that may be either (`more than 5 agents`); a number with no such word."""
_SMALL = {
    **{word: number for number, word in enumerate(WORDS, 1)},
    **{char: number for number, char in enumerate("一二三四五六七八九十", 1)}, "两": 2, "once": 1, "twice": 2,
}  # fmt: skip
_NUMBER = rf"\d{{1,7}}(?:,\d{{3}}){{0,4}}(?:\.\d{{1,4}})?|{'|'.join(WORDS)}"
_AMOUNT = re.compile(
    rf"(?<![\w.$#/@^-])(?P<low>{_NUMBER})(?:\s?(?:-|–|—|~|～|to|through|至|到)\s?(?P<high>{_NUMBER}))?(?P<more>\+)?"
    r"(?:(?P<percent>\s?%)|(?=[\s-]?[A-Za-z]{2})[\s-]?(?P<words>[A-Za-z]+(?:[ -][A-Za-z]+){0,3})"
    r"|\s?个?(?P<字>[\u4e00-\u9fff]{1,3}))",
    re.IGNORECASE,
)
_MOST = re.compile(
    r"(?:\bmax(?:imum)?(?: of)?\.?|\bat most|\bup to|\b(?:no|not|never) (?:more|longer|larger) than|\bnot? "
    r"exceed(?:ing)?"
    r"|\bmust not exceed|\bexceeds?|\bunder|\bbelow|\b(?:less|fewer|shorter) than|\bwithin|\blimit(?:ed)?(?: "
    r"of| to| is)?"
    r"|\bcap(?:ped)?(?: of| at)?|\bkeep \w+(?: \w+)? to|≤|<=|<|最多|至多|不超过|不得超过|不能超过|不多于"
    r"|上限(?:为|是)?|少于|低于|以内)"
    r"[\s:：=*`(]*(?:about |around |roughly |约)?\Z",
    re.IGNORECASE,
)
_LEAST = re.compile(
    r"(?:\bat least|\bmin(?:imum)?(?: of)?\.?|\bno (?:fewer|less) than|≥|>=|至少|不少于|不低于|最少)[\s:：=*`(]*\Z",
    re.IGNORECASE,
)
_OVER = re.compile(r"(?:\bmore than|\bover|\babove|\bbeyond|>|超过|多于|高于)[\s*`(]*\Z", re.IGNORECASE)
_MOST_AFTER = re.compile(
    r"[\s*`)]{0,12}(?:\(?max(?:imum)?\b|at most|or (?:fewer|less)|(?:is|are|was|were) (?:reached|exhausted|used up)"
    r"|limit\b"
    r"|(?:have|has) been (?:reached|made)|以内|上限|为限|之内)",
    re.IGNORECASE,
)
_LEAST_AFTER = re.compile(r"[\s*`)]{0,12}(?:\(?min(?:imum)?\b|or more\b|以上)", re.IGNORECASE)
_CASE = re.compile(r"\W{0,8}(?:use when|best for|when to use|choose when|适用|适合)", re.IGNORECASE)
"""One of several ways is told by what it is for."""
_VERSUS = re.compile(r"\bvs\b\.?|\bversus\b", re.IGNORECASE)
"""What is compared is measured, and no limit."""
_METRIC = re.compile(
    r"(?<![\w$/<.-])(?P<name>[A-Za-z][\w@^]{1,30}(?: (?:score|rate|coverage|ratio|confidence))?)\s*(?P<sign>>="
    r"|<=|≥|≤|>|<)\s*"
    r"(?P<value>\d{1,5}(?:\.\d{1,4})?)(?P<percent>\s?%)?(?![\w.]*[\w(/])"
)
_LIMIT = re.compile(
    r"\b(?:max|maximum|at most|up to|no more than|limit\w*|cap|capped|not exceed|keep \w+ \w+ (?:to|under))\b"
    r"|最多|至多|不超过|上限",
    re.IGNORECASE,
)
_BEHIND_UNIT = re.compile(
    rf"\b(?P<words>[A-Za-z]{{3,20}}s)\s+(?:under|below|to at most|at most|within|limited to|capped at"
    rf"|to)\s+(?:about )?(?P<low>{_NUMBER})"
    rf"(?:\s?(?:-|–|~|to)\s?(?P<high>{_NUMBER}))?(?=[\s*`]*(?:[.;,)]|$))",
    re.IGNORECASE | re.MULTILINE,
)
"""Keep total panes under 6."""
_BEHIND_WORDS = ("under", "below", "at most", "within", "to", "at", "about")
_OF_TIME = frozenset(
    {"ms", "s", "sec", "secs", "second", "seconds", "minute", "minutes", "min", "mins", "hour", "hours"}
)
_NO_UNIT = frozenset({
    "and", "or", "to", "of", "in", "on", "at", "for", "with", "is", "are", "the", "per", "by", "from", "as", "if",
    "then",
    "when", "than", "that", "this", "not", "no", "be", "it", "its", "may", "can", "must", "will", "one", "two", "three",
    "four", "five", "six", "seven", "eight", "nine", "ten", "st", "nd", "rd", "th", "am", "pm", "px", "x", "step",
    "phase", "stage", "based", "day", "after", "before", "while", "so", "but", "because", "which", "who", "we", "you",
})  # fmt: skip
MANY, PER_UNIT = 300, 40
"""Amounts of a page, and of a skill in one unit, that are looked at."""
BEFORE, AFTER = 30, 30
"""Characters around a number that say what it bounds."""
NEAR = 60
"""Characters before and behind a number that a pattern takes in which begins before it."""


@dataclass(frozen=True, slots=True)
class Amount:
    unit: str
    low: float
    high: float
    kind: Kind
    said: str
    page: Page
    block: Block
    start: int
    end: int
    topic: frozenset[str]
    word: str = ""
    """The unit as it is written."""


def amounts(skill: Skill) -> Iterator[Amount]:
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in islice(from_numbers(page.text, _AMOUNT), MANY):
            amount = _amount(page, found)
            if amount is not None:
                yield amount
        for found in islice(to_numbers(page.text, _BEHIND_UNIT, "low", NEAR, _BEHIND_WORDS), MANY):
            amount = _amount(page, found)
            if amount is not None:
                yield amount


def _amount(page: Page, found: re.Match[str]) -> Amount | None:
    unit = _unit(found)
    block = page.blocks[block_at(page, found.start())] if unit else None
    if unit is None or block is None or not speaks(block, page) or block.use == "reference":
        return None
    if _CASE.match(block.text):
        return None
    sentence = sentence_at(page, found.start())
    if sentence is None:
        return None
    low = _value(found["low"])
    high = _value(found["high"]) if found["high"] else low
    if high < low or _VERSUS.search(page.text[max(0, found.start() - 8) : found.end() + 8]):
        return None
    words = stems(page.text[sentence.start : found.start()] + " " + page.text[found.end() : sentence.end])
    topic = frozenset(words) | frozenset(stems(found["words"] or ""))
    start, end = found.start("low"), found.end("high") if found["high"] else found.end("low")
    behind = found.re is _BEHIND_UNIT
    kind: Kind = "most" if behind else _kind(page.text, start, found.end("words") if found["words"] else end, found)
    return Amount(
        unit,
        low,
        high,
        kind,
        page.text[start:end],
        page,
        block,
        start,
        end,
        frozenset(word for word in topic if not word.startswith(unit[:5]) and not unit.startswith(word)),
        unit if not found["words"] else _noun(found) or unit,
    )


def _unit(found: re.Match[str]) -> str | None:
    groups = found.groupdict()
    if groups.get("percent"):
        return "%"
    if groups.get("字"):
        return found["字"][:1] if found["字"][0] in "轮次遍行字条项秒分页句" else found["字"][:2]
    word = _noun(found)
    return word and (word.rstrip("s")[:3] if word in _OF_TIME else word.removesuffix("s")[:6])


def _noun(found: re.Match[str]) -> str | None:
    """The first plural behind the number, or a measure of time."""
    if not found["words"]:
        return None
    words = found["words"].lower().replace("-", " ").split()
    if words[0] in _NO_UNIT:
        return None
    if words[0] in _OF_TIME:
        return words[0]
    for word in words:
        if word in _NO_UNIT:
            break
        if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 3:
            return word
    return None


def _value(word: str) -> float:
    small = word.lower()
    return float(_SMALL[small]) if small in _SMALL else float(small.replace(",", ""))


def _kind(text: str, start: int, end: int, found: re.Match[str]) -> Kind:
    begin = max(0, start - BEFORE)
    for kind, pattern in _BEFORE:
        if pattern.search(text, begin, start):
            return kind
    unit_end = found.end("high") if found["high"] else found.end("low")
    after = text[unit_end : end + AFTER]
    for kind, pattern in _BEHIND:
        if pattern.match(text, end) or pattern.match(after[after.find(" ", 1) :] if " " in after[1:] else ""):
            return kind
    return "least" if found["more"] else "just"


_BEFORE: tuple[tuple[Kind, re.Pattern[str]], ...] = (("least", _LEAST), ("most", _MOST), ("over", _OVER))
_BEHIND: tuple[tuple[Kind, re.Pattern[str]], ...] = (("most", _MOST_AFTER), ("least", _LEAST_AFTER))


_VAGUE = frozenset({
    "%", "m", "ms", "hou", "min", "sec", "day", "week", "year", "month", "time", "line", "file", "word", "item",
    "token", "step", "page", "charac", "senten", "bullet", "paragr", "sectio", "次", "字", "行", "分", "秒",
    "项", "条", "句",
})  # fmt: skip
"""Units of so many things that the unit alone says nothing."""
FEW, LONE, BARE = 3, 4, 1
"""Words that two amounts of a vague unit share; bounds of a skill in one unit that are likely of one
thing; words of a sentence that says of nothing else what it bounds."""


def apart(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """Two amounts of one thing that can not both hold: first the one that fewer places say."""
    groups: dict[str, list[Amount]] = {}
    for amount in amounts(skill):
        groups.setdefault(amount.unit, []).append(amount)
    for group in groups.values():
        yield from _of_unit(skill, group[:PER_UNIT])


def _of_unit(skill: Skill, group: list[Amount]) -> Iterator[tuple[Limit, Limit]]:
    seen: set[int] = set()
    lone = group[0].unit not in _VAGUE and sum(amount.kind != "just" for amount in group) <= LONE
    for index, one in enumerate(group):
        for other in group[index + 1 :]:
            if one.start in seen or other.start in seen or not _clash(one, other) or not _meet(skill, one, other):
                continue
            alone = lone and _bare(one, other) and _firm(one, other)
            if (_related(one, other) or alone) and not _side_by_side(one, other, group):
                wrong, right = _wrong_first(skill, one, other, group)
                seen.add(wrong.start)
                yield _limit(wrong), _limit(right)


def _bare(one: Amount, other: Amount) -> bool:
    """One of them says of hardly anything what it bounds, or stands among the rules of the page."""
    ruled = one.page is other.page and any(_among_rules(amount) for amount in (one, other))
    return ruled or min(len(one.topic), len(other.topic)) <= BARE


def _among_rules(amount: Amount) -> bool:
    section = amount.block.section
    return section >= 0 and amount.page.sections[section].concept in ("constraints", "limits")


def _firm(one: Amount, other: Amount) -> bool:
    """One is a limit for certain, and the other one, too, or a range above it."""
    for limit, above in ((one, other), (other, one)):
        if limit.kind == "most" and _LIMIT.search(
            _before(limit) + "#" + limit.page.text[limit.end : limit.end + AFTER]
        ):
            if above.kind == "over" and not _compared(above) and above.page is limit.page:
                return True
            if above.kind == "most" and _LIMIT.search(_before(above)):
                return True
            if above.kind == "just" and above.low != above.high and above.page is limit.page:
                return True
    return False


def _before(amount: Amount) -> str:
    return amount.page.text[max(0, amount.start - BEFORE) : amount.start]


def _compared(amount: Amount) -> bool:
    """A sign stands before it: `<5` is more often a condition than a limit."""
    return amount.page.text[amount.start - 2 : amount.start].strip()[-1:] in ("<", ">")


def _side_by_side(one: Amount, other: Amount, group: list[Amount]) -> bool:
    """Entries of one list or table, each with a number of its own, unless others agree with one of them."""
    rows = one.block.kind == other.block.kind == "row" and one.page is other.page
    if rows and one.block.section == other.block.section and one.block is not other.block:
        return True
    if not listed(_limit(one), _limit(other)):
        return False
    values = sorted(
        sum(amount.high == value and amount.kind != "just" for amount in group) for value in (one.high, other.high)
    )
    return values[0] != 1 or values[1] < 2 or len(one.topic & other.topic) < 2


def _named(amount: Amount) -> str:
    return "the share" if amount.unit == "%" else f"the number of {amount.word}"


def _limit(amount: Amount) -> Limit:
    return Limit(
        _named(amount),
        int(amount.low),
        amount.said,
        amount.page,
        amount.start,
        amount.end,
        amount.topic,
    )


def _clash(one: Amount, other: Amount) -> bool:
    kinds = {one.kind, other.kind}
    if kinds == {"most", "least"} or (len(kinds) == 2 and _compared(one) and _compared(other)):
        return False
    if "just" not in kinds:
        return one.high != other.high if "least" not in kinds else one.low != other.low
    plain, bound = (one, other) if one.kind == "just" else (other, one)
    if bound.kind == "most":
        return plain.low > bound.high
    if bound.kind == "least":
        return plain.low != plain.high and plain.high < bound.low
    if bound.kind == "over":
        return False
    if one.unit in _VAGUE:
        return False
    return one.low != one.high and other.low != other.high and (one.high < other.low or other.high < one.low)


def _meet(skill: Skill, one: Amount, other: Amount) -> bool:
    """They are read by the same reader: in one page, or one of them holds for all pages."""
    if one.page is other.page:
        return True
    return any(amount.page.path == skill.main or amount.page.kind == "spec" for amount in (one, other))


def _related(one: Amount, other: Amount) -> bool:
    """They speak of the same, as far as their words tell; parts side by side may well differ."""
    shared, least = len(one.topic & other.topic), min(len(one.topic), len(other.topic))
    if one.unit in _VAGUE:
        return shared >= FEW + (one.unit == "%") and 2 * shared >= least
    here = one.page is other.page and one.block.section == other.block.section
    if "just" in (one.kind, other.kind):
        return shared >= 2 and 2 * shared >= least
    return here or shared >= 2 or (shared == 1 and least <= FEW)


def _wrong_first(skill: Skill, one: Amount, other: Amount, group: list[Amount]) -> tuple[Amount, Amount]:
    """The one that others agree with is right; else the one of the page that holds for all; else the first."""
    ones = sum(amount.high == one.high for amount in group)
    others = sum(amount.high == other.high for amount in group)
    if ones != others:
        return (one, other) if ones < others else (other, one)
    if one.page is not other.page:
        return (other, one) if one.page.path == skill.main or one.page.kind == "spec" else (one, other)
    return other, one


def metrics(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """`pass@3 >= 0.80` and `pass@3 > 90%`, of the same evaluations."""
    groups: dict[str, list[Limit]] = {}
    for page in skill.pages.values():
        if page.kind in ("template", "script", "data", "reference"):
            continue
        for found in islice(to_signs(page.text, _METRIC, "sign", NEAR), MANY):
            block = page.blocks[block_at(page, found.start())]
            sentence = sentence_at(page, found.start()) if block.use not in ("negative", "quotation") else None
            if sentence is None or page.text.startswith(("if (", "if("), page.text.rfind("\n", 0, found.start()) + 1):
                continue
            sign = "least" if found["sign"] in (">", ">=", "≥") else "most"
            value = float(found["value"]) / (100 if found["percent"] else 1)
            topic = frozenset(stems(_around(page, block, found))) - {*stems(found["name"])}
            start, end = found.start("value"), found.end("percent") if found["percent"] else found.end("value")
            groups.setdefault(f"{found['name'].lower().split()[-1]} {sign}", []).append(
                Limit(found["name"], round(value * 10_000), page.text[start:end], page, start, end, topic)
            )
    for group in groups.values():
        yield from _differing(skill, group[:PER_UNIT])


def _around(page: Page, block: Block, found: re.Match[str]) -> str:
    """The line of a block that the measure stands in."""
    begin = max(block.body, page.text.rfind("\n", 0, found.start()) + 1)
    stop = page.text.find("\n", found.end())
    return page.text[begin : min(block.end, stop if stop >= 0 else block.end)]


def _differing(skill: Skill, group: list[Limit]) -> Iterator[tuple[Limit, Limit]]:
    values: dict[int, list[Limit]] = {}
    for limit in group:
        values.setdefault(limit.value, []).append(limit)
    if len(values) != 2:
        return
    few, many = sorted(values.values(), key=len)
    for wrong in few:
        right = next((one for one in many if _same_metric(skill, one, wrong)), None)
        if right is not None and (len(many) > len(few) or len(few) == 1):
            yield (wrong, right) if _told(wrong) or not _told(right) else (right, wrong)


def _same_metric(skill: Skill, one: Limit, other: Limit) -> bool:
    if not (one.topic & other.topic) or listed(one, other) or not (_told(one) or _told(other)):
        return False
    return one.page is other.page or any(limit.page.path == skill.main for limit in (one, other))


def _told(limit: Limit) -> bool:
    """In words that are meant, not in code or in the shape of a report."""
    block = limit.page.blocks[block_at(limit.page, limit.start)]
    return speaks(block, limit.page)
