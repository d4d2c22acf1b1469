"""One text file of a skill. What it holds is parsed when it is first asked for: most pages are never looked at."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from loopwright.tune.skill.blocks import Block, Front, PageKind, Section, Span, Use
from loopwright.tune.skill.front import front_of
from loopwright.tune.skill.kinds import is_markdown, kind_of, suffix_of
from loopwright.tune.skill.markdown import Parts, nested_fences, parse, sections_of
from loopwright.tune.skill.tokens import tokens
from loopwright.tune.skill.uses import uses_of

HEAD = 8_192
"""Bytes at the beginning that hold no NUL in a text."""
_CODE = re.compile(r"`[^`\n]*`?")
UNDECODABLE = 0.3
"""The share of bytes that are no UTF-8, above which a file is no text."""


@dataclass(frozen=True, eq=False)
class Page:
    path: str
    text: str

    @cached_property
    def kind(self) -> PageKind:
        return kind_of(self.path)

    @cached_property
    def newline(self) -> Literal["\n", "\r\n"]:
        return "\r\n" if self.text.count("\r\n") * 2 > self.text.count("\n") else "\n"

    @cached_property
    def tokens(self) -> int:
        """A local estimate; what stands between fences counts as code."""
        if not is_markdown(self.path):
            return tokens(self.text, code=True)
        pieces = self.text.split("```")
        return tokens("".join(pieces[::2])) + tokens("".join(pieces[1::2]), code=True)

    @cached_property
    def front(self) -> Front | None:
        return front_of(self.text) if is_markdown(self.path) else None

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        return tuple(sections_of(self._parts.blocks, len(self.text)))

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        blocks = self._parts.blocks
        used = uses_of(blocks, self.sections, self.kind, nested_fences(self.text) if is_markdown(self.path) else ())
        return tuple([block._replace(use=use) for block, use in zip(blocks, used, strict=True)])

    @property
    def links(self) -> tuple[Span, ...]:
        """Of its prose."""
        return self._parts.links

    @property
    def codes(self) -> tuple[Span, ...]:
        """Inline code of its prose."""
        return self._parts.codes

    @cached_property
    def _parts(self) -> Parts:
        if is_markdown(self.path):
            return parse(self.text, self.front)
        block = Block("code", 0, len(self.text), self.text, 0, lang=suffix_of(self.path))
        return Parts([block] if self.text.strip() else [], (), ())

    @cached_property
    def _lines(self) -> list[int]:
        """Where each line begins."""
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    def line(self, at: int) -> int:
        return bisect_right(self._lines, at)

    def begin(self, line: int) -> int:
        """Where a line begins; behind the last one, the end."""
        return self._lines[line - 1] if line <= len(self._lines) else len(self.text)

    def key(self, name: str) -> tuple[int, int] | None:
        """Where this key of the front matter stands, with the lines of its value."""
        written = re.compile(rf"^{re.escape(name)}[ \t]*:.*(?:\r?\n(?:[ \t]|-[ \t]).*)*", re.MULTILINE)
        found = written.search(self.text, self.front.start, self.front.end) if self.front else None
        return found.span() if found else None

    def block(self, at: int) -> Block | None:
        """The block that holds this place."""
        index = bisect_right(self.blocks, at, key=lambda block: block.start) - 1
        return self.blocks[index] if index >= 0 and at < self.blocks[index].end else None

    def use(self, at: int) -> Use:
        """Of the block that holds this place; what stands between quotation marks there is a quotation."""
        block = self.block(at)
        if block is None:
            return "instruction"
        if block.kind in ("code", "front"):
            return block.use
        begin = _CODE.sub("", self.text[block.start : at])
        quoted = begin.count('"') % 2 or begin.count("“") > begin.count("”")
        return "quotation" if quoted else block.use


def read_page(path: str, data: bytes) -> Page | None:
    """The page at `path`, relative to the skill's folder; None where the bytes are no text."""
    if b"\0" in data[:HEAD]:
        return None
    try:
        return Page(path, data.decode())
    except UnicodeDecodeError:
        text = data.decode("utf-8", "surrogateescape")
    strange = sum("\udc80" <= char <= "\udcff" for char in text)
    return None if strange > UNDECODABLE * len(data) else Page(path, text)
