"""The parts of a page.

All positions are characters in the text of a file (`start` inclusive, `end` exclusive). Text keeps its newlines as they
are; bytes that are no UTF-8 are kept as surrogates, so that encoding gives the file back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

BlockKind = Literal["front", "heading", "paragraph", "item", "code", "row", "quote", "html", "rule"]
"""`item` is text of a list's entry, `row` one line of a table (its head too, without the line below it)."""
Use = Literal["instruction", "template", "example", "negative", "quotation"]
"""What a span is to the model that reads the skill: what it shall do; the shape of something it shall write; an
example, a tutorial or background; how not to do it; words of somebody else."""
PageKind = Literal["skill", "phase", "action", "spec", "template", "reference", "script", "data", "other"]


class Block(NamedTuple):
    """A leaf of the page. `text`: of code without its fences, of a heading without marks, else as it is written.

    `body` is where the text begins; `level` is a heading's; `lang` a fence's, in small letters; `closed` is False for
    a fence that nothing closes. A tuple, because a page has very many of them.
    """

    kind: BlockKind
    start: int
    end: int
    text: str
    body: int
    level: int = 0
    lang: str = ""
    use: Use = "instruction"
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with all below it, to the next one of its level or above. `parent` is -1 at the top."""

    title: str
    level: int
    start: int
    end: int
    parent: int


@dataclass(frozen=True, slots=True)
class Front:
    """The front matter. `values` as YAML has them, none where it is `broken`: why it is no YAML."""

    start: int
    end: int
    values: Mapping[str, object]
    broken: str | None = None


class Span(NamedTuple):
    """`text` is a link's destination, or what inline code holds."""

    text: str
    start: int
    end: int
