"""What a list demands of a prompt or a template, and the shape beside it that has all of it but one."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from loopwright.tune.reading.words.spots import begun
from loopwright.tune.reading.words.stems import stems
from loopwright.tune.skill.model import Block, Page, PageKind, Skill
from loopwright.tune.skill.once import once

Idea = Literal["goal", "rules", "state"]
_IDEAS: tuple[tuple[Idea, re.Pattern[str]], ...] = (
    (
        "goal",
        re.compile(

                r"\b(?:objectives?|goals?|questions?|tasks?(?: statement)?|(?:user )?requests?|briefs?|intents?"
                r"|mission|purpose"

            r"|problem(?: statement)?|outcomes?|ask)\b|目标|需求|问题|任务|原话|诉求|意图",
            re.IGNORECASE,
        ),
    ),
    (
        "rules",
        re.compile(

                r"\b(?:constraints?|rules?|limits?|boundar(?:y|ies)|guard-?rails?|non-goals?|safety|forbidden"
                r"|prohibitions?|scope"

            r" limits?|must not|do not)\b|约束|规则|边界|禁止|限制|红线",
            re.IGNORECASE,
        ),
    ),
    (
        "state",
        re.compile(

                r"\b(?:memory|state|history|progress|checkpoints?|resume|recovery|prior (?:work|results))\b|状态"
                r"|记忆|进度|恢复|历史"
            ,
            re.IGNORECASE,
        ),
    ),
)  # fmt: skip
_DEMANDS = re.compile(
    r"\b(?:must|gets?|receives?|includ\w+|contains?|needs?|with|carr(?:y|ies)|has|have|requires?|pass|given?"
    r"|provide|write|holds?"
    r"|record|capture)\b|必须|包含|包括|带|给|提供|写明|含",
    re.IGNORECASE,
)
_BOLD = re.compile(r"\*\*([^*\n]{2,50}?)\*\*")
_CUT = re.compile(r"\s(?:if|for|of|to|with|from|that|which|in|on|as|and)\s|[(（,，;；:：—–]|\s--?\s")
_NOT = re.compile(r"^\W*(?:no|not|never|without|do not|don't|avoid)\b|^[\W]*(?:不|勿|无)", re.IGNORECASE)
_SHELL = frozenset(
    {"bash", "sh", "shell", "zsh", "console", "python", "py", "js", "javascript", "ts", "typescript", "go"}
)
_FIELD = re.compile(
    r"^[ \t>#*-]{0,30}[A-Z\u4e00-\u9fff][\w\u4e00-\u9fff /&'-]{1,40}\**[:：]|^#{1,6} |[\[{<][A-Za-z\u4e00-\u9fff]",
    re.MULTILINE,
)
_AGENT = re.compile(
    r"\b(?:sub-?agents?|agents?|workers?|prompt|reviewers?|teammates?)\b|代理|智能体|提示", re.IGNORECASE
)
_TITLE = re.compile(r"^#{1,6} ", re.MULTILINE)
_SECTION = re.compile(
    r"(?:every|each|all)\s+(?P<whom>[A-Za-z][\w-]*(?:\s[\w-]+)?)\s+(?:has|have|must have|needs?|includes?"
    r"|contains?|carr(?:y|ies)"
    r"|starts? with|ends? with)\s+(?:an?\s|its\s|the\s|own\s)*[`\"“*]{1,2}(?P<what>[^`\"”*\n]{2,40})[`\"”*]{1,2}\s*"
    r"(?:section|part|block|heading|paragraph)"
    r"|每个(?P<谁>[\u4e00-\u9fffA-Za-z]{1,8}?)都?(?:有|包含|必须有|要有|带)(?:一个|自己的)?[`“「]"
    r"(?P<何>[^`”」\n]{2,20})[`”」](?:一)?(?:节|部分|段|章节|小节)",
    re.IGNORECASE,
)
_SAID: frozenset[PageKind] = frozenset({"skill", "phase", "action", "role", "spec", "other"})
_ENDS = ("", "s", " statement", " scope", " section", "一节", "节")
NEAR = 40
"""Lines between the list and the shape."""
ITEMS, LINES, FEWEST, SHARE, WORDS = (3, 10), 4, 2, 0.6, 7
"""Entries of a list of demands; lines of a shape; how many, and which share, it has of them; words of an entry."""


@dataclass(frozen=True, slots=True)
class Lack:
    """The shape at `start` lacks what is demanded at `asked`. `prompt`: the shape is what an agent is told."""

    page: Page
    start: int
    end: int
    name: str
    idea: Idea
    asked: Page
    asked_at: int
    has: int
    prompt: bool
    titled: bool = False
    """Its parts have headings, not labels."""

    @property
    def first(self) -> str:
        """The shape's first line."""
        return self.page.text[self.start : self.end].strip()


@once
def lacking(skill: Skill) -> Iterator[Lack]:
    for page in skill.pages.values():
        if page.kind in _SAID:
            yield from _listed(page)
            yield from _of_each(page)


def idea_of(name: str) -> Idea | None:
    """By the last words, which say what it is."""
    last = " ".join(_CUT.split(name, maxsplit=1)[0].split()[-2:])
    return next(
        (idea for idea, pattern in _IDEAS if (found := pattern.search(last)) and last[found.end() :].lower() in _ENDS),
        None,
    )


def _listed(page: Page) -> Iterator[Lack]:
    """`The harness must have:` with a list, and a template with all but one of them."""
    for intro, items in _lists(page):
        names = [(item, label) for item in items if (label := _label(item)) and not _NOT.search(item.text)]
        if len(names) < FEWEST + 1 or not any(idea_of(label) for _, label in names):
            continue
        for form in _forms(page, items[-1]):
            words = {*stems(form.text)}
            there = [label for _, label in names if _has(words, label)]
            gone = [(item, label) for item, label in names if label not in there]
            if len(there) < FEWEST or len(there) < SHARE * len(names) or not gone:
                continue
            about = [(item, label, idea) for item, label in gone if (idea := idea_of(label)) is not None]
            if len(about) == 1:
                item, label, idea = about[0]
                told = form.use == "prompt" or _AGENT.search(intro.text) is not None
                yield _lack(page, form, label, idea, item, len(there), told)
            break


def _lists(page: Page) -> Iterator[tuple[Block, list[Block]]]:
    """A paragraph that ends with a colon and demands something, with the list below it."""
    for index, block in enumerate(page.blocks):
        end = block.text.rstrip(" *")
        if block.kind != "paragraph" or not end.endswith((":", "：")) or not _DEMANDS.search(end[-160:]):
            continue
        items: list[Block] = []
        for other in page.blocks[index + 1 : index + 2 + ITEMS[1]]:
            if other.kind != "item" or (items and other.level != items[0].level):
                break
            items.append(other)
        if ITEMS[0] <= len(items) <= ITEMS[1] and block.use in ("instruction", "prompt"):
            yield block, items


def _label(item: Block) -> str:
    bold = _BOLD.match(item.text)
    name = bold[1] if bold else _CUT.split(item.text, maxsplit=1)[0]
    return name.strip(" :：`.") if len(name.split()) <= WORDS and len(name) < 60 else ""


def _forms(page: Page, after: Block) -> Iterator[Block]:
    """The shapes that follow, in the order of the page."""
    for block in page.blocks:
        near = after.start < block.start and block.line - after.line_end < NEAR
        shape = block.kind == "code" and block.lang.lower() not in _SHELL and block.use != "negative"
        if near and shape and block.text.count("\n") + 1 >= LINES and len(_FIELD.findall(block.text)) >= FEWEST:
            yield block


def _has(words: set[str], label: str) -> bool:
    """Its last word, which says what it is, stands in the shape."""
    found = stems(_CUT.split(label, maxsplit=1)[0]) or stems(label)
    return not found or found[-1] in words


def _of_each(page: Page) -> Iterator[Lack]:
    """Every agent has a `Memory Scope` section, and the shape of an agent has none."""
    for found in begun(page.text, ("every ", "each ", "all ", "每个"), _SECTION):
        whom, what = found["whom"] or found["谁"], found["何"] or found["what"]
        idea, kind = idea_of(what), {*stems(whom)}
        if idea is None or not kind:
            continue
        forms = list(_shapes_of(page, kind))
        if forms and not any(what.lower() in form.text.lower() for form in forms):
            yield Lack(page, *_first(forms[-1]), what, idea, page, found.start(), 0, False, True)


def _shapes_of(page: Page, kind: set[str]) -> Iterator[Block]:
    """Shapes with titles of their own, in sections about such a thing; the one whose own title says so last."""
    for form in page.blocks:
        section = page.sections[form.section] if form.kind == "code" and form.section >= 0 else None
        if section is None or form.use == "negative" or len(_TITLE.findall(form.text)) <= FEWEST:
            continue
        if kind & {*stems(section.title)}:
            yield form


def _lack(page: Page, form: Block, label: str, idea: Idea, item: Block, has: int, told: bool) -> Lack:
    return Lack(page, *_first(form), label, idea, page, item.start, has, told)


def _first(form: Block) -> tuple[int, int]:
    line = form.text.find("\n")
    first = form.text[:line] if line > 0 else form.text
    return form.body, form.body + len(first.rstrip())
