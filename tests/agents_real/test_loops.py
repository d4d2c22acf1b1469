"""Whole loops by the real programs: a feature, a red test, a fix, and an end, in one session of the agent."""

from pathlib import Path

import pytest

from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FEATURE, GOAL, MENDED, good
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

REQUEST = 1050
"""Tokens of one: 1000 in and 50 out."""


@pytest.mark.parametrize("name", AGENTS)
def test_a_feature_and_a_fix_in_one_session(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(good(project), fence.listen()) as model:
        place = ground(name, model)
        rested = place.run("run", GOAL, "--auto", "--agent", name)
        assert rested.code == 0, rested.stderr
        state = place.state
        assert (state["status"], state["engine"]["outcome"]) == ("completed", "succeeded")
        done = ["INIT", "DEVELOP", "VALIDATE", "DEBUG", "VALIDATE", "COMPLETE"]
        assert state["skill_state"]["completed_actions"] == done

        assert place.touched() == {"?? kelvin.py", " M temperature.py"}
        assert (project / "kelvin.py").read_text() == FEATURE
        assert (project / "temperature.py").read_text() == MENDED
        [task] = state["skill_state"]["develop"]["tasks"]
        assert (task["status"], task["files_changed"]) == ("completed", ["kelvin.py"])
        changed = [(line["file"], line["action"], line["agent"]) for line in place.changes]
        assert changed == [("kelvin.py", "create", name), ("temperature.py", "modify", name)]

        [session] = place.heard("session")
        assert not session["loaded"]
        assert state["engine"]["sessions"] == {name: session["session"]}
        messages = place.heard("message")
        assert [each["action"] for each in messages] == ["INIT", "DEVELOP", "DEBUG"]
        newest = model.turns[-1].conversation
        assert newest is not None
        said = "\n".join(message.text for message in newest.history)
        assert all(each["text"].splitlines()[-1] in said for each in messages)
        written = {path for line in place.heard("tool") if line["tool"] == "edit" for path in line["paths"]}
        assert {Path(path).name for path in written} == {"kelvin.py", "temperature.py"}
        assert state["engine"]["budget"]["tokens"] == REQUEST * len(model.turns)
    assert not place.alive()

    replayed = place.run("replay", place.loop_id)  # there is no model any more, and no agent is started
    assert replayed.code == 0, replayed


@pytest.mark.parametrize("name", AGENTS)
def test_doctor_finds_it_ready(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(good(project), fence.listen()) as model:
        place = ground(name, model)
        looked = place.run("doctor", "--agent", name)
        assert looked.code == 0, looked
        [agent] = looked.said[-1]["data"]["agents"]
        assert (agent["name"], agent["status"]) == (name, "starts")
        assert agent["version"]
        assert agent["probe"]["load_session"]
        assert agent["probe"]["modes"]
        assert not model.turns
    assert not place.alive()
