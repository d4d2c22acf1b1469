"""A plan that cannot be read is none: there is still the goal."""

from loopwright.agents.scripted import ScriptedTurn
from tests.liars import incidents
from tests.stage import MakeStage
from tests.troubles import DONE, succeeded

PROSE = ScriptedTurn(text="I would write it, and then look at the tests.")


async def test_who_plans_in_prose_gets_the_goal_as_its_task(stage: MakeStage) -> None:
    ready = stage(PROSE, PROSE, DONE)
    loop_id = ready.create()
    state = await ready.drive(loop_id)
    assert succeeded(state)
    assert [task.description for task in state.engine.tasks] == [state.description]
    assert "the whole goal is one task" in incidents(state)["no_plan"]
