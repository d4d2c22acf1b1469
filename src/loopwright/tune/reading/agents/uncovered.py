"""Tables of what is done about failures, which have no row for the agents that the skill starts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import Act, acts, block_of, in_code, is_bracketed
from loopwright.tune.reading.agents.joins import outside_of_prompts
from loopwright.tune.reading.lists.grid import Grid, grids
from loopwright.tune.skill.model import Page, Skill

_FAULTS = re.compile(
    r"(?:errors?|failures?|problems?|error types?|failure types?|failure modes?|scenarios?|situations?|exceptions?"
    r"|symptoms?|错误(?:类型|场景)?|问题|异常|故障|失败(?:类型|场景)?|场景|情况)\Z",
    re.IGNORECASE,
)
_REMEDY = re.compile(
    r"resol\w+|recover\w*|handl\w+|actions?\b|remed\w+|response|strateg\w+|what to do|fallback"
    r"|处理|恢复|措施|应对|解决|策略",
    re.IGNORECASE,
)
_WHO = (
    r"(?:\b(?:sub-?agents?|agents?|workers?|teammates?|reviewers?|explorers?|executors?|analysts?|planners?|members?"
    r"|tasks?|spawn\w*|CLI|codex|gemini|wait)\b|代理|智能体|子任务|任务|成员|角色)"
)
_ENDS = (
    r"(?:\b(?:fail\w*|crash\w*|time[sd]?[ _-]?out\w*|errors?|unresponsive|no (?:response|answer|result|output)|stall\w*"
    r"|stuck|dies|died|hangs?|empty|returns? nothing|does not (?:answer|return|finish|respond)|invalid|incomplete"
    r"|malformed|aborts?|aborted|unavailable)\b|失败|超时|崩溃|无响应|出错|异常|未返回|卡住|错误|无结果)"
)
_COVERED = re.compile(rf"{_WHO}[^|.\n]{{0,40}}{_ENDS}|{_ENDS}[^|.\n]{{0,30}}{_WHO}", re.IGNORECASE)
_CAUGHT = re.compile(r"\bcatch\b|\bexcept\b|\btimed_?out\b|[\"']failed[\"']", re.IGNORECASE)
FEWEST = 3
"""Rows of a table that make it one of what can go wrong."""


@dataclass(frozen=True, slots=True)
class Uncovered:
    """`grid`: the table; `act`: the first of the agents that are started."""

    page: Page
    grid: Grid
    act: Act


def uncovered(skill: Skill) -> Iterator[Uncovered]:
    """The skill thinks of failures, but nowhere of one that its agents may have."""
    started = [
        act for act in acts(skill)
        if act.does == "spawn" and act.call.prompt < 0 and is_bracketed(skill, act.call) and in_code(skill, act.call)
    ]  # fmt: skip
    blocks = [block_of(skill.pages[act.call.at.file], act.call.at.start) for act in started]
    if not started or any(block is not None and _CAUGHT.search(block.text) for block in blocks):
        return
    table = next(((page, grid) for page in skill.pages.values() for grid in grids(page) if is_of_faults(grid)), None)
    if table is None or any(
        _speaks(skill, page) for page in skill.pages.values() if page.kind not in ("script", "data")
    ):
        return
    yield Uncovered(*table, started[0])


def is_of_faults(grid: Grid) -> bool:
    if len(grid.rows) < FEWEST or len(grid.head) < 2 or not _FAULTS.match(grid.head[0]):
        return False
    return any(_REMEDY.search(head) for head in grid.head[1:])


def _speaks(skill: Skill, page: Page) -> bool:
    """In instructions: what an agent is told of failures is no plan for its own."""
    return (
        _COVERED.search(outside_of_prompts(skill, page, page.front.end if page.front else 0, len(page.text)))
        is not None
    )
