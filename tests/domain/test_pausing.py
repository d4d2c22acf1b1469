"""Why a run is paused: every way has a name, and words."""

import pytest

from loopwright.core.pause import Pause
from loopwright.core.state import Parked, Waiting
from loopwright.surfaces.cli.loop_rendering import LOOP
from loopwright.surfaces.mcp import tool_outputs
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import loop_glance
from tests.domain.loop_making import AT, engine, loop

PAUSED = loop("paused")
SETTLE = Waiting(question="codex needs a login.", since=AT, by_resuming=True)
CASES: list[tuple[Pause, LoopState, str, str]] = [
    ("question", engine(PAUSED, waiting=Waiting(question="Which?", since=AT)), "asks", "Which?"),
    ("settling", engine(PAUSED, waiting=SETTLE), "asks", "needs a login"),
    ("limit", engine(PAUSED, parked=Parked(until=AT, reason="the plan is used up")), "limit", "the plan is used up"),
    ("task", engine(PAUSED, retry=("task-1",)), "task failed", "because task-1 failed"),
    ("request", PAUSED, "on request", "on request, by a person or a program"),
]


@pytest.mark.parametrize(("pause", "state", "short", "words"), CASES, ids=[case[0] for case in CASES])
def test_a_pause_says_why_everywhere(pause: Pause, state: LoopState, short: str, words: str) -> None:
    assert loop_glance(state, "shop").pause == pause
    assert LOOP.status(state, live=False) == f"paused ({short})"
    assert words in LOOP.headline(state)
    assert words in tool_outputs.LOOPS.headline(state, live=False)


def test_what_is_not_paused_has_no_such_reason() -> None:
    assert loop_glance(loop("running"), "shop").pause is None
