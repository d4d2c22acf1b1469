"""Names of fields that one sentence alone says, and that are almost the name of a field of an example or a shape."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.fields.keyed import LONGEST, data_of
from loopwright.tune.reading.fields.spelled import Spelled
from loopwright.tune.reading.words.likeness import ALIKE, alike, joined, words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_TICKED = re.compile(r"`(?:([A-Za-z_]\w{0,40})\.)?([A-Za-z_]\w{2,40})(\[\])?`")
_FIELD = re.compile(
    r"\bfields?\b|\bkeys?\b|\bstate file|\brecord|\bstor(?:e|ed|es)\b|\bcolumns?\b|字段|键|列|记录", re.IGNORECASE
)
_NAME = re.compile(r"[A-Za-z_]\w{2,60}")
_COMMON = frozenset({
    "summary", "status", "name", "type", "list", "path", "file", "result", "data", "count", "state", "note", "notes",
    "score", "title", "date", "time", "value", "text", "description", "level", "version", "mode",
})  # fmt: skip
"""Names that are a part of many other names."""
FEWEST = 3
"""Fields that a skill shows, so that its sentences speak of fields."""


@dataclass(frozen=True, slots=True)
class Known:
    """A field that is shown, or declared, at `start`."""

    name: str
    page: Page
    start: int

    @property
    def where(self) -> str:
        return f"{self.page.path}:{self.page.text.count(chr(10), 0, self.start) + 1}"


def near_names(skill: Skill) -> Iterator[Spelled]:
    known = known_names(skill)
    if len(known) < FEWEST:
        return
    counted = Counter(
        word for page in skill.pages.values() if len(page.text) <= LONGEST for word in _NAME.findall(page.text)
    )
    other = {call.name for call in skill.calls} | {one.name for one in skill.assignments}
    for page in skill.pages.values():
        if page.kind not in ("script", "data") and len(page.text) <= LONGEST:
            yield from _in_sentences(page, known, counted, other)
    yield from _otherwise(skill, known, counted)


def known_names(skill: Skill) -> dict[str, Known]:
    found: dict[str, Known] = {}
    for schema in skill.schemas:
        for field in schema.fields:
            name = field.path.rsplit(".", 1)[-1].removesuffix("[]")
            found.setdefault(name, Known(name, skill.pages[schema.at.file], field.at.start))
    for page in skill.pages.values():
        for one in data_of(page):
            for name, (start, _) in one.keys.items():
                if name not in found:
                    found[name] = Known(name, page, start)
    return found


def _in_sentences(page: Page, known: dict[str, Known], counted: Counter[str], other: set[str]) -> Iterator[Spelled]:
    for found in _TICKED.finditer(page.text):
        root, name, listed = found.groups()
        if counted[name] != 1 or name in known or name in other or name.isupper():
            continue
        index = block_at(page, found.start())
        block = page.blocks[index] if index >= 0 else None
        if block is None or block.kind in ("code", "heading") or block.use not in ("instruction", "prompt"):
            continue
        right = _nearest(name, known, bool(root or listed), page.text[block.start : block.end])
        if right is not None:
            yield Spelled(page, found.start(2), found.end(2), name, right.name, right.where)


def _nearest(name: str, known: dict[str, Known], field: bool, around: str) -> Known | None:
    """`field`: it is written as a field of something."""
    mine = words_of(name)
    told = field or _FIELD.search(around) is not None
    best: tuple[float, Known] | None = None
    for one in known.values():
        theirs = words_of(one.name)
        derived = len(theirs) == 1 and bool({one.name, mine[-1]} & _COMMON)
        within = (
            not derived and len(mine) > 1 and {*map(_stem, theirs)} < {*map(_stem, mine)} and len(one.name) > FEWEST + 1
        )
        if within and (len(theirs) > 1 or told):
            value = max(alike(name, one.name), ALIKE)
        else:
            value = alike(name, one.name) if field and len(theirs) == len(mine) else 0.0
        value += 0.1 * (len(theirs) == len(mine))
        if value >= ALIKE and (best is None or value > best[0]):
            best = value, one
    return best[1] if best is not None and f"`{best[1].name}`" not in around else None


def _otherwise(skill: Skill, known: dict[str, Known], counted: Counter[str]) -> Iterator[Spelled]:
    """A field that is written with other hyphens, underscores or capitals than elsewhere."""
    wanted = {joined(name) for name in known if len(words_of(name)) > 1}
    spelled: dict[str, set[str]] = {}
    for name in counted if wanted else ():
        if (letters := joined(name)) in wanted:
            spelled.setdefault(letters, set()).add(name)
    variables = {one.name for one in skill.assignments}
    styles = Counter(_style(name) for name in known if len(words_of(name)) > 1)
    for one in known.values():
        names = spelled.get(joined(one.name), set()) if len(words_of(one.name)) > 1 else set()
        other = next(iter(names - {one.name}), None) if len(names) == 2 else None
        if (
            other is None
            or other in variables
            or counted[one.name] > 1
            or not _is_field(skill, other)
            or _is_handed(one, other)
        ):
            continue
        if one.name[0] == other[0] and (counted[other] > 1 or styles[_style(one.name)] <= styles[_style(other)]):
            page, line = one.page, _line(skill, other)
            yield Spelled(page, one.start, one.start + len(one.name), one.name, other, line)


def _is_field(skill: Skill, name: str) -> bool:
    """A sentence, data or a type has the name as it stands."""
    whole = re.compile(rf"`{name}`|[\"']{name}[\"'] ?:|^\s*{name}\??:|\.{name}\b", re.MULTILINE)
    return any(whole.search(page.text) for page in skill.pages.values() if name in page.text)


def _is_handed(one: Known, other: str) -> bool:
    """The field takes the variable of the other name."""
    line = one.page.text[one.start : one.start + len(one.name) + len(other) + 12]
    return other in line.split("\n", 1)[0]


def _line(skill: Skill, name: str) -> str:
    return next(
        f"{page.path}:{page.text.count(chr(10), 0, page.text.find(name)) + 1}"
        for page in skill.pages.values() if name in page.text
    )  # fmt: skip


def _style(name: str) -> str:
    return "snake" if "_" in name else "camel"


def _stem(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > FEWEST else word
