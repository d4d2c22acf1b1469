"""Front matter: what YAML says of it, or why it is none."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.skills.reader.markdown import DEEPEST, LARGEST, MOST_ALIASES, FrontMatter
from tests.tiers import examples
from tests.tune.skill.reading import page_of

KEYS = st.sampled_from(["name", "description", "a-b", "a_b", "yes", "null", "Tools"])
VALUES = st.sampled_from([
    "x", "two words", "yes", "Null", "no", "12", "1.5", "2024-01-02", "~", "''", '""', '"a: b"', "'it is # so'",
    '"\\n"', "a: b",
    "a #b", "a#b", "a:", "[a, b]", "{a: 1}", "&a x", "*a", "!x y", "|", ">", "- a", "中文：是", "off", "'it''s'",
    "@x", "`x`",
    "x ", "", "on", "True", "nan", ".inf", "y", "e1", "1e3", "0x1", "a, b", "it's", 'a "b"', "\u00a0x", "\u3000",
    "é", "\x85",
])  # fmt: skip


def front_of(text: str) -> FrontMatter:
    page = page_of(text)
    assert page.front is not None
    return page.front


def test_values_and_places() -> None:
    front = front_of("---\nname: x\n# a comment\ndescription: >\n  two\n  lines\nallowed-tools:\n  - Read\n---\n# T\n")
    assert front.values == {"name": "x", "description": "two lines\n", "allowed-tools": ["Read"]}
    assert (front.start, front.end, front.broken) == (0, 80, None)


@given(st.lists(st.tuples(KEYS, VALUES), min_size=1, max_size=5))
@settings(max_examples=examples(500))
def test_it_says_what_yaml_says(pairs: list[tuple[str, str]]) -> None:
    text = "\n".join(f"{key}: {value}" for key, value in pairs)
    front = front_of(f"---\n{text}\n---\n")
    try:
        truth = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        assert front.broken
        return
    if isinstance(truth, dict) and not front.broken:
        assert front.values == {str(key): value for key, value in truth.items()}


@given(st.text(alphabet="ab:-[]{}&*!|>'\"#\n\t 1", max_size=60))
@settings(max_examples=examples(300))
def test_whatever_stands_there_fails_nothing(text: str) -> None:
    front_of(f"---\nname: x\n{text}\n---\n")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("---\nname: x\ndescription: Use when: it rains\n---\n", "line 3"),
        ("---\nname: x\ntools:\n\t- Read\n---\n", "line 4"),
        ("---\nname: x\ndate: 2024-13-45\n---\n", "month"),
        ("---\nname: !!python/object:os.system x\n---\n", "uses a type"),
        ("---\nname: x\n\n# Title\n", "not closed"),
        ("---\nname：全角冒号\na: b: c\n---\n", "line"),
    ],
)
def test_what_is_no_yaml_is_told(text: str, why: str) -> None:
    front = front_of(text)
    assert front.values == {}
    assert why in str(front.broken)


@pytest.mark.parametrize(
    "text",
    [
        "a: " + "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1),
        "a: &a [x]\nb: [" + "*a, " * (MOST_ALIASES + 1) + "]",
        "a:\n" + "- " * 5000 + "x",
        "a: [" + "x, " * LARGEST + "]",
        "a: b: " + "{" * 20_000,
    ],
)  # fmt: skip
def test_a_bomb_is_not_built(text: str) -> None:
    assert front_of(f"---\nname: x\n{text}\n---\n").broken


def test_a_few_aliases_are_fine() -> None:
    assert front_of("---\na: &a [x]\nb: *a\n---\n").values == {"a": ["x"], "b": ["x"]}


@pytest.mark.parametrize(
    "text",
    ["", "---", "---\n\n# Title\n\n---\n", "----\nname: x\n---\n", "text\n---\nname: x\n---\n", "---\n- a\n- b\n---\n"],
)
def test_what_is_no_front_matter(text: str) -> None:
    assert page_of(text).front is None


@pytest.mark.parametrize(
    "text", ["\ufeff---\nname: x\n---\n", "\n\n---\nname: x\n---\n", "---  \r\nname: x\r\n---\r\n", "---\nname: x\n..."]
)
def test_where_front_matter_may_stand(text: str) -> None:
    front = front_of(text)
    assert (front.values, front.broken) == ({"name": "x"}, None)


def test_empty_front_matter_has_no_values() -> None:
    assert front_of("---\n---\n# T").values == {}
