"""The blocks of a page, found line by line: Markdown as people write it in skills, which is not what CommonMark says.

Every line that is not blank lies in exactly one block, and a block's text is one piece of the page's text: of a quote
or an entry with several lines only the first line's marker is left out.
"""

import re
from dataclasses import dataclass
from typing import Final

from loopwright.tune.skill.fences import Fence, fences
from loopwright.tune.skill.lines import lines_of
from loopwright.tune.skill.model import BlockKind

_ITEM = re.compile(
    r"(?:[-*+•·‣◦](?:[ \t]+|$)|\d{1,9}(?:[.)](?:[ \t]+|$)|、[ \t]*)|[(（]\d{1,3}[)）][ \t]*)(?:\[[ xX~-]?\][ \t]+)?"
)
_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:[\s/](?!/)[^<>]*)?>")
_TAG_BEGINS = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?$")
_SEPARATOR = re.compile(r":?-+:?(?:[ \t]*\|[ \t]*:?-+:?)+")
_RULES = frozenset("-*_=─━═")
_RAW = ("script", "style", "pre")
TAG_LINES = 12
"""Lines that one tag may go over."""


@dataclass(slots=True)
class Piece:
    """A block while it is found, in numbers of lines from 0; `body` and `stop` are offsets in the text."""

    kind: BlockKind
    first: int
    last: int
    body: int
    level: int = 0
    lang: str = ""
    closed: bool = True
    stop: int = -1


class Scanner:
    """One pass over the lines. `open` is the piece that the next line may go on with."""

    def __init__(self, text: str, lines: list[str], first: int = 0) -> None:
        self.text: Final = text
        self.lines: Final = lines
        self.starts: Final = lines_of(text).starts
        self.pieces: list[Piece] = []
        self._fences: Final[dict[int, Fence]] = fences(lines, first)
        self._at = first
        self._open: Piece | None = None
        self._list: list[int] = []
        self._table = False
        self._never: set[str] = set()

    def scan(self) -> list[Piece]:
        lines, known, special = self.lines, self._fences, _SPECIAL
        while self._at < len(lines):
            line = lines[self._at]
            bare = line.strip()
            if not bare:
                self._open, self._table = None, False
                self._at += 1
            elif self._at in known:
                self._fence(known[self._at])
            else:
                margin = line.index(bare[0])
                find = special.get(bare[0])
                if find is None or not find(self, bare, margin):
                    self._plain(bare, margin)
        starts = self.starts
        for piece in self.pieces:
            if piece.stop < 0:
                piece.stop = max(piece.body, starts[piece.last] + len(lines[piece.last].rstrip()))
        return self.pieces

    def _content_end(self, number: int) -> int:
        return self.starts[number] + len(self.lines[number].rstrip())

    def _add(self, kind: BlockKind, body: int, level: int = 0) -> Piece:
        piece = Piece(kind, self._at, self._at, body, level)
        self.pieces.append(piece)
        self._at += 1
        return piece

    def _indent(self, margin: int) -> int:
        """Columns before the text; a tab goes to the next multiple of 4."""
        blank = self.lines[self._at][:margin]
        return len(blank.expandtabs(4)) if "\t" in blank else margin

    def _fence(self, fence: Fence) -> None:
        lines = self.lines
        last = fence.close if fence.close is not None else len(lines) - 1
        body = self.starts[fence.line + 1] if fence.line + 1 < len(lines) else len(self.text)
        stop = self.starts[last] - 1 if fence.close is not None else len(self.text)
        if fence.close is not None and stop > body and self.text[stop - 1] == "\r":
            stop -= 1
        piece = Piece("code", fence.line, last, body, 0, fence.lang, fence.close is not None, max(body, stop))
        self.pieces.append(piece)
        if fence.indent == 0:
            self._list = []
        self._open, self._at, self._table = None, last + 1, False

    def _plain(self, bare: str, margin: int) -> None:
        opened = self._open
        if self._table and "|" in bare:
            self._row(bare, margin)
        elif opened is not None and opened.kind != "quote" and not (opened.kind == "item" and _is_label(bare, margin)):
            opened.last = self._at
            self._at += 1
        else:
            self._paragraph(margin)

    def _paragraph(self, margin: int) -> None:
        indent = self._indent(margin)
        if indent == 0:
            self._list = []
        if indent >= 4 and not self._list and self._may_be_indented_code():
            self._indented_code()
            return
        self._open = self._add("paragraph", self.starts[self._at] + margin, len(self._list))

    def _may_be_indented_code(self) -> bool:
        return self._open is None and not (self.pieces and self.pieces[-1].kind == "html")

    def _indented_code(self) -> None:
        piece = self._add("code", self.starts[self._at])
        while self._at < len(self.lines) and self._at not in self._fences:
            bare = self.lines[self._at].strip()
            if bare:
                if self._indent(self.lines[self._at].index(bare[0])) < 4:
                    break
                piece.last = self._at
            self._at += 1
        self._open = None

    def _heading(self, bare: str, margin: int) -> bool:
        level = len(bare) - len(bare.lstrip("#"))
        rest = bare[level:]
        spaced = not rest or rest[0] in " \t\u3000"
        if level > 6 or self._indent(margin) > 3 or not (spaced or (level > 1 and rest[0].isalnum())):
            return False
        piece = self._add("heading", self.starts[self._at] + margin + len(bare) - len(rest.lstrip()), level)
        closing = rest.rstrip("#")
        piece.stop = piece.body + len(closing.strip()) if closing[-1:] in (" ", "\t") or not closing else -1
        self._open, self._list, self._table = None, [], False
        return True

    def _item(self, bare: str, margin: int) -> bool:
        mark = bare[0]
        likely = mark in _RULES and (bare[1:2] != " " or bare[2:3] == mark)
        if likely and (self._rule(bare, margin) or self._separator(bare, margin)):
            return True
        found = _ITEM.match(bare)
        if not found:
            return False
        if self._table and "|" in bare:
            return False
        indent = self._indent(margin)
        while self._list and self._list[-1] > indent - 2:
            self._list.pop()
        self._list.append(indent)
        self._open = self._add("item", self.starts[self._at] + margin + found.end(), len(self._list))
        self._table = False
        return True

    def _rule(self, bare: str, margin: int) -> bool:
        if bare.strip(bare[0] + " \t") or bare.count(bare[0]) < 3:
            return False
        opened = self._open
        if bare[0] == "=" and opened is not None and opened.kind == "paragraph" and opened.first == opened.last:
            opened.stop = self._content_end(opened.last)
            opened.kind, opened.level, opened.last = "heading", 1, self._at
            self._at += 1
        else:
            self._add("rule", self.starts[self._at] + margin)
        self._open, self._list, self._table = None, [], False
        return True

    def _separator(self, bare: str, margin: int) -> bool:
        """The second line of a table whose lines begin without `|`; the line above is its head."""
        opened = self._open
        if opened is None or opened.kind != "paragraph" or "|" not in self.lines[opened.last]:
            return False
        if not _SEPARATOR.match(bare):
            return False
        self._at -= 1
        head = self.lines[self._at]
        if opened.first == opened.last:
            self.pieces.pop()
        else:
            opened.last -= 1
        bare_head = head.strip()
        self._row(bare_head, head.index(bare_head[0]))
        self._row(bare, margin)
        return True

    def _row(self, bare: str, margin: int) -> bool:
        begin = self.starts[self._at] + margin
        piece = self._add("row", begin + (bare[0] == "|"))
        piece.stop = max(piece.body, begin + len(bare) - (bare[-1] == "|" and not bare.endswith("\\|")))
        self._open, self._table = None, True
        return True

    def _quote(self, bare: str, margin: int) -> bool:
        opened = self._open
        if opened is not None and opened.kind == "quote":
            opened.last = self._at
            self._at += 1
            return True
        rest = bare.lstrip("> \t")
        self._open = self._add("quote", self.starts[self._at] + margin + len(bare) - len(rest), len(self._list))
        self._table = False
        return True

    def _html(self, bare: str, margin: int) -> bool:
        if bare.startswith("<!--"):
            return self._comment(bare, margin)
        found = _TAG.match(bare)
        if not found:
            return bool(_TAG_BEGINS.match(bare)) and self._long_tag(margin)
        name = bare[1:].split(">")[0].split()[0].casefold()
        if name in _RAW and self._until(f"</{name}", margin):
            return True
        while found and found.end() < len(bare):
            found = _TAG.match(bare, found.end())
        if not found:
            return False
        self._add("html", self.starts[self._at] + margin)
        self._open, self._table = None, False
        return True

    def _comment(self, bare: str, margin: int) -> bool:
        close = bare.find("-->")
        if 0 <= close < len(bare) - 3 and not bare[close + 3 :].lstrip().startswith("<"):
            return False
        if self._until("-->", margin):
            return True
        piece = self._add("html", self.starts[self._at] + margin)
        piece.closed = False
        self._open = None
        return True

    def _until(self, mark: str, margin: int) -> bool:
        """One block up to the line that holds the mark. A mark that is missing is looked for only once."""
        begin = self.starts[self._at] + margin
        stop = -1 if mark in self._never else self.text.find(mark, begin + 1)
        if stop < 0:
            self._never.add(mark)
            return False
        piece = self._add("html", begin)
        while self._at < len(self.lines) and self.starts[self._at] <= stop:
            piece.last = self._at
            self._at += 1
        self._open, self._table = None, False
        return True

    def _long_tag(self, margin: int) -> bool:
        """A tag whose attributes go over several lines."""
        for number in range(self._at + 1, min(self._at + TAG_LINES, len(self.lines))):
            more = self.lines[number].strip()
            if not more or "<" in more or number in self._fences:
                return False
            if more.endswith(">"):
                piece = self._add("html", self.starts[self._at] + margin)
                piece.last, self._at, self._open = number, number + 1, None
                return True
        return False


_SPECIAL: Final = {
    "#": Scanner._heading,
    ">": Scanner._quote,
    "|": Scanner._row,
    "<": Scanner._html,
    ":": Scanner._separator,
    **dict.fromkeys("-*+•·‣◦0123456789(（_=─━═", Scanner._item),
}
"""Who looks at a line, by its first character."""


def _is_label(bare: str, margin: int) -> bool:
    """A bold line at the left margin begins something new, also where the blank line before it was left out."""
    return margin == 0 and bare.startswith("**")
