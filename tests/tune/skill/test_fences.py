"""Fences: of any length, one in the other, left open."""

import pytest

from tests.tune.skill.pages import check, page_of


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("```js\na\n```", [("js", "a")]),
        ("``` js title=x\na\n```", [("js", "a")]),
        ("```{.python}\na\n```\n```JSON5\n```", [("python", "a"), ("json5", "")]),
        ("```c++\n```\n```c#\n```", [("c++", ""), ("c#", "")]),
        ("~~~\n```\n~~~\n", [("", "```")]),
        ("````md\n```js\na\n```\n````", [("md", "```js\na\n```")]),
        ("```md\n~~~js\n~~~\n```", [("md", "~~~js\n~~~")]),
        ("```markdown\n# T\n```bash\nls\n```\nend\n```\nafter", [("markdown", "# T\n```bash\nls\n```\nend")]),
        ("```md\n```js\n```\n```py\n```\n```", [("md", "```js\n```\n```py\n```")]),
        ("```js\nTask({ prompt: `\n```json\n{}\n```\n` })\n```\ntext", [("js",
        "Task({ prompt: `\n```json\n{}\n```\n` })")]),
        ("```js\nx = `\n   ```\n   a\n   ```\n`\n```", [("js", "x = `\n   ```\n   a\n   ```\n`")]),
        ("```js\na\n```\n\n```py\nb\n```", [("js", "a"), ("py", "b")]),
        ("```\na\n```\n```\nb\n```", [("", "a"), ("", "b")]),
        ("`````\n```\n````\n`````", [("", "```\n````")]),
        ("```a``` is inline\n```js\nx\n```", [("js", "x")]),
        ("> ```js\n> quoted\n> ```\n```py\nx\n```", [("py", "x")]),
        ("```js\r\na\r\n```\r\n", [("js", "a")]),
    ],
)  # fmt: skip
def test_fences(text: str, codes: list[tuple[str, str]]) -> None:
    page = page_of(text)
    assert [(block.lang, block.text) for block in page.blocks if block.kind == "code"] == codes
    assert all(block.closed for block in page.blocks)
    check(page)


@pytest.mark.parametrize(
    "text", ["```js\na\n# b\n\n", "```", "~~~\n```\n", "````\n```\n", "```md\n```js\n```\n# b\n```js\n"]
)
def test_a_fence_that_is_left_open_goes_to_the_end(text: str) -> None:
    page = page_of(text)
    assert not page.blocks[-1].closed
    assert page.blocks[-1].kind == "code"
    check(page)


def test_a_fence_that_was_not_closed_ends_with_the_next_one_and_leaves_the_others_as_they_are() -> None:
    page = page_of("```js\na\n\n# T\n\n```py\nb\n```\n\n```sh\nc\n```\n\n## U\n")
    assert [block.lang for block in page.blocks if block.kind == "code"] == ["js", "sh"]
    assert [section.title for section in page.sections] == ["U"]


def test_many_open_fences_are_read_as_commonmark_has_them() -> None:
    page = page_of("```js\n```\n" * 3 + "```js\n```js\n```\n```js\n" * 30)
    check(page)
    assert sum(block.kind == "code" for block in page.blocks) > 20
