"""Turns that take too long: the agent is cut off, asked once to wrap up, and closed when it does not."""

import asyncio

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedTurn
from loopwright.core.protocol import AgentOutput, Capabilities, Message
from loopwright.core.run_events import RunNote
from tests.stage import MakeStage, Stage, said
from tests.troubles import DONE, HAPPY, PLAN, Watched, errors, heard, incidents, succeeded, watched

HANGS = ScriptedTurn(hangs=True, session="s-1", says_before="I am still thinking", files={"app.txt": "good"})
RETRIED = ["INIT", "DEVELOP", "DEVELOP", "VALIDATE", "COMPLETE"]


def short(stage: Stage) -> str:
    """A loop whose turns have two seconds, and two to wrap up."""
    return stage.create(action_timeout=2.0, grace_timeout=2.0)


def writes(stage: Stage, note: RunNote) -> None:
    """An agent that has done its work before it hangs."""
    if note.text == "scripted works on DEVELOP":
        (stage.project / "app.txt").write_text("good")


async def test_what_it_reports_when_asked_to_wrap_up_counts(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, HANGS, DONE)
    loop_id = ready.create("Please make app.txt good", action_timeout=2.0, grace_timeout=90.0)
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == HAPPY
    order, wrap_up = agent.developing()
    assert agent.sessions == 1
    assert "The time for DEVELOP is up" in wrap_up.text
    assert "Please make app.txt good" in wrap_up.text
    assert "leave `.workflow` there alone" in wrap_up.text
    assert "Please make app.txt good" in wrap_up.short
    assert wrap_up.text.startswith("CONTINUE EXECUTION")
    assert (order.seconds, wrap_up.seconds) == (2, 90)
    assert incidents(state) == ["out_of_time"]
    assert state.engine.incidents[0].message == (
        "DEVELOP: scripted was still working after 2 s; what it reported at the cut-off counts"
    )
    assert state.skill_state is not None
    assert state.skill_state.develop.tasks[0].files_changed == ("app.txt",)


@pytest.mark.parametrize(
    "last", [HANGS, ScriptedTurn(text="Sorry."), ScriptedTurn(dies=True), ScriptedTurn(error="transient")]
)
async def test_who_does_not_wrap_up_is_closed_and_the_action_tried_again(stage: MakeStage, last: ScriptedTurn) -> None:
    ready = stage()
    agent = watched(ready, PLAN, HANGS, last, DONE)
    loop_id = short(ready)
    assert succeeded(state := await ready.drive(loop_id))
    assert ready.actions(loop_id) == RETRIED
    assert [error.split(", and did not")[0] for error in errors(state)] == ["scripted was still working after 2 s"]
    assert (agent.sessions, agent.open) == (2, set())
    again = agent.developing()[2]
    assert again.session is None, "a session that may be broken is not loaded"
    assert again.brief.endswith("I am still thinking") == (last is HANGS or last.error is not None or last.dies)


async def test_without_a_grace_it_is_only_cut_off(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, HANGS, DONE)
    loop_id = ready.create(action_timeout=2.0, grace_timeout=0.0)
    assert succeeded(await ready.drive(loop_id))
    assert ready.actions(loop_id) == RETRIED
    assert len(agent.developing()) == 2
    assert any(line.endswith("it is cut off") for line in heard(ready))


async def test_who_gives_no_sign_of_life_is_cut_off_sooner(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, HANGS, DONE)
    assert succeeded(state := await ready.drive(ready.create(silence_timeout=2.0)))
    assert "showed no activity for 2 s" in state.engine.incidents[0].message


@pytest.mark.parametrize("action", ["INIT", "DEBUG"])
async def test_every_action_has_its_limits(stage: MakeStage, action: str) -> None:
    ready = stage()
    wrong = DONE.evolve(files={"app.txt": "better"})
    fixed = ScriptedTurn(text=said("DEBUG"), files={"app.txt": "good"})
    answers = {"INIT": (HANGS, PLAN, DONE), "DEBUG": (PLAN, wrong, HANGS, fixed)}[action]
    watched(ready, *answers)
    assert succeeded(state := await ready.drive(short(ready)))
    assert [incident.message.partition(":")[0] for incident in state.engine.incidents] == [action]


async def test_a_report_that_it_gave_before_it_hung_counts(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, HANGS.evolve(says_before=said("DEVELOP")))
    assert succeeded(state := await ready.drive(short(ready), on_note=lambda note: writes(ready, note)))
    assert len(agent.developing()) == 1
    assert incidents(state) == ["out_of_time"]


async def test_a_limit_that_is_reached_while_it_wraps_up_parks_the_loop(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, HANGS, ScriptedTurn(error="quota"), DONE)
    loop_id = short(ready)
    assert succeeded(await ready.drive(loop_id))
    assert any(line.startswith("parked until") for line in heard(ready))


class Deaf(Watched):
    """Does not hear that its turn is cancelled; `stuck`: the call does not even come back."""

    stuck = False
    pressed = 0

    async def send_input(self, id: str, message: Message) -> None:
        self.pressed += message.text.count("time for DEVELOP is up")
        await super().send_input(id, message)

    async def cancel_turn(self, id: str) -> None:
        if self.stuck:
            await asyncio.get_running_loop().create_future()


@pytest.mark.parametrize("stuck", [False, True])
async def test_who_can_not_be_cut_off_is_closed(stage: MakeStage, stuck: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.core.agent_turns.CANCEL_SECONDS", 1.0)
    ready = stage()
    agent = Deaf(AgentScript(answers=(PLAN, HANGS, DONE)), ready.project)
    agent.stuck = stuck
    ready.agent = agent
    loop_id = short(ready)
    assert succeeded(await ready.drive(loop_id))
    assert ready.actions(loop_id) == RETRIED
    assert (len(agent.developing()), agent.sessions, agent.open) == (2, 2, set())
    assert agent.pressed == 0, "whoever is still at work is sent nothing"


class LateAnswer(Watched):
    """Answers all the same when it is cancelled."""

    async def cancel_turn(self, id: str) -> None:
        self.late = True
        await super().cancel_turn(id)

    def at_work(self, id: str) -> AgentOutput:
        text = said("DEVELOP") if getattr(self, "late", False) else "thinking"
        return super().at_work(id).evolve(text=text)


async def test_an_answer_after_the_cancelling_counts(stage: MakeStage) -> None:
    ready = stage()
    ready.agent = agent = LateAnswer(AgentScript(answers=(PLAN, HANGS)), ready.project)
    assert succeeded(state := await ready.drive(short(ready), on_note=lambda note: writes(ready, note)))
    assert (len(agent.developing()), incidents(state)) == (1, ["out_of_time"])


class Asks(Watched):
    """Waits for a person's permission for the first looks of a turn."""

    looks = 0

    def at_work(self, id: str) -> AgentOutput:
        self.looks += 1
        return super().at_work(id).evolve(asking=self.looks < 6)


async def test_while_it_waits_for_a_person_its_time_stands(stage: MakeStage) -> None:
    ready = stage()
    ready.agent = agent = Asks(AgentScript(answers=(PLAN, DONE.evolve(seconds=1.0))), ready.project)
    state = await ready.drive(ready.create(action_timeout=4.0, silence_timeout=2.0))
    assert succeeded(state)
    assert incidents(state) == []
    assert agent.looks >= 4, "looked at often enough to be out of time"


async def test_who_reads_no_prose_is_not_asked_to_wrap_up(stage: MakeStage) -> None:
    """A command would only be run once more."""
    ready = stage(capabilities=Capabilities())
    agent = watched(ready, HANGS, HANGS)
    state = await ready.drive(short(ready))
    assert state.status == "failed"
    assert not any("is up" in message.text for message in agent.messages)
    assert {*incidents(state)} == {"no_result"}
