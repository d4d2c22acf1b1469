"""The names an agent can be called by, whether or not it is installed here, and how each program is started."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, get_args

from loopwright.core.errors import Invalid
from loopwright.core.state import Policy, RunSettings

BUILT_IN = ("auto", "builtin", "bash")
SCRIPTED = "scripted:"
"""`scripted:FILE` plays a script."""


class AgentChoice(NamedTuple):
    """An agent, with the model and the effort that it shall work with; None: its own.

    Written `NAME`, `NAME:MODEL`, `NAME@EFFORT` or `NAME:MODEL@EFFORT`. Of several @, the last one counts: a model that
    has one in its name is written with one at its end.
    """

    name: str
    model: str | None = None
    effort: str | None = None

    def __str__(self) -> str:
        ending = f"@{self.effort or ''}" if self.effort or "@" in (self.model or "") else ""
        return f"{self.name}{f':{self.model}' if self.model else ''}{ending}"

    def completed(self, model: str | None, effort: str | None) -> "AgentChoice":
        """With these where nothing is chosen. An effort means what it means to a model: only both hold together."""
        if self.model and model and self.model != model:
            return self
        return self._replace(model=self.model or model, effort=self.effort or effort)

    def chosen_by(self, model: str | None, effort: str | None) -> "AgentChoice":
        """With these, named beside the agent. Invalid where it names others itself."""
        for what, own, other in (("model", self.model, model), ("effort", self.effort, effort)):
            if own and other and own != other:
                raise Invalid(f"the agent {str(self)!r} names the {what} {own!r}, and {what} is {other!r}; choose one")
        return self._replace(model=self.model or model, effort=self.effort or effort)


def read_choice(text: str) -> AgentChoice:
    """Invalid for one that names no agent, or no model after its colon."""
    if text.startswith(SCRIPTED):
        return AgentChoice(text)
    words, at, effort = text.rpartition("@") if "@" in text else (text, "", "")
    name, colon, model = words.partition(":")
    if not name.strip() or (colon and not model.strip()) or (at and not model and not effort):
        raise Invalid(f"{text!r} does not choose an agent; write NAME, NAME:MODEL, NAME@EFFORT or NAME:MODEL@EFFORT")
    return AgentChoice(name, model or None, effort or None)


def complete_name(name: str, settings: RunSettings) -> str:
    """An agent as a run names it, with the run's own model and effort where it is the run's own agent."""
    choice = read_choice(name)
    own = choice.completed(settings.model, settings.effort) if choice.name == settings.agent else choice
    return str(own)


@dataclass(frozen=True)
class McpServerCommand:
    """An MCP server of the user's own: a program (`command` and what follows), or else a place on the network."""

    name: str
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


_ROUTES = ("*_PROXY", "*_proxy")
"""A proxy's address may hold a password, and without it no model can be reached."""
MODEL_SECRETS = (
    *_ROUTES, "OPENAI_*", "AZURE_OPENAI_*", "ANTHROPIC_*", "AWS_BEARER_TOKEN_BEDROCK", "GEMINI_*", "GOOGLE_*",
    "OPENROUTER_*", "DASHSCOPE_*", "DEEPSEEK_*", "GROQ_*", "MISTRAL_*", "XAI_*", "MOONSHOT_*", "CEREBRAS_*",
    "TOGETHER_*", "FIREWORKS_*", "HF_TOKEN", "LITELLM_*",
)  # fmt: skip
"""What those log in with that work with many models: patterns of names."""


@dataclass(frozen=True)
class AgentCommand:
    """An agent that speaks ACP over stdin and stdout, as it is started here.

    `environment` is added to ours, `without` names variables that it does not get, and `passed` the secrets that it
    does: what it logs in with. `modes`: by policy, the session mode
    (or the value of the session's config option "mode") that fits it best; one that the agent does not know is left
    alone. `session_meta` goes along with every new session, as its `_meta`. `tools_within`: seconds that the tools of
    MCP servers may come late, where a session begins without them. `install`, `login` and `resume` are what a person
    types, `resume` to go on with a `{session}` by hand; `package` its name on npm where it is one.

    `model` and `effort` are asked of every session, over ACP where the agent has a way. Else `model_args` follow the
    command, or `model_variable` is set when it is started; `{model}` stands for the model. `mcp`: servers of the user's
    that it gets beside ours.

    `folders`: where it keeps its login, its sessions and its settings, as `expand_folder` reads them; in a sandbox they
    are its own. `modes_within` stand for those of `modes` where it is in a sandbox that it cannot make its own in.
    """

    name: str
    argv: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    passed: tuple[str, ...] = MODEL_SECRETS
    modes: Mapping[Policy, str] = field(default_factory=dict)
    install: str = ""
    login: str = ""
    resume: str = ""
    package: str | None = None
    tools_within: float = 0
    session_meta: Mapping[str, Any] = field(default_factory=dict)  # Any: each agent's own JSON
    model: str | None = None
    effort: str | None = None
    model_args: tuple[str, ...] = ()
    model_variable: str = ""
    mcp: tuple[McpServerCommand, ...] = ()
    folders: tuple[str, ...] = ()
    modes_within: Mapping[Policy, str] = field(default_factory=dict)

    def choosing(self, choice: AgentChoice) -> "AgentCommand":
        """As it is started for this model and effort."""
        model = choice.model
        if model is None:
            return replace(self, effort=choice.effort)
        variables = {self.model_variable: model} if self.model_variable else {}
        return replace(
            self,
            argv=(*self.argv, *(word.format(model=model) for word in self.model_args)),
            environment={**self.environment, **variables},
            model=model,
            effort=choice.effort,
        )

    @property
    def is_told_at_start(self) -> bool:
        """Whether its model is named when it is started."""
        return bool(self.model and (self.model_args or self.model_variable))


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


_XDG = {"CACHE": "~/.cache", "CONFIG": "~/.config", "DATA": "~/.local/share", "STATE": "~/.local/state"}


def _xdg(name: str, *kinds: str) -> tuple[str, ...]:
    return tuple(f"${{XDG_{kind}_HOME:-{_XDG[kind]}}}/{name}" for kind in kinds)


_ASKING = json.dumps({**{key: {"*": "ask"} for key in ("edit", "bash", "external_directory")}, "webfetch": "ask"})
"""For opencode, which else asks nothing. Tables, so that what the user denies by a pattern stays denied; webfetch takes
none (1.18 then hangs at the first message)."""

PRESET_COMMANDS: Mapping[str, AgentCommand] = {
    preset.name: preset
    for preset in (
        replace(_npm("codex", ("codex-acp",), "@agentclientprotocol/codex-acp", "codex login",
                     {**_always("read-only"), "workspace": "workspace-write", "all": "agent-full-access"}),
                passed=(*_ROUTES, "OPENAI_*", "AZURE_OPENAI_*", "CODEX_*"),
                tools_within=10, resume="codex resume {session}", folders=("${CODEX_HOME:-~/.codex}",),
                modes_within={"workspace": "agent-full-access"}),
        replace(_npm("claude", ("claude-agent-acp",), "@agentclientprotocol/claude-agent-acp", "claude /login",
                     _always("default")),
                passed=(*_ROUTES, "ANTHROPIC_*", "CLAUDE_*", "AWS_BEARER_TOKEN_BEDROCK"),
                tools_within=10, resume="claude --resume {session}",
                folders=("${CLAUDE_CONFIG_DIR:-~/.claude}", "~/.claude.json"),
                session_meta={"claudeCode": {"emitRawSDKMessages": [{"type": "system", "subtype": "api_retry"}]}}),
        replace(_npm("gemini", ("gemini", "--acp"), "@google/gemini-cli", "gemini", _always("default"),
                     {"GEMINI_CLI_TRUST_WORKSPACE": "true", "GEMINI_DEBUG_LOG_FILE": "/dev/stderr"}),
                passed=(*_ROUTES, "GEMINI_*", "GOOGLE_*"), folders=("${GEMINI_CLI_HOME:-~}/.gemini",)),
        replace(_npm("qwen", ("qwen", "--acp"), "@qwen-code/qwen-code", "qwen", _always("default")),
                tools_within=10, resume="qwen --resume {session}", model_args=("--model", "{model}"),
                folders=("~/.qwen",), passed=(*MODEL_SECRETS, "QWEN_*")),
        replace(_npm("opencode", ("opencode", "acp", "--print-logs", "--log-level", "ERROR"), "opencode-ai",
                     "opencode auth login", _always("build"), {"OPENCODE_PERMISSION": _ASKING}),
                passed=(*MODEL_SECRETS, "OPENCODE_*"),
                resume="opencode --session {session}", folders=_xdg("opencode", "CACHE", "CONFIG", "DATA", "STATE")),
        AgentCommand("goose", ("goose", "acp"), {"GOOSE_MODE": "approve"}, modes=_always("approve"),
                     passed=(*MODEL_SECRETS, "GOOSE_*"),
                     install="brew install block-goose-cli", login="goose configure", model_variable="GOOSE_MODEL",
                     folders=_xdg("goose", "CONFIG", "DATA", "STATE")),
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

    `name` of the agent, after a role's: `ra/codex`. Neither a role nor an agent has a colon, and a model may hold all.
    """
    chosen = name.partition(":")[0].partition("@")[0]
    preset = PRESET_COMMANDS.get(chosen.rpartition("/")[2])
    by_hand = f" (by hand: {preset.resume.format(session=session)})" if preset and preset.resume else ""
    return f"{name} {session}{by_hand}"


def known_agents(configured: Iterable[str] = ()) -> tuple[str, ...]:
    """Every name, as a person is told of them; `configured` are those of the user's own."""
    return tuple(dict.fromkeys((*BUILT_IN, *PRESET_COMMANDS, *sorted(configured), f"{SCRIPTED}FILE")))


def is_known(name: str, configured: Iterable[str] = ()) -> bool:
    if name.startswith(SCRIPTED):
        return name != SCRIPTED
    return read_choice(name).name in (*BUILT_IN, *PRESET_COMMANDS, *configured)


def check_agent(name: str, *, own: str, configured: Iterable[str] = ()) -> None:
    """Invalid for a name that no agent has. `own` is the loop's agent, which somebody has checked before."""
    if name != own and not is_known(name, configured):
        raise Invalid(f"tool: {unknown_agent(name, configured)}")
    choice = read_choice(name)
    if choice.name in BUILT_IN and (choice.model or choice.effort):
        raise Invalid(f"tool: {choice.name} works without a model: leave out model and effort")


def unknown_agent(name: str, configured: Iterable[str] = ()) -> str:
    """What to say of such a name."""
    known, name = ", ".join(known_agents(configured)), read_choice(name).name
    return f"no agent is named {name!r} (known: {known}; add others as [agents.NAME] in loopwright.toml)"
