"""A loop that was rebuilt from its progress files began at iteration 0, though changes.log held later ones."""

from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.commands import resume
from tests.stage import MakeStage


async def test_it_goes_on_counting(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create(max_iterations=2)
    for name in ("one", "two"):
        fields = {"description": name, "tool": "bash", "command": f"echo {name} > {name}.txt"}
        made.service.tasks.add(loop_id, fields)
    before = await made.drive(loop_id)
    assert before.current_iteration == 2
    folder = made.store.progress_path(loop_id)
    (folder / "summary.md").unlink()
    for name in (f"{loop_id}.json", f"{loop_id}.events.ndjson"):
        folder.with_name(name).write_bytes(b"\0" * 100)
    with FileStore(made.project, LOOPS, made.clock) as store:
        state = store.recover(loop_id, actor="user")
        assert (state.current_iteration, state.status) == (2, "paused")
        assert resume(state, live=False).max_iterations > state.current_iteration, "and there is room to go on"
