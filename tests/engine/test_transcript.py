"""The transcript of whole loops: all that passed between engine and agent, in order, whatever happens to the runner."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import StoreError
from loopwright.core.ports import Agent, AgentEnvironment, Store
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.recording import Transcript, read_line
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.text import json_line
from loopwright.core.transcript import TRANSCRIPT, AgentText, ToolUse
from loopwright.policy.secrets import SecretFilter
from loopwright.workflows.loop.commands import take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner
from tests.fakes import FakeClock, NoDebugger, NoProcesses
from tests.stage import MakeStage, Stage, said
from tests.tables import each

GOOD: dict[str, str | None] = {"app.txt": "good"}
PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "Write it"}]))
VALUE = "correct horse battery staple"


def lines(stage: Stage, loop_id: str) -> list[dict[str, Any]]:
    text = (stage.store.progress_path(loop_id) / TRANSCRIPT).read_text()
    return [json.loads(line) for line in text.splitlines()]


class Talking:
    """An agent that tells what it does while it does it."""

    def __init__(self, agent: Agent, around: AgentEnvironment, ends: bool) -> None:
        self._agent, self._around, self._ends = agent, around, ends
        self.name, self.capabilities = agent.name, agent.capabilities
        self.cancel_turn, self.close_agent, self.steer = agent.cancel_turn, agent.close_agent, agent.steer

    async def spawn_agent(self, message: Message) -> str:
        self._talk()
        return await self._agent.spawn_agent(message)

    async def send_input(self, id: str, message: Message) -> None:
        self._talk()
        await self._agent.send_input(id, message)

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        if not self._ends:
            raise RuntimeError("a fault of ours")
        return await self._agent.wait(ids, timeout_ms)

    def _talk(self) -> None:
        hear = self._around.hear
        hear(AgentText(text="I use correct horse "))
        hear(ToolUse(id="1", title="Edit", status="in_progress", paths=("app.txt",)))
        hear(ToolUse(id="1", title="Edit", status="completed", paths=("app.txt",), output=f"wrote {VALUE}"))
        hear(AgentText(text="battery staple: correct horse "))
        hear(AgentText(text="battery staple, and that is "))
        hear(AgentText(text="the tail"))


def runner(stage: Stage, *, ends: bool = True) -> LoopRunner:
    return LoopRunner(
        project=str(stage.project),
        store=stage.store,
        workspace=stage.workspace,
        tests=stage.tests,
        clock=stage.clock,
        processes=NoProcesses(),
        agents=lambda name, around: Talking(stage.agent, around, ends),
        debugger=lambda id, bus: NoDebugger(),
        secrets=SecretFilter([VALUE]),
    )


async def test_every_message_and_every_turn_is_there(stage: MakeStage) -> None:
    made = stage(PLAN, ScriptedTurn(text="no report"), ScriptedTurn(text=said("DEVELOP"), files=GOOD))
    loop_id = made.create()
    await made.drive(loop_id)
    kept = lines(made, loop_id)
    asked = [line for line in kept if line["kind"] == "message"]
    assert [line["text"] for line in asked] == [
        message.text if n == 0 else message.short or message.text for n, message in enumerate(made.agent.messages)
    ]
    assert [(line["agent"], line["action"], line["first"]) for line in asked] == [
        ("scripted", "INIT", True), ("scripted", "DEVELOP", False), ("scripted", "DEVELOP", False),
    ]  # fmt: skip
    turns = [line for line in kept if line["kind"] == "turn"]
    assert [(line["action"], line["output"]["report"]["status"]) for line in turns] == [
        ("INIT", "success"), ("DEVELOP", "success"),
    ]  # fmt: skip
    assert list(kept[0]) == ["ts", "after", "kind", "text", "agent", "capabilities"]
    assert all(list(line)[:4] == ["ts", "after", "kind", "text"] for line in kept)
    assert [line["after"] for line in kept] == sorted(line["after"] for line in kept)
    assert [line["ts"] for line in kept] == sorted(line["ts"] for line in kept)


async def test_what_the_agent_does_is_there_without_secrets(stage: MakeStage) -> None:
    leaks = said("DEVELOP", "failed", f"the key is {VALUE}", note=VALUE)
    made = stage(PLAN, ScriptedTurn(text=f"{VALUE}\n{leaks}"), ScriptedTurn(error="auth"))
    loop_id = made.create()
    notes: list[RunNote] = []
    await runner(made).drive(loop_id, take_up=take_up, bus=EventBus(notes.append))
    kept = lines(made, loop_id)
    spoken = [line["text"] for line in kept if line["kind"] == "said"]
    assert spoken[:3] == [
        "I use correct horse ", "battery staple: ‹masked environment›, and that is the tail",
        "I use correct horse ",
    ]  # fmt: skip
    tools = [(line["status"], line["output"]) for line in kept if line["kind"] == "tool"]
    assert tools[:2] == [("in_progress", ""), ("completed", "wrote ‹masked environment›")]
    folder = made.store.progress_path(loop_id)
    files = [*folder.iterdir(), folder.parent / f"{loop_id}.json", folder.parent / f"{loop_id}.events.ndjson"]
    assert {path.name for path in files if VALUE in path.read_text()} == set()
    assert VALUE not in "".join(note.text for note in notes)
    assert "failed: the key is ‹masked environment›" in files[-1].read_text(), "the journal tells it too"


@pytest.mark.parametrize("how", ["fault", "cancelled"])
async def test_the_tail_is_kept_when_the_runner_ends_badly(how: str, stage: MakeStage) -> None:
    made = stage(ScriptedTurn(hangs=True))
    loop_id = made.create()
    driving = asyncio.ensure_future(
        runner(made, ends=how != "fault").drive(loop_id, take_up=take_up, bus=EventBus(lambda note: stop(note)))
    )

    def stop(note: RunNote) -> None:
        if how == "cancelled" and note.kind == "tool":
            asyncio.get_running_loop().call_soon(driving.cancel)

    await asyncio.wait({driving})
    assert driving.cancelled() or isinstance(driving.exception(), ExceptionGroup)
    kept = lines(made, loop_id)
    assert [line["text"][-8:] for line in kept if line["kind"] == "said"][-1] == "the tail"
    turns = [line["error"]["kind"] for line in kept if line["kind"] == "turn"]
    assert turns == (["cancelled"] if how == "cancelled" else [])


class Full:
    """A store whose disk is full for a while; of the rest only what a transcript needs."""

    def __init__(self, store: Store[Any]) -> None:
        self.store, self.full = store, True

    def read(self, id: str) -> Any:  # Any: as the store has it
        return self.store.read(id)

    def append_progress(self, id: str, name: str, lines: Sequence[bytes]) -> None:
        if self.full:
            raise StoreError("no room")
        self.store.append_progress(id, name, lines)


def test_a_full_disk_holds_up_no_loop(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create()
    full = Full(made.store)
    transcript: Transcript[LoopState] = Transcript(full, FakeClock(), loop_id)  # type: ignore[arg-type]  # a part of it
    for text in ("one", "two"):
        transcript(RunNote("activity", text))
    full.full = False
    for text in ("three", "four"):
        transcript(RunNote("activity", text))
    assert [line["text"] for line in lines(made, loop_id)] == [
        "2 lines before this one could not be written", "three", "four",
    ]  # fmt: skip


def test_lines_hold_nothing_that_steers_a_terminal(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create()
    text = "".join(map(chr, [*range(32), *range(127, 160), 0x2028, 0x202E, 0xFEFF, 0xD800])) + "é 漢"
    Transcript(made.store, made.clock, loop_id)(RunNote("activity", text))
    (line,) = (made.store.progress_path(loop_id) / TRANSCRIPT).read_text().split("\n")[:-1]
    assert line.isprintable()
    assert read_line(line).note == RunNote("activity", text)
    assert json.loads(json_line({"a": text})) == {"a": text}


@each(
    "line",
    ["", "{", "[]", '{"kind": "said"}', '{"ts": "2026-01-22T10:00:00+08:00", "kind": "gossip", "text": ""}',
     '{"ts": "now", "kind": "said", "text": ""}', '{"ts": "2026-01-22T10:00:00+08:00", "kind": "turn", "text": ""}',
     '{"ts": "2026-01-22T10:00:00+08:00", "kind": "said", "text": "", "after": "x"}'],
)  # fmt: skip
def test_a_damaged_line_says_what_is_wrong(line: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        read_line(line)


def test_notes_of_an_earlier_version_read_back(tmp_path: Path) -> None:
    kept = read_line('{"ts": "2026-01-22T10:00:00+08:00", "kind": "agent", "text": "hm"}')
    assert kept == (RunNote("agent", "hm"), datetime.fromisoformat("2026-01-22T10:00:00+08:00"), 0)


def test_whoever_works_beside_others_has_a_transcript_and_a_name(stage: MakeStage) -> None:
    made, notes = stage(), list[RunNote]()
    loop_id = made.create()
    whole = EventBus(notes.append, Transcript(made.store, made.clock, loop_id))
    first, second = (
        whole.also(Transcript(made.store, made.clock, loop_id, f"{role}.ndjson"), SecretFilter([VALUE]), None, role)
        for role in ("ra", "ep")
    )
    first.hear(AgentText(text="half a sentence, "))
    second.hear(AgentText(text=f"I know {VALUE}"))
    first.hear(AgentText(text="and its end"))
    second.close()
    whole.publish("activity", "of nobody")
    first.close()
    expected = [
        RunNote("said", "I know ‹masked environment›", AgentText(text="I know ‹masked environment›"), "ep"),
        RunNote("activity", "of nobody"),
        RunNote("said", "half a sentence, and its end", AgentText(text="half a sentence, and its end"), "ra"),
    ]
    assert notes == expected
    folder = made.store.progress_path(loop_id)
    kept = {name: (folder / name).read_text().splitlines() for name in (TRANSCRIPT, "ra.ndjson", "ep.ndjson")}
    assert [read_line(line).note for line in kept["ra.ndjson"]] == [expected[2]]
    assert [read_line(line).note for line in kept["ep.ndjson"]] == [expected[0]]
    assert [read_line(line).note for line in kept[TRANSCRIPT]] == expected
    assert [json.loads(line).get("role") for line in kept[TRANSCRIPT]] == ["ep", None, "ra"]
