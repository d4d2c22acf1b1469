"""The scripted agent: plays what its answers say, trouble included."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from loopwright.agents.scripted import Answer, Script, ScriptedAgent, read_script
from loopwright.domain.errors import AgentError, Invalid
from loopwright.domain.protocol import AgentOutput, Message, Usage

HELLO = Message(action="DEVELOP", text="hello")


def scripted(project: Path, *answers: Answer) -> ScriptedAgent:
    return ScriptedAgent(Script(answers=answers), project)


async def ended(agent: ScriptedAgent, id: str) -> AgentOutput:
    output = (await agent.wait([id], 10_000))[id]
    assert not output.running
    return output


async def test_a_turn_writes_then_speaks(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    answer = Answer(text="Done.", files={"a/b": "1", "old": None}, usage=Usage(tokens=3), session="s-1")
    agent = scripted(tmp_path, answer)
    output = await ended(agent, await agent.spawn_agent(HELLO))
    assert (output.text, output.wrote, output.usage.tokens, output.session) == ("Done.", ("a/b", "old"), 3, "s-1")
    assert (tmp_path / "a/b").read_text() == "1"
    assert not (tmp_path / "old").exists()


async def test_it_keeps_what_it_was_sent(tmp_path: Path) -> None:
    agent = scripted(tmp_path, Answer(), Answer())
    id = await agent.spawn_agent(HELLO.evolve(session="s-1", brief="what was"))
    await ended(agent, id)
    await agent.send_input(id, HELLO.evolve(text="more"))
    await ended(agent, id)
    assert [(each.text, each.session, each.brief) for each in agent.messages] == [
        ("hello", "s-1", "what was"),
        ("more", None, ""),
    ]


async def test_a_turn_that_hangs_ends_when_cancelled_and_the_next_is_answered(tmp_path: Path) -> None:
    agent = scripted(tmp_path, Answer(hangs=True, says_before="I am thinking", session="s-1"), Answer(text="There."))
    id = await agent.spawn_agent(HELLO)
    output = (await agent.wait([id], 20))[id]
    assert (output.running, output.text, output.session) == (True, "I am thinking", "s-1")
    await agent.cancel_turn(id)
    cut = await ended(agent, id)
    assert (cut.text, cut.report, cut.session) == ("I am thinking", None, "s-1")
    await agent.send_input(id, HELLO)
    assert (await ended(agent, id)).text == "There."


async def test_a_used_up_plan_says_until_when(tmp_path: Path) -> None:
    at = "2026-01-22T12:00:00+08:00"
    agent = scripted(tmp_path, Answer(error="quota", until=at), Answer(text="Again."))
    id = await agent.spawn_agent(HELLO)
    with pytest.raises(AgentError) as raised:
        await ended(agent, id)
    assert (raised.value.kind, raised.value.until) == ("quota", datetime.fromisoformat(at))
    await agent.send_input(id, HELLO)
    assert (await ended(agent, id)).text == "Again."


async def test_an_agent_that_dies_says_so(tmp_path: Path) -> None:
    agent = scripted(tmp_path, Answer(dies=True))
    id = await agent.spawn_agent(HELLO)
    with pytest.raises(AgentError, match="in the middle of its turn") as raised:
        await ended(agent, id)
    assert raised.value.kind == "died"


async def test_a_used_up_script_fails(tmp_path: Path) -> None:
    agent = scripted(tmp_path)
    assert "the script is used up" in (await ended(agent, await agent.spawn_agent(HELLO))).text


def test_scripts_are_read_from_files_and_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [{"text": "a", "hangs": True}]}))
    assert read_script(path).answers[0].hangs
    path.write_text(json.dumps({"answers": [{"until": "soon"}]}))
    with pytest.raises(Invalid, match=r"is no script: answers\.0\.until"):
        read_script(path)
    with pytest.raises(Invalid, match="no such script"):
        read_script(tmp_path / "none")
