"""Names that are spelled in two ways: keys of objects that are otherwise the same, and placeholders."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.words.likeness import joined, words_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Page, Skill

_KEY = re.compile(r"[\"']([A-Za-z_][\w\-]{2,40})[\"']\s*:(?!:)")
_HOLE = re.compile(r"(\{\{?)([A-Za-z][\w\-]{3,40})(\}\}?)")
SHARED = 2
"""Keys that two objects have in common, so that they are of one kind."""
FEW, MANY = 1, 3
"""So often a placeholder may be spelled wrongly, and so often rightly, to be a slip."""


@dataclass(frozen=True, slots=True)
class Spelled:
    page: Page
    start: int
    end: int
    wrong: str
    right: str
    elsewhere: str
    """A place of the other spelling, as file:line."""


@dataclass(frozen=True, slots=True)
class _Object:
    """Keys of one object with where they stand."""

    page: Page
    keys: dict[str, int]


def otherwise_keyed(skill: Skill) -> Iterator[Spelled]:
    """A key of an object that another object of the same keys spells otherwise."""
    pages = [page for page in skill.pages.values() if '":' in page.text or "':" in page.text]
    objects = [one for page in pages for one in _objects(page)]
    spellings: dict[str, set[str]] = {}
    for one in objects:
        for key in one.keys:
            spellings.setdefault(joined(key), set()).add(key)
    double = {key for names in spellings.values() if len(names) > 1 for key in names}
    if not double:
        return
    counted = Counter(key for one in objects for key in one.keys)
    done: set[tuple[str, str]] = set()
    for index, one in enumerate(objects):
        for other in objects[:index] if double & one.keys.keys() else ():
            for wrong, right in _pairs(one, other, counted):
                if (wrong[1], wrong[0].page.path) not in done:
                    done.add((wrong[1], wrong[0].page.path))
                    yield _spelled(wrong, right)


def _pairs(
    one: _Object, other: _Object, counted: Counter[str]
) -> Iterator[tuple[tuple[_Object, str], tuple[_Object, str]]]:
    """Of two objects alike, the spelling that is rarer, or less like the keys around it, and the other one."""
    shared = one.keys.keys() & other.keys.keys()
    if len(shared) < SHARED or len(shared) * 2 < min(len(one.keys), len(other.keys)):
        return
    for key in sorted(one.keys.keys() - shared):
        twin = next((k for k in other.keys if k not in shared and joined(k) == joined(key)), None)
        if twin is None or key[0] == "_" or twin[0] == "_":
            continue
        style = Counter(_style(k) for k in shared if len(words_of(k)) > 1)
        worth = [(counted[k], style[_style(k)]) for k in (key, twin)]
        yield ((one, key), (other, twin)) if worth[0] < worth[1] else ((other, twin), (one, key))


def _spelled(wrong: tuple[_Object, str], right: tuple[_Object, str]) -> Spelled:
    holder, key = wrong
    page = right[0].page
    line = page.text.count("\n", 0, right[0].keys[right[1]]) + 1
    return Spelled(holder.page, holder.keys[key], holder.keys[key] + len(key), key, right[1], f"{page.path}:{line}")


def _objects(page: Page) -> Iterator[_Object]:
    """Keys that follow each other without a brace that closes."""
    keys: dict[str, int] = {}
    last = -1
    for found in _KEY.finditer(page.text):
        if last >= 0 and ("}" in page.text[last : found.start()] or "\n\n" in page.text[last : found.start()]):
            if len(keys) > SHARED:
                yield _Object(page, keys)
            keys = {}
        if page.kind == "script" or _told(page, found.start()):
            keys.setdefault(found[1], found.start(1))
        last = found.end()
    if len(keys) > SHARED:
        yield _Object(page, keys)


def _told(page: Page, at: int) -> bool:
    index = block_at(page, at)
    return index >= 0 and page.blocks[index].use not in ("negative", "quotation")


def _style(key: str) -> str:
    return "snake" if "_" in key else "kebab" if "-" in key else "camel" if key.lower() != key else "plain"


def slipped_holes(skill: Skill) -> Iterator[Spelled]:
    """A placeholder that is written once with other hyphens, underscores or capitals than many times elsewhere."""
    holes: dict[str, dict[str, list[tuple[Page, int, str]]]] = {}
    for page in skill.pages.values():
        if page.kind == "script" or ("{" not in page.text):
            continue
        for found in _HOLE.finditer(page.text):
            before = page.text[found.start() - 1 : found.start()]
            if (before != "$" and len(found[1]) == len(found[3]) and "-" in found[2]) or "_" in found[2]:
                spellings = holes.setdefault(joined(found[2]), {})
                spellings.setdefault(found[2], []).append((page, found.start(2), found[1]))
    for spellings in holes.values():
        if len(spellings) != 2:
            continue
        (wrong, few), (right, many) = sorted(spellings.items(), key=lambda item: len(item[1]))
        # What is written as code has other names than what is written as text, and may.
        if "camel" in (_style(wrong), _style(right)):
            continue
        if len(few) <= FEW and len(many) >= MANY and few[0][2] == many[0][2] and _told(few[0][0], few[0][1]):
            page, start, _ = few[0]
            where, at, _ = many[0]
            line = where.text.count("\n", 0, at) + 1
            yield Spelled(page, start, start + len(wrong), wrong, right, f"{where.path}:{line}")
