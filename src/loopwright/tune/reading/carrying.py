"""Prompts that speak of the user's request as if the agent knew it, and pages that are sent again without it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.requests import strength
from loopwright.tune.skill.model import Page, Skill

_KNOWN = re.compile(
    r"\b(?:the|this|that)(?: (?:user'?s?|original|given))? (?:brief|request|task|goal|idea|question|objective"
    r"|requirements?"
    r"|problem statement)\b(?! (?:list|file|tool|id|board|queue|status|type|graph|tree|below|above|in|from|at|you)\b)"
    r"|(?:该|这个|此|用户的)(?:简述|需求|请求|任务|目标|问题|想法)",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\$\w|\{|<[a-z]|\[[A-Za-z]|['‘“「]|\b(?:task|request|goal|brief|objective|question)\s*[:：]"
    r"|\b(?:read|from|in|see|per|following|use)\s+`?[\w./-]{0,80}(?:brief|request|task|goal|prd|spec|plan|context"
    r"|state)(?![A-Za-z])[\w-]{0,40}\.\w",
    re.IGNORECASE,
)
"""What may bring it: something to be filled in, a quotation, a label, a file of it."""
_HOLE = re.compile(r"\{\{\s*(?P<name>[A-Za-z_]\w*)\s*\}\}")
_AGAIN = frozenset({"ITERATION", "ROUND", "ATTEMPT", "CYCLE", "TURN", "PASS"})
LONGEST = 1_200
"""Characters of a prompt that is read for it."""


@dataclass(frozen=True, slots=True)
class Bare:
    """`known`: what is spoken of; empty where the page itself is sent again each round."""

    page: Page
    start: int
    end: int
    known: str
    hole: str = ""
    """What stands for the task elsewhere in the page."""


def bare(skill: Skill) -> Iterator[Bare]:
    for prompt in skill.prompts:
        if prompt.call < 0 or prompt.at.use not in ("instruction", "prompt") or prompt.interpolations:
            continue
        found = _KNOWN.search(prompt.text) if len(prompt.text) <= LONGEST else None
        if found is not None and not _TAKEN.search(prompt.text):
            yield Bare(skill.pages[prompt.at.file], prompt.at.start, prompt.at.end, found[0])
    yield from _sent_again(skill)


def _sent_again(skill: Skill) -> Iterator[Bare]:
    """The page begins with the number of the round, and has no place where the task is put in."""
    page = skill.pages.get(skill.main)
    holes = list(_HOLE.finditer(page.text)) if page and "{{" in page.text else []
    if page is None or not any(hole["name"].upper() in _AGAIN for hole in holes):
        return
    own = [hole for hole in holes if page.text[hole.start() - 1 : hole.start()] != "`"]
    if not any(strength(hole["name"].lower()) for hole in own):
        first = next(hole for hole in holes if hole["name"].upper() in _AGAIN)
        other = next((hole[0] for hole in holes if strength(hole["name"].lower())), "")
        yield Bare(page, first.start(), first.end(), "", other)
