"""The record every state is made of: frozen, strict, sharing what did not change, keeping what it does not know."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from loopwright.core.errors import Invalid
from loopwright.core.state import DevelopTask
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.workflows.loop.model import Debug, Develop, LoopState, SkillState, Validate
from tests.domain.loop_making import AT, LATER, confirmed, engine, hypothesis, loop, result
from tests.tables import each


def rich() -> LoopState:
    tasks = (DevelopTask(id="T0", description="d", created_at=AT),)
    skill = SkillState(
        develop=Develop(tasks=tasks, total=1), debug=Debug(hypotheses=(confirmed(hits=1),), hypotheses_count=1),
        validate=Validate(test_results=(result("a"),)),
    )  # fmt: skip
    return loop("running", skill_state=skill, x_color="blue")


def test_untouched_parts_are_the_same_objects() -> None:
    state = rich()
    other = state.evolve(title="Another")
    assert other.engine is state.engine
    assert other.skill_state is state.skill_state

    assert state.skill_state is not None
    skill = state.skill_state.evolve(last_action="INIT")
    for part in ("develop", "debug", "validate_"):
        assert getattr(skill, part) is getattr(state.skill_state, part)
    develop = skill.develop.evolve(current_task="T0")
    assert develop.tasks[0] is skill.develop.tasks[0]


def test_the_original_stays_and_can_not_be_written() -> None:
    state = rich()
    before = state.model_dump_json()
    state.evolve(title="Another", status="paused")
    assert state.model_dump_json() == before
    with pytest.raises(ValidationError, match="frozen"):
        state.title = "x"
    with pytest.raises(ValidationError, match="frozen"):
        state.engine.settings.mode = "auto"


@each(
    "changes",
    [
        {"title": 3}, {"title": None}, {"max_iterations": "3"}, {"max_iterations": 3.0}, {"max_iterations": True},
        {"status": "done"}, {"tags": "ab"}, {"tags": [1]}, {"created_at": "2026-01-22T10:00:00"}, {"engine": None},
        {"created_at": "soon"}, {"skill_state": "x"}, {"loop_id": ""}, {"current_iteration": -1}, {"priority": 1},
    ],
)  # fmt: skip
def test_a_value_that_does_not_fit_is_refused_with_its_place(changes: dict[str, Any]) -> None:
    (name,) = changes
    with pytest.raises(Invalid, match=rf"^{name}(\.0)?: ") as caught:
        rich().evolve(**changes)
    assert "\n" not in str(caught.value)
    assert "Value error" not in str(caught.value)


def test_a_name_that_the_record_does_not_have_is_a_mistake_of_the_programmer() -> None:
    with pytest.raises(TypeError, match="LoopState has no staus"):
        rich().evolve(staus="paused")
    with pytest.raises(TypeError, match="SkillState has no validate"):
        SkillState().evolve(validate=Validate())
    assert rich().evolve(x_color="red").model_extra == {"x_color": "red"}


def test_unknown_keys_survive_every_change_even_with_names_of_our_own_methods() -> None:
    odd = {"x_color": {"a": [1, None]}, "evolve": 1, "mode": 2, "model_dump": 3, "self": 4, "": 5, "__dict__": 6}
    state = LoopState.model_validate({**json.loads(rich().model_dump_json()), **odd})
    changed = engine(state.evolve(title="t"), rev=1).evolve(status="paused")
    assert changed.model_extra == odd
    assert LoopState.model_validate_json(changed.model_dump_json()) == changed
    assert changed.mode == changed.engine.settings.mode


def test_a_dump_is_the_same_after_reading() -> None:
    """Digests are taken of what is written: 0 may not become 0.0 on the way."""
    for state in (loop(), loop(skill_state=SkillState()), rich(), loop("failed"), engine(loop(), rev=7)):
        text = state.model_dump_json()
        assert LoopState.model_validate_json(text).model_dump_json() == text
        assert state.evolve().model_dump_json() == text


@pytest.mark.parametrize("number", [float("inf"), float("-inf"), float("nan")])
def test_numbers_that_json_does_not_have_are_refused(number: float) -> None:
    with pytest.raises(Invalid):
        Validate().evolve(coverage=number)
    with pytest.raises(Invalid):
        hypothesis().evolve(likelihood=number)
    with pytest.raises(ValidationError):
        Hypothesis.model_validate({**dict(hypothesis()), "evidence": {"x": number}})
    with pytest.raises(Invalid):
        engine(loop(), budget=loop().engine.budget.evolve(max_minutes=number))


IMPOSSIBLE: list[tuple[str, dict[str, Any]]] = [
    ("a finished loop without an end", {"status": "completed"}),
    ("a failed loop without a time", {"status": "failed", "failure_reason": "r"}),
    ("a running loop with an end", {"completed_at": AT}),
    ("a running loop with a reason", {"failure_reason": "r"}),
    ("counts that are not the counts", {"skill_state": {"develop": {"total": 3}}}),
    ("more completed than there are", {"skill_state": {"develop": {"completed": 1}}}),
    ("a pass with failed tests", {"skill_state": {"validate": {"passed": True, "failed_tests": ["a"]}}}),
    ("hypotheses that were not counted", {"skill_state": {"debug": {"hypotheses_count": 1}}}),
    ("no title", {"title": ""}),
    ("an action of nobody", {"skill_state": {"current_action": "paused"}}),
    ("a limit of none", {"max_iterations": 0}),
]


@pytest.mark.parametrize(("words", "fields"), IMPOSSIBLE, ids=[i[0] for i in IMPOSSIBLE])
def test_states_that_must_not_exist_can_not_be_built(words: str, fields: dict[str, Any]) -> None:
    sound = json.loads(rich().evolve(skill_state=None).model_dump_json())
    assert LoopState.model_validate(sound)
    with pytest.raises(ValidationError):
        LoopState.model_validate({**sound, **fields})


@pytest.mark.parametrize("status", ["confirmed", "rejected", "inconclusive"])
def test_a_verdict_needs_evidence_and_a_reason(status: str) -> None:
    too_little: list[dict[str, object]] = [
        {}, {"evidence": {}}, {"verdict_reason": "r"}, {"evidence": {}, "verdict_reason": ""},
    ]  # fmt: skip
    for fields in too_little:
        with pytest.raises(Invalid, match="without evidence"):
            hypothesis().evolve(status=status, **fields)
    assert hypothesis().evolve(status=status, evidence={}, verdict_reason="r").status == status


def test_two_tasks_may_not_share_an_id() -> None:
    tasks = (
        DevelopTask(id="T", description="a", created_at=AT),
        DevelopTask(id="T", description="b", created_at=LATER),
    )
    with pytest.raises(Invalid, match="share an id"):
        Develop().evolve(tasks=tasks, total=2)


def test_a_refusal_shows_only_the_beginning_of_what_was_given() -> None:
    with pytest.raises(Invalid) as caught:
        TestResult(test_name="t", status="passed").evolve(duration_ms="x" * 10_000)
    assert len(str(caught.value)) < 200
