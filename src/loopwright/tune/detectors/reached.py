"""What a model gets to see that works with the skill: the pages that SKILL.md leads to, and the tools they call."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.catalogue import Known, catalogue_of
from loopwright.tune.skill.model import Block, Call, Page, Reference, Skill
from loopwright.tune.skill.once import once

SAID = frozenset({"instruction", "prompt"})
"""What is meant as it stands: no example of how not to do it, no quotation, no template."""
NO_SCRIPT = frozenset({"", "javascript", "js", "typescript", "ts", "jsx", "tsx", "text", "txt", "pseudo", "pseudocode"})
"""Languages of fences in which calls of tools are written down; anything else is a program of its own."""
_PYTHON = frozenset({"python", "py", "python3"})
_DEFINED = re.compile(
    r"\b(?:function\*?|class|def|func|fn|fun|interface|struct|type|const|let|var|import|from)[ \t]++\{?[ \t]*+"
    r"([A-Za-z_]\w*)"
)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it is written, its place among the skill's calls, and what the catalogue knows of its name."""

    index: int
    call: Call
    known: Known

    @property
    def named(self) -> frozenset[str]:
        """The parameters that it gives by name."""
        return frozenset(one.name for one in self.call.arguments if one.name and not one.name.startswith("..."))

    @property
    def place(self) -> str:
        return f"{self.call.at.file}:{self.call.at.line}"


@once
def reached(skill: Skill) -> Iterator[str]:
    """Paths of the pages that SKILL.md leads to, itself included, in the order in which they are found."""
    leads: dict[str, list[str]] = {}
    for one in skill.references:
        if one.resolved is not None:
            leads.setdefault(one.at.file, []).append(one.resolved)
    found = {skill.main: None} if skill.main in skill.pages else {}
    todo = list(found)
    while todo:
        for path in leads.get(todo.pop(0), ()):
            if path in skill.pages and path not in found:
                found[path] = None
                todo.append(path)
    return iter(found)


@once
def written_calls(skill: Skill) -> Iterator[ToolCall]:
    """Calls that pages which are reached tell to make, written as calls, of names that the page does not define."""
    seen = frozenset(reached(skill))
    catalogue = catalogue_of(skill)
    for index, call in enumerate(skill.calls):
        page = skill.pages[call.at.file]
        if call.at.file not in seen or call.at.use not in SAID or not _is_written(page, call):
            continue
        if call.name in defined(page.text):
            continue
        yield ToolCall(
            index, call, catalogue.resolve(call.name, skill.hosts, [one.name for one in call.arguments if one.name])
        )


def tool_calls(skill: Skill) -> Iterator[ToolCall]:
    """Those of tools that hosts have or had: where a call names parameters, one of them at least is the tool's."""
    for one in written_calls(skill):
        takes = {*one.known.tool.parameters} if one.known.tool else set()
        before = {*one.known.old.when} if one.known.old else set()
        if not (one.known.tool or one.known.old):
            continue
        fits = one.named & (takes | before)
        plain = one.call.name.isalpha() and one.call.name.islower()
        if fits or not (one.named or plain or _is_python(skill, one.call)):
            yield one


def block_at(page: Page, at: int) -> Block | None:
    """The block that holds this place."""
    index = bisect_right(page.blocks, at, key=lambda block: block.start) - 1
    return page.blocks[index] if index >= 0 and at < page.blocks[index].end else None


def is_inline_code(text: str, at: int) -> bool:
    """Whether an odd number of backticks stands before the place in its line."""
    return text.count("`", text.rfind("\n", 0, at) + 1, at) % 2 == 1


def is_loaded(one: Reference) -> bool:
    """The model is told to read it, whatever happens."""
    return one.loads and not one.optional and one.at.use in SAID


@lru_cache(maxsize=256)
def defined(text: str) -> frozenset[str]:
    """Names that code of the page defines."""
    return frozenset(found[1] for found in _DEFINED.finditer(text))


def _is_written(page: Page, call: Call) -> bool:
    """With brackets, in a fence for such calls or in inline code."""
    end = call.at.start + len(call.name)
    if not page.text.startswith(("(", "{"), end):
        return False
    block = block_at(page, call.at.start)
    if block is None:
        return False
    if block.kind == "code":
        return block.lang.lower() in NO_SCRIPT | _PYTHON
    return is_inline_code(page.text, call.at.start)


def _is_python(skill: Skill, call: Call) -> bool:
    block = block_at(skill.pages[call.at.file], call.at.start)
    return block is not None and block.lang.lower() in _PYTHON
