"""Commands as surfaces call them."""

from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import Conflict, IllegalTransition, Invalid, NotFound
from loopwright.core.record import JournalEvent
from loopwright.core.state import Limits
from loopwright.core.supervisor import list_orphans, resume_all
from loopwright.workflows.loop.commands import start
from tests.actions.test_sequences import two_tasks
from tests.stage import MakeStage, Stage, said


@pytest.fixture
def quiet(stage: MakeStage) -> Stage:
    return stage(*two_tasks())


@pytest.mark.parametrize("text", ["", "  \n "])
def test_a_loop_needs_a_task(quiet: Stage, text: str) -> None:
    with pytest.raises(Invalid, match="task"):
        quiet.service.create(text)


def test_a_limit_below_one_is_refused(quiet: Stage) -> None:
    with pytest.raises(Invalid, match="from 1 to 1,000,000"):
        quiet.service.create("x", max_iterations=0)


@pytest.mark.parametrize("id", ["../x", "a/b", "", ".", "x\0y"])
def test_an_id_that_names_a_path_is_refused(quiet: Stage, id: str) -> None:
    with pytest.raises(Invalid, match="Invalid loop ID format"):
        quiet.service.read(id)


def test_an_unknown_loop_is_not_created(quiet: Stage) -> None:
    with pytest.raises(NotFound):
        quiet.service.start("loop-v2-20260122T100000-abcdef01")
    assert quiet.service.list().total == 0


def test_start_launches_one_runner(quiet: Stage) -> None:
    loop_id = quiet.create()
    assert quiet.service.start(loop_id).status == "running"
    assert quiet.launcher.launched == [loop_id]
    with pytest.raises(IllegalTransition, match="Cannot start loop with status: running"):
        quiet.service.start(loop_id)


def test_resume_finds_the_living_runner(quiet: Stage) -> None:
    """A pause and a resume while the runner is busy: it sees running and goes on; no second one is launched."""
    loop_id = quiet.create()
    with quiet.store.lease(loop_id):
        quiet.store.update(loop_id, start, actor="test", event=JournalEvent(type="started"))
        quiet.service.pause(loop_id)
        assert quiet.service.resume(loop_id).status == "running"
    assert quiet.launcher.launched == []


async def test_two_runners_on_one_loop(quiet: Stage) -> None:
    loop_id = quiet.create()
    with quiet.store.lease(loop_id), pytest.raises(Conflict):
        await quiet.drive(loop_id)


async def test_rewind_brings_tree_and_state_back(quiet: Stage) -> None:
    loop_id = quiet.create()
    await quiet.drive(loop_id)
    first, second, last = quiet.service.read(loop_id).engine.checkpoints[:3]
    assert (quiet.project / "app.txt").read_text() == "good"
    (quiet.project / "mine.txt").write_text("not to be lost")
    state = quiet.service.rewind(loop_id, second.n)
    assert (quiet.project / "half.txt").exists()
    assert (quiet.project / "app.txt").read_text() == "bad"
    assert not (quiet.project / "mine.txt").exists()
    assert (state.status, state.engine.outcome) == ("paused", None), "it has not ended there"
    assert state.skill_state is not None
    assert [t.status for t in state.skill_state.develop.tasks] == ["completed", "pending"]
    kept = state.engine.checkpoints[-1]
    quiet.service.rewind(loop_id, kept.n)
    assert (quiet.project / "mine.txt").read_text() == "not to be lost"
    assert (first.n, last.n) == (1, 3)


async def test_a_rewound_loop_runs_on(stage: MakeStage) -> None:
    ready = stage(*two_tasks(ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"})))
    loop_id = ready.create()
    await ready.drive(loop_id)
    ready.service.rewind(loop_id, 2)
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert (ready.project / "app.txt").read_text() == "good"


async def test_rewind_to_nowhere(quiet: Stage) -> None:
    loop_id = quiet.create()
    await quiet.drive(loop_id)
    with pytest.raises(NotFound, match="Checkpoint 99 not found"):
        quiet.service.rewind(loop_id, 99)


async def test_diff_of_the_whole_loop_and_of_one_checkpoint(quiet: Stage) -> None:
    loop_id = quiet.create()
    await quiet.drive(loop_id)
    whole = quiet.service.diff(loop_id)
    assert "+good" in whole
    assert "half.txt" in whole
    assert "app.txt" not in quiet.service.diff(loop_id, 2)


async def test_reopen_runs_on_with_what_is_known(stage: MakeStage) -> None:
    ready = stage(*two_tasks(ScriptedTurn(text=said("DEVELOP"), files={"third.txt": "3"})))
    loop_id = ready.create()
    await ready.drive(loop_id)
    ready.service.tasks.add(loop_id, {"description": "a third thing", "tool": "scripted"})
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded")
    assert (ready.project / "third.txt").exists()


async def test_reopen_is_refused_with_the_limit_used_up(quiet: Stage) -> None:
    loop_id = quiet.create(max_iterations=1)
    await quiet.drive(loop_id)
    with pytest.raises(Invalid, match="raise the limit"):
        quiet.service.reopen(loop_id)
    assert quiet.service.reopen(loop_id, Limits(max_iterations=9)).status == "running"


async def test_stop_of_a_loop_whose_runner_died(quiet: Stage) -> None:
    loop_id = quiet.create()
    quiet.service.start(loop_id)
    state = await quiet.service.stop(loop_id)
    assert (state.status, state.engine.outcome) == ("failed", "stopped")
    summary = quiet.store.progress_path(loop_id) / "summary.md"
    assert "Manually stopped by user" in summary.read_text()
    assert state.skill_state
    assert state.skill_state.summary


async def test_delete_removes_every_file(quiet: Stage) -> None:
    loop_id = quiet.create()
    await quiet.drive(loop_id)
    quiet.service.delete(loop_id)
    folder = quiet.project / ".workflow" / ".loop"
    assert [path.name for path in folder.iterdir() if loop_id in path.name] == []
    with pytest.raises(NotFound):
        quiet.service.read(loop_id)


def test_a_running_loop_is_not_deleted(quiet: Stage) -> None:
    loop_id = quiet.create()
    quiet.service.start(loop_id)
    with pytest.raises(IllegalTransition):
        quiet.service.delete(loop_id)


def test_the_supervisor_takes_up_what_has_no_runner(quiet: Stage) -> None:
    orphaned, busy, created = quiet.create(), quiet.create(), quiet.create()
    for loop_id in (orphaned, busy):
        quiet.service.start(loop_id)
    quiet.launcher.launched.clear()
    with quiet.store.lease(busy):
        taken = resume_all(quiet.service, quiet.clock.now())
    assert [one.id for one in taken] == [orphaned]
    assert quiet.launcher.launched == [orphaned]
    assert created not in [state.loop_id for state in list_orphans(quiet.service, quiet.clock.now())]


async def test_all_changes_are_in_the_log_once_after_a_crash_between_commit_and_log(quiet: Stage) -> None:
    loop_id = quiet.create()
    await quiet.drive(loop_id)
    log: Path = quiet.store.progress_path(loop_id) / "changes.log"
    before = log.read_text()
    log.write_text("\n".join(before.splitlines()[:1]) + '\n{"torn')
    quiet.service.tasks.add(loop_id, {"description": "nothing", "tool": "bash", "command": "true"})
    await quiet.drive(loop_id)
    assert log.read_text() == before
