"""Pages: their blocks and places, and what each block is to the model that reads it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.skills.reader.markdown import MarkdownBlock, Use
from loopwright.skills.reader.page import Page, estimate_tokens, read_page
from tests.tables import each
from tests.tiers import examples
from tests.tune.skill.reading import page_of

WORDS = (
    "# ", "## Goal", "### 2.1 目标", "---", "***", "===", "```", "````", "~~~", "```js", "```markdown", "- ", "* ",
    "1. ", "  - ", "    ", "\t", "> ", "| a | b |", "|---|---|", "<step>", "</step>", "<!--", "-->", "<script>",
    "text", "**bold**", "Bad:", "For example:", "❌ no", "[é](a中.md)", "`c`", "Task({})", "key: value", "\n", "\n\n",
    "\r\n", "\r", "\u3000", "\ufeff", "\u2028", "\x0c", "`", "{", "\x85", "\udc80", "\udcff", "![", "](", "[x]: y",
)  # fmt: skip
"""What pages are made of, and what breaks readers of them."""
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=40).map("".join) | st.text()


def check(page: Page) -> None:
    """Blocks are in order and apart, and all that is said lies in one of them."""
    text, before = page.text, 0
    for block in page.blocks:
        assert before <= block.start <= block.end <= len(text)
        assert block.start <= block.body <= len(text)
        if block.kind not in ("heading", "rule"):
            assert text[block.body : block.body + len(block.text)] == block.text
        before = block.end
    for span in (*page.links, *page.codes):
        assert 0 <= span.start <= span.end <= len(text)
    for number, section in enumerate(page.sections):
        assert section.start < section.end <= len(text)
        assert -1 <= section.parent < number


@given(TEXTS)
@settings(max_examples=examples(400))
def test_whatever_a_page_holds_its_places_are_right(text: str) -> None:
    page = read_page("SKILL.md", text.encode("utf-8", "surrogatepass"))
    if page is not None:
        check(page)


def test_blocks_links_and_code_stand_where_they_are_said_to() -> None:
    text = (
        "---\nname: é中\n---\n# Tïtle `x` here\n\n- one [l](a.md#b) é\n- two\n  ```js\n  f(中)\n  ```\n\n"
        "> quote **b**\n\n"
        "|a|b|\n|-|-|\n|`c`|d|\n\n<!-- hi -->\n\n```python\nopen\n"
    )
    page = page_of(text)
    check(page)
    assert [(block.kind, page.line(block.start)) for block in page.blocks] == [
        ("front", 1), ("heading", 4), ("item", 6), ("item", 7), ("code", 8), ("quote", 12), ("row", 14), ("row", 16),
        ("html", 18), ("code", 20),
    ]  # fmt: skip
    assert [(block.lang, block.closed) for block in page.blocks if block.kind == "code"] == [
        ("js", True), ("python", False),
    ]  # fmt: skip
    (link,) = page.links
    assert (link.text, text[link.start : link.end]) == ("a.md#b", "a.md#b")
    assert [text[one.start : one.end] for one in page.codes] == ["`x`", "`c`"]
    assert page.sections[0].title == "Tïtle x here"


@pytest.mark.parametrize("data", [b"a\0b", bytes(range(128, 256)) * 4])
def test_what_is_no_text_is_no_page(data: bytes) -> None:
    assert read_page("x.md", data) is None


def test_a_file_of_code_is_one_block() -> None:
    page = page_of('{"a": 1}\n', "state.json")
    assert [(one.kind, one.lang, one.text) for one in page.blocks] == [("code", "json", page.text)]
    assert (page.kind, page.sections, page.front) == ("data", (), None)
    assert page_of("  \n", "run.py").blocks == ()


def test_line_ends_are_told_by_most() -> None:
    assert page_of("a\r\nb\r\nc\n").newline == "\r\n"
    assert page_of("a\nb\nc\r\n").newline == "\n"


@pytest.mark.parametrize(
    ("text", "code", "count"),
    [("a" * 400, False, 100), ("a" * 330, True, 100),
     ("中" * 50, False, 50), ("中" * 50 + "a" * 40, False, 60), ("", True, 0)],
)  # fmt: skip
def test_tokens(text: str, code: bool, count: int) -> None:
    assert estimate_tokens(text, code=code) == count


def test_code_costs_more_than_prose() -> None:
    assert page_of("word " * 800).tokens == 1000
    assert page_of("```\n" + "x" * 3300 + "\n```").tokens == 1001


def block_with(page: Page, words: str) -> MarkdownBlock:
    (found,) = (block for block in page.blocks if words in block.text)
    return found


CALL = 'Task({ prompt: "x" })'


@each(
    ("text", "words", "use"),
    [
        (f"## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## Anti-patterns\n### Too many agents\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Anti-patterns\ntext\n## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"# Anti-pattern hunter\n## Steps\n```js\n{CALL}\n```", CALL, "instruction"),
        (f"## Steps\nDon't do this:\n\n```js\n{CALL}\n```", CALL, "negative"),
        (f"## Steps\nFor example:\n```js\n{CALL}\n```", CALL, "example"),
        ("## Report template\n```\nTitle: x\n```", "Title", "template"),
        ("## Report template\nFill it in.", "Fill", "instruction"),
        ("## Rules\n- Never wait without a limit", "Never", "instruction"),
        ("## Rules\n- ❌ wait for ever", "wait", "negative"),
        ("## Rules\nBad examples:\n- wait\n- spin\n\nNow work.", "spin", "negative"),
        ("## Rules\nBad examples:\n- wait\n- spin\n\nNow work.", "Now work", "instruction"),
        ("## Examples\nGo.", "Go.", "example"),
        ("## Rules\nFor example, go.", "go.", "example"),
        ("## When to use\n- \"Write it up.\"", "Write", "quotation"),
        ("## Steps\n| ❌ Bad | ✅ Good |\n|---|---|\n| wait | wait 5 |", "wait 5", "negative"),
        ("## Steps\n> [!NOTE]\n> read first", "NOTE", "instruction"),
        ("## Steps\n> It was a dark night.", "dark", "quotation"),
        ("## Steps\n<!-- later -->", "later", "example"),
        ("## 反模式\n不行。", "不行", "negative"),
        ("## Write it\n```markdown\n# X\n```js\nf()\n```\nSo [it](gone.md) ends.\n```\n", "ends", "template"),
    ],
)  # fmt: skip
def test_what_a_block_is_to_its_reader(text: str, words: str, use: Use) -> None:
    assert block_with(page_of(text), words).use == use


def test_what_stands_between_quotation_marks_is_a_quotation() -> None:
    page = page_of('Say: "See [it](a.md)", then read [b](b.md).\n')
    assert [page.use(link.start) for link in page.links] == ["quotation", "instruction"]


def test_a_page_of_templates_is_one() -> None:
    assert block_with(page_of("Go on.", "templates/a.md"), "Go on").use == "template"
