"""State updates: what is an action's to propose, in any shape, and never more than that."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.names import ActionName
from loopwright.core.protocol import ActionReport
from loopwright.evidence.verdict import refused_updates
from loopwright.reports.proposals import MOST_KNOWN, new_causes, read_proposals
from loopwright.reports.tools import LONGEST, ProposedHypothesis
from tests.tables import each


def report(**updates: Any) -> ActionReport:  # Any: an agent's JSON
    return ActionReport(action="INIT", status="success", state_updates=updates)


@each(
    ("given", "tasks", "refused"),
    [
        ([{"description": "a"}, {"description": " b "}], ["a", "b"], ""),
        (["a", "b"], ["a", "b"], ""),
        ("a", ["a"], ""),
        ({"description": "a"}, ["a"], ""),
        ({"1": "a", "2": {"description": "b"}}, ["a", "b"], ""),
        ('["a"]', ["a"], ""),
        (["a", "a", {"description": "a"}], ["a"], ""),
        (["a", "", {"title": "b"}, 7, None, ["c"]], ["a"], "INIT proposed 5 tasks without a description"),
        ([str(n) for n in range(9)], [str(n) for n in range(7)], "INIT proposed more than 7 tasks"),
        (7, [], "INIT proposed 1 task without a description"),
        (None, [], ""),
        ([], [], ""),
    ],
)
def test_tasks_in_any_shape(given: object, tasks: list[str], refused: str) -> None:
    told = read_proposals("INIT", report(tasks=given))
    assert [task.description for task in told.tasks] == tasks
    assert (refused_updates("INIT", report(tasks=given)) or "") == refused


def test_hypotheses_are_words_and_verdicts_are_measured() -> None:
    given = report(
        active_bug=" it breaks ",
        hypotheses=[
            {"description": "a", "testable_condition": "x is 0", "logging_point": "f.py:g:3", "status": "pending"},
            {"description": "b", "status": "confirmed", "evidence": {"sure": True}, "likelihood": 99},
        ],
    )
    told = read_proposals("DEBUG", given)
    assert told.active_bug == "it breaks"
    assert told.hypotheses == (
        ProposedHypothesis(description="a", testable_condition="x is 0", logging_point="f.py:g:3"),
        ProposedHypothesis(description="b"),
    )
    words = refused_updates("DEBUG", given)
    assert words == "DEBUG proposed a verdict on a hypothesis; only measurements give one"


@pytest.mark.parametrize("action", ["DEVELOP", "VALIDATE", "COMPLETE"])
def test_other_actions_propose_nothing(action: ActionName) -> None:
    given = report(tasks=["a"], hypotheses=["b"], active_bug="c")
    assert read_proposals(action, given) == read_proposals(action, report())
    assert "tried to set active_bug, hypotheses, tasks" in (refused_updates(action, given) or "")


def test_an_action_proposes_nothing_of_anothers() -> None:
    assert read_proposals("INIT", report(hypotheses=["b"], active_bug="c")) == read_proposals("INIT", report())
    assert read_proposals("DEBUG", report(tasks=["a"])) == read_proposals("DEBUG", report())


def test_what_could_not_be_read_is_told() -> None:
    given = ActionReport(action="INIT", status="success", unread="state_updates")
    assert refused_updates("INIT", given) == "INIT gave state_updates that cannot be read"


def test_long_texts_are_cut() -> None:
    long = "x" * 100_000
    (task,) = read_proposals("INIT", report(tasks=[long])).tasks
    told = read_proposals("DEBUG", report(active_bug=long, hypotheses=[{"description": long, "logging_point": long}]))
    assert len(task.description) == LONGEST
    assert len(told.active_bug or "") == len(told.hypotheses[0].logging_point) == 500


def test_known_causes_are_not_taken_twice_and_there_is_an_end_to_them() -> None:
    proposed = tuple(ProposedHypothesis(description=words) for words in ("The loop  ends early", "b", "c"))
    assert [h.description for h in new_causes(proposed, ["the loop ends early", "x"])] == ["b", "c"]
    assert len(new_causes(proposed, [str(n) for n in range(MOST_KNOWN - 1)])) == 1
    assert new_causes(proposed, [str(n) for n in range(MOST_KNOWN + 9)]) == ()


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=9)
    | st.sampled_from(["[", "{}", '["a"]']),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["description", "status", "tasks", "1", ""]), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["tasks", "hypotheses", "active_bug", "status"]), JSON))
def test_no_shape_can_hurt(updates: dict[str, Any]) -> None:
    for action in ("INIT", "DEVELOP", "DEBUG"):
        told = read_proposals(action, report(**updates))
        assert all(task.description.strip() for task in told.tasks)
        assert all(cause.description.strip() for cause in told.hypotheses)
        json.dumps(refused_updates(action, report(**updates)))
