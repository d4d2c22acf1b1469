"""What can be set, as models that say what each value may be."""

import re
import shlex
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, get_args
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, SecretStr

from loopwright.domain.cycle import MAX_ITERATIONS
from loopwright.domain.cycle_engine import Parallel
from loopwright.domain.cycle_names import ROLES, TITLES, Role
from loopwright.domain.engine_state import Iterations, Policy, Require, Tokens
from loopwright.domain.notices import Event as NoticeKind
from loopwright.domain.proof import ProofPolicy

TEN_YEARS = 315_576_000
"""Seconds; more is a mistake, and overflows clocks."""


def _words(given: object) -> object:
    """A command line, or its words."""
    if isinstance(given, str):
        try:
            given = shlex.split(given)
        except ValueError as error:
            raise ValueError(f"can not be read as a command line: {error}") from None
    if not isinstance(given, list | tuple) or not given or not all(isinstance(word, str) for word in given):
        raise ValueError("must be a command line, or a list of its words")
    if not given[0].strip():
        raise ValueError("must begin with a program")
    if any("\0" in word for word in given):
        raise ValueError("must hold no NUL")
    return tuple(given)


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


class Settings(BaseModel):
    """Everything that can be configured. Times in seconds unless the name says otherwise; rates in percent."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    agent: str = Field("auto", min_length=1, description="agent that does the work: auto, builtin, or a name")
    max_iterations: Iterations = Field(10, description="iterations after which a loop ends as exhausted")
    max_minutes: float | None = Field(
        None, gt=0, le=TEN_YEARS / 60, description="working time after which a loop ends as over_budget"
    )
    max_tokens: Tokens | None = Field(None, description="tokens after which a loop ends as over_budget")
    max_cost: float | None = Field(None, gt=0, description="US dollars after which a loop ends as over_budget")
    test_command: str | None = Field(None, min_length=1, description="how the tests are run (default: detected)")
    test_timeout: float = Field(600, gt=0, le=TEN_YEARS, description="seconds a test run may take")
    per_test_timeout: float | None = Field(
        None,
        ge=0,
        le=TEN_YEARS,
        description="seconds one test may take (0: no limit; default: ten times as long as all others, at least 20)",
    )
    silence_timeout: float = Field(
        300, ge=0, le=TEN_YEARS, description="seconds a program may give no sign of life (0: no limit)"
    )
    timeout_per_action: float = Field(
        600, gt=0, le=TEN_YEARS, description="seconds an agent's turn or a bash task may take"
    )
    grace_timeout: float = Field(60, ge=0, le=TEN_YEARS, description="seconds an agent whose time is up has to wrap up")
    permissions: Policy = Field(
        "workspace", description="what an agent may do without asking: workspace, ask, read-only, or all"
    )
    park: bool = Field(True, description="wait for an agent's usage limit to pass (false: the loop ends as failed)")
    prompts: str | None = Field(
        None, min_length=1, description="folder of prompts that replace ours (default: .loopwright/prompts)"
    )
    allow_test_changes: bool = Field(False, description="accept tests that pass only since their own source changed")
    proof: ProofPolicy = Field(
        "auto", description="what has to show that the goal is reached: auto, mend, preserve or none"
    )
    allow_environment_changes: bool = Field(
        False, description="accept that what the tests run with and git does not see differs from when the run began"
    )
    require: Require = Field("all", description="all, or no_new_failures for projects that were red before")
    min_pass_rate: float = Field(100, ge=0, le=100, description="percent of tests that must pass")
    min_coverage: float = Field(0, ge=0, le=100, description="percent of lines that must be covered")
    min_mutation_score: float = Field(
        0,
        ge=0,
        le=100,
        description="percent of the changed lines' mutants that the tests of the goal must kill",
    )
    min_diff_coverage: float = Field(
        0, ge=0, le=100, description="percent of the changed lines that the tests of the goal must run"
    )
    timezone: str = Field("+08:00", description="offset that times are written in")
    checkpoints: str | None = Field(None, description="folder of the private repositories (default: state directory)")
    notify_command: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        (), description="program that is told of news of a loop, as JSON on its stdin"
    )
    notify_url: Annotated[SecretStr, AfterValidator(_address)] | None = Field(
        None, description="address that news of a loop is posted to, as JSON"
    )
    notify_on: Annotated[tuple[NoticeKind, ...], BeforeValidator(_list)] = Field(
        get_args(NoticeKind), description="what is news: finished, needs_person, parked"
    )
    unsafe_fs: bool = Field(False, description="work on a network file system, where locks may not hold")


def _by_role(given: object) -> object:
    """A table of agents by role, or words like cd=codex."""
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    if isinstance(given, list | tuple):
        parts = [word.partition("=") if isinstance(word, str) else ("", "", "") for word in given]
        if not all(role and agent for role, _, agent in parts):
            raise ValueError("must say who plays which role, as in cd=codex")
        given = {role: agent for role, _, agent in parts}
    if not isinstance(given, Mapping):
        raise ValueError('must be a table of agents by role, as in [cycle.roles] cd = "codex"')
    if strange := [name for name in given if name not in ROLES]:
        known = ", ".join(f"{role} ({title})" for role, title in TITLES.items())
        raise ValueError(f"there is no role {strange[0]!r}; there are {known}")
    return given


class CycleSettings(BaseModel):
    """`[cycle]`: what holds for cycles alone. For all else the settings of loops hold; times in seconds."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    parallel: Parallel = Field(2, description="agents at work at once in a cycle, 1 to 4")
    max_iterations: Iterations = Field(MAX_ITERATIONS, description="iterations after which a cycle ends as exhausted")
    timeout_per_turn: float = Field(1800, gt=0, le=TEN_YEARS, description="seconds that a role's turn may take")
    grace_timeout: float = Field(
        180, ge=0, le=TEN_YEARS, description="seconds it has to report where it is, and once more to finish"
    )
    roles: Annotated[dict[Role, Annotated[str, Field(min_length=1)]], BeforeValidator(_by_role)] = Field(
        default={}, description="agent that plays a role (default: agent)"
    )


def _by_policy(given: object) -> object:
    """One mode for all policies, or a table of them."""
    if isinstance(given, str):
        return dict.fromkeys(get_args(Policy), given)
    if not isinstance(given, dict):
        raise ValueError(f"must be a mode, or a table of modes by policy ({', '.join(get_args(Policy))})")
    return given


def _variable(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
        raise ValueError("must be the name of an environment variable")
    return name


def _value(text: str) -> str:
    if "\0" in text:
        raise ValueError("must hold no NUL")
    return text


Variable = Annotated[str, AfterValidator(_variable)]


class AgentTable(BaseModel):
    """`[agents.NAME]`: an agent of the user's own, or what is different about one that is known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    command: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        default=(), description="starts it, speaking ACP"
    )
    env: dict[Variable, Annotated[str, AfterValidator(_value)]] = Field(
        default={}, description="variables it gets as well"
    )
    without_env: tuple[Variable, ...] = Field(default=(), description="variables of ours that it does not get")
    mode: Annotated[dict[Policy, str], BeforeValidator(_by_policy)] = Field(
        default={}, description="session mode by policy"
    )
    install: str = Field(default="", description="what a person types to install it")
    login: str = Field(default="", description="what a person types to log in")
