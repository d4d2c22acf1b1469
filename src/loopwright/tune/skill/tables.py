"""Tables of a page: their rows and cells."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loopwright.tune.skill.model import Block


@dataclass(frozen=True, slots=True)
class Cell:
    text: str
    start: int
    end: int


def cells(text: str, start: int, end: int) -> list[Cell]:
    """Those of one row; a bar in inline code or behind a backslash parts nothing."""
    found: list[Cell] = []
    begin, last = start, text.rfind("`", start, end)
    at = text.find("|", start, end)
    while at >= 0:
        if text[at - 1 : at] != "\\" and (at > last or text.count("`", begin, at) % 2 == 0):
            found.append(_cell(text, begin, at))
            begin = at + 1
        at = text.find("|", at + 1, end)
    found.append(_cell(text, begin, end))
    if found and not found[0].text:
        found = found[1:]
    if len(found) > 1 and not found[-1].text:
        found = found[:-1]
    return found


def _cell(text: str, start: int, end: int) -> Cell:
    raw = text[start:end]
    inner = raw.strip()
    begin = start + (len(raw) - len(raw.lstrip()))
    return Cell(inner, begin, begin + len(inner))


def rows(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """The tables of a page, each as its rows."""
    table: list[Block] = []
    for block in blocks:
        if block.kind == "row" and table and block.line == table[-1].line_end + 1:
            table.append(block)
            continue
        if len(table) > 2:
            yield table
        table = [block] if block.kind == "row" else []
    if len(table) > 2:
        yield table
