"""The scripted agent: plays what its answers say, trouble included."""

import json
from datetime import datetime
from pathlib import Path

import pytest

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn, read_script
from loopwright.core.errors import AgentError, Invalid
from loopwright.core.protocol import ActionReport, AgentOutput, Message, Usage
from loopwright.reports.text import parse_report

HELLO = Message(action="DEVELOP", text="hello")


def scripted(project: Path, *answers: ScriptedTurn) -> ScriptedAgent:
    return ScriptedAgent(AgentScript(answers=answers), project)


async def ended(agent: ScriptedAgent, id: str) -> AgentOutput:
    output = (await agent.wait([id], 10_000))[id]
    assert not output.running
    return output


async def test_a_turn_writes_then_speaks(tmp_path: Path) -> None:
    (tmp_path / "old").write_text("x")
    answer = ScriptedTurn(text="Done.", files={"a/b": "1", "old": None}, usage=Usage(tokens=3), session="s-1")
    agent = scripted(tmp_path, answer)
    output = await ended(agent, await agent.spawn_agent(HELLO))
    assert (output.text, output.wrote, output.usage.tokens, output.session) == ("Done.", ("a/b", "old"), 3, "s-1")
    assert (tmp_path / "a/b").read_text() == "1"
    assert not (tmp_path / "old").exists()


async def test_it_keeps_what_it_was_sent(tmp_path: Path) -> None:
    agent = scripted(tmp_path, ScriptedTurn(), ScriptedTurn())
    id = await agent.spawn_agent(HELLO.evolve(session="s-1", brief="what was"))
    await ended(agent, id)
    await agent.send_input(id, HELLO.evolve(text="more"))
    await ended(agent, id)
    assert [(each.text, each.session, each.brief) for each in agent.messages] == [
        ("hello", "s-1", "what was"),
        ("more", None, ""),
    ]


async def test_a_turn_that_hangs_ends_when_cancelled_and_the_next_is_answered(tmp_path: Path) -> None:
    agent = scripted(
        tmp_path, ScriptedTurn(hangs=True, says_before="I am thinking", session="s-1"), ScriptedTurn(text="There.")
    )
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
    agent = scripted(tmp_path, ScriptedTurn(error="quota", until=at), ScriptedTurn(text="Again."))
    id = await agent.spawn_agent(HELLO)
    with pytest.raises(AgentError) as raised:
        await ended(agent, id)
    assert (raised.value.kind, raised.value.until) == ("quota", datetime.fromisoformat(at))
    await agent.send_input(id, HELLO)
    assert (await ended(agent, id)).text == "Again."


async def test_an_agent_that_dies_says_so(tmp_path: Path) -> None:
    agent = scripted(tmp_path, ScriptedTurn(dies=True))
    id = await agent.spawn_agent(HELLO)
    with pytest.raises(AgentError, match="during its turn") as raised:
        await ended(agent, id)
    assert raised.value.kind == "died"


async def test_a_used_up_script_fails(tmp_path: Path) -> None:
    agent = scripted(tmp_path)
    assert "the script is used up" in (await ended(agent, await agent.spawn_agent(HELLO))).text


async def test_a_role_whose_script_is_used_up_fails_in_its_own_words(tmp_path: Path) -> None:
    agent = scripted(tmp_path)
    output = await ended(agent, await agent.spawn_agent(Message(action="ra.analyse", text="")))
    report = parse_report(output.text, "ra.analyse")
    assert report == ActionReport(action="ra.analyse", status="failed", message="the script is used up")


async def test_answers_that_are_to_an_order_wait_for_it(tmp_path: Path) -> None:
    agent = scripted(
        tmp_path,
        ScriptedTurn(to="TASK-002", text="second"),
        ScriptedTurn(to="ep.plan", text="a plan"),
        ScriptedTurn(text="any"),
        ScriptedTurn(to="TASK-002", text="again"),
    )
    plan, second = Message(action="ep.plan", text="Plan."), Message(action="cd.implement", text="Do TASK-002.")
    id = await agent.spawn_agent(plan)
    said = [(await ended(agent, id)).text]
    for order in (plan, second, second):
        await agent.send_input(id, order)
        said.append((await ended(agent, id)).text)
    assert said == ["a plan", "any", "second", "again"]
    await agent.send_input(id, plan)
    assert "the script is used up" in (await ended(agent, id)).text


async def test_files_of_its_own_folder_are_named_by_where_they_lie(tmp_path: Path) -> None:
    project, below, beside = tmp_path / "lane", tmp_path / "lane/.workflow/ra", tmp_path / "main/.workflow/cd"
    files: dict[str, str | None] = {"{folder}/a.md": "a", "{folder}/../ep/b.md": "b", "src/c.py": "c"}
    agent = scripted(
        project, ScriptedTurn(files=files), ScriptedTurn(files=files), ScriptedTurn(files={"{folder}/a.md": None})
    )
    id = await agent.spawn_agent(HELLO.evolve(folder=str(below)))
    assert (await ended(agent, id)).wrote == (".workflow/ra/a.md", ".workflow/ep/b.md", "src/c.py")
    await agent.send_input(id, HELLO.evolve(folder=str(beside)))
    assert (await ended(agent, id)).wrote == (str(beside / "a.md"), str(beside.parent / "ep/b.md"), "src/c.py")
    assert [(beside / "a.md").read_text(), (below.parent / "ep/b.md").read_text()] == ["a", "b"]
    await agent.send_input(id, HELLO.evolve(folder=str(below)))
    await ended(agent, id)
    assert not (below / "a.md").exists()


async def test_two_that_wait_for_each_other_end_only_side_by_side(tmp_path: Path) -> None:
    ours, theirs = str(tmp_path / "ours"), str(tmp_path / "theirs")
    one = scripted(tmp_path, ScriptedTurn(signals=ours, waits_for=(theirs,), text="one", files={"late": "x"}))
    other = scripted(tmp_path, ScriptedTurn(signals=theirs, waits_for=(ours,), text="other"))
    id = await one.spawn_agent(HELLO)
    output = (await one.wait([id], 100))[id]
    assert output.running
    assert Path(ours).exists()
    assert not (tmp_path / "late").exists()
    assert (await ended(other, await other.spawn_agent(HELLO))).text == "other"
    assert (await ended(one, id)).text == "one"


def test_scripts_are_read_from_files_and_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"answers": [{"text": "a", "hangs": True}]}))
    assert read_script(path).answers[0].hangs
    path.write_text(json.dumps({"answers": [{"until": "soon"}]}))
    with pytest.raises(Invalid, match=r"is not a script: answers\.0\.until"):
        read_script(path)
    with pytest.raises(Invalid, match="no such script"):
        read_script(tmp_path / "none")


async def test_copies_are_what_their_source_is(tmp_path: Path) -> None:
    source = tmp_path / "elsewhere"
    source.write_bytes(b"\xff\x00\r\n")
    source.chmod(0o755)
    agent = scripted(tmp_path / "project", ScriptedTurn(copies={"bin/tool": str(source)}))
    output = await ended(agent, await agent.spawn_agent(HELLO))
    copied = tmp_path / "project/bin/tool"
    assert (output.wrote, copied.read_bytes(), copied.stat().st_mode & 0o777) == (("bin/tool",), b"\xff\x00\r\n", 0o755)
