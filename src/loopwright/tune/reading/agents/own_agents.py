"""Sentences by which one who works for the skill is to start workers of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.agents.agency import MEANT, PARTS
from loopwright.tune.skill.letters import has
from loopwright.tune.skill.model import Block, Page, Skill

_AGENTS = r"(?:sub-?agents?|agents?|workers?|teammates?|helpers?|reviewers?|explorers?|team(?: runs?)?|swarms?)"
_STARTS = r"(?:spawn|launch|start|dispatch|creat|hir|fork|delegat|split|fan|kick|invok|call|us|run|bring)\w*"
_OWN = re.compile(
    rf"\b{_STARTS}\b[^.;:\n]{{0,50}}?\b(?:its|their|your|his|her)\s+own\s+(?:[\w:`-]+\s+){{0,4}}?{_AGENTS}\b"
    rf"|\b{_STARTS}\s+(?:up\s+to\s+)?(?:a|an|one|two|three|\d+|some|any|several|more|further|another|additional|extra"
    rf"|fresh|new|"
    rf"parallel)(?:\s+(?:more|further|other|extra|additional|new))?\s+(?:[\w:`-]+\s+){{0,2}}?{_AGENTS}\b",
    re.IGNORECASE,
)
_ZH = re.compile(
    r"(?:再|自行|自己|另外|另|继续)[^。；;\n]{0,8}?(?:启动|派发?|创建|拉起|调用|起|开|生成)[^。；;\n]{0,14}?(?:子代理"
    r"|代理|智能体|子\s?agent|agent|帮手)"
    r"|(?:启动|派发?|创建|拉起|生成)[^。；;\n]{0,8}?(?:自己的|下级|更多)(?:子代理|代理|智能体|子\s?agent|agent)",
    re.IGNORECASE,
)
_WHO = ("agent", "worker", "team", "helper", "reviewer", "explorer", "swarm", "代理", "智能体", "帮手")
_OWNED = re.compile(r"\b(?:its|their|your) own\b|自己的|自行", re.IGNORECASE)
_NOT = re.compile(
    r"\b(?:not|never|n['’]t|no|without|avoid|forbid\w*|instead of|rather than|only the|cannot|prevent\w*|refuse\w*"
    r"|unless)\b|不|禁|勿|别|只有",
    re.IGNORECASE,
)
_WORKERS = re.compile(
    r"\b(?:workers?|sub-?agents?|agents?|reviewers?|teammates?|lanes?|researchers?|tracers?|explorers?)\b['’]?s?"
    r"(?:\s+(?:contract|brief|instructions?|protocol|preamble|responsibilit\w+|duties|rules|prompt)\b)|(?:代理|子代理"
    r"|评审员)(?:约定|契约|职责|须知)",
    re.IGNORECASE,
)
_EACH = re.compile(
    r"\b(?:each|every|the|an?|all)\s+(?:[\w-]+\s+){0,2}?(?:workers?|sub-?agents?|agents?|reviewers?|teammates?|lanes?"
    r"|researchers?)\s+"
    r"(?:must|should|shall|may|can|will|has to|is to|are to)\b|每个(?:子)?(?:代理|智能体|agent)[^。\n]{0,6}(?:必须|应"
    r"|要|可以|可|需)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"[\s*_`]*(?:Agent|Worker|Reviewer|Subagent|代理|子代理|智能体)\s*[#\d一二三四五六七八九A-H]{1,2}\b", re.IGNORECASE
)
_ITS = re.compile(
    r"\b(?:worker|sub-?agent|agent|reviewer|teammate|lane|researcher|explorer|[a-z]+er)['’]?s?\b", re.IGNORECASE
)
_LEADS = re.compile(
    r"\b(?:coordinator|orchestrator|team[- ]?lead|lead(?:er)?s?|supervisor|nested|nesting|depth|you|main session"
    r"|controller|queen)\b|协调|主控|编排",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Told:
    """The sentence from `start` to `end`, and the words of it that say so."""

    page: Page
    start: int
    end: int
    words: str


def own_agents(skill: Skill) -> Iterator[Told]:
    """In instructions about workers; what prompts say is looked at as calls."""
    for page in skill.pages.values():
        if page.kind not in PARTS or page.kind == "role" or not any(has(page.text, who) for who in _WHO):
            continue
        heads: dict[int, bool] = {}
        intro = ""
        for block in page.blocks:
            if block.kind == "paragraph":
                intro = block.text
            elif block.kind == "heading":
                intro = ""
            if block.use in MEANT and block.kind in ("item", "paragraph", "row", "code"):
                yield from _of_block(page, block, intro, heads)


def _of_block(page: Page, block: Block, intro: str, heads: dict[int, bool]) -> Iterator[Told]:
    for start, end in _lines(page, block):
        text = page.text[start:end]
        low = text.lower()
        found = (_OWN.search(text) or _ZH.search(text)) if any(word in low for word in _WHO) else None
        if found is None or _NOT.search(text) or _LEADS.search(text):
            continue
        if _is_about_worker(page, block, intro, text, heads) or (
            _OWNED.search(found[0]) and _ITS.search(text[: found.start()])
        ):
            yield Told(page, start, end, found[0])


def _lines(page: Page, block: Block) -> Iterator[tuple[int, int]]:
    """A block as a whole, or each line of code."""
    if block.kind != "code":
        yield block.body, block.body + len(block.text)
        return
    at = block.body
    for line in block.text.split("\n") if block.lang.lower() in ("", "text", "txt", "markdown", "md") else ():
        if line.strip():
            yield at + len(line) - len(line.lstrip()), at + len(line)
        at += len(line) + 1


def _is_about_worker(page: Page, block: Block, intro: str, text: str, heads: dict[int, bool]) -> bool:
    """Its section, the words that open its list, or its first words say whom it is for."""
    if _NUMBERED.match(text) or (block.kind == "item" and _EACH.search(intro)):
        return True
    if block.section not in heads:
        heads[block.section] = block.section >= 0 and _WORKERS.search(page.sections[block.section].title) is not None
    return heads[block.section]
