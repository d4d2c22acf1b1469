"""Settings, read once: flags over environment over project over user over defaults."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from loopwright.domain.engine_state import Iterations, Require, Tokens
from loopwright.domain.errors import Invalid
from loopwright.domain.record import first_problem

PREFIX = "LOOPWRIGHT_"
FLAG = "flag"
TEN_YEARS = 315_576_000
"""Seconds; more is a mistake, and overflows clocks."""
Values = Mapping[str, Any]  # Any: from TOML or the environment, typed by Settings


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
    silence_timeout: float = Field(
        300, ge=0, le=TEN_YEARS, description="seconds a program may give no sign of life (0: no limit)"
    )
    timeout_per_action: float = Field(
        600, gt=0, le=TEN_YEARS, description="seconds an agent's turn or a bash task may take"
    )
    allow_test_changes: bool = Field(False, description="accept tests that pass only since their own source changed")
    require: Require = Field("all", description="all, or no_new_failures for projects that were red before")
    min_pass_rate: float = Field(100, ge=0, le=100, description="percent of tests that must pass")
    min_coverage: float = Field(0, ge=0, le=100, description="percent of lines that must be covered")
    timezone: str = Field("+08:00", description="offset that times are written in")
    checkpoints: str | None = Field(None, description="folder of the private repositories (default: state directory)")
    unsafe_fs: bool = Field(False, description="work on a network file system, where locks may not hold")


@dataclass(frozen=True)
class Config:
    """Settings, and where each value came from."""

    settings: Settings
    origins: Mapping[str, str]


def load(project: Path, flags: Values, environ: Mapping[str, str] = os.environ) -> Config:
    """Reads every source for `project`. Invalid names the source, the key, and what would be right."""
    user = Path(platformdirs.user_config_dir("loopwright")) / "loopwright.toml"
    sources: list[tuple[str, Values]] = [
        (str(user), _toml(user)),
        (str(project / "pyproject.toml"), _table(_toml(project / "pyproject.toml"), "tool", "loopwright")),
        (str(project / "loopwright.toml"), _toml(project / "loopwright.toml")),
        ("environment", _environment(environ)),
        (FLAG, {key: value for key, value in flags.items() if value is not None}),
    ]
    merged: dict[str, Any] = {}  # Any: as Values
    origins = dict.fromkeys(Settings.model_fields, "default")
    for origin, values in sources:
        _check(origin, values)
        merged |= values
        origins |= dict.fromkeys(values, origin)
    return Config(Settings.model_validate(merged), origins)


def _check(origin: str, values: Values) -> None:
    unknown = sorted(values.keys() - Settings.model_fields.keys())
    if unknown:
        raise Invalid(f"{origin}: unknown setting {', '.join(unknown)} (known: {', '.join(Settings.model_fields)})")
    try:
        Settings.model_validate(dict(values))
    except ValidationError as error:
        problem = first_problem(error)
        name, _, words = problem.partition(":")
        told = f"--{name.replace('_', '-')}:{words}" if origin == FLAG else f"{origin}: {problem}"
        raise Invalid(told) from error


def _environment(environ: Mapping[str, str]) -> Values:
    """LOOPWRIGHT_MAX_MINUTES=30 sets max_minutes; names of other purposes are left alone."""
    named = {name.removeprefix(PREFIX).lower(): value for name, value in environ.items() if name.startswith(PREFIX)}
    return {name: value for name, value in named.items() if name in Settings.model_fields and value != ""}


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
