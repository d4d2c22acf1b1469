"""Whole loops whose files are tampered with, by the agent while they run, or by anybody while they rest."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from loopwright.core.errors import LoopwrightError
from loopwright.workflows.loop.documents import parse_progress, render_progress
from tests.stage import MakeStage, Stage
from tests.store.making import files_at
from tests.store.stranger import independent_replay
from tests.store.tampering import NOW, Files, genuine, opened, put, sealed, succeed

REMOVALS = ("rm -rf .workflow", "rm -rf .workflow/.loop", "rm -f .workflow/.loop/*.json .workflow/.loop/*.ndjson",
            "mv .workflow elsewhere; mkdir .workflow", "rm -rf .workflow; touch .workflow",
            "rm -rf .workflow; ln -s /nowhere .workflow", "rm -rf .workflow/.loop/*.progress",
            "truncate -s 0 .workflow/.loop/*.json .workflow/.loop/*.ndjson .workflow/.loop/*.lease")  # fmt: skip


def bash(stage: Stage, loop_id: str, command: str) -> None:
    stage.service.tasks.add(loop_id, {"description": command[:20], "tool": "bash", "command": command})


@pytest.mark.parametrize("removal", REMOVALS)
async def test_an_agent_that_removes_the_folder_loses_nothing(stage: MakeStage, removal: str) -> None:
    ready = stage()
    loop_id = ready.create()
    bash(ready, loop_id, "echo before > before.txt")
    bash(ready, loop_id, f"{removal} 2>/dev/null; printf good > app.txt")
    bash(ready, loop_id, "echo after > after.txt")
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert ready.actions(loop_id) == ["INIT", *["DEVELOP"] * 3, "VALIDATE", "COMPLETE"]
    files = Files(ready.project, loop_id)
    assert (files.top / ".gitignore").read_text() == "*\n"
    assert independent_replay(files.journal.read_bytes()) == json.loads(files.json.read_bytes())
    assert json.loads(files.json.read_bytes()) == state.model_dump(mode="json")
    assert len(files.tasks.read_text().splitlines()) == 3
    _assert_progress(ready, loop_id, files)
    if "progress" not in removal:
        assert {incident.kind for incident in state.engine.incidents} & {"state_rebuilt", "journal_forged"}
    with files_at(ready.project) as other:
        assert other.read(loop_id) == state


def _assert_progress(ready: Stage, loop_id: str, files: Files) -> None:
    state = ready.store.read(loop_id)
    for name, data in render_progress(state).items():
        assert (files.progress / name).read_bytes() == data, name
    assert parse_progress({path.name: path.read_text() for path in files.progress.iterdir()}) is not None
    logged = [json.loads(line) for line in (files.progress / "changes.log").read_text().splitlines()]
    assert {line["file"] for line in logged} >= {"before.txt", "app.txt", "after.txt"}
    assert len({(line["iteration"], line["n"]) for line in logged}) == len(logged), "each change once"


def validated(files: Files, tree: str) -> None:
    seen = {"tree": tree, "left": tree, "passed": True, "at": NOW, "tests": 1}
    files.append(put("/engine/last_validation", seen), put("/skill_state/validate/passed", True))


def everything(files: Files, tree: str) -> None:
    """A line with the whole of a success, and a JSON file that agrees with it."""
    doc = files.doc()
    doc["engine"] |= {"last_validation": {"tree": tree, "left": tree, "passed": True, "at": NOW, "tests": 1}}
    doc["skill_state"]["validate"] |= {"passed": True, "failed_tests": [], "pass_rate": 100.0}
    last = opened(files.lines()[-1])
    doc["engine"]["rev"] = last["seq"] + 1
    line = {**last, "seq": last["seq"] + 1, "schema": 1, "state": doc}
    line.pop("patch", None)
    size = files.journal.stat().st_size + len(sealed(line))
    doc["engine"]["journal_bytes"] = size
    text = genuine(doc)
    with files.journal.open("ab") as journal:
        journal.write(sealed({**line, "digest": json.loads(text)["engine"]["digest"]}))
    files.json.write_bytes(text)


FORGERIES: dict[str, Callable[[Files, str], Any]] = {  # what it returns is of no use
    "a passed validation": validated,
    "a whole state": everything,
    "an end": lambda files, tree: succeed(files),
}


@pytest.mark.parametrize("name", FORGERIES)
async def test_what_is_forged_at_rest_misleads_until_the_next_validation_only(stage: MakeStage, name: str) -> None:
    """The project's test fails, and no forged line makes a loop of it that succeeded."""
    ready = stage()
    loop_id = ready.create(max_iterations=3)
    bash(ready, loop_id, "test -f gate")
    ready.service.tasks.edit(loop_id, ready.store.read(loop_id).engine.tasks[0].task_id, {"on_error": "pause"})
    assert (await ready.drive(loop_id)).status == "paused"
    runs = ready.tests.runs
    (ready.project / "gate").touch()
    FORGERIES[name](Files(ready.project, loop_id), ready.workspace.tree())
    try:
        state = await ready.drive(loop_id)
    except LoopwrightError:
        state = ready.store.read(loop_id)
    assert ready.tests.runs > runs, "it was looked at"
    assert state.engine.outcome != "succeeded"
    assert state.status != "completed"
