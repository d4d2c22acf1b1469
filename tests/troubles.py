"""Scripted agents in trouble, and what is known of their sessions."""

import json
from pathlib import Path

from loopwright.agents.scripted import AgentScript, ScriptedAgent, ScriptedTurn
from loopwright.core.protocol import Message
from loopwright.workflows.loop.model import LoopState
from tests.stage import Stage, said

PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "write it"}]))
DONE = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"})
HAPPY = ["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]


class Watched(ScriptedAgent):
    """Knows which of its sessions are open, and how many there were."""

    def __init__(self, script: AgentScript, project: Path) -> None:
        super().__init__(script, project)
        self.open: set[str] = set()
        self.sessions = 0

    async def spawn_agent(self, message: Message) -> str:
        id = await super().spawn_agent(message)
        self.open.add(id)
        self.sessions += 1
        return id

    async def close_agent(self, id: str) -> None:
        await super().close_agent(id)
        self.open.discard(id)

    def developing(self) -> list[Message]:
        """The messages of DEVELOP."""
        return [message for message in self.messages if message.action == "DEVELOP"]


def watched(stage: Stage, *answers: ScriptedTurn) -> Watched:
    """The stage's agent from now on."""
    agent = Watched(AgentScript(capabilities=stage.capabilities, answers=answers), stage.project)
    stage.agent = agent
    return agent


def succeeded(state: LoopState) -> bool:
    return (state.status, state.engine.outcome) == ("completed", "succeeded")


def errors(state: LoopState) -> list[str]:
    assert state.skill_state is not None
    return [error.message for error in state.skill_state.errors]


def incidents(state: LoopState) -> list[str]:
    return [incident.kind for incident in state.engine.incidents]


def heard(stage: Stage) -> list[str]:
    """What was told of while it happened."""
    return [note.text for note in stage.notes if note.kind == "activity"]


def events(stage: Stage, loop_id: str, *types: str) -> list[tuple[str, str]]:
    """(type, who) of those events, in order."""
    return [(e.event.type, e.actor) for e in stage.store.events(loop_id) if e.event.type in types]


def dumped(state: LoopState) -> str:
    return json.dumps(json.loads(state.model_dump_json()))
