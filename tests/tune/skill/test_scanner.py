"""The blocks of Markdown as people write it."""

import pytest

from tests.tune.skill.pages import check, kinds, page_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# A\nb\n## C\nd", [("heading", "A"), ("paragraph", "b"), ("heading", "C"), ("paragraph", "d")]),
        ("## 🚀 2. **Goal** ##", [("heading", "🚀 2. **Goal**")]),
        ("# C#", [("heading", "C#")]),
        ("#", [("heading", "")]),
        ("## ##", [("heading", "")]),
        ("##Goal\n##目标", [("heading", "Goal"), ("heading", "目标")]),
        ("#tag\n#!/bin/sh", [("paragraph", "#tag\n#!/bin/sh")]),
        ("####### seven", [("paragraph", "####### seven")]),
        ("   ### in", [("heading", "in")]),
        ("Title\n=====\ntext", [("heading", "Title"), ("paragraph", "text")]),
        ("text\n---\nmore", [("paragraph", "text"), ("rule", "---"), ("paragraph", "more")]),
        ("a\n***\n* * *\n___\n═════", [("paragraph", "a"), ("rule", "***"), ("rule", "* * *"), ("rule", "___"),
        ("rule", "═════")]),
        ("**Only bold**\n\ntext", [("paragraph", "**Only bold**"), ("paragraph", "text")]),
        ("- a\n- b\n  more\nlazy\n\nend", [("item", "a"), ("item", "b\n  more\nlazy"), ("paragraph", "end")]),
        ("- [ ] open\n- [x] done\n* [-] half", [("item", "open"), ("item", "done"), ("item", "half")]),
        ("1. a\n2) b\n3、c\n(4) d", [("item", "a"), ("item", "b"), ("item", "c"), ("item", "d")]),
        ("-", [("item", "")]),
        ("-x\n2024 was\n1.5 times", [("paragraph", "-x\n2024 was\n1.5 times")]),
        ("- a\n**Next**:\n- b", [("item", "a"), ("paragraph", "**Next**:"), ("item", "b")]),
        ("| a | b |\n|---|---|\n| `x|y` | \\| |", [("row", " a | b "), ("row", "---|---"), ("row", " `x|y` | \\| ")]),
        ("a | b\n--- | ---\n1 | 2\n\nx | y", [("row", "a | b"), ("row", "--- | ---"), ("row", "1 | 2"),
        ("paragraph", "x | y")]),
        ("say\na | b\n:-- | --:\n1 | 2", [("paragraph", "say"), ("row", "a | b"), ("row", ":-- | --:"), ("row",
        "1 | 2")]),
        ("|\n||", [("row", ""), ("row", "")]),
        ("> a\n> b\nc", [("quote", "a\n> b"), ("paragraph", "c")]),
        ("> a\n\n> b", [("quote", "a"), ("quote", "b")]),
        ("<step n=\"1\">\n- do\n</step>", [("html", '<step n="1">'), ("item", "do"), ("html", "</step>")]),
        ("<action>Do it</action>\n<https://x.y>", [("paragraph", "<action>Do it</action>\n<https://x.y>")]),
        ("<!-- a\n\nb -->\nc", [("html", "<!-- a\n\nb -->"), ("paragraph", "c")]),
        ("<!-- a --> b", [("paragraph", "<!-- a --> b")]),
        ("<!-- a\n\nb", [("html", "<!-- a"), ("paragraph", "b")]),
        ("<img\n  src='a'\n/>\nb", [("html", "<img\n  src='a'\n/>"), ("paragraph", "b")]),
        ("<style>\n# no\n</style>\n# yes", [("html", "<style>\n# no\n</style>"), ("heading", "yes")]),
        ("a\n\n    code\n\n      more\n\nb", [("paragraph", "a"), ("code", "    code\n\n      more"), ("paragraph",
        "b")]),
        ("- a\n\n    still a\n\nb", [("item", "a"), ("paragraph", "still a"), ("paragraph", "b")]),
        ("\ufeff# A", [("heading", "A")]),
        (" \u3000\n\t\n", []),
        ("a", [("paragraph", "a")]),
    ],
)  # fmt: skip
def test_blocks(text: str, expected: list[tuple[str, str]]) -> None:
    page = page_of(text)
    assert kinds(page) == expected
    check(page)


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("- a\n  - b\n    - c\n- d", [1, 2, 3, 1]),
        ("- a\n\t- b\n\t\t- c", [1, 2, 3]),
        ("1. a\n   - b\n2. c", [1, 2, 1]),
        ("10. a\n  - b", [1, 2]),
        ("- a\n - b", [1, 1]),
        ("- a\n  - b\n\ntext\n\n  - c", [1, 2, 0, 1]),
        ("- a\n\n  more\n\n  - b", [1, 1, 2]),
    ],
)  # fmt: skip
def test_the_depth_of_lists(text: str, levels: list[int]) -> None:
    assert [block.level for block in page_of(text).blocks] == levels


def test_fences_in_lists_belong_to_them() -> None:
    page = page_of("1. Run:\n\n   ```bash\n   ls\n   ```\n\n   Then:\n2. ```sh\n   pwd\n   ```\n3. End")
    assert kinds(page) == [
        ("item", "Run:"), ("code", "   ls"), ("paragraph", "Then:"), ("code", "   pwd"), ("item", "End"),
    ]  # fmt: skip
    assert [block.level for block in page.blocks] == [1, 0, 1, 0, 1]
    check(page)


def test_headings_are_not_looked_for_in_code() -> None:
    page = page_of("# A\n```bash\n# no heading\n```\n~~~\n## nor here\n~~~\n")
    assert [section.title for section in page.sections] == ["A"]
