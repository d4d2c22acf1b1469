"""Real agents in a sandbox: they log in, report through our tools, load their sessions, and see nothing of the user."""

import re
from pathlib import Path

import pytest

from loopwright.processes.confinement import SANDBOXES
from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FEATURE, GOAL, MENDED, good
from tests.model.server import serving

DENIED = re.compile(r"Read-only file system|EROFS|EACCES|EBUSY|Permission denied|Operation not permitted")
"""What is said of something that an agent needed and did not get."""

pytestmark = pytest.mark.real_agents


@pytest.mark.parametrize("sandbox", SANDBOXES)
@pytest.mark.parametrize("name", AGENTS)
def test_a_feature_and_a_fix_in_a_sandbox(name: str, sandbox: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(good(project), fence.listen()) as model:
        place = ground(name, model)
        rested = place.run("run", GOAL, "--auto", "--agent", name, "--sandbox", sandbox)
        assert rested.code == 0, rested.stderr
        state = place.state
        assert (state["engine"]["settings"]["sandbox"], state["engine"]["outcome"]) == (sandbox, "succeeded")
        assert place.touched() == {"?? kelvin.py", " M temperature.py"}
        assert (project / "kelvin.py").read_text() == FEATURE
        assert (project / "temperature.py").read_text() == MENDED
        assert not DENIED.search("\n".join(str(line) for line in place.heard("tool")))
    assert not place.alive()
