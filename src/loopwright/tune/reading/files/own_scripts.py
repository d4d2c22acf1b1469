"""Where a skill tells to run scripts of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Page, Skill

_RUN = re.compile(
    r"(?:^|[\s`(])(?:python3?|node|bash|sh|uv run|deno run|ruby|perl|npx tsx|\./)\s*(?:\"?\$\{?\w+\}?\"?/|<[\w-]+>/"
    r"|\{[\w-]+\}/|\./)?"
    r"((?:[\w.-]+/)*[\w.-]+\.(?:py|js|mjs|cjs|ts|sh|rb|pl))\b"
)
_SHELLS = frozenset({"", "bash", "sh", "shell", "console", "zsh", "text"})


@dataclass(frozen=True, slots=True)
class Run:
    """`script`: the path of the script in the skill."""

    page: Page
    start: int
    end: int
    script: str

    @property
    def where(self) -> str:
        return f"{self.page.path}:{self.page.text.count(chr(10), 0, self.start) + 1}"


def runs(skill: Skill) -> Iterator[Run]:
    """In prose, and in code for a shell; a quick start counts, too."""
    scripts = [
        path for path in skill.files if path.rpartition(".")[2] in ("py", "js", "mjs", "cjs", "ts", "sh", "rb", "pl")
    ]
    if not scripts:
        return
    names = {path.rpartition("/")[2] for path in scripts}
    for page in skill.pages.values():
        if page.kind in ("script", "data", "template") or not any(name in page.text for name in names):
            continue
        for block in page.blocks:
            if block.use not in ("instruction", "reference") or block.kind not in ("code", "item", "paragraph", "row"):
                continue
            if block.kind == "code" and block.lang.lower() not in _SHELLS:
                continue
            if not any(name in block.text for name in names):
                continue
            for found in _RUN.finditer(block.text):
                name = found[1].removeprefix("./")
                path = next((one for one in scripts if one == name or one.endswith(f"/{name}")), None)
                if path is not None:
                    yield Run(page, block.body + found.start(1), block.body + found.end(), path)
