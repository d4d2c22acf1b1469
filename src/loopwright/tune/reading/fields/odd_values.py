"""Values of data that one object alone has, where all others have one of few that the skill names together."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.fields.values import meant
from loopwright.tune.skill.model import FieldUse, Page, Skill

_WORD = re.compile(r"[a-z][a-z_\-]{2,24}\Z")
_NO_CHOICE = re.compile(
    r"(?:id|uid|name|title|label|cmd|command|file|path|url|key|slug|tag|owner|author|assignee|agent|model|unit|description"
    r"|prefix|command|args?|prompt|text|source|target|from|to|category|topic|language|version|date|goal|output)\Z",
    re.IGNORECASE,
)
"""Keys whose values tell one thing from another."""
_OLD = re.compile(r"\bold\b|legacy|migrat|before|deprecated|previous|旧|迁移|优化前|之前", re.IGNORECASE)
_MARKED = re.compile(r"[\"'`]([a-z][a-z_\-]{2,24})[\"'`]")
LEAST, EACH, MOST = 6, 2, 4
"""Objects that have another value; how often each of these has to be there; and how many of them there may be."""


@dataclass(frozen=True, slots=True)
class OddValue:
    """`value` of `key` at `start`; `others` are what all other objects have there, and are named at `where`."""

    page: Page
    start: int
    end: int
    key: str
    value: str
    others: tuple[str, ...]
    right: str | None
    where: str


def odd_values(skill: Skill) -> Iterator[OddValue]:
    groups: dict[tuple[str, ...], list[FieldUse]] = {}
    for use in skill.fields:
        if use.mode == "example" and len(use.values) == 1 and _WORD.match(use.values[0]):
            steps = tuple(use.path.replace("[]", "").split(".")[-2:])
            if not _NO_CHOICE.search(steps[-1]):
                groups.setdefault(steps, []).append(use)
    for steps, uses in groups.items():
        counted = Counter(use.values[0] for use in uses)
        once = [value for value, count in counted.items() if count == 1]
        others = [value for value in counted if value not in once]
        if len(once) != 1 or not EACH <= len(others) <= MOST or len(uses) <= LEAST:
            continue
        use = next(one for one in uses if one.values[0] == once[0])
        where = _named_together(skill, others, once[0]) if not _is_old(skill, use) else ""
        if where:
            page = skill.pages[use.at.file]
            start = page.text.find(once[0], use.at.end)
            right = meant(once[0], others)
            yield OddValue(page, start, start + len(once[0]), steps[-1], once[0], tuple(others), right, where)


def _is_old(skill: Skill, use: FieldUse) -> bool:
    """The section shows how it was, or how it is brought over."""
    page = skill.pages[use.at.file]
    return any(one.start <= use.at.start < one.end and _OLD.search(one.title) for one in page.sections)


def _named_together(skill: Skill, others: list[str], value: str) -> str:
    """The place of a line that names them all; empty where the other value is marked anywhere, so that it is known."""
    found = ""
    for page in skill.pages.values():
        if page.kind == "script":
            continue
        if page.kind != "data" and value in _MARKED.findall(page.text):
            marked = [one for one in page.text.split("\n") if value in _MARKED.findall(one)]
            if any('":' not in line for line in marked):
                return ""
        if not found and page.kind != "data" and all(other in page.text for other in others):
            for number, line in enumerate(page.text.split("\n"), 1):
                if {*others} <= {*_MARKED.findall(line)}:
                    found = f"{page.path}:{number}"
                    break
    return found
