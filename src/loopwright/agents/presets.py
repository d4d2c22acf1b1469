"""The agents people use: how each is started, asked, and installed; and the user's own tables over them."""

import json
import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import get_args

from loopwright.core.agent_names import PRESETS
from loopwright.core.config import AgentTable
from loopwright.core.errors import Invalid
from loopwright.core.protocol import Usage
from loopwright.core.state import Policy
from loopwright.processes.process import Patience, run_group


@dataclass(frozen=True)
class AgentCommand:
    """An agent that speaks ACP over stdin and stdout, as it is started here.

    `environment` is added to ours, `without` names variables that it does not get. `modes`: by policy, the session mode
    (or the value of the session's config option "mode") that fits it best; one that the agent does not know is left
    alone. `tools_within`: seconds that the tools of MCP servers may come late, where a session begins without them.
    `install` and `login` are what a person types, `package` its name on npm where it is one.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    modes: Mapping[Policy, str] = field(default_factory=dict)
    install: str = ""
    login: str = ""
    package: str | None = None
    tools_within: float = 0


def _always(mode: str) -> dict[Policy, str]:
    return dict.fromkeys(get_args(Policy), mode)


def _npm(
    name: str,
    argv: tuple[str, ...],
    package: str,
    login: str,
    modes: Mapping[Policy, str],
    environment: Mapping[str, str] | None = None,
) -> AgentCommand:
    return AgentCommand(
        name, argv, environment or {}, modes=modes, install=f"npm install -g {package}", login=login, package=package
    )


_ASKING = json.dumps({**{key: {"*": "ask"} for key in ("edit", "bash", "external_directory")}, "webfetch": "ask"})
"""For opencode, which else asks nothing. Tables, so that what the user denies by a pattern stays denied; webfetch takes
none (1.18 then hangs at the first message)."""

PRESET_COMMANDS: Mapping[str, AgentCommand] = {
    preset.name: preset
    for preset in (
        replace(_npm("codex", ("codex-acp",), "@agentclientprotocol/codex-acp", "codex login",
                     {**_always("read-only"), "workspace": "workspace-write", "all": "agent-full-access"}),
                tools_within=10),
        _npm("claude", ("claude-agent-acp",), "@agentclientprotocol/claude-agent-acp", "claude /login",
             _always("default")),
        _npm("gemini", ("gemini", "--acp"), "@google/gemini-cli", "gemini", _always("default"),
             {"GEMINI_CLI_TRUST_WORKSPACE": "true"}),
        replace(_npm("qwen", ("qwen", "--acp"), "@qwen-code/qwen-code", "qwen", _always("default")), tools_within=10),
        _npm("opencode", ("opencode", "acp"), "opencode-ai", "opencode auth login", _always("build"),
             {"OPENCODE_PERMISSION": _ASKING}),
        AgentCommand("goose", ("goose", "acp"), {"GOOSE_MODE": "approve"}, modes=_always("approve"),
                     install="brew install block-goose-cli", login="goose configure"),
    )
}  # fmt: skip
"""In the order of core.agent_names. The modes are those in which the agent asks us, not a second model of its own:
what may be done is decided on our side (domain.permissions). Modes for planning are left out: qwen and gemini take our
report tools away in them, claude and opencode ask and then write. codex asks for nothing that the sandbox of its mode
allows, so its modes differ."""


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
        environment={**base.environment, **table.env},
        without=(*base.without, *table.without_env),
        modes={**base.modes, **table.mode},
        install=table.install or base.install,
        login=table.login or base.login,
    )


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


def first_installed(commands: Mapping[str, AgentCommand], project: Path) -> str:
    """What `auto` means here: the first preset whose program is there, else `builtin`."""
    return next((name for name in PRESETS if program_of(commands[name], project)), "builtin")


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
