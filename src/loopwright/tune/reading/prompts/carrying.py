"""Prompts that speak of the user's request as if the agent knew it, and pages that are sent again without it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from loopwright.tune.reading.prompts.requests import is_request_file, strength
from loopwright.tune.skill.model import Page, Prompt, Skill

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
_GIVEN = re.compile(
    r"\b(?:initial|original|user'?s?|given) (?:task|request|requirements?|goal|idea|topic|question)"
    r"(?: (?:description|text|statement))?\b(?! (?:file|list|id|is|was|below|above|in|from|at)\b)"
    r"|(?:初始|原始|用户的?)(?:任务|需求|请求|目标)(?:描述)?",
    re.IGNORECASE,
)
_MAYBE = re.compile(r"\?[^?:]{0,200}:\s*[\"'`](?:no |none|n/a|[\"'`])", re.IGNORECASE)
"""What an earlier round has left, or nothing."""
_WHOLE = frozenset({"state", "session", "context", "input", "args", "options", "payload", "config"})
_READING = re.compile(r"\b(?:read|load|see|open|from)\b|读|加载", re.IGNORECASE)
_STATE_FILE = re.compile(
    r"(?:\bread\b|\bload\b|读取?|加载)[^\n]{0,80}(?:state|session|context|request|task)[\w-]{0,30}\.(?:json|md)", re.I
)
_FILLED = re.compile(
    r"^(?P<mark>[ \t]{0,12}(?:[-*] )?)(?:\*\*)?[A-Z][\w ]{2,30}(?:\*\*)?[:：] ?[^\n$]{0,200}\$\{[^\n]{0,400}$",
    re.MULTILINE,
)
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
    entry_at: int = -1
    entry: str = ""
    """A line that would tell it, and where that fits."""


def bare(skill: Skill) -> Iterator[Bare]:
    for prompt in skill.prompts:
        if prompt.call < 0 or prompt.at.use not in ("instruction", "prompt") or prompt.interpolations:
            continue
        found = _KNOWN.search(prompt.text) if len(prompt.text) <= LONGEST else None
        if found is not None and not _TAKEN.search(prompt.text):
            yield Bare(skill.pages[prompt.at.file], prompt.at.start, prompt.at.end, found[0])
    yield from _left_out(skill)
    yield from _sent_again(skill)


def _left_out(skill: Skill) -> Iterator[Bare]:
    """A prompt that is filled with much, is to begin with the user's task, and is not filled with that."""
    for prompt in skill.prompts:
        if prompt.call < 0 or prompt.at.use not in ("instruction", "prompt") or not prompt.interpolations:
            continue
        found = _GIVEN.search(prompt.text)
        if found is None or any(_tells(one.expression) for one in prompt.interpolations) or _reads_it(prompt.text):
            continue
        page = skill.pages[prompt.at.file]
        start = prompt.at.start + found.start()
        yield Bare(page, start, start + len(found[0]), found[0], *_line(skill, page, prompt))


def _tells(expression: str) -> bool:
    """It may be the task, or the whole that holds it."""
    if _MAYBE.search(expression):
        return False
    return strength(expression) > 0 or "stringify" in expression or expression in _WHOLE


def _reads_it(text: str) -> bool:
    return any(
        (is_request_file(line) and _READING.search(line)) or _STATE_FILE.search(line) for line in text.splitlines()
    )


def _line(skill: Skill, page: Page, prompt: Prompt) -> tuple[str, int, str]:
    """What other code calls the task, as a line below the last of those that are filled in the same way."""
    roots = {one.expression.split(".")[0] for one in prompt.interpolations if "." in one.expression}
    names = [
        found[0]
        for other in skill.pages.values()
        for root in sorted(roots)
        if f"{root}." in other.text
        for found in re.finditer(
            rf"\b{re.escape(root)}\.(?:description|task|goal|request|requirement|topic)\b", other.text
        )
    ]
    lines = list(_FILLED.finditer(page.text, prompt.at.start, prompt.at.end))
    if not names or not lines:
        return "", -1, ""
    name = max(sorted(set(names)), key=names.count)
    ends = [one for one, after in pairwise(lines) if after.start() > one.end() + 2]
    last = (ends or lines[-1:])[0]
    mark = last["mark"]
    label = "任务" if page.language == "zh" else "Task Description"
    bold = "**" if "**" in last[0] else ""
    return "", last.end(), f"\n{mark}{bold}{label}{bold}: ${{{name}}}"


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
