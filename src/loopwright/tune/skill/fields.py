"""Fields of states and results that a page's code reads or writes."""

from collections.abc import Iterator

from loopwright.tune.skill.field_code import code_uses
from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.known import Known
from loopwright.tune.skill.model import FieldUse

_DATA = frozenset({"json", "json5", "jsonc", "jsonl", "ndjson"})


def fields(ground: Ground, known: Known) -> Iterator[FieldUse]:
    """In no order."""
    for block in ground.page.blocks:
        if block.kind == "code" and block.lang not in _DATA and ground.page.kind != "script":
            yield from code_uses(ground, block, known)
