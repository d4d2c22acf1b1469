from hypothesis import given
from hypothesis import strategies as st

from loopwright.tune.skill.shapes import choices, entries


def paths(text: str) -> list[str]:
    return [entry.path for entry in entries(text, 0, len(text))[0]]


def test_json_gives_paths_of_all_keys() -> None:
    text = '{"a": 1, "b": {"c": "x", "d": [{"e": null}, {"e": true}]}, "f": ["p", "q"]}'
    found = entries(text, 0, len(text))[0]
    assert [e.path for e in found] == ["a", "b", "b.c", "b.d", "b.d[].e", "b.d[].e", "f"]
    assert [e.kind for e in found] == ["number", "object", "string", "array", "null", "boolean", "array"]
    assert found[-1].elements == ("p", "q")
    assert all(text[e.start : e.end].strip('"') == e.path.rsplit(".", 1)[-1].removesuffix("[]") for e in found)


def test_what_authors_leave_out_or_add_does_no_harm() -> None:
    assert paths('{\n  // comment\n  "a": 1,\n  ...\n  "b": "x", /* more */\n}') == ["a", "b"]
    assert paths("{ a, b: f(x, { y: 1 }), ...rest, [k]: 1, 'c-d': `t ${x}`, e() { return 1 } }")[:3] == [
        "a",
        "b",
        "c-d",
    ]
    assert paths('{"a": {"b": 1') == ["a", "a.b"]


def test_values_are_what_a_key_may_be() -> None:
    text = """{ a: 'x', b: ok ? 'y' : 'z', c: "p" | "q", d: 'n' + 'm', e: `t${u}`, f: g('h') }"""
    assert {e.path: e.values for e in entries(text, 0, len(text))[0]} == {
        "a": ("x",), "b": ("y", "z"), "c": ("p", "q"), "d": (), "e": (), "f": (),
    }  # fmt: skip


def test_it_ends_with_its_bracket() -> None:
    text = "before {a: 1} after {b: 2}"
    found, end, spread = entries(text, 0, len(text))
    assert ([e.path for e in found], text[:end], spread) == (["a"], "before {a: 1}", False)
    assert entries("{...state, a: 1}", 0, 16)[2]


def test_templates_tell_choices() -> None:
    assert choices("pending | running|done") == ("pending", "running", "done")
    assert choices("<high|low>") == ("high", "low")
    assert choices("one or the other | two words") == ()
    assert choices("plain") == ()


@given(st.text(alphabet="{}[](),:;'\"`/*#.?|=<>ab1 \n\\$\u4e2d", max_size=300))
def test_whatever_it_is_it_is_read(text: str) -> None:
    found, end, _ = entries(text, 0, len(text))
    assert 0 <= end <= len(text)
    assert all(0 <= e.start < e.end <= len(text) for e in found)


def test_brackets_nested_without_end_are_read() -> None:
    assert len(entries("{a:" * 5_000, 0, 15_000)[0]) < 100
