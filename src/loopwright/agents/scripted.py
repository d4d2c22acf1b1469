"""An agent that answers from a list: for tests, demonstrations and dry runs."""

import asyncio
from pathlib import Path

from pydantic import Field, ValidationError

from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.errors import AgentError, Invalid
from loopwright.domain.protocol import AgentOutput, Capabilities, Message, Usage
from loopwright.domain.record import Items, Record, first_problem


class Answer(Record):
    """One turn: what is written to the project, then what is said. A `None` file is deleted.

    `seconds` is how long the turn takes; `dies` ends the session instead of answering.
    """

    text: str = ""
    files: dict[str, str | None] = Field(default_factory=dict)
    seconds: float = 0
    dies: bool = False
    usage: Usage = Usage()


class Script(Record):
    """Answers in order, one a message; when they are used up the agent says so and fails."""

    capabilities: Capabilities = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)
    answers: Items[Answer] = ()


def read_script(path: Path) -> Script:
    """A script from its JSON file. Invalid with the first problem."""
    try:
        return Script.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise Invalid(f"no such script: {path}") from error
    except ValidationError as error:
        raise Invalid(f"{path} is no script: {first_problem(error)}") from error


class ScriptedAgent(TurnwiseAgent):
    """Plays a script in `project`. Sessions of one agent share the list, so that a respawned one goes on."""

    name = "scripted"

    def __init__(self, script: Script, project: Path) -> None:
        super().__init__()
        self.capabilities = script.capabilities
        self.messages: list[Message] = []
        self._answers = list(script.answers)
        self._project = project

    async def play(self, id: str, message: Message) -> AgentOutput:
        self.messages.append(message)
        if not self._answers:
            text = f"ACTION_RESULT:\n- action: {message.action}\n- status: failed\n- message: the script is used up\n"
            return AgentOutput(agent_id=id, running=False, text=text)
        answer = self._answers.pop(0)
        await asyncio.sleep(answer.seconds)
        if answer.dies:
            raise AgentError("died", f"{id} ended in the middle of its turn")
        for name, content in answer.files.items():
            _write(self._project / name, content)
        return AgentOutput(agent_id=id, running=False, text=answer.text, wrote=tuple(answer.files), usage=answer.usage)


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
