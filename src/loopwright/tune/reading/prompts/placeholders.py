"""Names in braces that a page fills in: which of them the skill gives a value."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_USED = re.compile(r"\{([a-z][a-z_]{3,40})\}(?!\})")
_NO_PLACEHOLDER = frozenset("$\"'{/}")
_BOUND = re.compile(r"^[ \t]*[-*]\s+`\{?([a-z][a-z_]{2,40})\}?`(?:\s*,\s*`\{?([a-z][a-z_]{2,40})\}?`)?", re.MULTILINE)
BINDINGS, USES, STRAYS, MOST = 4, 3, 2, 200
"""So many names that a list gives a value, and that are used, make a custom; so many may break it to be a slip."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A name that is used and that nothing gives a value, where the page lists what its names stand for."""

    page: Page
    name: str
    start: int
    end: int
    after: int
    """Where the list of names ends."""
    bound: int


def strays(skill: Skill) -> Iterator[Stray]:
    page = skill.pages.get(skill.main)
    used: dict[str, re.Match[str]] = {}
    for found in _USED.finditer(page.text if page else ""):
        before = found.string[found.start() - 1 : found.start()]
        if before not in _NO_PLACEHOLDER and not before.isalnum():
            used.setdefault(found[1], found)
    if page is None or not USES < len(used) <= MOST:
        return
    listed = [*_BOUND.finditer(page.text)]
    bound = {name for found in listed for name in found.groups() if name}
    if len(bound) < BINDINGS:
        return
    unknown = [name for name in used if name not in bound and not _named(skill, name)]
    if len(used.keys() & bound) < USES or len(unknown) > STRAYS:
        return
    for name in unknown:
        block = page.blocks[block_at(page, used[name].start())]
        indented = block.kind == "code" and block.body == block.start
        if indented or (block.use == "instruction" and block.kind in ("item", "paragraph", "html")):
            line = page.text.find("\n", listed[-1].start())
            yield Stray(page, name, *used[name].span(), line if line >= 0 else len(page.text), len(bound))


def _named(skill: Skill, name: str) -> bool:
    """Anything else than a use of it: a key, an assignment, a sentence that sets it."""
    other = re.compile(r"(?<![{\w])" + re.escape(name) + r"(?![}\w])")
    return any(other.search(page.text) for page in skill.pages.values() if name in page.text)
