"""An agent that answers from a list: for tests, demonstrations and dry runs."""

import asyncio
import os
import shutil
from collections.abc import Awaitable, Callable, Iterable
from datetime import datetime
from pathlib import Path

from pydantic import Field, ValidationError

from loopwright.agents.task_agent import TaskAgent
from loopwright.core.errors import AgentError, AgentTrouble, Invalid
from loopwright.core.protocol import AgentOutput, Capabilities, Message, Usage
from loopwright.core.record import Items, Record, Timestamp, first_place
from loopwright.core.transcript import AgentMessage, TurnFailure
from loopwright.reports.phase import STEPS

FOLDER = "{folder}/"
"""What the names of files in the agent's own folder begin with."""

LOOK_SECONDS = 0.01


class ScriptedTurn(Record):
    """One turn: what is written to the project, then what is said. A `None` file is deleted.

    `copies` are taken from absolute paths, as they are: binary files, and those with a mode of their own.

    `to`: words of the order (`ep.plan`, `TASK-002`) that this answers; without them it answers any. Files below
    `{folder}/` go to the folder that is the agent's own.

    `signals` is a file that is made when the turn begins, and it goes on once those it `waits_for` are there; both are
    absolute, so that two agents can wait for each other. `says_before` is heard while the turn lasts, `seconds` is how
    long that is; a turn that `hangs` lasts until it is cancelled. `error` (with `until`) is raised instead of
    answering; `dies` is short for "died". `session` is what the agent calls its session.
    """

    to: str = ""
    text: str = ""
    files: dict[str, str | None] = Field(default_factory=dict)
    copies: dict[str, str] = Field(default_factory=dict)
    signals: str | None = None
    waits_for: Items[str] = ()
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
            return AgentError("died", "the script ends the session during its turn")
        if self.error is None:
            return None
        until = datetime.fromisoformat(self.until) if self.until else None
        return AgentError(self.error, f"the script ends the turn with {self.error}", until=until)


class AgentScript(Record):
    """Answers in order, one a message: the first of those left that fits it. Without one the agent fails, and says so.

    Every agent plays its script by itself, so in a cycle each role has a script of its own, or answers by `to`.
    """

    capabilities: Capabilities = Capabilities(plans=True, writes_code=True, writes_tests=True, debugs=True)
    answers: Items[ScriptedTurn] = ()


def read_script(path: Path) -> AgentScript:
    """A script from its JSON file. Invalid says where the first problem is, and nothing of what the file holds."""
    try:
        return AgentScript.model_validate_json(path.read_bytes())
    except FileNotFoundError as error:
        raise Invalid(f"no such script: {path}") from error
    except OSError as error:
        raise Invalid(f"{path} cannot be read: {error.strerror}") from error
    except ValidationError as error:
        raise Invalid(f"{path} is not a script: {first_place(error, AgentScript, ScriptedTurn)}") from error


class ScriptedAgent(TaskAgent):
    """Plays a script in `project`. Sessions of one agent share the list, so that a respawned one goes on.

    `messages` are all that it was sent, with their session and brief. What it was sent `earlier` is answered: it goes
    on after that.
    """

    name = "scripted"

    def __init__(self, script: AgentScript, project: Path, earlier: Iterable[AgentMessage] = ()) -> None:
        super().__init__()
        self.capabilities = script.capabilities
        self.messages: list[Message] = []
        self._answers = list(script.answers)
        self._playing: dict[str, ScriptedTurn] = {}
        self._project = project
        for message in earlier:
            self._next(message.action, message.text)

    def at_work(self, id: str) -> AgentOutput:
        answer = self._playing.get(id, ScriptedTurn())
        return AgentOutput(
            agent_id=id, running=True, text=answer.says_before, session=answer.session, signs=len(self.messages)
        )

    async def play(self, id: str, message: Message) -> AgentOutput:
        self.messages.append(message)
        answer = self._next(message.action, message.text)
        if answer is None:
            kind, words = ("phase", "summary") if message.action in STEPS else ("action", "message")
            report = f"- {kind}: {message.action}\n- status: failed\n- {words}: the script is used up\n"
            return AgentOutput(agent_id=id, running=False, text=f"{kind.upper()}_RESULT:\n{report}")
        self._playing[id] = answer
        if answer.signals is not None:
            Path(answer.signals).touch()
        while not all(Path(path).exists() for path in answer.waits_for):  # noqa: ASYNC110 - another agent makes them
            await asyncio.sleep(LOOK_SECONDS)
        await asyncio.sleep(answer.seconds)
        if answer.hangs:
            await asyncio.get_running_loop().create_future()  # nobody answers it: only cancelling ends it
        if failure := answer.failure:
            raise failure
        wrote = [self._write(name, content, message.folder) for name, content in answer.files.items()]
        wrote += [self._write(name, Path(source), message.folder) for name, source in answer.copies.items()]
        return self.at_work(id).evolve(running=False, text=answer.text, wrote=tuple(wrote), usage=answer.usage)

    def _next(self, action: str, text: str) -> ScriptedTurn | None:
        """The answer to play, which is left out from here on."""
        order = f"{action}\n{text}"
        for n, answer in enumerate(self._answers):
            if answer.to in order:
                return self._answers.pop(n)
        return None

    def _write(self, name: str, content: str | Path | None, folder: str) -> str:
        """Writes a file, and gives it its name in `AgentOutput.wrote`."""
        own = folder if name.startswith(FOLDER) else ""
        path = Path(os.path.normpath(self._project / own / name.removeprefix(FOLDER)))
        if content is None:
            path.unlink(missing_ok=True)
        elif isinstance(content, Path):
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(content, path)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        return str(path.relative_to(self._project)) if path.is_relative_to(self._project) else str(path)


TurnSource = Callable[[str, Message], Awaitable[AgentOutput | TurnFailure]]
"""The next turn of the agent of that name; what it wrote is in the project when it comes back."""


class ReplayedAgent(TaskAgent):
    """`name` and `capabilities` are those of the agent that was recorded. Starts no process."""

    def __init__(self, name: str, capabilities: Capabilities, recorded: TurnSource) -> None:
        super().__init__()
        self.name, self.capabilities, self._recorded = name, capabilities, recorded

    async def play(self, id: str, message: Message) -> AgentOutput:
        turn = await self._recorded(self.name, message)
        if isinstance(turn, AgentOutput):
            return turn.evolve(agent_id=id)
        if turn.kind == "cancelled":
            endless: asyncio.Future[AgentOutput] = asyncio.get_running_loop().create_future()
            return await endless  # until it is cancelled again
        until = datetime.fromisoformat(turn.until) if turn.until else None
        raise AgentError(turn.kind, turn.message, until=until)
