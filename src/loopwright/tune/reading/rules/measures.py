"""Measures that are said of one thing in several ways: 20 to 45 minutes, an object label: 60 words, `replans < 2`."""

import re
from collections.abc import Iterator
from itertools import islice

from loopwright.tune.reading.rules.clauses import sentence_at, speaks
from loopwright.tune.reading.rules.numbers import Limit
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, PageKind, Skill

_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec"})
_UNIT = r"(?P<unit>words?|lines?|minutes?|seconds?|hours?|characters?|pages?|sentences?|rounds?|items?)\b"
_字 = r"(?P<字>汉?字|行|分钟|秒|轮|条|页|句)"
_RANGE = re.compile(
    rf"(?P<low>\d\d{{0,5}})\s{{0,20}}(?:to|through|[-–—~～至到])\s{{0,20}}(?P<high>\d{{1,6}})\s{{0,20}}个?(?:{_UNIT}|{_字})",
    re.IGNORECASE,
)
_EMPTY = frozenset({
    "a", "an", "the", "is", "are", "be", "to", "of", "for", "in", "and", "or", "each", "every", "one", "at", "most",
    "least", "long", "lasts", "last", "takes", "take", "has", "have", "must", "should", "with", "it", "its", "per",
    "not", "more", "than", "between", "from", "only", "no", "about", "around", "keep", "write",
})  # fmt: skip
_WORD = re.compile(r"[A-Za-z][A-Za-z-]+|[\u4e00-\u9fff]{2,}")
MANY = 200
"""Places on a page that are looked at."""
FEW = 4
"""Words before a measure that may name its subject."""


def ranges(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """A unit is 20 to 45 minutes long, and every unit lasts 60 to 90: nothing is within both."""
    found: list[tuple[Limit, int]] = []
    for page in _pages(skill) if len(skill.pages) > 1 else ():
        for match in islice(_RANGE.finditer(page.text), MANY):
            topic = _subject(page, match.start()) if page.text[match.start() - 1] not in ".-" else frozenset()
            if topic and int(match["low"]) < int(match["high"]):
                unit = (match["unit"] or match["字"]).lower().rstrip("s").removeprefix("汉")
                said = f"{match['low']}–{match['high']}"
                start, end = match.start("low"), match.end("high")
                found.append((Limit(unit, int(match["low"]), said, page, start, end, topic), int(match["high"])))
    for index, (one, most) in enumerate(found):
        for other, high in found[index + 1 :]:
            apart = most < other.value or high < one.value
            if apart and one.name == other.name and one.topic == other.topic and one.page is not other.page:
                yield _ordered(skill, one, other)


def _ordered(skill: Skill, one: Limit, other: Limit) -> tuple[Limit, Limit]:
    """First the one of the page that says less for all others."""
    return (other, one) if one.page.path == skill.main or one.page.kind == "spec" else (one, other)


def _pages(skill: Skill) -> Iterator[Page]:
    return (page for page in skill.pages.values() if page.kind in _SAID)


def _subject(page: Page, position: int) -> frozenset[str]:
    """What the sentence begins with, where that is a few words: `Every unit lasts`, `一行`."""
    sentence = sentence_at(page, position)
    if sentence is None or not speaks(sentence.block, page) or sentence.block.kind == "row":
        return frozenset()
    before = page.text[sentence.start : position]
    words = [word for found in _WORD.findall(before) if (word := found.lower()) not in _EMPTY]
    return frozenset(word.rstrip("s") for word in words) if 0 < len(words) <= FEW else frozenset()


_COUNTING = re.compile(r":\s*\d|\b(?:at most|up to|no more than)\s*\d", re.IGNORECASE)
_COUNTED = re.compile(
    rf"(?<![A-Za-z])(?P<what>(?:[A-Za-z][A-Za-z-]{{0,40}}\s{{1,8}}){{0,2}}"
    rf"[A-Za-z][A-Za-z-]{{0,40}})\s{{0,8}}(?::|at most|up to|no more than)\s{{0,8}}"
    rf"(?P<value>\d{{1,6}})(?:\s{{1,8}}{_UNIT}|(?=\s{{0,8}}(?:[.;,]|$)))",
    re.IGNORECASE | re.MULTILINE,
)
"""Object label: 60 words; section texts at most 90 words, object labels at most 60."""


def measured(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """What a specification gives as the measure of a thing, and a larger one elsewhere."""
    stated: dict[tuple[str, str], Limit] = {}
    others: list[tuple[tuple[str, str], Limit]] = []
    specified = any(page.kind == "spec" for page in skill.pages.values())
    for page in _pages(skill) if specified else ():
        for key, limit, whole in _of_items(page):
            if page.kind == "spec" and whole:
                stated.setdefault(key, limit)
            elif page.kind != "spec":
                others.append((key, limit))
    for key, limit in others:
        right = stated.get(key)
        if right is not None and limit.value > right.value:
            yield limit, right


def _of_items(page: Page) -> Iterator[tuple[tuple[str, str], Limit, bool]]:
    """Entries of a list: the thing and its unit, which what stands after the comma shares with what stands before."""
    for block in page.blocks:
        if block.kind != "item" or block.use not in ("instruction", "prompt") or not _COUNTING.search(block.text):
            continue
        unit, whole = "", _COUNTED.match(block.text) is not None
        for found in islice(_COUNTED.finditer(block.text), FEW):
            unit = (found["unit"] or unit).lower().rstrip("s")
            what = " ".join(word.rstrip("s") for word in found["what"].lower().split() if word not in _EMPTY)
            if unit and " " in what:
                start = block.body + found.start("value")
                end = start + len(found["value"])
                yield (what, unit), Limit(what, int(found["value"]), found["value"], page, start, end), whole


_HEADED = re.compile(
    r"(?:最多|至多|不超过|不得超过|不能超过|上限(?:为|是)?)\s*(?P<value>\d{1,6})\s*个?(?P<unit>汉?字|行|分钟|秒|条|页|句)"
)
_HEAD = re.compile(r"(?:^|[\s，。；、：:,;|（(-])(?P<what>[\u4e00-\u9fff]{2,6})\s*$")
_ANYTHING = re.compile(r"^(?:一次|每次|一共|总共|全部|全文|这次|其中|最后|只回|回复|一般|通常|可以|建议)")


def headed(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """一行最多 16 个汉字, and in a page that is read for reference 一行最多 20 个汉字."""
    rules: dict[tuple[str, str], Limit] = {}
    others: list[tuple[tuple[str, str], Limit]] = []
    for page in skill.pages.values() if len(skill.pages) > 1 else ():
        for key, limit in _heads(page):
            if page.path == skill.main or page.kind == "spec":
                rules.setdefault(key, limit)
            else:
                others.append((key, limit))
    for key, limit in others:
        right = rules.get(key)
        if right is not None and limit.value > right.value:
            yield limit, right


def _heads(page: Page) -> Iterator[tuple[tuple[str, str], Limit]]:
    if page.kind in ("template", "script", "data"):
        return
    for found in islice(_HEADED.finditer(page.text), MANY):
        head = _HEAD.search(page.text, max(0, found.start() - 10), found.start())
        if head is None or _ANYTHING.match(head["what"]):
            continue
        sentence = sentence_at(page, found.start())
        if sentence is not None and speaks(sentence.block, page):
            what, (start, end) = head["what"], found.span("value")
            limit = Limit(what, int(found["value"]), found["value"], page, start, end)
            yield (what, found["unit"].removeprefix("汉")), limit


_BELOW = re.compile(r"(?<![\w.])(?:\w+\.)?(?P<name>[A-Za-z]\w{3,})\s*(?:<|>=|≥)\s*(?P<value>\d{1,4})\b(?![.\w%])")
_AT_MOST = re.compile(
    r"(?:最多|至多|不超过|上限|at most|up to|no more than|limit(?:ed to)?|max(?:imum)?(?: of)?)\s*+[:：为]?\s*+"
    r"(?P<value>\d{1,4})\s{0,8}(?:次|轮|遍|times?\b|rounds?\b|attempts?\b|tries\b|retries\b)",
    re.IGNORECASE,
)


def counters(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """`replans < 5` decides at one place, and elsewhere `replans` + 1, at most 2 times."""
    told = dict(_told(skill))
    for page in _pages(skill) if told else ():
        for found in islice(_BELOW.finditer(page.text), MANY):
            right = told.get(found["name"])
            block = page.blocks[block_at(page, found.start())]
            if right is None or block.use not in ("instruction", "prompt"):
                continue
            value = int(found["value"])
            if value != right.value:
                yield Limit(found["name"], value, found["value"], page, found.start("value"), found.end("value")), right


_GROWS = re.compile(
    r"`(?:\w+\.)?(?P<name>[A-Za-z]\w{3,})`\s*(?:\+\s*1|\+=\s*1|\+\+|加一|加 ?1|goes up by one|plus one)"
)


_GROWING = ("` +", "`+", "` 加", "`加", "` goes up", "` plus")


def _grows(page: Page) -> bool:
    return any(sign in page.text for sign in _GROWING)


def _told(skill: Skill) -> Iterator[tuple[str, Limit]]:
    """A counter that goes up by one, with how far it may in the same entry or row."""
    for page in _pages(skill):
        for found in islice(_GROWS.finditer(page.text), MANY) if _grows(page) else ():
            block = page.blocks[block_at(page, found.start())]
            limits = list(_AT_MOST.finditer(page.text, found.end(), block.end))
            if block.use == "instruction" and block.kind != "code" and len(limits) == 1:
                start, end = limits[0].span("value")
                value = limits[0]["value"]
                yield found["name"], Limit(found["name"], int(value), value, page, start, end)
