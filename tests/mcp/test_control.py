"""Loops driven over stdio: `loopwright mcp` as a process, with the real client."""

import json

from loopwright.surfaces.mcp.control import list_tools
from tests.cli.conftest import DONE, SLOW, Desk, planned, said
from tests.mcp.caller import calling

NO_ID = "loop-v2-20260101T000000-00000000"
NAMES = [
    "start_loop", "start_cycle", "list", "status", "wait", "pause", "resume", "stop", "add_task", "extend", "answer",
    "tell", "apply", "branch", "decide", "resolve", "documents", "diff", "diagnose", "start_tuning", "findings",
    "fixes", "choose", "roll_back",
    "run_failing_tests", "spectrum", "probe", "propose_fix",
]  # fmt: skip


async def test_every_tool_is_described_and_typed(desk: Desk) -> None:
    async with calling(desk) as caller:
        tools = {tool.name: tool for tool in (await caller.session.list_tools()).tools}
    assert sorted(tools) == sorted(NAMES) == sorted(list_tools())
    for tool in tools.values():
        assert tool.description
        assert tool.annotations
        assert tool.output_schema
        assert tool.input_schema["additionalProperties"] is False
        schemas = json.dumps([tool.input_schema, tool.output_schema])
        assert not any(word in schemas for word in ("$ref", "$defs", '"title": "'))
        assert "anyOf" not in json.dumps(tool.input_schema)
        assert all(field.get("type") or field.get("enum") for field in tool.input_schema["properties"].values())
    reading = {name for name, tool in tools.items() if tool.annotations and tool.annotations.read_only_hint}
    assert reading == {
        "list", "status", "wait", "diff", "documents", "diagnose", "findings", "fixes", "run_failing_tests", "spectrum",
        "probe", "propose_fix",
    }  # fmt: skip
    assert tools["stop"].annotations
    assert tools["stop"].annotations.destructive_hint


async def test_a_loop_from_its_start_to_its_proof(ledger: Desk) -> None:
    async with calling(ledger) as caller:
        begun = await caller.call("start_loop", task="Fix the failing tests", agent="builtin", title="Ledger")
        id = begun["loop_id"]
        assert (begun["status"], begun["live"], begun["title"], begun["project"]) == (
            "running", True, "Ledger", "project",
        )  # fmt: skip
        ended = await caller.rested(id)
        assert (ended["status"], ended["outcome"], ended["rested"], ended["live"]) == (
            "completed", "succeeded", True, False,
        )  # fmt: skip
        assert ended["tests"]["failed"] == 0 < ended["tests"]["passed"]
        assert ended["next"] == "`diff` shows the changes"
        assert any("DEBUG" in words for words in caller.progress)
        changed = await caller.call("diff", id=id)
        assert "\n+" in changed["diff"]
        assert "ledger.py" in changed["diff"]
        assert not changed["truncated"]
        clipped = await caller.call("diff", id=id, max_chars=100)
        assert (len(clipped["diff"]), clipped["truncated"]) == (100, True)
        (listed,) = (await caller.call("list", status="completed"))["loops"]
        assert (listed["loop_id"], listed["needs"]) == (id, None)
    journal = (ledger.project / ".workflow" / ".loop" / f"{id}.events.ndjson").read_text().splitlines()
    assert [json.loads(line)["actor"] for line in journal[:2]] == ["mcp", "mcp"]


async def test_pause_resume_extend_and_stop(desk: Desk) -> None:
    agent = desk.script(*SLOW)
    async with calling(desk) as caller:
        id = (await caller.call("start_loop", task="Take your time", agent=agent, auto=False, start=False))["loop_id"]
        created = await caller.call("status", id=id)
        assert (created["status"], created["next"]) == ("created", "`resume` starts it")
        assert (await caller.call("resume", id=id, auto=True))["status"] == "running"
        waited = await caller.call("wait", id=id, seconds=0.3)
        assert (waited["rested"], waited["next"]) == (False, "`wait` until it ends or pauses")
        paused = await caller.call("pause", id=id, now=True)
        assert paused["status"] == "paused"
        assert (await caller.call("wait", id=id))["rested"]
        assert (await caller.call("status", id=id))["needs"] == "resume"
        assert "Cannot pause loop with status: paused" in await caller.refused("pause", id=id)
        assert (await caller.call("resume", id=id))["status"] == "running"
        assert "it is 10 already" in await caller.refused("extend", id=id, max_iterations=3)
        assert "name the limit" in await caller.refused("extend", id=id)
        assert (await caller.call("extend", id=id, max_iterations=12, max_minutes=5))["max_iterations"] == 12
        stopped = await caller.call("stop", id=id)
        assert (stopped["status"], stopped["outcome"], stopped["live"]) == ("failed", "stopped", False)
        assert stopped["next"] == "`extend` reopens it"
        assert (await caller.call("extend", id=id))["status"] == "running"
        assert (await caller.call("stop", id=id))["outcome"] == "stopped"


async def test_a_question_is_answered(desk: Desk) -> None:
    asks = {"text": said("DEVELOP", "needs_input", "Which colour?")}
    agent = desk.script(planned("Paint it"), {"to": "answer to your question", **DONE}, asks, asks)
    async with calling(desk) as caller:
        id = (await caller.call("start_loop", task="Paint", agent=agent, max_iterations=3))["loop_id"]
        asked = await caller.rested(id)
        assert (asked["needs"], asked["question"], asked["rested"]) == ("answer", "Which colour?", True)
        assert "text: is missing" in await caller.refused("answer", id=id)
        assert (await caller.call("answer", id=id, text="blue"))["status"] == "running"
        ended = await caller.rested(id)
        assert (ended["status"], ended["question"]) == ("failed", None)
        assert "no open question" in await caller.refused("answer", id=id, text="red")


async def test_tasks_are_added(desk: Desk) -> None:
    async with calling(desk) as caller:
        id = (await caller.call("start_loop", task="Do it", agent="bash", start=False))["loop_id"]
        added = await caller.call("add_task", id=id, description="list files", command="ls", on_error="pause")
        assert (added["tool"], added["next"]) == ("bash", "`resume` makes the loop pick it up")
        told = await caller.call("status", id=id)
        assert [task["task_id"] for task in told["open_tasks"]] == [added["task_id"]]
        words = await caller.refused("add_task", id=id, description="x", tool="nobody")
        assert "nobody" in words


WRONG: list[tuple[str, dict[str, object], str]] = [
    ("status", {"id": NO_ID}, "not found"),
    ("status", {"id": "../../etc/passwd"}, "loop"),
    ("status", {}, "id: is missing; Id of a loop, a cycle or a tuning session"),
    ("status", {"id": 7}, "id: Input should be a valid string (got 7)"),
    ("status", {"id": NO_ID, "loop_id": "x"}, "loop_id: unknown argument; available: id, project"),
    ("diff", {"id": NO_ID, "checkpoint": 0}, "checkpoint: "),
    ("wait", {"id": NO_ID}, "not found"),
    ("wait", {"id": NO_ID, "seconds": -1}, "seconds: "),
    ("wait", {"id": NO_ID, "seconds": 1e9}, "seconds: "),
    ("list", {"status": "done"}, "status: Input should be 'created', 'running'"),
    ("list", {"limit": 1000}, "limit: "),
    ("list", {"project": "elsewhere"}, "Project not found: elsewhere (available: project)"),
    ("start_loop", {"task": "x", "project": "elsewhere"}, "Project not found: elsewhere"),
    ("start_loop", {"task": ""}, "task: "),
    ("start_loop", {"task": "   "}, "a loop needs a task"),
    ("start_loop", {"task": "x" * 100_001}, "task: String should have at most 100000 characters"),
    ("start_loop", {"task": "x", "agent": "nobody"}, "nobody"),
    ("start_loop", {"task": "x", "max_iterations": "5"}, "max_iterations: Input should be a valid integer (got '5')"),
    ("start_loop", {"task": "x", "max_iterations": 0}, "max_iterations: must be from 1 to 1,000,000"),
    ("start_loop", {"task": "x", "permissions": "everything"}, "permissions: Input should be 'ask'"),
    ("start_loop", {"task": "x", "agent": "bash", "test_command": "/no/such/program"}, "there is no program"),
    ("add_task", {"id": NO_ID, "description": "x", "allow_test_changes": True}, "unknown argument"),
    ("approve", {"id": NO_ID}, "there is no tool 'approve' (available: start_loop, start_cycle"),
]  # fmt: skip


async def test_what_is_wrong_is_named_and_creates_nothing(desk: Desk) -> None:
    async with calling(desk) as caller:
        for tool, arguments, words in WRONG:
            told = await caller.refused(tool, **arguments)
            assert words.lower() in told.lower(), (tool, arguments, told)
            assert "Traceback" not in told
        assert (await caller.call("list"))["total"] == 0


async def test_a_loop_does_not_drive_itself(desk: Desk) -> None:
    id = desk.create("--agent", "bash")
    marks = {"LOOPWRIGHT_LOOP": id, "LOOPWRIGHT_PROJECT": str(desk.project.resolve())}
    async with calling(desk, **marks) as caller:
        for tool in ("pause", "resume", "stop", "extend", "wait", "answer"):
            more = {"text": "x"} if tool == "answer" else {}
            assert "a loop cannot drive itself" in await caller.refused(tool, id=id, **more)
        assert (await caller.call("status", id=id))["status"] == "created"
        assert (await caller.call("add_task", id=id, description="more", command="ls"))["tool"] == "bash"


async def test_several_projects(desk: Desk) -> None:
    other = desk.project.parent / "other"
    other.mkdir()
    async with calling(desk, "--project", str(desk.project), "--project", str(other)) as caller:
        first = await caller.call("start_loop", task="a", agent="bash", start=False)
        second = await caller.call("start_loop", task="b", agent="bash", start=False, project="other")
        assert (first["project"], second["project"]) == ("project", "other")
        assert (await caller.call("status", id=second["loop_id"]))["project"] == "other"
        listed = await caller.call("list")
        assert [loop["title"] for loop in listed["loops"]] == ["b", "a"]
        assert listed["projects"] == ["project", "other"]
        assert (await caller.call("list", project="project", limit=1))["total"] == 1
        assert "b" in await caller.text("list")


async def test_a_loop_runs_on_when_its_caller_is_gone(desk: Desk) -> None:
    agent = desk.script(planned("a"), {**DONE, "seconds": 0.5})
    async with calling(desk) as caller:
        id = (await caller.call("start_loop", task="x", agent=agent))["loop_id"]
    async with calling(desk) as caller:
        assert (await caller.rested(id))["failure_reason"]


def test_a_project_that_is_none_is_told_before_anything_is_served(desk: Desk) -> None:
    ran = desk.run("mcp", "--project", "/no/such/folder")
    assert (ran.code, ran.out) == (4, "")
    assert "no such project folder" in ran.err
