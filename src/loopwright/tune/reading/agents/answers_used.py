"""What code does with the answer of an agent that it starts: it reads a shape from it, or never looks at it."""

import re
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import acts, block_of
from loopwright.tune.skill.model import Block, Call, Page, Prompt, Skill

_PARSED = re.compile(
    r"\b(?:JSON\.parse|json\.loads)\s?\(\s?[\w$.?\[\]]*(?:result|output|complet|answer|response|reply|json|raw|text)",
    re.IGNORECASE,
)
_SHAPE = re.compile(
    r"\{\s{0,4}\\?\"|```json|\bjson (?:object|array|with|only|format|schema)"
    r"|\b(?:return|respond|output|answer|reply)\w*\b[^\n]{0,40}\bjson\b"
    r"|^\W{0,12}(?:return|returns|output|respond|response|answer|reply|expected)\b[^\n]{0,40}[:{]"
    r"|^#{1,6} (?:return|output|response|answer|reply|expected|deliverables?)\b|返回|输出|回复|格式",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """`at`: where the answer is parsed."""

    page: Page
    call: Call
    at: int


def parsed(skill: Skill, prompt: Prompt) -> Parsed | None:
    """The code behind the call takes the answer for JSON, of whose shape the prompt says nothing."""
    call = skill.calls[prompt.call]
    page = skill.pages[call.at.file]
    block = block_of(page, call.at.start)
    if block is None or block.kind != "code" or _SHAPE.search(prompt.text):
        return None
    found = _PARSED.search(page.text, call.at.end, _next(skill, call, block))
    return Parsed(page, call, found.start()) if found else None


def _next(skill: Skill, call: Call, block: Block) -> int:
    later = (
        act.call.at.start for act in acts(skill)
        if act.does == "spawn" and act.call.at.file == call.at.file and act.call.at.start > call.at.end
    )  # fmt: skip
    return min([block.end, *later])


def is_left(skill: Skill, prompt: Prompt) -> bool:
    """What the agent answers is waited for, and nothing looks at it: what it is for is done by then."""
    call = skill.calls[prompt.call]
    page = skill.pages[call.at.file]
    block = block_of(page, call.at.start)
    if block is None or block.kind != "code":
        return False
    waits = [
        act.call for act in acts(skill)
        if act.does == "wait" and act.call.at.file == call.at.file and call.at.end <= act.call.at.start < block.end
    ]  # fmt: skip
    name = (waits[0].target or "").split(".")[0] if waits else ""
    return bool(waits) and (not name or len(re.findall(rf"(?<![\w$.]){re.escape(name)}\b", block.text)) == 1)
