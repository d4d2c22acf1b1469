"""One session per agent and loop, found again by every later process, or replaced by a brief."""

import asyncio

import pytest

from loopwright.agents.scripted import ScriptedTurn
from tests.stage import MakeStage, Stage, said
from tests.troubles import DONE, PLAN, dumped, events, succeeded, watched

TWO = ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}, {"description": "write more"}]))
MORE = ScriptedTurn(text=said("DEVELOP"), files={"more.txt": "more"})


async def killed_in_a_turn(stage: Stage, loop_id: str) -> None:
    """Drives until a session is remembered, then lets the runner die in the middle of the turn."""
    driving = asyncio.ensure_future(stage.drive(loop_id))
    while not stage.store.read(loop_id).engine.sessions and not driving.done():  # noqa: ASYNC110 - nothing tells
        await asyncio.sleep(0.01)
    driving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await driving


async def test_a_loop_has_one_session_and_its_first_message_needs_no_brief(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, TWO.evolve(session="s-1"), DONE.evolve(session="s-1"), MORE.evolve(session="s-1"))
    loop_id = ready.create()
    assert succeeded(state := await ready.drive(loop_id))
    assert (agent.sessions, agent.open) == (1, set())
    assert {(message.session, message.brief) for message in agent.messages} == {(None, "")}
    assert state.engine.sessions == {"scripted": "s-1"}
    assert events(ready, loop_id, "session", "session_left") == [("session", "runner")], "committed once"


async def test_a_runner_that_dies_in_its_first_turn_has_its_session_gone_on_with(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, ScriptedTurn(hangs=True, session="s-1"))
    loop_id = ready.create()
    await killed_in_a_turn(ready, loop_id)
    agent = watched(ready, PLAN.evolve(session="s-1"), DONE)
    assert succeeded(await ready.drive(loop_id))
    assert (agent.messages[0].session, agent.messages[0].brief, agent.sessions) == ("s-1", "", 1)
    assert "Previous action completed: INIT Result: the runner died" in agent.messages[0].text


async def test_a_runner_that_dies_later_has_a_brief_for_where_the_session_can_not_be_loaded(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, TWO, DONE, ScriptedTurn(hangs=True, session="s-1", says_before="writing more"))
    loop_id = ready.create()
    await killed_in_a_turn(ready, loop_id)
    agent = watched(ready, MORE.evolve(session="s-2"))
    assert succeeded(state := await ready.drive(loop_id))
    first = agent.messages[0]
    assert first.session == "s-1"
    for words in ("actions: INIT, DEVELOP", "1 of 2 tasks completed", "in_progress: write more", "app.txt"):
        assert words in first.brief, first.brief
    assert state.engine.sessions == {"scripted": "s-2"}, "it could not be loaded, and the new one counts"


async def test_each_agent_has_its_own_session_and_a_newcomer_is_told_what_was_done(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, DONE.evolve(session="s-1"), MORE.evolve(session="s-2"))
    loop_id = ready.create()
    ready.service.tasks.add(loop_id, {"description": "write it", "tool": "scripted"})
    ready.service.tasks.add(loop_id, {"description": "write more", "tool": "codex"})
    assert succeeded(state := await ready.drive(loop_id))
    assert agent.sessions == 2
    assert state.engine.sessions == {"scripted": "s-1", "codex": "s-2"}
    newcomer = agent.messages[1]
    assert newcomer.session is None
    assert "1 of 2 tasks completed" in newcomer.brief
    assert not newcomer.text.startswith("CONTINUE EXECUTION")


async def test_a_session_that_will_be_loaded_is_continued_in_words(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, TWO.evolve(session="s-1"), ScriptedTurn(error="auth"))
    loop_id = ready.create()
    await ready.drive(loop_id)
    agent = watched(ready, DONE, MORE)
    assert succeeded(await ready.drive(loop_id))
    assert agent.messages[0].text.startswith("CONTINUE EXECUTION\n\nPrevious action completed: DEVELOP Result: asks:")


async def test_an_agent_that_names_no_session_is_told_by_a_brief(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, TWO, ScriptedTurn(error="auth"))
    loop_id = ready.create()
    await ready.drive(loop_id)
    agent = watched(ready, DONE, MORE)
    assert succeeded(await ready.drive(loop_id))
    assert agent.messages[0].session is None
    assert agent.messages[0].brief.startswith("This work was begun in an earlier session")
    assert agent.messages[1].brief == "", "told once"


async def test_a_rewind_leaves_the_session_that_remembers_what_is_undone(stage: MakeStage) -> None:
    ready = stage()
    watched(ready, TWO.evolve(session="s-1"), DONE, MORE)
    loop_id = ready.create()
    assert succeeded(await ready.drive(loop_id))
    first = ready.store.read(loop_id).engine.checkpoints[0].n
    ready.service.rewind(loop_id, first)
    assert ready.store.read(loop_id).engine.sessions == {}
    agent = watched(ready, DONE, MORE)
    assert succeeded(await ready.drive(loop_id))
    assert agent.messages[0].session is None


async def test_another_program_can_not_slip_a_session_in(stage: MakeStage) -> None:
    ready = stage()
    agent = watched(ready, PLAN.evolve(session="s-1"), DONE.evolve(seconds=0.3), DONE)
    loop_id = ready.create()
    path = ready.project / ".workflow" / ".loop" / f"{loop_id}.json"

    def forge(text: str) -> None:
        path.write_text(path.read_text().replace('"s-1"', '"s-666"'))

    state = await ready.drive(loop_id, on_note=lambda note: forge(note.text) if note.kind == "action" else None)
    assert succeeded(state)
    assert "s-666" not in dumped(state)
    assert agent.sessions == 1
