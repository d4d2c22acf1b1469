"""What rules look at: a skill, parsed once. Lines count from 1."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from loopwright.skills.reader.markdown import Use
from loopwright.skills.reader.page import Page

Mode = Literal["sequential", "autonomous"]
Host = Literal["claude", "codex", "gemini"]
ReferenceKind = Literal["link", "read", "prose"]


@dataclass(frozen=True, slots=True)
class FilePosition:
    """A place in a file. `use` of the block it lies in; `phase` is the path or title of the phase it belongs to."""

    file: str
    start: int
    end: int
    line: int
    use: Use = "instruction"
    phase: str | None = None


PositionMaker = Callable[[int, int], FilePosition]
"""Makes a place of a page, from its first character and the one behind its last."""


@dataclass(frozen=True, slots=True)
class Argument:
    """`value` is the source text; `literal` its content where it is one string. `name` None: by position."""

    name: str | None
    value: str
    at: FilePosition
    literal: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool or function as it is called in a fence or in inline code: `Task({...})`, `Read("a.md")`.

    `lang`: of the fence. What stands in a string of a call, as in the prompt of an agent, is no call of this skill.
    """

    name: str
    at: FilePosition
    arguments: tuple[Argument, ...]
    lang: str = ""

    def argument(self, name: str) -> Argument | None:
        return next((one for one in self.arguments if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Reference:
    """A file of the skill that is named. `target`: relative to the skill's folder; `resolved` where that file exists.

    `kind`: link ([text](path)), read (a call loads it) or prose. `loads`: the model is told to read
    it. `optional`: only if it exists.
    """

    raw: str
    target: str
    resolved: str | None
    kind: ReferenceKind
    at: FilePosition
    loads: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The values that a declaration lists for a field. `holder`: what has the field, `field` its path there."""

    holder: str
    field: str
    values: tuple[str, ...]
    at: FilePosition


@dataclass(frozen=True, slots=True)
class Setting:
    """Code that sets a field to a text: `state.plan.status = "done"`."""

    holder: str
    field: str
    value: str
    at: FilePosition


@dataclass(frozen=True, slots=True)
class Phase:
    """A step of the course, in order: a file of its own, or a section of SKILL.md (then `section` is its index)."""

    name: str
    order: int
    file: str
    start: int
    end: int
    section: int = -1
    tokens: int = 0


@dataclass(frozen=True, eq=False)
class Skill:
    """A skill and its graph. `files` are all below its folder, with their sizes; `pages` those that are text.

    `main` is the path of SKILL.md; `reached` are the pages that it leads to, itself first, in the order in which they
    are found. `tools`: what `allowed-tools` declares, None where it declares none. `hosts` it is written for, as far
    as told. `catalogues`: what the user has written of tools, as (file, TOML).
    """

    name: str
    main: str
    files: Mapping[str, int]
    pages: Mapping[str, Page]
    reached: tuple[str, ...] = ()
    mode: Mode = "sequential"
    hosts: frozenset[Host] = frozenset()
    tools: frozenset[str] | None = None
    phases: tuple[Phase, ...] = ()
    calls: tuple[Call, ...] = ()
    references: tuple[Reference, ...] = ()
    enumerations: tuple[Enumeration, ...] = ()
    settings: tuple[Setting, ...] = ()
    catalogues: tuple[tuple[str, str], ...] = ()
