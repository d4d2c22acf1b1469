"""Models that do not care for our wording, through the real programs: every loop ends, and as it should."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.unruly import UNRULY, check
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

HERE: Mapping[str, str] = {
    "no contract": "codex",
    "chinese": "qwen",
    "wrong arguments": "codex",
    "weakens the tests": "codex",
    "touches the state": "codex",
}
"""One agent for each, mostly the quickest; `make soak` has all models with all agents."""


@pytest.mark.parametrize(("name", "agent"), HERE.items())
def test_its_loop_ends_as_it_should(name: str, agent: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(UNRULY[name].script(project), fence.listen()) as model:
        check(UNRULY[name], agent, ground(agent, model))
