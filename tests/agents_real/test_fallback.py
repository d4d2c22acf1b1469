"""codex has reached its usage limit: opencode goes on, also over the death of the runner."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin, Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import GOAL, good
from tests.agents_real.loops import Ground
from tests.agents_real.processes import until
from tests.model.script import Conversation, Fault, Reply
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

RUN = ("run", GOAL, "--auto", "--proof", "none", "--agent", "codex", "--fallback", "nobody,opencode")


@asynccontextmanager
async def both(ground: Begin, real_agent: Prepare, fence: Fence, project: Path) -> AsyncIterator[Ground]:
    """A home with both of them, and a model that is used up for codex alone."""
    honest = good(project)

    def script(conversation: Conversation) -> Reply | Fault:
        return Fault.USAGE_LIMIT if conversation.model.startswith("gpt") else honest(conversation)

    with serving(script, fence.listen()) as model:
        place = ground("codex", model)
        other = real_agent("opencode", model)
        agent = replace(place.agent, environment={**other.environment, **place.agent.environment})
        place = replace(place, agent=agent)
        table = place.agent.home / ".config" / "loopwright" / "loopwright.toml"
        table.parent.mkdir(parents=True, exist_ok=True)
        table.write_text('[agents.nobody]\ncommand = "no-such-program"\n')
        yield place
        assert not place.alive()


async def test_the_next_agent_takes_over_without_a_person(
    ground: Begin, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    async with both(ground, real_agent, fence, project) as place:
        rested = place.run(*RUN)
        assert rested.code == 0, rested.stderr
        assert place.rest == ("completed", "succeeded")
        told = [incident["message"] for incident in place.state["engine"]["incidents"]]
        assert any(words.startswith("opencode takes over from codex: ") for words in told), told
        assert any(words.startswith("nobody cannot take over from codex: ") for words in told), told
        shown = place.shown("show", place.loop_id)
        assert "opencode" in shown
        assert "takes over from codex" in shown
        assert {line["agent"] for line in place.heard("session")} == {"codex", "opencode"}
        assert place.run("replay", place.loop_id).code == 0


async def test_a_runner_that_dies_after_it_leaves_the_right_agent(
    ground: Begin, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    async with both(ground, real_agent, fence, project) as place:
        async with place.running(*RUN) as runner:
            await until(lambda: place.state["engine"]["settings"]["agent"] == "opencode", timeout=60)
            runner.kill()
            runner.wait()
        assert place.run("run", "--loop-id", place.loop_id, "--auto").code == 0
        assert place.rest == ("completed", "succeeded")
        assert place.state["engine"]["settings"]["agent"] == "opencode"
        assert sum(words["kind"] == "handed_over" for words in place.state["engine"]["incidents"]) == 1
