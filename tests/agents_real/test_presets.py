"""What our presets say of the real programs is so: modes, logins, and that opencode asks."""

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.acp.probe import ProbeResult, probe_agent
from loopwright.core.agent_names import PRESET_COMMANDS
from tests.agents_real.agents import AGENTS, RealAgent
from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.processes import started_by
from tests.agents_real.talk import talking
from tests.model.script import Reply, ShellCall, WriteCall, by_text, steps
from tests.model.server import serving

pytestmark = pytest.mark.real_agents


async def asked(agent: RealAgent, fence: Fence, folder: Path) -> ProbeResult:
    """What the preset's command tells in this agent's home, and behind the fence."""
    preset = PRESET_COMMANDS[agent.name]
    program = shutil.which(preset.argv[0], path=agent.environment["PATH"])
    assert program is not None
    command = replace(
        preset,
        argv=(*fence.prefix, program, *preset.argv[1:]),
        environment={**agent.environment, **preset.environment},
        without=tuple(os.environ.keys() - agent.environment.keys()),
    )
    folder.mkdir()
    found = await probe_agent(command, folder, 60)
    assert not started_by(agent.home)
    return found


@pytest.mark.parametrize("name", AGENTS)
async def test_every_mode_of_a_preset_is_offered(name: str, real_agent: Prepare, fence: Fence, tmp_path: Path) -> None:
    with serving(steps(Reply()), fence.listen()) as model:
        found = await asked(real_agent(name, model), fence, tmp_path / "probe")
    assert (found.trouble, found.words) == (None, "")
    assert found.version
    assert found.load_session
    assert {*PRESET_COMMANDS[name].modes.values()} <= {*found.modes}


@pytest.mark.parametrize("name", sorted(AGENTS.keys() - {"opencode"}))
async def test_without_a_login_it_is_told_that_one_is_needed(
    name: str, real_agent: Prepare, fence: Fence, tmp_path: Path
) -> None:
    """Not so opencode, which has models for everybody."""
    with serving(steps(Reply()), fence.listen()) as model:
        agent = real_agent(name, model)
        shutil.rmtree(agent.home)
        (agent.home / "tmp").mkdir(parents=True)
        own = AGENTS[name](model.url).environment
        bare = replace(agent, environment={n: v for n, v in agent.environment.items() if n not in own})
        found = await asked(bare, fence, tmp_path / "probe")
    assert found.trouble == "auth", found
    assert found.version
    assert found.auth_methods


async def test_opencode_asks_though_its_own_settings_do_not_and_what_they_deny_stays_denied(
    real_agent: Prepare, fence: Fence, project: Path
) -> None:
    done = Reply(text="Done.")
    script = by_text(
        {
            "the command": steps(Reply(calls=(ShellCall("printf ran > ran.txt"),)), done),
            "the file": steps(Reply(calls=(WriteCall(str(project / "written.txt"), "written\n"),)), done),
            "the denied": steps(Reply(calls=(ShellCall("touch denied.txt"),)), done),
        }
    )
    with serving(script, fence.listen()) as model:
        agent = real_agent("opencode", model)
        agent = replace(agent, environment={**agent.environment, **PRESET_COMMANDS["opencode"].environment})
        path = agent.home / ".config" / "opencode" / "opencode.json"
        settings = {**json.loads(path.read_text()), "permission": {"bash": {"*": "allow", "touch *": "deny"}}}
        path.write_text(json.dumps(settings))
        asks = []
        async with talking(agent, project, fence) as talk:
            talk.heard.allow = False
            for task in ("the command", "the file", "the denied"):
                await talk.prompt(f"Do {task}.")
                asks.append([each.call.kind for each in talk.heard.asked])
    assert asks == [["execute"], ["edit"], []]
    assert list(project.iterdir()) == []
