"""Who works in a skill: all places that name an agent or a role, whatever their form."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loopwright.tune.reading.agents.agency import MEANT, PARTS, acts
from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.once import once

_NAME = r"@?[A-Za-z][A-Za-z0-9]*(?:[-_:][A-Za-z0-9]+)*"
_TOLD = re.compile(
    r"(?:\b(?:(?:re-?)?invok\w+|dispatch\w*|spawn\w*|launch\w*|delegat\w+(?: \w+)? to|assign\w*(?: \w+)? to"
    r"|hand\w*(?: \w+){0,2}? to"
    r"|route\w*(?: \w+)? to|ask|call|start|use|via|with|by|escalat\w+ to)\s+"
    r"(?:(?:the|an?|one|more|each|its|native|another)\s+){0,3}"
    rf"|(?:调用|启动|派(?:发|给)?|交给|转给|委派给?|使用|由|让|请)\s*)`(?P<name>{_NAME})`"
)
_CALLED = re.compile(
    rf"`(?P<name>{_NAME})`\s+(?:(?:sub-?)?agents?|roles?|workers?|personas?|teammates?|lanes?)\b|`(?P<zh>{_NAME})`\s*(?:代理|角色|智能体)"
)
_COLUMN = re.compile(
    r"(?:sub-?)?agents?(?: type| role)?|roles?|workers?|specialists?|delegates?(?: to)?|personas?|owner|who|assigned to"
    r"|代理|角色|智能体|负责人?|执行者",
    re.IGNORECASE,
)
_CELL = re.compile(rf"`?({_NAME})`?\Z")


@dataclass(frozen=True, slots=True)
class Named:
    """`kind`: how it is named: in a call, in words, or in a table's column of agents."""

    page: Page
    start: int
    name: str
    kind: Literal["call", "words", "cell"]

    @property
    def where(self) -> str:
        return f"{self.page.path}:{self.page.text.count(chr(10), 0, self.start) + 1}"


@once
def cast(skill: Skill) -> Iterator[Named]:
    """All of them, as often as they are named."""
    for act in acts(skill):
        tool = act.known.tool
        one = act.call.argument(tool.role) if act.does == "spawn" and tool and tool.role else None
        if one is not None and one.literal and _CELL.match(one.literal):
            page = skill.pages[one.at.file]
            yield Named(page, page.text.find(one.literal, one.at.start), one.literal, "call")
    for page in skill.pages.values():
        if page.kind not in PARTS:
            continue
        for block in page.blocks:
            if block.use not in MEANT or block.kind not in ("paragraph", "item", "row"):
                continue
            end = block.body + len(block.text)
            if page.text.find("`", block.body, end) < 0:
                continue
            for pattern in (_TOLD, _CALLED):
                for found in pattern.finditer(page.text, block.body, end):
                    name = found["name"] or found["zh"]
                    yield Named(page, found.start("name" if found["name"] else "zh"), name, "words")
        yield from _in_tables(page)


def _in_tables(page: Page) -> Iterator[Named]:
    for grid in grids(page):
        for index, title in enumerate(grid.head):
            if not _COLUMN.fullmatch(title.strip(" *`")):
                continue
            for row in grid.rows:
                cell = row[index].text.strip("*` ") if index < len(row) else ""
                if cell and _CELL.match(cell):
                    yield Named(page, row[index].start + row[index].text.find(cell), cell, "cell")
