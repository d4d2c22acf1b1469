"""Every agent by its name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from loopwright.core.agent_names import BUILT_IN, SCRIPTED, is_known, unknown_agent
from loopwright.core.config import AgentTable
from loopwright.core.errors import Advice, AgentError, Invalid
from loopwright.core.ports import NOWHERE, Agent, AgentEnvironment

if TYPE_CHECKING:
    from loopwright.core.agent_names import AgentCommand
    from loopwright.repair.baseline_cache import BaselineCache


@dataclass(frozen=True)
class Agents:
    """Every agent that can be named in a project; `folder` is where those of a loop keep their files."""

    project: Path
    configured: Mapping[str, AgentTable]
    folder: Callable[[str], Path]

    @cached_property
    def measured(self) -> "BaselineCache":
        """What the debuggers of one process share."""
        from loopwright.repair.baseline_cache import BaselineCache

        return BaselineCache()

    @property
    def commands(self) -> "Mapping[str, AgentCommand]":
        """Those that are programs."""
        from loopwright.agents.presets import agent_commands

        return agent_commands(self.configured)

    def chosen(self, name: str) -> str:
        """The name itself; for `auto` that of the first agent that is installed."""
        if name != "auto":
            return name
        from loopwright.agents.presets import first_installed

        return first_installed(self.commands, self.project)

    def writer(self, own: str) -> str:
        """Who writes code for a loop of that agent: it, or the first coding agent that is installed. AgentError."""
        writer = self.chosen("auto" if own in BUILT_IN else own)
        if writer in BUILT_IN:
            named = Advice("install one (see loopwright doctor), or name another agent: {setting}", "tool", "NAME")
            words = f"{own} cannot write code, and no coding agent is installed"
            raise AgentError("refused", words, advice=named)
        return writer

    def check(self, name: str) -> None:
        """Invalid for a name that nobody has, AgentError for one that is not installed."""
        if not is_known(name, self.configured):
            raise Invalid(unknown_agent(name, self.configured))
        self.make(name, NOWHERE)

    def missing(self, name: str) -> str | None:
        """Why the agent of that name cannot be started here, or None."""
        from loopwright.agents.presets import not_installed, program_of

        command = self.commands.get(name)
        return not_installed(command) if command and program_of(command, self.project) is None else None

    def reader(self, name: str) -> str:
        """The agent of that name, which has a model to read with. AgentError, Invalid."""
        agent = self.chosen(name)
        self.check(agent)
        if not self.make(agent, NOWHERE).capabilities.plans:
            raise Invalid(f"{agent} has no model to read with; name another agent, or none")
        return agent

    def make(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        """The agent of that name; nothing is started yet. AgentError when there is none.

        `at` is the folder it works in, where that is not the project: a copy of it that stands beside it.
        """
        name = self.chosen(name)
        folder = at or self.project
        around = replace(around, project=self.project)
        if name == "builtin":
            from loopwright.agents.task_agent import BuiltinAgent
            from loopwright.repair.debugger import PythonDebugger

            return BuiltinAgent(PythonDebugger(around.loop_id, around.output, self.project, self.measured))
        if name == "bash":
            from loopwright.agents.task_agent import CommandAgent

            return CommandAgent(folder, around.loop_id, self.project)
        if name.startswith(SCRIPTED):
            from loopwright.agents.scripted import ScriptedAgent, read_script

            return ScriptedAgent(read_script(Path(name.removeprefix(SCRIPTED))), folder, around.earlier(name))
        return self._program(name, around, folder)

    def _program(self, name: str, around: AgentEnvironment, folder: Path) -> Agent:
        from loopwright.agents.presets import not_installed, program_of

        command = self.commands.get(name)
        if command is None:
            raise AgentError("refused", unknown_agent(name, self.configured))
        program = program_of(command, self.project)
        if program is None:
            raise AgentError("refused", not_installed(command))
        from loopwright.agents.acp.session import AcpAgent

        started = replace(command, argv=(program, *command.argv[1:]))
        return AcpAgent(started, folder, self.folder(around.loop_id), around)
