"""Where a finding is: the place that is meant, each place of the same thing, and nothing outside the skill."""

import json
from pathlib import Path

import pytest

from loopwright.skills.diagnosis import diagnose_skill
from loopwright.skills.fixes import propose_mechanical_fixes
from loopwright.skills.reader.read import read_skill

HEAD = "---\nname: garden\ndescription: {}\nallowed-tools:\n- {}\n---\n\n# Garden\n\n"
CALL = 'Write(file_path="a", contents="b")'


def found(main: str) -> list[tuple[str, int, tuple[str, ...]]]:
    skill = read_skill("garden", {"SKILL.md": main.encode()})
    result = diagnose_skill(skill)
    assert not result.problems
    return [(one.rule, one.line, one.also) for one in result.findings]


def mended(main: str) -> str:
    skill = read_skill("garden", {"SKILL.md": main.encode()})
    edits = [edit for one in propose_mechanical_fixes(skill, diagnose_skill(skill).findings) for edit in one.edits]
    for edit in sorted(edits, key=lambda one: one.start, reverse=True):
        main = main[: edit.start] + edit.new + main[edit.end :]
    return main


def test_a_tool_is_meant_where_it_is_allowed_and_not_where_the_description_speaks_of_it() -> None:
    main = HEAD.format("Uses AskUserQuestions sometimes.", "AskUserQuestions")
    assert found(main) == [("wrong-tool", 5, ())]
    assert "Uses AskUserQuestions sometimes" in mended(main)
    assert [line for rule, line, _ in found(HEAD.format("Calls BashOutput.", "BashOutput"))] == [5]


def test_what_is_wrong_at_three_places_is_one_finding_and_mended_at_each() -> None:
    main = HEAD.format("Digs.", "Write") + f"```js\n{CALL}\n```\n\n```js\n{CALL}\n```\n\nDo `{CALL}`.\n"
    assert found(main) == [("wrong-parameter", 11, ("SKILL.md:15", "SKILL.md:18"))]
    assert found(mended(main)) == []


@pytest.mark.parametrize("accepted", [11, 12])
def test_a_comment_accepts_its_own_line_only(accepted: int) -> None:
    lines = [CALL, CALL]
    lines[accepted - 11] += "  // loopwright: ignore wrong-parameter - as an example"
    main = HEAD.format("Digs.", "Write") + "```js\n" + "\n".join(lines) + "\n```\n"
    assert found(main) == [("wrong-parameter", 23 - accepted, ())]


def page_with(schema: object, example: str) -> str:
    return HEAD.format("Digs.", "Write") + f"```json\n{json.dumps(schema)}\n```\n\n```json\n{example}\n```\n"


def test_a_schema_leads_to_no_file_and_no_address(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text('{"type": "integer"}')
    elsewhere = {"type": "object", "properties": {"a": {"$ref": (tmp_path / "secret.json").as_uri()}}}
    assert found(page_with(elsewhere, '{"a": "x"}')) == []


@pytest.mark.parametrize("example", ['{"a": "x"}', "[" * 100_000])
def test_what_goes_round_or_too_deep_is_left_alone(example: str) -> None:
    main = page_with({"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}, example)
    assert "example-breaks-schema" not in {rule for rule, _, _ in found(main)}
