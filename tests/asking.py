"""An agent that asks before it works; run as a program, a runner of its own: `python -m tests.asking PROJECT LOOP`."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.core.ports import AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.run_events import EventBus
from loopwright.core.state import PermissionRequest
from loopwright.wiring import open_engine
from loopwright.workflows.loop.commands import take_up
from tests.stage import Stage, said

AT = "2026-01-22T10:00:00+08:00"
RUN = PermissionRequest(
    id="call-1", agent="codex", action="DEVELOP", title="Run make", kind="execute", command="make all",
    reason="execute needs a person's permission", since=AT,
)  # fmt: skip
FETCH = RUN.evolve(title="Look it up", kind="fetch", command=None)

PLAN = said("INIT", tasks=[{"description": "Make app.txt say good"}])
DONE = said("DEVELOP")


class AskingAgent(ScriptedAgent):
    """Asks all of `wanted` at once in each DEVELOP; what is denied leaves the turn's files unwritten."""

    def __init__(
        self, script: AgentScript, project: Path, around: AgentEnvironment, wanted: Sequence[PermissionRequest]
    ) -> None:
        super().__init__(script, project)
        self.permit, self.wanted = around.permit, wanted
        self.answers: list[bool] = []

    async def play(self, id: str, message: Message) -> AgentOutput:
        if message.action == "DEVELOP":
            self.answers += await asyncio.gather(*map(self.permit, self.wanted))
            if not all(self.answers):
                self._answers[0] = self._answers[0].evolve(files={})
        return await super().play(id, message)


@dataclass
class AskingStage(Stage):
    """A stage whose agent asks."""

    wanted: Sequence[PermissionRequest] = (RUN,)

    def make_agent(self, name: str, around: AgentEnvironment) -> AskingAgent:
        script = AgentScript(capabilities=self.capabilities, answers=tuple(self.answers))
        self.asking = AskingAgent(script, self.project, around, self.wanted)
        return self.asking


def main(project: Path, loop_id: str) -> None:
    script = AgentScript(
        answers=(ScriptedTurn(text=PLAN), *[ScriptedTurn(text=DONE, files={"app.py": "GOOD = True\n"})] * 3)
    )
    with open_engine(project, {}) as engine:
        runner = replace(
            engine.runners.loop, agents=lambda name, around: AskingAgent(script, project, around, (RUN, FETCH))
        )
        asyncio.run(runner.drive(loop_id, take_up=take_up, bus=EventBus()))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
