"""Cycles driven over stdio; what their runner would do to the state is done by hand."""

from collections.abc import Callable
from pathlib import Path

from loopwright.core.record import JournalEvent
from loopwright.core.state import Waiting
from loopwright.store.files import FileStore
from loopwright.store.mac_chain import SealFolder
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.commands import take_up, wait_for_person
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision
from tests.cli.conftest import Desk
from tests.fakes import FakeClock
from tests.mcp.caller import Caller, calling

AT = "2026-01-22T10:00:00+08:00"


def changed(desk: Desk, id: str, rule: Callable[[CycleState], CycleState]) -> None:
    seals = SealFolder(Path(desk.env["XDG_STATE_HOME"]) / "loopwright" / "journals")
    with FileStore(desk.project, CYCLES, FakeClock(), seals=seals) as store:
        store.update(id, rule, actor="runner", event=JournalEvent(type="edited"))


def asking(state: CycleState) -> CycleState:
    """It waits for a person."""
    coordination = state.coordination.evolve(
        pending_decisions=(Decision(id="DEC-001", description="Which?", options=("one", "other")),),
        blockers=(Blocker(id="BLK-001", description="no schema", reported_by="cd"),),
    )
    state = take_up(state, AT).evolve(coordination=coordination)
    return wait_for_person(state, Waiting(question="DEC-001: Which?", since=AT))


async def made(caller: Caller, **given: object) -> str:
    told = await caller.call("start_cycle", **{"task": "Balance it", "agent": "builtin", "start": False, **given})
    return str(told["cycle_id"])


async def test_a_cycle_is_made_as_it_was_asked_for(desk: Desk) -> None:
    async with calling(desk) as caller:
        roles = {"cd": "builtin", "ra": "builtin"}
        id = await made(caller, roles=roles, parallel=3, max_iterations=2, max_cost=1.5, title="T", auto=False)
        told = await caller.call("status", id=id)
        assert (told["title"], told["status"], told["max_iterations"], told["mode"]) == (
            "T",
            "created",
            2,
            "interactive",
        )
        assert (told["next"], told["words"]) == ("`resume` starts it", "Created, not started yet")
        for wrong, words in (
            ({"roles": {"boss": "builtin"}}, "boss"), ({"parallel": 5}, "from 1 to 4"),
            ({"roles": {"cd": "nobody"}}, "nobody"),
            ({"task": " "}, "a cycle needs a task"), ({"max_iterations": 0}, "max_iterations"),
        ):  # fmt: skip
            arguments = {"task": "x", "start": False, "agent": "builtin", **wrong}
            assert words in await caller.refused("start_cycle", **arguments), wrong
        assert (await caller.call("list"))["total"] == 1


async def test_lists_hold_both_kinds(desk: Desk) -> None:
    async with calling(desk) as caller:
        cycle = await made(caller)
        loop = (await caller.call("start_loop", task="a", agent="bash", start=False))["loop_id"]
        both = await caller.call("list")
        assert ([one["cycle_id"] for one in both["cycles"]], [one["loop_id"] for one in both["loops"]]) == (
            [cycle],
            [loop],
        )
        assert both["total"] == 2
        only = await caller.call("list", kind="cycle")
        assert (len(only["cycles"]), only["loops"], only["total"]) == (1, [], 1)
        newest = await caller.call("list", limit=1)
        assert (newest["cycles"], len(newest["loops"]), newest["total"]) == ([], 1, 2)
        (desk.project / CYCLES.folder / f"{cycle}.json").write_text("{nonsense")
        (desk.project / CYCLES.folder / f"{cycle}.events.ndjson").write_text("{nonsense")
        (damaged,) = (await caller.call("list"))["damaged"]
        assert (damaged["kind"], damaged["id"]) == ("cycle", cycle)
        assert f"{cycle} cannot be read" in await caller.text("list")


async def test_what_a_cycle_asks_is_settled(desk: Desk) -> None:
    async with calling(desk) as caller:
        id = await made(caller, auto=False)
        changed(desk, id, asking)
        asked = await caller.call("wait", id=id)
        assert (asked["needs"], asked["next"], asked["rested"]) == ("decision", "`decide` the pending decisions", True)
        assert asked["pending"] == [{"id": "DEC-001", "description": "Which?", "options": ["one", "other"]}]
        assert "decision DEC-001: Which? (one / other)" in await caller.text("status", id=id)
        assert "one | other" in await caller.refused("decide", id=id, decision="DEC-001", option="neither")
        kept = await caller.call("decide", id=id, decision="DEC-001", option="one", resume=False)
        assert (kept["needs"], kept["pending"]) == ("blocker", [])
        assert [one["id"] for one in kept["open_blockers"]] == ["BLK-001"]
        settled = await caller.call("resolve", id=id, blocker="BLK-001", resolution="see docs", workaround=True)
        assert (settled["open_blockers"], settled["needs"]) == ([], "resume")
        assert "already resolved" in await caller.refused("resolve", id=id, blocker="BLK-001", resolution="again")
    with FileStore(desk.project, CYCLES, FakeClock()) as store:
        (decision,) = store.read(id).coordination.pending_decisions
        assert (decision.chosen_option, decision.made_by) == ("one", "mcp")


async def test_documents_are_listed_and_read(desk: Desk) -> None:
    async with calling(desk) as caller:
        id = await made(caller)
        assert "no documents" in await caller.text("documents", id=id)
        with FileStore(desk.project, CYCLES, FakeClock()) as store:
            new = "<!-- version 1.1.0 · iteration 2 -->\n\n" + "new " * 100
            store.write_progress(id, {"ra/requirements.md": new.encode(), "ra/history/requirements-v1.0.0.md": b"old"})
        listed = await caller.call("documents", id=id)
        assert listed["documents"] == [
            {"name": "ra/requirements.md", "version": "1.1.0", "versions": ["1.0.0", "1.1.0"]}
        ]
        assert "ra/requirements.md (1.0.0, 1.1.0)" in await caller.text("documents", id=id)
        old = await caller.call("documents", id=id, name="ra/requirements.md", version="1.0.0")
        assert (old["text"], old["version"], old["truncated"]) == ("old", "1.0.0", False)
        cut = await caller.call("documents", id=id, name="ra/requirements.md", max_chars=100)
        assert (len(cut["text"]), cut["truncated"]) == (100, True)
        assert "name looks like ra/requirements.md" in await caller.refused("documents", id=id, name="../secret")


async def test_limits_are_raised_and_tasks_added(desk: Desk) -> None:
    async with calling(desk) as caller:
        id = await made(caller)
        assert "Cannot extend cycle with status: created" in await caller.refused("extend", id=id, task="more")
        assert "name the limit" in await caller.refused("extend", id=id)
        assert "it is 5 already" in await caller.refused("extend", id=id, max_iterations=3, task="more")
        assert (await caller.call("extend", id=id, max_iterations=7))["max_iterations"] == 7
        stopped = await caller.call("stop", id=id)
        assert (stopped["outcome"], stopped["next"]) == ("stopped", "`extend` reopens it")


async def test_what_is_only_for_the_other_kind_says_so(desk: Desk) -> None:
    async with calling(desk) as caller:
        cycle = await made(caller)
        loop = (await caller.call("start_loop", task="a", agent="bash", start=False))["loop_id"]
        assert "`extend` it with `task`" in await caller.refused("add_task", id=cycle, description="x")
        assert "`add_task`" in await caller.refused("extend", id=loop, task="x")
        for tool, arguments in (
            ("decide", {"decision": "D", "option": "x"}), ("resolve", {"blocker": "B", "resolution": "x"}),
            ("documents", {}), ("diff", {"iteration": 1}),
        ):  # fmt: skip
            assert "is a loop" in await caller.refused(tool, id=loop, **arguments), tool
        assert "Iteration 1 not found" in await caller.refused("diff", id=cycle, iteration=1)
        assert "not both" in await caller.refused("diff", id=cycle, iteration=1, checkpoint=1)
        assert await caller.text("diff", id=cycle) == "no changes so far"


async def test_a_cycle_does_not_drive_itself(desk: Desk) -> None:
    async with calling(desk) as caller:
        id = await made(caller)
    marks = {"LOOPWRIGHT_LOOP": id, "LOOPWRIGHT_PROJECT": str(desk.project.resolve())}
    async with calling(desk, **marks) as caller:
        for tool, more in (
            ("pause", {}), ("resume", {}), ("stop", {}), ("extend", {"task": "x"}), ("wait", {}),
            ("answer", {"text": "x"}),
            ("decide", {"decision": "D", "option": "x"}), ("resolve", {"blocker": "B", "resolution": "x"}),
        ):  # fmt: skip
            assert "a cycle cannot drive itself" in await caller.refused(tool, id=id, **more), tool
        assert (await caller.call("status", id=id))["status"] == "created"
