"""What is known of the agents people use, and what a user's table changes about it."""

from typing import get_args

import pytest

from loopwright.agents.presets import agent_commands
from loopwright.core.agent_names import PRESET_COMMANDS
from loopwright.core.config import AgentTable
from loopwright.core.state import Policy


def test_the_presets_are_the_names_that_are_always_known_in_their_order() -> None:
    assert all(preset.name == name for name, preset in PRESET_COMMANDS.items())


@pytest.mark.parametrize("name", PRESET_COMMANDS)
def test_a_preset_says_all_that_a_person_needs(name: str) -> None:
    preset = PRESET_COMMANDS[name]
    assert preset.argv
    assert preset.install
    assert preset.login
    assert preset.modes.keys() == set(get_args(Policy))
    assert preset.package is None or preset.install == f"npm install -g {preset.package}"


def test_reading_only_is_never_a_mode_that_plans() -> None:
    """qwen and gemini take our report tools away there; claude and opencode ask, and then write."""
    assert {preset.modes["read-only"] for preset in PRESET_COMMANDS.values()} & {"plan"} == set()
    assert PRESET_COMMANDS["codex"].modes["read-only"] == PRESET_COMMANDS["codex"].modes["ask"] == "read-only"


def test_a_table_changes_what_it_names_and_nothing_else() -> None:
    table = AgentTable(env={"A": "b"}, without_env=("C",), mode={"all": "yolo"}, login="log in")
    gemini = agent_commands({"gemini": table})["gemini"]
    preset = PRESET_COMMANDS["gemini"]
    assert gemini.argv == preset.argv
    assert gemini.environment == {**preset.environment, "A": "b"}
    assert (gemini.without, gemini.login, gemini.install) == (("C",), "log in", preset.install)
    assert (gemini.modes["all"], gemini.modes["ask"]) == ("yolo", "default")
    assert PRESET_COMMANDS["gemini"].modes["all"] == "default"


def test_another_command_is_not_installed_as_the_presets_is() -> None:
    codex = agent_commands({"codex": AgentTable(command=("my-codex",))})["codex"]
    assert (codex.argv, codex.install, codex.package) == (("my-codex",), "", None)
    assert codex.modes == PRESET_COMMANDS["codex"].modes


def test_a_name_of_ones_own_stands_after_the_presets() -> None:
    commands = agent_commands({"small": AgentTable(command=("small", "--acp"), install="pip install small")})
    assert tuple(commands) == (*PRESET_COMMANDS, "small")
    assert (commands["small"].argv, commands["small"].install) == (("small", "--acp"), "pip install small")
    assert commands["small"].modes == {}
