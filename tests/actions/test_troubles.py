"""The trouble table, seen from whole loops."""

from datetime import datetime, timedelta

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import AgentTrouble, ExitCode, Invalid
from loopwright.core.names import FINISHED
from loopwright.core.pause import exit_for
from tests.stage import MakeStage, said
from tests.troubles import DONE, HAPPY, PLAN, errors, events, heard, succeeded, watched

BROKEN: tuple[AgentTrouble, ...] = ("died", "protocol")
PASSING: tuple[AgentTrouble, ...] = ("transient", "rate_limit")


@pytest.mark.parametrize("kind", BROKEN)
async def test_a_session_that_breaks_is_taken_up_once_in_a_new_process(stage: MakeStage, kind: AgentTrouble) -> None:
    ready = stage()
    agent = watched(
        ready,
        PLAN.evolve(session="s-1"),
        ScriptedTurn(error=kind, session="s-1", says_before="I have begun to write app.txt", seconds=0.3),
        DONE,
    )
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == HAPPY
    assert (errors(state), agent.sessions, agent.open) == ([], 2, set())
    first, again = agent.developing()
    assert (again.session, first.session) == ("s-1", None)
    assert first.text in again.text
    assert again.text.startswith("Your last turn broke off")
    assert again.brief.endswith("I have begun to write app.txt")
    assert any(line.endswith("; starting it again") for line in heard(ready))


@pytest.mark.parametrize("kind", BROKEN)
async def test_one_that_breaks_twice_has_failed_and_is_tried_again_in_a_fresh_session(
    stage: MakeStage, kind: AgentTrouble
) -> None:
    ready = stage()
    broken = ScriptedTurn(error=kind, session="s-1")
    agent = watched(ready, PLAN.evolve(session="s-1"), broken, broken, DONE.evolve(session="s-2"))
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == ["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]
    assert len(errors(state)) == 1
    assert [message.session for message in agent.developing()] == [None, "s-1", None]
    assert "actions: INIT" in agent.developing()[2].brief
    assert (state.engine.sessions, agent.open) == ({"scripted": "s-2"}, set())


async def test_an_agent_that_always_dies_ends_the_loop(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, *[ScriptedTurn(dies=True)] * 20)
    state = await ready.drive(ready.create())
    assert (state.status, state.engine.outcome, len(errors(state))) == ("failed", "failed", 3)
    assert (agent.sessions, agent.open) == (6, set())


@pytest.mark.parametrize("kind", PASSING)
async def test_what_passes_is_waited_out_in_the_same_session(stage: MakeStage, kind: AgentTrouble) -> None:
    ready = stage()
    agent = watched(ready, PLAN, *[ScriptedTurn(error=kind)] * 3, DONE)
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == HAPPY
    assert (errors(state), agent.sessions) == ([], 1)
    assert len({message.text for message in agent.developing()}) == 1
    waits = [line.rpartition("asking again in ")[2] for line in heard(ready) if "asking again" in line]
    assert waits == ["5 s", "15 s", "45 s"]
    assert state.engine.budget.spent_seconds > 65


@pytest.mark.parametrize("kind", PASSING)
async def test_what_does_not_pass_has_failed(stage: MakeStage, kind: AgentTrouble) -> None:
    ready = stage()
    agent = watched(ready, PLAN, *[ScriptedTurn(error=kind)] * 4, DONE)
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == ["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]
    assert len(errors(state)) == 1
    assert agent.open == set()


async def test_a_rate_limit_whose_end_is_named_is_waited_for_that_long(stage: MakeStage) -> None:
    ready = stage()
    until = ready.clock.now() + timedelta(seconds=200)
    watched(ready, PLAN, ScriptedTurn(error="rate_limit", until=until.isoformat()), DONE)
    assert succeeded(state := await ready.drive(ready.create()))
    assert datetime.fromisoformat(state.updated_at) > until
    assert state.engine.parked is None


@pytest.mark.parametrize("kind", ["auth", "refused"])
async def test_what_only_a_person_can_settle_pauses_with_a_question(stage: MakeStage, kind: AgentTrouble) -> None:
    ready = stage()
    agent = watched(ready, PLAN.evolve(session="s-1"), ScriptedTurn(error=kind), DONE)
    loop_id = ready.create()
    state = await ready.drive(loop_id)
    assert state.status == "paused"
    assert state.engine.waiting is not None
    assert state.engine.waiting.question == (f"the script ends the turn with {kind}. Fix that, then resume the loop.")
    assert exit_for(state) is ExitCode.NEEDS_PERSON
    with pytest.raises(Invalid, match="then resume the loop"):
        ready.service.answer(loop_id, "done")
    assert (len(agent.developing()), agent.open) == (1, set()), "asked once, and closed"
    assert succeeded(await ready.drive(loop_id))
    assert agent.developing()[1].session == "s-1"


LIMIT = "You've hit your usage limit. Try again at 3:05 PM. 429 Too Many Requests, quota exceeded, rate limit reached."


@pytest.mark.parametrize(
    "answers",
    [
        [DONE.evolve(text=said("DEVELOP", message=LIMIT))],
        [DONE.evolve(text=f"{LIMIT}\n{said('DEVELOP')}")],
        [
            ScriptedTurn(text=said("DEVELOP", "failed", LIMIT)),
            ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"}),
        ],
        [DONE.evolve(text=LIMIT), ScriptedTurn(text=said("DEVELOP"))],
        [DONE.evolve(text=LIMIT), ScriptedTurn(text=LIMIT), ScriptedTurn(text=said("DEVELOP"))],
    ],
    ids=["in the report", "before the report", "as a failure", "instead of a report", "instead of two reports"],
)
async def test_words_about_limits_park_nothing(stage: MakeStage, answers: list[ScriptedTurn]) -> None:
    ready = stage()
    watched(ready, PLAN, *answers)
    loop_id = ready.create()
    state = await ready.drive(loop_id)
    assert state.status in FINISHED
    assert not events(ready, loop_id, "resumed")
    assert not any("parked" in line for line in heard(ready))


async def test_a_death_while_it_is_asked_for_its_report_brings_the_whole_order_to_the_new_process(
    stage: MakeStage,
) -> None:
    ready = stage()
    agent = watched(ready, PLAN, ScriptedTurn(text="Did it."), ScriptedTurn(dies=True), DONE)
    assert succeeded(await ready.drive(ready.create()))
    order, once_more, respawned = agent.developing()
    assert order.text in respawned.text
    assert once_more.text not in respawned.text
