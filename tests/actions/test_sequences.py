"""Whole loops with a scripted agent: the documented sequences, and what a lying agent gets."""

from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.protocol import Capabilities
from loopwright.core.run_events import RunNote
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.summary import measure_progress
from tests.fakes import ListedPerson
from tests.stage import MakeStage, Stage, app_is_good, said

TASKS = said("INIT", tasks=[{"description": "write the first half"}, {"description": "write the second half"}])


def two_tasks(*more: ScriptedTurn) -> tuple[ScriptedTurn, ...]:
    return (
        ScriptedTurn(text=TASKS),
        ScriptedTurn(text=said("DEVELOP"), files={"half.txt": "half"}),
        ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}),
        *more,
    )


def ended(state: LoopState) -> tuple[str, str | None]:
    return state.status, state.engine.outcome


async def run(stage: Stage, **options: object) -> tuple[LoopState, list[str]]:
    loop_id = stage.create(**options)  # type: ignore[arg-type]  # options of create
    state = await stage.drive(loop_id)
    return state, stage.actions(loop_id)


async def test_happy_path(stage: MakeStage) -> None:
    state, actions = await run(stage(*two_tasks()))
    assert actions == ["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]
    assert ended(state) == ("completed", "succeeded")
    assert measure_progress(state).overall == 100
    assert state.current_iteration == 3
    assert state.skill_state is not None
    assert [task.files_changed for task in state.skill_state.develop.tasks] == [("half.txt",), ("app.txt",)]


async def test_debug_iteration(stage: MakeStage) -> None:
    answers = (
        ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}])),
        ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "almost"}),
        ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}),
    )
    state, actions = await run(stage(*answers))
    assert actions == ["INIT", "DEVELOP", "VALIDATE", "DEBUG", "VALIDATE", "COMPLETE"]
    assert ended(state) == ("completed", "succeeded")


GIVEN_UP = (
    ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}])),
    ScriptedTurn(text=said("DEVELOP", status="failed")),
    ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}),
    ScriptedTurn(text=said("DEBUG", message="there is nothing left to mend")),
)


async def test_a_task_that_failed_is_tried_again_once_the_tests_pass(stage: MakeStage) -> None:
    state, actions = await run(stage(*GIVEN_UP, ScriptedTurn(text=said("DEVELOP"))))
    assert actions == ["INIT", "DEVELOP", "VALIDATE", "DEBUG", "VALIDATE", "DEBUG", "DEVELOP", "COMPLETE"]
    assert ended(state) == ("completed", "succeeded")


async def test_what_debugging_has_mended_is_work_on_the_task(stage: MakeStage) -> None:
    ready = stage(*GIVEN_UP[1:], ScriptedTurn(text=said("DEVELOP", message="It is there already.")))
    loop_id = ready.create()
    ready.service.tasks.add(loop_id, {"description": "write it", "tool": "scripted"})
    assert ended(await ready.drive(loop_id)) == ("completed", "succeeded")


@pytest.mark.parametrize("how", ["it dies", "a person pauses"])
async def test_what_was_changed_before_the_turn_was_cut_off_is_work_on_the_task(stage: MakeStage, how: str) -> None:
    """Whoever goes on with it finds it done, and has nothing left to change."""
    lost = [ScriptedTurn(dies=True)] * 2 if how == "it dies" else [ScriptedTurn(hangs=True)]
    ready = stage(*lost, *[ScriptedTurn(text=said("DEVELOP", message="It is there already."))] * 2)
    loop_id = ready.create()
    ready.service.tasks.add(loop_id, {"description": "write it", "tool": "scripted"})

    def works(note: RunNote) -> None:
        if note.text == "scripted works on DEVELOP":
            (ready.project / "app.txt").write_text("good")
            if how == "a person pauses":
                ready.service.pause(loop_id, now=True)

    state = await ready.drive(loop_id, on_note=works)
    if how == "a person pauses":
        assert state.status == "paused"
        state = await ready.drive(loop_id)
    assert ended(state) == ("completed", "succeeded")
    assert state.skill_state is not None
    assert [task.status for task in state.skill_state.develop.tasks] == ["completed"]


async def test_but_not_for_ever_and_no_words_complete_it(stage: MakeStage) -> None:
    again = ScriptedTurn(text=said("DEVELOP", status="failed"))
    state, actions = await run(stage(*GIVEN_UP, again, *[GIVEN_UP[-1]] * 10))
    assert actions.count("DEVELOP") == 2
    assert ended(state) == ("failed", "failed")


async def test_an_agent_that_lies_about_success_is_not_believed(stage: MakeStage) -> None:
    lies = [ScriptedTurn(text=said("DEBUG", message="all tests pass now")) for _ in range(20)]
    answers = (ScriptedTurn(text=TASKS), ScriptedTurn(text=said("DEVELOP")), ScriptedTurn(text=said("DEVELOP")), *lies)
    state, actions = await run(stage(*answers))
    assert ended(state) == ("failed", "exhausted")
    assert actions.count("DEBUG") == 5
    assert state.failure_reason
    assert (progress_of(stage(), state) / "summary.md").exists()


def progress_of(stage: Stage, state: LoopState) -> Path:
    return stage.store.progress_path(state.loop_id)


async def test_the_iteration_limit_ends_the_loop_as_exhausted(stage: MakeStage) -> None:
    state, actions = await run(stage(*two_tasks()), max_iterations=1)
    assert actions == ["INIT", "DEVELOP", "COMPLETE"]
    assert ended(state) == ("failed", "exhausted")


async def test_an_agent_without_report_is_asked_once_more_and_then_fails(stage: MakeStage) -> None:
    mumbling = [ScriptedTurn(text="hm") for _ in range(12)]
    state, _ = await run(stage(*mumbling))
    assert ended(state) == ("failed", "failed")
    assert state.skill_state is not None
    assert [error.action for error in state.skill_state.errors] == ["DEVELOP"] * 2 + ["DEBUG"] * 3


async def test_an_agent_that_dies_is_spawned_again(stage: MakeStage) -> None:
    first, *rest = two_tasks()
    state, _ = await run(stage(first, ScriptedTurn(dies=True), *rest))
    assert ended(state) == ("completed", "succeeded")


async def test_no_tests_and_no_agent_that_writes_them_is_unverified(stage: MakeStage) -> None:
    silent = stage(capabilities=Capabilities(), judge=lambda project: {})
    state, actions = await run(silent)
    assert ended(state) == ("failed", "unverified")
    assert actions[-1] == "COMPLETE"


async def test_interactive_path(stage: MakeStage) -> None:
    ready = stage(
        ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}])),
        ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}),
    )
    person = ListedPerson(["develop", "status", "validate", "complete"])
    loop_id = ready.create(mode="interactive")
    state = await ready.drive(loop_id, person)
    assert ready.actions(loop_id) == ["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]
    assert ended(state) == ("completed", "succeeded")
    assert len(person.shown) == 1
    blocked = {entry.name: entry.blocked for entry in person.menus[0]}
    assert blocked["develop"] is None
    assert person.menus[0][0].preselected


async def test_a_person_may_leave_and_come_back(stage: MakeStage) -> None:
    ready = stage(*two_tasks())
    loop_id = ready.create(mode="interactive")
    assert (await ready.drive(loop_id, ListedPerson(["exit"]))).status == "user_exit"
    assert ended(await ready.drive(loop_id)) == ("completed", "succeeded")


async def test_completing_without_validation_is_unverified(stage: MakeStage) -> None:
    ready = stage(*two_tasks())
    loop_id = ready.create(mode="interactive")
    state = await ready.drive(loop_id, ListedPerson(["complete"]))
    assert ended(state) == ("completed", "unverified")


async def test_headings_of_the_protocol(stage: MakeStage) -> None:
    ready = stage(*two_tasks())
    await ready.drive(ready.create())
    first, second, *_ = [message.text for message in ready.agent.messages]
    assert "CONTINUE EXECUTION" not in first
    assert "Make app.txt good" in first
    assert second.startswith("CONTINUE EXECUTION\n\nPrevious action completed: INIT Result: ")
    assert "EXECUTE NEXT ACTION" in second
    assert "report_action_result" in second
    assert "Make app.txt good" in second


@pytest.mark.parametrize("status", ["needs_input"])
async def test_an_agent_that_asks_twice_makes_the_loop_wait(stage: MakeStage, status: str) -> None:
    asks = ScriptedTurn(text=said("DEVELOP", status=status, message="which half first?"))
    ready = stage(
        ScriptedTurn(text=TASKS), asks, asks, ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"}), asks
    )
    loop_id = ready.create()
    state = await ready.drive(loop_id)
    assert state.status == "paused"
    assert state.engine.waiting is not None
    assert state.engine.waiting.question == "which half first?"
    ready.service.answer(loop_id, "the first")
    await ready.drive(loop_id)
    assert any("the first" in message.text for message in ready.agent.messages)


async def test_all_files_are_written(stage: MakeStage) -> None:
    ready = stage(*two_tasks())
    loop_id = ready.create()
    await ready.drive(loop_id)
    names = {path.name for path in ready.store.progress_path(loop_id).iterdir()}
    assert names >= {
        "develop.md", "debug.md", "validate.md", "summary.md", "changes.log",
        "hypotheses.json", "test-results.json", "coverage.json", "transcript.ndjson", "debug.log",
    }  # fmt: skip
    assert app_is_good(ready.project) == {"app": "passed"}
