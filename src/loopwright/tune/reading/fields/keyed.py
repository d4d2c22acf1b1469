"""Objects of examples with their keys: JSON, JavaScript, YAML, blocks of lines `key: value`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from loopwright.tune.skill.model import Block, Page, Skill
from loopwright.tune.skill.once import once
from loopwright.tune.skill.shapes import tokens

_NAME = re.compile(r"[A-Za-z_][\w\-]{1,40}\Z")
_LINE = re.compile(r"^([ \t]*)(- )?([A-Za-z_][\w\-]{1,40}):(?=[ \t]|$)", re.MULTILINE)
_OPENS = re.compile(r"\{ ?[\"']?[A-Za-z_][\w\-]{0,40}[\"']? ?:")
_OPENING, _CLOSING = frozenset("{[("), frozenset("}])")
_SHELLS = frozenset({"bash", "sh", "shell", "zsh", "console"})
_YAML = frozenset({"yaml", "yml"})
_TEXT = frozenset({"", "md", "markdown", "text", "txt"})
_DATA, _LINED = _SHELLS | {"json", "jsonc", "json5", ""}, _YAML | _TEXT
"""Languages whose objects are data, and those whose lines may be keys."""
FEWEST, LONGEST = 1, 200_000
"""Keys of an object that is looked at; characters of a page that is read."""


@dataclass(frozen=True, slots=True)
class Keyed:
    """`keys`: where each name stands, in order. `data`: it is data, not code of a product."""

    page: Page
    block: Block
    keys: dict[str, tuple[int, int]]
    data: bool


def objects_of(skill: Skill) -> list[Keyed]:
    """All of the skill, where one of them is data; code alone tells nothing of data."""
    if not any(one.data for page in skill.pages.values() for one in data_of(page)):
        return []
    return [one for page in skill.pages.values() for one in keyed(page)]


@once
def keyed(page: Page) -> Iterator[Keyed]:
    """Of code blocks and scripts, and of what sentences and commands hold, that are not shown as wrong."""
    return _read(page, page.blocks)


@once
def data_of(page: Page) -> Iterator[Keyed]:
    """Those that are data, or stand on a page of data; code of a product is not read for them."""
    if page.kind == "data":
        return iter(keyed(page))
    yaml = page.path.endswith((".yaml", ".yml"))
    blocks = [block for block in page.blocks if yaml or block.lang in _DATA or block.lang in _LINED]
    return (one for one in _read(page, blocks) if one.data)


def _read(page: Page, blocks: Iterable[Block]) -> Iterator[Keyed]:
    for block in blocks if len(page.text) <= LONGEST else ():
        if block.use in ("negative", "quotation"):
            continue
        if block.kind != "code" or block.lang in _SHELLS:
            if "{" in block.text and page.kind != "script":
                yield from _inline(page, block)
            continue
        yaml = block.lang in _YAML or page.path.endswith((".yaml", ".yml"))
        braced = [*_braced(page, block, block.body, block.end)] if not yaml and "{" in block.text else []
        yield from braced
        if yaml or (block.lang in _TEXT and ":" in block.text):
            yield from _lined(page, block, frozenset(at[0] for one in braced for at in one.keys.values()))


def _inline(page: Page, block: Block) -> Iterator[Keyed]:
    """Objects within a line."""
    last = block.body
    for found in _OPENS.finditer(page.text, block.body, block.end):
        if found.start() >= last:
            line = page.text.find("\n", found.start(), block.end)
            last = line if line >= 0 else block.end
            yield from _braced(page, block, found.start(), last)


def _braced(page: Page, block: Block, start: int, end: int) -> Iterator[Keyed]:
    data = block.lang in _DATA
    for keys in _objects(page.text, start, end):
        yield Keyed(page, block, dict(keys), data)


@lru_cache(maxsize=256)
def _objects(text: str, start: int, end: int) -> tuple[dict[str, tuple[int, int]], ...]:
    """The keys of each object. Kept, because several rules ask for them."""
    found: list[dict[str, tuple[int, int]]] = []
    stack: list[tuple[str, dict[str, tuple[int, int]]]] = []
    last, before = None, ""
    for token in tokens(text, start, end):
        kind = token.kind
        if kind == "n" or kind == "#":
            continue
        if kind in _OPENING:
            stack.append((kind, {}))
        elif kind in _CLOSING and stack:
            opened, keys = stack.pop()
            found += [{name: at for name, at in keys.items() if _NAME.match(name)}] if opened == "{" else []
        elif kind == ":" and last is not None and before in ("{", ",") and stack and stack[-1][0] == "{":
            name = last.text.strip("\"'`")
            begin = last.start + (last.kind == "s")
            stack[-1][1].setdefault(name, (begin, begin + len(name)))
        before, last = last.kind if last else "", token
    return tuple(keys for keys in found if len(keys) >= FEWEST)


def _lined(page: Page, block: Block, read: frozenset[int]) -> Iterator[Keyed]:
    """Each depth holds one object, until an entry begins anew or a key comes again. `read`: keys of other objects."""
    data = block.lang in _TEXT or block.text.lstrip().startswith("---")
    levels: dict[int, dict[str, tuple[int, int]]] = {}

    def closed(depths: list[int]) -> Iterator[Keyed]:
        for depth in depths:
            keys = levels.pop(depth)
            if len(keys) >= FEWEST:
                yield Keyed(page, block, keys, data)

    at = block.body
    for found in _LINE.finditer(page.text, block.body, block.end):
        if found.start(3) in read:
            continue
        depth = len(found[1]) + len(found[2] or "")
        parted = "\n---" in page.text[at : found.start()]
        again = found[3] in levels.get(depth, {}) or found[2] or parted
        yield from closed([one for one in levels if one > depth or (again and one == depth)])
        levels.setdefault(depth, {})[found[3]] = found.span(3)
        at = found.start()
    yield from closed([*levels])
