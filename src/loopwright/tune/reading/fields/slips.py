"""Names in backticks that are declared nowhere, and are almost a field that is."""

import re
from collections.abc import Iterator

from loopwright.tune.reading.fields.spelled import Spelled
from loopwright.tune.reading.words.likeness import distance, joined, words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Skill

_TICKED = re.compile(r"`([A-Za-z_]\w{3,40})`")
_PAGES = ("skill", "phase", "action", "role", "other")
LONG = 6
"""Letters of a name of one word, so that another letter is a slip and no other word."""


def slips(skill: Skill) -> Iterator[Spelled]:
    """Only what is said once, in a skill that declares its fields."""
    declared: dict[str, tuple[str, int]] = {}
    values: set[str] = set()
    for schema in skill.schemas:
        for field in schema.fields:
            values.update(field.values)
            if schema.format != "json":
                declared.setdefault(field.path.rsplit(".", 1)[-1].removesuffix("[]"), (schema.at.file, schema.at.line))
    if len(declared) < LONG:
        return
    known = declared.keys() | values | {one.name for one in skill.assignments} | {call.name for call in skill.calls}
    ticked = [
        (page, found)
        for page in skill.pages.values()
        if page.kind in _PAGES and "`" in page.text
        for found in _TICKED.finditer(page.text)
        if found[1] not in known
    ]
    for page, found in ticked:
        name = found[1]
        right = next((other for other in declared if _is_slip(name, other)), None)
        if right is None or _said(skill, name) != 1 or _said(skill, right) < 2:
            continue
        block = page.blocks[block_at(page, found.start())]
        if block.use in ("instruction", "prompt") and block.kind not in ("code", "heading"):
            file, line = declared[right]
            yield Spelled(page, found.start(1), found.end(1), name, right, f"{file}:{line}")


def _said(skill: Skill, name: str) -> int:
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return sum(len(whole.findall(page.text)) for page in skill.pages.values() if name in page.text)


def _is_slip(name: str, other: str) -> bool:
    """Otherwise spelled, a letter off, or of one word more than the field of two."""
    if joined(name) == joined(other):
        return True
    near = abs(len(name) - len(other)) <= 1 and (name[:2] == other[:2] or name[-2:] == other[-2:])
    if near and min(len(name), len(other)) >= LONG and distance(name, other) == 1:
        return True
    mine, theirs = words_of(name), words_of(other)
    return len(theirs) >= 2 and abs(len(mine) - len(theirs)) <= 1 and {*theirs} <= {*mine}
