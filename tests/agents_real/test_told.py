"""What a person tells a real agent at work reaches its model, once."""

import json
from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import GOAL, course, feature, mending
from tests.agents_real.processes import until
from tests.model.script import Reply, Script, ShellCall
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

WORDS = "Mind the absolute zero."
WAYS = {"codex": "steered", "gemini": "order", "qwen": "order", "opencode": "order"}


def slow(project: Path) -> Script:
    return course(
        feature=(Reply("I look first.", (ShellCall("sleep 4"),)), *feature(project)), mending=mending(project)
    )


@pytest.mark.parametrize("name", WAYS)
async def test_it_reaches_the_model_once(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(slow(project), fence.listen()) as model:
        place = ground(name, model)
        async with place.running("run", GOAL, "--auto", "--proof", "none", "--agent", name) as runner:
            await until(lambda: any("sleep 4" in line for line in place.alive().values()), timeout=60)
            assert place.run("tell", place.loop_id, WORDS).code == 0
            runner.wait(120)
        asked = [exchange for exchange in model.turns if exchange.conversation]
        last = [message.text for message in asked[-1].conversation.history if message.who == "user"]  # type: ignore[union-attr]
        assert sum(text.count(WORDS) for text in last) == 1
    [message] = place.state["engine"]["messages"]
    assert (message["way"], message["status"]) == (WAYS[name], "answered"), json.dumps(message)
