"""The names an agent can be called by, whether or not it is installed here, and how each program is started."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, get_args

from loopwright.core.errors import Invalid
from loopwright.core.state import Policy

BUILT_IN = ("auto", "builtin", "bash")
SCRIPTED = "scripted:"
"""`scripted:FILE` plays a script."""


@dataclass(frozen=True)
class AgentCommand:
    """An agent that speaks ACP over stdin and stdout, as it is started here.

    `environment` is added to ours, `without` names variables that it does not get. `modes`: by policy, the session mode
    (or the value of the session's config option "mode") that fits it best; one that the agent does not know is left
    alone. `session_meta` goes along with every new session, as its `_meta`. `tools_within`: seconds that the tools of
    MCP servers may come late, where a session begins without them. `install`, `login` and `resume` are what a person
    types, `resume` to go on with a `{session}` by hand; `package` its name on npm where it is one.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    modes: Mapping[Policy, str] = field(default_factory=dict)
    install: str = ""
    login: str = ""
    resume: str = ""
    package: str | None = None
    tools_within: float = 0
    session_meta: Mapping[str, Any] = field(default_factory=dict)  # Any: each agent's own JSON


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
                tools_within=10, resume="codex resume {session}"),
        replace(_npm("claude", ("claude-agent-acp",), "@agentclientprotocol/claude-agent-acp", "claude /login",
                     _always("default")), tools_within=10, resume="claude --resume {session}",
                session_meta={"claudeCode": {"emitRawSDKMessages": [{"type": "system", "subtype": "api_retry"}]}}),
        _npm("gemini", ("gemini", "--acp"), "@google/gemini-cli", "gemini", _always("default"),
             {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_DEBUG_LOG_FILE": "/dev/stderr"}),
        replace(_npm("qwen", ("qwen", "--acp"), "@qwen-code/qwen-code", "qwen", _always("default")),
                tools_within=10, resume="qwen --resume {session}"),
        replace(_npm("opencode", ("opencode", "acp", "--print-logs", "--log-level", "ERROR"), "opencode-ai",
                     "opencode auth login", _always("build"), {"OPENCODE_PERMISSION": _ASKING}),
                resume="opencode --session {session}"),
        AgentCommand("goose", ("goose", "acp"), {"GOOSE_MODE": "approve"}, modes=_always("approve"),
                     install="brew install block-goose-cli", login="goose configure"),
    )
}  # fmt: skip
"""Coding agents that need no configuration, in the order in which `auto` looks for them.

claude, gemini and opencode say nothing over the protocol of a model that they cannot reach: claude is asked to, the
others to write their log to stderr.

The modes are those in which the agent asks us, not a second model of its own: what may be done is decided on our side
(policy/permissions.py). Modes for planning are left out: qwen and gemini take our report tools away in them, claude and
opencode ask and then write. codex asks for nothing that the sandbox of its mode allows, so its modes differ.
"""


RULES_READ: Mapping[str, tuple[str, ...]] = {
    "codex": ("AGENTS.md",),
    "claude": ("CLAUDE.md",),
    "gemini": ("GEMINI.md",),
    "qwen": ("QWEN.md", "AGENTS.md"),
    "opencode": ("AGENTS.md|CLAUDE.md",),
    "goose": (".goosehints", "AGENTS.md"),
}
"""By agent a project's files of rules that it reads by itself; of `A|B` the first there is."""


def rule_files_read(name: str, files: Collection[str]) -> frozenset[str]:
    """Of these files of rules in a project, those that the agent of that name reads by itself."""
    groups = (group.split("|") for group in RULES_READ.get(name, ()))
    return frozenset(file for group in groups if (file := next((one for one in group if one in files), None)))


def session_words(name: str, session: str) -> str:
    """What an agent calls its session, and how a person goes on with it, where that is known.

    `name` of the agent, after a role's: `ra/codex`.
    """
    preset = PRESET_COMMANDS.get(name.rpartition("/")[2])
    by_hand = f" (by hand: {preset.resume.format(session=session)})" if preset and preset.resume else ""
    return f"{name} {session}{by_hand}"


def known_agents(configured: Iterable[str] = ()) -> tuple[str, ...]:
    """Every name, as a person is told of them; `configured` are those of the user's own."""
    return tuple(dict.fromkeys((*BUILT_IN, *PRESET_COMMANDS, *sorted(configured), f"{SCRIPTED}FILE")))


def is_known(name: str, configured: Iterable[str] = ()) -> bool:
    if name.startswith(SCRIPTED):
        return name != SCRIPTED
    return name in (*BUILT_IN, *PRESET_COMMANDS, *configured)


def check_agent(name: str, *, own: str, configured: Iterable[str] = ()) -> None:
    """Invalid for a name that no agent has. `own` is the loop's agent, which somebody has checked before."""
    if name != own and not is_known(name, configured):
        raise Invalid(f"tool: {unknown_agent(name, configured)}")


def unknown_agent(name: str, configured: Iterable[str] = ()) -> str:
    """What to say of such a name."""
    known = ", ".join(known_agents(configured))
    return f"no agent is named {name!r} (known: {known}; add others as [agents.NAME] in loopwright.toml)"
