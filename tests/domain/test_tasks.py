"""Commands on tasks: legal in every status of the loop, for tasks that have not begun."""

from typing import Any, get_args

import pytest

from loopwright.core.errors import Conflict, Forbidden, Invalid, NotFound
from loopwright.core.names import LoopStatus
from loopwright.workflows.loop.commands import EDITABLE, add_task, edit_task, remove_task, reorder_tasks
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import NextAction
from tests.domain.loop_making import AT, LATER, developed, engine, initialised, loop, step, task
from tests.tables import each


def with_three(status: LoopStatus = "created") -> LoopState:
    state = loop(status)
    for id in ("a", "b", "c"):
        state = add_task(state, id, {"description": f"do {id}"}, AT)
    return state


def order(state: LoopState) -> list[str]:
    return [t.task_id for t in sorted(state.engine.tasks, key=lambda t: t.order)]


@pytest.mark.parametrize("status", get_args(LoopStatus))
def test_every_command_in_every_status(status: LoopStatus) -> None:
    state = with_three(status)
    assert order(state) == ["a", "b", "c"]
    state = edit_task(state, "b", {"description": "do it well", "tool": "gemini", "mode": "review"}, LATER)
    edited = state.engine.task("b")
    assert edited is not None
    assert (edited.description, edited.tool, edited.mode, edited.created_at, edited.updated_at, edited.order) == (
        "do it well", "gemini", "review", AT, LATER, 1,
    )  # fmt: skip
    state = reorder_tasks(state, ["c", "a", "b"])
    assert order(state) == ["c", "a", "b"]
    state = remove_task(state, "a")
    assert order(state) == ["c", "b"]
    state = add_task(state, "d", {"description": "do d"}, LATER)
    assert order(state) == ["c", "b", "d"]
    assert state.status == status
    assert state.skill_state is None


def test_every_field_can_be_given_and_is_kept() -> None:
    fields = {
        "description": "build", "tool": "bash", "mode": "write", "prompt_template": "p", "command": "make",
        "on_error": "fail_fast", "depends_on": ["a"], "allow_test_changes": True, "proof": "none",
    }  # fmt: skip
    assert set(fields) == EDITABLE
    made = add_task(with_three(), "d", fields, AT).engine.task("d")
    assert made is not None
    dumped = made.model_dump(mode="json")
    assert {key: dumped[key] for key in fields} == fields


@each(
    ("fields", "words"),
    [
        ({}, "description: Field required"),
        ({"description": ""}, "description"),
        ({"description": " \n"}, "description: must not be blank"),
        ({"description": None}, "description"),
        ({"description": 5}, "description"),
        ({"description": "d", "mode": "delete"}, "mode"),
        ({"description": "d", "on_error": "ignore"}, "on_error"),
        ({"description": "d", "tool": "bash"}, "needs a command"),
        ({"description": "d", "tool": "bash", "command": "  "}, "needs a command"),
        ({"description": "d", "tool": "codex", "command": "rm"}, "only tasks with tool bash run a command"),
        (
            {"description": "d", "tool": "nobody"},
            r"no agent is named 'nobody' \(known: auto, builtin, bash, codex, claude, gem",
        ),
        ({"description": "d", "tool": "Codex"}, "no agent is named"),
        ({"description": "d", "tool": ""}, "does not choose an agent"),
        ({"description": "d", "tool": "bash:large"}, "bash works without a model"),
        ({"description": "d", "tool": "scripted:"}, "no agent is named"),
        ({"description": "d", "depends_on": ["gone"]}, "depends on unknown gone"),
        ({"description": "d", "depends_on": ["new"]}, "circle: new"),
        ({"description": "d", "depends_on": "a"}, "depends_on"),
        ({"description": "d", "status": "completed"}, "unknown task field: status"),
        ({"description": "d", "task_id": "x", "order": 3}, "unknown task field: order, task_id"),
        ({"description": "d", "allow_test_changes": "yes"}, "allow_test_changes"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(fields: dict[str, Any], words: str) -> None:
    state = with_three()
    with pytest.raises(Invalid, match=words) as caught:
        add_task(state, "new", fields, AT)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("tool", ["gemini", "qwen", "codex", "auto", "builtin", "scripted:play.json"])
def test_every_known_agent_can_have_a_task(tool: str) -> None:
    made = add_task(loop(), "a", {"description": "d", "tool": tool}, AT)
    assert edit_task(made, "a", {"tool": "codex"}, AT).engine.tasks[0].tool == "codex"
    with pytest.raises(Invalid, match="no agent is named"):
        edit_task(made, "a", {"tool": "nobody"}, AT)


def test_an_id_is_used_once() -> None:
    with pytest.raises(Invalid, match="share an id"):
        add_task(with_three(), "b", {"description": "again"}, AT)


def test_a_circle_is_refused_wherever_it_closes() -> None:
    state = edit_task(with_three(), "b", {"depends_on": ["a"]}, AT)
    state = edit_task(state, "c", {"depends_on": ["b"]}, AT)
    with pytest.raises(Invalid, match="circle: a, b, c"):
        edit_task(state, "a", {"depends_on": ["c"]}, AT)
    with pytest.raises(Invalid, match="circle: b"):
        edit_task(with_three(), "b", {"depends_on": ["b"]}, AT)


def test_what_others_need_is_not_removed() -> None:
    state = edit_task(with_three(), "c", {"depends_on": ["a"]}, AT)
    with pytest.raises(Conflict, match="needed by c"):
        remove_task(state, "a")
    assert order(remove_task(remove_task(state, "c"), "a")) == ["b"]


@pytest.mark.parametrize(
    "ids", [[], ["a"], ["a", "b"], ["a", "b", "c", "d"], ["a", "b", "b"], ["a", "b", "c", "c"], ["x", "y", "z"]]
)
def test_an_order_names_every_task_exactly_once(ids: list[str]) -> None:
    with pytest.raises(Invalid, match="it has: a, b, c"):
        reorder_tasks(with_three(), ids)
    with pytest.raises(Invalid, match="it has: none"):
        reorder_tasks(loop(), ids)


def test_unknown_tasks_are_not_found() -> None:
    for state in (loop(), with_three()):
        with pytest.raises(NotFound, match="Task not found: gone"):
            edit_task(state, "gone", {"description": "x"}, AT)
        with pytest.raises(NotFound):
            remove_task(state, "gone")


def test_a_task_that_has_begun_is_not_changed_but_may_be_moved() -> None:
    state = end_action(loop("running"), step("INIT", initialised(task("a"), task("b"))))
    working = begin_action(state, NextAction("DEVELOP", 6, None, "a"))
    done = end_action(working, step("DEVELOP", developed("a")))
    failed = end_action(working, step("DEVELOP", developed("a", ok=False)))
    for later, status in ((working, "in_progress"), (done, "completed"), (failed, "failed")):
        with pytest.raises(Conflict, match=f"Task a is {status}; only pending tasks can be changed"):
            edit_task(later, "a", {"description": "x"}, AT)
        with pytest.raises(Conflict, match=status):
            remove_task(later, "a")
        assert order(reorder_tasks(later, ["b", "a"])) == ["b", "a"]
        assert order(remove_task(later, "b")) == ["a"]


def test_other_peoples_keys_on_a_task_survive_an_edit() -> None:
    state = engine(loop(), tasks=(task("a", x_color="blue"),))
    edited = edit_task(state, "a", {"description": "x"}, LATER).engine.task("a")
    assert edited is not None
    assert edited.model_extra == {"x_color": "blue"}


def test_a_loop_plans_for_its_own_goal_and_changes_nothing_that_it_was_given() -> None:
    state = add_task(with_three(), "own", {"description": "look", "mode": "analysis"}, AT, within=True)
    own = state.engine.task("own")
    assert own is not None
    assert own.planned
    assert remove_task(state, "own", within=True).engine.task("own") is None
    with pytest.raises(Forbidden, match="b was given to it"):
        edit_task(state, "b", {"mode": "analysis"}, AT, within=True)
    with pytest.raises(Forbidden, match="b was given to it"):
        remove_task(state, "b", within=True)
