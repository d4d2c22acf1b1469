"""Whole loops whose agent asks, or writes where it shall only read."""

import asyncio
from dataclasses import replace

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.record import JournalEvent
from loopwright.core.state import Policy
from loopwright.workflows.loop.commands import stop
from loopwright.workflows.loop.model import LoopState
from tests.asking import AT, DONE, FETCH, PLAN, RUN, AskingStage
from tests.stage import MakeStage, Stage, said
from tests.waiting import soon

GOOD = ScriptedTurn(text=DONE, files={"app.txt": "good"})
MENDED = ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"})


def asking(stage: MakeStage, *answers: ScriptedTurn) -> AskingStage:
    made = stage()
    return AskingStage(made.project, made.store, answers=list(answers), clock=made.clock)


def is_asked(stage: Stage, loop_id: str) -> bool:
    return any(request.answer is None for request in stage.store.read(loop_id).engine.asked)


async def driven(stage: Stage, loop_id: str) -> asyncio.Task[LoopState]:
    """The loop, under way until its agent asks."""
    driving = asyncio.ensure_future(stage.drive(loop_id))
    await soon(lambda: is_asked(stage, loop_id) or driving.done())
    assert not driving.done()
    return driving


async def test_what_is_allowed_is_done_and_the_loop_succeeds(stage: MakeStage) -> None:
    made = asking(stage, ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create()
    driving = await driven(made, loop_id)
    assert made.store.read(loop_id).status == "running", "somebody asks, and it runs all the same"
    made.service.approve(loop_id, answer="allow")
    state = await driving
    assert (state.engine.outcome, state.engine.asked) == ("succeeded", ())
    assert made.asking.answers == [True]


async def test_what_is_denied_is_not_done(stage: MakeStage) -> None:
    made = asking(stage, ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create(max_iterations=1)
    driving = await driven(made, loop_id)
    made.service.approve(loop_id, answer="deny")
    state = await driving
    assert state.status == "failed"
    assert made.asking.answers == [False]
    assert (made.project / "app.txt").read_text() == "bad"


async def test_a_stop_ends_the_waiting(stage: MakeStage) -> None:
    made = asking(stage, ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create()
    driving = await driven(made, loop_id)
    made.store.update(loop_id, lambda s: stop(s, AT), actor="cli", event=JournalEvent(type="stopped"))
    for state in (made.store.read(loop_id), await driving):
        assert (state.engine.outcome, state.engine.asked) == ("stopped", ())
    assert True not in made.asking.answers
    assert (made.project / "app.txt").read_text() == "bad"
    assert not [i for i in state.engine.incidents if "forged" in i.kind or "put_back" in i.kind]


async def test_pause_now_ends_the_waiting_and_a_resume_asks_anew(stage: MakeStage) -> None:
    made = asking(stage, ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create()
    driving = await driven(made, loop_id)
    before = made.store.read(loop_id).engine.asked
    made.service.pause(loop_id, now=True)
    state = await driving
    assert (state.status, state.engine.asked) == ("paused", ())
    made.answers.pop(0)  # the plan has been heard
    driving = await driven(made, loop_id)
    assert made.store.read(loop_id).engine.asked[0].id != before[0].id
    made.service.approve(loop_id, answer="allow")
    assert (await driving).engine.outcome == "succeeded"


async def test_a_plain_pause_lets_the_question_stand(stage: MakeStage) -> None:
    made = asking(stage, ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create()
    driving = await driven(made, loop_id)
    made.service.pause(loop_id)
    made.service.resume(loop_id)
    made.service.pause(loop_id)
    assert is_asked(made, loop_id)
    made.service.approve(loop_id, answer="allow")
    state = await driving
    assert (state.status, made.asking.answers) == ("paused", [True])
    assert (made.project / "app.txt").read_text() == "good"


async def test_several_at_once_from_one_turn(stage: MakeStage) -> None:
    made = replace(asking(stage, ScriptedTurn(text=PLAN), GOOD), wanted=(RUN, FETCH, RUN))
    loop_id = made.create()
    driving = await driven(made, loop_id)
    await soon(lambda: len(made.store.read(loop_id).engine.asked) == 3)
    made.service.approve(loop_id, answer="allow", every=True)
    assert (await driving).engine.outcome == "succeeded"
    assert made.asking.answers == [True] * 3


@pytest.mark.parametrize("permissions", ["ask", "all"])
async def test_the_policy_of_each_turn(stage: MakeStage, permissions: Policy) -> None:
    made = stage(ScriptedTurn(text=PLAN), ScriptedTurn(text=DONE, files={"app.txt": "better"}), MENDED)
    loop_id = made.create(permissions=permissions)
    state = await made.drive(loop_id)
    assert state.engine.outcome == "succeeded"
    assert [(m.action, m.policy) for m in made.agent.messages] == [
        ("INIT", "read-only"), ("DEVELOP", permissions), ("DEBUG", permissions),
    ]  # fmt: skip


@pytest.mark.parametrize("mode", ["analysis", "review"])
async def test_a_reading_task_reads_even_where_all_is_permitted(stage: MakeStage, mode: str) -> None:
    made = stage(ScriptedTurn(text=DONE, files={"app.txt": "good", "new/x.txt": "x"}))
    loop_id = made.create(max_iterations=1, permissions="all")
    made.service.tasks.add(loop_id, {"description": "Look", "tool": "scripted", "mode": mode})
    state = await made.drive(loop_id)
    assert [m.policy for m in made.agent.messages] == ["read-only"]
    assert (made.project / "app.txt").read_text() == "bad"
    assert not (made.project / "new" / "x.txt").exists()
    told = {i.kind: i.message for i in state.engine.incidents}
    assert told["put_back"] == "reverted what a reading task wrote: app.txt, new/x.txt"
    assert state.skill_state is not None
    assert state.skill_state.develop.tasks[0].files_changed == ()


async def test_planning_that_writes_is_put_back(stage: MakeStage) -> None:
    made = stage(ScriptedTurn(text=PLAN, files={"app.txt": "planned", "plan.md": "1. think"}), GOOD)
    state = await made.drive(made.create())
    assert state.engine.outcome == "succeeded"
    assert [i.message for i in state.engine.incidents] == ["reverted what planning wrote: app.txt, plan.md"]
    assert not (made.project / "plan.md").exists()


async def test_what_somebody_else_changes_meanwhile_is_left_alone_and_told(stage: MakeStage) -> None:
    made = stage(ScriptedTurn(text=PLAN), GOOD)
    loop_id = made.create()

    def on_note(text: str) -> None:
        if text == "scripted works on INIT":
            (made.project / "mine.txt").write_text("mine")

    state = await made.drive(loop_id, on_note=lambda note: on_note(note.text))
    assert (made.project / "mine.txt").read_text() == "mine"
    assert [i.message for i in state.engine.incidents] == ["changed while planning ran, left as is: mine.txt"]


async def test_every_turn_of_a_reading_task_counts(stage: MakeStage) -> None:
    """One without a report, one with a question, one that answers."""
    made = stage(
        ScriptedTurn(text="I looked.", files={"one.txt": "1"}),
        ScriptedTurn(text=said("DEVELOP", "needs_input", "Which?"), files={"two.txt": "2"}),
        ScriptedTurn(text=DONE, files={"three.txt": "3"}),
    )
    loop_id = made.create(max_iterations=1)
    made.service.tasks.add(loop_id, {"description": "Look", "tool": "scripted", "mode": "review"})
    state = await made.drive(loop_id)
    assert "reverted what a reading task wrote: one.txt, three.txt, two.txt" in [
        i.message for i in state.engine.incidents
    ]
    assert {p.name for p in made.project.iterdir()} == {".git", ".workflow", "app.txt"}


async def test_a_reading_turn_that_comes_to_nothing_leaves_nothing(stage: MakeStage) -> None:
    silent = ScriptedTurn(text="No report.", files={"one.txt": "1"})
    made = stage(silent, silent, silent, silent)
    loop_id = made.create(max_iterations=2)
    made.service.tasks.add(loop_id, {"description": "Look", "tool": "scripted", "mode": "analysis"})
    await made.drive(loop_id)
    assert not (made.project / "one.txt").exists()
