"""Settings, read once: flags over environment over project over user over defaults."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import platformdirs
from pydantic import BaseModel, ValidationError

from loopwright.config.settings import AgentTable as AgentTable
from loopwright.config.settings import CycleSettings as CycleSettings
from loopwright.config.settings import Settings as Settings
from loopwright.domain.agents import BUILT_IN, PRESETS
from loopwright.domain.errors import Invalid
from loopwright.domain.record import first_problem

PREFIX = "LOOPWRIGHT_"
FLAG = "flag"
AGENTS = "agents"
CYCLE = "cycle"
ROLES = "roles"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,63}", re.ASCII)
Values = Mapping[str, Any]  # Any: from TOML or the environment, typed by Settings


@dataclass(frozen=True)
class Config:
    """Settings and agents, and where each value came from.

    An agent's under `agents.NAME.KEY`, those of cycles under `cycle.KEY` and `cycle.roles.ROLE`.
    """

    settings: Settings
    origins: Mapping[str, str]
    agents: Mapping[str, AgentTable]
    cycle: CycleSettings


def load(project: Path, flags: Values, environ: Mapping[str, str] = os.environ) -> Config:
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
    cycle: dict[str, Any] = {}
    origins = dict.fromkeys(
        (*Settings.model_fields, *(f"{CYCLE}.{key}" for key in CycleSettings.model_fields)), "default"
    )
    for origin, values in sources:
        plain = {key: value for key, value in values.items() if key not in (AGENTS, CYCLE)}
        _check(origin, plain)
        merged |= plain
        origins |= dict.fromkeys(plain, origin)
        table = _cycle(origin, values.get(CYCLE, {}))
        cycle = {**cycle, **table, ROLES: {**cycle.get(ROLES, {}), **table.get(ROLES, {})}}
        origins |= {f"{CYCLE}.{key}": origin for key in table}
        origins |= {f"{CYCLE}.{ROLES}.{role}": origin for role in table.get(ROLES, {})}
        for name, table in _tables(origin, values.get(AGENTS, {})).items():
            agents[name] = _merged(agents.get(name, {}), table)
            origins |= {f"{AGENTS}.{name}": origin, **{f"{AGENTS}.{name}.{key}": origin for key in table}}
    _check_commands(agents, origins)
    known = {name: AgentTable.model_validate(table) for name, table in agents.items()}
    return Config(Settings.model_validate(merged), origins, known, CycleSettings.model_validate(cycle))


def _check(origin: str, values: Values) -> None:
    unknown = sorted(values.keys() - Settings.model_fields.keys())
    if unknown:
        raise Invalid(f"{origin}: unknown setting {', '.join(unknown)} (known: {', '.join(Settings.model_fields)})")
    try:
        Settings.model_validate(dict(values))
    except ValidationError as error:
        problem = first_problem(error)
        if problem.startswith("notify_url"):
            problem = f"notify_url: {problem.partition(': ')[2].rpartition(' (got ')[0]}"
        name, _, words = problem.partition(":")
        told = f"--{name.replace('_', '-')}:{words}" if origin == FLAG else f"{origin}: {problem}"
        raise Invalid(told) from error


def _cycle(origin: str, table: object) -> dict[str, Any]:
    """The settings of cycles that one source gives."""
    if not isinstance(table, dict):
        raise Invalid(f"{origin}: {CYCLE}: must be a table, as in [{CYCLE}] (got {table!r})")
    if unknown := sorted(table.keys() - CycleSettings.model_fields.keys()):
        known = ", ".join(CycleSettings.model_fields)
        raise Invalid(f"{origin}: {CYCLE}: unknown setting {', '.join(unknown)} (known: {known})")
    try:
        return CycleSettings.model_validate(table).model_dump(exclude_unset=True)
    except ValidationError as error:
        problem = first_problem(error)
        name, _, words = problem.partition(":")
        option = f"--{name.replace('_', '-')}" if name != ROLES else "--role"
        raise Invalid(f"{option}:{words}" if origin == FLAG else f"{origin}: {CYCLE}.{problem}") from error


def _tables(origin: str, tables: object) -> dict[str, dict[str, Any]]:
    """The agents of one source, each with the keys that are given there."""
    if not isinstance(tables, dict):
        raise Invalid(f"{origin}: {AGENTS}: must hold tables, as in [agents.NAME] (got {tables!r})")
    found = {}
    for name, table in tables.items():
        where = f"{origin}: {AGENTS}.{name}"
        if name in BUILT_IN or not _NAME.fullmatch(name):
            built_in = f"{', '.join(BUILT_IN)} are taken"
            raise Invalid(f"{where}: not a name for an agent (letters, digits, - _ . and at most 64; {built_in})")
        if not isinstance(table, dict):
            raise Invalid(f"{where}: must be a table, as in [agents.{name}] (got {table!r})")
        if unknown := sorted(table.keys() - AgentTable.model_fields.keys()):
            raise Invalid(f"{where}: unknown key {', '.join(unknown)} (known: {', '.join(AgentTable.model_fields)})")
        try:
            found[name] = AgentTable.model_validate(table).model_dump(exclude_unset=True)
        except ValidationError as error:
            raise Invalid(f"{where}.{first_problem(error).replace('.[key]:', ':')}") from error
    return found


def _merged(before: dict[str, Any], table: dict[str, Any]) -> dict[str, Any]:
    """Key by key; tables inside, variables and modes, again key by key."""
    inner = [key for key in ("env", "mode") if key in before and key in table]
    return {**before, **table, **{key: {**before[key], **table[key]} for key in inner}}


def _check_commands(agents: Mapping[str, Values], origins: Mapping[str, str]) -> None:
    for name, table in agents.items():
        if name not in PRESETS and "command" not in table:
            example = f'command = "{name} --acp"'
            raise Invalid(
                f"{origins[f'{AGENTS}.{name}']}: {AGENTS}.{name}: needs a command, for example {example}"
                f" (only {', '.join(PRESETS)} are known without one)"
            )


def _environment(environ: Mapping[str, str]) -> Values:
    """LOOPWRIGHT_MAX_MINUTES=30 sets max_minutes, LOOPWRIGHT_CYCLE_PARALLEL=3 that of [cycle].

    Names of other purposes are left alone.
    """
    cycle = _named(environ, f"{PREFIX}{CYCLE.upper()}_", CycleSettings)
    return {**_named(environ, PREFIX, Settings), **({CYCLE: cycle} if cycle else {})}


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
