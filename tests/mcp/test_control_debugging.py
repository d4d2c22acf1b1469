"""The debugger asked from outside: `loopwright mcp` as a process, on a project and on a loop's failing tests."""

import json
from pathlib import Path

from tests.cli.conftest import DONE, Desk, planned, said
from tests.mcp.caller import calling
from tests.mcp.test_control import NO_ID
from tests.repair.test_look import files


def sources(project: Path) -> dict[str, bytes]:
    return {name: text for name, text in files(project).items() if name.endswith(".py")}


async def test_a_project_without_any_loop(ledger: Desk) -> None:
    before = sources(ledger.project)
    async with calling(ledger) as caller:
        ran = await caller.call("run_failing_tests")
        assert (ran["failed"], len(ran["tests"])) == (3, 3)
        failing = ran["tests"][0]["test"]
        one = await caller.call("run_failing_tests", tests=[failing])
        assert [test["test"] for test in one["tests"]] == [failing]
        ranked = await caller.call("spectrum", limit=5)
        assert ranked["failing_tests"] == 3
        first = ranked["statements"][0]
        seen = await caller.call(
            "probe", place=f"{first['file']}:{first['line']}", expressions=["__import__('os').getpid() > 0"], hits=1
        )
        assert {value for test in seen["tests"] for hit in test["hits"] for value in hit["data"].values()} == {"True"}
        fix = await caller.call("propose_fix", seconds=2)
        assert fix["applied"] is False
    assert sources(ledger.project) == before
    assert not list(ledger.project.glob(".workflow/.loop/*.json"))


async def test_the_failing_tests_of_a_loop_and_its_log(ledger: Desk) -> None:
    agent = ledger.script(planned("Look at it"), DONE, {"text": said("DEBUG")})
    async with calling(ledger) as caller:
        id = (await caller.call("start_loop", task="Fix it", agent=agent, max_iterations=3))["loop_id"]
        ended = await caller.rested(id)
        failing = {test["name"] for test in ended["failing"]}
        assert len(failing) == 3
        ran = await caller.call("run_failing_tests", id=id)
        assert {test["test"] for test in ran["tests"]} == failing
        log = ledger.project / ".workflow" / ".loop" / f"{id}.progress" / "debug.log"
        known = log.read_text().splitlines()
        ranked = await caller.call("spectrum", id=id, limit=1)
        (first,) = ranked["statements"]
        seen = await caller.call("probe", id=id, place=f"{first['file']}:{first['func']}:{first['line']}", hits=1)
        hits = [hit for test in seen["tests"] for hit in test["hits"]]
        added = [json.loads(line) for line in log.read_text().splitlines()[len(known) :]]
        assert added == hits != []
        assert {hit["hid"] for hit in hits} <= {json.loads(line)["hid"] for line in known}
        assert "not found" in await caller.refused("spectrum", id=NO_ID)
        cycle = (await caller.call("start_cycle", task="Fix it", agent="builtin", start=False))["cycle_id"]
        assert "is a cycle; omit `id`" in await caller.refused("probe", id=cycle, place="ledger.py:1")


async def test_what_can_not_be_debugged_is_told(desk: Desk) -> None:
    async with calling(desk) as caller:
        assert "name the command that runs them with test_command" in await caller.refused("spectrum")
        words = await caller.refused("run_failing_tests", test_command="git status")
        assert "'git status' is neither plain pytest nor unittest" in words
        words = await caller.refused("probe", place="x" * 400 + ":3", test_command="python -m pytest")
        assert "at most 300 are accepted" in words


async def test_a_loop_that_searches_itself_is_left_alone(ledger: Desk) -> None:
    tests = ledger.project / "test_ledger.py"
    tests.write_text(f"import time\n\ntime.sleep(1)\n{tests.read_text()}")
    async with calling(ledger) as caller:
        id = (await caller.call("start_loop", task="Fix the failing tests", agent="builtin"))["loop_id"]
        while (await caller.call("status", id=id))["action"] != "debug":
            assert not (await caller.call("wait", id=id, seconds=0.1))["rested"]
        words = await caller.refused("propose_fix", id=id)
        assert words == "the loop's own debugger is searching: `wait` until it ends or pauses, then see the `diff`"
        await caller.call("stop", id=id)
