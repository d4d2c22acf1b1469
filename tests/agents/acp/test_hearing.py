"""What is passed on: gathered, in order, and of a flood only the beginning."""

import asyncio

from loopwright.agents.acp.client import EVENTS_A_TURN, PART, TEXT_A_TURN, TEXT_AT_ONCE, UpdateListener
from loopwright.core.protocol import Usage
from loopwright.core.transcript import AgentEvent, AgentText, AgentThought, ToolUse, TroubleNote, UsageUpdate


def hearing() -> tuple[UpdateListener, list[AgentEvent]]:
    events: list[AgentEvent] = []
    return UpdateListener(events.append), events


async def test_parts_of_one_text_come_together_and_nothing_overtakes_them() -> None:
    made, events = hearing()
    used = ToolUse(id="c1")
    for event in (AgentText(text="a"), AgentText(text="b"), AgentThought(text="c"), used, AgentText(text="d")):
        made.hear(event)
    assert events == [AgentText(text="ab"), AgentThought(text="c"), used]
    made.flush()
    assert events[3:] == [AgentText(text="d")]


async def test_a_text_is_not_held_back_for_long() -> None:
    made, events = hearing()
    made.hear(AgentText(text="a"))
    assert events == []
    async with asyncio.timeout(10):
        while not events:  # noqa: ASYNC110 - the clock is the loop's own
            await asyncio.sleep(0.01)
    assert events == [AgentText(text="a")]


async def test_a_long_text_comes_in_parts() -> None:
    made, events = hearing()
    for _ in range(PART):
        made.hear(AgentText(text="xy"))
    assert events == [AgentText(text="xy" * (PART // 2))] * 2


async def test_a_flood_of_events_is_told_once_and_ends_with_the_turn() -> None:
    made, events = hearing()
    for number in range(EVENTS_A_TURN + 10):
        made.hear(ToolUse(id=str(number)))
    assert len(events) == EVENTS_A_TURN + 1
    assert isinstance(events[-1], TroubleNote)
    made.hear(UsageUpdate(usage=Usage(tokens=1)))
    assert isinstance(events[-1], UsageUpdate), "what is rare is told all the same"
    made.begin()
    made.hear(ToolUse(id="next"))
    assert events[-1] == ToolUse(id="next")


async def test_a_flood_of_text_is_told_once() -> None:
    made, events = hearing()
    for _ in range(TEXT_A_TURN // PART + 10):
        made.hear(AgentText(text="x" * PART))
    assert sum(len(event.text) for event in events if isinstance(event, AgentText)) <= TEXT_A_TURN
    assert [type(event) for event in events[-2:]] == [AgentText, TroubleNote]


async def test_of_one_long_text_begin_and_end_are_told() -> None:
    made, events = hearing()
    made.hear(AgentText(text="begin" + "x" * 2 * TEXT_AT_ONCE + "end"))
    (said,) = events
    assert isinstance(said, AgentText)
    assert len(said.text) < TEXT_AT_ONCE + 100
    assert said.text.startswith("begin")
    assert said.text.endswith("end")
    assert "100,008 characters left out" in said.text
