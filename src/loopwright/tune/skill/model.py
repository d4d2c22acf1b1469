"""What detectors look at: a skill, parsed once.

All positions are characters in the text of a file (`start` inclusive, `end` exclusive); lines count from 1. Text keeps
its newlines as they are; bytes that are no UTF-8 are kept as surrogates, so that encoding gives the file back.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from loopwright.domain.skill_files import Surroundings as Surroundings

BlockKind = Literal["front", "heading", "paragraph", "item", "code", "row", "quote", "html", "rule"]
"""`item` is one entry of a list, `row` one line of a table (head and separator too)."""
Use = Literal["instruction", "prompt", "template", "negative", "reference", "quotation"]
"""What a span is to the model that reads the skill: what it shall do; what it says to another agent; the shape of
something it shall write; how not to do it; a tutorial or background; words of somebody else. Only the first two are
looked at by detectors."""
PageKind = Literal["skill", "phase", "action", "role", "spec", "template", "reference", "script", "data", "other"]
Concept = Literal[
    "goal", "constraints", "input", "output", "return", "recovery", "errors", "limits", "auto", "checkpoint",
    "validation", "state", "tools", "when", "steps", "example", "negative", "reference",
]  # fmt: skip
"""What a section is about, whatever its title and language (see `concepts`)."""
Mode = Literal["sequential", "autonomous"]
Host = Literal["claude", "codex", "gemini"]


class Block(NamedTuple):
    """`text` is without its markers. `level`: of a heading, or the depth of a list entry. `lang`: of a fence.

    `body` is where the text begins (after marker or fence line); `section` the index of the section it lies in, or -1.
    A tuple, because a page has very many of them, and no other kind of object is made as fast.
    """

    kind: BlockKind
    start: int
    end: int
    line: int
    line_end: int
    text: str
    body: int
    level: int = 0
    lang: str = ""
    section: int = -1
    use: Use = "instruction"
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all below it, to the next one of its level or above. `parent` is -1 at the top."""

    title: str
    level: int
    start: int
    body: int
    end: int
    line: int
    line_end: int
    parent: int
    concept: Concept | None


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter. `values` as YAML has them; `lines` tell where each key begins. `broken`: why it is no YAML."""

    start: int
    end: int
    values: Mapping[str, object]
    lines: Mapping[str, int]
    broken: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """One text file of the skill. `tokens`: a local estimate. `language`: what most of its prose is."""

    path: str
    text: str
    kind: PageKind
    front: Front | None
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    tokens: int
    language: Literal["en", "zh"]
    newline: Literal["\n", "\r\n"] = "\n"


@dataclass(frozen=True, slots=True)
class At:
    """A place in a file. `use` of the block it lies in; `phase` is the path or title of the phase it belongs to."""

    file: str
    start: int
    end: int
    line: int
    use: Use = "instruction"
    phase: str | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """`value` is the source text; `literal` its content where it is one string. `name` None: by position."""

    name: str | None
    value: str
    at: At
    literal: str | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """A tool or function that is called, in a code block or in running text: `Task({...})`, `Read("a.md")`.

    `target`: the variable that takes the result. `repeat`: index of the innermost repeat it lies in, or -1. `prompt`:
    index of the prompt whose text it is part of, or -1 (then the model itself makes the call). `handled`: a failure of
    it has a branch (try, catch, `if (!…)`, `|| `).
    """

    name: str
    at: At
    arguments: tuple[Argument, ...]
    target: str | None = None
    repeat: int = -1
    prompt: int = -1
    handled: bool = False

    def argument(self, name: str) -> Argument | None:
        return next((one for one in self.arguments if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Interpolation:
    """`${expression}` in a prompt, or what stands for one: `{{x}}`, `<x>` where the page says so."""

    expression: str
    at: At


@dataclass(frozen=True, slots=True)
class Prompt:
    """Text that another agent is given: the prompt of a spawning call, a fenced prompt, a page that is one.

    `call`: index of that call, or -1. `agent`: the role or agent type, as it is written.
    """

    at: At
    text: str
    interpolations: tuple[Interpolation, ...] = ()
    call: int = -1
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Repeat:
    """What is repeated: a loop of code, or words that say so. `bound`: what ends it for certain, as written.

    `over`: what a for loop goes through; such a loop has a bound by itself.
    """

    kind: Literal["code", "prose"]
    at: At
    head: str
    bound: str | None = None
    over: str | None = None


@dataclass(frozen=True, slots=True)
class Assignment:
    """A variable that is set, or grows: `grows` for push, append, +=, concat and spread into itself."""

    name: str
    value: str
    at: At
    grows: bool = False
    repeat: int = -1


@dataclass(frozen=True, slots=True)
class Reference:
    """A file that is named. `target`: canonical, relative to the skill's folder; `resolved` where that file exists.

    `kind`: link ([text](path)), read (a call loads it), table, code, prose (backticks or `Ref:`). `loads`: the model is
    told to read it. `optional`: only if it exists. `outside`: not of this skill (URL, home, project, variable).
    """

    raw: str
    target: str
    resolved: str | None
    kind: Literal["link", "read", "table", "code", "prose"]
    at: At
    loads: bool = False
    optional: bool = False
    outside: bool = False


@dataclass(frozen=True, slots=True)
class Artefact:
    """A file of the skill's run that is written, read, or named as input or output.

    `name` is canonical: `${workDir}/state.json` and `{session}/state.json` are both `<dir>/state.json`; a part that
    counts (`draft-${i}.md`) is `draft-<n>.md`. `optional`: it is said that it may not be there.
    """

    name: str
    mode: Literal["read", "write", "declare"]
    at: At
    raw: str
    call: int = -1
    optional: bool = False


@dataclass(frozen=True, slots=True)
class FieldUse:
    """A field of a state or result that code reads or writes: `state.plan.items` is `plan.items`.

    `root`: what it is a field of, as written (`state`, `result`, …). `values`: literals it is set to or compared with.
    """

    root: str
    path: str
    mode: Literal["read", "write"]
    at: At
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FieldDeclared:
    """A field that a schema has. `values`: the set it may take, where that is said."""

    path: str
    type: str
    at: At
    values: tuple[str, ...] = ()
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Schema:
    """A declared shape: a TypeScript interface, JSON Schema, a JSON template, a table of fields.

    `open`: it may have other fields, too.
    """

    name: str
    format: Literal["typescript", "json-schema", "json", "table"]
    at: At
    fields: tuple[FieldDeclared, ...]
    open: bool = False


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


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill and its graph. `files` are all below its folder, with their sizes; `pages` those that are text.

    `main` is the path of SKILL.md; `nested` are folders of skills inside this one, which are not part of it.
    `tools`: what `allowed-tools` declares, None where it declares none. `hosts` it is written for, as far as told.
    """

    name: str
    main: str
    files: Mapping[str, int]
    pages: Mapping[str, Page]
    mode: Mode = "sequential"
    hosts: frozenset[Host] = frozenset()
    tools: frozenset[str] | None = None
    phases: tuple[Phase, ...] = ()
    calls: tuple[Call, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    repeats: tuple[Repeat, ...] = ()
    assignments: tuple[Assignment, ...] = ()
    references: tuple[Reference, ...] = ()
    artefacts: tuple[Artefact, ...] = ()
    fields: tuple[FieldUse, ...] = ()
    schemas: tuple[Schema, ...] = ()
    nested: tuple[str, ...] = ()
    around: Surroundings = field(default_factory=Surroundings)
