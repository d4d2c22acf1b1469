"""The loop so far in a few lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.outcomes import ActionFailed
from loopwright.workflows.loop.messages import LONGEST, compose_brief
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.outcomes import ActionOutcome
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import NextAction
from tests.domain.loop_making import (
    auto,
    debugged,
    developed,
    engine,
    initialised,
    loop,
    step,
    task,
    validated,
)  # fmt: skip

FOLDER = ".workflow/.loop/loop-1.progress"


def after(state: LoopState, *steps: tuple[NextAction, ActionOutcome]) -> LoopState:
    for choice, outcome in steps:
        state = end_action(begin_action(state, choice), step(choice.action, outcome))
    return state


def begun(tasks: int = 2, description: str = "write part {}") -> LoopState:
    made = (task(f"T{n}", description=description.format(n)) for n in range(tasks))
    return after(auto(loop("running")), (NextAction("INIT", 5), initialised(*made)))


def test_at_the_beginning_there_is_nothing_to_tell() -> None:
    assert compose_brief(auto(loop("running")), FOLDER) == ""
    assert compose_brief(begin_action(auto(loop("running")), NextAction("INIT", 5)), FOLDER) == ""
    measured = after(begun(0), (NextAction("VALIDATE", 8), validated(failing=["adds"], reasons=("1 test fails",))))
    assert compose_brief(measured, FOLDER) == "", "no agent has been here yet"


def test_it_tells_what_was_done_what_is_open_and_where_the_files_are() -> None:
    red = validated(failing=["adds", "subtracts"], reasons=("2 tests fail",))
    state = after(
        begun(), (NextAction("DEVELOP", 6, None, "T0"), developed("T0")), (NextAction("VALIDATE", 8), red),
        (NextAction("DEBUG", 9), debugged("H1")), (NextAction("VALIDATE", 8), ActionFailed("no result at all")),
    )  # fmt: skip
    text = compose_brief(state, FOLDER)
    for words in (
        "actions: INIT, DEVELOP, VALIDATE, DEBUG", "the last error, in VALIDATE: no result at all",
        "1 of 2 tasks completed", "completed: write part 0 (ledger.py)", "pending: write part 1",
        "did not pass: 2 tests fail", FOLDER,
    ):  # fmt: skip
        assert words in text, text


def test_open_tasks_come_before_what_is_long_done() -> None:
    state = begun(30)
    state = after(state, *((NextAction("DEVELOP", 6, None, f"T{n}"), developed(f"T{n}")) for n in range(25)))
    text = compose_brief(state, FOLDER)
    assert "25 of 30 tasks completed" in text
    assert all(f"pending: write part {n}\n" in text for n in range(25, 30))
    assert "completed: write part 24" in text
    assert "write part 3 " not in text


def test_the_last_words_of_a_turn_that_broke_off_are_told_also_at_the_beginning() -> None:
    text = compose_brief(auto(loop("running")), FOLDER, "…" + "x" * 5000 + " I am about to rename the parser")
    assert text.endswith("I am about to rename the parser")
    assert len(text) <= LONGEST


@pytest.mark.parametrize("text", ["x" * 10_000, "line\n" * 3000, "字" * 9000])
def test_it_stays_short_whatever_the_loop_holds(text: str) -> None:
    state = begun(40, text + "{}")
    many = validated(failing=[f"{text}{n}" for n in range(50)], reasons=(text, text))
    state = after(engine(state), (NextAction("VALIDATE", 8), many), (NextAction("DEBUG", 9), debugged("H1")))
    whole = compose_brief(state, FOLDER, text)
    assert len(whole) <= LONGEST
    assert whole.endswith(text.strip()[-100:])


@given(st.text(), st.integers(0, 12), st.integers(0, 12))
def test_any_loop_has_a_brief(said: str, tasks: int, done: int) -> None:
    state = begun(tasks)
    state = after(
        state, *((NextAction("DEVELOP", 6, None, f"T{n}"), developed(f"T{n}")) for n in range(min(tasks, done)))
    )
    assert (0 if not (tasks or said.strip()) else 1) <= len(compose_brief(state, FOLDER, said)) <= LONGEST
