"""Agents whose turn is one coroutine; two of them need no model: the shell, and the embedded debugger."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

from loopwright.core.errors import AgentError, Invalid
from loopwright.core.ports import Debugger
from loopwright.core.protocol import ActionReport, AgentOutput, Capabilities, Message
from loopwright.evidence.debugging import SearchFindings
from loopwright.processes.confinement import explain_denial
from loopwright.processes.process import Patience, run_shell
from loopwright.processes.sandbox import SandboxNeeds
from loopwright.reports.block import ReportStatus


class TaskAgent(ABC):
    """Implements ports.Agent but for its name and capabilities; an agent says what it does in `play`."""

    name: str

    def __init__(self) -> None:
        self._turns: dict[str, asyncio.Task[AgentOutput]] = {}
        self._spawned = 0

    @abstractmethod
    async def play(self, id: str, message: Message) -> AgentOutput:
        """One turn. Cancelling it leaves no process behind."""

    def at_work(self, id: str) -> AgentOutput:
        """What can be told of a turn under way."""
        return AgentOutput(agent_id=id, running=True)

    async def spawn_agent(self, message: Message) -> str:
        self._spawned += 1
        id = f"{self.name}-{self._spawned}"
        # Held by the session, and ended by close_agent: a turn outlives the call that begins it.
        self._turns[id] = asyncio.ensure_future(self.play(id, message))
        return id

    async def send_input(self, id: str, message: Message) -> None:
        if not self._turn(id).done():
            raise AgentError("protocol", f"{id} is still working")
        self._turns[id] = asyncio.ensure_future(self.play(id, message))

    async def steer(self, id: str, text: str) -> bool:
        return False

    async def cancel_turn(self, id: str) -> None:
        turn = self._turn(id)
        turn.cancel()
        await asyncio.wait([turn])

    async def wait(self, ids: Sequence[str], timeout_ms: float) -> Mapping[str, AgentOutput]:
        turns = {id: self._turn(id) for id in ids}
        if turns:
            await asyncio.wait(turns.values(), timeout=timeout_ms / 1000)
        return {id: self._output(id, turn) for id, turn in turns.items()}

    async def close_agent(self, id: str) -> None:
        turn = self._turns.pop(id, None)
        if turn is not None:
            turn.cancel()
            await asyncio.wait([turn])
            if not turn.cancelled():
                turn.exception()  # it may have failed after the last wait: nobody is left to hear of it

    def _turn(self, id: str) -> asyncio.Task[AgentOutput]:
        if id not in self._turns:
            raise AgentError("died", f"{id} is closed")
        return self._turns[id]

    def _output(self, id: str, turn: asyncio.Task[AgentOutput]) -> AgentOutput:
        if id not in self._turns:
            raise AgentError("died", f"{id} was closed while it was working")
        if turn.cancelled():
            return self.at_work(id).evolve(running=False)
        return turn.result() if turn.done() else self.at_work(id)


OUTPUT_KEPT = 200_000
"""Bytes of output that are kept, head and tail."""

BASH_NEEDS = SandboxNeeds(network=True, cache="agent")
"""A task's command is work like an agent's: it may install what it needs."""

_HEADROOM = 5.0
"""Seconds (at most a quarter of all) that the command gets less than the message allows, so that it is this agent
that says it took too long, before whoever waits gives up."""


class CommandAgent(TaskAgent):
    """Runs commands in `folder`; every process carries `marker`, and the `project` (see processes.process)."""

    name = "bash"
    capabilities = Capabilities()

    def __init__(self, folder: Path, marker: str, project: Path | None = None) -> None:
        super().__init__()
        self._folder, self._marker, self._project = folder, marker, project
        self._heard: dict[str, str] = {}
        self._signs = 0

    def at_work(self, id: str) -> AgentOutput:
        return AgentOutput(agent_id=id, running=True, text=self._heard.get(id, ""), signs=self._signs)

    async def play(self, id: str, message: Message) -> AgentOutput:
        self._heard[id] = ""
        command = message.definition.command if message.definition is not None else None
        if message.action != "DEVELOP" or not command:
            return _answer(id, message, "failed", "This agent only runs the commands of tasks.")
        patience = Patience(message.seconds - min(_HEADROOM, message.seconds / 4), message.silence)
        try:
            done = await run_shell(
                command,
                cwd=self._folder,
                marker=self._marker,
                project=self._project,
                patience=patience,
                output_cap=OUTPUT_KEPT,
                on_output=lambda text: self._hear(id, text),
                needs=BASH_NEEDS,
            )
        except Invalid as error:
            return _answer(id, message, "failed", str(error))
        if done.cut is not None:
            words = f"The command {patience.told(done.cut, 'timeout_per_action')}."
            return _answer(id, message, "failed", words, text=done.output, truncated=done.truncated)
        code, cut = done.exit_code, done.truncated
        status: ReportStatus = "success" if code == 0 else "failed"
        words = _ended(code) if code == 0 else f"{_ended(code)} {explain_denial(done.output)}".rstrip()
        return _answer(id, message, status, words, text=done.output, exit_code=code, truncated=cut)

    def _hear(self, id: str, text: str) -> None:
        """Keeps the latest output, within the cap."""
        self._heard[id] = (self._heard[id] + text)[-OUTPUT_KEPT:]
        self._signs += 1


def _ended(exit_code: int | None) -> str:
    if exit_code == 0:
        return "The command succeeded."
    if exit_code is not None and exit_code < 0:
        return f"The command was ended by signal {-exit_code}."
    return f"The command ended with exit code {exit_code}."


def _answer(
    id: str,
    message: Message,
    status: ReportStatus,
    words: str,
    *,
    text: str = "",
    exit_code: int | None = None,
    truncated: bool = False,
    findings: SearchFindings | None = None,
) -> AgentOutput:
    return AgentOutput(
        agent_id=id,
        running=False,
        text=text,
        report=ActionReport(action=message.action, status=status, message=words),
        exit_code=exit_code,
        truncated=truncated,
        findings=findings,
    )


_AT_WORK = "Testing edits on a copy of the project."

_NO_MODEL = "The builtin agent has no model; the engine itself writes what can be said without one."

_UNABLE: dict[str, tuple[Literal["success", "failed"], str]] = {
    "INIT": ("success", "The builtin agent proposes no tasks: it only fixes faults that failing tests reveal."),
    "DEVELOP": ("failed", "The builtin agent cannot write features: it only fixes small faults that tests show."),
    "DEBUG": ("failed", "There is no failing test to measure with, and the builtin agent cannot debug otherwise."),
    "VALIDATE": ("success", "The engine runs the tests itself; the builtin agent has nothing to add."),
    "COMPLETE": ("success", "The builtin agent has nothing to add to the summary."),
    "ra.analyse": ("failed", _NO_MODEL),
    "ep.explore": ("failed", _NO_MODEL),
    "ep.plan": ("failed", _NO_MODEL),
    "cd.implement": ("failed", "The builtin agent cannot write features: it only fixes small faults that tests show."),
    "vas.baseline": ("success", "The engine runs the tests itself."),
    "vas.validate": ("success", "The engine runs the tests itself; the builtin agent has nothing to add."),
    "aggregation": ("success", "The engine assembles the results itself."),
}
"""What it answers to an order it cannot carry out."""


class BuiltinAgent(TaskAgent):
    """DEBUG is a search for an edit that holds; so is cd.implement where its order names failing tests.

    It changes no file: whoever asked applies the patch.
    """

    name = "builtin"
    capabilities = Capabilities(debugs=True, measures=True)

    def __init__(self, debugger: Debugger) -> None:
        super().__init__()
        self._debugger = debugger

    def at_work(self, id: str) -> AgentOutput:
        return AgentOutput(agent_id=id, running=True, text=_AT_WORK)

    async def play(self, id: str, message: Message) -> AgentOutput:
        order = message.debug
        status: ReportStatus = "failed"
        findings = None
        if message.action not in ("DEBUG", "cd.implement") or order is None or not order.failing:
            status, words = _UNABLE.get(message.action, ("failed", _NO_MODEL))
        elif not self._debugger.supports(order.test_command):
            words = f"The builtin agent debugs Python projects with pytest or unittest, not {order.test_command!r}."
        else:
            try:
                findings = await self._debugger.search(order)
                status, words = "success", _told(findings)
            except Invalid as error:
                words = str(error)
        return _answer(id, message, status, words, text=words, findings=findings)


def _told(findings: SearchFindings) -> str:
    """Nothing found is an outcome, and a useful one: the ranked hypotheses say where to look."""
    note = f" ({findings.note})" if findings.note else ""
    if findings.patch is None:
        return f"No small edit fixes it; the hypotheses say where to look{note}."
    left = len(findings.patch.still_failing)
    rest = f"; {left} other tests still fail" if left else ""
    return f"Found a patch: {findings.patch.description}{rest}{note}."
