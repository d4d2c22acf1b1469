"""Objects that refer to each other by name, and one reference that leads to none of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.shapes import Entry, entries

_REFERS = re.compile(
    r"(?:\w{1,30}[a-z_])?(?:refs?|depends_?on|dependencies|blocked_?by|requires|needs|after|parents?|source|target)\Z",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][\w\-]{1,40}\Z")
_NEXT = re.compile(r"\}\s{0,40},\s{0,40}\{")
"""Between two objects of a list."""
FEWEST = 3
"""References of other documents that lead to something."""

Value = tuple[str, int]
"""With where it stands."""


@dataclass(frozen=True, slots=True)
class Dangling:
    """`name` of `key` is no `named` of its document; `instead` is one that nothing refers to, where only one is."""

    page: Page
    start: int
    end: int
    key: str
    name: str
    named: str
    instead: Value | None


@dataclass(frozen=True, slots=True)
class _Document:
    page: Page
    block: Block
    refers: dict[str, list[Value]]
    names: dict[str, list[Value]]


def dangling(skill: Skill) -> Iterator[Dangling]:
    documents = [one for page in skill.pages.values() for one in _documents(page)]
    for key in dict.fromkeys(key for one in documents for key in one.refers):
        holding = [one for one in documents if key in one.refers]
        for named in dict.fromkeys(name for one in holding for name in one.names if name != key):
            lost = [(one, value) for one in holding for value in one.refers[key] if not _has(one, named, value[0])]
            led = {value[0] for one in holding for value in one.refers[key] if _has(one, named, value[0])}
            whole = {id(one) for one in holding} - {id(one) for one, _ in lost}
            if len({value[0] for _, value in lost}) == 1 and len(led) >= FEWEST and whole and named in lost[0][0].names:
                yield _dangling(lost[0][0], key, named, lost[0][1])
                break


def _has(one: _Document, named: str, value: str) -> bool:
    return any(value == name for name, _ in one.names.get(named, ()))


def _dangling(one: _Document, key: str, named: str, value: Value) -> Dangling:
    referred = {name for values in one.refers.values() for name, _ in values}
    before = [other for other in one.names[named] if _NEXT.search(one.page.text, other[1], value[1])]
    idle = [other for other in before if other[0] not in referred]
    said = one.block.text.count(value[0]) > 1
    instead = idle[0] if len(idle) == 1 and said else None
    return Dangling(one.page, value[1], value[1] + len(value[0]), key, value[0], named, instead)


def _documents(page: Page) -> Iterator[_Document]:
    for block in page.blocks:
        if block.kind != "code" or block.lang not in ("json", "jsonc", "json5") or "[" not in block.text:
            continue
        if block.use in ("negative", "quotation") or '"properties"' in block.text:
            continue
        found, _, _ = entries(page.text, block.body, block.end)
        refers: dict[str, list[Value]] = {}
        names: dict[str, list[Value]] = {}
        for entry in found:
            name = entry.path.rsplit(".", 1)[-1]
            values = [value for value in (*entry.values, *entry.elements) if _WORD.match(value)]
            into = refers if _REFERS.match(name) else names if len(entry.values) == 1 else None
            if into is not None and "[]" in entry.path:
                into.setdefault(name, []).extend(_placed(page, entry, values))
        if refers and names:
            yield _Document(page, block, refers, names)


def _placed(page: Page, entry: Entry, values: list[str]) -> Iterator[Value]:
    at = entry.end
    for value in values:
        at = page.text.find(value, at)
        yield value, at
        at += len(value)
