"""Following files and events: nothing is told twice, nothing half."""

import ast
import json
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import loopwright
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.run_events import RunNote
from loopwright.core.transcript import TRANSCRIPT
from loopwright.core.wording import EVENTS, event_words
from loopwright.store.tail import FileTail
from loopwright.surfaces.cli.follow import FORMS, RunReporter, log_line, parse_note
from loopwright.surfaces.cli.kinds import LOOPS
from loopwright.surfaces.cli.run_scene import RunPicture
from loopwright.workflows.loop.summary import FinishedAction, list_finished
from tests.stage import MakeStage
from tests.tiers import examples

SOURCE = Path(loopwright.__file__).parent
AT = "2026-01-22T10:00:00+08:00"


def entry(type: str, actor: str = "runner", **data: str) -> JournalEntry:
    return JournalEntry(seq=1, ts=AT, actor=actor, event=JournalEvent(type=type, data=dict(data)))


@settings(max_examples=examples(30))
@given(st.lists(st.text(alphabet="abé", max_size=5), max_size=6), st.data())
def test_lines_are_told_once_and_whole(lines: list[str], data: st.DataObject) -> None:
    """However a writer's bytes arrive, also cut within a character."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log"
        tail = FileTail(path)
        assert tail.lines() == []
        content = "".join(f"{line}\n" for line in lines).encode()
        cuts = sorted(data.draw(st.lists(st.integers(0, len(content)), max_size=4)))
        told: list[str] = []
        for start, end in zip([0, *cuts], [*cuts, len(content)], strict=True):
            with path.open("ab") as file:
                file.write(content[start:end])
            told += tail.lines()
        assert told == lines


def test_from_the_end_only_what_is_new(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_text("old\n")
    tail = FileTail(path, from_end=True)
    with path.open("a") as file:
        file.write("new\nhalf")
    assert tail.lines() == ["new"]


def test_a_torn_note_is_left_out() -> None:
    kept = parse_note(json.dumps({"ts": AT, "after": 3, "kind": "activity", "text": "hm"}))
    assert kept is not None
    assert (kept.note, kept.at.isoformat(), kept.after) == (RunNote("activity", "hm"), AT, 3)
    for torn in ("", "{", "[]", "null", '{"kind": "activity"}', '{"kind": "gossip", "text": "x"}'):
        assert parse_note(torn) is None


@given(st.sampled_from([*FORMS, "runner.log"]), st.text() | st.recursive(st.none(), st.lists).map(json.dumps))
def test_any_line_of_a_log_can_be_shown(name: str, line: str) -> None:
    assert log_line(name, line) == line


def test_lines_of_logs_in_words() -> None:
    change = {"timestamp": AT, "action": "modify", "file": "a.py", "agent": "bash", "description": "d"}
    assert log_line("changes.log", json.dumps(change)).endswith("changed a.py (bash): d")
    probe = {"ts": AT, "hid": "H1", "func": "f", "line": 3, "data": {"x": 1}}
    assert log_line("debug.log", json.dumps(probe)).endswith('H1 f:3 {"x": 1}')


def test_events_in_words() -> None:
    assert event_words(entry("action_started", action="DEVELOP", task="task-1")) == "DEVELOP task-1"
    assert event_words(entry("action_finished", action="VALIDATE", result="fail")) == "VALIDATE: fail"
    assert event_words(entry("task_added", actor="api", task="task-1")) == "task task-1 added, over the API"
    assert event_words(entry("recovered", actor="cli")) == "recovered, on the command line", "a field is missing"
    assert event_words(entry("of_a_later_version", colour="red")) == "of a later version: colour red"


def committed_types() -> set[str]:
    """Every type of event that the source commits."""
    found = {"deleted"}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                named = [k.value for k in node.keywords if k.arg == "type" and ast.unparse(node.func) == "JournalEvent"]
                commits = ast.unparse(node.func).rpartition(".")[2].removeprefix("_") == "commit"
                words = [n.value for n in (*named, *(node.args if commits else ())) if isinstance(n, ast.Constant)]
                found |= {word for word in words[:1] if isinstance(word, str)}
    return found


def test_every_event_has_its_words() -> None:
    missing = committed_types() - EVENTS.keys() - {"looked"}  # a rule of that name changes nothing
    assert not missing, f"core/wording.py needs a row for {missing}"
    assert {"running", "task_added", "exited", "rewound"} <= committed_types(), "the search finds nothing"


def test_people_never_read_a_raw_name() -> None:
    fields = {"task": "task-1", "action": "DEBUG", "result": "no fix", "to": "1", "from": "the journal", "reason": "r"}
    for type in EVENTS:
        for actor in ("runner", "cli", "person", "external", "store"):
            words = event_words(entry(type, actor=actor, **fields))
            assert "_" not in words
            assert "=" not in words


def test_history_is_what_has_finished() -> None:
    entries = (entry("action_started", action="DEBUG"), entry("action_finished", action="DEBUG", result="no fix"))
    assert list_finished(entries) == (FinishedAction("DEBUG", "no fix"),)


class Heard:
    """A view that remembers what it was shown, in order: numbers of commits, and words of notes."""

    draws = True

    def __init__(self) -> None:
        self.told: list[int | str] = []

    def look(self, picture: RunPicture, entries: Sequence[JournalEntry]) -> None:
        self.told += [entry.seq for entry in entries]

    def note(self, note: RunNote, at: datetime) -> None:
        self.told.append(note.text)

    def aside(self) -> AbstractContextManager[None]:
        return nullcontext()


def test_notes_and_commits_are_told_in_the_order_they_happened(stage: MakeStage) -> None:
    """Also where a note reaches the transcript only after the next look at the journal."""
    service = stage().service
    loop_id = service.create("x").loop_id
    begun = service.read(loop_id).engine.rev
    view = Heard()
    story, tail = (
        RunReporter(LOOPS, service, loop_id, view),
        FileTail(service.store.progress_path(loop_id) / TRANSCRIPT),
    )

    def commit() -> int:
        state = service.read(loop_id)
        return service.edit(loop_id, {"max_iterations": state.max_iterations + 1}).engine.rev

    def say(words: str, after: int) -> None:
        line = json.dumps({"ts": AT, "after": after, "kind": "activity", "text": words})
        service.store.append_progress(loop_id, TRANSCRIPT, [line.encode()])

    first = commit()
    say("one", first)
    second, third = commit(), commit()
    say("two", third)
    fourth = commit()
    assert story.catch_up(tail).engine.rev == fourth
    say("three", fourth)
    fifth = commit()
    story.catch_up(tail)
    assert begun < first
    assert view.told == [first, "one", second, third, "two", fourth, "three", fifth]
