"""codex works, opencode reviews it, and the other way round: it reads, it writes nothing, and what it quotes counts."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.agents_real.conftest import Begin, Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import FEATURE, GOAL, MENDING, PLAN, PLANNING, feature, mending, said
from tests.agents_real.loops import Ground
from tests.agents_real.processes import until
from tests.model.script import Conversation, Fault, McpCall, Reply, Script, ShellCall, WriteCall, by_text, steps
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

CHECKED = FEATURE.replace(
    "    return", "    if fahrenheit < -459.67:\n        raise ValueError(fahrenheit)\n    return"
)


def objection(quote: str, why: str) -> McpCall:
    told = {"file": "kelvin.py", "line": 5, "quote": quote, "why": why}
    return McpCall("loopwright", "report_objection", told)


END = Reply(calls=(McpCall("loopwright", "end_review", {}),)), Reply(text="The rest looks very good.")
TRUE = objection("    return to_celsius(fahrenheit) + 273.15", "-500 is below absolute zero, and gives a number.")
INVENTED = objection("    return eval(fahrenheit)", "It runs its argument.")


def model(project: Path) -> Script:
    """A reviewer that tries to write, objects with and without ground, and is content with the second version."""
    spoils = Reply(calls=(WriteCall(str(project / "kelvin.py"), "spoiled = True\n"),))
    runs = Reply(calls=(ShellCall(f"echo spoiled > {project}/spoiled.txt"),))
    reported = (Reply(calls=(TRUE, INVENTED)), *END)
    answered = Reply(calls=(WriteCall(str(project / "kelvin.py"), CHECKED),)), said("DEVELOP", "It is checked.")
    ended = {"could not be taken": steps(*reported)}  # where a refused write ends the turn

    def review(conversation: Conversation) -> Reply | Fault:
        again = "# Earlier objections" in conversation.user
        return (steps(*END) if again else steps(spoils, runs, *reported))(conversation)

    return by_text(
        {
            **ended, "# Order: REVIEW": review, "Another agent has reviewed": steps(*answered),
            MENDING: steps(*mending(project)), PLANNING: steps(PLAN), "": steps(*feature(project)),
        }
    )  # fmt: skip


@asynccontextmanager
async def two(
    ground: Begin, real_agent: Prepare, fence: Fence, project: Path, names: tuple[str, str]
) -> AsyncIterator[Ground]:
    with serving(model(project), fence.listen()) as served:
        place = ground(names[0], served)
        other = real_agent(names[1], served)
        environment = {**other.environment, **place.agent.environment}
        yield replace(place, agent=replace(place.agent, environment=environment))
        assert not place.alive()


@pytest.mark.parametrize("names", [("codex", "opencode"), ("opencode", "codex")], ids="-".join)
async def test_a_second_agent_reads_objects_and_is_answered(
    names: tuple[str, str], ground: Begin, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    run = ("run", GOAL, "--auto", "--proof", "none", "--agent", names[0], "--review", names[1])
    async with two(ground, real_agent, fence, project, names) as place:
        rested = place.run(*run)
        assert rested.code == 0, rested.stderr
        assert place.rest == ("completed", "succeeded")
        review = place.state["engine"]["review"]
        assert "missing" not in review, review
        assert [(one["id"], one["status"], one["line"]) for one in review["objections"]] == [("O1", "settled", 5)]
        assert (review["orders"], review["round"]) == (1, 2)
        assert (project / "kelvin.py").read_text() == CHECKED
        assert not (project / "spoiled.txt").exists()
        told = [incident["message"] for incident in place.state["engine"]["incidents"]]
        assert any("“It runs its argument.”: its quote does not stand in kelvin.py" in words for words in told), told
        assert f"by {names[1]}: 1 objection settled" in place.shown("show", place.loop_id)
        assert f"review/{names[1]}" in place.state["engine"]["sessions"]
        assert place.run("replay", place.loop_id).code == 0


async def test_a_runner_that_dies_in_the_review_reviews_again(
    ground: Begin, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    run = ("run", GOAL, "--auto", "--proof", "none", "--agent", "codex", "--review", "codex")
    async with two(ground, real_agent, fence, project, ("codex", "opencode")) as place:
        async with place.running(*run) as runner:
            await until(lambda: "review/codex" in place.state["engine"]["sessions"], timeout=120)
            runner.kill()
            runner.wait()
        assert place.run("run", "--loop-id", place.loop_id, "--auto").code == 0
        assert place.rest == ("completed", "succeeded")
        assert [one["status"] for one in place.state["engine"]["review"]["objections"]] == ["settled"]
        assert not (project / "spoiled.txt").exists()
