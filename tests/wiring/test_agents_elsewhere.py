"""Agents that work in a copy beside the project: it is all they may write, and their processes are the project's."""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loopwright.core.config import AgentTable
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.state import LoopTask
from loopwright.core.transcript import AgentEvent
from loopwright.evidence.debugging import DebugRequest
from loopwright.processes.process_tree import PROJECT
from loopwright.processes.runner_processes import OwnProcesses
from loopwright.wiring.agents import Agents
from tests.misbehaving.orders import command, order

LOOP = "cycle-elsewhere"
AT = "2026-01-22T10:00:00+08:00"


@dataclass
class Scene:
    project: Path
    lane: Path
    private: Path
    heard: list[AgentEvent] = field(default_factory=list)

    def agent(self, name: str, at: Path | None) -> Agent:
        async def permit(_: object) -> bool:
            raise AssertionError("nobody asks")

        around = AgentEnvironment(LOOP, self.heard.append, lambda _: None, permit)
        processes = OwnProcesses(self.project, self.private)
        configured = {"misbehaving": AgentTable(command=command().argv)}
        return Agents(self.project, configured, processes.folder).make(name, around, at)

    async def answer(self, agent: Agent, message: Message) -> AgentOutput:
        id = await agent.spawn_agent(message)
        try:
            output = (await agent.wait([id], 60_000))[id]
            assert not output.running
            return output
        finally:
            await agent.close_agent(id)


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    scene = Scene(tmp_path / "project", tmp_path / "lanes" / "project", tmp_path / "private")
    for folder in (scene.project, scene.lane):
        folder.mkdir(parents=True)
        (folder / "app.txt").write_text("bad")
    return scene


def places(scene: Scene, at: str) -> Path | None:
    return scene.lane if at == "lane" else None


@pytest.mark.parametrize("at", ["lane", "project"])
async def test_a_program_works_there_and_may_write_nowhere_else(scene: Scene, at: str) -> None:
    here, other = (scene.lane, scene.project) if at == "lane" else (scene.project, scene.lane)

    def asks(path: Path) -> tuple[str, dict[str, object]]:
        return "ask", {"toolCallId": str(path), "title": "Edit", "kind": "edit", "locations": [{"path": str(path)}]}

    steps = (
        asks(here / "app.txt"), asks(other / "app.txt"), ("edit", str(here / "app.txt"), "good"), ("show", PROJECT),
    )  # fmt: skip
    output = await scene.answer(scene.agent("misbehaving", places(scene, at)), order(*steps))
    assert output.text.split() == ["<yes>", "<no>", str(scene.project)]
    assert output.wrote == ("app.txt",)
    assert (here / "app.txt").read_text() == "good"
    assert (other / "app.txt").read_text() == "bad"


@pytest.mark.parametrize("at", ["lane", "project"])
async def test_a_command_runs_there_with_the_projects_mark(scene: Scene, at: str) -> None:
    line = f'pwd; echo "${PROJECT}"; echo good > app.txt'
    task = LoopTask(task_id="task-1", description="x", tool="bash", command=line, created_at=AT, updated_at=AT)
    output = await scene.answer(
        scene.agent("bash", places(scene, at)), Message(action="DEVELOP", text="", definition=task)
    )
    here = scene.lane if at == "lane" else scene.project
    assert output.text.split() == [str(here), str(scene.project)]
    assert (here / "app.txt").read_text() == "good\n"


async def test_a_script_is_played_there(scene: Scene, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"answers": [{"text": "done", "files": {"app.txt": "good"}}]}))
    await scene.answer(scene.agent(f"scripted:{script}", scene.lane), Message(action="DEVELOP", text=""))
    assert (scene.lane / "app.txt").read_text() == "good"
    assert (scene.project / "app.txt").read_text() == "bad"


async def test_the_builtin_one_measures_there_with_the_projects_mark(scene: Scene, tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "${PROJECT}" > {tmp_path}/mark; cat "$3" > {tmp_path}/order\n')
    python.chmod(0o755)
    request = DebugRequest(
        project=str(scene.lane), python=str(python), test_command="python -m pytest", failing=("test_x.py::test_x",)
    )
    await scene.answer(scene.agent("builtin", scene.lane), Message(action="DEBUG", text="", debug=request))
    assert (tmp_path / "mark").read_text() == f"{scene.project}\n"
    assert json.loads((tmp_path / "order").read_text())["origin"] == str(scene.lane)
