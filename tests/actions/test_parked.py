"""Loops that wait for an agent's limit to pass."""

import asyncio
from datetime import datetime, timedelta

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import ExitCode
from loopwright.core.pause import exit_for
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import RunNote
from loopwright.core.supervisor import list_orphans, resume_all
from loopwright.workflows.loop.commands import stop
from loopwright.workflows.loop.model import LoopState
from tests.stage import MakeStage, Stage, said
from tests.troubles import DONE, PLAN, Watched, errors, events, heard, succeeded, watched

LIMIT = ScriptedTurn(error="quota", session="s-1")
PUT_OFF = ["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]


@pytest.fixture(autouse=True)
def seldom_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hours pass in no time here, but each look takes one."""
    monkeypatch.setattr("loopwright.core.supervisor.LOOK_SECONDS", 20.0)


def parked_times(stage: Stage, loop_id: str) -> list[datetime]:
    """Until when the loop was parked, each time, from the journal."""
    states = [stage.store.read_at(loop_id, n) for n in range(1, stage.store.read(loop_id).engine.rev + 1)]
    times = [state.engine.parked.until for state in states if state.engine.parked]
    return [datetime.fromisoformat(until) for until in dict.fromkeys(times)]


async def test_it_waits_until_the_time_that_the_agent_names_and_goes_on_in_its_session(stage: MakeStage) -> None:
    ready = stage()
    until = (ready.clock.now() + timedelta(hours=3)).replace(microsecond=0)
    agent = watched(ready, PLAN.evolve(session="s-1"), LIMIT.evolve(until=until.isoformat()), DONE)
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert parked_times(ready, loop_id) == [until]
    assert datetime.fromisoformat(state.updated_at) - until < timedelta(minutes=2)
    assert ready.actions(loop_id) == PUT_OFF
    assert (state.current_iteration, errors(state)) == (2, []), "what was put off has used up nothing"
    assert [message.session for message in agent.developing()] == [None, "s-1"]
    assert agent.sessions == 2
    assert events(ready, loop_id, "resumed") == [("resumed", "runner")]
    seen = [line for line in heard(ready) if line.startswith("parked")]
    assert seen == [f"parked until {until.astimezone():%Y-%m-%d %H:%M}: the script ends the turn with quota"]


async def test_limits_without_a_time_are_waited_for_longer_and_longer(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, LIMIT, LIMIT, LIMIT, DONE)
    loop_id = ready.create()
    began = ready.clock.now()
    assert succeeded(state := await ready.drive(loop_id))
    first, second, third = parked_times(ready, loop_id)
    assert timedelta(minutes=15) < first - began < timedelta(minutes=17)
    assert timedelta(minutes=30) < second - first < timedelta(minutes=31)
    assert timedelta(minutes=60) < third - second < timedelta(minutes=61)
    assert state.engine.spent.limits_in_a_row == 0


async def test_where_it_shall_not_wait_it_ends(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, LIMIT)
    loop_id = ready.create(park=False)
    state = await ready.drive(loop_id)
    assert (state.status, state.engine.outcome, exit_for(state)) == ("failed", "failed", ExitCode.NO_SUCCESS)
    assert state.failure_reason is not None
    assert "quota" in state.failure_reason
    assert state.failure_reason in (ready.store.progress_path(loop_id) / "summary.md").read_text()
    assert agent.open == set()


class Onlooker:
    """Sees the loop parked, and does something about it."""

    def __init__(self, stage: Stage, loop_id: str, agent: Watched, command: str) -> None:
        self.stage, self.loop_id, self.agent, self.command = stage, loop_id, agent, command
        self.at: datetime | None = None
        self.open: set[str] = set()
        self.state: LoopState | None = None

    def note(self, note: RunNote) -> None:
        if not note.text.startswith("parked until") or self.at:
            return
        service, self.at, self.open = self.stage.service, self.stage.clock.now(), set(self.agent.open)
        self.state = service.read(self.loop_id)
        match self.command:
            case "resume":
                service.resume(self.loop_id)
            case "pause":
                service.pause(self.loop_id)
            case "stop":
                at = service.clock.now().isoformat()
                self.stage.store.update(
                    self.loop_id, lambda s: stop(s, at), actor="test", event=JournalEvent(type="stopped")
                )


async def looked_at(stage: MakeStage, command: str) -> tuple[Stage, Onlooker, LoopState]:
    ready = stage()
    agent = watched(ready, PLAN.evolve(session="s-1"), LIMIT, DONE)
    loop_id = ready.create()
    onlooker = Onlooker(ready, loop_id, agent, command)
    return ready, onlooker, await ready.drive(loop_id, on_note=onlooker.note)


async def test_while_it_waits_no_agent_is_open_and_the_state_says_so(stage: MakeStage) -> None:
    _, onlooker, state = await looked_at(stage, "nothing")
    assert succeeded(state)
    assert onlooker.open == set()
    assert onlooker.state is not None
    assert onlooker.state.status == "paused"
    assert onlooker.state.engine.parked is not None
    assert onlooker.state.engine.sessions == {"scripted": "s-1"}


async def test_the_sessions_of_other_agents_are_closed_too(stage: MakeStage) -> None:
    ready = stage()
    more = ScriptedTurn(text=said("DEVELOP"), files={"more.txt": "more"})
    agent = watched(ready, DONE.evolve(session="s-2"), LIMIT, more)
    loop_id = ready.create()
    for tool in ("codex", "scripted"):
        ready.service.tasks.add(loop_id, {"description": f"for {tool}", "tool": tool})
    onlooker = Onlooker(ready, loop_id, agent, "nothing")
    assert succeeded(await ready.drive(loop_id, on_note=onlooker.note))
    assert (onlooker.at is not None, onlooker.open, agent.sessions) == (True, set(), 3)


async def test_a_person_who_resumes_it_is_heard_at_once(stage: MakeStage) -> None:
    ready, onlooker, state = await looked_at(stage, "resume")
    assert succeeded(state)
    assert onlooker.at is not None
    assert datetime.fromisoformat(state.updated_at) - onlooker.at < timedelta(minutes=5)
    assert ready.launcher.launched == [], "its runner is at it already"
    assert events(ready, state.loop_id, "resumed") == [("resumed", "test")]


async def test_a_person_who_pauses_it_keeps_it_from_going_on_by_itself(stage: MakeStage) -> None:
    ready, _, state = await looked_at(stage, "pause")
    assert (state.status, state.engine.parked) == ("paused", None)
    assert not ready.service.is_live(state.loop_id)
    assert list_orphans(ready.service, ready.clock.now() + timedelta(days=30)) == ()
    assert succeeded(await ready.drive(state.loop_id))


async def test_a_person_who_stops_it_ends_it(stage: MakeStage) -> None:
    ready, _, state = await looked_at(stage, "stop")
    assert (state.status, state.engine.outcome, state.engine.parked) == ("failed", "stopped", None)
    assert not ready.service.is_live(state.loop_id)


async def test_a_runner_that_dies_meanwhile_leaves_a_loop_that_is_taken_up_when_its_time_has_come(
    stage: MakeStage,
) -> None:
    ready = stage()
    watched(ready, PLAN.evolve(session="s-1"), LIMIT)
    loop_id = ready.create()

    def die(note: RunNote) -> None:
        if note.text.startswith("parked until"):
            driving.cancel()

    driving = asyncio.ensure_future(ready.drive(loop_id, on_note=die))
    with pytest.raises(asyncio.CancelledError):
        await driving
    state = ready.store.read(loop_id)
    assert state.engine.parked is not None
    due = datetime.fromisoformat(state.engine.parked.until)
    assert resume_all(ready.service, due - timedelta(seconds=1)) == ()
    assert [taken.id for taken in resume_all(ready.service, due)] == [loop_id]
    assert ready.launcher.launched == [loop_id]
    agent = watched(ready, DONE)
    assert succeeded(await ready.drive(loop_id))
    assert agent.messages[0].session == "s-1"
    assert "actions: INIT" in agent.messages[0].brief
    assert agent.messages[0].text.startswith("CONTINUE EXECUTION\n\nPrevious action completed: DEVELOP Result: put off")


async def test_a_limit_in_the_very_first_turn(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, LIMIT, PLAN, DONE)
    loop_id = ready.create()
    assert succeeded(await ready.drive(loop_id))
    assert ready.actions(loop_id) == ["INIT", "INIT", "DEVELOP", "VALIDATE", "COMPLETE"]


async def test_a_rate_limit_of_an_hour_is_no_wait_for_an_action(stage: MakeStage) -> None:
    ready = stage()
    until = (ready.clock.now() + timedelta(hours=1)).isoformat()
    watched(ready, PLAN, ScriptedTurn(error="rate_limit", until=until), DONE)
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert len(parked_times(ready, loop_id)) == 1
    assert state.engine.budget.spent_seconds < 600, "waiting is no working time"


async def test_a_task_that_was_added_while_it_waited_is_done(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, LIMIT, DONE, ScriptedTurn(text=said("DEVELOP"), files={"more.txt": "more"}))
    loop_id = ready.create()

    def add(note: RunNote) -> None:
        if note.text.startswith("parked until"):
            ready.service.tasks.add(loop_id, {"description": "and more", "tool": "scripted"})

    state = await ready.drive(loop_id, on_note=add)
    assert succeeded(state)
    assert (ready.project / "more.txt").read_text() == "more"
