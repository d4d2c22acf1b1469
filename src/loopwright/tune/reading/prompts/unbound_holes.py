"""Fields of something that a prompt is filled with, `<explorerContext.files>`, and that its page never loads."""

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.reading.rules.families import blocks_in
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page, PageKind, Skill
from loopwright.tune.skill.once import once

_WORKED: frozenset[PageKind] = frozenset({"phase", "action", "role", "other"})
_HOLE = re.compile(r"[<{](?P<root>[a-z]\w{2,40})\??\.(?P<field>[A-Za-z_]\w{1,40})[>}]")
_PART = re.compile(r"[A-Z]{1,40}(?![a-z])|[A-Z]?[a-z]+")
_LOADING = re.compile(r"\b(?:load(?:ing)?|inputs?|context|read)\b|加载|输入|上下文|读取", re.IGNORECASE)
FIELDS = 2
"""Different fields of one thing that make it a record that has to come from somewhere."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """`row`: the line of another page's table that says where it comes from, and where it belongs here."""

    page: Page
    start: int
    end: int
    root: str
    fields: tuple[str, ...]
    row: str = ""
    after: int = -1
    model: str = ""


def unbound(skill: Skill) -> Iterator[Unbound]:
    for page in skill.pages.values():
        for root, holes in _records(page):
            words = r"[ _-]?".join(re.escape(part.lower()) for part in _PART.findall(root))
            named = re.compile(rf"(?<![\w.<{{]){re.escape(root)}\b(?!\.\w+[>}}])|\b{words}", re.IGNORECASE)
            if _known(skill, page, root, named):
                continue
            fields = tuple(dict.fromkeys(found["field"] for found in holes))
            yield _with_row(skill, Unbound(page, *holes[0].span(), root, fields), named)


@once
def _records(page: Page) -> Iterator[tuple[str, tuple[re.Match[str], ...]]]:
    """Names of two words and more, with several fields, in code of a page that says what it loads."""
    if page.kind not in _WORKED or not _HOLE.search(page.text):
        return
    found: dict[str, list[re.Match[str]]] = {}
    for hole in _HOLE.finditer(page.text):
        block = page.blocks[block_at(page, hole.start())]
        if block.kind == "code" and block.use in ("instruction", "prompt"):
            found.setdefault(hole["root"], []).append(hole)
    if any(_LOADING.search(section.title) for section in page.sections):
        for root, holes in found.items():
            if len(_PART.findall(root)) > 1 and len({one["field"] for one in holes}) >= FIELDS:
                yield root, tuple(holes)


def _known(skill: Skill, page: Page, root: str, named: re.Pattern[str]) -> bool:
    """Named on the page outside of the code that it fills, or set anywhere."""
    inside = {block_at(page, hole.start()) for one, holes in _records(page) if one == root for hole in holes}
    if any(block_at(page, found.start()) not in inside for found in named.finditer(page.text)):
        return True
    own = re.compile(rf"(?<![\w.<{{]){re.escape(root)}\b(?!\.\w+[>}}])")
    return any(own.search(other.text) for other in skill.pages.values() if root in other.text)


def _with_row(skill: Skill, one: Unbound, named: re.Pattern[str]) -> Unbound:
    """A page beside it has a row for it in its table of inputs."""
    last = _last_row(one.page)
    for other in skill.pages.values() if last is not None else ():
        if other is one.page or other.kind != one.page.kind:
            continue
        for block in other.blocks:
            if last and block.kind == "row" and named.search(block.text.split("|")[0]) and "`" in block.text:
                row = other.text[other.text.rfind("\n", 0, block.start) + 1 : block.end]
                where = f"{other.path}:{block.line}"
                return Unbound(one.page, one.start, one.end, one.root, one.fields, row.strip(), last.end, where)
    return one


def _last_row(page: Page) -> Block | None:
    """Of the first table below a title that says what is loaded."""
    for section in page.sections:
        if not _LOADING.search(section.title):
            continue
        rows = [block for block in blocks_in(page, section.body, section.end) if block.kind == "row"]
        end = next((n for n, (a, b) in enumerate(itertools.pairwise(rows), 1) if b.line > a.line_end + 1), None)
        if rows:
            return rows[: end or len(rows)][-1]
    return None
