"""A patch says exactly what changed, in a form that any reader of RFC 6902 understands."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from loopwright.core.errors import Invalid
from loopwright.core.state import DevelopTask
from loopwright.evidence.hypotheses import Hypothesis
from loopwright.store.patch import apply_patch, diff_states, to_json
from loopwright.workflows.loop.model import Develop, LoopState, SkillState
from tests.store.making import START, loop
from tests.store.stranger import patched

AT = START.isoformat()
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)
tasks = st.builds(
    DevelopTask,
    id=st.sampled_from([f"task-{n}" for n in range(8)]),
    description=texts,
    status=st.sampled_from(["pending", "failed", "completed"]),
    files_changed=st.lists(texts, max_size=3).map(tuple),
    created_at=st.just(AT),
)
hypotheses = st.builds(
    lambda id, evidence: Hypothesis(
        id=id, description="d", testable_condition="", logging_point="", likelihood=0.5,
        evidence_criteria={"confirm": "", "reject": ""}, evidence=evidence,  # type: ignore[arg-type]  # parsed by the model
    ),
    st.sampled_from(["H1", "H2", "H3"]),
    st.none() | st.dictionaries(texts, json_values, max_size=3),
)  # fmt: skip


def skill(work: list[DevelopTask], actions: list[str], guesses: list[Hypothesis]) -> SkillState:
    done = sum(task.status == "completed" for task in work)
    debug = {"hypotheses_count": len(guesses), "hypotheses": tuple(guesses)}
    return SkillState.model_validate(
        {
            "develop": Develop(total=len(work), completed=done, tasks=tuple(work)),
            "completed_actions": tuple(actions),
            "debug": debug,
        }
    )


skills = st.builds(
    skill,
    st.lists(tasks, max_size=5, unique_by=lambda task: task.id),
    st.lists(st.sampled_from(["INIT", "DEVELOP", "DEBUG"]), max_size=5),
    st.lists(hypotheses, max_size=3),
)
states = st.builds(
    lambda extra, fields: loop(**{f"x{key}": value for key, value in extra.items()}, **fields),
    st.dictionaries(texts, json_values, max_size=3),
    st.fixed_dictionaries(
        {},
        optional={
            "title": texts.filter(bool),
            "notes": st.none() | texts,
            "tags": st.none() | st.lists(texts, max_size=4).map(tuple),
            "current_iteration": st.integers(0, 5),
            "skill_state": st.none() | skills,
        },
    ),
)


@given(states)
def test_a_document_is_what_the_model_itself_writes(state: LoopState) -> None:
    assert to_json(state) == state.model_dump(mode="json")


@given(states, states)
def test_a_patch_makes_one_state_into_the_other(old: LoopState, new: LoopState) -> None:
    ops = json.loads(json.dumps(diff_states(old, new)))
    ours = to_json(old)
    apply_patch(ours, copy.deepcopy(ops))
    assert ours == patched(to_json(old), ops) == to_json(new)
    assert LoopState.model_validate(ours) == new


@given(states, st.data())
def test_a_patch_of_a_shared_state_makes_the_same(old: LoopState, data: st.DataObject) -> None:
    """The states of real life share nearly everything: here one list is changed in the middle."""
    if old.skill_state is None:
        return
    work = list(old.skill_state.develop.tasks)
    for at in sorted(data.draw(st.sets(st.integers(0, max(0, len(work) - 1)), max_size=2)), reverse=True):
        del work[at : at + 1]
    if data.draw(st.booleans()):
        work.insert(data.draw(st.integers(0, len(work))), DevelopTask(id="task-new", description="n", created_at=AT))
    actions = [*old.skill_state.completed_actions[data.draw(st.integers(0, 2)) :], "VALIDATE"]
    new = old.evolve(skill_state=skill(work, actions, list(old.skill_state.debug.hypotheses)))
    assert patched(to_json(old), diff_states(old, new)) == to_json(new)


def test_what_is_shared_costs_nothing() -> None:
    work = [DevelopTask(id=f"task-{n}", description="d", created_at=AT) for n in range(100)]
    old = loop(skill_state=skill(work, ["INIT"], []))
    assert old.skill_state is not None
    new = old.evolve(skill_state=old.skill_state.evolve(last_action="INIT"))
    assert diff_states(old, new) == [{"op": "replace", "path": "/skill_state/last_action", "value": "INIT"}]
    assert diff_states(old, old.evolve(title=old.title)) == []


def test_a_capped_list_that_moves_on_is_two_operations() -> None:
    work = [DevelopTask(id=f"task-{n}", description="d", created_at=AT) for n in range(50)]
    old = loop(skill_state=skill(work[:49], [], []))
    new = old.evolve(skill_state=skill(work[1:], [], []))
    assert [op["op"] for op in diff_states(old, new) if "/tasks/" in op["path"]] == ["remove", "add"]


def test_numbers_and_truths_are_told_apart() -> None:
    old, new = loop(x={"a": [1, True, 1.0]}), loop(x={"a": [True, 1, 1]})
    assert json.dumps(patched(to_json(old), diff_states(old, new))["x"]) == '{"a": [true, 1, 1]}'


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, b"bytes"])
def test_what_json_can_not_hold_is_refused(value: object) -> None:
    with pytest.raises(Invalid, match="a state cannot hold"):
        to_json({"deep": [value]})
