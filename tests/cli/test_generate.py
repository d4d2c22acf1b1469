"""`tasks ID generate` and `tasks ID import` as processes; what a surface starts ends with it, even by a kill."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.core.errors import AgentError
from loopwright.processes.runner_processes import RunnerLauncher
from tests.cli.conftest import Desk, planned
from tests.waiting import until

SURFACE = """
import asyncio, sys
from pathlib import Path
from loopwright.wiring import open_engine

with open_engine(Path(sys.argv[1]), {}, actor="api") as engine:
    print([task.description for task in asyncio.run(engine.service.generate(sys.argv[2], count=2))], flush=True)
"""


def surface(desk: Desk, loop_id: str) -> "subprocess.Popen[str]":
    """A program such as the server, which waits for what is generated."""
    return subprocess.Popen(
        [sys.executable, "-c", SURFACE, str(desk.project), loop_id], env=desk.env, cwd=desk.project.parent,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def tasks(desk: Desk, loop_id: str) -> list[str]:
    path = desk.project / ".workflow" / ".loop" / f"{loop_id}.json"
    return [task["description"] for task in json.loads(path.read_text())["engine"]["tasks"]]


def at_work(loop_id: str) -> list[int]:
    """Processes of the command that generates tasks for that loop."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0") if entry.name.isdigit() else []
        except OSError:
            continue
        if {b"generate", loop_id.encode()} <= set(words):
            found.append(int(entry.name))
    return found


def test_an_agents_proposals_become_tasks(desk: Desk) -> None:
    loop_id = desk.create("--agent", "builtin")
    refused = desk.run("tasks", loop_id, "generate")
    assert (refused.code, "builtin cannot propose tasks" in refused.err) == (7, True)
    agent = desk.script(planned("One", "Two", "Three"))
    ran = desk.run("tasks", loop_id, "generate", "--tool", agent, "--count", "2", "--json")
    assert (ran.code, [t["description"] for t in ran.lines[-1]["data"]]) == (0, ["One", "Two"])  # type: ignore[attr-defined]  # JSON
    assert tasks(desk, loop_id) == ["One", "Two"]
    assert desk.run("tasks", loop_id, "generate", "--tool", "nobody").code == 2
    assert desk.run("tasks", loop_id, "generate", "--count", "8").code == 2
    assert f"tasks proposed by {agent} added" in desk.run("logs", loop_id, "events").out


def test_a_surface_gets_what_was_proposed_and_only_one_at_a_time(desk: Desk) -> None:
    loop_id = desk.create("--agent", desk.script({**planned("One", "Two", "Three"), "seconds": 4}))
    first = surface(desk, loop_id)
    until(lambda: bool(list(desk.project.parent.rglob(f"{loop_id}-generate.lock"))))
    second = desk.run("tasks", loop_id, "generate")
    assert (second.code, "already proposing tasks for this loop" in second.err) == (5, True)
    out, err = first.communicate(timeout=60)
    assert (first.returncode, out) == (0, "['One', 'Two']\n"), err
    *_, added = desk.run("logs", loop_id, "events", "--json").out.splitlines()
    assert json.loads(added)["actor"] == "api"


def test_a_surface_that_is_killed_leaves_nothing_behind(desk: Desk) -> None:
    loop_id = desk.create("--agent", desk.script({"hangs": True}))
    waiting = surface(desk, loop_id)
    until(lambda: bool(list(desk.project.parent.rglob(f"{loop_id}-generate.lock"))))
    assert at_work(loop_id)
    waiting.kill()
    waiting.communicate(timeout=30)
    until(lambda: not at_work(loop_id))
    assert tasks(desk, loop_id) == []


def test_ctrl_c_ends_it(desk: Desk) -> None:
    loop_id = desk.create("--agent", desk.script({"hangs": True}))
    running = desk.begin("tasks", loop_id, "generate", "--json")
    until(lambda: bool(list(desk.project.parent.rglob(f"{loop_id}-generate.lock"))))
    os.kill(running.pid, signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert (running.returncode, json.loads(out)["success"], "Traceback" in err) == (130, False, False)


def test_an_issue_is_imported(desk: Desk) -> None:
    loop_id = desk.create("--agent", "builtin")
    folder = desk.project / ".workflow" / "issues" / "solutions"
    folder.mkdir(parents=True)
    (folder.parent / "issues.jsonl").write_text('{"id": "ISS-1", "title": "x"}\n')
    steps = [{"id": "T1", "title": "Look", "scope": "src"}, {"id": "T2", "title": "Mend", "depends_on": ["T1"]}]
    (folder / "ISS-1.jsonl").write_text(json.dumps({"id": "S", "is_bound": True, "tasks": steps}) + "\n")
    assert desk.run("tasks", loop_id, "import", "ISS-9").code == 4
    assert desk.run("tasks", loop_id, "import", "../ISS-1").code == 2
    refused = desk.run("tasks", loop_id, "import", "ISS-1")
    assert refused.code == 7
    assert "builtin cannot write code, and no coding agent is installed" in refused.err
    assert "--tool NAME" in refused.err
    assert tasks(desk, loop_id) == []
    ran = desk.run("tasks", loop_id, "import", "ISS-1", "--tool", desk.script())
    assert (ran.code, "added: Look" in ran.out) == (0, True)
    assert tasks(desk, loop_id) == ["Look", "Mend"]


async def test_a_job_that_takes_too_long_ends_itself(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has started is ended by it, which a kill would not do."""
    loop_id = desk.create("--agent", desk.script({"hangs": True}))
    for name, value in desk.env.items():
        monkeypatch.setenv(name, value)
    killed: list[int] = []
    monkeypatch.setattr(asyncio.subprocess.Process, "kill", lambda process: killed.append(process.pid))
    with pytest.raises(AgentError, match="it took longer than 4 s, and was ended"):
        await RunnerLauncher(desk.project, desk.project.joinpath, ("run", "--loop-id")).job(
            ("tasks", loop_id, "generate", "--for", "api"), 4
        )
    assert (killed, at_work(loop_id)) == ([], [])
