"""What names a thing is taken out of a page: its place in a listing, its sentence, its entry or its row; no more."""

import re
from typing import NamedTuple

from loopwright.tune.fixes.placement import line_of
from loopwright.tune.reading.words.spots import block_at
from loopwright.tune.skill.model import Block, Page
from loopwright.tune.skill.tables import cells

_MARKED = re.compile(r"\[[^\]\n]{0,200}\]\([^)\n]{0,300}\)|`[^`\n]*`|\"[^\"\n]*\"|'[^'\n]*'")
_ASIDE = re.compile(r"[ \t]?(?:\([^()\n]{0,80}\)|（[^（）\n]{0,80}）)")
_JOINT = re.compile(
    r"[ \t]{0,8}(?:、|[,，](?:[ \t]{0,8}(?:and|or|以及|和|及))?|\band\b|\bor\b|以及|和|及|与)[ \t]{0,8}"
)
_AND = re.compile(r"\band\b|\bor\b|以及|和|及|与")
_STOP = re.compile(r"[.!?](?=[\s*_\"”)\]]|\Z)|[;；。！？]")
_SHORT_FORM = re.compile(r"(?:\b[A-Za-z]|\be\.g|\bi\.e|\betc|\bvs|\bcf|\bNo)\Z")
_NUMBERED = re.compile(r"([ \t]*)(\d+)(?=[.)、])")
_MARKER = re.compile(r"[ \t]{0,40}(?:[-*+]|\d{1,9}[.)、])[ \t]{0,40}(?:\[[ xX]\][ \t]{0,40})?")
_TABLE_HEAD = re.compile(r"[\s|:-]*\Z")


class Stretch(NamedTuple):
    """Characters of a page that go, and what comes in their place."""

    start: int
    end: int
    new: str = ""


def marked(page: Page, start: int, end: int) -> tuple[int, int]:
    """The name with what marks it as one: its link, ticks or quotes."""
    line, stop = line_of(page, start)
    for found in _MARKED.finditer(page.text, line, stop):
        if found.start() <= start and end <= found.end():
            return found.span()
    return start, end


def out_of_listing(page: Page, start: int, end: int) -> Stretch | None:
    """The name as one of several that are listed, with its joint and what is said of it in brackets."""
    begin, stop = marked(page, start, end)
    aside = _ASIDE.match(page.text, stop)
    close = aside.end() if aside else stop
    line, last = line_of(page, begin)
    before = next((found for found in _JOINT.finditer(page.text, line, begin) if found.end() == begin), None)
    if before is not None and page.text[before.start() - 1 : before.start()] in ("`", ")", "）", "'", '"'):
        return _last_of(page, line, before, close)
    after = _JOINT.match(page.text, close, last)
    if after is not None and page.text[after.end() : after.end() + 1] in ("`", "[", "'", '"'):
        return Stretch(begin, after.end())
    return None


def _last_of(page: Page, line: int, before: "re.Match[str]", close: int) -> Stretch:
    """Without the last of those that are listed; the one before it is joined as the last is."""
    word = _AND.search(before[0])
    earlier = [found for found in _JOINT.finditer(page.text, line, before.start()) if not _AND.search(found[0])]
    kept = page.text[earlier[-1].end() : before.start()] if earlier else ""
    if word is None or not _MARKED.fullmatch(kept):
        return Stretch(before.start(), close)
    gap = " " if word[0].isascii() else ""
    return Stretch(earlier[-1].start(), close, f"{gap}{word[0]}{gap}{kept}")


def sentence(page: Page, position: int) -> tuple[Block, int, int] | None:
    """The sentence of prose around a position, over its lines, with the stop that ends it; and its block."""
    index = block_at(page, position)
    block = page.blocks[index] if index >= 0 else None
    if block is None or block.kind not in ("paragraph", "item", "quote") or position >= block.end:
        return None
    begin, end = block.body, len(page.text[: block.end].rstrip())
    for found in _STOP.finditer(page.text, block.body, block.end):
        if found[0] == "." and _SHORT_FORM.search(page.text, max(0, found.start() - 4), found.start()):
            continue
        if page.text.count("`", block.body, found.start()) % 2:
            continue
        if found.end() <= position:
            begin = found.end()
        elif found.start() >= position:
            end = found.end()
            break
    return block, begin + len(page.text[begin:end]) - len(page.text[begin:end].lstrip()), end


def without(page: Page, position: int) -> Stretch | None:
    """The sentence, or the clause before a semicolon; the whole entry or paragraph where it says no more.

    None in code and tables, and where entries below the one that would go remain.
    """
    found = sentence(page, position)
    if found is None:
        return None
    block, start, end = found
    if not page.text[block.body : start].strip() and not page.text[end : block.end].strip(" \t\r\n.。"):
        return _block(page, block)
    if page.text[start - 1 : start] in ";；" or page.text[:start].rstrip()[-1:] in (";", "；"):
        begin = len(page.text[:start].rstrip()) - 1
        return Stretch(begin, end) if page.text[end - 1] in ";；" else Stretch(begin, end - 1)
    gap = re.compile(r"[ \t]*").match(page.text, end)
    stop = gap.end() if gap else end
    if page.text[stop : stop + 1] in ("\n", "\r", "") and page.text[block.body : start].strip():
        back = len(page.text[:start].rstrip(" \t"))
        return Stretch(back, end)
    return Stretch(start, stop)


def entry(page: Page, position: int) -> Stretch | None:
    """The whole entry of a list that holds the position."""
    index = block_at(page, position)
    return _block(page, page.blocks[index]) if index >= 0 and page.blocks[index].kind == "item" else None


def _block(page: Page, block: Block) -> Stretch | None:
    index = page.blocks.index(block)
    below = page.blocks[index + 1] if index + 1 < len(page.blocks) else None
    if block.kind == "item" and below is not None and below.level > block.level and below.kind in ("item", "paragraph"):
        return None
    first = line_of(page, block.start)[0]
    last = page.text.find("\n", max(block.end - 1, 0))
    stop = len(page.text) if last < 0 else last + 1
    if block.kind == "item":
        return Stretch(first, *renumbered(page.text, first, stop))
    above = page.blocks[index - 1] if index else None
    alone = above is not None and above.kind == "heading" and (below is None or below.kind == "heading")
    if alone and above is not None:
        first = line_of(page, above.start)[0]
    blank = re.compile(r"(?:[ \t]*\r?\n)*").match(page.text, stop)
    return Stretch(first, blank.end() if blank else stop)


def row_of(page: Page, position: int) -> Stretch | None:
    """The row of a table, if other rows remain."""
    index = block_at(page, position)
    block = page.blocks[index] if index >= 0 else None
    if block is None or block.kind != "row":
        return None
    around = [one for one in page.blocks[max(0, index - 1) : index + 2] if one.kind == "row" and one is not block]
    if not any(not _TABLE_HEAD.match(page.text[one.start : one.end]) for one in around):
        return None
    last = page.text.find("\n", block.end)
    return Stretch(block.start, len(page.text) if last < 0 else last + 1)


def is_key(page: Page, position: int, keys: int = 2) -> bool:
    """Whether a position in a table lies in its first columns: what the row is about."""
    block = page.blocks[block_at(page, position)]
    found = cells(page.text, block.start, block.end)
    return any(cell.start <= position <= cell.end for cell in found[:keys])


def renumbered(text: str, first: int, stop: int) -> tuple[int, str]:
    """What follows a line that goes, where it is a numbered entry: the next entries count on without it."""
    own = _NUMBERED.match(text, first)
    kept: list[str] = []
    at, number = stop, int(own[2]) if own else 0
    while own and at < len(text):
        end = text.find("\n", at)
        end = end + 1 if end >= 0 else len(text)
        line, found = text[at:end], _NUMBERED.match(text, at, end)
        if found and found[1] == own[1] and int(found[2]) == number + 1:
            kept.append(f"{found[1]}{number}{text[found.end(2) : end]}")
            number += 1
        elif line.strip() and not line.startswith((" ", "\t")):
            break
        else:
            kept.append(line)
        at = end
    return (at, "".join(kept)) if own else (stop, "")
