"""The debugger's tools in the hands of the real programs: what they ask is measured, told and logged."""

from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import GOAL, MENDED, course, feature, mends_the_fault, reads_the_fault, told
from tests.agents_real.loops import objects
from tests.model.script import McpCall, Reply
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

PROBE = McpCall("loopwright", "probe", {"place": "temperature.py:to_celsius:2", "expressions": ["fahrenheit"]})
SEARCH = McpCall("loopwright", "propose_fix", {"seconds": 20})


@pytest.mark.parametrize("name", ["codex", "opencode"])
def test_a_fault_is_measured_before_it_is_mended(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    looks = (Reply(calls=(PROBE,)), Reply(calls=(SEARCH,)), reads_the_fault(project))
    mending = (*looks, mends_the_fault(project), *told("DEBUG", "Mended."))
    with serving(course(feature=feature(project), mending=mending), fence.listen()) as model:
        place = ground(name, model)
        rested = place.run("run", GOAL, "--auto", "--agent", name)
        assert rested.code == 0, rested.stderr
        assert (project / "temperature.py").read_text() == MENDED
        (text,) = (each["text"] for each in place.heard("message") if each["action"] == "DEBUG")
        assert "temperature.py:2 in to_celsius" in text
        newest = model.turns[-1].conversation
        assert newest is not None
        heard = "\n".join(message.text for message in newest.history)
        assert "33.8" in heard, "some agents hand on the words of an answer, others what is typed"
        assert "nothing was applied" in heard
        log = objects(project / ".workflow" / ".loop" / f"{place.loop_id}.progress" / "debug.log")
        assert log[-1]["data"] == {"fahrenheit": "33.8"}
    assert not place.alive()
