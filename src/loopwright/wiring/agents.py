"""Every agent by its name."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from loopwright.core.agent_names import (
    BUILT_IN,
    SCRIPTED,
    AgentChoice,
    complete_name,
    is_known,
    read_choice,
    unknown_agent,
)
from loopwright.core.config import ACCOUNT_ENV, AgentTable
from loopwright.core.errors import Advice, AgentError, Invalid
from loopwright.core.ports import NOWHERE, Agent, AgentEnvironment
from loopwright.policy.secrets import SecretFilter, secret_headers, secret_values
from loopwright.wiring.places import check_inside

if TYPE_CHECKING:
    from loopwright.core.agent_names import AgentCommand
    from loopwright.evidence.secret_results import ResultFilter
    from loopwright.repair.baseline_cache import BaselineCache


@dataclass(frozen=True)
class Agents:
    """Every agent that can be named in a project; `folder` is where those of a loop keep their files.

    `fenced`: whoever names them is not at this machine's terminal, so that a script has to lie in the project.
    """

    project: Path
    configured: Mapping[str, AgentTable]
    folder: Callable[[str], Path]
    fenced: bool = False

    @cached_property
    def measured(self) -> "BaselineCache":
        """What the debuggers of one process share."""
        from loopwright.repair.baseline_cache import BaselineCache

        return BaselineCache()

    @cached_property
    def results(self) -> "ResultFilter":
        """What keeps secrets out of all that tests and debuggers tell."""
        from loopwright.evidence.secret_results import ResultFilter

        return ResultFilter(SecretFilter(self.known_secrets()))

    def known_secrets(self) -> tuple[str, ...]:
        """Those that are in the settings of agents and in the environment."""
        return (*self._server_keys, *(value for known in self._environments for value in secret_values(known)))

    @property
    def _server_keys(self) -> Iterator[str]:
        for server in (server for table in self.configured.values() for server in table.mcp.values()):
            yield from secret_headers(server.headers)
            if server.url and (query := urlsplit(server.url.get_secret_value()).query):
                yield query

    @property
    def _environments(self) -> Iterator[Mapping[str, str]]:
        yield os.environ
        for table in self.configured.values():
            yield table.env
            yield from (server.env for server in table.mcp.values())

    @property
    def commands(self) -> "Mapping[str, AgentCommand]":
        """Those that are programs."""
        from loopwright.agents.presets import agent_commands

        return agent_commands(self.configured)

    def choose(self, name: str, model: str | None = None, effort: str | None = None) -> AgentChoice:
        """Once `auto` is decided: with this model and effort where the name has none, else with those of its table."""
        choice = read_choice(name).chosen_by(model, effort)
        if self.fenced and choice.name.startswith(SCRIPTED):
            check_inside(self.project, choice.name.removeprefix(SCRIPTED))
        if choice.name == "auto":
            from loopwright.agents.presets import first_installed

            choice = choice._replace(name=first_installed(self.commands, self.project))
        table = self.configured.get(choice.name)
        return choice.completed(table.model, table.effort) if table else choice

    def chosen(self, name: str) -> str:
        """The same in one word: `codex`, `codex:gpt-5.5@high`."""
        return str(self.choose(name))

    def writer(self, own: str) -> str:
        """Who writes code for a loop of that agent: it, or the first coding agent that is installed. AgentError."""
        if own not in BUILT_IN:
            return own
        writer = self.chosen("auto")
        if writer in BUILT_IN:
            named = Advice("install one (see loopwright doctor), or name another agent: {setting}", "tool", "NAME")
            words = f"{own} cannot write code, and no coding agent is installed"
            raise AgentError("refused", words, advice=named)
        return writer

    def check_name(self, name: str) -> None:
        """Invalid for one that nobody has."""
        if not is_known(name, self.configured):
            raise Invalid(unknown_agent(name, self.configured))

    def check(self, name: str) -> None:
        """Invalid for a name that nobody has, AgentError for one that is not installed."""
        from loopwright.agents.presets import mcp_program, no_mcp_program

        self.check_name(name)
        self.make(name, NOWHERE)
        command = self.commands.get(self.choose(name).name)
        if command is not None:
            missing = (s for s in command.mcp if s.command and mcp_program(s, command, self.project) is None)
            for server in missing:
                raise Invalid(no_mcp_program(server, command))

    def check_fallback(self, names: Iterable[str], own: str) -> tuple[str, ...]:
        """Who takes over from `own`, as each is chosen; one that is not installed may be by then. Invalid."""
        chosen = tuple(name for name in dict.fromkeys(map(self.chosen, names)) if name != own)
        for name in chosen:
            if not is_known(name, self.configured):
                raise Invalid(f"fallback: {unknown_agent(name, self.configured)}")
            if read_choice(name).name == "builtin" and name != "builtin":
                raise Invalid("fallback: builtin works without a model: leave out model and effort")
        self.check_choices(*(name for name in chosen if self.missing(name) is None))
        return chosen

    def check_review(self, name: str | None) -> str | None:
        """Who reviews, as it is chosen; None for nobody. AgentError, Invalid, NotOffered."""
        if name in (None, "none"):
            return None
        try:
            agent = self.reader(name)
            self.check_choices(agent)
        except Invalid as error:
            raise Invalid(f"review: {error}") from error
        return agent

    def check_choices(self, *names: str) -> None:
        """Starts each agent for which a model or an effort is chosen, to see that it offers them; each once.

        Blocks for seconds. NotOffered, Invalid, AgentError.
        """
        chosen = {choice for choice in map(self.choose, names) if choice.model or choice.effort} - self._checked
        for choice in chosen:
            if choice.name not in self.commands:
                raise Invalid(f"{choice.name} works without a model: leave out model and effort")
        if not chosen:
            return
        import asyncio
        import tempfile
        from concurrent.futures import ThreadPoolExecutor

        from loopwright.agents.acp.probe import PROBE_LIMIT, check_choice

        with (
            tempfile.TemporaryDirectory(prefix="loopwright-choice-", ignore_cleanup_errors=True) as folder,
            ThreadPoolExecutor(1) as apart,  # whoever asks may have an event loop of its own
        ):
            for choice in sorted(chosen, key=str):
                checking = check_choice(self._command(choice), self.project, Path(folder), PROBE_LIMIT)
                apart.submit(asyncio.run, checking).result()
                self._checked.add(choice)

    @cached_property
    def _checked(self) -> set[AgentChoice]:
        """What agents were seen to offer."""
        return set()

    def missing(self, name: str) -> str | None:
        """Why the agent of that name cannot be started here, or None."""
        from loopwright.agents.presets import not_installed, program_of

        command = self.commands.get(read_choice(name).name)
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
        choice = self.choose(complete_name(name, around.settings) if around.settings else name)
        name, folder = choice.name, at or self.project
        around = replace(around, project=self.project)
        if name == "builtin":
            from loopwright.agents.task_agent import BuiltinAgent
            from loopwright.repair.debugger import PythonDebugger

            return BuiltinAgent(
                PythonDebugger(around.loop_id, around.output, self.project, self.measured, self.results)
            )
        if name == "bash":
            from loopwright.agents.task_agent import CommandAgent

            return CommandAgent(folder, around.loop_id, self.project)
        if name.startswith(SCRIPTED):
            from loopwright.agents.scripted import ScriptedAgent, read_script

            return ScriptedAgent(read_script(self.project / name.removeprefix(SCRIPTED)), folder, around.earlier(name))
        command = self._command(choice)
        from loopwright.agents.acp.session import AcpAgent

        return AcpAgent(command, folder, self.folder(around.loop_id), around)

    def _command(self, choice: AgentChoice) -> "AgentCommand":
        """How it is started here. AgentError."""
        from loopwright.agents.presets import not_installed, program_of

        command = self.commands.get(choice.name)
        if command is None:
            raise AgentError("refused", unknown_agent(choice.name, self.configured))
        program = program_of(command, self.project)
        if program is None:
            raise AgentError("refused", not_installed(command))
        account = filter(None, os.environ.get(ACCOUNT_ENV, "").split(","))
        started = replace(command, argv=(program, *command.argv[1:]), passed=(*command.passed, *account))
        return started.choosing(choice)
