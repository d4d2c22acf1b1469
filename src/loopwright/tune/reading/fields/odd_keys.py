"""Keys in which one object differs from its siblings: another name in the place of theirs, or one that it lacks."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.reading.fields.drifting import mean_one
from loopwright.tune.reading.fields.keyed import Keyed, objects_of
from loopwright.tune.reading.fields.spelled import Spelled
from loopwright.tune.reading.words.likeness import ALIKE, alike
from loopwright.tune.skill.model import Skill

_NOT_ALWAYS = re.compile(
    r"optional|\bomit|\bleft out\b|\bleave out\b|\bmissing\b|\babsent\b|\bnot always\b|\bwhere known\b"
    r"|\bonly (?:if|when)\b|可选|可省|可无|可以没有|省略|才有|没有就",
    re.IGNORECASE,
)
_CALLED = re.compile(r"([\w.]{2,60})\(\s{0,8}\{\s{0,12}[\"']?\Z")
NEAR = 100
"""Characters before an object in which it is told what it is given to."""
FEWEST, FEW = 3, 2
"""Siblings that show what keys such an object has; and where the two names are alike."""
SHARED, MOST = 0.5, 0.75
"""The share of keys that siblings have in common, and of siblings that have the key."""
WHOLE = 4
"""Keys that an object has in common with another one, so that both are one shape."""


@dataclass(frozen=True, slots=True)
class Lacking:
    """`one` has all keys that `other` has, but `name`."""

    one: Keyed
    name: str
    other: Keyed


def odd_keys(skill: Skill) -> Iterator[Spelled]:
    objects = objects_of(skill)
    if len(objects) <= FEW:
        return
    counted = Counter(key for one in objects for key in one.keys)
    for one in objects:
        if one.page.kind != "script" and one.data:
            alone = [key for key in one.keys if counted[key] == 1]
            found = [drift for key in alone[:FEW] for drift in _stranger(skill, one, key, objects)]
            if len(alone) <= FEW and len(found) == 1 and '"properties"' not in one.page.text:
                yield found[0]


def lacking_keys(skill: Skill) -> Iterator[Lacking]:
    """Of objects of one shape the one that leaves out what all others have, in the order of the others."""
    objects = objects_of(skill)
    # Objects that have fewer keys show that some may be left out.
    all_data = [one for one in objects if one.data and one.block.kind == "code"]
    objects = [one for one in all_data if len(one.keys) >= WHOLE]
    for one in objects:
        if one.page.kind in ("script", "data"):
            continue
        others = [other for other in objects if one.keys.keys() < other.keys.keys() and other.block is not one.block]
        missing = {frozenset(other.keys.keys() - one.keys.keys()) for other in others}
        same = [other for other in objects if other is not one and other.keys.keys() == one.keys.keys()]
        if len(missing) == 1 and len(next(iter(missing))) == 1 and not same:
            other = others[0]
            name = next(iter(next(iter(missing))))
            if any(len(two.keys) >= FEW and two.keys.keys() < one.keys.keys() for two in all_data):
                continue
            if [key for key in other.keys if key != name] == [*one.keys] and not _may_lack(skill, other, name):
                yield Lacking(one, name, other)


def _stranger(skill: Skill, one: Keyed, key: str, objects: Sequence[Keyed]) -> Iterator[Spelled]:
    rest, beside = one.keys.keys() - {key}, {name for name, _ in _around(one, key)}
    siblings = [
        other for other in objects if other is not one and beside & other.keys.keys() and _may_be_one(one, other)
        and len(rest & other.keys.keys()) >= max(1, SHARED * min(len(rest), len(other.keys) - 1))
    ]  # fmt: skip
    if len(siblings) < FEW:
        return
    counted = Counter(name for other in siblings for name in other.keys if name not in one.keys)
    # Objects that share one key of several, as what two functions are given may, are not of one shape.
    same = [other for other in siblings if len(rest & other.keys.keys()) >= min(FEW, len(rest))]
    common = [
        name for name, count in counted.items()
        if count >= MOST * len(siblings) and len(siblings) >= FEWEST
        and (mean_one(name, key) or (len(same) >= FEWEST and any(name in other.keys for other in same)))
    ]  # fmt: skip
    near = [name for name, count in counted.items() if count >= FEW and _is_like(name, key)]
    common = near if len(near) == 1 else common
    if len(common) != 1 or _is_named(skill, key):
        return
    if not near and not mean_one(common[0], key) and _is_said_again(skill, key):
        return
    right = common[0]
    like = next((o for o in siblings if right in o.keys and _around(o, right) & _around(one, key)), None)
    if like is not None:
        line = like.page.text.count("\n", 0, like.keys[right][0]) + 1
        yield Spelled(one.page, *one.keys[key], key, right, f"{like.page.path}:{line}")


def _may_be_one(one: Keyed, other: Keyed) -> bool:
    """But what two tools are given."""
    given = _given_to(one), _given_to(other)
    return not (given[0] and given[1] and given[0] != given[1])


def _given_to(one: Keyed) -> str:
    """The function that is called with the object."""
    start = next(iter(one.keys.values()))[0]
    found = _CALLED.search(one.page.text[max(one.block.body, start - NEAR) : start])
    return found[1] if found else ""


def _is_like(name: str, key: str) -> bool:
    """But no plural, which is a list of it."""
    return alike(name, key) >= ALIKE and name.rstrip("s") != key.rstrip("s")


def _around(one: Keyed, key: str) -> set[tuple[str, int]]:
    """The keys right before and behind it."""
    names = [*one.keys]
    at = names.index(key)
    return {(names[at + step], step) for step in (-1, 1) if 0 <= at + step < len(names)}


def _may_lack(skill: Skill, other: Keyed, name: str) -> bool:
    """A sentence says that it is not always there, or a JSON Schema does not require it."""
    if '"properties"' in other.block.text and not re.search(rf'"required": ?\[[^\]]*"{name}"', other.block.text):
        return True
    marked = f"`{name}`"
    lines = (line for page in skill.pages.values() if marked in page.text for line in page.text.split("\n"))
    return any(marked in line and _NOT_ALWAYS.search(line) for line in lines)


def _is_said_again(skill: Skill, key: str) -> bool:
    """As a label, though no object holds it there."""
    whole = re.compile(rf"^[ \t\-*\"'`]{{0,12}}{re.escape(key)}[\"'`*]{{0,3}}:", re.MULTILINE)
    return sum(len(whole.findall(page.text)) for page in skill.pages.values() if key in page.text) > 1


def _is_named(skill: Skill, key: str) -> bool:
    """The text speaks of the key, or code takes it."""
    if any(f"`{key}`" in page.text or f"`{key}:" in page.text for page in skill.pages.values()):
        return True
    taken = re.compile(rf"\.{re.escape(key)}(?![\w\-(])")
    if any(taken.search(page.text) for page in skill.pages.values() if f".{key}" in page.text):
        return True
    shorthand = re.compile(rf"[{{(,] ?{re.escape(key)} ?[,}})]")
    code = (block for page in skill.pages.values() for block in page.blocks if block.kind == "code")
    return any(key in block.text and shorthand.search(block.text) for block in code)
