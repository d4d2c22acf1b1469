"""The real programs on a scripted model: what they do for us, and what they leave behind."""

import asyncio
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import acp
import pytest
from acp import schema

from tests.agents_real import mcp_server
from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.processes import started_by, until
from tests.agents_real.talk import Heard, talking
from tests.model.script import Fault, McpCall, Reply, ShellCall, WriteCall, by_text, steps
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

Tokens = tuple[int, int]
"""Input and output."""


@dataclass(frozen=True)
class Known:
    """What we know from running an agent; a new version of it may change its mind.

    `asks` holds the kinds of calls it asks permission for, of two commands, a written file and a tool of ours.
    `tokens` finds what it tells of a turn with two requests of 1000 tokens in, 200 of them cached, and 50 out, 10 of
    them reasoning; `told` is what comes out of that.
    """

    asks: tuple[str, ...]
    tokens: Callable[[schema.PromptResponse, Heard], Tokens]
    told: Tokens


def _in_response(response: schema.PromptResponse, _heard: Heard) -> Tokens:
    assert response.usage is not None
    return response.usage.input_tokens + (response.usage.cached_read_tokens or 0), response.usage.output_tokens


def _in_quota(response: schema.PromptResponse, _heard: Heard) -> Tokens:
    assert response.field_meta is not None
    count = response.field_meta["quota"]["token_count"]
    return count["input_tokens"], count["output_tokens"]


def _in_chunks(_response: schema.PromptResponse, heard: Heard) -> Tokens:
    usages = [update.field_meta["usage"] for update in heard.updates if "usage" in (update.field_meta or {})]
    return sum(usage["inputTokens"] for usage in usages), sum(usage["outputTokens"] for usage in usages)


KNOWN: Mapping[str, Known] = {
    "codex": Known(asks=("execute",), tokens=_in_response, told=(2000, 100)),
    "qwen": Known(asks=("execute", "execute", "edit", "other"), tokens=_in_chunks, told=(2000, 100)),
    "gemini": Known(asks=("execute", "execute", "edit", "other"), tokens=_in_quota, told=(2000, 80)),
    "opencode": Known(asks=("execute", "execute", "edit"), tokens=_in_response, told=(1000, 40)),
}
"""codex runs commands and edits in a sandbox and asks only for the tool; opencode tells of a turn's last request only,
and like gemini leaves reasoning out."""


@pytest.mark.parametrize("name", AGENTS)
async def test_it_does_what_the_model_says(
    name: str, real_agent: Prepare, fence: Fence, project: Path, tmp_path: Path
) -> None:
    """Two commands at once, a file and a tool of ours, in one session."""
    done = Reply(text="All is done now.")
    commands = ShellCall("printf ran > ran.txt"), ShellCall("printf too > ran_too.txt")
    script = by_text(
        {
            "the commands": steps(Reply(text="I shall run them.", calls=commands), done),
            "the file": steps(Reply(calls=(WriteCall(str(project / "written.txt"), "written\n"),)), done),
            "the note": steps(Reply(calls=(McpCall("notes", "note", {"text": "noted"}),)), done),
        }
    )
    notes = schema.McpServerStdio(
        name="notes", command=sys.executable, args=[mcp_server.__file__, str(tmp_path / "notes")], env=[]
    )
    with serving(script, fence.listen()) as model:
        agent = real_agent(name, model)
        asked: list[str | None] = []
        async with talking(agent, project, fence, (notes,)) as talk:
            response = await talk.prompt("Do the commands.")
            assert response.stop_reason == "end_turn"
            assert talk.heard.text == "I shall run them.All is done now."
            assert talk.heard.kinds >= {"agent_message_chunk", "tool_call_update"}
            assert KNOWN[name].tokens(response, talk.heard) == KNOWN[name].told
            asked += [each.call.kind for each in talk.heard.asked]
            for task in ("Do the file.", "Do the note."):
                assert (await talk.prompt(task)).stop_reason == "end_turn"
                asked += [each.call.kind for each in talk.heard.asked]
                assert all({"allow_once", "reject_once"} <= each.kinds for each in talk.heard.asked)
        assert tuple(asked) == KNOWN[name].asks
    assert (project / "ran.txt").read_text() == "ran"
    assert (project / "ran_too.txt").read_text() == "too"
    assert (project / "written.txt").read_text() == "written\n"
    assert (tmp_path / "notes").read_text() == "noted\n"
    assert not started_by(agent.home)


@pytest.mark.parametrize("name", AGENTS)
async def test_a_cancelled_command_and_a_refused_key_leave_a_working_session_and_no_process(
    name: str, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    """A cancelled command's children may live on where they have left its session: the sweep has to find them."""
    command = "(setsid sleep 301 &); sleep 300"
    with serving(steps(Reply(calls=(ShellCall(command),))), fence.listen()) as model:
        agent = real_agent(name, model)
        async with talking(agent, project, fence) as talk:
            async with asyncio.TaskGroup() as tasks:
                turn = tasks.create_task(talk.prompt("Do it."))
                await until(lambda: any("sleep 301" in line for line in started_by(agent.home).values()))
                await talk.cancel()
            assert turn.result().stop_reason == "cancelled"

            model.script = lambda _conversation: Fault.UNAUTHORIZED
            with pytest.raises(acp.RequestError):
                await talk.prompt("And now?")

            model.script = steps(Reply(text="Here I am."))
            assert (await talk.prompt("Go on.")).stop_reason == "end_turn"
            assert talk.heard.text == "Here I am."
        assert not started_by(agent.home)


@pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"gemini"}))
async def test_a_new_process_loads_the_session_of_a_killed_one(
    name: str, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    """Not so gemini: it often finds no previous sessions, also after a gentle end."""
    with serving(steps(Reply(text="I shall.")), fence.listen()) as model:
        agent = real_agent(name, model)
        async with talking(agent, project, fence) as talk:
            await talk.prompt("Remember the word xylophone.")
            session = talk.session.session_id
        async with talking(agent, project, fence) as talk:
            await talk.connection.load_session(str(project), session, mcp_servers=[])
            await talk.connection.prompt(session, [acp.text_block("Which word?")])
        told = model.turns[-1].conversation
        assert told is not None
        assert "Which word?" in told.user
        assert any("xylophone" in said.text for said in told.history)


async def test_codex_ends_a_turn_in_trouble_as_if_it_were_done(
    real_agent: Prepare, fence: Fence, project: Path
) -> None:
    """Only the thread's status and the missing usage tell; a used-up plan alone is an error, with the date in words."""
    with serving(lambda _conversation: Fault.SERVER_ERROR, fence.listen()) as model:
        async with talking(real_agent("codex", model), project, fence) as talk:
            response = await talk.prompt("Do it.")
            assert (response.stop_reason, response.usage) == ("end_turn", None)
            assert "high demand" in talk.heard.text
            infos = [update.field_meta for update in talk.heard.updates if isinstance(update, schema.SessionInfoUpdate)]
            assert {"codex": {"threadStatus": {"type": "systemError"}}} in infos

            model.script = lambda _conversation: Fault.USAGE_LIMIT
            with pytest.raises(acp.RequestError) as raised:
                await talk.prompt("And now?")
            told = raised.value.data or {}
            assert told["codexErrorInfo"] == "usageLimitExceeded"
            assert "try again at Jan 1st, 2100" in told["message"]
