"""Whatever troubles follow on each other: the loop comes to rest, no session stays open, no finished task is lost."""

import random

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.names import FINISHED
from loopwright.core.protocol import Usage
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.stage import MakeStage, Stage, said
from tests.troubles import Watched, watched

TASKS = ("one.txt", "two.txt", "app.txt")
PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": f"write {name}"} for name in TASKS]))
COST = Usage(tokens=7)

TROUBLES = (
    ScriptedTurn(dies=True, says_before="half a word"),
    ScriptedTurn(error="protocol"),
    ScriptedTurn(error="transient"),
    ScriptedTurn(error="rate_limit", until="2026-01-22T10:20:00+08:00"),
    ScriptedTurn(error="quota"),
    ScriptedTurn(error="auth"),
    ScriptedTurn(error="refused"),
    ScriptedTurn(error="timeout"),
    ScriptedTurn(hangs=True),
    ScriptedTurn(text="I would rather not."),
    ScriptedTurn(text=""),
    ScriptedTurn(text=said("DEVELOP", "failed")),
    ScriptedTurn(text=said("DEVELOP", "needs_input", "Which?")),
    ScriptedTurn(error="quota", until="2026-01-22T18:00:00+08:00", session="s-9"),
)


def course(chance: random.Random) -> list[ScriptedTurn]:
    """Progress and troubles in any order, and after them nothing but progress."""
    work = [
        ScriptedTurn(text=said("DEVELOP"), files={name: "good", "log.txt": f"turn {n}"}, session="s-1", usage=COST)
        for n, name in enumerate(TASKS * 5)
    ]
    answers = [PLAN, *work[: len(TASKS)]]
    for _ in range(chance.randrange(1, 9)):
        answers.insert(chance.randrange(len(answers) + 1), chance.choice(TROUBLES))
    return answers + work[len(TASKS) :]


def completed(state: LoopState) -> set[str]:
    tasks = state.skill_state.develop.tasks if state.skill_state else ()
    return {task.id for task in tasks if task.status == "completed"}


def nothing_is_lost(stage: Stage, loop_id: str) -> None:
    """In no commit is a task gone, or not completed any more, and the account never shrinks."""
    done: set[str] = set()
    known: set[str] = set()
    tokens = 0
    for rev in range(1, stage.store.read(loop_id).engine.rev + 1):
        state = stage.store.read_at(loop_id, rev)
        assert done <= completed(state), rev
        done |= completed(state)
        tasks = {task.task_id for task in state.engine.tasks}
        assert known <= tasks, rev
        known |= tasks
        assert tokens <= (state.engine.budget.tokens or 0), rev
        tokens = state.engine.budget.tokens or 0


async def driven(stage: Stage, agent: Watched, loop_id: str) -> LoopState:
    """Drives as a person would who settles whatever is asked."""
    for _ in range(12):
        state = await stage.drive(loop_id)
        assert agent.open == set()
        assert not stage.service.is_live(loop_id)
        if state.status in FINISHED:
            return state
        assert (state.status, state.engine.parked) == ("paused", None)
        assert state.engine.waiting is not None, "a loop that rests says what it waits for"
    raise AssertionError("it never comes to its end")


@pytest.mark.parametrize("n", range(10))
async def test_whatever_happens_the_loop_rests_and_loses_nothing(
    stage: MakeStage, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.core.supervisor.LOOK_SECONDS", 60.0)
    monkeypatch.setattr("loopwright.core.agent_turns.LOOK_SECONDS", 0.05)
    answers = course(random.Random(f"{SEED}-{n}"))
    ready = stage()
    agent = watched(ready, *answers)
    loop_id = ready.create(action_timeout=2.0, grace_timeout=2.0, max_iterations=40)
    state = await driven(ready, agent, loop_id)
    nothing_is_lost(ready, loop_id)
    assert state.engine.outcome in ("succeeded", "failed", "exhausted", "stalled"), [a.error for a in answers]
    started = [e for e in ready.store.events(loop_id) if e.event.type == "action_started"]
    assert len(ready.actions(loop_id)) == len(started), "every action that began has landed"
