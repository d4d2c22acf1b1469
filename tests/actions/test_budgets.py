"""What agents cost, and the loops that it ends."""

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import ExitCode
from loopwright.core.pause import exit_for
from loopwright.core.protocol import Usage
from loopwright.core.state import Budget
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, Stage, said
from tests.troubles import DONE, PLAN, incidents, succeeded, watched

SPENT = Usage(tokens=1000, cost=0.25)


def used(answer: ScriptedTurn, usage: Usage = SPENT) -> ScriptedTurn:
    return answer.evolve(usage=usage)


async def over_budget(stage: Stage, budget: Budget) -> LoopState:
    loop_id = stage.create(budget=budget)
    state = await stage.drive(loop_id)
    assert (state.status, state.engine.outcome, exit_for(state)) == ("failed", "over_budget", ExitCode.BUDGET)
    assert state.failure_reason is not None
    assert state.failure_reason in (stage.store.progress_path(loop_id) / "summary.md").read_text()
    return state


async def test_tokens_that_are_used_up_end_the_loop_before_the_next_action(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, used(PLAN), used(DONE), DONE)
    state = await over_budget(ready, Budget(max_tokens=1000))
    assert state.failure_reason == "the budget of 1,000 tokens is used up"
    assert ready.actions(state.loop_id) == ["INIT", "COMPLETE"]
    assert len(agent.messages) == 1


async def test_money_that_is_used_up_ends_the_loop(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, used(PLAN), used(DONE.evolve(files={"app.txt": "better"})), DONE)
    state = await over_budget(ready, Budget(max_cost=0.5))
    assert state.failure_reason == "the budget of 0.5 US dollars is used up"
    assert ready.actions(state.loop_id) == ["INIT", "DEVELOP", "COMPLETE"]
    assert (state.engine.budget.tokens, state.engine.budget.cost) == (2000, 0.5)


async def test_work_that_used_the_budget_up_is_still_validated(stage: MakeStage) -> None:
    """That costs no more of it, and what was paid for may be what was asked for."""
    ready = stage()
    agent = watched(ready, used(PLAN), used(DONE), DONE)
    state = await ready.drive(loop_id := ready.create(budget=Budget(max_cost=0.5)))
    assert succeeded(state)
    assert ready.actions(loop_id) == ["INIT", "DEVELOP", "COMPLETE"]
    assert len(agent.messages) == 2


async def test_a_success_within_the_last_action_is_a_success(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, used(PLAN), used(DONE))
    assert succeeded(await ready.drive(ready.create(budget=Budget(max_tokens=2001))))


@pytest.mark.parametrize("heeds", [True, False])
async def test_time_that_is_used_up_ends_a_turn(stage: MakeStage, heeds: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked to wrap up before, cut off then, and what is there is validated."""
    monkeypatch.setattr("loopwright.core.agent_turns.LOOK_SECONDS", 0.001)
    ready = stage()
    hangs = ScriptedTurn(hangs=True)
    agent = watched(ready, PLAN, hangs, DONE if heeds else hangs)
    state = await ready.drive(loop_id := ready.create(budget=Budget(max_minutes=3)))
    assert len(agent.messages) == 3
    assert succeeded(state) is heeds
    assert ready.actions(loop_id)[-1] == "COMPLETE"
    assert state.engine.last_validation is not None
    if not heeds:
        assert (state.engine.outcome, state.failure_reason) == (
            "over_budget",
            "the time budget of 3 minutes is used up",
        )
        assert state.engine.budget.spent_seconds < 180 + 60


WRAPPED_UP = [ScriptedTurn(hangs=True), used(DONE)]
ASKED_AGAIN = [used(DONE.evolve(text="Did it.")), used(ScriptedTurn(text=said("DEVELOP")))]
NO_REPORT = [used(ScriptedTurn(text="What?")), used(ScriptedTurn(text="Why?")), used(DONE)]
DIED = [ScriptedTurn(dies=True), used(DONE)]


@pytest.mark.parametrize(
    ("answers", "turns"),
    [([used(DONE)], 1), (ASKED_AGAIN, 2), (NO_REPORT, 3), (WRAPPED_UP, 1), (DIED, 1)],
    ids=["one turn", "asked once more", "a failed action", "a turn out of time", "a turn that broke off"],
)
async def test_every_turn_counts_also_of_what_failed(stage: MakeStage, answers: list[ScriptedTurn], turns: int) -> None:
    ready = stage()
    watched(ready, used(PLAN), *answers)
    loop_id = ready.create(action_timeout=2.0)
    assert succeeded(state := await ready.drive(loop_id))
    assert state.engine.budget.tokens == 1000 * (1 + turns)
    assert state.engine.budget.cost == pytest.approx(0.25 * (1 + turns))
    told = [e.event.data.get("tokens") for e in ready.store.events(loop_id) if e.event.type == "action_finished"]
    assert sum(int(str(tokens)) for tokens in told if tokens is not None) == state.engine.budget.tokens


async def test_what_is_not_known_stays_unknown(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, DONE)
    assert succeeded(state := await ready.drive(ready.create()))
    assert (state.engine.budget.tokens, state.engine.budget.cost, incidents(state)) == (None, None, [])


async def test_a_limit_on_cost_that_can_not_hold_is_told_once(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, used(PLAN, Usage(tokens=5)), used(DONE, Usage(tokens=5)))
    assert succeeded(state := await ready.drive(ready.create(budget=Budget(max_cost=1))))
    assert [i.message for i in state.engine.incidents if i.kind == "cost_unknown"] == [
        "what scripted costs is unknown; the cost limit cannot be enforced (tokens and time can)"
    ]
    assert (state.engine.budget.tokens, state.engine.budget.cost) == (10, None)


@pytest.mark.parametrize("answer", [used(DONE), ScriptedTurn(dies=True)])
async def test_a_cost_that_is_known_is_no_incident(stage: MakeStage, answer: ScriptedTurn) -> None:
    ready = stage()
    watched(ready, used(PLAN), answer, used(DONE))
    assert succeeded(state := await ready.drive(ready.create(budget=Budget(max_cost=1))))
    assert incidents(state) == []


async def test_commands_cost_nothing_that_anybody_would_have_to_know(stage: MakeStage) -> None:
    ready = stage()
    loop_id = ready.create(budget=Budget(max_cost=1))
    ready.service.tasks.add(loop_id, {"description": "write it", "tool": "bash", "command": "printf good > app.txt"})
    assert succeeded(state := await ready.drive(loop_id))
    assert incidents(state) == []


def a_cent_a_token(usage: Usage) -> float | None:
    return usage.input / 100 if usage.model == "known" and usage.input is not None else None


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        (Usage(model="known", input=50, output=5), 1.0),
        (Usage(model="known", input=50, output=5, cost=0.1), 0.2),
        (Usage(model="strange", input=50, output=5), None),
    ],
    ids=["from its tokens", "its own cost goes first", "unknown"],
)
async def test_a_cost_that_the_agent_does_not_tell(stage: MakeStage, usage: Usage, cost: float | None) -> None:
    ready = stage(price=a_cent_a_token)
    watched(ready, used(PLAN, usage), used(DONE, usage))
    assert succeeded(state := await ready.drive(ready.create()))
    assert state.engine.budget.cost == pytest.approx(cost)
    assert state.engine.budget.tokens == 110
