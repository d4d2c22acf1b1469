"""Fields of states and results that a page reads, writes, or shows."""

from collections.abc import Iterator

from loopwright.tune.skill.field_code import code_uses, usual
from loopwright.tune.skill.field_columns import columns
from loopwright.tune.skill.field_words import words
from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.known import Known
from loopwright.tune.skill.model import Block, FieldUse
from loopwright.tune.skill.shapes import choices, entries

_JSON = frozenset({"json", "json5", "jsonc", "jsonl", "ndjson"})
_STORED = (".json", ".jsonl", ".ndjson")
NEAR, FAR = 300, 4_000
"""Characters before an example in which the file is named that it is of; in its own section they may be more."""


def fields(ground: Ground, known: Known, declared: frozenset[int]) -> Iterator[FieldUse]:
    """`declared`: where schemas of the page declare their fields. In no order."""
    page = ground.page
    for block in page.blocks:
        if block.kind == "code":
            if block.lang in _JSON:
                yield from _example(ground, block)
            elif page.kind != "script":
                yield from code_uses(ground, block, known)
        elif block.kind not in ("heading", "rule", "front") and "`" in block.text:
            yield from words(ground, block, known, declared)
    yield from columns(ground, known, declared)


def _example(ground: Ground, block: Block) -> Iterator[FieldUse]:
    """Fields of an example in JSON; what it is of is told by a file that is named before it."""
    if "{" not in block.text or '"properties"' in block.text:
        return
    section = ground.section_of(block)
    begin = min(block.start - NEAR, max(section.start, block.start - FAR) if section else block.start)
    near = [m.raw for m in ground.mentions_in(begin, block.start) if m.raw.endswith(_STORED)]
    root = near[-1].rsplit("/", 1)[-1].rsplit(".", 1)[0] if near else ""
    listed, _, _ = entries(ground.page.text, block.body, block.end)
    for entry in listed:
        path = entry.path.removeprefix("[].")
        if not entry.shorthand and (usual(entry) or path != entry.path):
            values = () if len(entry.values) == 1 and choices(entry.values[0]) else entry.values
            yield FieldUse(root, path, "example", ground.at(entry.start, entry.end, block), values)
