"""Variables of the shell that a skill's commands use and that nothing sets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from loopwright.tune.reading.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_USED = re.compile(r"\$\{?(?P<name>[A-Z][A-Z0-9_]{2,40})\b(?P<rest>\}|:[-?=+])?")
_OF_THE_SYSTEM = re.compile(
    r"(?:HOME|PATH|USER|PWD|OLDPWD|SHELL|EDITOR|TMPDIR|TMP|TEMP|LANG|TERM|RANDOM|PPID|UID|EUID|IFS|OSTYPE"
    r"|ARGUMENTS|ARGS"
    r"|ARGV|CI|PORT|DEBUG|LINENO|SECONDS|APPDATA|USERPROFILE|(?:HOST|TMUX|GITHUB_|CLAUDE|CODEX|GEMINI|XDG_|BASH|NODE_"
    r"|PYTHON|SSH_|AWS_|LC_)\w*|\w*(?:KEY|TOKEN|SECRET|PASSWORD|_URL|_HOST|_HOME|_ROOT|_PAT|_ID|_DSN))\Z"
)
MANY, FEWEST = 400, 2
"""Uses on a page that are looked at; so many make it more than a slip of the keys."""


@dataclass(frozen=True, slots=True)
class Unset:
    page: Page
    name: str
    start: int
    end: int
    count: int


def unset(skill: Skill) -> Iterator[Unset]:
    uses: dict[str, list[tuple[Page, re.Match[str]]]] = {}
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template", "reference") or "$" not in page.text:
            continue
        for found in islice(_USED.finditer(page.text), MANY):
            block = page.blocks[block_at(page, found.start())]
            if block.use in ("instruction", "prompt"):
                uses.setdefault(found["name"], []).append((page, found))
    for name, places in uses.items():
        guarded = any((found["rest"] or "").startswith(":") for _, found in places)
        if len(places) < FEWEST or guarded or _OF_THE_SYSTEM.match(name) or _named(skill, name):
            continue
        page, found = places[0]
        yield Unset(page, name, found.start(), found.end(), len(places))


def _named(skill: Skill, name: str) -> bool:
    """Anything but a use of it: an assignment, a sentence that sets it, a table of what is in the environment."""
    other = re.compile(rf"(?<![${{\w]){name}\b")
    return any(other.search(page.text) for page in skill.pages.values() if name in page.text)
