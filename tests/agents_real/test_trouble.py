"""What goes wrong around a real agent: it or its runner is killed, it is stopped, it must not, its model does not."""

import os
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path

import pytest

from tests.agents_real.agents import AGENTS
from tests.agents_real.conftest import Begin
from tests.agents_real.fence import Fence
from tests.agents_real.kelvin import GOAL, course, feature, good, mending
from tests.agents_real.loops import Ground
from tests.agents_real.processes import children, group, until
from tests.model.script import Delivery, Fault, Reply, Script, ShellCall, first
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

KILLED = list(product(AGENTS, (0, -1)))
"""Agents, and which of their programs: the outermost or the innermost."""

WORK = ("run", GOAL, "--auto", "--proof", "none")
"""What the trouble is about comes before any proof."""

REPORTS = "loopwright.surfaces.mcp.report"
SUCCEEDED = ("completed", "succeeded")
LOGIN = {"codex": "codex login", "qwen": "qwen", "gemini": "gemini", "opencode": "opencode auth login"}
FEW = ("--max-iterations", "2")
LOADING = {"codex", "qwen", "opencode"}
"""They find a session of a process that is gone; gemini seldom does, and gets a brief."""

BOTH = {"?? kelvin.py", " M temperature.py"}


def stuck_once(project: Path) -> Script:
    """A good agent whose first command does not end; a part of it leaves its session and its group."""
    flag = project / "__pycache__" / "stuck"
    command = f"test -e {flag} || {{ mkdir -p {flag.parent}; touch {flag}; (setsid sleep 301 &); sleep 300; }}"
    return course(feature=(Reply("I look first.", (ShellCall(command),)), *feature(project)), mending=mending(project))


def programs(place: Ground, runner: int) -> list[int]:
    """The agent's program and those that it has put around itself or into itself, outermost first."""
    lines = {pid: line for pid, line in place.alive().items() if REPORTS not in line}
    [agent] = [pid for pid in children(runner) if place.agent.argv[0] in lines.get(pid, "")]
    return sorted(pid for pid in lines if group(pid) == agent)


@asynccontextmanager
async def stuck(place: Ground, *more: str) -> AsyncIterator["subprocess.Popen[bytes]"]:
    """A runner whose agent is in the middle of the command that does not end."""
    async with place.running(*WORK, "--agent", place.agent.name, *more) as runner:
        await until(lambda: any(line == "sleep 301" for line in place.alive().values()), timeout=60)
        yield runner


@pytest.mark.parametrize(("name", "which"), KILLED)
async def test_an_agent_that_is_killed_is_started_again(
    name: str, which: int, ground: Begin, fence: Fence, project: Path
) -> None:
    """The program itself, and the one that another is wrapped around: codex-acp puts a new one there by itself."""
    with serving(stuck_once(project), fence.listen()) as model:
        place = ground(name, model)
        async with stuck(place) as runner:
            os.kill(programs(place, runner.pid)[which], signal.SIGKILL)
            assert runner.wait(120) == 0
            assert not place.alive()
    assert place.rest == SUCCEEDED
    assert place.touched() == BOTH
    begun = place.heard("session")
    assert len(begun) == (1 if (name, which) == ("codex", -1) else 2)
    assert all(each["loaded"] or name not in LOADING for each in begun[1:])


@pytest.mark.parametrize("name", AGENTS)
async def test_what_a_killed_runner_has_left_is_ended_by_the_next(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    with serving(stuck_once(project), fence.listen()) as model:
        place = ground(name, model)
        async with stuck(place, "--sandbox", "none") as runner:
            runner.kill()
            runner.wait()
            assert place.alive()
            rested = place.run("run", "--loop-id", place.loop_id, "--auto")
            assert rested.code == 0, rested.stderr
            assert not place.alive()
    assert place.rest == SUCCEEDED
    assert place.touched() == BOTH
    begun = place.heard("session")
    assert len(begun) == 2
    assert begun[1]["loaded"] or name not in LOADING


@pytest.mark.parametrize("name", AGENTS)
async def test_a_stop_in_the_middle_of_a_command_leaves_nothing(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    """Neither what sits in a group of its own nor what sits in a session of its own."""
    with serving(stuck_once(project), fence.listen()) as model:
        place = ground(name, model)
        async with stuck(place) as runner:
            stopping = time.monotonic()
            stopped = place.run("stop", place.loop_id)
            assert stopped.code == 0, stopped.stderr
            await until(lambda: runner.poll() is not None and not place.alive(), timeout=5)
            print(f"stopped within {time.monotonic() - stopping:.1f} s")
    assert place.rest == ("failed", "stopped")


@pytest.mark.parametrize("name", AGENTS)
def test_read_only_writes_nothing_and_says_so(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(good(project), fence.listen()) as model:
        place = ground(name, model)
        rested = place.run("run", GOAL, "--auto", "--agent", name, "--permissions", "read-only", *FEW)
        assert rested.code == 1
    assert place.rest[0] == "failed"
    assert place.touched() == set()
    refused = [line["reason"] for line in place.heard("permission") if not line["allowed"]]
    assert refused
    assert all("read-only" in reason for reason in refused)


@pytest.mark.parametrize("name", AGENTS)
async def test_what_is_asked_is_answered_from_another_terminal(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    with serving(good(project), fence.listen()) as model:
        place = ground(name, model)
        answered: set[str] = set()
        async with place.running(*WORK, "--agent", name, "--permissions", "ask") as runner:
            while runner.poll() is None:
                await until(lambda: runner.poll() is not None or bool(_open(place)), timeout=60)
                for request in _open(place) - answered:
                    assert place.run("approve", place.loop_id, request, "--allow").code == 0
                    answered.add(request)
    assert answered
    assert place.rest == SUCCEEDED
    assert {line["by"] for line in place.heard("permission") if line["tool"] == "edit"} == {"person"}


def _open(place: Ground) -> set[str]:
    """Requests that nobody has answered yet."""
    return {request["id"] for request in place.state["engine"]["asked"] if not request["answer"]}


async def test_a_usage_limit_parks_the_loop_until_the_time_the_agent_names(
    ground: Begin, fence: Fence, project: Path
) -> None:
    with serving(lambda _conversation: Fault.USAGE_LIMIT, fence.listen()) as model:
        place = ground("codex", model)
        async with place.running("run", GOAL, "--auto", "--agent", "codex") as runner:
            await until(lambda: bool(place.state["engine"]["parked"]))
            assert place.state["engine"]["parked"]["until"].startswith("2100-01-01")
            assert place.run("stop", place.loop_id).code == 0
            runner.wait(10)
            assert not place.alive()
    assert place.rest == ("failed", "stopped")


@pytest.mark.parametrize("name", AGENTS)
def test_a_refused_key_pauses_the_loop_with_what_to_do(name: str, ground: Begin, fence: Fence, project: Path) -> None:
    with serving(lambda _conversation: Fault.UNAUTHORIZED, fence.listen()) as model:
        place = ground(name, model)
        rested = place.run("run", GOAL, "--auto", "--agent", name)
        assert rested.code == 3
    assert place.rest == ("paused", None)
    question = place.state["engine"]["waiting"]["question"]
    assert f"log in with: {LOGIN[name]}" in question
    assert "resume" in question
    assert not place.alive()


def test_a_rate_limit_is_waited_for(ground: Begin, fence: Fence, project: Path) -> None:
    with serving(first(2, Fault.RATE_LIMITED, good(project)), fence.listen()) as model:
        place = ground("codex", model)
        assert place.run("run", GOAL, "--auto", "--agent", "codex").code == 0
    assert place.rest == SUCCEEDED


def test_a_model_that_hangs_is_cut_off_and_asked_again(ground: Begin, fence: Fence, project: Path) -> None:
    with serving(first(1, Fault.HANG, good(project)), fence.listen()) as model:
        place = ground("codex", model)
        place.settings(silence_timeout=4)
        assert place.run(*WORK, "--agent", "codex").code == 0
    assert place.rest == SUCCEEDED


WORKING = Reply("On it.", (ShellCall("sleep 0.4"),), delivery=Delivery.SLOW)
REQUEST = 1050
"""Tokens of one, as the scripted model counts them."""


@pytest.mark.parametrize("name", AGENTS)
def test_a_budget_of_tokens_ends_a_turn_that_would_not_end(
    name: str, ground: Begin, fence: Fence, project: Path
) -> None:
    """It is exceeded by one request at most."""
    with serving(lambda _conversation: WORKING, fence.listen()) as model:
        place = ground(name, model)
        assert place.run(*WORK, "--agent", name, "--max-tokens", "8000").code == 8
        assert 4000 < REQUEST * len(model.turns) <= 8000 + REQUEST
    assert place.rest == ("failed", "over_budget")
    assert not place.alive()
