"""Where the words and the code of a page are: which stretches are read, and as what."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from loopwright.tune.skill.lines import Lines, lines_of
from loopwright.tune.skill.model import At, Block, Page, Use

_CODE = frozenset([
    "", "javascript", "js", "jsx", "mjs", "typescript", "ts", "tsx", "python", "py", "python3", "pseudo", "pseudocode",
    "text", "txt", "plaintext", "plain", "code", "bash", "sh", "shell", "zsh", "console",
])  # fmt: skip
_PLAIN = frozenset(["", "text", "txt", "plaintext", "plain"])
_PROSE = frozenset(["markdown", "md", "mdx", "prompt", "xml"])
_DONE: tuple[Use, ...] = ("instruction", "prompt")


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of a page and its use; with `use` None everything in it has that of the block it lies in."""

    start: int
    end: int
    use: Use | None


class Places:
    """Turns positions of one page into places, and knows what stands where."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.text = page.text
        self.lines: Lines = lines_of(page.text)
        self._starts = [block.start for block in page.blocks]

    def at(self, start: int, end: int, use: Use) -> At:
        return At(self.page.path, start, end, self.lines.number(start), use)

    def block(self, position: int) -> int:
        """The index of the block that holds the position, or of the last one before it; -1 before the first."""
        return bisect_right(self._starts, position) - 1

    def use(self, position: int) -> Use:
        index = self.block(position)
        return self.page.blocks[index].use if index >= 0 else "instruction"

    def block_end(self, position: int) -> int:
        """Where the content of the block ends that holds the position."""
        index = self.block(position)
        if index < 0:
            return len(self.text)
        block = self.page.blocks[index]
        return block.body + len(block.text)

    def line_start(self, position: int) -> int:
        return self.lines.starts[self.lines.number(position) - 1]

    def line_end(self, position: int) -> int:
        found = self.text.find("\n", position)
        return len(self.text) if found < 0 else found

    def code(self) -> Iterator[tuple[Block, int]]:
        """The blocks of pseudo-code that tell the model what to do, and where their content ends."""
        if self.page.kind != "data":
            for block in self.page.blocks:
                if block.kind == "code" and block.lang.lower() in _CODE:
                    yield block, block.body + len(block.text)

    def prose(self) -> list[Stretch]:
        """Everything that is no code and no data, in stretches as long as possible."""
        found: list[Stretch] = []
        start = end = -1
        for block in self.page.blocks:
            if block.kind == "front" or (block.kind == "code" and block.lang.lower() not in _PROSE):
                if start >= 0:
                    found.append(Stretch(start, end, None))
                start = -1
                continue
            start = block.body if start < 0 else start
            end = block.body + len(block.text)
        if start >= 0:
            found.append(Stretch(start, end, None))
        return found if self.page.kind != "data" else []

    def is_prose(self, position: int) -> bool:
        index = self.block(position)
        if index < 0 or self.page.kind == "data":
            return False
        block = self.page.blocks[index]
        return block.kind != "front" and (block.kind != "code" or block.lang.lower() in _PROSE)

    def is_plain(self, position: int) -> bool:
        """Whether the position lies in a fence of plain text that tells the model what to do."""
        index = self.block(position)
        if index < 0 or self.page.kind == "data":
            return False
        block = self.page.blocks[index]
        return block.kind == "code" and block.lang.lower() in _PLAIN and done(block.use)


def done(use: Use) -> bool:
    """Whether a model does what stands there."""
    return use in _DONE


def prompted(use: Use) -> Use:
    """The use of words in a prompt; one in a bad example or a tutorial stays what it is."""
    return "prompt" if done(use) else use
