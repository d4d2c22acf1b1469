"""An agent that answers from a list: for tests, demonstrations and dry runs."""

import asyncio
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError

from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.errors import AgentError, AgentTrouble, Invalid
from loopwright.domain.protocol import AgentOutput, Capabilities, Message, Usage
from loopwright.domain.record import Items, Record, Timestamp, first_problem


class Answer(Record):
    """One turn: what is written to the project, then what is said. A `None` file is deleted.

    `says_before` is heard while the turn lasts, `seconds` is how long that is; a turn that `hangs` lasts until it is
    cancelled. `error` (with `until`) is raised instead of answering; `dies` is short for "died". `session` is what the
    agent calls its session.
    """

    text: str = ""
    files: dict[str, str | None] = Field(default_factory=dict)
    says_before: str = ""
    seconds: float = 0
    hangs: bool = False
    dies: bool = False
    error: AgentTrouble | None = None
    until: Timestamp | None = None
    session: str | None = None
    usage: Usage = Usage()

    @property
    def failure(self) -> AgentError | None:
        """What the turn ends with instead of an answer."""
        if self.dies:
            return AgentError("died", "the script ends the session in the middle of its turn")
        if self.error is None:
            return None
        until = datetime.fromisoformat(self.until) if self.until else None
        return AgentError(self.error, f"the script ends the turn with {self.error}", until=until)


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
    """Plays a script in `project`. Sessions of one agent share the list, so that a respawned one goes on.

    `messages` are all that it was sent, with their session and brief.
    """

    name = "scripted"

    def __init__(self, script: Script, project: Path) -> None:
        super().__init__()
        self.capabilities = script.capabilities
        self.messages: list[Message] = []
        self._answers = list(script.answers)
        self._playing: dict[str, Answer] = {}
        self._project = project

    def at_work(self, id: str) -> AgentOutput:
        answer = self._playing.get(id, Answer())
        return AgentOutput(
            agent_id=id, running=True, text=answer.says_before, session=answer.session, signs=len(self.messages)
        )

    async def play(self, id: str, message: Message) -> AgentOutput:
        self.messages.append(message)
        if not self._answers:
            text = f"ACTION_RESULT:\n- action: {message.action}\n- status: failed\n- message: the script is used up\n"
            return AgentOutput(agent_id=id, running=False, text=text)
        answer = self._playing[id] = self._answers.pop(0)
        await asyncio.sleep(answer.seconds)
        if answer.hangs:
            await asyncio.get_running_loop().create_future()  # nobody answers it: only cancelling ends it
        if failure := answer.failure:
            raise failure
        for name, content in answer.files.items():
            _write(self._project / name, content)
        return self.at_work(id).evolve(running=False, text=answer.text, wrote=tuple(answer.files), usage=answer.usage)


def _write(path: Path, text: str | None) -> None:
    if text is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
