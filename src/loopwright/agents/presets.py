"""The agents people use, with the user's own tables over them: which are installed, and where."""

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from loopwright.core.agent_names import PRESET_COMMANDS, AgentCommand, McpServerCommand
from loopwright.core.config import AgentTable, McpTable
from loopwright.core.errors import Invalid
from loopwright.core.protocol import Usage
from loopwright.processes.process import Patience, run_group


def agent_commands(tables: Mapping[str, AgentTable]) -> Mapping[str, AgentCommand]:
    """The presets with the user's tables over them, and the agents that only the user knows."""
    return {
        **PRESET_COMMANDS,
        **{name: _over(PRESET_COMMANDS.get(name), name, table) for name, table in tables.items()},
    }


def _over(preset: AgentCommand | None, name: str, table: AgentTable) -> AgentCommand:
    """A command of the user's own is another program: how the preset's is installed says nothing of it."""
    base = preset or AgentCommand(name, ())
    if table.command and table.command != base.argv:
        base = replace(base, argv=table.command, install="", package=None)
    return replace(
        base,
        argv=(*base.argv, *table.args),
        environment={**base.environment, **table.env},
        without=(*base.without, *table.without_env),
        passed=(*base.passed, *table.pass_env),
        modes={**base.modes, **table.mode},
        modes_within={policy: mode for policy, mode in base.modes_within.items() if policy not in table.mode},
        install=table.install or base.install,
        login=table.login or base.login,
        model=table.model,
        effort=table.effort,
        folders=(*base.folders, *table.folders),
        mcp=tuple(_server(server, told) for server, told in table.mcp.items()),
    )


def _server(name: str, table: McpTable) -> McpServerCommand:
    command, *args = (*table.command, *table.args) or ("",)
    url = table.url.get_secret_value() if table.url else ""
    return McpServerCommand(name, command, tuple(args), table.env, url, table.headers)


VERSION_LIMIT = 10.0
"""Seconds that a program has to say its version."""

_VERSION = re.compile(r"\d+\.\d+[\w.+-]*")


def program_of(command: AgentCommand, project: Path) -> str | None:
    """The absolute path of its program: on the PATH that the agent gets, or below the project where it names a folder.

    Links are kept as they are: some programs are found by them.
    """
    first = os.path.expanduser(command.argv[0])
    if os.sep in first:
        return shutil.which(str(project / first))
    path = command.environment.get("PATH", os.environ.get("PATH", os.defpath))
    found = shutil.which(first, path=path)
    return os.path.abspath(found) if found else None


def mcp_program(server: McpServerCommand, agent: AgentCommand, project: Path) -> str | None:
    """The absolute path of the program of an MCP server of that agent."""
    environment = {**agent.environment, **server.env}
    return program_of(AgentCommand(server.name, (server.command,), environment), project)


def no_mcp_program(server: McpServerCommand, agent: AgentCommand) -> str:
    """What to say where there is none."""
    words = f"there is no program {server.command!r} for the MCP server {server.name} of {agent.name}"
    return f"{words}; install it, or leave the server out of [agents.{agent.name}.mcp]"


def first_installed(commands: Mapping[str, AgentCommand], project: Path) -> str:
    """What `auto` means here: the first preset whose program is there, else `builtin`."""
    return next((name for name in PRESET_COMMANDS if program_of(commands[name], project)), "builtin")


def not_installed(command: AgentCommand) -> str:
    """What to say of one whose program is not there."""
    words = f"{command.name} is not installed: there is no program {command.argv[0]!r}"
    return f"{words}; install it with: {command.install}" if command.install else words


async def version_of(program: str, command: AgentCommand, folder: Path) -> str | None:
    """The version that the program tells when asked, or None. It runs in `folder` and is ended after a time limit."""
    try:
        finished = await run_group(
            (program, "--version"),
            cwd=folder,
            marker="doctor",
            patience=Patience(VERSION_LIMIT),
            env=command.environment,
            output_cap=10_000,
        )
    except Invalid:
        return None
    told = _VERSION.search(finished.output) if finished.exit_code == 0 else None
    return told[0] if told else None


def estimate_price(usage: Usage) -> float | None:
    """US dollars for one turn; None where the model has no known price, or not both ways of the tokens are known.

    An estimate: discounts, and prices that depend on a single request's size, cannot be seen from a turn's sum.
    """
    if usage.model is None or usage.input is None or usage.output is None:
        return None
    import genai_prices  # its lists take a fifth of a second to load

    named, _, model = usage.model.rpartition("/")
    tokens = genai_prices.Usage(
        input_tokens=usage.input, cache_read_tokens=min(usage.cached or 0, usage.input), output_tokens=usage.output
    )
    try:
        found = genai_prices.calc_price(tokens, model, provider_id=named or None)
    except LookupError:  # no such provider, or no such model of it
        return None
    total: Decimal = found.total_price
    return float(total)
