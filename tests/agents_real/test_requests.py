"""What reaches the model of each real agent in the courses of tests/golden: every message whole, and which tools.

The texts stand in tests/golden/messages; `goldens/NAME.txt` has what differs from agent to agent.
`PYTHONPATH=. python -m pytest tests/agents_real/test_requests.py --tier soak` writes a file that is not there.
"""

import json
import os
import signal
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from loopwright.reports.tools import STEP_TOOLS, TOOLS
from loopwright.surfaces.mcp.report import AgentToolset
from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Prepare
from tests.agents_real.cycles import Cast
from tests.agents_real.fence import Fence
from tests.agents_real.loops import Ground, Json
from tests.agents_real.processes import until
from tests.agents_real.test_trouble import programs
from tests.golden.courses import COURSES, Told, course_commands, lay_out_course, mask
from tests.golden.test_messages import golden
from tests.model.server import Exchange, serving
from tests.model.turns import DYING, play_turns

pytestmark = pytest.mark.real_agents

FOLDER = Path(__file__).parent / "goldens"
KITS = {"loop": AgentToolset(TOOLS, "", "", debugs=True), "cycle": AgentToolset(STEP_TOOLS, "", "", debugs=True)}


@pytest.mark.parametrize("kind", COURSES)
@pytest.mark.parametrize("name", AGENTS)
async def test_every_message_reaches_the_model_whole(
    name: str, kind: str, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    with serving(play_turns(COURSES[kind], project), fence.listen()) as model:
        lay_out_course(project)
        place = (Ground if kind == "loop" else Cast)(real_agent(name, model), project, fence)
        for words in course_commands(kind, project, name):
            async with place.running(*words) as runner:
                if kind == "loop":
                    await until(lambda: DYING in place.alive().values() or runner.poll() is not None, timeout=120)
                    os.kill(programs(place, runner.pid)[0], signal.SIGKILL)
                assert runner.wait(240) == 0, (place.agent.home / "runner").read_text()
        turns = model.turns
    told = [mask(text, project) for text in dict.fromkeys(_user(turn) for turn in turns)]
    lines = [*_describe_messages(golden(kind), told), "", *_describe_tools(kind, turns)]
    path = FOLDER / f"{name}-{kind}.txt"
    now = "\n".join(lines) + "\n"
    if not path.exists():
        path.write_text(now, encoding="utf-8")
        pytest.fail(f"there was no {path.name}: read what was written, and run this again", pytrace=False)
    assert now == path.read_text(encoding="utf-8")


def _user(turn: Exchange) -> str:
    assert turn.conversation is not None
    return turn.conversation.user


def _describe_messages(expected: Sequence[Told], told: Sequence[str]) -> Iterator[str]:
    """That each of ours is in a request, and whether the agent adds something to any of them.

    The brief of a message is only sent where its session could not be gone on with, which is a matter of time.
    """
    left, adds = list(told), False
    for one in expected:
        begins = "\n\nYour last turn broke off" if "broke off" in one.text else "\n\nYou are "
        brief, _, rest = one.text.partition(begins)
        forms = (one.text, one.text[len(brief) + 2 :] if rest else one.text)
        found = next(((text, form) for form in forms for text in left if form in text), None)
        assert found, f"no request holds {one.title}:\n{one.text}\nbut:\n{left[:1]}"
        text, form = found
        left.remove(text)
        adds = adds or text != form
    assert not left
    yield f"{len(expected)} messages: whole{', some with words of its own' if adds else ''}"


def _describe_tools(kind: str, turns: Sequence[Exchange]) -> Iterator[str]:
    """How the model is offered our tools: by which name, with how much of our words, or not before it searches."""
    request = json.loads(turns[0].body)
    offered = list(_named(request.get("tools")))
    for tool in KITS[kind].described:
        shown = [one for one in offered if one["name"].endswith(tool.name)]
        words = " ".join((tool.description or "").split())
        for one in shown:
            whole = words in " ".join(one["description"].split())
            yield f"{one['name']}: {'described in full' if whole else 'its description is cut'}"
        if not shown:
            yield f"{tool.name}: not listed"
    is_told = "End every turn by calling" in json.dumps(request)
    yield f"what our server says of itself: {'told' if is_told else 'not told'}"


def _named(value: Json) -> Iterator[Json]:
    """Every object with a name and a description."""
    if isinstance(value, dict):
        if isinstance(value.get("name"), str) and isinstance(value.get("description"), str):
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for one in value:
            yield from _named(one)
