"""Loops of bash tasks: commands run for real, failures do what the task says, a pause is a pause."""

from typing import Any

import pytest

from loopwright.core.errors import Invalid
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, Stage


def bash(stage: Stage, loop_id: str, command: str, **more: Any) -> str:  # Any: task fields
    task = stage.service.tasks.add(loop_id, {"description": command, "tool": "bash", "command": command, **more})
    return task.task_id


def statuses(state: LoopState) -> list[str]:
    assert state.skill_state is not None
    return [task.status for task in state.skill_state.develop.tasks]


async def test_three_tasks_one_pauses_is_resumed_and_completes(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    bash(ready, loop_id, "printf good > app.txt")
    bash(ready, loop_id, "test -f gate", on_error="pause")
    bash(ready, loop_id, "echo third > third.txt")
    state = await ready.drive(loop_id)
    assert state.status == "paused"
    assert statuses(state) == ["completed", "failed", "pending"]
    (ready.project / "gate").touch()
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert statuses(state) == ["completed"] * 3
    assert (ready.project / "third.txt").read_text() == "third\n"
    assert ready.actions(loop_id) == ["INIT", *["DEVELOP"] * 4, "VALIDATE", "COMPLETE"]


async def test_fail_fast_ends_the_loop(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    bash(ready, loop_id, "echo broken >&2; exit 3", on_error="fail_fast")
    bash(ready, loop_id, "printf good > app.txt")
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("failed", "failed")
    assert "exit code 3" in (state.failure_reason or "")
    assert (ready.project / "app.txt").read_text() == "bad"


async def test_the_reason_is_a_sentence_and_the_summary_holds_the_rest(stage: MakeStage) -> None:
    ready = stage()
    bad = f"{ready.project}/src/bad.py is missing; " + "and so on, " * 60
    loop_id = ready.create()
    bash(ready, loop_id, f"echo '{bad}' >&2; exit 3", on_error="fail_fast")
    reason = (await ready.drive(loop_id)).failure_reason or ""
    assert len(reason) <= 240
    assert str(ready.project) not in reason
    assert "exit code 3" in (ready.store.progress_path(loop_id) / "summary.md").read_text()


async def test_going_on_is_the_default_and_dependents_fail_too(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    broken = bash(ready, loop_id, "exit 1")
    bash(ready, loop_id, "touch never", depends_on=[broken])
    bash(ready, loop_id, "printf good > app.txt")
    state = await ready.drive(loop_id)
    assert statuses(state) == ["failed", "failed", "completed"]
    assert (state.status, state.engine.outcome) == ("failed", "failed")
    assert state.failure_reason == "all tests pass, but 2 tasks failed: exit 1"
    assert not (ready.project / "never").exists()
    assert (ready.project / "app.txt").read_text() == "good"
    assert "DEBUG" not in ready.actions(loop_id)


async def test_a_reopened_loop_tries_its_failed_tasks_again(stage: MakeStage) -> None:
    ready = stage()
    (ready.project / "app.txt").write_text("good")
    loop_id = ready.create()
    gate = bash(ready, loop_id, "test -f gate")
    bash(ready, loop_id, "touch behind", depends_on=[gate])
    assert statuses(await ready.drive(loop_id)) == ["failed", "failed"]
    (ready.project / "gate").touch()
    state = await ready.drive(loop_id)
    assert statuses(state) == ["completed", "completed"]
    assert state.engine.outcome == "succeeded"


async def test_what_a_command_changed_is_measured(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    bash(ready, loop_id, "printf good > app.txt; mkdir -p a/b; touch 'a/b/odd name.txt'")
    state = await ready.drive(loop_id)
    assert state.skill_state is not None
    assert sorted(state.skill_state.develop.tasks[0].files_changed) == ["a/b/odd name.txt", "app.txt"]
    log = (ready.store.progress_path(loop_id) / "changes.log").read_text()
    assert '"file": "app.txt", "action": "modify", "iteration": 1, "n": 2' in log


@pytest.mark.parametrize("fields", [{"command": ""}, {"command": None}, {"command": "ls", "tool": "codex"}])
def test_a_bash_task_has_a_command_and_others_have_none(stage: MakeStage, fields: dict[str, Any]) -> None:
    ready = stage()
    with pytest.raises(Invalid, match="command"):
        ready.service.tasks.add(ready.create(), {"description": "x", "tool": "bash", **fields})


async def test_a_task_that_paused_the_loop_can_be_corrected(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    wrong = bash(ready, loop_id, "printf bad > app.txt; exit 1", on_error="pause")
    assert (await ready.drive(loop_id)).status == "paused"
    ready.service.tasks.edit(loop_id, wrong, {"command": "printf good > app.txt"})
    assert (await ready.drive(loop_id)).status == "completed"
