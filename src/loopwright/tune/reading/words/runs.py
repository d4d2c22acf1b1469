"""How often each word stands on a page, counted once for all rules that ask whether one is said elsewhere."""

import re
from collections import Counter
from collections.abc import Iterator

from loopwright.tune.skill.letters import small
from loopwright.tune.skill.model import Page, Skill
from loopwright.tune.skill.once import once

_RUN = re.compile(r"[\w\-]+")


@once
def runs(page: Page) -> Iterator[Counter[str]]:
    """One count: of runs of letters, digits, hyphens and underscores, in small letters."""
    yield Counter(_RUN.findall(small(page.text)))


def times(skill: Skill, word: str) -> int:
    """How often the word (in small letters) stands on all pages, as a whole one."""
    return sum(count[word] for page in skill.pages.values() for count in runs(page))
