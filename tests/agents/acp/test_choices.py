"""Models and efforts as agents offer them, also those that lie about it; and one live prompt, however it ends."""

import json
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents.acp.choices import SessionChoice
from loopwright.agents.acp.probe import LiveAnswer, ask_agent, check_choice
from loopwright.core.agent_names import AgentChoice, AgentCommand
from loopwright.core.errors import AgentError, NotOffered

PROGRAM = textwrap.dedent(
    """
    import json, sys, time
    how = json.loads(sys.argv[1])
    at = {"model": "small", "effort": "low"}
    efforts = {"small": ["low"], "large": ["low", "high"], "plain": []}

    def options():
        known = [("model", "model", efforts), ("effort", "thought_level", efforts[at["model"]])]
        return [
            {"id": id, "name": id, "category": category, "type": "select", "currentValue": at[id],
             "options": [{"value": value, "name": value.title()} for value in values]}
            for id, category, values in known if values
        ]

    def offer():
        if how.get("offers") == "models":
            models = [{"modelId": name, "name": name} for name in efforts]
            return {"models": {"currentModelId": at["model"], "availableModels": models}}
        return {"configOptions": options()} if how.get("offers") != "nothing" else {}

    def answer(method, params):
        if method == "initialize":
            return {"result": {"protocolVersion": 1, "agentCapabilities": {}}}
        if method == "session/new":
            return {"result": {"sessionId": "s", **offer()}}
        if method == "session/set_model":
            print("set", params["modelId"], file=sys.stderr)
            return {"result": {}}
        if method == "session/set_config_option":
            if how.get("sets") == "refuses":
                return {"error": {"code": -32602, "message": "not in your plan"}}
            if how.get("sets") != "lies":
                at[params["configId"]] = params["value"]
            return {"result": {"configOptions": options()}}
        if method == "session/prompt":
            for update in how.get("updates", []):
                say({"method": "session/update", "params": {"sessionId": "s", "update": update}})
            print(how.get("stderr", ""), file=sys.stderr, flush=True)
            time.sleep(how.get("sleeps", 0))
            return how.get("prompt", {"result": {"stopReason": "end_turn"}})
        return {"error": {"code": -32601, "message": "Method not found"}}

    def say(message):
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message:
            say({"id": message["id"], **answer(message["method"], message["params"])})
    """
)
WORDS = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "ready"}, "messageId": "m"}


def chosen(choice: str = "x", login: str = "", **how: object) -> AgentCommand:
    argv = (sys.executable, "-S", "-E", "-c", PROGRAM, json.dumps(how))
    _, _, model = choice.partition(":")
    name, _, effort = model.partition("@")
    return AgentCommand("x", argv, login=login).choosing(AgentChoice("x", name or None, effort or None))


async def choice_of(command: AgentCommand, folder: Path) -> SessionChoice:
    (folder / "project").mkdir()
    return await check_choice(command, folder / "project", folder, 20)


@pytest.mark.parametrize(
    ("command", "works_with"),
    [
        (chosen(), ("small", "low")),
        (chosen("x:large@high"), ("large", "high")),
        (chosen("x:LARGE@High"), ("large", "high")),
        (chosen("x:plain"), ("plain", None)),
        (chosen("x:large", offers="models"), ("large", None)),
        (chosen(offers="nothing"), (None, None)),
    ],
    ids=["nothing", "both", "by the names that are shown", "no effort", "beside the options", "tells nothing"],
)
async def test_what_a_session_works_with(command: AgentCommand, works_with: SessionChoice, tmp_path: Path) -> None:
    assert await choice_of(command, tmp_path) == works_with


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (chosen("x:huge"), "x offers no model 'huge'; it offers: small, large, plain"),
        (chosen("x:small@high"), "x offers no effort 'high'; it offers: low"),
        (chosen("x:plain@high"), "x offers no choice of effort here, so 'high' cannot be set; leave effort out"),
        (chosen("x:large", offers="nothing"), "x offers no choice of model here"),
        (chosen("x:huge", offers="models"), "x offers no model 'huge'; it offers: small, large, plain"),
        (chosen("x:large", sets="refuses"), "x does not take the model 'large': x: not in your plan"),
        (chosen("x:large", sets="lies"), "x was asked for the model 'large', and still works with 'small'"),
    ],
    ids=["model", "effort", "effort of that model", "no options", "beside the options", "refused", "not taken"],
)
async def test_what_cannot_be_had_is_refused(command: AgentCommand, words: str, tmp_path: Path) -> None:
    with pytest.raises(NotOffered) as raised:
        await choice_of(command, tmp_path)
    assert str(raised.value).startswith(words)


async def test_one_that_opens_no_session_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(AgentError) as raised:
        await check_choice(AgentCommand("x", (sys.executable, "-c", "")), tmp_path, tmp_path, 20)
    assert raised.value.kind == "died"


async def live(folder: Path, seconds: float = 20, **how: Any) -> LiveAnswer:
    return await ask_agent(chosen(**how), folder, seconds)


async def test_an_answer_is_measured(tmp_path: Path) -> None:
    usage = {"inputTokens": 10, "outputTokens": 2, "totalTokens": 12}
    told = await live(tmp_path, updates=[WORDS], prompt={"result": {"stopReason": "end_turn", "usage": usage}})
    assert (told.trouble, told.answer, told.model, told.usage.tokens, told.usage.cost) == (
        None, "ready", "small", 12, None,
    )  # fmt: skip
    assert told.first_words is not None
    assert 0 <= told.first_words <= told.seconds < 20


@pytest.mark.parametrize(
    ("how", "trouble", "words"),
    [
        ({"prompt": {"error": {"code": -32603, "message": "401 Incorrect API key"}}, "login": "x login"}, "auth",
         "x: 401 Incorrect API key; log in with: x login"),
        ({"updates": [{"sessionUpdate": "session_info_update", "_meta": {"codex": {"error": {
            "message": "Reconnecting...", "additionalDetails": "error sending request"}}}}], "sleeps": 60}, "transient",
         "x: error sending request; Reconnecting...; it tries again, and has no answer yet"),
        ({"stderr": "Attempt 1 failed. fetch failed", "sleeps": 60}, "transient",
         "x: Attempt 1 failed. fetch failed; it tries again, and has no answer yet"),
        ({}, "refused", "x ended its turn (end_turn) without an answer"),
    ],
    ids=["login", "beside the protocol", "on stderr", "silent"],
)  # fmt: skip
async def test_a_trouble_is_told_soon(how: dict[str, Any], trouble: str, words: str, tmp_path: Path) -> None:
    told = await live(tmp_path, **how)
    assert (told.trouble, told.words) == (trouble, words)
    assert told.seconds < 10


async def test_whoever_says_nothing_has_a_limit(tmp_path: Path) -> None:
    told = await live(tmp_path, 1.5, sleeps=60)
    assert (told.trouble, told.words) == ("timeout", "no answer within 1.5 s; is the network there?")
