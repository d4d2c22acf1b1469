"""A command that arrives at any moment of a step is never lost, and no step's result is lost to it."""

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core import kernel
from loopwright.core.errors import IllegalTransition
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import RunNote
from loopwright.workflows.loop.commands import stop
from loopwright.workflows.loop.model import LoopState
from tests.actions.test_sequences import TASKS, two_tasks
from tests.stage import MakeStage, Stage, said

MOMENTS = range(14)
"""More notes than a happy path publishes."""


async def drive_with(stage: Stage, loop_id: str, moment: int, command: str) -> tuple[LoopState, bool]:
    """Drives, and gives `command` at the moment's note; says whether it was accepted."""
    seen, accepted = 0, False

    def on_note(note: RunNote) -> None:
        nonlocal seen, accepted
        if note.kind == "output":
            return
        if seen == moment:
            accepted = give(stage, loop_id, command)
        seen += 1

    return await stage.drive(loop_id, on_note=on_note), accepted


def give(stage: Stage, loop_id: str, command: str) -> bool:
    service = stage.service
    try:
        match command:
            case "pause":
                service.pause(loop_id)
            case "pause now":
                service.pause(loop_id, now=True)
            case "stop":
                at = stage.clock.now().isoformat()
                stage.store.update(loop_id, lambda s: stop(s, at), actor="test", event=JournalEvent(type="stopped"))
            case "edit":
                service.edit(loop_id, {"notes": "from outside"})
            case "add task":
                service.tasks.add(loop_id, {"description": "a third thing", "tool": "scripted"})
            case _:
                raise AssertionError(command)
    except IllegalTransition:
        return False
    return True


def results(stage: Stage, loop_id: str) -> int:
    """Committed steps that had a result."""
    entries = stage.store.events(loop_id)
    finished = [e.event.data for e in entries if e.event.type == "action_finished"]
    return sum(data["result"] != "cancelled by a person" for data in finished)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("command", ["pause", "pause now"])
async def test_pause_at_any_moment(
    stage: MakeStage, moment: int, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A turn that is cut off has used its answer up, so each is there more than once."""
    # Else the turn is over before anybody looks, but for a slow machine.
    monkeypatch.setattr(kernel, "WATCH_SECONDS", 0.005)
    plans = ScriptedTurn(to="INIT\n", text=TASKS)
    begins = ScriptedTurn(to="DEVELOP\n", text=said("DEVELOP"), files={"half.txt": "half"})
    works = [
        ScriptedTurn(to="DEVELOP\n", text=said("DEVELOP"), files={"app.txt": "good", "turn.txt": str(n)})
        for n in range(4)
    ]
    ready = stage(plans, plans, begins, *works)
    loop_id = ready.create()
    state, accepted = await drive_with(ready, loop_id, moment, command)
    if accepted:
        assert state.status == "paused"
        before = results(ready, loop_id)
        state = await ready.drive(loop_id)
        assert results(ready, loop_id) > before
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert state.skill_state is not None
    assert state.skill_state.develop.completed == state.skill_state.develop.total == 2


@pytest.mark.parametrize("moment", MOMENTS)
async def test_stop_at_any_moment(stage: MakeStage, moment: int) -> None:
    ready = stage(*two_tasks())
    loop_id = ready.create()
    state, accepted = await drive_with(ready, loop_id, moment, "stop")
    if accepted:
        assert (state.status, state.failure_reason) == ("failed", "Manually stopped by user")
    else:
        assert state.status == "completed"
    finished = [e for e in ready.store.events(loop_id) if e.event.type == "action_started"]
    assert len(ready.actions(loop_id)) == len(finished), "every step that began has landed"


@pytest.mark.parametrize("moment", MOMENTS)
async def test_edit_at_any_moment(stage: MakeStage, moment: int) -> None:
    ready = stage(*two_tasks())
    loop_id = ready.create()
    state, accepted = await drive_with(ready, loop_id, moment, "edit")
    assert state.notes == ("from outside" if accepted else None)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")


@pytest.mark.parametrize("moment", MOMENTS)
async def test_a_task_added_at_any_moment(stage: MakeStage, moment: int) -> None:
    ready = stage(*two_tasks(ScriptedTurn(text=said("DEVELOP"), files={"third.txt": "third"})))
    loop_id = ready.create()
    state, accepted = await drive_with(ready, loop_id, moment, "add task")
    descriptions = [task.description for task in state.engine.tasks]
    assert ("a third thing" in descriptions) == accepted
    if accepted and "third.txt" not in changed(state):
        state = await ready.drive(loop_id)  # it came after the last look, and waits in the finished loop
    if accepted:
        assert state.skill_state is not None
        assert {t.status for t in state.skill_state.develop.tasks} == {"completed"}


def changed(state: LoopState) -> set[str]:
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    return {file for task in tasks for file in task.files_changed}
