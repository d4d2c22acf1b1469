"""What a skill's calls are to its hosts: which start an agent, wait for one, ask the user; and which only look so."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.catalogue import Known, catalogue_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Call, Page, Skill
from loopwright.tune.skill.once import once
from loopwright.tune.skill.toolnames import SPAWNS

MEANT = frozenset({"instruction", "prompt"})
PARTS = frozenset({"skill", "phase", "action", "role", "spec", "other"})
"""Kinds of pages whose calls are made by a model."""
_PRODUCT = frozenset(
    {"kotlin", "java", "go", "rust", "swift", "csharp", "cs", "c", "cpp", "php", "ruby", "rb", "dart", "sql"}
)
_COMMON = frozenset({
    "Task", "Agent", "Skill", "Read", "Write", "Edit", "Bash", "Glob", "Grep", "Monitor", "Workflow", "Config",
    "Artifact",
    "wait", "exec", "shell", "replace", "glob",
})  # fmt: skip
"""Names of tools that code of anybody's defines, too."""
_OWN = re.compile(
    r"\b(?:function\*?|class|def|func|fn|fun|interface|struct|type|const|let|var|import|from)[ \t]++\{?[ \t]*+"
    rf"({'|'.join(sorted(_COMMON))})\b"
)

_PICTURES = frozenset({"", "text", "txt", "plaintext", "ascii", "mermaid", "flow"})
_DRAWN = re.compile(r"(?m:^)[ \t]*+[|│║┃]|──|-->|\+--|[├└┌┐┘┤]|\s->\s|→|⟶|▶|►")


@dataclass(frozen=True, slots=True)
class Act:
    """A call of a tool, with its place among the skill's calls. `does` as in the catalogue; "" where it is not told."""

    index: int
    call: Call
    known: Known
    does: str

    @property
    def limit(self) -> str | None:
        """The parameter that says how long it may take."""
        entry = self.known.old or self.known.tool
        return entry.limit if entry else None


@once
def acts(skill: Skill) -> Iterator[Act]:
    """The calls of tools that instructions and prompts tell to make."""
    catalogue = catalogue_of(skill)
    names: dict[str, bool] = {}
    for index, call in enumerate(skill.calls):
        name = call.name
        if call.at.use not in MEANT or skill.pages[call.at.file].kind not in PARTS:
            continue
        if name not in names:
            names[name] = bool(catalogue.hosts_of(name)) or name in SPAWNS or name == "spawn agents"
        if not names[name] or (name in _COMMON and name in own_names(skill.pages[call.at.file].text)):
            continue
        given = [one.name for one in call.arguments if one.name]
        known = catalogue.resolve(name, skill.hosts, given)
        entry = known.old or known.tool
        if name.isalpha() and name.islower() and name not in SPAWNS and not _fits(known, given):
            continue
        if is_product(skill, call, known, given):
            continue
        yield Act(index, call, known, entry.does if entry else "spawn" if name in SPAWNS or " " in name else "")


@lru_cache(maxsize=256)
def own_names(text: str) -> frozenset[str]:
    """Tools' names that code of the page defines as something of its own."""
    return frozenset(found[1] for found in _OWN.finditer(text))


def _fits(known: Known, given: list[str]) -> bool:
    """A plain word is a tool only with that tool's parameters: `wait({ ids })`, but not `wait(500)`."""
    takes = {*known.tool.parameters} if known.tool else set()
    return bool(takes & {*given}) or bool(known.old and {*known.old.when} & {*given})


def is_product(skill: Skill, call: Call, known: Known, given: list[str]) -> bool:
    """The call is part of a program that the skill is about: code of such a language, without the tool's parameters."""
    block = block_of(skill.pages[call.at.file], call.at.start)
    if block is None or block.kind != "code":
        return False
    lang = block.lang.lower()
    return lang in _PRODUCT or (
        lang in ("python", "py", "python3") and known.tool is not None and not _fits(known, given)
    )


def block_of(page: Page, position: int) -> Block | None:
    index = block_at(page, position)
    return page.blocks[index] if index >= 0 else None


def in_code(skill: Skill, call: Call) -> bool:
    block = block_of(skill.pages[call.at.file], call.at.start)
    return block is not None and block.kind == "code"


def is_bracketed(skill: Skill, call: Call) -> bool:
    """It is written as a call, not told in words."""
    text = skill.pages[call.at.file].text
    return text.startswith(("(", "{"), call.at.start + len(call.name))


def is_drawn(skill: Skill, call: Call) -> bool:
    """It stands in a picture, in a box or between arrows: its arguments are not all that it is to get."""
    page = skill.pages[call.at.file]
    block = block_of(page, call.at.start)
    if block is None or block.kind != "code" or block.lang.lower() not in _PICTURES:
        return False
    start = page.text.rfind("\n", 0, call.at.start) + 1
    end = page.text.find("\n", call.at.start)
    return _DRAWN.search(page.text, start, end if end >= 0 else len(page.text)) is not None


def names_given(call: Call) -> frozenset[str]:
    return frozenset(one.name for one in call.arguments if one.name)


def where(call: Call) -> str:
    return f"{call.at.file}:{call.at.line}"
