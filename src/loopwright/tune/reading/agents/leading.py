"""Pages of roles that lead: the session itself follows them, and starts the agents."""

import re
from functools import lru_cache

from loopwright.tune.skill.model import Page

_NAMED = re.compile(
    r"co-?ordinator|orchestrator|supervisor|conductor|(?:^|[/_-])lead(?:er)?\b|协调|主控|编排", re.IGNORECASE
)
_LEADS = re.compile(
    r"[\s*_>]*(?:(?:you|this role|the \w{1,30}|it)\s+)?(?:will\s+)?(?:orchestrates?|coordinates?|leads?|supervises?)\b"
    r"|[\s*_>]*(?:负责)?(?:协调|编排|统筹|调度)",
    re.IGNORECASE,
)
FIRST = 3
"""Blocks at the beginning of a page that say what its role is for."""


@lru_cache(maxsize=256)
def _leads(path: str, title: str, words: tuple[str, ...]) -> bool:
    return bool(_NAMED.search(path) or _NAMED.search(title) or any(_LEADS.match(one) for one in words))


def leads(page: Page) -> bool:
    """By its path, its title, or the first words below that."""
    title = page.sections[0].title if page.sections else ""
    words = [block.text[:80] for block in page.blocks[: FIRST + 1] if block.kind == "paragraph"]
    return _leads(page.path, title, tuple(words[:1]))
