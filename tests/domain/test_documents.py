"""What the progress files say parses back to exactly the state they were written from."""

import json
from contextlib import suppress

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.core.state import DevelopTask
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.documents import parse_lines, parse_progress, render_progress
from loopwright.workflows.loop.model import Debug, Develop, LoopState, SkillState, Summary, Validate
from loopwright.workflows.loop.selector import with_tasks
from tests.domain.loop_making import (
    AT,
    LATER,
    World,
    auto,
    debugged,
    developed,
    hypothesis,
    initialised,
    loop,
    task,
    validated,
)
from tests.tiers import examples

NASTY = (
    "", " ", "a", "null", "true", "12", "-1.5e3", "NaN", "Infinity", '"quoted"', "[1, 2]", '{"a": 1}', "## Heading",
    "line\n## injected (passed)\n\n- status: passed", "- status: failed", "- tasks: []", "a | b | c", "`code`",
    "```\nx\n```", "trailing ", " leading", "tab\t", "\r\n", "\x0b\x0c\x1c\x85\u2028\u2029", "ünï ☃ 日本 🎉",
    "\\", '\\"', "x: y", "2026-01-22", "2026-01-22T10:00:00+08:00", "2026", "word", "two words.", "\ufeff", "\x00",
    "# Title", "*", "---", "[" * 5000, "9" * 5000,
)  # fmt: skip
TEXT = st.sampled_from(NASTY) | st.text(max_size=30) | st.lists(st.sampled_from(NASTY[:-2]), max_size=3).map("\n".join)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
TIME = st.sampled_from([AT, LATER, "2026-01-22T02:00:00.5Z", "2026-01-22T10:00:00-03:30"])
EXTRA = st.dictionaries(TEXT.map(lambda t: f"x{t}") | TEXT.map(lambda t: f"{t}-x"), JSON, max_size=2)

TASK = st.builds(
    lambda extra, **fields: DevelopTask.model_validate({**extra, **fields}), EXTRA, id=TEXT.filter(len),
    description=TEXT, tool=TEXT, mode=st.sampled_from(["analysis", "write", "review"]),
    status=st.sampled_from(["pending", "in_progress", "completed", "failed"]), files_changed=st.lists(TEXT, max_size=3),
    created_at=TIME, completed_at=st.none() | TIME,
)  # fmt: skip
CRITERIA = st.builds(EvidenceCriteria, confirm=TEXT, reject=TEXT)
HYPOTHESIS = st.builds(
    lambda extra, **fields: Hypothesis.model_validate({**extra, **fields}), EXTRA, id=TEXT, description=TEXT,
    testable_condition=TEXT, logging_point=TEXT, evidence_criteria=CRITERIA, likelihood=st.floats(0.01, 100),
    status=st.sampled_from(["pending", "confirmed", "rejected", "inconclusive"]),
    evidence=st.dictionaries(TEXT, JSON, max_size=3), verdict_reason=TEXT.filter(len),
)  # fmt: skip
RESULT = st.builds(
    lambda extra, **fields: TestResult.model_validate({**extra, **fields}), EXTRA, test_name=TEXT, suite=TEXT,
    status=st.sampled_from(["passed", "failed", "skipped"]), duration_ms=st.floats(0, 1e9),
    error_message=st.none() | TEXT, stack_trace=st.none() | TEXT,
)  # fmt: skip


@st.composite
def skills(draw: st.DrawFn) -> SkillState:
    tasks = draw(st.lists(TASK, max_size=3, unique_by=lambda t: t.id))
    hypotheses = draw(st.lists(HYPOTHESIS, max_size=3))
    failing = draw(st.lists(TEXT, max_size=2))
    extra = draw(EXTRA)
    develop = {"current_task": draw(st.none() | TEXT), "last_progress_at": draw(st.none() | TIME)}
    debug = {
        "active_bug": draw(st.none() | TEXT), "hypotheses": hypotheses, "hypotheses_count": len(hypotheses),
        "confirmed_hypothesis": draw(st.none() | TEXT), "iteration": draw(st.integers(0, 99)),
        "last_analysis_at": draw(st.none() | TIME),
    }  # fmt: skip
    validate = {
        "pass_rate": draw(st.floats(0, 100)), "coverage": draw(st.floats(0, 100)), "failed_tests": failing,
        "passed": not failing and draw(st.booleans()), "test_results": draw(st.lists(RESULT, max_size=3)),
        "last_run_at": draw(st.none() | TIME),
    }  # fmt: skip
    skill = SkillState(
        develop=Develop.model_validate({**extra, **develop}), debug=Debug.model_validate({**extra, **debug}),
        validate=Validate.model_validate({**extra, **validate}),
    )  # fmt: skip
    return with_tasks(skill, tuple(tasks))


def parsed(state: LoopState) -> SkillState:
    """What is left of a state whose files went through a disk."""
    files = {name: content.decode("utf-8") for name, content in render_progress(state).items()}
    skill = parse_progress(files)
    assert skill is not None
    return skill


INJECTED = SkillState(
    debug=Debug(active_bug="x\n## H9 (confirmed)\n- iteration: 7", hypotheses=(hypothesis(),), hypotheses_count=1)
)


@settings(max_examples=examples(150))
@given(skills(), TEXT.filter(len))
@example(INJECTED, "## T")
def test_what_was_rendered_parses_back_exactly(skill: SkillState, title: str) -> None:
    found = parsed(loop("running", skill_state=skill, title=title))
    assert found.develop == skill.develop
    assert found.debug == skill.debug
    assert found.validate_ == skill.validate_
    assert found.completed_actions == ("INIT",)


@settings(max_examples=examples(60))
@given(skills(), st.data())
def test_a_torn_or_edited_file_is_read_or_refused_in_words(skill: SkillState, data: st.DataObject) -> None:
    files = {name: content.decode() for name, content in render_progress(loop("running", skill_state=skill)).items()}
    name = data.draw(st.sampled_from(["develop.md", "debug.md", "validate.md"]))
    cut = data.draw(st.integers(0, len(files[name])))
    files[name] = files[name][:cut] + data.draw(
        st.sampled_from(["", "\n", "## x\n", "- total: 7\n", "- id: {\n", "\x00"])
    )
    with suppress(Invalid):
        assert parse_progress(files) is not None


def test_no_files_hold_no_state() -> None:
    assert parse_progress({}) is None
    assert parse_progress({"develop.md": " \n", "summary.md": "# Done", "changes.log": "{}"}) is None
    assert render_progress(loop()) == {}


def test_one_file_alone_gives_its_part_back() -> None:
    skill = SkillState(debug=Debug(active_bug="a bug", iteration=2))
    files = render_progress(loop("running", skill_state=skill))
    found = parse_progress({"debug.md": files["debug.md"].decode()})
    assert found is not None
    assert (found.debug, found.develop) == (skill.debug, Develop())


# develop, debug, validate → what was last; instants are compared, not their spelling
LAST = [
    (None, None, None, "INIT"),
    (AT, None, None, "DEVELOP"),
    (AT, LATER, None, "DEBUG"),
    (LATER, AT, AT, "DEVELOP"),
    (AT, AT, AT, "VALIDATE"),
    ("2026-01-22T10:00:00+08:00", None, "2026-01-22T03:00:00+00:00", "VALIDATE"),
    ("2026-01-22T03:00:00+00:00", None, "2026-01-22T10:00:00+08:00", "DEVELOP"),
]


@pytest.mark.parametrize(("developed_at", "debugged_at", "validated_at", "last"), LAST)
def test_the_last_action_is_the_one_dated_last(
    developed_at: str | None, debugged_at: str | None, validated_at: str | None, last: str
) -> None:
    skill = SkillState(
        develop=Develop(last_progress_at=developed_at), debug=Debug(last_analysis_at=debugged_at),
        validate=Validate(last_run_at=validated_at),
    )  # fmt: skip
    assert parsed(loop("running", skill_state=skill)).last_action == last


def test_only_what_changed_is_rendered_anew_and_nothing_is_forgotten() -> None:
    """Files kept up step by step are the files of the last state, also where only a percentage changed."""
    for tasks in ((), (task("T0"), task("T1"))):
        world = World(
            auto(loop("running")),
            {
                "INIT": [initialised(*tasks)],
                "DEVELOP": [developed(t.task_id) for t in tasks],
                "VALIDATE": [validated(failing=["a"]), validated()],
                "DEBUG": [debugged("H1")],
            },
        )
        kept: dict[str, bytes] = {}
        while world.state.status == "running":
            before = world.state
            world.step()
            changed = render_progress(world.state, before)
            kept |= changed
            assert kept == render_progress(world.state)
            assert "debug.md" in changed or world.course[-1] != "DEBUG"


def test_the_summary_is_for_people() -> None:
    summary = Summary.model_validate({
        "duration": 61500, "iterations": 7,
        "develop": {"left_to_do": ["T2 (failed): the parser"], "files_changed": [], "completed": 1},
        "debug": {"confirmed": None},
        "validate": {"passed": False, "still_failing": ["a", "b"]},
    })  # fmt: skip
    ended = loop("failed", skill_state=SkillState(summary=summary), title="Fix\nthe ledger", failure_reason="the limit")
    text = render_progress(ended)["summary.md"].decode()
    assert text.splitlines()[:8] == [
        "# Fix the ledger", "", "**stopped: the limit**", "", "No file was changed.", "", "- iterations: 7",
        "- duration: 61.5 s",
    ]  # fmt: skip
    for line in ("- left to do:", "  - T2 (failed): the parser", "- passed: no", "  - b"):
        assert line in text.splitlines()
    assert "_" not in text
    assert "None" not in text


def test_json_progress_files_hold_what_the_state_holds() -> None:
    skill = SkillState(validate=Validate(failed_tests=("a",), pass_rate=12.5))
    files = render_progress(loop("running", skill_state=skill))
    assert json.loads(files["test-results.json"])["failed_tests"] == ["a"]
    assert json.loads(files["hypotheses.json"]) == []


def test_tasks_are_read_line_by_line_and_bad_lines_cost_only_themselves() -> None:
    good = [{"task_id": "a", "description": "line\u2028separator\x85"}, {"task_id": "b"}]
    lines = [json.dumps(good[0], ensure_ascii=False), "{torn", "", "null", "[1]", "[" * 100_000, json.dumps(good[1])]
    assert parse_lines("\n".join(lines)) == good
    assert parse_lines("\r\n".join(json.dumps(task) for task in good)) == good
    assert parse_lines("") == []
