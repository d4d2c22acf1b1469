"""What becomes of an agent's trouble, row by row as the design has it."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.agent_failures import LONGEST_WAIT, TABLE, RespawnAgent, RetryAfter, choose_retry, failure_outcome
from loopwright.core.errors import AgentError, AgentTrouble
from loopwright.core.outcomes import ActionFailed, LimitReached, NeedsInput
from loopwright.workflows.loop.outcomes import ActionOutcome
from tests.domain.loop_making import AT

NOW = datetime.fromisoformat(AT)
KINDS: tuple[AgentTrouble, ...] = get_args(AgentTrouble)
AGAIN, ANEW = "again after {} s", "again in a new process"

ROWS: tuple[tuple[AgentTrouble, tuple[str, ...], type[ActionOutcome]], ...] = (
    ("timeout", (), ActionFailed),
    ("died", (ANEW,), ActionFailed),
    ("protocol", (ANEW,), ActionFailed),
    ("transient", (AGAIN.format(5), AGAIN.format(15), AGAIN.format(45)), ActionFailed),
    ("rate_limit", (AGAIN.format(5), AGAIN.format(15), AGAIN.format(45)), ActionFailed),
    ("quota", (), LimitReached),
    ("auth", (), NeedsInput),
    ("refused", (), NeedsInput),
    ("sandbox", (), NeedsInput),
)  # fmt: skip


def trouble(kind: AgentTrouble, seconds: float | None = None) -> AgentError:
    """`seconds`: how far ahead the agent says that it ends."""
    return AgentError(kind, "because", until=None if seconds is None else NOW + timedelta(seconds=seconds))


def told(cure: RetryAfter | RespawnAgent) -> str:
    return AGAIN.format(f"{cure.seconds:g}") if isinstance(cure, RetryAfter) else ANEW


def course(error: AgentError, before: Sequence[AgentTrouble] = ()) -> tuple[str, ...]:
    """What is tried, again and again, until nothing is any more."""
    tried: list[str] = []
    while cure := choose_retry(error, (*before, *[error.kind] * len(tried)), NOW):
        tried.append(told(cure))
    return tuple(tried)


@pytest.mark.parametrize(("kind", "tried", "then"), ROWS, ids=[row[0] for row in ROWS])
def test_the_table(kind: AgentTrouble, tried: tuple[str, ...], then: type[ActionOutcome]) -> None:
    assert course(trouble(kind)) == tried
    assert type(failure_outcome(trouble(kind), NOW)) is then


def test_every_kind_has_its_row() -> None:
    assert sorted(TABLE) == sorted(KINDS) == sorted(row[0] for row in ROWS)


def test_a_limit_that_the_agent_names_is_waited_for() -> None:
    assert course(trouble("rate_limit", 70))[0] == AGAIN.format(70)
    assert course(trouble("transient", 10_000))[0] == AGAIN.format(300)


def test_a_limit_that_is_over_already_is_waited_for_like_an_unnamed_one() -> None:
    assert course(trouble("rate_limit", -70))[0] == AGAIN.format(5)


def test_a_rate_limit_that_no_action_can_wait_for_parks_the_loop() -> None:
    far = trouble("rate_limit", LONGEST_WAIT + 1)
    assert course(far) == ()
    until = (NOW + timedelta(seconds=LONGEST_WAIT + 1)).isoformat()
    assert failure_outcome(far, NOW) == LimitReached("because", until, "rate_limit")


def test_a_death_after_two_waits_has_its_new_process_all_the_same() -> None:
    assert course(trouble("died"), ["transient", "rate_limit"]) == (ANEW,)


def test_kinds_that_are_mended_the_same_way_share_their_tries() -> None:
    assert course(trouble("protocol"), ["died"]) == ()
    assert course(trouble("rate_limit"), ["transient", "transient"]) == (AGAIN.format(45),)


def test_a_question_says_what_to_do_and_how_to_go_on() -> None:
    outcome = failure_outcome(AgentError("auth", "codex needs a login: run codex login."), NOW)
    words = "codex needs a login: run codex login. Fix that, then resume the loop."
    assert outcome == NeedsInput(words, by_resuming=True, trouble="auth")


@given(st.lists(st.sampled_from(KINDS)), st.sampled_from(KINDS), st.none() | st.floats(-1e6, 1e6))
def test_whatever_comes_an_action_ends_and_waits_a_bounded_time(
    before: list[AgentTrouble], kind: AgentTrouble, until: float | None
) -> None:
    error = trouble(kind, until)
    cure = choose_retry(error, before, NOW)
    if isinstance(cure, RetryAfter):
        assert 0 < cure.seconds <= LONGEST_WAIT
    assert len(course(error, before)) <= 3
