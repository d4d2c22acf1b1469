"""Models that do not care for our wording, through the real programs: every loop ends, and as it should."""

from itertools import cycle
from pathlib import Path

import pytest

from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.unruly import UNRULY, check
from tests.model.server import serving

pytestmark = pytest.mark.real_agents


@pytest.mark.parametrize(("name", "agent"), zip(UNRULY, cycle(AGENTS)))
def test_its_loop_ends_as_it_should(name: str, agent: str, ground: Begin, fence: Fence, project: Path) -> None:
    """Each by one agent here; `make soak` has them all."""
    with serving(UNRULY[name].script(project), fence.listen()) as model:
        check(UNRULY[name], agent, ground(agent, model))
