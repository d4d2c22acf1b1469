"""The discovery board: what is a finding, what says nothing new, and lines that are none."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.reports.discoveries import (
    LONGEST,
    MOST,
    TYPES,
    Discovery,
    merge_discoveries,
    read_board,
    read_entry,
    read_rejected_lines,
    summarise_board,
)
from tests.tables import each

AT = "2026-01-22T10:00:00+08:00"


def raw(type: str, **data: object) -> dict[str, object]:
    return {"ts": AT, "agent": "ep", "type": type, "data": {**dict.fromkeys(TYPES[type].required, "x"), **data}}


@each("type", TYPES)
def test_each_type_with_what_it_needs(type: str) -> None:
    finding = read_entry(raw(type))
    assert read_entry(finding.line) == finding
    assert (finding.ts, finding.agent, finding.type) == (AT, "ep", type)
    for key in TYPES[type].required:
        entry = raw(type)
        assert isinstance(entry["data"], dict)
        del entry["data"][key]
        with pytest.raises(Invalid, match=rf"a {type} needs .*{key} is missing"):
            read_entry(entry)


REFUSED: dict[str, tuple[object, str]] = {
    "no JSON": ("{", "one JSON object"),
    "a list": ([], "a JSON object"),
    "no type": ({"data": {}}, r"types of a discovery are tech_stack, .*\(got 'None'\)"),
    "another type": ({"type": "weather", "data": {}}, "got 'weather'"),
    "no data": ({"type": "utility", "data": "x"}, "the data of a utility is a JSON object with name, file, usage"),
    "no name": (raw("utility", name=" "), "the name of a utility is a text that names it"),
    "a number as name": (raw("utility", name=3), r"names it \(got 3\)"),
    "too long": (json.dumps(raw("utility", usage="x" * LONGEST)), "at most 20,000 characters"),
    "too long, parsed": (raw("utility", usage="x" * LONGEST), "at most 20,000 characters"),
    "half a character": (raw("utility", usage="\ud800"), "cannot hold"),
    "no number": (raw("utility", usage=float("nan")), "cannot hold"),
}


@pytest.mark.parametrize(("given", "words"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_finding(given: object, words: str) -> None:
    with pytest.raises(Invalid, match=words):
        read_entry(given)


def test_a_loose_dress_and_what_stands_in() -> None:
    finding = read_entry({"type": "Test-Command", "unit": "make test"}, ts=AT, agent="cd")
    assert finding == Discovery(AT, "cd", "test_command", {"unit": "make test"})
    assert read_entry({**raw("test_command"), "ts": "2026-01-22T10:00:00", "agent": 3}, agent="ra").agent == "ra"
    assert read_entry({**raw("test_command"), "ts": "yesterday"}, ts=AT).ts == AT


def test_the_same_again_says_nothing_and_more_says_more() -> None:
    first = read_entry(raw("utility", name="slug", file="a.py"))
    again = read_entry(raw("utility", name=" slug ", file="a.py", usage="x"))
    more = read_entry(raw("utility", name="slug", file="a.py", returns="str"))
    other = read_entry(raw("utility", name="slug", file="b.py"))
    assert merge_discoveries([], [first, first]) == (first,)
    assert merge_discoveries([first], [again._replace(data=first.data)]) == ()
    assert merge_discoveries([first], [more, more]) == (more,)
    assert merge_discoveries([first, more], [first]) == ()
    assert merge_discoveries([first, more], [other]) == (other,)
    assert merge_discoveries([first, other], [first, other]) == (), "the same file, read once more"
    (one,) = summarise_board([first, more, other])
    assert (one.data["file"], one.data["returns"]) == ("b.py", "str")


def test_a_type_without_a_key_is_there_once() -> None:
    lines = [read_entry(raw("tech_stack", language=name)) for name in ("Python", "Go")]
    assert [one.data["language"] for one in summarise_board(lines)] == ["Go"]


def test_a_flood_ends_at_a_full_board() -> None:
    flood = [read_entry(raw("utility", name=f"n{n}")) for n in range(MOST + 10)]
    assert len(merge_discoveries([], flood)) == MOST
    assert len(merge_discoveries(flood[:MOST], [flood[0]._replace(data={**flood[0].data, "new": 1})])) == 1


def test_bad_lines_are_kept_aside_with_the_reason() -> None:
    text = "\n".join([json.dumps(raw("test_command")), "", "no", json.dumps({"type": "x"}), "{" * 50_000])
    findings, bad = read_board(text, ts=AT, agent="ep")
    assert [one.type for one in findings] == ["test_command"]
    assert [one.error[:20] for one in bad] == ["a line of the board ", "the types of a disco", "a discovery has at m"]
    assert json.loads(bad[0].line) == {"ts": AT, "agent": "ep", "error": bad[0].error, "given": "no"}
    assert len(bad[2].given) <= LONGEST
    assert read_rejected_lines("".join(f"{one.line}\n" for one in bad) + "torn") == bad


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(
    st.lists(
        st.fixed_dictionaries(
            {"type": st.sampled_from(sorted(TYPES)) | st.text()},
            optional={"ts": JSON, "agent": JSON, "data": JSON | st.dictionaries(st.sampled_from(["unit", "x"]), JSON)},
        )
        | JSON
    )
)
def test_whatever_agents_say_is_a_finding_or_invalid(entries: list[object]) -> None:
    findings = []
    for entry in entries:
        with suppress(Invalid):
            findings.append(read_entry(entry, ts=AT, agent="ep"))
    added = merge_discoveries([], findings)
    later = merge_discoveries(added, findings)
    assert merge_discoveries([*added, *later], findings) == ()
    text = "".join(f"{one.line}\n" for one in added)
    assert read_board(text) == (added, ())
