"""Values that a sentence gives a name, and that no list of what the name may be has."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from loopwright.tune.reading.fields.values import meant
from loopwright.tune.reading.lists.listings import LONGEST, listings
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_WORD = r"[A-Za-z][\w\-]{1,24}"
_LEADS = re.compile(
    r"([A-Za-z_][\w\-]{0,40})[\"'`*]{0,3}(?: values?)?\s?(?:\(|[:=：]|\bis(?: one of)?\b|\bof\b|\bmust be\b|\bone of\b"
    r"|\bto\b|\|| [—-] |->|→|为|是|取值|可选)?:?\s{0,3}[\"'`*({\[<]{0,3}\Z"
)
_SET = re.compile(
    rf"(?<![\w.\-])([A-Za-z_][A-Za-z0-9_.\-]{{1,40}}+)[\"'`*]{{0,3}}\s?(?:[:=]=?|!=|\bis\b|\bof\b|\bto\b|\bas\b|\bbecomes\b|\bequals\b|为|是)\s?"
    rf"(?:\*\*|[\"'`])({_WORD})(?:\*\*|[\"'`])(?!\s?[:|/])"
)
_VALUE = re.compile(r"[*\"'`](?:(?<=[:=sfo为是].)|(?<=[:=sfo为是]\s.))(?:(?<=\*)\*|(?<!\*))(?=[A-Za-z])")
"""A marked word, behind the last letter of what may stand before a value."""
_BEFORE_VALUE = (":", "=", "is", "of", "to", "as", "becomes", "equals", "为", "是")
_GIVEN = re.compile(rf"--([a-z][\w\-]{{1,40}})[= ]({_WORD})(?![\w./])")
_PAIR = re.compile(rf"(?:`({_WORD})`|\"({_WORD})\")(?: or | and | \| | / |\||、| ?或 ?)(?:`({_WORD})`|\"({_WORD})\")")
_NO_VALUE = frozenset({"true", "false", "null", "none", "string", "number", "boolean", "object", "array"})
_DENIED = re.compile(
    r"\bnot\b|n't\b|\bnever\b|\bno longer\b|\binvalid\b|\bwrong\b|\binstead\b|\brather\b|\bretired\b|\blegacy\b"
    r"|\bdeprecated\b|不|错误|非法|无效|勿|弃用|旧",
    re.IGNORECASE,
)
_IDENTITY = re.compile(r"(?:\A|_|(?<=[a-z])(?=I))(?:id|uid|uuid|key|slug|url|sha)\Z", re.IGNORECASE)
_NUMBERED = re.compile(r"[a-z]{0,8}[-_]?\d+[a-z]?")
"""Names and values that tell one thing from all others: each has its own."""
BEFORE, AROUND = 50, 60
"""Characters before a list in which it is told what it is of; to each side of a value, its name and marks."""


@dataclass(frozen=True, slots=True)
class StrayWord:
    """`value` stands for `name` at `start`, and nowhere else; `listed` are the words that stand for it elsewhere."""

    page: Page
    start: int
    end: int
    name: str
    value: str
    listed: tuple[str, ...]
    right: str | None
    where: str


@dataclass(slots=True)
class _Name:
    """What is known of one name. `shown`: words that are given it as an option, or in code."""

    listed: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    told: list[tuple[Page, int, str]] = field(default_factory=list)
    said: str = ""


def stray_words(skill: Skill) -> Iterator[StrayWord]:
    pages = [page for page in skill.pages.values() if len(page.text) <= LONGEST]
    given: dict[str, _Name] = {}
    for page in pages:
        if page.kind != "script":
            _told(given, page)
    # Lists are asked only for names that a sentence gives a value.
    names = {name: known for name, known in given.items() if known.told}
    in_lists: set[str] = set()
    for page in pages if names else ():
        for one in listings(page):
            in_lists.update(one.values)
            _list(names, page, one.spans[0][0], one.values)
        if page.kind != "script":
            _pairs(names, page)
    for known in names.values():
        yield from _strays(skill, known, in_lists)


def _list(names: Mapping[str, _Name], page: Page, start: int, values: Iterable[str]) -> None:
    begin = max(page.text.rfind("\n", 0, start) + 1, start - BEFORE)
    found = _LEADS.search(page.text[begin:start])
    known = names.get(_plain(found[1])) if found is not None else None
    if known is not None:
        where = f"{page.path}:{page.text.count(chr(10), 0, start) + 1}"
        known.listed.update(dict.fromkeys(values, where))


def _pairs(names: Mapping[str, _Name], page: Page) -> None:
    for found in _PAIR.finditer(page.text):
        if len(found[0]) < 60:
            _list(names, page, found.start(), [word.lower() for word in found.groups() if word])


def _told(names: dict[str, _Name], page: Page) -> None:
    for found in _set(page.text):
        index = block_at(page, found.start())
        block = page.blocks[index] if index >= 0 else None
        if block is None or block.use in ("negative", "quotation") or _is_denied(page.text, *found.span()):
            continue
        known = names.setdefault(_plain(found[1]), _Name())
        if block.kind == "code":
            known.shown.add(found[2].lower())
        elif block.use in ("instruction", "prompt"):
            known.told.append((page, found.start(2), found[2]))
            known.said = found[1].rsplit(".", 1)[-1]
    for found in _GIVEN.finditer(page.text):
        names.setdefault(_plain(found[1]), _Name()).shown.add(found[2].lower())


def _set(text: str) -> Iterator[re.Match[str]]:
    """All matches of `_SET`: looked for before marked words alone, and not at every word of the text."""
    after = 0
    for value in _VALUE.finditer(text):
        at = value.start()
        begin = max(after, at - AROUND)
        last = at - 1 if text[at - 1 : at].isspace() else at
        near = _SET.search(text, begin, at + AROUND) if text.endswith(_BEFORE_VALUE, begin, max(begin, last)) else None
        found = _SET.match(text, near.start()) if near else None
        if found is not None:
            after = found.end()
            yield found


def _is_denied(text: str, start: int, end: int) -> bool:
    """What stands around it says that it must not be so."""
    begin = max(start - BEFORE, text.rfind("\n", 0, start) + 1)
    line = text.find("\n", end)
    return _DENIED.search(text, begin, min(end + BEFORE, line if line >= 0 else len(text))) is not None


def _strays(skill: Skill, known: _Name, in_lists: set[str]) -> Iterator[StrayWord]:
    values = {value.lower() for _, _, value in known.told}
    usual = {*known.listed, *known.shown}
    strange = [value for value in sorted(values) if value not in usual and value not in _NO_VALUE | in_lists]
    alike = [value for value in strange if meant(value, sorted(usual - {value}))]
    closed = len(known.listed) > 1 and len(values) > 1 and len(strange) == 1
    if not strange or not (closed or (len(alike) == 1 and len(usual) > 1)):
        return
    value = strange[0] if closed else alike[0]
    page, start, said = next(one for one in known.told if one[2].lower() == value)
    if _IDENTITY.search(known.said) or all(_NUMBERED.fullmatch(one) for one in (value, *usual)):
        return
    right = meant(value, sorted(usual - {value}))
    if _marked(skill, said) == 1:
        listed = tuple(known.listed or sorted(known.shown - {value}))
        where = next(iter(known.listed.values()), "")
        yield StrayWord(page, start, start + len(said), known.said, said, listed, right, where)


def _marked(skill: Skill, value: str) -> int:
    whole = re.compile(rf"[\"'`*]{re.escape(value)}[\"'`*]")
    return sum(len(whole.findall(page.text)) for page in skill.pages.values())


def _plain(name: str) -> str:
    return name.rsplit(".", 1)[-1].lower().removesuffix("s")
