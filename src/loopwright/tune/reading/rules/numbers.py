"""Limits that are given as numbers, and which of them are one and the same limit."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from loopwright.tune.reading.words.spots import begun, block_at, spotted
from loopwright.tune.skill.model import Page, Skill

_NAME = re.compile(
    r"(?<![\w$.-])(?P<name>[A-Za-z]{1,30}(?:_[A-Za-z]{1,30}){1,8}|[a-z]{1,30}(?:[A-Z][a-z]{1,30}){1,8})[\"'`*]{0,6}\s{0,8}"
    r"(?:[:=|（(，,]|is\b|为)\s*+(?:(?:default(?:s to)?|默认(?:值)?(?:为)?|number|int(?:eger)?|=|:|;|//|\||`"
    r")\s*+){0,6}(?P<value>\d{1,12}(?:[_,]\d{3}){0,4})(?![\d.]{0,20}\w{0,20}[(/])\s{0,8}(?P<unit>ms|s|min|h)?\b"
)
_NAMES = ("max", "min_", "limit", "timeout", "retries", "budget", "threshold", "ceiling")
_ANY = frozenset({
    "timeout", "timeoutms", "maxtokens", "maxlength", "minlength", "minitems", "maxitems", "minlines", "maxlines",
    "maxresults", "limit", "maxconcurrency", "maxwidth", "minwidth", "maxheight", "minheight", "maxoutputtokens",
    "timeoutseconds", "timeoutsec", "maxchars", "maxrounds_", "maxage", "maxsize",
})  # fmt: skip
"""Names that many calls have, each with a value of its own."""
_ONE_TO_TEN = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {
    **{word: number for number, word in enumerate(_ONE_TO_TEN, 1)},
    **{char: number for number, char in enumerate("零一二三四五六七八九十")},
    "两": 2, "once": 1, "twice": 2,
}  # fmt: skip
_COUNT = re.compile(
    r"(?:\bat most|\b(?:no|never|not) more than|\bup to|\bmax(?:imum)?(?: of)?\.?|\bexceed(?:s|ing)?"
    r"|\bdefaults?(?: to| is)?"
    r"|默认(?:为)?|\blimit(?:ed)? (?:to|of|is)|\bwithin|\bafter|\bunder|≤|<="
    r"|最多|至多|超过|不多于|上限(?:为|是)?|限)\s*+"
    r"[:：]?\s*+[\u4e00-\u9fff]{0,4}?\s*+\**+`?(?P<value>\d{1,12}(?:,\d{3}){0,4}|one|two|three|four|five|six|seven|eight|nine"
    r"|ten|[一二两三四五六七八九十])`?\**+\s*+(?:more |full |such |个?(?:汉|中文|中))?"
    r"(?P<noun>[A-Za-z]+|[\u4e00-\u9fff])",
    re.IGNORECASE,
)
_NAMED_AFTER = dict.fromkeys(
    _NAMES, re.compile(r"(?P<value>\d+)(?P<unit>)\s*[^\s（()\d]{0,10}\s*[（(]\s*`(?P<name>[A-Za-z]\w*)`"),
)  # fmt: skip
"""3 轮（`max_rounds`）"""
_COUNTS = (
    "at most", "no more than", "never", "not more than", "up to", "max", "exceed", "limit", "within", "after ",
    "under ", "default", "默认", "≤", "<=", "最多", "至多", "超过", "不多于", "上限", "限",
)  # fmt: skip
_ROW = re.compile(r"^(?P<what>[^|\n]+)\|\s*\**`?(?P<value>\d{1,9})\b`?\**\s*(?:\||\(|$)")
_UNITS: Mapping[str, tuple[str, ...]] = {
    "rounds": ("round", "iteration", "cycle", "loop", "revision", "rework", "轮"),
    "attempts": ("attempt", "retry", "retries", "tries", "try", "time", "次", "遍"),
    "seconds": ("second", "sec", "s", "秒"), "minutes": ("minute", "min", "分"), "words": ("word",), "字": ("字",),
    "lines": ("line", "行"), "questions": ("question", "问"), "agents": ("agent", "worker"),
    "items": ("item", "entries", "entry", "条", "项"),
    **{one: (one,) for one in (
        "term", "finding", "hypothesis", "point", "section", "file", "page", "sentence", "bullet", "paragraph",
        "candidate", "option", "step", "task", "topic",
    )}, "hypothesis": ("hypothesis", "hypotheses"),
}  # fmt: skip
_NOUNS = {form: unit for unit, words in _UNITS.items() for word in words for form in (word, word + "s")}
_TOPIC = re.compile(r"[A-Za-z][A-Za-z-]{2,}|[\u4e00-\u9fff]{2,}")
_EMPTY = frozenset({
    "the", "and", "for", "with", "that", "this", "from", "are", "is", "its", "per", "each", "every", "any", "all",
    "more", "most", "than", "not", "will", "may", "can", "must", "one", "two", "three", "four", "five", "then",
    "they", "them", "into", "onto", "has", "have", "been", "was", "were", "only", "also", "but", "when", "where",
    "which", "who", "what", "how", "after", "until", "same", "other", "max", "maximum", "limit", "limited",
    "exceed", "under", "within", "never", "always",
})  # fmt: skip
_VAGUE = frozenset(
    {
        "lines",
        "items",
        "words",
        "字",
        "seconds",
        "minutes",
        "attempts",
        "file",
        "page",
        "step",
        "task",
        "sentence",
        "section",
    }
)
"""Units of so many things that the unit alone says nothing."""
SIDE = 4
"""Entries of a list that stand side by side."""
AGREED, ENOUGH = 2, 4
"""So many places that agree make the one that does not wrong: of rounds, of anything."""
FEW = 3
"""Words of a limit of which one alone is enough."""
MANY = 60
ROUGH = 5
"""Letters that words have in common which mean the same."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`said` is the number as it is written, at `start`. `count`: places that say the same."""

    name: str
    value: int
    said: str
    page: Page
    start: int
    end: int
    topic: frozenset[str] = frozenset()
    count: int = 1
    told: bool = False
    """It stands in what another agent is told, so that it holds for that agent only."""


def limits_by_name(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """`max_rounds` is 3 in the schema and 5 in a sentence: first the one that fewer places say."""
    groups: dict[str, list[Limit]] = {}
    for page in skill.pages.values():
        if page.kind in ("template", "script", "reference"):
            continue
        for found in (*begun(page.text, _NAMES, _NAME, name=True), *spotted(page.text, _NAMED_AFTER)):
            key = found["name"].replace("_", "").lower()
            if key not in _ANY and _meant(page, found.start("value")):
                groups.setdefault(key, []).append(
                    _limit(found["name"], found["value"], found["unit"] or "", page, found)
                )
    for group in groups.values():
        yield from _odd_one(group)


def _limit(name: str, said: str, unit: str, page: Page, found: re.Match[str]) -> Limit:
    value = _WORDS.get(said.lower()) if not said[0].isdigit() else int(said.replace(",", "").replace("_", "") or 0)
    if unit == "s" and name.lower().endswith("ms"):
        value = (value or 0) * 1000
    return Limit(name, value or 0, said, page, found.start("value"), found.end("value"))


def _meant(page: Page, position: int) -> bool:
    """Not a sample, and not what somebody types on a command line."""
    block = page.blocks[block_at(page, position)]
    return block.use in ("instruction", "prompt") and block.lang not in ("bash", "sh", "shell", "console", "zsh")


def _stated(limit: Limit) -> bool:
    """In words, in a table, or in a page that defines the state."""
    block = limit.page.blocks[block_at(limit.page, limit.start)]
    return block.kind != "code" or limit.page.kind in ("spec", "data") or "schema" in limit.page.path.lower()


def _odd_one(group: list[Limit]) -> Iterator[tuple[Limit, Limit]]:
    values = Counter(limit.value for limit in group)
    if len(values) != 2:
        return
    (usual, many), _ = values.most_common(2)
    right = next(limit for limit in group if limit.value == usual)
    for limit in group:
        if (
            limit.value != usual
            and (_stated(limit) or _stated(right))
            and not any(listed(limit, other) for other in group if other.value == usual)
        ):
            yield limit, replace(right, count=many)


def limits_by_noun(skill: Skill) -> Iterator[tuple[Limit, Limit]]:
    """At most 3 rounds of review, and at most 5 rounds of review."""
    prompts: dict[str, list[tuple[int, int]]] = {}
    for prompt in skill.prompts:
        if prompt.call >= 0:
            prompts.setdefault(prompt.at.file, []).append((prompt.at.start, prompt.at.end))
    groups: dict[str, list[Limit]] = {}
    for page in skill.pages.values():
        if page.kind in ("template", "script", "reference", "data"):
            continue
        for found in begun(page.text, _COUNTS, _COUNT):
            noun = found["noun"].lower()
            if noun in _NOUNS and _meant(page, found.start()):
                limit = _limit(_NOUNS[noun], found["value"], "", page, found)
                told = any(start <= limit.start < end for start, end in prompts.get(page.path, ()))
                groups.setdefault(limit.name, []).append(replace(limit, topic=_topic(page, found), told=told))
        for limit in _rows(page):
            groups.setdefault(limit.name, []).append(limit)
    for name, group in groups.items():
        yield from _same_topic(skill, name, group)


def _rows(page: Page) -> Iterator[Limit]:
    """A table of limits: `| Rounds of review per chunk | 2 |`."""
    for section in page.sections:
        if section.concept != "limits":
            continue
        for block in page.blocks[max(0, block_at(page, section.start)) : block_at(page, section.end - 1) + 1]:
            found = _ROW.search(block.text) if block.kind == "row" and block.use == "instruction" else None
            words = [word.lower() for word in _TOPIC.findall(found["what"])] if found else []
            noun = next((word for word in words if word in _NOUNS), None)
            if found and noun:
                start = block.body + found.start("value")
                topic = frozenset(word[:ROUGH] for word in words if word != noun and word not in _EMPTY)
                said = found["value"]
                yield Limit(_NOUNS[noun], int(said), said, page, start, start + len(said), topic)


def _topic(page: Page, found: re.Match[str]) -> frozenset[str]:
    block = page.blocks[block_at(page, found.start())]
    text = page.text
    begin = max(block.start, text.rfind("\n", 0, found.start()) + 1, found.start() - 90)
    begin = max(begin, *(text.rfind(sign, begin, found.start()) + 1 for sign in ("。", "；", ";", ". ", "|")))
    ends = [
        at for sign in ("。", "；", ";", ". ", "\n", "|") if (at := text.find(sign, found.end(), found.end() + 70)) >= 0
    ]
    near = text[begin : found.start()] + " " + text[found.end("noun") : min([*ends, block.end, found.end() + 70])]
    words: set[str] = set()
    for word in _TOPIC.findall(near):
        if word[0] >= "\u4e00":
            words |= {word[at : at + 2] for at in range(len(word) - 1)}
        elif word.lower() not in _EMPTY:
            words.add(word.lower().rstrip("s")[:ROUGH])
    return frozenset(words)


def _same_topic(skill: Skill, name: str, group: list[Limit]) -> Iterator[tuple[Limit, Limit]]:
    group = group[:MANY]
    told: set[int] = set()
    for index, one in enumerate(group):
        for other in group[index + 1 :]:
            if one.value == other.value or (one.told and other.told) or listed(one, other):
                continue
            if not _is_one(name, one, other):
                continue
            if not _global(skill, one.page) and not _global(skill, other.page) and one.page is not other.page:
                continue
            wrong, right = (other, one) if _global(skill, one.page) or one.page is other.page else (one, other)
            strict = wrong.page is not right.page and wrong.value < right.value and name not in ("rounds", "attempts")
            if not strict and wrong.start not in told:
                told.add(wrong.start)
                yield wrong, right
    for wrong, right in _odd(name, group):
        if wrong.start not in told:
            yield wrong, right


def listed(one: Limit, other: Limit) -> bool:
    """Entries of one list or table, or of parts side by side, as presets are: quick 2 rounds, deep 5."""
    page = one.page
    if page is not other.page:
        return False
    first, second = sorted((block_at(page, one.start), block_at(page, other.start)))
    blocks = page.blocks[first], page.blocks[second]
    if first == second:
        return True
    if blocks[0].section != blocks[1].section:
        parents = {page.sections[block.section].parent for block in blocks if block.section >= 0}
        return len(parents) == 1 and all(
            block.kind in ("row", "code") or block.text.lstrip("`*").startswith(one.name) for block in blocks
        )
    between = page.blocks[first : second + 1]
    side = blocks[0].kind in ("item", "row") and blocks[0].level == blocks[1].level
    return side and len(between) <= SIDE and len({block.kind for block in between}) == 1


def _odd(name: str, group: list[Limit]) -> Iterator[tuple[Limit, Limit]]:
    """One place allows more than all others, which agree: at most 15 lines nine times, and 30 once."""
    values = Counter(limit.value for limit in group)
    usual, many = values.most_common(1)[0]
    agreeing = [limit.topic for limit in group if limit.value == usual]
    words = Counter(word for topic in agreeing for word in topic)
    common = {word for word, count in words.items() if 2 * count > len(agreeing) or name == "rounds"}
    different = [limit for limit in group if (limit.value != usual if name == "rounds" else limit.value > usual)]
    odd = [limit for limit in different if len(limit.topic & common) >= _alike(name, limit) or not limit.topic]
    least = AGREED if name == "rounds" else ENOUGH
    pages = {limit.page.path for limit in group if limit.value == usual}
    if len(odd) != 1 or many < least or many < len(group) - 2 or (name != "rounds" and len(pages) < 2):
        return
    right = next(limit for limit in group if limit.value == usual)
    yield odd[0], replace(right, count=many)


def _alike(name: str, limit: Limit) -> int:
    """So many words it has to share with the others; of what an agent is told each sentence has its own limit."""
    return AGREED if name == "rounds" or (limit.told and name in _VAGUE) else 1


def _global(skill: Skill, page: Page) -> bool:
    return page.path == skill.main or page.kind == "spec"


def _is_one(name: str, one: Limit, other: Limit) -> bool:
    """What both limit is the same, as far as their words tell; more words have to agree where the unit says little."""
    shared = len(one.topic & other.topic)
    least = min(len(one.topic), len(other.topic))
    if name in _VAGUE:
        return shared >= 2 and 2 * shared >= least
    return shared >= 2 or (shared == 1 and least <= FEW) or least == 0
