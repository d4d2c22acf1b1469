"""Loops driven over streamable HTTP, with the real client and a real server."""

import asyncio

from tests.cli.conftest import DONE, Desk, planned
from tests.mcp.caller import served

NO_ID = "loop-v2-20260101T000000-00000000"


async def test_two_callers_drive_one_loop(desk: Desk) -> None:
    agent = desk.script(planned("a"), {**DONE, "seconds": 50})
    with served(desk) as server:
        async with server.calling() as first, server.calling() as second:
            id = (await first.call("start_loop", task="Take your time", agent=agent))["loop_id"]
            waiting = asyncio.ensure_future(first.call("wait", id=id, seconds=60))
            assert [loop["loop_id"] for loop in (await second.call("list"))["loops"]] == [id]
            stopped = await second.call("stop", id=id)
            assert stopped["outcome"] == "stopped"
            assert (await waiting)["rested"]
            assert first.progress, "it was told meanwhile how far the loop is"
            assert "not found" in (await second.refused("status", id=NO_ID)).lower()
            assert "task: String should have at most" in await second.refused("start_loop", task="x" * 200_000)


async def test_a_killed_server_takes_no_loop_with_it_and_its_successor_goes_on(desk: Desk) -> None:
    agent = desk.script(planned("a"), {**DONE, "seconds": 1})
    with served(desk) as server:
        async with server.calling() as caller:
            id = (await caller.call("start_loop", task="x", agent=agent))["loop_id"]
            server.process.kill()
            server.process.wait()
    with served(desk) as server:
        async with server.calling() as caller:
            ended = await caller.rested(id)
            assert (ended["rested"], ended["status"]) == (True, "failed")
            assert not ended["failure_reason"].startswith("Manually stopped")


async def test_many_callers_at_once(desk: Desk) -> None:
    with served(desk) as server:
        async with server.calling() as caller:
            made = await asyncio.gather(
                *(caller.call("start_loop", task=f"loop {n}", agent="bash", start=False) for n in range(16))
            )
            assert len({told["loop_id"] for told in made}) == 16
            assert (await caller.call("list"))["total"] == 16
