"""What the readings of a state's fields, of columns and of names of files take in, and what they leave alone."""

import pytest

from loopwright.tune.reading.fields.dangling import dangling
from loopwright.tune.reading.fields.one_word_off import one_word_off
from loopwright.tune.reading.files.file_twins import as_here, file_twins
from loopwright.tune.reading.lists.column_words import column_words
from loopwright.tune.reading.lists.grid import grids
from loopwright.tune.reading.lists.swapped import swapped
from loopwright.tune.reading.state.state_flow import strange_fields, unfilled_fields
from loopwright.tune.skill.model import Skill
from loopwright.tune.skill.read import read_skill
from loopwright.tune.skill.shapes import choices

STATE = """## Session Schema

`<session>/canal-session.json`:

```json
{ "session_id": "CS", "open_locks": [], "queued_boats": [], "passed_boats": [], "closing_words": "" }
```
"""


def skill(text: str, **more: str) -> Skill:
    front = "---\nname: sample\ndescription: A sample.\n---\n\n# Sample\n\n"
    pages = {name.replace("__", "/") + ".md": body.encode() for name, body in more.items()}
    return read_skill("sample", {"SKILL.md": (front + text).encode(), **pages})


@pytest.mark.parametrize(
    ("value", "listed"),
    [
        ("open | paused | closed", ("open", "paused", "closed")),
        ("init | done | null", ("init", "done", "null")),
        ("string | null", ()),
        ("L-001 | null", ()),
        ("number | string[]", ()),
    ],
)
def test_kinds_of_values_are_no_values(value: str, listed: tuple[str, ...]) -> None:
    assert choices(value) == listed


@pytest.mark.parametrize(
    ("name", "right"), [("waiting_boats", "queued_boats"), ("lamp_oil", ""), ("open_locks", None), ("length", None)]
)
def test_a_field_that_the_state_does_not_have_is_strange(name: str, right: str | None) -> None:
    told = "Take session.open_locks, session.passed_boats, session.session_id and session.closing_words.\n"
    found = [*strange_fields(skill(STATE, roles__head=f"# Head\n\n{told}\nThen look at session.{name}.\n"))]
    assert [(one.name, one.right) for one in found] == ([] if right is None else [(name, right)])


def test_without_a_declared_state_nothing_is_strange() -> None:
    told = "Take session.open_locks, session.passed_boats, session.session_id, session.closing_words, session.oil.\n"
    assert not [*strange_fields(skill("Nothing.\n", roles__head=f"# Head\n\n{told}"))]


@pytest.mark.parametrize(("last", "idle"), [("Append the boat to passed_boats.", 0), ("Read passed_boats.", 1)])
def test_a_field_that_all_read_and_none_fills_is_found(last: str, idle: int) -> None:
    one = "# Head\n\n- Update open_locks.\n- Add a boat to queued_boats.\n- Set closing_words.\n- Read passed_boats.\n"
    found = [*unfilled_fields(skill(STATE, roles__head=one, roles__clerk=f"# Clerk\n\n- {last}\n"))]
    assert [one.told.name for one in found] == ["passed_boats"] * idle


def test_columns_of_one_name_and_those_of_any_name() -> None:
    rows = "|---|---|\n| a | REOPEN |\n| b | {} |\n"
    pages = {"roles__a": "SETTLED", "roles__b": "SETTLED", "roles__c": "AGREED"}
    for head, count in (("Signal", 1), ("Value", 0)):
        found = [
            *column_words(skill("Go.\n", **{p: f"# P\n\n| X | {head} |\n" + rows.format(w) for p, w in pages.items()}))
        ]
        assert [(one.word, one.right) for one in found] == [("AGREED", "SETTLED")] * count


@pytest.mark.parametrize(
    ("wrong", "found"), [("hive-{id}.md", 1), ("final-{id}.md", 0), ("{id}.json", 0), ("bee-hive-{id}.md", 0)]
)
def test_a_file_a_word_away_from_the_usual_one(wrong: str, found: int) -> None:
    text = f"Write `yard/hives/{wrong}`.\n\nRead `yard/hives/{{id}}.md`.\n\nShow `yard/hives/{{id}}.md`.\n"
    assert len([*file_twins(skill(text))]) == found


def test_a_name_keeps_what_its_place_writes_for_what_differs() -> None:
    assert as_here("queue-${queueId}.json", "{queue-id}.json") == "${queueId}.json"


@pytest.mark.parametrize(
    ("name", "right"), [("start_time", ["start_ms"]), ("stop_ms", []), ("end_ms", []), ("row_id", [])]
)
def test_a_name_one_word_off(name: str, right: list[str]) -> None:
    shown = '`rows.json`:\n\n```json\n[ { "row_id": "R", "start_ms": 0, "left_over": 1, "end_ms": 2 } ]\n```\n'
    text = f"{shown}\nBegin where `start_ms` is least.\n\nGo by `{name}`.\n"
    assert [one.right for one in one_word_off(skill(text))] == right


@pytest.mark.parametrize(("first", "second", "found"), [("weigh", "price", 0), ("price", "weigh", 1), ("weigh", "", 0)])
def test_cells_that_speak_of_each_others_page(first: str, second: str, found: int) -> None:
    rows = (
        f"| [a](steps/weigh.md) | then {first} |\n| [b](steps/price.md) | then {second} |\n| [c](steps/sell.md) | x |\n"
    )
    page = skill(f"| Page | When |\n|---|---|\n{rows}").pages["SKILL.md"]
    assert len([one for grid in grids(page) for one in swapped(grid)]) == found


@pytest.mark.parametrize(("name", "found"), [("flag", 0), ("whip", 1)])
def test_a_reference_that_leads_nowhere(name: str, found: int) -> None:
    legs = [("a", ""), ("b", "a"), ("c", "b"), ("d", "c")]
    whole = ", ".join(f'{{ "hands": "leg-{hands}", "after": ["leg-{of}"] }}' for hands, of in legs[1:])
    text = f'```json\n{{ "legs": [ {{ "hands": "leg-a" }}, {whole} ] }}\n```\n'
    small = f'```json\n{{ "legs": [ {{ "hands": "flag" }}, {{ "hands": "cup", "after": ["{name}"] }} ] }}\n```\n'
    assert len([*dangling(skill(f"{text}\n{small}"))]) == found
