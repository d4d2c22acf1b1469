"""Where the words and the code of a page are: which stretches are read, and as what."""

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

from loopwright.tune.skill.lines import lines_of
from loopwright.tune.skill.model import At, Block, Page, Use

Manner = Literal["code", "shell", "prose"]
_CODE = frozenset({
    "", "javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx", "python", "py", "python3", "pseudo", "pseudocode", "text",
    "txt", "plaintext", "plain", "code",
})  # fmt: skip
_SHELL = frozenset({"bash", "sh", "shell", "zsh", "console", "shell-session", "powershell", "ps1", "cmd"})
_PROSE = frozenset({"markdown", "md", "mdx", "prompt", "xml", "html"})


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the page that is read in one manner; `block` is the index of the block it is the content of."""

    start: int
    end: int
    manner: Manner
    use: Use
    block: int


class Places:
    """Turns positions of one page into places, and knows what stands where."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.text = page.text
        self._lines = lines_of(page.text).starts
        self._starts = [block.start for block in page.blocks]

    def at(self, start: int, end: int, use: Use) -> At:
        return At(self.page.path, start, end, bisect_right(self._lines, start), use)

    def block(self, position: int) -> int:
        """The index of the block that holds the position, or of the last one before it; -1 before the first."""
        return bisect_right(self._starts, position) - 1

    def line_start(self, position: int) -> int:
        return self._lines[bisect_right(self._lines, position) - 1]

    def line_end(self, position: int) -> int:
        found = self.text.find("\n", position)
        return len(self.text) if found < 0 else found

    def lines_on(self, position: int, count: int) -> int:
        """Where the line ends that stands so many lines below that of the position."""
        index = bisect_right(self._lines, position) + count
        return self._lines[index] if index < len(self._lines) else len(self.text)


def stretches(page: Page) -> list[Stretch]:
    """What of a page is read for behaviour, in order: no data, no front matter, no languages without agents' tools."""
    if page.kind == "data":
        return []
    found: list[Stretch] = []
    for index, block in enumerate(page.blocks):
        if block.kind in ("front", "rule"):
            continue
        manner = _manner(block)
        if manner is not None:
            end = block.body + len(block.text)
            if block.body < end:
                found.append(Stretch(block.body, end, manner, block.use, index))
    return found


def _manner(block: Block) -> Manner | None:
    if block.kind != "code":
        return "prose"
    lang = block.lang.lower()
    if lang in _CODE:
        return "code"
    if lang in _SHELL:
        return "shell"
    return "prose" if lang in _PROSE else None
