"""What becomes of a claim: a table."""

from datetime import UTC, datetime, timedelta

import pytest

from loopwright.core.fleet import FleetStatus, Release
from loopwright.core.names import LoopStatus
from loopwright.core.state import EngineState, Outcome, Parked
from loopwright.wiring.fleet.worker import (
    LONGEST,
    MOST_FAILURES,
    RETRY,
    release_of,
    release_of_control,
    tried_again,
)
from loopwright.workflows.loop.model import LoopState

AT = "2026-01-22T10:00:00+08:00"
NOW = datetime(2026, 1, 22, 2, tzinfo=UTC)
PARKED = Parked(until="2026-01-22T15:00:00+08:00", reason="usage limit")


def loop(status: LoopStatus, parked: Parked | None = None, outcome: Outcome | None = None) -> LoopState:
    state = LoopState(
        loop_id="loop-1", title="it", description="it", created_at=AT, updated_at=AT, max_iterations=10,
        engine=EngineState(parked=parked),
    )  # fmt: skip
    engine = state.engine.model_copy(update={"outcome": outcome})
    return state.model_copy(update={"status": status, "engine": engine})


@pytest.mark.parametrize(
    ("state", "changed", "expected"),
    [
        (loop("completed"), {}, Release("finished")),
        (loop("failed"), {"ends": True}, Release("finished")),
        (loop("paused"), {}, Release("resting")),
        (loop("user_exit"), {}, Release("resting")),
        (loop("running"), {"awaits": True}, Release("resting")),
        (loop("paused", PARKED), {}, Release("queued", datetime.fromisoformat(PARKED.until), "usage limit")),
        (loop("running"), {"ends": True}, Release("queued")),
        (loop("created"), {"ends": True, "went_on": False}, Release("queued")),
        (loop("running"), {}, Release("queued", None, "it was cut off", failed=False)),
        (loop("running"), {"went_on": False}, Release("queued", None, "it was cut off", failed=True)),
    ],
)
def test_it_follows_from_the_state(state: LoopState, changed: dict[str, bool], expected: Release) -> None:
    given = {"awaits": False, "ends": False, "went_on": True, **changed}
    assert release_of(state, **given, trouble="it was cut off") == expected


@pytest.mark.parametrize(
    ("status", "outcome", "start", "was", "expected"),
    [
        ("completed", "succeeded", None, "queued", "queued"),
        ("failed", "exhausted", "a" * 40, "queued", "queued"),
        ("completed", "succeeded", "a" * 40, "resting", "queued"),
        ("failed", "stopped", "a" * 40, "resting", "queued"),
        ("failed", "stopped", None, "queued", "finished"),
        ("failed", "stopped", None, "resting", "finished"),
        ("completed", "succeeded", "a" * 40, "finished", "finished"),
    ],
)
def test_a_command_does_not_keep_what_a_run_came_to_from_being_handed_on(
    status: LoopStatus, outcome: Outcome, start: str | None, was: FleetStatus, expected: FleetStatus
) -> None:
    state = loop(status, None, outcome)
    state = state.model_copy(update={"engine": state.engine.model_copy(update={"start": start})})
    assert release_of_control(state, was, awaits=False) == Release(expected)


def test_what_cannot_be_driven_is_tried_later_each_time_and_then_left_to_a_person() -> None:
    failed = Release("queued", trouble="no disk", failed=True)
    waits = [tried_again(failed, n, NOW).at for n in range(MOST_FAILURES - 1)]
    assert waits[:3] == [NOW + RETRY, NOW + 2 * RETRY, NOW + 4 * RETRY]
    assert waits[-1] == NOW + LONGEST
    last = tried_again(failed, MOST_FAILURES - 1, NOW)
    assert (last.status, last.trouble) == ("resting", f"given up after {MOST_FAILURES} tries: no disk")
    driven = Release("queued", NOW + timedelta(hours=1))
    assert tried_again(driven, 3, NOW) == driven
