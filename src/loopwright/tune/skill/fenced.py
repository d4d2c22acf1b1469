"""Prompts that stand by themselves: fenced blocks that are introduced as one, and pages that are one."""

import re

from loopwright.tune.skill.given import Given
from loopwright.tune.skill.model import Block, Page, Use
from loopwright.tune.skill.placeholders import placeholders
from loopwright.tune.skill.places import Places

_INTRODUCES = re.compile(
    r"\b(?:(?:sub-?)?agent|worker|reviewer|spawn|dispatch|task|delegat\w{1,8})?\s{0,8}prompt(?:\s{1,8}(?:template|for|to|text"
    r"|structure|skeleton|body|shape|outline|pattern)\b|\s{0,8}[:.`*_(]|\s{0,8}$)"
    r"|\b(?:(?:sub-?)?agent|worker|reviewer|subtask)s?['’]?\s{1,8}prompts\s{0,8}[:：]"
    r"|\b(?:instructions?|message)\s+(?:for|to|of)\s+(?:the\s+|each\s+|every\s+|an?\s+)?(?:sub-?)?(?:agents?"
    r"|workers?|subtask|reviewers?)\b"
    r"|提示词|提示(?:模板|如下|：|:)|(?:子代理|代理|智能体|agent)\s*(?:指令|任务说明|提示)",
    re.IGNORECASE,
)
_NO_PROMPT = re.compile(
    r"\b(?:user|users'|example|sample|image|system|trigger)\s+prompt|prompts?\s+(?:the|for)\s+user|commit"
    r"|command\s+prompt|触发|示例",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"\s*+[\[#*<【]{1,3}\s*+(?:[A-Z]{1,30}[ _-]){0,3}PROMPT(?: TEMPLATE)?\s{0,8}[\]*>:】]{0,3}\s{0,8}\n"
)
"""The first line of a fence that says what it is."""
_FENCES = frozenset({"", "text", "txt", "md", "markdown", "prompt", "plaintext", "plain", "xml"})
_LEADS = re.compile(
    r"^_|\b(?:readme|index|shared|coordinator|orchestrator|lead|leader|manager|supervisor|conductor|dispatcher"
    r"|main)\b",
    re.IGNORECASE,
)


def fenced_prompts(page: Page, places: Places) -> list[Given]:
    """Fenced blocks that are introduced as the prompt of an agent."""
    found = []
    for index, block in enumerate(page.blocks):
        if block.kind != "code" or block.lang.lower() not in _FENCES or not block.text.strip():
            continue
        if block.lang.lower() != "prompt" and not _introduced(page, index) and not _TITLED.match(block.text):
            continue
        use: Use = "prompt" if block.use in ("instruction", "prompt", "template") else block.use
        end = block.body + len(block.text)
        found.append(Given(block.body, end, use, block.text, placeholders(places, block.body, end, use)))
    return found


def _introduced(page: Page, index: int) -> bool:
    block = page.blocks[index]
    if any(f"{name}(" in block.text for name in ("Task", "Agent", "spawn_agent")) or not index:
        return False
    before: Block = page.blocks[index - 1]
    said = before.text[-200:] if before.kind != "code" else ""
    if before.kind in ("paragraph", "item", "heading") and _INTRODUCES.search(said) and not _NO_PROMPT.search(said):
        return said.rstrip().endswith((":", "：", "**", "`")) or before.kind == "heading" or len(said) < 80
    return False


def page_prompt(page: Page, places: Places) -> Given | None:
    """The body of a page that is a role: an agent gets it as a whole."""
    if not is_prompt(page):
        return None
    start = page.front.end if page.front else 0
    text = page.text[start:]
    if not text.strip():
        return None
    name = page.front.values.get("name") if page.front else None
    holes = [hole for part in places.prose() for hole in placeholders(places, part.start, part.end, "prompt")]
    return Given(
        start, len(page.text), "prompt", text, tuple(holes), -1, name if isinstance(name, str) else _stem(page)
    )


def is_prompt(page: Page) -> bool:
    """Whether an agent gets the page as a whole: a role, but not the one that leads the others."""
    return page.kind == "role" and page.path.endswith((".md", ".mdx", ".txt")) and not _LEADS.search(_stem(page))


def _stem(page: Page) -> str:
    return page.path.rpartition("/")[2].rpartition(".")[0]
