"""Other programs write the JSON file too: what the status table allows is taken in, everything else is put back."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loopwright.store.files import FileStore
from loopwright.workflows.loop import commands
from loopwright.workflows.loop.model import LoopState
from tests.store.making import EDITED, ID, files_at, journal_of, json_of, loop, retitle, tagging
from tests.store.stranger import independent_replay

Doc = dict[str, Any]  # parsed JSON
SKILL = {"completed_actions": ["INIT"]}


def edit(root: Path, change: Callable[[Doc], object], indent: int | None = 4) -> None:
    doc = json.loads(json_of(root).read_text())
    change(doc)
    json_of(root).write_text(json.dumps(doc, indent=indent))


@pytest.fixture
def store(tmp_path: Path) -> Any:
    with files_at(tmp_path) as store:
        store.create(loop(skill_state=SKILL, x_known={"a": 1}), actor="user")
        yield store


def touch(store: FileStore[LoopState]) -> LoopState:
    return store.update(ID, tagging("touched"), actor="user", event=EDITED)


LEGAL: dict[str, tuple[Callable[[Doc], object], Callable[[LoopState], object], object]] = {
    "title": (lambda d: d.update(title="Theirs"), lambda s: s.title, "Theirs"),
    "limit": (lambda d: d.update(max_iterations=7), lambda s: s.max_iterations, 7),
    "notes": (lambda d: d.update(notes="n"), lambda s: s.notes, "n"),
    "stop": (lambda d: d.update(status="failed"), lambda s: (s.status, s.engine.outcome), ("failed", "stopped")),
    "start": (lambda d: d.update(status="running"), lambda s: s.status, "running"),
    "unknown key": (lambda d: d.update(x_new=[1]), lambda s: s.model_extra, {"x_known": {"a": 1}, "x_new": [1]}),
    "known extra": (lambda d: d.update(x_known=2), lambda s: s.model_extra, {"x_known": 2}),
}


@pytest.mark.parametrize("name", LEGAL)
@pytest.mark.parametrize("warm", [False, True], ids=["another process", "the same process"])
def test_legal_changes_are_taken_in(store: FileStore[LoopState], tmp_path: Path, name: str, warm: bool) -> None:
    change, read, expected = LEGAL[name]
    edit(tmp_path, change)
    with files_at(tmp_path) as other:
        who = store if warm else other
        assert read(who.read(ID)) == expected, "a reader sees it at once"
        before = journal_of(tmp_path).read_bytes()
        assert journal_of(tmp_path).read_bytes() == before, "and writes nothing"
        after = touch(who)
    assert read(after) == expected
    assert after.tags == ("touched",)
    assert after.engine.incidents == ()
    assert [(e.actor, e.event.type) for e in store.events(ID)][1:] == [
        ("external", "external_change"),
        ("user", "edited"),
    ]
    assert independent_replay(journal_of(tmp_path).read_bytes()) == after.model_dump(mode="json")


def nested(depth: int) -> object:
    return [nested(depth - 1)] if depth else 1


FORBIDDEN: dict[str, Callable[[Doc], object]] = {
    "skill_state": lambda d: d["skill_state"].update(completed_actions=["INIT", "COMPLETE"]),
    "skill_state gone": lambda d: d.pop("skill_state"),
    "completed": lambda d: d.update(status="completed", completed_at=d["updated_at"]),
    "outcome": lambda d: (
        d.update(status="completed", completed_at=d["updated_at"]),
        d["engine"].update(outcome="succeeded"),
    ),
    "epoch": lambda d: d["engine"].update(epoch=99),
    "engine gone": lambda d: d["engine"].update(debug_rounds=3),
    "iteration": lambda d: d.update(current_iteration=5),
    "created_at": lambda d: d.update(created_at="2020-01-01T00:00:00+00:00"),
    "another loop": lambda d: d.update(loop_id="loop-2"),
    "pause of a created loop": lambda d: d.update(status="paused"),
    "made no sense": lambda d: d.update(title=["no", "title"]),
    "nested without end": lambda d: d.update(x_deep=nested(400)),
}


@pytest.mark.parametrize("name", FORBIDDEN)
@pytest.mark.parametrize("warm", [False, True], ids=["another process", "the same process"])
def test_everything_else_is_put_back(store: FileStore[LoopState], tmp_path: Path, name: str, warm: bool) -> None:
    good = store.read(ID)
    edit(tmp_path, FORBIDDEN[name])
    with files_at(tmp_path) as other:
        who = store if warm else other
        seen = who.read(ID)
        assert (seen.skill_state, seen.status, seen.engine.epoch) == (good.skill_state, good.status, 0)
        after = touch(who)
    assert len(after.engine.incidents) == 1
    back = after.evolve(tags=None, updated_at=good.updated_at, engine=good.engine)
    assert back == good
    assert json.loads(json_of(tmp_path).read_bytes()) == after.model_dump(mode="json")


def test_one_change_may_be_half_legal(store: FileStore[LoopState], tmp_path: Path) -> None:
    edit(tmp_path, lambda d: (d.update(notes="mine"), d["engine"].update(epoch=5)))
    after = touch(store)
    assert (after.notes, after.engine.epoch) == ("mine", 0)
    assert "engine" in after.engine.incidents[0].message


def test_a_change_of_an_older_revision_is_merged(store: FileStore[LoopState], tmp_path: Path) -> None:
    """A dashboard read the file, we went on, and then it wrote what it had read with a note of its own."""
    theirs = json.loads(json_of(tmp_path).read_text())
    retitle(store, "Ours")
    store.update(ID, commands.start, actor="user", event=EDITED)
    theirs["notes"] = "theirs"
    json_of(tmp_path).write_text(json.dumps(theirs))
    after = touch(store)
    assert (after.title, after.status, after.notes) == ("Ours", "running", "theirs")
    assert after.engine.incidents == ()


def test_a_file_that_was_only_formatted_is_no_change(store: FileStore[LoopState], tmp_path: Path) -> None:
    edit(tmp_path, lambda d: None, indent=None)
    after = touch(store)
    assert after.engine.incidents == ()
    assert [entry.event.type for entry in store.events(ID)] == ["created", "edited"]


def test_a_forged_revision_is_refused_by_who_knows_better(store: FileStore[LoopState], tmp_path: Path) -> None:
    from loopwright.store import projection

    doc = json.loads(json_of(tmp_path).read_text())
    doc["status"], doc["completed_at"], doc["engine"]["outcome"] = "completed", doc["updated_at"], "succeeded"
    forged, _ = projection.render_projection(doc, rev=99, journal_bytes=12345)
    json_of(tmp_path).write_bytes(forged)
    after = touch(store)
    assert (after.status, after.engine.outcome, after.engine.rev) == ("created", None, 3)
    assert len(after.engine.incidents) == 1


def test_a_change_from_before_the_machine_started_proves_nothing(store: FileStore[LoopState], tmp_path: Path) -> None:
    edit(tmp_path, lambda d: d.update(title="Pages of two files?"))
    os.utime(json_of(tmp_path), (1_000_000, 1_000_000))
    assert store.read(ID).title == "A title"
    after = touch(store)
    assert after.title == "A title"
    assert [incident.kind for incident in after.engine.incidents] == ["state_put_back"]
    assert len(list(json_of(tmp_path).parent.glob("*.damaged-*"))) == 1


def test_a_loop_that_another_program_made_is_taken_up(tmp_path: Path) -> None:
    json_of(tmp_path).parent.mkdir(parents=True)
    json_of(tmp_path).write_text(json.dumps({"loop_id": ID, "description": "By hand", "status": "created"}))
    with files_at(tmp_path) as store:
        assert store.read(ID).description == "By hand"
        assert [s.loop_id for s in store.list().items] == [ID]
        assert retitle(store, "Named").engine.rev == 2
        assert [entry.event.type for entry in store.events(ID)] == ["journal_started", "edited"]


def test_a_program_that_writes_slowly_is_waited_for(tmp_path: Path) -> None:
    import threading

    with files_at(tmp_path) as store:
        store.create(loop(), actor="user")
        whole = json_of(tmp_path).read_text().replace("A title", "Slowly")
        json_of(tmp_path).write_text(whole[:200])
        timer = threading.Timer(0.05, json_of(tmp_path).write_text, (whole,))
        timer.start()
        after = touch(store)
        timer.join()
    assert after.title == "Slowly"
    assert after.engine.incidents == ()
