"""How a limit lands in a loop, for how long it is parked, and how it goes on."""

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.outcomes import LimitReached
from loopwright.core.pause import is_due, parked_until
from loopwright.core.state import RunSettings
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.commands import resume_parked
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import NextAction
from tests.domain.loop_making import LATER, auto, developed, engine, initialised, loop, step, task

AT = datetime.fromisoformat(LATER)
LIMIT = LimitReached("codex: usage limit reached")


def working() -> LoopState:
    state = begin_action(auto(loop("running")), NextAction("INIT", 5))
    return end_action(state, step("INIT", initialised(task("T0"), task("T1"))))


def limited(state: LoopState, outcome: LimitReached = LIMIT) -> LoopState:
    return end_action(begin_action(state, NextAction("DEVELOP", 6, None, "T0")), step("DEVELOP", outcome))


def minutes(state: LoopState) -> float:
    assert state.engine.parked is not None
    return (datetime.fromisoformat(state.engine.parked.until) - AT).total_seconds() / 60


def test_a_limit_parks_the_loop_and_puts_the_action_off() -> None:
    state = limited(working())
    assert (state.status, state.current_iteration) == ("paused", 0)
    assert state.engine.parked is not None
    assert state.engine.parked.reason == "codex: usage limit reached"
    assert state.skill_state is not None
    assert state.skill_state.current_action is None
    assert [t.status for t in state.skill_state.develop.tasks] == ["pending", "pending"]
    assert state.skill_state.errors == ()


def test_limits_in_a_row_are_waited_for_longer_and_longer_up_to_five_hours() -> None:
    state, waits = working(), []
    for _ in range(7):
        state = limited(state)
        waits.append(minutes(state))
        state = commands.resume(state, live=True)
    assert waits == [15, 30, 60, 120, 240, 300, 300]


def test_an_action_with_a_result_ends_the_row() -> None:
    state = limited(working())
    assert state.engine.spent.limits_in_a_row == 1
    state = commands.resume(state, live=True)
    state = end_action(begin_action(state, NextAction("DEVELOP", 6, None, "T0")), step("DEVELOP", developed("T0")))
    assert state.engine.spent.limits_in_a_row == 0


def test_the_time_that_the_agent_names_holds_in_the_loops_own_offset() -> None:
    until = (AT + timedelta(hours=30)).astimezone(datetime.fromisoformat("2026-01-01T00:00:00Z").tzinfo)
    state = limited(working(), LimitReached("limit", until.isoformat()))
    assert minutes(state) == 30 * 60
    assert state.engine.parked is not None
    assert state.engine.parked.until == "2026-01-23T17:00:00+08:00"


def test_a_time_that_is_over_is_not_believed() -> None:
    assert minutes(limited(working(), LimitReached("limit", "2020-01-01T00:00:00+00:00"))) == 15


@given(st.none() | st.timedeltas(timedelta(days=-400), timedelta(days=400)), st.integers(1, 10**6))
def test_a_parked_loop_always_waits_and_never_for_ever(ahead: timedelta | None, row: int) -> None:
    named = AT + ahead if ahead is not None else None
    until = parked_until(named, AT, row)
    assert AT < until <= max(named or AT, AT + timedelta(hours=5))


def test_where_it_shall_not_wait_the_loop_ends_and_says_why() -> None:
    state = limited(engine(working(), settings=RunSettings(mode="auto", park=False)))
    assert (state.status, state.engine.outcome, state.engine.parked) == ("failed", "failed", None)
    assert state.failure_reason == "codex: usage limit reached; waiting for it is disabled (park)"


@pytest.mark.parametrize("status", ["paused", "user_exit"])
def test_what_a_person_chose_meanwhile_stays(status: str) -> None:
    begun = begin_action(working(), NextAction("DEVELOP", 6, None, "T0"))
    after = end_action(begun.evolve(status=status), step("DEVELOP", LIMIT))
    assert (after.status, after.engine.parked) == (status, None)


def test_it_goes_on_by_itself_when_its_time_has_come_and_not_before() -> None:
    state = limited(working())
    assert resume_parked(state, AT + timedelta(minutes=14)) is state
    due = AT + timedelta(minutes=15)
    assert is_due(state, due)
    assert (resume_parked(state, due).status, resume_parked(state, due).engine.parked) == ("running", None)


def test_a_loop_that_a_person_paused_meanwhile_does_not_go_on_by_itself() -> None:
    paused = commands.pause(limited(working()))
    assert resume_parked(paused, AT + timedelta(days=1)) is paused
