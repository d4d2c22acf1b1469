"""The agent for tasks that are one command line: runs it, bounded, and reports how it ended."""

from pathlib import Path

from loopwright.agents.turnwise import TurnwiseAgent
from loopwright.domain.errors import Invalid
from loopwright.domain.protocol import ActionReport, AgentOutput, Capabilities, Message, ReportStatus
from loopwright.workspace.patience import Patience
from loopwright.workspace.process import run_shell

OUTPUT_KEPT = 200_000
"""Bytes of output that are kept, head and tail."""

_HEADROOM = 5.0
"""Seconds (at most a quarter of all) that the command gets less than the message allows, so that it is this agent
that says it took too long, before whoever waits gives up."""


class CommandAgent(TurnwiseAgent):
    """Runs commands in `folder`; every process carries `marker`, and the `project` (see workspace.process)."""

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
            return _answer(id, message, "failed", "This agent runs the commands of tasks; it can do nothing else.")
        patience = Patience(message.seconds - min(_HEADROOM, message.seconds / 4), message.silence)
        try:
            done = await run_shell(
                command, cwd=self._folder, marker=self._marker, project=self._project,
                patience=patience, output_cap=OUTPUT_KEPT, on_output=lambda text: self._hear(id, text),
            )  # fmt: skip
        except Invalid as error:
            return _answer(id, message, "failed", str(error))
        if done.cut is not None:
            words = f"The command {patience.told(done.cut, 'timeout_per_action')}."
            return _answer(id, message, "failed", words, text=done.output, truncated=done.truncated)
        status: ReportStatus = "success" if done.exit_code == 0 else "failed"
        return _answer(
            id, message, status, _ended(done.exit_code),
            text=done.output, exit_code=done.exit_code, truncated=done.truncated,
        )  # fmt: skip

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
) -> AgentOutput:
    report = ActionReport(action=message.action, status=status, message=words)
    return AgentOutput(agent_id=id, running=False, text=text, report=report, exit_code=exit_code, truncated=truncated)
