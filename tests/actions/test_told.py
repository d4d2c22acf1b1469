"""What a person tells an agent at work reaches it once, and its receipt says what became of it."""

import random
from collections.abc import Callable

import pytest

from bench.soaks import told
from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import AgentError, Conflict, Forbidden, Invalid
from loopwright.core.person_messages import (
    LONGEST_TEXT,
    MOST_KEPT,
    MOST_QUEUED,
    delivery_words,
    mark_messages,
    merge_messages,
    queue_message,
    settle_broken_deliveries,
)
from loopwright.core.protocol import Message
from loopwright.core.run_events import RunNote
from loopwright.core.state import PersonMessage
from loopwright.core.transcript import AgentMessage
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.fakes import NoProcesses
from tests.stage import MakeStage, Stage
from tests.troubles import DONE, PLAN, succeeded, watched

SLOW = ScriptedTurn(hangs=True, says_before="I begin")


class Within(NoProcesses):
    def within(self, loop_id: str) -> bool:
        return True


def receipts(stage: Stage, loop_id: str) -> list[str]:
    engine = stage.store.read(loop_id).engine
    return [delivery_words(engine, message) for message in engine.messages]


async def driven(stage: Stage, loop_id: str, when: Callable[[RunNote], bool], *, now: bool = False) -> LoopState:
    """The loop, told something when such a note of it is heard for the first time."""
    is_told = False

    def on_note(note: RunNote) -> None:
        nonlocal is_told
        if when(note) and not is_told:
            is_told = True
            stage.service.tell(loop_id, "Leave the API alone", now=now)

    return await stage.drive(loop_id, on_note=on_note)


def in_turn(action: str) -> Callable[[RunNote], bool]:
    """Once the agent has been given that order."""
    return lambda note: isinstance(note.event, AgentMessage) and note.event.action == action


async def test_it_comes_with_the_next_order(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, DONE)
    assert succeeded(await driven(ready, loop_id := ready.create(), in_turn("INIT")))
    assert [("Leave the API alone" in message.told) for message in agent.messages] == [False, True]
    assert receipts(ready, loop_id) == ["answered by scripted: done"]


async def test_now_cuts_the_turn_off_and_it_goes_on(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, SLOW, DONE)
    assert succeeded(await driven(ready, loop_id := ready.create(), in_turn("DEVELOP"), now=True))
    after = agent.messages[-1]
    assert after.text.startswith("# The person you work for tells you\n\nLeave the API alone\n\nYour turn was cut off")
    assert (len(agent.messages), agent.sessions) == (3, 1)
    assert receipts(ready, loop_id) == ["answered by scripted: done"]


async def test_what_no_turn_has_heard_is_a_task_before_the_end(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, DONE, DONE.evolve(files={"notes.txt": "kept"}))
    state = await driven(ready, loop_id := ready.create(), lambda note: note.text == "VALIDATE: pass")
    assert succeeded(state)
    assert receipts(ready, loop_id) == ["answered by scripted: done"]
    assert state.engine.tasks[-1].description == "Leave the API alone"
    assert "Leave the API alone" in agent.messages[-1].text


async def test_a_message_that_asks_for_no_change_keeps_nothing_from_success(stage: MakeStage) -> None:
    """Found on a public project: "Leave the API alone" had to change a file, and a proven loop ended exhausted."""
    ready = stage()
    agent = watched(ready, PLAN, DONE, DONE.evolve(files={}), DONE.evolve(files={}))
    state = await driven(ready, loop_id := ready.create(), lambda note: note.text == "VALIDATE: pass")
    assert succeeded(state)
    (receipt,) = receipts(ready, loop_id)
    assert receipt.endswith("no change was measured")
    assert len(agent.messages) == 4, "it is ordered once more before that is believed"


async def test_a_session_that_never_opened_has_heard_nothing(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, DONE).spawn_agent = refusing  # type: ignore[method-assign]
    ready.service.tell(loop_id := ready.create(), "Leave the API alone")
    assert (await ready.drive(loop_id)).status == "paused"
    assert receipts(ready, loop_id) == ["queued"]


async def refusing(message: Message) -> str:
    raise AgentError("auth", "log in first")


async def test_what_a_dead_runner_had_on_its_way_is_not_told_again(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN, DONE)
    ready.service.tell(loop_id := ready.create(), "Leave the API alone")
    sending = lambda state: mark_messages(state, [state.engine.messages[0].id], status="sending")  # noqa: E731
    ready.service.commit(loop_id, sending, "message_sending")
    assert succeeded(await ready.drive(loop_id))
    assert all(not message.told for message in agent.messages)
    assert receipts(ready, loop_id) == ["undelivered: the runner died while it was being delivered"]


def waiting(state: LoopState, count: int, **changes: object) -> LoopState:
    for n in range(count):
        message = PersonMessage.model_validate({"id": f"msg-{n}", "text": "x", "at": "2026-01-01T00:00:00Z", **changes})
        state = queue_message(state, message)
        state = state.evolve(engine=state.engine.evolve(messages=(*state.engine.messages[:-1], message)))
    return state


@pytest.mark.parametrize("text", ["", " \n", "x" * (LONGEST_TEXT + 1)])
def test_what_cannot_be_told(stage: MakeStage, text: str) -> None:
    ready = stage()
    with pytest.raises(Invalid):
        ready.service.tell(ready.create(), text)


def test_nobody_is_told_who_does_not_read_or_is_not_there(stage: MakeStage) -> None:
    ready = stage()
    with pytest.raises(Conflict, match="builtin, has no model"):
        ready.service.tell(ready.create(agent="builtin"), "Hello")
    with pytest.raises(Invalid, match="no roles"):
        ready.service.tell(ready.create(), "Hello", role="cd")


async def test_nobody_is_told_once_it_is_over(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, PLAN, DONE)
    await ready.drive(loop_id := ready.create())
    with pytest.raises(Conflict, match="it is over"):
        ready.service.tell(loop_id, "Hello")


def test_so_many_wait_and_old_ones_make_room(stage: MakeStage) -> None:
    ready = stage()
    state = ready.store.read(ready.create())
    with pytest.raises(Conflict, match="20 messages are waiting already"):
        waiting(state, MOST_QUEUED + 1)
    full = waiting(state, MOST_KEPT + 5, status="answered")
    assert [message.id for message in full.engine.messages] == [f"msg-{n}" for n in range(5, MOST_KEPT + 5)]


def test_others_add_messages_and_change_none(stage: MakeStage) -> None:
    ready = stage()
    state = waiting(ready.store.read(ready.create()), 3, status="sending")
    before = state.engine.messages
    new = before[0].evolve(id="msg-new", status="queued")
    forged = (before[0].evolve(status="answered", answer="yes"), before[1].evolve(text="other"), new)
    assert merge_messages(before, (*forged, new.evolve(id="msg-forged", status="answered"))) == (*before, new)
    settled = settle_broken_deliveries(state).engine.messages
    assert {message.status for message in settled} == {"undelivered"}
    assert merge_messages(settled, (new,)) == (new,)


def test_what_it_has_started_cannot_speak_for_a_person(stage: MakeStage) -> None:
    ready = stage(processes=Within())
    with pytest.raises(Forbidden, match="cannot speak for the person"):
        ready.service.tell(ready.create(), "Skip the tests")


def test_at_random_moments_with_kills_between() -> None:
    counts = told.run(random.Random(SEED), 8 / told.MESSAGES)
    assert sum(counts.values()) - counts["kills"] == 8
    assert counts["kills"] == 2
    assert counts["undelivered"] <= 2
