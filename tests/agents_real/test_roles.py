"""Real agents as roles of a cycle: what they may write, and how they report."""

import os
import shutil
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.agents.acp.session import AcpAgent
from loopwright.core.agent_names import PRESET_COMMANDS
from loopwright.core.cycle_names import CycleStep, Role
from loopwright.core.ports import AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.transcript import AgentDiscovery, AgentEvent, PermissionResult
from loopwright.policy.permissions import turn_policy
from loopwright.reports.phase import PhaseReport, read_phase_report
from loopwright.workflows.cycle.messages import compose_message, cycle_prompts
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.orders import Surroundings
from tests.agents_real.agents import AGENTS, RealAgent
from tests.agents_real.conftest import Prepare
from tests.agents_real.fence import Fence
from tests.agents_real.processes import started_by
from tests.model.roles import Course, Ordered, by_step
from tests.model.script import Fault, McpCall, Reply, ShellCall, WriteCall
from tests.model.server import serving

pytestmark = pytest.mark.real_agents

AT = "2026-01-22T10:00:00+08:00"
STATE = CycleState(cycle_id="cycle-1", title="t", description="Make it good.", created_at=AT, updated_at=AT)


class Play:
    """One agent in a project, with the folders of a cycle."""

    def __init__(self, agent: RealAgent, fence: Fence, project: Path, private: Path) -> None:
        preset = PRESET_COMMANDS[agent.name]
        program = shutil.which(preset.argv[0], path=agent.environment["PATH"])
        assert program is not None
        command = replace(
            preset, argv=(*fence.prefix, program, *preset.argv[1:]),
            environment={**agent.environment, **preset.environment},
            without=tuple(os.environ.keys() - agent.environment.keys()),
        )  # fmt: skip
        self.progress = project / ".workflow/.cycle/cycle-1.progress"
        for role in ("ra", "ep", "cd", "vas"):
            (self.progress / role).mkdir(parents=True)
        self.id = ""
        self.project, self.heard = project, list[AgentEvent]()
        around = AgentEnvironment("cycle-1", self.heard.append, lambda _: None, self._nobody)
        self.agent = AcpAgent(command, project, private, around)

    async def turn(self, role: Role, step: CycleStep, *, reading: bool) -> AgentOutput:
        """All turns are one session."""
        folder = str(self.progress / role)
        around = Surroundings(project=str(self.project))
        texts = compose_message(
            cycle_prompts(), state=STATE, role=role, step=step, order="Do it.", around=around, folder=folder
        )
        policy = turn_policy("workspace", reading=reading)
        message = Message(action=step.name, **texts._asdict(), seconds=60, policy=policy, folder=folder)
        if self.id:
            await self.agent.send_input(self.id, message)
        else:
            self.id = await self.agent.spawn_agent(message)
        output = (await self.agent.wait([self.id], 90_000))[self.id]
        assert not output.running
        return output

    async def close(self) -> None:
        if self.id:
            await self.agent.close_agent(self.id)

    @property
    def refused(self) -> list[str]:
        return [event.reason for event in self.heard if isinstance(event, PermissionResult) and not event.allowed]

    async def _nobody(self, request: object) -> bool:
        raise AssertionError("no person is asked")


@asynccontextmanager
async def playing(
    courses: Mapping[str, Course], name: str, real_agent: Prepare, fence: Fence, project: Path
) -> AsyncIterator[Play]:
    """An agent on a model that plays these roles; afterwards nothing is left of it."""
    with serving(by_step(courses), fence.listen()) as model:
        agent = real_agent(name, model)
        play = Play(agent, fence, project, project.parent / "private")
        try:
            yield play
        finally:
            await play.close()
    assert not started_by(agent.home)


@pytest.mark.parametrize("name", AGENTS)
async def test_a_reading_role_writes_its_documents_and_reports(
    name: str, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    """Then it tries what it may not: some end their turn where they are refused.

    qwen itself holds calls against our schema.
    """

    def analyses(order: Ordered) -> Sequence[Reply | Fault]:
        decision = {"description": "which?", "options": ["a", "b"], "recommended": "b"}
        finding = {"type": "test_command", "data": {"unit": "make test"}}
        return (
            Reply(calls=(order.writes("requirements.md", "R1\n"),)),
            Reply(calls=(McpCall("loopwright", "report_discovery", finding),)),
            *order.told("it is clear", decisions=[decision]),
        )

    tries: dict[str, WriteCall | ShellCall] = {
        "vas.validate": WriteCall(str(project / "app.py"), "no\n"),
        "ep.explore": WriteCall(str(project / ".workflow/.cycle/cycle-1.progress/ra/mine.md"), "no\n"),
        "ep.plan": ShellCall("touch touched"),
    }
    trying = {step: _trying(call) for step, call in tries.items()}
    async with playing({"ra": analyses, **trying}, name, real_agent, fence, project) as play:
        output = await play.turn("ra", CycleStep("ra.analyse"), reading=True)
        assert play.refused == []
        assert (play.progress / "ra/requirements.md").read_text() == "R1\n"
        assert ".workflow/.cycle/cycle-1.progress/ra/requirements.md" in output.wrote
        assert output.report is not None
        report = read_phase_report(output.report, "ra")
        assert (output.report.action, report.summary) == ("ra.analyse", "it is clear")
        assert report.decisions[0].recommended == "b"
        assert [event.data for event in play.heard if isinstance(event, AgentDiscovery)] == [{"unit": "make test"}]

        await play.turn("vas", CycleStep("vas.validate"), reading=True)
        await play.turn("ep", CycleStep("ep.explore"), reading=True)
        await play.turn("ep", CycleStep("ep.plan"), reading=True)
        assert play.refused, "codex's own sandbox keeps the command from writing"
        assert sorted(path.name for path in project.rglob("*") if path.is_file()) == ["requirements.md"]


def _trying(call: WriteCall | ShellCall) -> Course:
    return lambda order: (Reply(calls=(call,)), order.said("I could not", "failed"))


@pytest.mark.parametrize("name", AGENTS)
async def test_a_working_role_changes_the_project_and_keeps_notes(
    name: str, real_agent: Prepare, fence: Fence, project: Path
) -> None:
    def implements(order: Ordered) -> Sequence[Reply | Fault]:
        return (
            Reply(calls=(WriteCall(str(project / "app.py"), "yes\n"),)),
            Reply(calls=(order.writes("notes.md", "done\n"),)),
            order.said("it is there", files_written=["app.py"]),
        )

    async with playing({"cd": implements}, name, real_agent, fence, project) as play:
        output = await play.turn("cd", CycleStep("cd.implement", "TASK-001"), reading=False)
        assert (project / "app.py").read_text() == "yes\n"
        assert (play.progress / "cd/notes.md").read_text() == "done\n"
    assert output.report is not None
    assert read_phase_report(output.report, "cd") == PhaseReport(
        phase="cd", status="success", summary="it is there", files_written=("app.py",)
    )
