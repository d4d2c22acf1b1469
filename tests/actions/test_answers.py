"""The answer to an agent's question is told until the work it was for is done, and then never again."""

import asyncio

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.run_events import RunNote
from tests.stage import MakeStage, Stage, said

PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "Write it"}, {"description": "Polish it"}]))
ASKS = ScriptedTurn(text=said("DEVELOP", "needs_input", "Which half first?"))
DONE = ScriptedTurn(text=said("DEVELOP"), files={"half.txt": "half"})
GOOD = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"})


def told(stage: Stage) -> list[bool]:
    """Of every message, whether it held the answer."""
    return ["The answer to your question: the first" in message.text for message in stage.agent.messages]


async def answered(stage: Stage) -> str:
    """A loop whose question was answered, and that was resumed."""
    loop_id = stage.create()
    assert (await stage.drive(loop_id)).engine.waiting is not None
    stage.service.answer(loop_id, "the first")
    return loop_id


async def test_answered_once_told_once(stage: MakeStage) -> None:
    made = stage(PLAN, ASKS, ASKS, DONE, GOOD)
    loop_id = await answered(made)
    state = await made.drive(loop_id)
    assert (state.engine.outcome, state.engine.answer) == ("succeeded", None)
    assert told(made) == [False, False, False, True, False]


async def test_a_runner_that_died_meanwhile_leaves_it_to_be_told_again(stage: MakeStage) -> None:
    made = stage(PLAN, ASKS, ASKS, ScriptedTurn(hangs=True), DONE, GOOD)
    loop_id = await answered(made)

    def dies(note: RunNote) -> None:
        if note.kind == "message":
            driving.cancel()

    driving = asyncio.ensure_future(made.drive(loop_id, on_note=dies))
    await asyncio.wait({driving})
    assert made.store.read(loop_id).engine.answer == "the first"
    state = await made.drive(loop_id)
    assert (state.engine.outcome, state.engine.answer) == ("succeeded", None)
    assert told(made)[3:] in ([True, True, False], [True, False])
    assert told(made)[-2:] == [True, False]


async def test_a_turn_that_gave_nothing_is_told_again(stage: MakeStage) -> None:
    made = stage(PLAN, ASKS, ASKS, *[ScriptedTurn(error="protocol")] * 2, DONE, GOOD)
    loop_id = await answered(made)
    state = await made.drive(loop_id)
    assert state.engine.answer is None
    assert told(made)[3:] == [True] * (len(told(made)) - 4) + [False]


async def test_what_no_agent_was_told_stays(stage: MakeStage) -> None:
    made = stage(PLAN, ASKS, ASKS, DONE, GOOD)
    loop_id = await answered(made)
    first, *others = (task.task_id for task in made.store.read(loop_id).engine.tasks)
    bash = made.service.tasks.add(loop_id, {"description": "Look", "tool": "bash", "command": "true"})
    made.service.tasks.reorder(loop_id, [bash.task_id, first, *others])
    state = await made.drive(loop_id)
    assert state.engine.answer is None
    assert told(made) == [False, False, False, True, False], "the command was not who had asked"
