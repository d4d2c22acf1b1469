"""What a command does not need is not loaded: help and lists come at once."""

import sys
from importlib.util import find_spec

import pytest

from tests.cli.conftest import Desk
from tests.tables import each

HEAVY = (
    "rich", "questionary", "prompt_toolkit", "asyncio", "coverage", "junitparser", "pytest", "structlog",
    "tree_sitter", "jsonschema", "yaml", "pyromark",
    "mcp", "mcp_types", "httpx2", "fastapi", "starlette", "uvicorn",
    "loopwright.core.kernel", "loopwright.core.supervisor", "loopwright.core.agent_turns", "loopwright.core.recording",
    "loopwright.processes.process", "loopwright.processes.conversation", "loopwright.checkup",
    "loopwright.repair", "loopwright.evidence.run", "loopwright.evidence.runners", "loopwright.agents",
    "loopwright.notify",
    "loopwright.workflows.loop.steps", "loopwright.workflows.loop.flow", "loopwright.workflows.loop.runner",
    "loopwright.workflows.cycle.flow", "loopwright.workflows.cycle.runner",
    "loopwright.workflows.tuning.session", "loopwright.workflows.tuning.runner", "loopwright.workflows.tuning.report",
    "loopwright.surfaces.mcp", "loopwright.surfaces.server", "loopwright.survey",
    "loopwright.skills.diagnosis",
)  # fmt: skip


def loaded(desk: Desk, *arguments: str, code: int = 0) -> set[str]:
    """Every module that was imported, and every package around one."""
    ran = desk.run(*arguments, PYTHONPROFILEIMPORTTIME="1")
    assert ran.code == code, ran.err
    names = {line.rpartition("|")[2].strip() for line in ran.err.splitlines() if line.startswith("import time:")}
    return names | {".".join(name.split(".")[:n]) for name in names for n in range(1, 4)}


@each("name", HEAVY)
def test_what_is_heavy_is_there(name: str) -> None:
    """One that was renamed would be looked for in vain."""
    assert find_spec(name)


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--json"],
        ["show", "LOOP"],
        ["config", "show"],
        ["cycle", "list"],
        ["cycle", "show", "CYCLE"],
        ["tunings", "list"],
    ],
)
def test_a_list_loads_no_machinery(desk: Desk, arguments: list[str]) -> None:
    ids = {"LOOP": desk.create("--agent", "bash")}
    made = desk.run("cycle", "create", "x", "--agent", "builtin", "--json").lines[0]["data"]
    assert isinstance(made, dict)
    ids["CYCLE"] = made["cycle_id"]
    assert not loaded(desk, *(ids.get(word, word) for word in arguments)) & {*HEAVY}


def test_a_run_loads_neither_the_search_nor_dialogues(desk: Desk) -> None:
    modules = loaded(desk, "run", "--loop-id", desk.create("--agent", "bash"), "--auto", code=1)
    assert "loopwright.repair.debugger" in modules
    assert not modules & {"pytest", "prompt_toolkit", "loopwright.repair.search", "fastapi", "mcp.server"}


def test_help_loads_no_models(desk: Desk) -> None:
    assert not loaded(desk, "--help") & {*HEAVY, "pydantic", "loopwright.wiring"}


@pytest.mark.parametrize("arguments", [["run"], ["cycle"], ["cycle", "run"], ["tune"], ["tunings"]])
def test_a_commands_own_help_loads_no_machinery(desk: Desk, arguments: list[str]) -> None:
    """Typer itself asks pydantic what the parameters are."""
    assert not loaded(desk, *arguments, "--help") & {*HEAVY, "loopwright.wiring", "loopwright.core.record"}


def test_the_version_is_answered_before_anything_else(desk: Desk) -> None:
    modules = loaded(desk, "--version")
    assert not modules & {*HEAVY, "pydantic", "typer", "loopwright.surfaces.cli"}
    assert "loopwright.__main__" not in sys.modules
