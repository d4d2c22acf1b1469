"""Settings, read once: flags over environment over project over user over defaults.

Not by pydantic-settings, which costs every command a tenth of a second of CPU time and forgets where a value came from,
so that neither `config show` nor an error could name its source.
"""

import os
import re
import shlex
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Self, get_args
from urllib.parse import urlsplit

import platformdirs
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    model_validator,
)

from loopwright.core.agent_names import BUILT_IN, PRESET_COMMANDS, AgentChoice, read_choice
from loopwright.core.cycle_names import ROLES, TITLES, Role
from loopwright.core.errors import Invalid
from loopwright.core.notices import Event as NoticeKind
from loopwright.core.record import first_problem
from loopwright.core.state import MAX_ITERATIONS, Iterations, Parallel, Policy, Require, SandboxName, Tokens
from loopwright.evidence.proof import ProofPolicy

TEN_YEARS = 315_576_000
MOST_TEST_PROCESSES = 256
"""Seconds; more is a mistake, and overflows clocks."""


def _arguments(given: object) -> object:
    """A part of a command line, or its words."""
    if isinstance(given, str):
        try:
            given = shlex.split(given)
        except ValueError as error:
            raise ValueError(f"cannot be read as a command line: {error}") from None
    if not isinstance(given, list | tuple) or not all(isinstance(word, str) for word in given):
        raise ValueError("must be a command line or a list of words")
    if any("\0" in word for word in given):
        raise ValueError("must not contain NUL")
    return tuple(given)


def _words(given: object) -> object:
    """A command line, or its words."""
    words = _arguments(given)
    assert isinstance(words, tuple)
    if not words:
        raise ValueError("must be a command line or a list of words")
    if not words[0].strip():
        raise ValueError("must start with a program")
    return words


def _list(given: object) -> object:
    """Names between commas or spaces, or a list of them."""
    return given.replace(",", " ").split() if isinstance(given, str) else given


def _address(given: SecretStr) -> SecretStr:
    """The message quotes nothing of it: it may hold a key."""
    with suppress(ValueError):
        parts = urlsplit(given.get_secret_value())
        if parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return given
    raise ValueError("must be an address like https://example.org/path")


def _name(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be a name")
    return text.strip()


Name = Annotated[str, AfterValidator(_name)]


def _choice(text: str) -> str:
    try:
        read_choice(text)
    except Invalid as error:
        raise ValueError(str(error)) from None
    return text


def _fallback(given: object) -> object:
    """Agents between commas, or a list of them; each may be several again, as options are repeated."""
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not all(isinstance(words, str) for words in listed):
        raise ValueError('must be agents, as in "claude, opencode" or ["claude", "opencode"]')
    parts = [part.strip() for words in listed for part in words.split(",")]
    if any(part in ("auto", "bash") for part in parts):
        raise ValueError("must name agents that can take over, as in claude, opencode:MODEL; auto and bash are none")
    if len(set(parts)) != len(parts):
        raise ValueError("must name each agent once")
    return tuple(parts)


FallbackAgents = Annotated[tuple[Annotated[str, AfterValidator(_choice)], ...], BeforeValidator(_fallback)]
"""Agents that take over one after the other."""


class Settings(BaseModel):
    """Everything that can be configured. Times in seconds unless the name says otherwise; rates in percent."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    agent: Annotated[str, AfterValidator(_choice)] = Field(
        "auto", min_length=1, description="agent that does the work: auto, builtin, or a name"
    )
    model: Name | None = Field(None, description="model that this agent works with (default: its own)")
    effort: Name | None = Field(None, description="how much that model thinks: low, high, … (default: its own)")
    fallback: FallbackAgents = Field(
        (), description="agents that take over, in order, when the one at work cannot go on"
    )
    review: Annotated[str, AfterValidator(_choice)] | None = Field(
        None, min_length=1, description="agent that reviews a loop's work before its end (none: nobody)"
    )
    max_iterations: Iterations = Field(10, description="iterations after which a loop ends as exhausted")
    max_minutes: float | None = Field(
        None, gt=0, le=TEN_YEARS / 60, description="working time after which a loop ends as over_budget"
    )
    max_tokens: Tokens | None = Field(None, description="tokens after which a loop ends as over_budget")
    max_cost: float | None = Field(None, gt=0, description="US dollars after which a loop ends as over_budget")
    test_command: str | None = Field(None, min_length=1, description="command that runs the tests (default: detected)")
    test_timeout: float = Field(600, gt=0, le=TEN_YEARS, description="seconds a test run may take")
    per_test_timeout: float | None = Field(
        None,
        ge=0,
        le=TEN_YEARS,
        description="seconds one test may take (0: no limit; default: ten times as long as all others, at least 20)",
    )
    test_parallel: int | None = Field(
        None,
        ge=1,
        le=MOST_TEST_PROCESSES,
        description="processes that run the tests (default: one; needs pytest-xdist)",
    )
    silence_timeout: float = Field(
        300, ge=0, le=TEN_YEARS, description="seconds a program may show no activity (0: no limit)"
    )
    timeout_per_action: float = Field(
        600, gt=0, le=TEN_YEARS, description="seconds an agent's turn or a bash task may take"
    )
    grace_timeout: float = Field(60, ge=0, le=TEN_YEARS, description="seconds an agent whose time is up has to wrap up")
    permissions: Policy = Field(
        "workspace", description="what an agent may do without asking: workspace, ask, read-only, or all"
    )
    park: bool = Field(True, description="wait for an agent's usage limit to reset (false: the loop ends as failed)")
    worktree: bool = Field(False, description="work in a git worktree, on a branch loopwright/ID")
    commit: bool = Field(False, description="commit what each task changed; needs worktree")
    sandbox: SandboxName = Field(
        "auto", description="what agents and tests run in: auto, landlock, bwrap, required, or none"
    )
    sandbox_paths: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        (), description="what they see there besides; PATH:rw where they may write"
    )
    sandbox_hosts: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        (), description="what tests reach there besides a loopback of their own, as in localhost:5432"
    )
    pass_env: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        (), description="secret environment variables that commands, tests and agents get, as in AWS_*"
    )
    prompts: str | None = Field(
        None, min_length=1, description="folder of prompts that replace ours (default: .loopwright/prompts)"
    )
    allow_test_changes: bool = Field(False, description="accept tests that pass only because their own source changed")
    proof: ProofPolicy = Field(
        "auto", description="what must prove that the goal is reached: auto, mend, preserve or none"
    )
    allow_environment_changes: bool = Field(
        False, description="accept changes to the test environment that git does not see"
    )
    baseline: str = Field(
        "HEAD", min_length=1, description="commit whose tests count where uncommitted ones differ, or worktree"
    )
    require: Require = Field("all", description="all, or no_new_failures for projects whose tests already failed")
    min_pass_rate: float = Field(100, ge=0, le=100, description="percent of tests that must pass")
    min_coverage: float = Field(0, ge=0, le=100, description="percent of lines that must be covered")
    min_mutation_score: float = Field(
        0,
        ge=0,
        le=100,
        description="percent of the changed lines' mutants that the goal's tests must kill",
    )
    min_diff_coverage: float = Field(
        0, ge=0, le=100, description="percent of the changed lines that the goal's tests must run"
    )
    timezone: str = Field("+08:00", description="UTC offset for written times")
    checkpoints: str | None = Field(None, description="folder of the private repositories (default: state directory)")
    notify_command: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        (), description="program that gets a loop's notifications, as JSON on its stdin"
    )
    notify_url: Annotated[SecretStr, AfterValidator(_address)] | None = Field(
        None, description="address that a loop's notifications are posted to, as JSON"
    )
    notify_hosts: Annotated[tuple[str, ...], BeforeValidator(_list)] = Field(
        (), description="hosts that notify_url may name although they are on this machine or in a private network"
    )
    notify_on: Annotated[tuple[NoticeKind, ...], BeforeValidator(_list)] = Field(
        get_args(NoticeKind), description="what to notify about: finished, needs_person, parked"
    )
    unsafe_fs: bool = Field(False, description="allow a network file system, where locks may not work")


def _by_role(given: object) -> object:
    """A table of agents by role, or words like cd=codex."""
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    if isinstance(given, list | tuple):
        parts = [word.partition("=") if isinstance(word, str) else ("", "", "") for word in given]
        if not all(role and agent for role, _, agent in parts):
            raise ValueError("must assign agents to roles, as in cd=codex")
        given = {role: agent for role, _, agent in parts}
    if not isinstance(given, Mapping):
        raise ValueError('must be a table of agents by role, as in [cycle.roles] cd = "codex"')
    if strange := [name for name in given if name not in ROLES]:
        known = ", ".join(f"{role} ({title})" for role, title in TITLES.items())
        raise ValueError(f"there is no role {strange[0]!r}; available: {known}")
    return {role: _chosen(player) if isinstance(player, Mapping) else player for role, player in given.items()}


def _chosen(table: Mapping[str, object]) -> str:
    """As in { agent = "codex", model = "gpt-5.5", effort = "high" }."""
    names = {key: value for key, value in table.items() if isinstance(value, str) and value.strip()}
    if len(names) != len(table) or not table.keys() <= {"agent", "model", "effort"} or "agent" not in table:
        raise ValueError('must be an agent, or a table as in { agent = "codex", model = "gpt-5.5", effort = "high" }')
    return str(AgentChoice(names["agent"], names.get("model"), names.get("effort")))


class CycleSettings(BaseModel):
    """`[cycle]`: what holds for cycles alone. For all else the settings of loops hold; times in seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    parallel: Parallel = Field(2, description="agents working at once in a cycle, 1 to 4")
    max_iterations: Iterations = Field(MAX_ITERATIONS, description="iterations after which a cycle ends as exhausted")
    timeout_per_turn: float = Field(1800, gt=0, le=TEN_YEARS, description="seconds a role's turn may take")
    grace_timeout: float = Field(
        180, ge=0, le=TEN_YEARS, description="seconds it has to report its progress, and again to finish"
    )
    roles: Annotated[dict[Role, Annotated[str, AfterValidator(_choice)]], BeforeValidator(_by_role)] = Field(
        default={}, description="agent that plays a role (default: agent)"
    )


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError("must be the name of an environment variable")
    return name


def _value(text: str) -> str:
    if "\0" in text:
        raise ValueError("must not contain NUL")
    return text


Variable = Annotated[str, AfterValidator(_variable)]


class FleetSettings(BaseModel):
    """`[fleet]`: where runs are handed to other machines. On a worker, `accounts` are those that it can work with."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    url: SecretStr | None = Field(None, description="PostgreSQL database of the fleet: postgresql://USER@HOST/DATABASE")
    account: Name | None = Field(None, description="agent account that submitted runs work with")
    user: Name | None = Field(None, description="who submits (default: the name that you are logged in with)")
    setup: str | None = Field(None, min_length=1, description="command that prepares a checkout, as in: make setup")
    accounts: dict[Name, dict[Variable, Annotated[str, AfterValidator(_value)]]] = Field(
        default={}, description="environment of the runs of an account, by its name (empty: all accounts)"
    )


def _by_policy(given: object) -> object:
    """One mode for all policies, or a table of them."""
    if isinstance(given, str):
        return dict.fromkeys(get_args(Policy), given)
    if not isinstance(given, dict):
        raise ValueError(f"must be a mode, or a table of modes by policy ({', '.join(get_args(Policy))})")
    return given


def _header(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", name):
        raise ValueError("must be the name of an HTTP header")
    return name


OWN_SERVER = "loopwright"
"""Name of the MCP server that agents report through."""


class McpTable(BaseModel):
    """`[agents.NAME.mcp.SERVER]`: an MCP server of the user's own, as a program or at an address."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Annotated[tuple[str, ...], BeforeValidator(_words)] = ()
    args: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = ()
    env: dict[Variable, Annotated[str, AfterValidator(_value)]] = {}
    url: Annotated[SecretStr, AfterValidator(_address)] | None = None
    headers: dict[Annotated[str, AfterValidator(_header)], Annotated[str, AfterValidator(_value)]] = {}

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        if bool(self.command) == (self.url is not None):
            raise ValueError("must have either a command, or a url")
        if self.url is not None and (self.args or self.env):
            raise ValueError("must have no args and no env beside a url")
        if self.command and self.headers:
            raise ValueError("must have no headers beside a command")
        return self


def _server(name: str) -> str:
    if name == OWN_SERVER or not _NAME.fullmatch(name):
        raise ValueError(f"must be named with letters, digits, - _ . and at most 64; {OWN_SERVER} is ours")
    return name


class AgentTable(BaseModel):
    """`[agents.NAME]`: an agent of the user's own, or what is different about one that is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        default=(), description="command that starts it, speaking ACP"
    )
    env: dict[Variable, Annotated[str, AfterValidator(_value)]] = Field(
        default={}, description="environment variables to add"
    )
    without_env: tuple[Variable, ...] = Field(default=(), description="environment variables to remove")
    pass_env: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        default=(), description="secret environment variables that it gets, as in AWS_*"
    )
    mode: Annotated[dict[Policy, str], BeforeValidator(_by_policy)] = Field(
        default={}, description="session mode by policy"
    )
    install: str = Field(default="", description="command that installs it")
    login: str = Field(default="", description="command that logs in")
    model: Name | None = Field(default=None, description="model that it works with, unless a run names another")
    effort: Name | None = Field(default=None, description="how much that model thinks, unless a run names another")
    args: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        default=(), description="further arguments of its command"
    )
    folders: Annotated[tuple[str, ...], BeforeValidator(_arguments)] = Field(
        default=(), description="folders of its own that it keeps in a sandbox, as in ~/.config/NAME"
    )
    mcp: dict[Annotated[str, AfterValidator(_server)], McpTable] = Field(
        default={}, description="MCP servers that it gets beside ours"
    )


def drop_choice(agent: str, given: Mapping[str, object]) -> dict[str, None]:
    """What does not hold any more where another than this `agent` is `given`: model and effort are an agent's own."""
    if given.get("agent") in (None, agent):
        return {}
    return {name: None for name in ("model", "effort") if name not in given}


PREFIX = "LOOPWRIGHT_"
FLEET_URL = f"{PREFIX}FLEET_URL"
PASS_ENV = f"{PREFIX}PASS_ENV"
ACCOUNT_ENV = f"{PREFIX}ACCOUNT_ENV"
"""Names of the variables of the fleet's account, between commas: its agents get them."""
FLAG = "flag"
AGENTS = "agents"
CYCLE = "cycle"
FLEET = "fleet"
TABLES: Mapping[str, type[BaseModel]] = {CYCLE: CycleSettings, FLEET: FleetSettings}
"""Settings that stand in a table of their own."""
ROLES_TABLE = "roles"
INNER = (ROLES_TABLE, "accounts")
"""Keys of those tables that are tables again, of which each entry has an origin of its own."""
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
Values = Mapping[str, Any]  # Any: from TOML or the environment, typed by Settings


@dataclass(frozen=True)
class Config:
    """Settings and agents, and where each value came from.

    An agent's under `agents.NAME.KEY`, those of cycles and of the fleet under `cycle.KEY`, `cycle.roles.ROLE`,
    `fleet.KEY` and `fleet.accounts.NAME`.
    """

    settings: Settings
    origins: Mapping[str, str]
    agents: Mapping[str, AgentTable]
    cycle: CycleSettings
    fleet: FleetSettings


def load_config(project: Path, flags: Values, environ: Mapping[str, str] = os.environ) -> Config:
    """Reads every source for `project`; `flags` are settings, and those of cycles in a table `cycle`.

    Invalid names the source, the key, and what would be right.
    """
    user = Path(platformdirs.user_config_dir("loopwright")) / "loopwright.toml"
    sources: list[tuple[str, Values]] = [
        (str(user), _toml(user)),
        (str(project / "pyproject.toml"), _table(_toml(project / "pyproject.toml"), "tool", "loopwright")),
        (str(project / "loopwright.toml"), _toml(project / "loopwright.toml")),
        ("environment", _environment(environ)),
        (FLAG, {key: value for key, value in flags.items() if value is not None}),
    ]
    merged: dict[str, Any] = {}  # Any: as Values
    agents: dict[str, dict[str, Any]] = {}
    tables: dict[str, dict[str, Any]] = {name: {} for name in TABLES}
    keys = (f"{name}.{key}" for name, model in TABLES.items() for key in model.model_fields)
    origins = dict.fromkeys((*Settings.model_fields, *keys), "default")
    for origin, values in sources:
        plain = {key: value for key, value in values.items() if key not in (AGENTS, *TABLES)}
        plain = _validated(Settings, plain, origin)
        dropped = drop_choice(merged.get("agent", "auto"), plain)
        merged |= plain | dropped
        origins |= {**dict.fromkeys(plain, origin), **dict.fromkeys(dropped, "default")}
        for name, model in TABLES.items():
            table = _validated(model, values.get(name, {}), origin, name)
            tables[name] = _merged(tables[name], table)
            origins |= {f"{name}.{key}": origin for key in table}
            origins |= {f"{name}.{key}.{inner}": origin for key in INNER for inner in table.get(key, {})}
        for name, table in _agents(origin, values.get(AGENTS, {})).items():
            agents[name] = _merged(agents.get(name, {}), table)
            origins |= {f"{AGENTS}.{name}": origin, **{f"{AGENTS}.{name}.{key}": origin for key in table}}
    _check_commands(agents, origins)
    known = {name: AgentTable.model_validate(table) for name, table in agents.items()}
    cycle, fleet = CycleSettings.model_validate(tables[CYCLE]), FleetSettings.model_validate(tables[FLEET])
    return Config(Settings.model_validate(merged), origins, known, cycle, fleet)


def _validated(model: type[BaseModel], values: object, origin: str, table: str = "") -> dict[str, Any]:
    """What one source gives of a model, as the names that it gives; `table` is where they stand in it."""
    if not isinstance(values, dict):
        raise Invalid(f"{origin}: {table}: must be a table, as in [{table}] (got {values!r})")
    if unknown := sorted(values.keys() - model.model_fields.keys()):
        noun = "key" if model is AgentTable else "setting"
        where = f"{origin}: {table}" if table else origin
        raise Invalid(f"{where}: unknown {noun} {', '.join(unknown)} (known: {', '.join(model.model_fields)})")
    try:
        return model.model_validate(values).model_dump(exclude_unset=True)
    except ValidationError as error:
        name, _, words = first_problem(error).replace(".[key]:", ":").partition(":")
        if name.startswith("notify_url"):
            name, words = "notify_url", words.rpartition(" (got ")[0]
        if name.startswith("mcp"):  # nothing of it is quoted: it may hold a key
            words = words.rpartition(" (got ")[0] or words
        if origin == FLAG:
            option = "--role" if name == ROLES_TABLE else f"--{name.replace('_', '-')}"
            raise Invalid(f"{option}:{words}") from error
        raise Invalid(f"{origin}: {f'{table}.' if table else ''}{name}:{words}") from error


def _agents(origin: str, tables: object) -> dict[str, dict[str, Any]]:
    """The agents of one source, each with the keys that are given there."""
    if not isinstance(tables, dict):
        raise Invalid(f"{origin}: {AGENTS}: must contain tables, as in [agents.NAME] (got {tables!r})")
    found = {}
    for name, table in tables.items():
        if name in BUILT_IN or not _NAME.fullmatch(name):
            rule = f"letters, digits, - _ . and at most 64; {', '.join(BUILT_IN)} are reserved"
            raise Invalid(f"{origin}: {AGENTS}.{name}: not a name for an agent ({rule})")
        found[name] = _validated(AgentTable, table, origin, f"{AGENTS}.{name}")
    return found


def _merged(before: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """Key by key; tables inside, variables and modes, again key by key."""
    inner = [key for key in ("env", "mode", "mcp", *INNER) if key in before and key in table]
    return {**before, **table, **{key: {**before[key], **table[key]} for key in inner}}


def _check_commands(agents: Mapping[str, Values], origins: Mapping[str, str]) -> None:
    for name, table in agents.items():
        if name not in PRESET_COMMANDS and "command" not in table:
            example = f'command = "{name} --acp"'
            raise Invalid(
                f"{origins[f'{AGENTS}.{name}']}: {AGENTS}.{name}: needs a command, for example {example}"
                f" (only {', '.join(PRESET_COMMANDS)} are known without one)"
            )


def _environment(environ: Mapping[str, str]) -> Values:
    """LOOPWRIGHT_MAX_MINUTES=30 sets max_minutes, LOOPWRIGHT_CYCLE_PARALLEL=3 what [cycle] has of that name.

    Names of other purposes are left alone.
    """
    tables = {name: _named(environ, f"{PREFIX}{name.upper()}_", model) for name, model in TABLES.items()}
    return {**_named(environ, PREFIX, Settings), **{name: table for name, table in tables.items() if table}}


def _named(environ: Mapping[str, str], prefix: str, model: type[BaseModel]) -> Values:
    """The variables with that prefix that are named after a field."""
    named = {name.removeprefix(prefix).lower(): value for name, value in environ.items() if name.startswith(prefix)}
    return {name: value for name, value in named.items() if name in model.model_fields and value != ""}


def _toml(path: Path) -> Values:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Invalid(f"{path}: not valid TOML: {error}") from error


def _table(document: Values, *names: str) -> Values:
    for name in names:
        inner = document.get(name)
        document = inner if isinstance(inner, dict) else {}
    return document


FOLDER = "catalogue"


def read_catalogues(project: Path) -> tuple[tuple[str, str], ...]:
    """(file, text) of each, the user's before the project's, which come to hold where both name a tool.

    Invalid for one that cannot be read.
    """
    folders = (Path(platformdirs.user_config_dir("loopwright")) / FOLDER, project / ".loopwright" / FOLDER)
    return tuple((str(file), _text(file)) for folder in folders for file in sorted(folder.glob("*.toml")))


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise Invalid(f"{file}: cannot be read: {error}") from error
