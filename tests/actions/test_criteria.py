"""Acceptance criteria of a goal become tasks, whoever plans; those that are met already hold nothing up."""

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.protocol import Capabilities
from tests.liars import incidents
from tests.stage import MakeStage, said
from tests.troubles import DONE, succeeded, watched

GOAL = "Make app.txt good\n\n- [ ] it says good\n- [x] it exists\n- [ ] it is short"
NOTHING = ScriptedTurn(text=said("DEVELOP"))


def planned(*tasks: str) -> ScriptedTurn:
    return ScriptedTurn(text=said("INIT", tasks=[{"description": words} for words in tasks]))


async def test_a_planner_is_given_them_and_what_it_leaves_out_becomes_a_task(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, planned("write it (A1)"), DONE, NOTHING, NOTHING)
    state = await ready.drive(ready.create(GOAL))
    asked = agent.messages[0].text
    assert "- A1: it says good\n- A2: it is short\n" in asked
    assert "it exists" not in asked.partition("# Order")[2]
    told = [message.text for message in agent.developing()]
    assert "write it (A1)" in told[0]
    assert "A2: it is short" in told[1]
    assert "A1:" not in told[1].partition("# Order")[2]
    assert succeeded(state)
    assert [task.description for task in state.engine.tasks] == ["write it (A1)"]


async def test_a_plan_that_names_all_stands_alone(stage: MakeStage) -> None:
    ready = stage(planned("write it (A1, A2)"), DONE)
    state = await ready.drive(ready.create(GOAL))
    assert [task.description for task in state.engine.tasks] == ["write it (A1, A2)"]


async def test_without_a_plan_each_is_a_task(stage: MakeStage) -> None:
    ready = stage(DONE, NOTHING, NOTHING, capabilities=Capabilities(writes_code=True, writes_tests=True))
    state = await ready.drive(ready.create(GOAL))
    assert succeeded(state)
    assert "no_plan" not in incidents(state)
    assert [task.description for task in state.engine.tasks] == [
        "Meet this acceptance criterion of the goal: it says good"
    ]


async def test_a_goal_without_any_is_asked_for_as_ever(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, planned("write it"), DONE)
    state = await ready.drive(ready.create())
    assert "cceptance criteri" not in agent.messages[0].text
    assert succeeded(state)
