"""Fields of the state that code and sentences name, and that the state does not have; and those that nothing fills."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.fields.declared import MEMBERS, told_fields
from loopwright.tune.reading.fields.keyed import LONGEST, keyed
from loopwright.tune.reading.state.state_shapes import StateShape, Told, state_shapes, told_of_state
from loopwright.tune.reading.words.likeness import words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.field_words import NO_FIELD
from loopwright.tune.skill.model import Page, Skill

_OF_STATE = re.compile(
    r"(?<![\w$/\-])(?:[A-Za-z_]\w{0,30})?(?:[sS]tate|[sS]ession)((?:\??\.[A-Za-z_]\w{0,40}+(?:\[[^\[\]\n]{0,40}\])?){1,8})(?![\w(/])"
)
_STEP = re.compile(r"(?<=\.)[A-Za-z_]\w*")
_SETS = re.compile(r"(?:\[[^\]\n]{0,40}\])?`?\s?(?:=(?![=>])|\+=|\+\+)|\.(?:push|add|append)\(")
FEWEST, FEW = 4, 2
"""Fields of the state that are known, and names that may be unknown, so that the state is told completely."""
STEM, SIBLINGS, MOST = 4, 3, 0.7


@dataclass(frozen=True, slots=True)
class _Use:
    page: Page
    start: int
    name: str
    parent: str
    sets: bool


@dataclass(frozen=True, slots=True)
class Strange:
    """`name` at each of the `places` is no field of the state; `right`: the one that is meant, where that is told."""

    page: Page
    start: int
    end: int
    name: str
    right: str
    shape: StateShape
    others: tuple[str, ...]
    places: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class Unfilled:
    """`name` is empty at the start, read at `told`, and nowhere given a value; the `others` of the state are."""

    told: Told
    shape: StateShape
    others: tuple[str, ...]


def strange_fields(skill: Skill) -> Iterator[Strange]:
    declared = {(schema.at.file, schema.at.start) for schema in skill.schemas}
    shapes = [one for one in state_shapes(skill) if (one.page.path, one.block.start) in declared]
    if not shapes:
        return
    uses = [*_uses(skill)]
    known = _known(skill) if uses else set()
    children = _children(skill) if uses else {}
    used = Counter(one.name for one in uses)
    strange = [*dict.fromkeys(one.name for one in uses if one.name not in children.get(one.parent, known))]
    shape = max(shapes, key=lambda one: len(one.fields.keys() & used.keys()))
    if not strange or len(strange) > FEW or len(shape.fields.keys() & used.keys()) < FEWEST:
        return
    for name in strange:
        found = [one for one in uses if one.name == name and name not in children.get(one.parent, known)]
        first = found[0]
        below = children.get(first.parent, set())
        unset = below - {one.name for one in uses if one.sets} if first.sets else set()
        right = _meant(name, unset) or _meant(name, _idle(skill, shapes, first.sets))
        others = tuple(one for one in dict.fromkeys(use.name for use in uses) if one in shape.fields)
        places = tuple((one.page.path, one.start, one.start + len(name)) for one in found)
        yield Strange(first.page, first.start, first.start + len(name), name, right, shape, others, places)


def _uses(skill: Skill) -> Iterator[_Use]:
    """Each step of a path below the state."""
    for page in skill.pages.values():
        if page.kind in ("script", "data") or len(page.text) > LONGEST:
            continue
        if "tate." not in page.text and "ession." not in page.text and "tate?." not in page.text:
            continue
        for found in _OF_STATE.finditer(page.text):
            block = page.blocks[block_at(page, found.start())]
            if block.use not in ("instruction", "prompt") and not (block.kind == "code" and block.use == "reference"):
                continue
            steps = [*_STEP.finditer(page.text, *found.span(1))]
            for index, step in enumerate(steps):
                if step[0] in MEMBERS or step[0] in NO_FIELD:
                    break
                sets = index == len(steps) - 1 and _SETS.match(page.text, step.end()) is not None
                yield _Use(page, step.start(), step[0], ".".join(one[0] for one in steps[:index]), sets)


def _children(skill: Skill) -> dict[str, set[str]]:
    """By the path of an object in an object what the shapes have right below it."""
    found: dict[str, set[str]] = {}
    for schema in skill.schemas:
        for field in schema.fields if not schema.open else ():
            parent, _, name = field.path.replace("[]", "").rpartition(".")
            if "." in parent:
                found.setdefault(parent, set()).add(name)
    return {parent: names for parent, names in found.items() if len(names) >= FEWEST and not _is_open(names)}


def _is_open(names: set[str]) -> bool:
    return any(name[:1] in "<{*" for name in names)


def _known(skill: Skill) -> set[str]:
    """Every name that an object, a shape or the words about one show."""
    found = {step for one in skill.schemas for field in one.fields for step in field.path.replace("[]", "").split(".")}
    found.update(name for page in skill.pages.values() for one in keyed(page) for name in one.keys)
    found.update(told_fields(skill))
    return found


def _idle(skill: Skill, shapes: Sequence[StateShape], sets: bool) -> set[str]:
    """Fields that nothing names, or that nothing sets."""
    busy = {one.name for one in told_of_state(skill) if one.fills or not sets}
    return {field for shape in shapes for field in shape.fields} - busy


def _meant(name: str, among: set[str]) -> str:
    """The only one with a word in common."""
    near = [
        field for field in among
        if _stems(name) & _stems(field) and abs(len(words_of(field)) - len(words_of(name))) <= 1
    ]  # fmt: skip
    return near[0] if len(near) == 1 else ""


def _stems(name: str) -> set[str]:
    return {word[:STEM] for word in words_of(name) if len(word) >= STEM}


def unfilled_fields(skill: Skill) -> Iterator[Unfilled]:
    told = told_of_state(skill)
    fills: dict[str, list[Told]] = {}
    for one in told:
        fills.setdefault(one.name, []).append(one)
    for shape in state_shapes(skill):
        named = [name for name in shape.empty if name in fills]
        filled = [name for name in named if any(one.fills for one in fills[name])]
        idle = [name for name in named if name not in filled]
        if len(idle) != 1 or len(filled) < SIBLINGS or len(filled) < MOST * len(named):
            continue
        reads = [one for one in fills[idle[0]] if _is_read(one)]
        if len(reads) >= FEW:
            yield Unfilled(min(reads, key=lambda one: one.page is shape.page), shape, tuple(sorted(filled)))


def _is_read(one: Told) -> bool:
    """In a step that is worked through, and not in what describes the state."""
    block = one.page.blocks[block_at(one.page, one.start)]
    return block.use in ("instruction", "prompt") and one.page.kind not in ("spec", "template", "reference", "other")
