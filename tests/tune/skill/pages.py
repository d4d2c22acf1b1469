"""Pages made of text, and what must hold for every one of them."""

from hypothesis import strategies as st

from loopwright.tune.skill.model import Block, Page, PageKind
from loopwright.tune.skill.page import BOM, read_page

WORDS = (
    "# ", "## Goal", "### 2.1 目标", "---", "***", "===", "```", "````", "~~~", "```js", "```markdown", "- ", "* ",
    "1. ",
    "  - ", "    ", "\t", "> ", "| a | b |", "|---|---|", "a | b", "--- | ---", "<step>", "</step>", "<step", "<!--",
    "-->", "<script>", "text", "**bold**", "Bad:", "For example:", "❌ no", "Task({})", "key: value", "\n", "\n\n",
    "\r\n",
    "\r", "\u3000", "\ufeff", "\u2028", "\x0c", "\x00", "`", "{", "\ud800",
)  # fmt: skip
"""What pages are made of, and what breaks readers of them."""
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=40).map("".join) | st.text()


def page_of(text: str, path: str = "SKILL.md", kind: PageKind | None = None) -> Page:
    page = read_page(path, text.encode("utf-8", "surrogatepass"), kind)
    assert page is not None, "this is text"
    return page


def kinds(page: Page) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in page.blocks]


def block_with(page: Page, words: str) -> Block:
    (found,) = (block for block in page.blocks if words in block.text)
    return found


def check(page: Page) -> None:
    """Blocks are in order, apart, whole lines; each holds its text; all that is not blank lies in one of them."""
    text, before = page.text, 0
    for block in page.blocks:
        assert before <= block.start <= block.body <= block.body + len(block.text) <= block.end <= len(text)
        assert text[block.body : block.body + len(block.text)] == block.text
        assert text.count("\n", 0, block.start) + 1 == block.line
        assert text.count("\n", 0, block.end) + 1 == block.line_end
        assert not text[before : block.start].strip(BOM + " ").strip()
        assert block.start == 0 or text[block.start - 1] == "\n"
        assert block.end == len(text) or text[block.end] in "\r\n"
        assert -1 <= block.section < len(page.sections)
        before = block.end
    assert not text[before:].replace(BOM, "").strip()
    for number, section in enumerate(page.sections):
        assert section.start < section.body <= section.end <= len(text) or section.body == section.end == len(text)
        assert -1 <= section.parent < number
        assert section.parent == -1 or page.sections[section.parent].end >= section.end
