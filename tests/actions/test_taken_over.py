"""A validation takes over what this process has measured of the same files, and no run is made for nothing."""

from collections.abc import Callable, Iterator

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.protocol import Capabilities
from loopwright.core.run_events import RunNote
from loopwright.workflows.loop.model import LoopState
from tests.fakes import Judge, ListedPerson
from tests.stage import MakeStage, Stage, said

MENDER = Capabilities(debugs=True)
MENDS = ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"})
NOTHING = ScriptedTurn(text=said("DEBUG", message="nothing is wrong"))
TAKEN = "as measured at INIT: 1 failed, 0 passed; nothing has changed since"


def told(stage: Stage) -> list[str]:
    return [note.text for note in stage.notes if note.text.startswith("as measured")]


def pausing(stage: Stage, loop_id: str, action: str) -> Callable[[RunNote], None]:
    """Pauses the loop after this action."""
    return lambda note: stage.pause_after(note, loop_id, note.text if note.text.startswith(action) else "-")


def measured(state: LoopState) -> str | None:
    assert state.engine.last_validation is not None
    return state.engine.last_validation.measured


def chance(*verdicts: str) -> Judge:
    """One verdict for each run of the tests, and the last one for ever."""
    left: Iterator[str] = iter((*verdicts[:-1], *[verdicts[-1]] * 100))
    return lambda project: {"app": next(left)}


async def test_the_first_validation_of_a_red_project_makes_no_run(stage: MakeStage) -> None:
    ready = stage(MENDS, capabilities=MENDER)
    loop_id = ready.create()
    paused = await ready.drive(loop_id, on_note=pausing(ready, loop_id, "VALIDATE: "))
    assert (ready.tests.runs, told(ready), measured(paused)) == (1, [TAKEN], "at INIT")
    words = (ready.store.progress_path(loop_id) / "validate.md").read_text()
    assert "As measured at INIT: nothing has changed since." in words


async def test_what_follows_is_counted_and_ended_as_before(stage: MakeStage) -> None:
    ready = stage(MENDS, capabilities=MENDER)
    state = await ready.drive(loop_id := ready.create())
    assert ready.actions(loop_id) == ["INIT", "VALIDATE", "DEBUG", "VALIDATE", "COMPLETE"]
    assert (state.engine.outcome, state.current_iteration, measured(state)) == ("succeeded", 3, None)
    assert [sighting.tested for sighting in state.engine.sightings] == [True, True]
    assert ready.tests.runs == 2  # at INIT, and after the fix


async def test_another_process_measures_for_itself(stage: MakeStage) -> None:
    ready = stage(MENDS, capabilities=MENDER)
    loop_id = ready.create()
    await ready.drive(loop_id, on_note=pausing(ready, loop_id, "INIT: "))
    assert ready.actions(loop_id) == ["INIT"]
    await ready.drive(loop_id)
    assert (ready.tests.runs, told(ready)) == (3, [])


async def test_so_does_one_whose_files_have_changed(stage: MakeStage) -> None:
    ready = stage(MENDS, capabilities=MENDER)

    def change(note: object) -> None:
        if ready.tests.runs == 1:
            (ready.project / "more.txt").write_text("by hand")

    await ready.drive(ready.create(), on_note=change)
    assert (ready.tests.runs, told(ready)) == (3, [])


async def test_a_run_that_left_something_behind_stands_for_no_other(stage: MakeStage) -> None:
    ready = stage(MENDS, capabilities=MENDER)

    def leave_a_log() -> None:
        (ready.project / "run.log").write_text("noise")

    ready.tests.before = leave_a_log
    await ready.drive(ready.create())
    assert (ready.tests.runs, told(ready)) == (3, [])


async def test_a_failure_by_chance_at_the_start_does_not_end_the_loop(stage: MakeStage) -> None:
    """Seen but once, it is looked at once more before the loop ends over it."""
    ready = stage(*[NOTHING] * 10, capabilities=MENDER, judge=chance("failed", "passed"))
    state = await ready.drive(ready.create())
    assert told(ready) == [TAKEN]
    assert ready.tests.runs == 4, "the first, one that passes, and twice more: it had failed on the same files"
    assert state.engine.outcome != "exhausted"


async def test_a_failure_that_stays_ends_it_after_a_second_run(stage: MakeStage) -> None:
    ready = stage(*[NOTHING] * 10, capabilities=MENDER)
    state = await ready.drive(ready.create())
    assert (state.engine.outcome, ready.tests.runs) == ("exhausted", 2)


async def test_a_green_project_is_measured_once(stage: MakeStage) -> None:
    ready = stage(capabilities=MENDER)
    (ready.project / "app.txt").write_text("good")
    state = await ready.drive(ready.create("Make the tests pass"))
    assert (state.engine.outcome, ready.tests.runs) == ("succeeded", 1)


async def test_who_asks_for_a_validation_gets_a_run(stage: MakeStage) -> None:
    ready = stage(capabilities=MENDER)
    person = ListedPerson(choices=["validate", "exit"])
    await ready.drive(ready.create(mode="interactive"), person=person)
    assert (ready.tests.runs, told(ready)) == (2, [])
