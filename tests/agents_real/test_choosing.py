"""A model and an effort that are chosen: what the model's server is asked for, and no word of the agent's own."""

import json
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.agents_real import mcp_server
from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import GOAL, course, feature, good, mending
from tests.agents_real.loops import Ground
from tests.model.script import McpCall, Reply, Script
from tests.model.server import Exchange, Model, serving

pytestmark = pytest.mark.real_agents


@dataclass(frozen=True)
class Chosen:
    """What is typed, what the server is asked for, and how the agent's sessions name it. `other`: one more model."""

    model: str
    asked: str
    other: str
    effort: str | None = None


CHOSEN: Mapping[str, Chosen] = {
    "codex": Chosen("gpt-5.5", "gpt-5.5", "gpt-5.6-luna", "high"),
    "qwen": Chosen("another", "another", "a-third"),
    "gemini": Chosen("gemini-3-flash-preview", "gemini-3-flash-preview", "gemini-2.5-pro"),
    "opencode": Chosen("scripted/another", "another", "scripted/scripted", "high"),
}


def asked_for(exchange: Exchange) -> tuple[str, str | None]:
    """The model and the effort of a request, as they go over the wire."""
    body = json.loads(exchange.body)
    model = body.get("model") or exchange.path.partition("/models/")[2].partition(":")[0]
    return model, (body.get("reasoning") or {}).get("effort") or body.get("reasoning_effort")


@contextmanager
def chosen(name: str, ground: Begin, fence: Fence, script: Script) -> Iterator[tuple[Ground, Model]]:
    """codex is set to another model; opencode knows two, of which one thinks as it is told to."""
    with serving(script, fence.listen()) as model:
        place = ground(name, model)
        if (
            name == "codex"
        ):  # the others that it knows do their work in a language that the scripted model does not speak
            path = place.agent.home / ".codex" / "config.toml"
            path.write_text(path.read_text().replace("gpt-5.5", "gpt-5.6-luna"))
        if name == "opencode":
            path = place.agent.home / ".config" / "opencode" / "opencode.json"
            settings: Any = json.loads(path.read_text())
            variants = {effort: {"reasoningEffort": effort} for effort in ("low", "high")}
            settings["provider"]["scripted"]["models"]["another"] = {
                "name": "another", "reasoning": True, "variants": variants,
            }  # fmt: skip
            path.write_text(json.dumps(settings))
        yield place, model
    assert not place.alive()


@pytest.mark.parametrize("name", AGENTS)
def test_what_is_chosen_is_asked_for_recorded_and_shown(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    wanted = CHOSEN[name]
    with chosen(name, ground, fence, good(project)) as (place, model):
        effort = ("--effort", wanted.effort) if wanted.effort else ()
        rested = place.run("run", GOAL, "--auto", "--agent", name, "--model", wanted.model, *effort)
        assert rested.code == 0, rested.stderr
        asked = {asked_for(each) for each in model.turns}
        assert (
            asked == {(wanted.asked, wanted.effort)} if wanted.effort else {one for one, _ in asked} == {wanted.asked}
        )
        engine = place.state["engine"]
        settings = engine["settings"]
        assert (settings["agent"], settings["model"], settings.get("effort")) == (name, wanted.model, wanted.effort)
        [usage] = engine["usage"]
        assert (usage["agent"], usage["model"], usage["turns"]) == (name, wanted.model, 3)
        assert usage["tokens"] == engine["budget"]["tokens"]
        [session] = place.heard("session")
        assert (session["model"], session["effort"] if wanted.effort else None) == (wanted.model, wanted.effort)
        shown = place.shown("show", place.loop_id)
        assert f"{name}, model {wanted.model}" in shown
        assert f"{wanted.model} by {name}: 3 turns" in shown
        assert place.run("replay", place.loop_id).code == 0


@pytest.mark.parametrize("name", AGENTS)
def test_what_an_agent_does_not_offer_is_refused_before_anything_is_done(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    """qwen takes whatever it is started with: only an endpoint knows its models. It and gemini have no efforts."""
    wanted = CHOSEN[name]
    refused: list[tuple[str, ...]] = [("--model", wanted.model, "--effort", "enormous")]
    refused += [("--model", "nonsense")] if name != "qwen" else []
    with chosen(name, ground, fence, good(project)) as (place, model):
        for words in refused:
            done = place.run("run", GOAL, "--auto", "--agent", name, *words)
            assert done.code == 2, done
            error = done.said[-1]["error"]
            if words[-1] == "nonsense":
                assert all(each in error for each in ("'nonsense'", wanted.model, wanted.other)), error
            elif wanted.effort:
                assert all(each in error for each in ("'enormous'", "low, ", wanted.effort)), error
            else:
                assert "offers no choice of effort" in error
        assert not model.turns
        assert place.run("list").said[-1]["data"] == []


def two(name: str) -> tuple[str, str]:
    """codex has one model that the scripted one can play, so there it is the effort that differs."""
    wanted = CHOSEN[name]
    if name == "codex":
        return f"{wanted.model}@low", f"{wanted.model}@high"
    return f"{wanted.model}@low" if wanted.effort else wanted.model, wanted.other


def wire(name: str, choice: str) -> tuple[str, str | None]:
    """What a request asks for that is made with it."""
    model, _, effort = choice.partition("@")
    return model.removeprefix("scripted/"), effort or None


@pytest.mark.parametrize("name", AGENTS)
def test_a_task_has_a_model_of_its_own_and_the_loop_keeps_its_own(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    first, second = two(name)
    with chosen(name, ground, fence, good(project)) as (place, model):
        made = place.run("create", GOAL, "--auto", "--agent", f"{name}:{first}", "--max-iterations", "1")
        assert made.code == 0, made
        loop = place.loop_id
        assert name == "qwen" or place.run("tasks", loop, "add", "It.", "--tool", f"{name}:nonsense").code == 2
        assert place.run("tasks", loop, "add", "Write kelvin.py.", "--tool", f"{name}:{second}").code == 0
        assert place.run("run", "--loop-id", loop, "--auto").code == 1
        assert {asked_for(each) for each in model.turns} == {wire(name, second)}
        done = len(model.turns)
        rested = place.run("run", "--loop-id", loop, "--auto", "--max-iterations", "10")
        assert rested.code == 0, rested
        assert {asked_for(each) for each in model.turns[done:]} == {wire(name, first)}
        assert set(place.state["engine"]["sessions"]) == {name, f"{name}:{second}"}


@pytest.mark.parametrize("name", AGENTS)
def test_a_resumed_loop_goes_on_with_another_model_in_the_same_session(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    """Not so gemini, which often finds no session of before."""
    wanted, (first, second) = CHOSEN[name], two(name)
    with chosen(name, ground, fence, good(project)) as (place, model):
        begun = place.run("run", GOAL, "--auto", "--agent", f"{name}:{first}", "--max-iterations", "1")
        assert begun.code == 1, begun
        loop, done = place.loop_id, len(model.turns)
        now = ("--effort", "high") if name == "codex" else ("--model", second)
        if name != "qwen":
            refused = place.run("run", "--loop-id", loop, "--auto", "--model", "nonsense")
            assert refused.code == 2, refused
        assert place.rest == ("failed", "exhausted")
        rested = place.run("run", "--loop-id", loop, "--auto", "--max-iterations", "10", *now)
        assert rested.code == 0, rested
        before, after = ({asked_for(each) for each in part} for part in (model.turns[:done], model.turns[done:]))
        assert (before, after) == ({wire(name, first)}, {wire(name, second)})
        assert {(one["model"], one["turns"]) for one in place.state["engine"]["usage"]} == (
            {(wanted.model, 3)} if name == "codex" else {(wanted.model, 2), (wanted.other, 1)}
        )
        loaded = [(line["session"], line["loaded"]) for line in place.heard("session")]
        assert name == "gemini" or loaded == [(loaded[0][0], False), (loaded[0][0], True)]


@pytest.mark.parametrize("name", AGENTS)
def test_it_gets_the_servers_of_its_user_beside_ours(
    name: str, ground: Begin, fence: Fence, project: Path, tmp_path: Path
) -> None:
    """The key in the server's environment is in no file of the project, and in nothing that is shown."""
    key, notes = "k3y-of-the-notes-server-0123456789", tmp_path / "notes"
    note = Reply(calls=(McpCall("notes", "note", {"text": "noted"}),))
    script = course(feature=(note, *feature(project)), mending=mending(project))
    with chosen(name, ground, fence, script) as (place, _):
        place.settings(**{
            f"agents.{name}.mcp.notes.command": [sys.executable, mcp_server.__file__],
            f"agents.{name}.mcp.notes.args": [str(notes)], f"agents.{name}.mcp.notes.env.NOTES_KEY": key,
        })  # fmt: skip
        rested = place.run("run", GOAL, "--auto", "--agent", name, "--model", CHOSEN[name].model)
        assert rested.code == 0, rested
        assert notes.read_text() == "noted\n"
        for shown in (place.shown("config", "show"), place.shown("doctor", "--no-probe"), json.dumps(rested.said)):
            assert key not in shown
        written = [path for path in project.rglob("*") if path.is_file() and ".git" not in path.parts]
        assert not [path for path in written if key.encode() in path.read_bytes()]
        place.settings(**{f"agents.{name}.mcp.notes.command": "no-such-program-here"})
        refused = place.run("create", GOAL, "--auto", "--agent", name)
        assert refused.code == 2
        assert "no-such-program-here" in refused.said[-1]["error"]
