"""Waiting until a run rests, with word of how far it is."""

from collections.abc import Awaitable, Callable
from typing import Any

from loopwright.engine.threads import in_thread
from loopwright.mcp.asked import Wait
from loopwright.mcp.cycle_told import CycleWaited
from loopwright.mcp.desk import Desk, Found
from loopwright.mcp.told import Waited
from loopwright.mcp.tuning_told import TuningWaited

LOOK_SECONDS = 0.2
WORD_SECONDS = 5.0
"""The longest silence while it waits: some callers give up on who says nothing."""

AnyWaited = Waited | CycleWaited | TuningWaited

Tell = Callable[[float, float, str], Awaitable[None]]
"""How far it is: seconds that have passed, of how many, and what goes on."""


async def wait(desk: Desk, asked: Wait, tell: Tell) -> AnyWaited:
    """Until it rests or needs a person, or the time is over."""
    found = await in_thread(desk.driven, asked)
    clock = found.service.clock
    begun = told_at = clock.monotonic()
    words = ""
    while True:
        state, live = await in_thread(found.look)
        now = clock.monotonic()
        passed = now - begun
        rested = _rests(found, state, live)
        if rested or passed >= asked.seconds:
            told: AnyWaited = found.kind.waited(state, found.project, live=live, rested=rested)
            return told
        if (news := found.kind.headline(state, live=live) or "") != words or now - told_at >= WORD_SECONDS:
            words, told_at = news, now
            await tell(passed, asked.seconds, words)
        await clock.sleep(min(LOOK_SECONDS, asked.seconds - passed))


def _rests(found: Found[Any], state: Any, live: bool) -> bool:  # Any: as Desk.run
    """Nothing goes on by itself; a runner that still tidies up, or waits for a limit to pass, counts as going on."""
    return not live or (state.status == "running" and found.kind.needs(state, live=True) is not None)
