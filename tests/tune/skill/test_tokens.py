"""The local estimate of tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.skill.letters import wide
from loopwright.tune.skill.tokens import is_chinese, tokens
from tests.tune.skill.pages import page_of


@pytest.mark.parametrize(
    ("text", "code", "count"),
    [("a" * 400, False, 100), ("a" * 330, True, 100), ("中" * 50, False, 50), ("中" * 50 + "a" * 40, False, 60),
    ("", True, 0)],
)  # fmt: skip
def test_tokens(text: str, code: bool, count: int) -> None:
    assert tokens(text, code=code) == count


@given(st.text(st.characters(codec="utf-8")))
def test_wide_characters_are_counted_one_by_one(text: str) -> None:
    assert wide(text) == sum(0x3000 <= ord(char) <= 0xDFFF for char in text)


def test_code_costs_more_than_prose() -> None:
    assert page_of("word " * 800).tokens == 1000
    assert page_of("```\n" + "x" * 3300 + "\n```").tokens == 1002


def test_japanese_is_not_chinese() -> None:
    assert is_chinese("读取配置并写入结果")
    assert not is_chinese("設定を読んで結果を書く")
