"""Values of a field that stand in the column of a table that is called like it."""

import re
from collections.abc import Iterator

from loopwright.tune.skill.ground import Ground
from loopwright.tune.skill.known import Known
from loopwright.tune.skill.model import Block, FieldUse
from loopwright.tune.skill.tables import cells, rows

_VALUE = re.compile(r"`[\"']?([A-Za-z][\w\-]{1,39})[\"']?`\Z")
_NEXT = re.compile(r"(?:(?:new|next|then|sets?|becomes)\s+|新|下一|置|改为)?`?(\w+)`?\Z", re.IGNORECASE)


def columns(ground: Ground, known: Known, declared: frozenset[int]) -> Iterator[FieldUse]:
    """Of tables that decide by fields with listed values; `declared`: where fields are declared, which are no uses."""
    if not known.listed or "|" not in ground.page.text:
        return
    text = ground.page.text
    for table in rows(ground.page.blocks):
        heads = cells(text, table[0].start, table[0].end)
        named = {index: found[1].lower() for index, cell in enumerate(heads) if (found := _NEXT.match(cell.text))}
        wanted = {index: name for index, name in named.items() if name in known.listed}
        for row in table[2:] if wanted else ():
            yield from _of_row(ground, row, wanted, declared)


def _of_row(ground: Ground, row: Block, wanted: dict[int, str], declared: frozenset[int]) -> Iterator[FieldUse]:
    for index, cell in enumerate(cells(ground.page.text, row.start, row.end)):
        found = _VALUE.match(cell.text) if index in wanted and index > 0 else None
        if found is not None and cell.start + found.start(1) not in declared:
            start = cell.start + found.start(1)
            at = ground.at(start, start + len(found[1]), row)
            yield FieldUse("", wanted[index], "read", at, (found[1],))
