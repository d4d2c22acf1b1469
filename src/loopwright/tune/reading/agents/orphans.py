"""Results of a wait that code reads, where nothing waits any more: the name stands for nothing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, Act, acts, in_code
from loopwright.tune.skill.model import Page, Skill

_READ = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*+)(?:\.status\s?(?:\?\.)?\[|\.timed_?[oO]ut\b)")
_TAKEN = re.compile(r"(?<![\w$.])([A-Za-z_$][\w$]*+)\.(?:push|append|add)\s?\(\s*(?:await\s)?\Z")
BEFORE = 80
"""Characters before a call in which the list stands that takes it."""


@dataclass(frozen=True, slots=True)
class Orphan:
    """`name`: what is read; `start` to `end`: where it is read first; `model`: a wait of the skill that sets one."""

    page: Page
    start: int
    end: int
    name: str
    model: Act | None


def orphans(skill: Skill) -> Iterator[Orphan]:
    """On pages that start agents whose host does not wait for them by itself."""
    made = acts(skill)
    started = {
        act.call.at.file for act in made
        if act.does == "spawn" and act.call.prompt < 0 and act.known.tool is not None and act.known.tool.joined_by
        and in_code(skill, act.call)
    }  # fmt: skip
    if not started:
        return
    model = next((act for act in made if act.does == "wait" and act.call.target and in_code(skill, act.call)), None)
    for path in sorted(started):
        page = skill.pages[path]
        seen: set[str] = set()
        for block in page.blocks:
            for found in _READ.finditer(block.text) if block.kind == "code" and block.use in MEANT else ():
                name = found[1]
                if name in seen or _is_set(page.text, name):
                    continue
                seen.add(name)
                yield Orphan(page, block.body + found.start(), block.body + found.end(), name, model)


@dataclass(frozen=True, slots=True)
class Idle:
    """`name`: a list that takes agents as they are started, and that nothing looks at; `act`: the first of them."""

    page: Page
    act: Act
    name: str


def idle(skill: Skill) -> Iterator[Idle]:
    seen: set[tuple[str, str]] = set()
    for act in acts(skill):
        if act.does != "spawn" or act.call.prompt >= 0 or not act.call.arguments:
            continue
        page = skill.pages[act.call.at.file]
        taken = _TAKEN.search(page.text, max(0, act.call.at.start - BEFORE), act.call.at.start)
        if taken is None or (page.path, taken[1]) in seen:
            continue
        seen.add((page.path, taken[1]))
        word = re.escape(taken[1])
        uses = len(re.findall(rf"(?<![\w$]){word}(?![\w$])", page.text))
        fills = len(re.findall(rf"(?<![\w$.]){word}(?:\.(?:push|append|add)\s?\(|\s?=(?!=))", page.text))
        if uses == fills:
            yield Idle(page, act, taken[1])


def _is_set(text: str, name: str) -> bool:
    """It is assigned, taken by a function, or gone through."""
    word = re.escape(name)
    return re.search(
        rf"(?<![\w$.]){word}\s?=(?!=)|\b(?:const|let|var|for|function|async|def)\b[^\n]{{0,200}}(?<![\w$.]){word}(?![\w$.])"
        rf"|(?<![\w$.]){word}(?:,[^()\n]{{0,80}})?\)?\s?=>",
        text,
    ) is not None  # fmt: skip
