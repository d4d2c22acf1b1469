"""Skills looked at, tuned, chosen for and rolled back over stdio."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Desk
from tests.mcp.caller import calling
from tests.tune.session.stage import MENDED, SICK, STYLE, lay_out, texts


@pytest.fixture
def root(desk: Desk) -> Path:
    """A sick skill in the project."""
    lay_out(desk.project / "skills/notes", SICK)
    return desk.project / "skills/notes"


async def test_a_look_changes_nothing_and_answers_at_once(desk: Desk, root: Path) -> None:
    async with calling(desk) as caller:
        found = await caller.call("diagnose", path="skills/notes")
        assert (found["gate"], found["total"], found["tuning_id"], found["project"]) == ("review", 3, None, "project")
        assert [one["rule"] for one in found["findings"]] == ["dead-reference"] * 3
        first = found["findings"][0]
        assert (first["file"], first["severity"], first["fixable"]) == ("SKILL.md", "high", "mechanical")
        assert found["next"].startswith("`start_tuning` with fix=mechanical fixes 2 findings")
        part = await caller.call("diagnose", path="skills/notes/SKILL.md", limit=1, offset=1)
        assert (len(part["findings"]), part["offset"], part["total"]) == (1, 1, 3)
        assert part["findings"][0] == found["findings"][1]
        assert part["next"] == "there are 1 more: offset=2"
        only = await caller.call("diagnose", path=str(root), dimensions=["memory"])
        assert (only["total"], only["gate"]) == (0, "pass")
        words = await caller.text("diagnose", path="skills/notes")
        assert "high dead-reference, SKILL.md:" in words
        assert "quality gate review" in words
        assert (await caller.call("list"))["total"] == 0
    assert texts(root) == SICK
    assert not (desk.project / ".workflow" / ".scratchpad").exists()


async def test_a_skill_is_mended_from_start_to_end(desk: Desk, root: Path) -> None:
    async with calling(desk) as caller:
        begun = await caller.call("start_tuning", path="skills/notes", fix="mechanical", description="it gets lost")
        id = begun["tuning_id"]
        assert (begun["status"], begun["live"], begun["level"], begun["needs"]) == (
            "running", True, "mechanical", None,
        )  # fmt: skip
        ended = await caller.rested(id)
        assert (ended["status"], ended["gate"], ended["fixes"]["applied"]) == ("completed", "pass", 2)
        assert texts(root) == MENDED
        assert ended["words"].startswith("Done: quality gate pass, score 88 (exact checks only), 1 issue left")
        assert "`roll_back` undoes a fix" in ended["next"]
        left = await caller.call("findings", id=id)
        assert ([one["file"] for one in left["findings"]], left["total"]) == (["phases/02-write.md"], 1)
        assert (await caller.call("findings", id=id, dimension="agent"))["total"] == 0
        diff = (await caller.call("diff", id=id))["diff"]
        assert "+1. Read [how to listen](phases/01-listen.md) and follow it." in diff

        listed = await caller.call("fixes", id=id)
        assert [(one["fix_id"], one["status"]) for one in listed["fixes"]] == [("FIX-001", "held"), ("FIX-002", "held")]
        assert listed["diff"] is None
        one = await caller.call("fixes", id=id, fix="FIX-002")
        assert "+2. Read [how to write](phases/02-write.md)" in one["diff"]
        cut = await caller.call("fixes", id=id, fix="FIX-002", max_chars=100)
        assert (len(cut["diff"]), cut["truncated"]) == (100, True)
        assert "Fix FIX-009 not found" in await caller.refused("fixes", id=id, fix="FIX-009")

        assert "roll back first: FIX-002" in await caller.refused("roll_back", id=id, fix="FIX-001")
        back = await caller.call("roll_back", id=id, fix="FIX-002")
        assert back["fixes"] == {"proposed": 2, "pending": 0, "applied": 1, "rolled_back": 1}
        assert "second/" in texts(root)["SKILL.md"]
        assert "FIX-002 rolled_back" in await caller.text("fixes", id=id)
    journal = (desk.project / ".workflow/.scratchpad" / id / "state.events.ndjson").read_text().splitlines()
    assert [json.loads(journal[n])["actor"] for n in (0, 1, -1)] == ["mcp", "mcp", "mcp"]


async def test_fixes_are_chosen(desk: Desk, root: Path) -> None:
    async with calling(desk) as caller:
        id = (await caller.call("start_tuning", path="skills/notes", fix="all", choose=True))["tuning_id"]
        asked = await caller.rested(id)
        assert (asked["needs"], asked["options"]) == ("choice", ["FIX-001", "FIX-002"])
        assert asked["next"] == "`fixes` shows each with its diff; then `choose`"
        assert texts(root) == SICK
        assert {one["status"] for one in (await caller.call("fixes", id=id))["fixes"]} == {"offered"}
        assert "no fix FIX-009 is offered" in await caller.refused("choose", id=id, fixes=["FIX-009"])
        assert (await caller.call("choose", id=id, fixes=["FIX-002"]))["status"] == "running"
        ended = await caller.rested(id)
        assert (ended["status"], ended["fixes"]["applied"]) == ("completed", 1)
        assert texts(root)["SKILL.md"] == SICK["SKILL.md"].replace("second/", "phases/")
        assert [one["status"] for one in (await caller.call("fixes", id=id))["fixes"]] == ["not_chosen", "held"]
        assert "status: completed" in await caller.refused("choose", id=id, fixes=[])


async def test_an_agent_writes_what_nothing_else_knows(desk: Desk, root: Path) -> None:
    agent = desk.script({"to": "action-propose-fixes", "files": {"{folder}/specs/style.md": STYLE}})
    async with calling(desk) as caller:
        id = (await caller.call("start_tuning", path="skills/notes", fix="all", agent=agent))["tuning_id"]
        ended = await caller.rested(id)
        assert (ended["score"], ended["agent"], ended["fixes"]["applied"]) == (100, agent, 3)
    assert texts(root) == MENDED | {"specs/style.md": STYLE}


async def test_it_is_listed_resumed_and_stopped(desk: Desk, root: Path) -> None:
    async with calling(desk) as caller:
        id = (await caller.call("start_tuning", path="skills/notes", start=False, max_iterations=2))["tuning_id"]
        made = await caller.call("status", id=id)
        assert (made["words"], made["next"], made["max_iterations"]) == (
            "Created, not started yet", "`resume` starts it", 2,
        )  # fmt: skip
        await caller.call("start_loop", task="a", agent="bash", start=False)
        both = await caller.call("list")
        assert (both["total"], [one["tuning_id"] for one in both["tunings"]], len(both["loops"])) == (2, [id], 1)
        only = await caller.call("list", kind="tuning", status="pending")
        assert (only["total"], only["loops"]) == (1, [])
        assert f"{id} [project] pending 0/2" in await caller.text("list", kind="tuning")
        assert "a tuning session has none" in await caller.refused("resume", id=id, auto=True)
        assert (await caller.call("resume", id=id))["live"]
        ended = await caller.rested(id)
        assert (ended["status"], ended["next"].split()[0]) == ("completed", "`findings`")
        assert "Cannot stop tuning session with status: completed" in await caller.refused("stop", id=id)
        second = (await caller.call("start_tuning", path="skills/notes", start=False))["tuning_id"]
        stopped = await caller.call("stop", id=second)
        assert (stopped["outcome"], stopped["failure_reason"]) == ("stopped", "Manually stopped by user")


async def test_what_is_wrong_is_named(desk: Desk, root: Path) -> None:
    (desk.project / "empty").mkdir()
    async with calling(desk) as caller:
        loop = (await caller.call("start_loop", task="a", agent="bash", start=False))["loop_id"]
        id = (await caller.call("start_tuning", path="skills/notes", start=False))["tuning_id"]
        for tool, arguments, words in (
            ("diagnose", {"path": "nowhere"}, "there is no folder"),
            ("diagnose", {"path": "empty"}, "a skill's folder contains a file SKILL.md"),
            ("diagnose", {"path": "skills/notes", "dimensions": ["speed"]}, "'context', 'memory', 'dataflow'"),
            ("diagnose", {"path": "skills/notes", "dimensions": []}, "dimensions"),
            ("diagnose", {"path": "skills/notes", "limit": 0}, "limit"),
            ("start_tuning", {"path": "empty"}, "a skill's folder contains a file SKILL.md"),
            ("start_tuning", {"path": "skills/notes", "fix": "some"}, "'none', 'mechanical' or 'all'"),
            ("start_tuning", {"path": "skills/notes", "agent": "nobody"}, "nobody"),
            ("start_tuning", {"path": "skills/notes", "agent": "builtin"}, "no model to read with"),
            ("start_tuning", {"path": "skills/notes", "max_iterations": 0}, "from 1 to"),
            ("choose", {"id": loop, "fixes": []}, "is a loop; only tuning sessions have that"),
            ("fixes", {"id": loop}, "is a loop; only tuning sessions have that"),
            ("findings", {"id": loop}, "is a loop; only tuning sessions have that"),
            ("roll_back", {"id": id, "fix": "FIX-001"}, "status: pending"),
            ("choose", {"id": id, "fixes": []}, "status: pending"),
            ("documents", {"id": id}, "is a tuning session; only cycles have that"),
            ("add_task", {"id": id, "description": "x"}, "is a tuning session; only loops have that"),
            ("pause", {"id": id}, "Cannot pause tuning session with status: pending"),
            ("extend", {"id": id, "task": "more"}, "start a new tuning session instead"),
        ):  # fmt: skip
            told = await caller.refused(tool, **arguments)
            assert words in told, (tool, arguments, told)
        assert (await caller.call("list"))["total"] == 2
        assert "no fixes proposed so far" in await caller.text("fixes", id=id)


async def test_a_session_does_not_steer_itself(desk: Desk, root: Path) -> None:
    """Its agent may look at it; which fixes are taken is for somebody else to say."""
    async with calling(desk) as caller:
        id = (await caller.call("start_tuning", path="skills/notes", start=False))["tuning_id"]
    marks = {"LOOPWRIGHT_LOOP": id, "LOOPWRIGHT_PROJECT": str(desk.project.resolve())}
    async with calling(desk, **marks) as caller:
        for tool, more in (
            ("choose", {"fixes": []}), ("roll_back", {"fix": "FIX-001"}), ("stop", {}), ("resume", {}), ("wait", {}),
            ("answer", {"text": "all"}), ("extend", {"max_iterations": 9}),
        ):  # fmt: skip
            assert "a tuning session cannot drive itself" in await caller.refused(tool, id=id, **more), tool
        assert (await caller.call("status", id=id))["status"] == "pending"
        assert (await caller.call("findings", id=id))["total"] == 0
