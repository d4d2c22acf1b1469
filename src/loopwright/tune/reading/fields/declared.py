"""Which fields that a skill uses its schemas do not have."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.files.runfiles import file_names
from loopwright.tune.skill.known import described, is_of_state, variables
from loopwright.tune.skill.model import FieldUse, Schema, Skill
from loopwright.tune.skill.once import once

_STEP = re.compile(r"\[\w*\]")
_SORTED = re.compile(r"(?:\b(?:by|on)|按|依)\s*`\Z", re.IGNORECASE)
_TOLD: frozenset[str] = frozenset({"instruction", "prompt"})
_OWN: frozenset[str] = frozenset({"phase", "action", "role"})
"""Kinds of pages that declare what they alone use."""
_SHAPE = re.compile(r"schema|structure|data model|\bfields?\b|结构|字段|数据模型", re.IGNORECASE)
_TICKED = re.compile(r"`([A-Za-z_]\w{1,40})(?:\[\])?\??`")
_VERSION = re.compile(r"v\d")
_FILE = re.compile(r"([A-Za-z][\w\-]{0,60})(?:/[\w{}<>*\-]{0,60})?\.(?:jsonl?|ya?ml|csv)\b")
MEMBERS = frozenset({
    "length", "filter", "map", "find", "some", "every", "includes", "indexOf", "join", "slice", "push", "pop", "shift",
    "splice", "concat", "reduce", "forEach", "toFixed", "toString", "trim", "startsWith", "endsWith", "toLowerCase",
    "toUpperCase", "append", "strip", "hasOwnProperty",
})  # fmt: skip
"""What every list and every text has."""
NEAR, LONG = 400, 32
"""Characters in which it is said what is sorted, or what a schema is of; and of a name."""
FEWEST = 3
"""Fields that a shape must have to be taken as complete."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """A use of a field that no schema has. `name`: the unknown step; `beside`: fields it could be."""

    use: FieldUse
    name: str
    schema: Schema
    below: str
    beside: tuple[str, ...]


def unknown_fields(skill: Skill) -> Iterator[Unknown]:
    """In the order of the skill's uses; shapes that are open, or mere examples, know all fields."""
    if not skill.schemas:
        return
    known = {_plain(field.path) for schema in skill.schemas for field in schema.fields}
    leaves = {path.rsplit(".", 1)[-1] for path in known}
    shown = {step for use in skill.fields if use.mode == "example" for step in _plain(use.path).split(".")}
    places: dict[str, tuple[tuple[Schema, str], ...]] = {}
    files, told = file_names(skill), frozenset(told_fields(skill))
    for use in skill.fields:
        if use.mode == "example" or use.at.use not in _TOLD or use.root == "this":
            continue
        if (f"{use.root}.{use.path}" if use.root else use.path) in files or use.path.rpartition(".")[2] in MEMBERS:
            continue
        if use.root:
            if use.root not in places:
                places[use.root] = described(skill.schemas, use.root)
            found = _of_root(use, _here(skill, use, places[use.root])) if places[use.root] else _of_path(use, skill)
        elif "." in use.path:
            found = _of_path(use, skill)
        else:
            found = _alone(skill, use, leaves)
        if found is not None and not (found.name in shown and not use.root) and found.name not in told:
            yield found


@once
def told_fields(skill: Skill) -> Iterator[str]:
    """Names that the words of a section about a shape say."""
    for page in skill.pages.values():
        about = [section for section in page.sections if _SHAPE.search(section.title)]
        for block in page.blocks if about else ():
            if block.kind in ("item", "paragraph") and any(one.body <= block.start < one.end for one in about):
                yield from _TICKED.findall(block.text)


def _of_root(use: FieldUse, places: Sequence[tuple[Schema, str]]) -> Unknown | None:
    """None of the shapes that the variable may have has it."""
    if not places or any(schema.open for schema, _ in places):
        return None
    path = _plain(use.path)
    misses = [_miss(path, schema, below) for schema, below in places]
    # What is in `rules.json` may be `rules.rules`, a list of what the table describes.
    if any(miss is None for miss in misses) or path.split(".", 1)[0] == use.root:
        return None
    schema, below = places[0]
    beside = [_steps_at(one, start) for one, start in places]
    if all(len(fields) < FEWEST for fields in beside):
        return None
    return Unknown(use, misses[0] or path, schema, below, tuple(name for fields in beside for name in fields))


def _miss(path: str, schema: Schema, below: str) -> str | None:
    """The first step that the schema does not have; None where it has all, or says nothing of what is below."""
    fields = {_plain(field.path): field for field in schema.fields}
    start = _plain(below).rstrip(".")
    at = start
    for step in filter(None, path.split(".")):
        inner = f"{at}.{step}" if at else step
        if inner in fields or any(one.startswith(inner + ".") for one in fields):
            at = inner
            continue
        if at == start:
            return step
        deeper = any(one.startswith(at + ".") for one in fields)
        wild = any(one.startswith(at + ".") and one[len(at) + 1 :][:1] in "<{*" for one in fields)
        return step if deeper and not wild and not _is_map(fields.get(at)) else None
    return None


def _is_map(field: object) -> bool:
    kind = getattr(field, "type", "")
    return bool(re.search(r"Record|Map\b|dict|\[\w+: *string\]|键", kind))


def _here(skill: Skill, use: FieldUse, places: Sequence[tuple[Schema, str]]) -> Sequence[tuple[Schema, str]]:
    """What is declared for all pages, or for this one; what a step declares for itself holds for no other one."""
    page = skill.pages[use.at.file]
    if any(is_of_state(schema) for schema, _ in places):
        return places
    if re.search(rf"(?<![\w.$]){re.escape(use.root)} = (?:await )?JSON\.parse\(", page.text):
        # What comes from elsewhere has fields of its own.
        return [one for one in places if _FILE.search(one[0].name)]
    return [one for one in places if one[0].at.file == use.at.file or skill.pages[one[0].at.file].kind not in _OWN]


def _of_path(use: FieldUse, skill: Skill) -> Unknown | None:
    """`impact.regions`, where a shape has an object `impact` with other fields."""
    path = _plain(f"{use.root}.{use.path}" if use.root else use.path)
    first, _, rest = path.partition(".")
    holders = [schema for schema in skill.schemas if any(_plain(f.path).startswith(first + ".") for f in schema.fields)]
    if not holders or any(schema.open for schema in holders):
        return None
    if any(_miss(path, schema, "") is None for schema in holders) or _VERSION.match(rest):
        return None
    if all(schema.format == "json" for schema in holders) and not _is_spoken_of(skill, first, holders):
        return None
    name = _miss(path, holders[0], "") or rest
    return Unknown(use, name, holders[0], first + ".", tuple(_steps_at(holders[0], first + ".")))


def _is_spoken_of(skill: Skill, first: str, holders: Sequence[Schema]) -> bool:
    """A sentence or code names another field below it that the example has, so that both speak of one thing."""
    paths = (
        _plain(f"{one.root}.{one.path}" if one.root else one.path) for one in skill.fields if one.mode != "example"
    )
    return any(
        path.startswith(first + ".") and any(_miss(path, schema, "") is None for schema in holders) for path in paths
    )


def _alone(skill: Skill, use: FieldUse, leaves: set[str]) -> Unknown | None:
    """A name that things are sorted or grouped by, which is nowhere a field."""
    if use.path in leaves or not use.path.isascii():
        return None
    text = skill.pages[use.at.file].text
    if not _SORTED.search(text, max(0, use.at.start - 40), use.at.start):
        return None
    near = text[max(0, use.at.start - NEAR) : use.at.start].lower()
    about = [
        one for one in skill.schemas if not one.open and len(one.fields) >= FEWEST and _speaks_of(skill, one, near)
    ]
    if not about:
        return None
    beside = [name for one in about for name in _steps_at(one, "")]
    return Unknown(use, use.path, about[0], "", tuple(dict.fromkeys(beside)))


def _speaks_of(skill: Skill, schema: Schema, text: str) -> bool:
    """The text names what the schema describes, or the file that its page says it is of."""
    page = skill.pages[schema.at.file]
    files = {*_FILE.findall(schema.name), *_FILE.findall(page.text, max(0, schema.at.start - NEAR), schema.at.start)}
    return any(name.lower() in text for name in (*variables(schema.name), *files) if len(name) > 2)


def _steps_at(schema: Schema, below: str) -> tuple[str, ...]:
    """Names of the fields right below."""
    start = _plain(below)
    inner = (_plain(f.path)[len(start) :] for f in schema.fields if _plain(f.path).startswith(start))
    return tuple(dict.fromkeys(path.split(".", 1)[0] for path in inner if path))


def shown(schema: Schema) -> str:
    """What a reader calls it: its name, or where it stands."""
    name = schema.name.strip("` ")
    return name if len(name) <= LONG and name.count(" ") < 4 else f"the {schema.format} of {schema.at.file}"


def _plain(path: str) -> str:
    return _STEP.sub("", path)
