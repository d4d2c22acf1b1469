"""Agents that are started for each row of a CSV file, and the column with their task that their text leaves out."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Page, Prompt, Skill

_COLUMN = re.compile(r"(?<![${\w])\{(?P<name>[a-z][a-z_]{1,30})\}(?!\})")
_HEAD = re.compile(r"^[ \t]{0,8}(?P<names>[a-z_]{1,30}(?:,[ ]?[a-z_]{1,30}){3,30})[ \t]{0,4}$", re.MULTILINE)
_TASK = ("description", "task_description", "task", "requirement", "prompt", "instruction", "goal", "question")
FEWEST = 2
"""Columns that a text has to be filled with, so that it is the text of a row."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    page: Page
    start: int
    end: int
    column: str
    head: str
    entry_at: int
    """The end of the first line that is filled from the row."""


def is_of_rows(skill: Skill, prompt: Prompt) -> bool:
    return prompt.call >= 0 and skill.calls[prompt.call].name.endswith("_on_csv")


def left_out(skill: Skill) -> Iterator[LeftOut]:
    for prompt in skill.prompts:
        filled = {found["name"] for found in _COLUMN.finditer(prompt.text)} if is_of_rows(skill, prompt) else set()
        head = _head(skill, filled) if len(filled) >= FEWEST else None
        if head is None:
            continue
        names, where = head
        column = next((name for name in _TASK if name in names), None)
        if column is not None and not filled & {*_TASK}:
            page = skill.pages[prompt.at.file]
            first = page.text.find("\n", prompt.at.start)
            filled_at = _COLUMN.search(page.text, prompt.at.start)
            at = page.text.find("\n", filled_at.end()) if filled_at else first
            yield LeftOut(page, prompt.at.start, first, column, where, at)


def _head(skill: Skill, filled: set[str]) -> tuple[frozenset[str], str] | None:
    """The line that names the columns, most of those that the text is filled with among them."""
    for page in skill.pages.values():
        for found in _HEAD.finditer(page.text) if "," in page.text else ():
            names = frozenset(name.strip() for name in found["names"].split(","))
            if len(names & filled) >= FEWEST:
                return names, f"{page.path}:{page.text.count(chr(10), 0, found.start()) + 1}"
    return None
