"""A loop that a task ended with fail_fast had no summary.md, though every loop is said to have one."""

from tests.stage import MakeStage


async def test_the_summary_says_how_it_ended(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create()
    fields = {"description": "build", "tool": "bash", "command": "exit 3", "on_error": "fail_fast"}
    ready.service.tasks.add(loop_id, fields)
    state = await ready.drive(loop_id)
    assert state.skill_state is not None
    assert state.skill_state.summary is not None
    text = (ready.store.progress_path(loop_id) / "summary.md").read_text()
    assert "**failed: task task-" in text
    assert "build" in text, "what is left to do"
