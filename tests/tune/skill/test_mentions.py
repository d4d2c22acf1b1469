import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.skill.mentions import mentions


def raws(text: str) -> list[str]:
    return [mention.raw for mention in mentions(text)]


@pytest.mark.parametrize(
    ("text", "raw"),
    [
        ("read `phases/01-a.md` now", "phases/01-a.md"),
        ("Read(`${dir}/state.json`)", "${dir}/state.json"),
        ("Read(`${path.join(a, b)}/x.json`)", "${path.join(a, b)}/x.json"),
        ("writes <session folder>/x.json.", "<session folder>/x.json"),
        ("**plan.json**", "plan.json"),
        ("Ref: phases/01.md", "phases/01.md"),
        ("读取phases/01.md文件", "phases/01.md"),
        ("读取 `资料/说明.md` 文件", "资料/说明.md"),
        ("cat x>out.json", "out.json"),
        ("<td>a.json</td>", "a.json"),
        ("state.json.prev is it", "state.json.prev"),
        ("[session]/x.json", "[session]/x.json"),
        ("see https://a.b/c.html today", "https://a.b/c.html"),
        ("@docs/a.md", "@docs/a.md"),
        ("--file=a.json", "a.json"),
        ("a.d.ts", "a.d.ts"),
        ("{{x}}/a.md", "{{x}}/a.md"),
    ],
)
def test_a_path_is_taken_whole(text: str, raw: str) -> None:
    assert raws(text) == [raw]


@pytest.mark.parametrize(
    "text", ["await r.json()", "all .md files", "*.", "a.mdx2", "end of text.", "`console\\.log\\(`", "x.jsonpath"]
)
def test_no_path_is_none(text: str) -> None:
    assert raws(text) == []


def test_what_stands_around_is_told() -> None:
    found = {m.raw: (m.quote, m.ticked) for m in mentions('`a.md` [x](b.md) "c.md" `cat d.md` e.md')}
    assert found == {
        "a.md": ("`", True), "b.md": ("(", False), "c.md": ('"', False), "d.md": ("", True), "e.md": ("", False),
    }  # fmt: skip


def test_the_text_of_a_link_is_no_mention_of_its_own() -> None:
    assert raws("[a.md](x/a.md) [`b.md`](x/b.md)") == ["x/a.md", "x/b.md"]


@given(st.text(alphabet="ab.md/json${}<>[]()`'\"\\*@:#-_ \n\u4e2d", max_size=200))
def test_mentions_lie_in_the_text_and_in_order(text: str) -> None:
    last = 0
    for mention in mentions(text):
        assert last <= mention.start < mention.end <= len(text)
        assert text[mention.start : mention.end] == mention.raw
        assert "\n" not in mention.raw
        last = mention.end
