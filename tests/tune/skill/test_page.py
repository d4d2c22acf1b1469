"""A file of a skill, read into a page."""

import time
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.tune.skill.page import read_page
from tests.tune.skill.pages import check, kinds, page_of, texts


def test_a_page_has_its_front_matter_blocks_and_sections() -> None:
    page = page_of("---\nname: x\n---\n# Title\n\nSay it.\n\n```bash\nls\n```\n")
    assert page.front is not None
    assert page.front.values == {"name": "x"}
    assert kinds(page) == [("front", "name: x"), ("heading", "Title"), ("paragraph", "Say it."), ("code", "ls")]
    assert [section.title for section in page.sections] == ["Title"]
    assert [block.section for block in page.blocks] == [-1, 0, 0, 0]


@given(texts)
@settings(max_examples=400)
def test_any_text_becomes_a_page_whose_blocks_hold_all_of_it(text: str) -> None:
    data = text.encode("utf-8", "surrogatepass")
    page = read_page("SKILL.md", data)
    if page is not None:
        check(page)
        assert page.text.encode("utf-8", "surrogateescape") == data
        assert page.tokens >= 0


@given(st.binary())
@settings(max_examples=200)
def test_any_bytes_are_a_page_that_gives_them_back_or_none(data: bytes) -> None:
    for path in ("SKILL.md", "a.json", "scripts/run.py", "LICENSE"):
        page = read_page(path, data)
        if page is not None:
            assert page.text.encode("utf-8", "surrogateescape") == data


@given(texts)
@settings(max_examples=200)
def test_reading_again_comes_to_the_same(text: str) -> None:
    data = text.encode("utf-8", "ignore")
    assert read_page("SKILL.md", data) == read_page("SKILL.md", data)


@given(texts)
@settings(max_examples=300)
def test_lines_that_end_as_on_windows_make_the_same_blocks(text: str) -> None:
    text = text.encode("utf-8", "ignore").decode().replace("\r", "").replace("\0", "")
    here, there = page_of(text), page_of(text.replace("\n", "\r\n"))
    check(there)
    assert kinds(here) == [(kind, words.replace("\r\n", "\n")) for kind, words in kinds(there)]
    assert [(b.line, b.line_end, b.use, b.level, b.lang) for b in here.blocks] == [
        (b.line, b.line_end, b.use, b.level, b.lang) for b in there.blocks
    ]
    assert [(s.title, s.line, s.line_end, s.concept) for s in here.sections] == [
        (s.title, s.line, s.line_end, s.concept) for s in there.sections
    ]


def test_the_newline_is_what_most_lines_end_with() -> None:
    assert page_of("a\r\nb\r\nc\n").newline == "\r\n"
    assert page_of("a\r\nb\nc\n").newline == "\n"
    assert page_of("").newline == "\n"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", False),
        (b"text" * 3000 + b"\0", True),
        ("ä".encode("latin-1") + b"bc", False),
        ("größere".encode("latin-1") * 3, True),
        (b"", True),
        ("中文".encode("gb18030"), False),
    ],
)  # fmt: skip
def test_what_is_no_text_is_no_page(data: bytes, text: bool) -> None:
    assert (read_page("x.md", data) is not None) == text


def test_scripts_and_data_are_one_block_of_code() -> None:
    page = page_of('{"a": 1}\n\n{"b": 2}\n', "specs/x.json")
    assert [(b.kind, b.lang, b.line, b.line_end) for b in page.blocks] == [("code", "json", 1, 3)]
    assert page.blocks[0].text == page.text
    assert (page.kind, page.sections, page.front) == ("data", (), None)
    assert page_of("  \n", "run.py").blocks == ()


def test_the_kind_may_be_told() -> None:
    assert page_of("# x", "some/where.md", "role").kind == "role"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Do the work, then say that it is done.", "en"),
        ("读取配置文件，然后把结果写入 state.json，并返回摘要。", "zh"),
        ("Run it when the user says 开始 or 继续, and not before that, whatever else is said here.", "en"),
        ("この スキル を 使って ください。設定ファイルを読んで、結果を書いてください。", "en"),
        ("", "en"),
    ],
)  # fmt: skip
def test_the_language_is_that_of_most_of_the_prose(text: str, language: str) -> None:
    assert page_of(text).language == language


def test_code_does_not_tell_the_language() -> None:
    assert (
        page_of("按步骤执行下面的命令，完成后汇报。\n\n```js\n" + "const value = other;\n" * 50 + "```\n").language
        == "zh"
    )


TROUBLES: dict[str, Callable[[int], str]] = {
    "one long line": lambda n: "word " * (n // 5),
    "one long heading": lambda n: "# " + "x " * (n // 2),
    "a heading of marks and blanks": lambda n: "# " + "# " * (n // 2) + "x",
    "blanks and a word": lambda n: " " * n + "x",
    "lists in lists": lambda n: "".join(" " * (2 * (i % 100)) + "- x\n" for i in range(n // 104)),
    "fences that never end": lambda n: "```js\n" * (n // 6),
    "fences in fences": lambda n: "```md\n" * (n // 12) + "```\n" * (n // 8),
    "fences of growing length": lambda n: "".join("`" * (3 + i % 50) + "x\n" for i in range(n // 30)),
    "tags that never end": lambda n: "<script>\n" * (n // 9),
    "tags over lines": lambda n: "<a b\n" * (n // 5),
    "tags in tags": lambda n: "<example>\n" * (n // 20) + "</example>\n" * (n // 22),
    "comments that never end": lambda n: "<!-- x\n" * (n // 7),
    "one line of tags": lambda n: "<a>" * (n // 3) + "x",
    "rows": lambda n: "| a | b |\n" * (n // 10),
    "one row": lambda n: "|" * n,
    "rules": lambda n: "- " * (n // 2),
    "dashes and pipes": lambda n: "a|b\n" + "-|" * (n // 2) + "x",
    "quotes": lambda n: "> " * (n // 2),
    "headings one below the other": lambda n: "".join("#" * (1 + i % 6) + " x\n" for i in range(n // 5)),
    "front matter without end": lambda n: "---\n" + "a: b\n" * (n // 5),
    "front matter of brackets": lambda n: "---\na: " + "[" * n + "\n---\n",
    "front matter of dashes": lambda n: "---\na:\n " + "- " * (n // 2) + "x\n---\n",
    "code of marks": lambda n: "```\n" + "#" * n + "\n```\n",
    "code of one word": lambda n: "```js\n" + "wait_" * (n // 5) + "\n```\n",
    "code of braces": lambda n: "```\n" + "{a" * (n // 2) + "\n```\n",
    "code of lines": lambda n: "```ts\n" + "type  \n" * (n // 7) + "```\n",
    "stars": lambda n: "*a" * (n // 2),
    "parentheses": lambda n: "x (" * (n // 3) + ":\n```\na\n```\n",
}


@pytest.mark.parametrize("trouble", TROUBLES)
def test_the_time_grows_with_the_size_and_not_with_its_square(trouble: str) -> None:
    """Four times the text takes about four times as long; with nested scans it would be sixteen."""
    small, large = (TROUBLES[trouble](size).encode() for size in (40_000, 160_000))

    def seconds(data: bytes) -> float:
        begun = time.process_time()
        page = read_page("SKILL.md", data)
        spent = time.process_time() - begun
        assert page is not None
        return spent

    assert min(seconds(large) for _ in range(3)) < 10 * min(seconds(small) for _ in range(3)) + 0.02
    check(page_of(small.decode()))
