"""What of an agent's turn is told: everything that matters once, calmly, and nothing that steers a terminal."""

import json
from datetime import datetime
from typing import get_args

import pytest

from loopwright.core.protocol import ActionReport, AgentOutput, Usage
from loopwright.core.run_events import NoteKind, RunNote
from loopwright.core.transcript import (
    AgentMessage,
    AgentText,
    AgentThought,
    PermissionResult,
    ToolUse,
    TranscriptEvent,
    TurnEnd,
    UsageUpdate,
    describe_event,
)
from loopwright.core.wording import NOTES
from loopwright.surfaces.cli.follow import log_line
from loopwright.surfaces.cli.loop_rendering import LoopScene
from loopwright.surfaces.cli.plain import CELLS, SAID_SECONDS, TOOLS, LineView, NdjsonView, TurnLines
from loopwright.surfaces.cli.run_driver import PlanView
from tests.domain.loop_making import loop

AT = datetime.fromisoformat("2026-01-22T10:00:00+08:00")
EVIL = "\x1b[2J\x1b]0;owned\x07\x9b31m\r\n\u202e\u202d\u2028hi"
REPORT = ActionReport(action="DEVELOP", status="success", message="done")


def note(event: TranscriptEvent) -> RunNote:
    return RunNote(event.kind, describe_event(event), event)


def tool(status: str, **fields: object) -> ToolUse:
    return ToolUse.model_validate({"id": "1", "title": "Edit", "status": status, **fields})


def turn_ended(usage: Usage) -> TurnEnd:
    output = AgentOutput(agent_id="a", running=False, report=REPORT, usage=usage)
    return TurnEnd(agent="codex", action="DEVELOP", digest="", output=output)


ASKED = AgentMessage(agent="codex", action="DEVELOP", policy="workspace", text="Do it")


def lines(*events: TranscriptEvent | RunNote, apart: float = SAID_SECONDS) -> list[str]:
    turn, found = TurnLines(), []
    for n, event in enumerate(events):
        found += list(turn.lines(event if isinstance(event, RunNote) else note(event), n * apart))
    return found


def test_a_turn_in_lines() -> None:
    assert lines(
        ASKED,
        AgentThought(text="hm"),
        AgentText(text="I look."),
        tool("in_progress"),
        tool("completed", command="sed -i x"),
        tool("failed", paths=["a.py"]),
        PermissionResult(title="rm", allowed=False, reason="outside"),
        AgentText(text="Done.\nACTION_RESULT:\n- action: DEVELOP"),
        AgentText(text="- status: success"),
        turn_ended(Usage(tokens=1234, cost=0.01)),
        RunNote("agent", "Done.\nACTION_RESULT: …"),
    ) == [
        "I look.",
        "✓ Edit: sed -i x",
        "✗ Edit: a.py",
        "refused by policy: rm (outside)",
        "Done.",
        "used 1,234 tokens, $0.0100",
    ]


def test_floods_stay_calm() -> None:
    storm = [tool("completed", id=str(n)) for n in range(10 * TOOLS)]
    told_lines = lines(ASKED, *storm, turn_ended(Usage()))
    assert len(told_lines) == TOOLS + 1
    assert told_lines[-1] == f"… and {9 * TOOLS} more tool calls"
    chatter = [AgentText(text=f"word {n}") for n in range(100)]
    assert len(lines(ASKED, *chatter, apart=0.1)) == 100 * 0.1 / SAID_SECONDS
    assert lines(ASKED, UsageUpdate(usage=Usage(tokens=1))) == []


def test_the_next_turn_begins_anew() -> None:
    assert lines(ASKED, AgentText(text="ACTION_RESULT"), ASKED, AgentText(text="Again.")) == ["Again."]


def every_note() -> list[RunNote]:
    """Each kind that holds an agent's words, with words that are meant to do harm."""
    events: list[TranscriptEvent] = [
        AgentText(text=EVIL),
        AgentThought(text=EVIL),
        tool("completed", title=EVIL, command=EVIL, paths=[EVIL], output=EVIL),
        PermissionResult(title=EVIL, allowed=True, reason=EVIL),
        AgentMessage(**{**dict(ASKED), "text": EVIL}),
    ]
    kinds: list[NoteKind] = ["activity", "agent", "output"]
    return [*map(note, events), *(RunNote(kind, EVIL) for kind in kinds)]


@pytest.mark.parametrize("hostile", every_note(), ids=lambda hostile: hostile.kind)
def test_terminal_escapes_never_pass(hostile: RunNote, capsys: pytest.CaptureFixture[str]) -> None:
    line = LineView()
    line._quiet = -1
    line.note(hostile, AT)
    NdjsonView().note(hostile, AT)
    print(log_line("transcript.ndjson", json.dumps({"ts": AT.isoformat(), "kind": hostile.kind, "text": hostile.text})))
    plan = PlanView[LoopScene]()
    plan.look(LoopScene(loop()), ())
    plan.note(hostile, AT)
    print(plan._drawn().plain)
    printed = capsys.readouterr().out
    assert "hi" in printed or hostile.kind in ("thought", "message")
    assert not set(printed) & set("\x1b\x07\x9b\r\u202e\u202d\u2028")


def test_lines_stay_short(capsys: pytest.CaptureFixture[str]) -> None:
    LineView().note(note(tool("completed", command="x" * 5000)), AT)
    assert len(capsys.readouterr().out) < CELLS + 20


def test_programs_get_typed_events(capsys: pytest.CaptureFixture[str]) -> None:
    view = NdjsonView()
    for event in (ASKED, tool("completed", command="ls"), turn_ended(Usage())):
        view.note(note(event), AT)
    asked, used = map(json.loads, capsys.readouterr().out.splitlines())
    assert (asked["type"], asked["kind"], asked["agent"], asked["text"]) == ("note", "message", "codex", "Do it")
    assert (used["kind"], used["status"], used["command"]) == ("tool", "completed", "ls")


def test_every_kind_of_note_has_its_words() -> None:
    assert NOTES.keys() == set(get_args(NoteKind)) - {"output"}
