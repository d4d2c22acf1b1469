"""What a model gets to see that works with the skill: the tools that the pages which SKILL.md leads to call."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.skills.catalogue import KnownName, catalogue_of, is_word
from loopwright.skills.reader.calls import PYTHON
from loopwright.skills.reader.model import Call, Reference, Skill

_DEFINED = re.compile(
    r"\b(?:function\*?|class|def|func|fn|fun|interface|struct|type|const|let|var|import|from)[ \t]++\{?[ \t]*+"
    r"([A-Za-z_]\w*)"
)

_VALUE = re.compile(r"[A-Za-z_$][\w.$]*(?:[(\[].*)?\Z|[({\[`\"'\d$<]", re.DOTALL)
"""What may be given by position; else it is a pattern of permissions, as in Bash(git *)."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it is written, and what the catalogue knows of its name."""

    call: Call
    known: KnownName

    @property
    def named(self) -> frozenset[str]:
        """The parameters that it gives by name."""
        return frozenset(one.name for one in self.call.arguments if one.name)

    @property
    def place(self) -> str:
        return f"{self.call.at.file}:{self.call.at.line}"


@lru_cache(maxsize=8)
def list_written_calls(skill: Skill) -> tuple[ToolCall, ...]:
    """Calls that pages which are reached tell to make, of names that the page does not define."""
    seen = frozenset(skill.reached)
    catalogue = catalogue_of(skill)
    return tuple(
        ToolCall(call, catalogue.resolve(call.name, skill.hosts, [one.name for one in call.arguments if one.name]))
        for call in skill.calls
        if call.at.file in seen
        and call.at.use == "instruction"
        and call.name not in list_defined_names(skill.pages[call.at.file].text)
        if all(one.name or one.literal is not None or _VALUE.match(one.value) for one in call.arguments)
    )


def tool_calls(skill: Skill) -> Iterator[ToolCall]:
    """Those of tools that hosts have or had: where a call names parameters, one of them at least is the tool's.

    What an old tool took is not known: a name like `KillBash` is enough, one like `save_memory` may be anybody's.
    """
    for one in list_written_calls(skill):
        name, tool, old = one.call.name, one.known.tool, one.known.old
        if tool is None and old is None:
            continue
        fits = one.named & {*(tool.parameters if tool else ()), *(old.when if old else ())}
        speaks = not is_word(name) and (not one.named or (tool is None and name[0].isupper()))
        if fits or (speaks and one.call.lang not in PYTHON):
            yield one


def list_allowed_tools(skill: Skill) -> Iterator[tuple[str, int]]:
    """The names that allowed-tools lists, without their patterns, and where they stand on the main page."""
    page = skill.pages.get(skill.main)
    value = page.key("allowed-tools") if page else None
    if page is None or value is None:
        return
    for name in sorted({tool.partition("(")[0] for tool in skill.tools or ()}):
        found = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])").search(page.text, value[0] + 14, value[1])
        if found:
            yield name, found.start()


def is_loaded(one: Reference) -> bool:
    """The model is told to read it, whatever happens."""
    return one.loads and not one.optional and one.at.use == "instruction"


@lru_cache(maxsize=256)
def list_defined_names(text: str) -> frozenset[str]:
    """Names that code of the page defines."""
    return frozenset(found[1] for found in _DEFINED.finditer(text))
