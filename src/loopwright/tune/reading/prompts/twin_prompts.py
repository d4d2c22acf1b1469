"""Prompts that are one text at two places, and the line that one of them has lost."""

import re
from functools import lru_cache

from loopwright.tune.skill.model import Prompt

SHARED, MOST = 4, 0.6
"""Lines that two prompts have in common, and their share in the longer one, by which they are one text."""
_MARKS = re.compile(r"[\s*_`]+")


@lru_cache(maxsize=512)
def lines_of(text: str) -> tuple[str, ...]:
    """Lines that say something, without marks."""
    found = (_MARKS.sub(" ", line).strip() for line in text.splitlines())
    return tuple(dict.fromkeys(line for line in found if len(line) > 3))


def are_twins(one: Prompt, other: Prompt) -> bool:
    first, second = {*lines_of(one.text)}, {*lines_of(other.text)}
    shared = len(first & second)
    return shared >= SHARED and shared >= MOST * max(len(first), len(second))
