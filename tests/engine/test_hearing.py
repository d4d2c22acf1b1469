"""What is heard of an agent on its way to the transcript: in bursts, bounded, and without secrets."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loopwright.core.protocol import AgentOutput, Usage
from loopwright.core.run_events import BURST, OUTPUT, TURN, EventBus, OutputFilter, RunNote
from loopwright.core.transcript import (
    AgentMessage,
    AgentPlan,
    AgentText,
    AgentThought,
    PermissionResult,
    SessionStart,
    ToolUse,
    TranscriptEvent,
    TroubleNote,
    TurnEnd,
    UsageUpdate,
    event_of,
    fields_of,
)
from loopwright.policy.secrets import SecretFilter
from tests.tiers import examples

VALUE = "correct horse battery staple"
ASKED = AgentMessage(agent="codex", action="DEVELOP", policy="workspace", text="Do it")


@dataclass
class Timers:
    """Calls back when told to."""

    waiting: list[Callable[[], None]] = field(default_factory=list)

    def later(self, seconds: float, call: Callable[[], None]) -> "Timers":
        self.waiting.append(call)
        return self

    def cancel(self) -> None:
        self.waiting.clear()

    def ring(self) -> None:
        for call in tuple(self.waiting):
            call()


def heard(*events: TranscriptEvent, secrets: tuple[str, ...] = ()) -> list[TranscriptEvent]:
    told: list[TranscriptEvent] = []
    hearing = OutputFilter(told.append, SecretFilter(secrets))
    for event in events:
        hearing.hear(event)
    hearing.close()
    return told


def tool(status: str = "pending", **fields: object) -> ToolUse:
    return ToolUse.model_validate({"id": "1", "title": "Run", "status": status, **fields})


def test_chunks_become_one_line_until_something_else_happens() -> None:
    assert heard(
        AgentText(text="He"), AgentText(text="llo"), tool(), AgentText(text="again"), AgentThought(text="hm")
    ) == [
        AgentText(text="Hello"),
        tool(),
        AgentText(text="again"),
        AgentThought(text="hm"),
    ]


def test_a_long_text_comes_in_parts_and_nothing_of_it_is_lost() -> None:
    words = [f"word{n} " for n in range(5000)]
    told = heard(*(AgentText(text=word) for word in words))
    assert "".join(said.text for said in told if isinstance(said, AgentText)) == "".join(words)
    assert 5000 * 9 / BURST / 2 < len(told) < 5000 * 9 / BURST + 2


def test_a_pause_in_a_text_passes_it_on() -> None:
    told: list[TranscriptEvent] = []
    timers = Timers()
    hearing = OutputFilter(told.append, SecretFilter(), timers.later)
    hearing.hear(AgentText(text="I think, "))
    assert told == []
    timers.ring()
    assert told == [AgentText(text="I think, ")]
    hearing.hear(AgentText(text="so"))
    hearing.hear(tool())
    assert told[1:] == [AgentText(text="so"), tool()]
    assert timers.waiting == []


def test_each_change_of_a_tool_call_once() -> None:
    told = heard(
        tool(), tool(), tool("in_progress"), tool("in_progress", output="1"), tool("in_progress", output="12"),
        tool("completed", output="123"), tool("completed", output="1234"),
    )  # fmt: skip
    assert told == [tool(), tool("in_progress"), tool("completed", output="123")]


def test_tool_calls_are_clipped() -> None:
    (told,) = heard(tool(output="x" * 10_000_000, command="y" * 10_000_000, paths=["z" * 5000] * 5000))
    assert len(json.dumps(fields_of(told))) < 4 * OUTPUT + 60_000


def test_a_flood_fills_no_disk() -> None:
    """50 MB in chunks, and as many tool calls: what is left out is counted, and the next turn has room again."""
    chunk = "x" * 9_999 + " "
    floods: list[TranscriptEvent] = [
        ASKED,
        *[AgentText(text=chunk)] * 5000,
        *(tool(id=str(n)) for n in range(20_000)),
        ASKED,
    ]
    told = heard(*floods, AgentText(text="calm"))
    assert sum(len(json.dumps(fields_of(event))) for event in told) < 1.2 * TURN
    (trouble,) = (event for event in told if isinstance(event, TroubleNote))
    assert int(trouble.text.split()[1].replace(",", "")) > 49_000_000
    assert told[-1] == AgentText(text="calm")


EVENTS: list[TranscriptEvent] = [
    AgentText(text=VALUE),
    AgentThought(text=f"[{VALUE}]"),
    tool(title=VALUE, command=VALUE, paths=[VALUE], output=VALUE * 3),
    tool("completed", output="x" * (OUTPUT - 9) + VALUE * 3),
    tool("completed", output="x" * (4 * OUTPUT - 9) + VALUE),
    PermissionResult(title=VALUE, allowed=True, reason=VALUE),
    AgentPlan(entries=((VALUE, "pending"),)),
    SessionStart(agent="a", session=VALUE, version=VALUE),
    ASKED.evolve(text=VALUE, brief=VALUE),
    TroubleNote(text=VALUE),
    UsageUpdate(usage=Usage(tokens=1, model=VALUE)),
    TurnEnd(agent="a", action="INIT", digest="d", output=AgentOutput(agent_id=VALUE, running=False, wrote=(VALUE,))),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: event.kind)
def test_no_event_tells_a_secret(event: TranscriptEvent) -> None:
    (told,) = heard(event, secrets=(VALUE,))
    line = json.dumps(fields_of(told))
    assert VALUE not in line
    assert "battery" not in line or event.kind == "tool", "a part that was clipped may stay"
    assert event_of(fields_of(told)) == told


def test_a_secret_that_is_a_word_of_ours_breaks_nothing() -> None:
    assert [type(event) for event in heard(tool("completed"), secrets=("completed",))] == [TroubleNote]


@settings(max_examples=examples(40))
@given(st.text(), st.lists(st.integers(1, 12), max_size=12), st.booleans())
def test_no_secret_survives_being_told_in_chunks(around: str, sizes: list[int], pauses: bool) -> None:
    told: list[TranscriptEvent] = []
    timers = Timers()
    hearing = OutputFilter(told.append, SecretFilter([VALUE]), timers.later)
    text = f"{around}{VALUE}{around} sk-proj-4fK9aLq0ZxB7mW2nR8vT {VALUE}"
    for size in sizes:
        hearing.hear(AgentText(text=text[:size]))
        text = text[size:]
        if pauses:
            timers.ring()
    hearing.hear(AgentText(text=text))
    hearing.close()
    whole = "".join(event.text for event in told if isinstance(event, AgentText))
    assert VALUE not in whole
    assert "4fK9" not in whole or "4fK9" in around


def test_notes_are_masked_and_in_order() -> None:
    notes: list[RunNote] = []
    bus = EventBus(notes.append, secrets=SecretFilter([VALUE]))
    bus.hear(AgentText(text="half a "))
    bus.publish("output", "printed")
    bus.hear(AgentText(text="sentence"))
    bus.publish("activity", f"with {VALUE}")
    bus.close()
    assert [(n.kind, n.text) for n in notes] == [
        ("output", "printed"), ("said", "half a sentence"), ("activity", "with ‹masked environment›"),
    ]  # fmt: skip


def test_an_event_costs_little() -> None:
    """Far below 0.3 ms, also with many secrets to look for."""
    hearing = OutputFilter(lambda event: None, SecretFilter([f"secret-value-{n}" for n in range(30)]))
    began = time.process_time()
    for n in range(2000):
        hearing.hear(AgentText(text="some words of an answer, and then some more of them; "))
        hearing.hear(tool(id=str(n), command="python -m pytest -q", output="1 passed in 0.01s\n" * 5))
    assert (time.process_time() - began) / 4000 < 0.0006
