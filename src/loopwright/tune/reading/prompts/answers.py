"""The shape in which an agent is to answer: which lines are its fields, and which of them ask for all there is."""

import re
from collections.abc import Iterator
from dataclasses import replace

from loopwright.tune.reading.prompts.returns import is_all
from loopwright.tune.reading.words.sayings import MEANT, SKIPPED, Saying
from loopwright.tune.skill.letters import small
from loopwright.tune.skill.model import At, Block, Page, Skill

_ANSWER = re.compile(
    r"(?:output|return|result|respon[ds]|reply|replies|answer|report|deliverable|hand-?off|callback|completion)"
    r"|输出|返回|交付|结果|汇报|回报|回复|答复",
    re.IGNORECASE,
)
_ASKED = re.compile(r"input|context|given|previous|task\b|assignment|输入|背景|上下文|任务|上一", re.IGNORECASE)
_FIELD = re.compile(r"(?P<name>[^:：\n]{1,80})[:：][*\"'` \t]{0,8}(?P<slot>(?:(?<=[\"'`])|[<{\[(（【])[^\n]{6,240})")
_WORK = re.compile(r"(?:content|text|document|draft|translation|code|body)[\W_]{0,6}\Z", re.IGNORECASE)
"""The field is for the work itself that the agent was started for."""
_OF_OUTPUT = re.compile(r"\|\s{0,20}(?:Output|输出)\s{0,20}\|", re.IGNORECASE)
"""A column of a table that says whose field it is."""
_CUT = re.compile(
    r"\.(?:slice|substring|substr|split|head|tail|match|length)\b|slice\(|tail|head|limit|offset|summar", re.IGNORECASE
)
"""A part of it, or a measure."""
_STEMS = ("full", "complete", "entire", "whole", "raw", "everything", "verbatim", "all ", "every ", "unabridged",
          "全", "完整", "所有", "原样", "不限")  # fmt: skip
_USES = (*MEANT, "template")
REACH, LONGEST = 2_000, 120
"""Characters above a field in which its label stands, and of a label."""


def unlimited(skill: Skill) -> Iterator[Saying]:
    """Fields of an answer that ask for a whole text, or for all there is."""
    for page in skill.pages.values():
        if page.kind in SKIPPED or not any(stem in small(page.text) for stem in _STEMS):
            continue
        for number, block in enumerate(page.blocks):
            if block.kind == "row" and _OF_OUTPUT.search(block.text) and is_all(block.text):
                yield Saying(page, block.text.strip(), page.text.index(block.text.strip(), block.start))
            if block.kind == "code" and block.use in _USES and any(stem in block.text.lower() for stem in _STEMS):
                yield from _in_block(page, block, number)


_READ_WHOLE = re.compile(
    r"\$\{\s{0,4}(?:await\s{1,4})?(?:JSON\.parse\(\s{0,4})?(?:fs\.)?(?:[Rr]ead|readFileSync|readFile|read_file|cat)\("
)
_SAID = re.compile(r"\b(?:message|summary|output|result|report|details?|answer|response|content)\s{0,4}:\s{0,4}$")


def carried(skill: Skill) -> Iterator[tuple[At, str]]:
    """A text with a whole file in it that is what an action gives back: the file's place in it, and its name."""
    for one in skill.assignments:
        page = skill.pages[one.at.file]
        if one.at.use not in MEANT or "`" not in one.value or page.kind not in ("action", "role", "other"):
            continue
        read = _READ_WHOLE.search(one.value)
        if read is None:
            continue
        expression = one.value[read.start() : one.value.find("\n", read.end())].rstrip()
        if _CUT.search(expression):
            continue
        back = re.compile(rf"(?<![\w.$]){re.escape(one.name)}(?![\w.(])")
        for found in back.finditer(page.text, one.at.end, min(len(page.text), one.at.end + REACH)):
            before = page.text[max(0, found.start() - 40) : found.start()]
            if _SAID.search(before) or before.rstrip().endswith("return"):
                start = page.text.find(expression, one.at.start)
                line = page.text.count("\n", 0, start) + 1
                yield replace(one.at, start=start, end=start + len(expression), line=line), expression
                break


def _in_block(page: Page, block: Block, number: int) -> Iterator[Saying]:
    at = block.body
    for line in page.text[block.body : block.end].splitlines(keepends=True):
        found = _FIELD.match(line)
        asks = found is not None and is_all(found["slot"]) and not _WORK.search(found["name"])
        if asks and _introduced(page, at, block, number):
            said = line.strip()
            yield Saying(page, said, at + line.index(said))
        at += len(line)


def _introduced(page: Page, at: int, block: Block, number: int) -> bool:
    """The last label above the place says so, or what introduces the block that it stands in."""
    said = label_above(page.text, block.body, at)
    if said is None:
        before = page.blocks[number - 1] if number else None
        said = before.text[-120:] if before is not None and before.kind in ("paragraph", "heading", "item") else ""
    return is_of_answer(said)


def is_of_answer(label: str) -> bool:
    return _ANSWER.search(label) is not None and not _ASKED.search(label)


def label_above(text: str, floor: int, at: int) -> str | None:
    """The last heading, or line with a colon at its end, before the place."""
    start = max(floor, at - REACH)
    for line in reversed(text[start : text.rfind("\n", start, at) + 1].splitlines()):
        bare = line.strip(" \t*`│|")
        if line.lstrip().startswith(("#", "**")) or (bare.endswith((":", "：")) and bare[:1].isalpha()):
            return bare[:LONGEST]
    return None
