"""What the words of a page say to repeat, and what limits it."""

import re
from bisect import bisect_left
from collections.abc import Callable

from loopwright.tune.skill.given import Given
from loopwright.tune.skill.limits import limit_in, limits
from loopwright.tune.skill.loops import Loop
from loopwright.tune.skill.model import Block, Use
from loopwright.tune.skill.places import Places, Stretch
from loopwright.tune.skill.saying import goes_forward, marks, says_repeat

_EACH = re.compile(
    r"for\s+(?:each|every|all|the\s+(?:remaining|other|next))\s+([^,:.\n(]{1,60})|对每([^，。：,:\n]{1,30})|(?:逐一|遍历)\s*([^，。：,:\n]{1,30})",
    re.IGNORECASE,
)
_LIMITS_ROW = re.compile(
    r"(?<!-)\bmax|limit|retr|round|attempt|iteration|times|cap\b|timeout|重试|轮|次|上限|最多|超时|迭代", re.IGNORECASE
)
_ROUNDS = (
    "retr",
    "round",
    "attempt",
    "iterat",
    "loop",
    "cycle",
    "poll",
    "repeat",
    "rework",
    "重试",
    "轮",
    "循环",
    "迭代",
    "返工",
)
_POLLS = re.compile(r"\bpoll\w*|轮询", re.IGNORECASE)
"""What is asked again and again until it answers; its limit is that of nothing else."""
_STEMS = re.compile(r"[A-Za-z]{5,}")
_NO_STEM = frozenset(
    ["repeat", "until", "retry", "contin", "passes", "again", "there", "where", "which", "these", "those"]
)
_NOTED = re.compile(r"[ \t│|]*+(?://|#|--|[├└]─|\+-|\*\s)")
"""How a line of code begins that is words."""
_CELL = re.compile(r"\|\s*`?\d{1,3}\b(?![:/])")
_MERE_COUNT = re.compile(r"(?:\d+|two|three|four|five|six|ten)\s+(?:times|attempts|rounds)", re.IGNORECASE)
"""Beside a repetition it may be told what happened: "retrying the same action three times"."""
_NUMBER = re.compile(r"\D{0,12}?(\d{1,3})\b")
_SENTENCE = 400
"""Characters of a sentence to each side of its mark."""
_BODY = 800
"""Characters behind words of repetition that may say a limit."""
_BESIDE = 6
"""Blocks of the same section that may say a limit."""


class Said:
    """Finds what the prose of a page says to repeat: one repeat for each sentence that says so."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._page = places.page
        self._marks = sorted(marks(places.text))
        self._limits: dict[int, list[tuple[int, str]]] = {}
        self._repeating: set[int] = set()
        self._rows: list[str] | None = None

    def repeats(self, prompts: Callable[[int], Given | None]) -> list[tuple[Loop, Use]]:
        """In running text, and in code where that is a prompt; `prompts` says which one a position lies in."""
        said: list[tuple[Stretch, int, int, int]] = []
        after = 0
        for pos, mark in self._marks:
            if pos < after:
                continue
            index = self._places.block(pos)
            part = self._part(pos, index, prompts)
            if part is None or not says_repeat(self._places.text, pos, mark, part.start, part.end):
                continue
            if mark.startswith("to ") and goes_forward(self._places.text, pos, self._own_number(index)):
                continue
            start, after = _sentence(self._places.text, pos, pos + len(mark), part)
            said.append((part, index, start, after))
        self._repeating = {index for _, index, _, _ in said}
        return [(self._loop(part, index, start, end), part.use or "instruction") for part, index, start, end in said]

    def _part(self, pos: int, index: int, prompts: Callable[[int], Given | None]) -> Stretch | None:
        if self._places.is_prose(pos):
            block = self._page.blocks[index]
            return Stretch(block.body, block.body + len(block.text), block.use)
        given = prompts(pos)
        return Stretch(given.start, given.end, given.use) if given else self._noted(pos, index)

    def _noted(self, pos: int, index: int) -> Stretch | None:
        """A line of code that is words: a comment, or a step in an outline."""
        block = self._page.blocks[index]
        start = self._places.line_start(pos)
        if block.kind != "code" or block.use != "instruction" or not _NOTED.match(self._places.text, start, pos):
            return None
        return Stretch(max(start, block.body), min(self._places.line_end(pos), block.end), block.use)

    def _own_number(self, index: int) -> int | None:
        """The number of the step that the block is, or lies in."""
        block = self._page.blocks[index]
        heads = [self._places.text[block.start : block.body]]
        if block.section >= 0:
            heads.append(self._page.sections[block.section].title)
        return next((int(found[1]) for head in heads if (found := _NUMBER.match(head))), None)

    def _loop(self, part: Stretch, index: int, start: int, end: int) -> Loop:
        text = self._places.text
        head = text[start:end].strip()
        each = _EACH.search(text, start, end)
        stop = self._reach(part, index)
        if each:
            over = next(group for group in each.groups() if group)
            return Loop("prose", part.start, stop, head, self._limit(part.start, part.end, start, end), over.strip())
        begin = max(part.start, start - _BODY // 2)
        bound = (
            self._limit(part.start, part.end, start, end)
            or self._limit(part.start, part.end, begin, begin + _BODY)
            or (limit_in(text, part.end, min(stop, part.end + _BODY)) if stop > part.end else None)
        )
        return Loop("prose", part.start, stop, head, bound or self._near(index, head))

    def _reach(self, part: Stretch, index: int) -> int:
        """Where what belongs to the words ends: their entry with all below it, their section, or what a colon opens."""
        blocks = self._page.blocks
        block = blocks[index]
        if block.kind == "heading":
            section = self._page.sections[block.section] if block.section >= 0 else None
            return section.end if section and section.start == block.start else part.end
        end = part.end
        opens = self._places.text[max(part.start, part.end - 3) : part.end].rstrip().endswith((":", "："))
        for other in blocks[index + 1 : index + 40]:
            if other.section != block.section or not self._belongs(block, other, opens):
                break
            end = max(end, other.end)
        return end

    def _belongs(self, block: Block, other: Block, opens: bool) -> bool:
        if other.kind == "heading":
            return False
        indent = self._indent(block)
        if self._indent(other) > indent or (block.kind == other.kind == "item" and other.level > block.level):
            return True
        return opens and block.kind == "paragraph" and other.kind in ("item", "code")

    def _indent(self, block: Block) -> int:
        return block.start - self._places.line_start(block.start)

    def _near(self, index: int, head: str) -> str | None:
        """A limit beside it: in the same section by what repeats nothing itself, or in a row of a table on the same."""
        page = self._page
        section = page.blocks[index].section
        for at in range(max(0, index - _BESIDE // 2), min(index + _BESIDE + 1, len(page.blocks))):
            other = page.blocks[at]
            if other.section != section or other.kind in ("heading", "code") or at in self._repeating:
                continue
            if _POLLS.search(page.text, other.body, other.end) and not _POLLS.search(head):
                continue
            end = other.body + len(other.text)
            bound = self._limit(other.body, end, other.body, other.body + _BODY)
            if bound and not _MERE_COUNT.fullmatch(bound):
                return bound
        return self._row(head)

    def _limit(self, first: int, last: int, start: int, end: int) -> str | None:
        """The first limit said from `start` to `end`, in a stretch from `first` to `last` that is read once."""
        if first not in self._limits:
            self._limits[first] = sorted(limits(self._places.text, first, last))
        known = self._limits[first]
        at = bisect_left(known, (start, ""))
        return known[at][1] if at < len(known) and known[at][0] < end else None

    def _row(self, head: str) -> str | None:
        if self._rows is None:
            rows = (block.text for block in self._page.blocks if block.kind == "row")
            self._rows = [row for row in rows if _LIMITS_ROW.search(row) and _says_number(row)]
        low = head.lower()
        stems = {stem.lower()[:6] for stem in _STEMS.findall(head)} - _NO_STEM
        for row in self._rows:
            words = row.lower()
            if any(word in words and word in low for word in _ROUNDS) or any(stem in words for stem in stems):
                return row.strip(" |")
        return None


def _says_number(row: str) -> bool:
    """A cell is a number, or its words say a limit."""
    if not any(char.isdigit() for char in row):
        return False
    return _CELL.search(row) is not None or limit_in(row, 0, len(row)) is not None


def _sentence(text: str, start: int, end: int, part: Stretch) -> tuple[int, int]:
    """Where the sentence begins and ends that a mark stands in."""
    begin, least, most = start, max(part.start, start - _SENTENCE), min(part.end, start + _SENTENCE)
    while begin > least and not _breaks(text, begin - 1):
        begin -= 1
    while end < most and not _breaks(text, end):
        end += 1
    while begin < start and text[begin].isspace():
        begin += 1
    return begin, min(end + 1, part.end)


def _breaks(text: str, at: int) -> bool:
    char = text[at]
    if char in "。；;！？":
        return True
    if char == "\n":
        return text[at + 1 : at + 2] in ("\n", "", "-", "*", "|", "#") or text[at - 1 : at] == "|"
    return char in ".!?" and text[at + 1 : at + 2].isspace()
