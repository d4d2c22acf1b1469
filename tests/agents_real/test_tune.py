"""A fix that a real agent writes into a copy of a skill, and that holds; and one that does not."""

import json
import re
from pathlib import Path

import pytest

from tests.agents_real import loops
from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.model.script import Conversation, Fault, McpCall, Reply, WriteCall, steps
from tests.model.server import serving
from tests.tune.session.stage import MENDED, STYLE

pytestmark = pytest.mark.real_agents

COPY = re.compile(r"A copy of it lies in (\S+)\. ")
TRIED = re.compile(r"# What was tried already, and did not hold\n\n(.*?)\n\n#", re.DOTALL)


def script(conversation: Conversation) -> Reply | Fault:
    """First only a comment; once it is told that this did not hold, the file that is missing."""
    if "`end_review`" in conversation.user:
        end = McpCall("loopwright", "end_review", {})
        return steps(Reply(calls=(end,)), Reply(text="Nothing."))(conversation)
    found, tried = COPY.search(conversation.user), TRIED.search(conversation.user)
    if found is None or tried is None:
        return Reply(text="I have nothing to add.")
    folder, name = Path(found[1]), "phases/02-write.md"
    claim = WriteCall(str(folder / name), MENDED[name] + "\n<!-- specs/style.md: fixed -->\n")
    call = claim if tried[1] == "nothing" else WriteCall(str(folder / "specs/style.md"), STYLE)
    return steps(Reply(calls=(call,)), Reply(text="It is mended."))(conversation)


@pytest.mark.parametrize("name", ["codex"])
def test_its_second_try_holds(name: str, real_agent: Prepare, fence: Fence, project: Path) -> None:
    with serving(script, fence.listen()) as model:
        files = {f"skills/notes/{file}": text for file, text in MENDED.items()}
        place = loops.ground(real_agent(name, model), project, fence, files)
        rested = place.run("tune", "skills/notes", "--fix=all", "--agent", name, "--yes")
        assert rested.code == 0, rested
    [folder] = (project / ".workflow" / ".scratchpad").glob("skill-tuning-*")
    state = json.loads((folder / "state.json").read_bytes())
    assert (state["status"], state["quality_score"]) == ("completed", 100), state["errors"]
    assert [fix["verification_result"] for fix in state["applied_fixes"]] == ["fail", "pass"]
    assert place.touched() == {"?? skills/notes/specs/style.md"}
    assert (project / "skills/notes/specs/style.md").read_text() == STYLE
    assert state["engine"]["budget"]["tokens"] > 0
    lines = loops.objects(folder / "transcript.ndjson")
    assert [line["action"] for line in lines if line["kind"] == "message"][4:] == ["action-propose-fixes"] * 2
    assert not place.alive()
