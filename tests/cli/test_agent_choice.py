"""Who works on a loop, by the real command: names, auto, what is not installed, and what a task may name."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Desk

TOOLS = ("git", "bash", "sh")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder for the PATH with the few programs that loopwright itself needs, and no agent."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (folder / tool).symlink_to(found)
    return folder


def install(path: Path, *programs: str) -> None:
    """Programs that must not be started."""
    for program in programs:
        (path / program).write_text(f"#!/bin/sh\ntouch {path.parent}/started\n")
        (path / program).chmod(0o755)


def agent_of(desk: Desk, loop_id: str) -> str:
    engine = desk.state(loop_id)["engine"]
    assert isinstance(engine, dict)
    return str(engine["settings"]["agent"])


def created(desk: Desk, path: Path, *arguments: str) -> tuple[str, str]:
    """The new loop's id, and what was said besides."""
    ran = desk.run("create", "Mend it", "--json", *arguments, PATH=str(path))
    assert ran.code == 0, ran
    data = ran.lines[0]["data"]
    assert isinstance(data, dict)
    return str(data["loop_id"]), ran.err


def test_auto_is_decided_when_the_loop_is_created_and_stays(desk: Desk, path: Path) -> None:
    install(path, "qwen", "opencode")
    loop_id, told = created(desk, path)
    assert told == "agent: qwen (auto)\n"
    install(path, "codex-acp")
    assert agent_of(desk, loop_id) == "qwen"
    task = desk.run("tasks", loop_id, "add", "Look", "--json", PATH=str(path)).lines[0]["data"]
    assert isinstance(task, dict)
    assert task["tool"] == "qwen"
    assert agent_of(desk, created(desk, path, "--agent", "auto")[0]) == "codex"
    assert not (path.parent / "started").exists()


def test_auto_without_any_agent_is_the_builtin_one_and_says_where_to_look(desk: Desk, path: Path) -> None:
    loop_id, told = created(desk, path)
    assert agent_of(desk, loop_id) == "builtin"
    assert told == "agent: builtin (auto: no coding agent is installed, see loopwright doctor)\n"
    assert created(desk, path, "--agent", "builtin")[1] == ""


def test_auto_takes_a_preset_that_the_user_starts_in_another_way(desk: Desk, path: Path) -> None:
    install(path, "gemini")
    (desk.project / "loopwright.toml").write_text("[agents.claude]\ncommand = 'bin/my-claude'\n")
    install(desk.project, "unused")
    (desk.project / "bin").mkdir()
    shutil.move(desk.project / "unused", desk.project / "bin" / "my-claude")
    assert created(desk, path)[1] == "agent: claude (auto)\n"


@pytest.mark.parametrize("command", [["run", "Mend it", "--auto"], ["create", "Mend it"]], ids=lambda c: c[0])
def test_an_agent_that_is_not_installed_ends_with_7_and_what_installs_it(
    desk: Desk, path: Path, command: list[str]
) -> None:
    ran = desk.run(*command, "--agent", "codex", PATH=str(path))
    assert (ran.code, ran.out) == (7, "")
    assert ran.err == (
        "loopwright: codex is not installed: there is no program 'codex-acp'"
        "; install it with: npm install -g @agentclientprotocol/codex-acp\n"
    )
    assert list(desk.project.iterdir()) == []
    assert not Path(desk.env["XDG_STATE_HOME"]).exists()


def test_a_loop_whose_agent_has_gone_can_go_on_with_another(desk: Desk, path: Path) -> None:
    install(path, "qwen")
    loop_id, _ = created(desk, path, "--agent", "qwen")
    (path / "qwen").unlink()
    assert desk.run("run", "--loop-id", loop_id, "--auto", PATH=str(path)).code == 7
    assert desk.state(loop_id)["status"] == "created"
    went = desk.run("run", "--loop-id", loop_id, "--auto", "--agent", "auto", PATH=str(path))
    assert "agent: builtin (auto" in went.err
    assert agent_of(desk, loop_id) == "builtin"


def test_an_unknown_name_is_refused_with_all_that_are_known(desk: Desk, path: Path) -> None:
    (desk.project / "loopwright.toml").write_text("[agents.small]\ncommand = 'small'\n")
    ran = desk.run("run", "x", "--auto", "--agent", "smal", PATH=str(path))
    assert ran.code == 2
    assert (
        "no agent is named 'smal' (known: auto, builtin, bash, codex, claude, gemini, qwen, opencode, goose, small, "
        in ran.err
    )
    assert "[agents.NAME] in loopwright.toml" in ran.err
    assert not (desk.project / ".workflow").exists()


def test_a_task_may_name_an_agent_that_is_installed_later(desk: Desk, path: Path) -> None:
    (desk.project / "loopwright.toml").write_text("[agents.small]\ncommand = 'small'\n")
    loop_id, _ = created(desk, path, "--agent", "bash")
    added = desk.run("tasks", loop_id, "add", "Look", "--tool", "gemini", PATH=str(path))
    assert added.code == 0
    assert "note: gemini is not installed: " in added.err
    assert "npm install -g @google/gemini-cli" in added.err
    task = added.out.split()[0]
    assert "note: small" in desk.run("tasks", loop_id, "edit", task, "--tool", "small", PATH=str(path)).err
    install(path, "small")
    assert desk.run("tasks", loop_id, "edit", task, "--tool", "small", PATH=str(path)).err == ""
    assert desk.run("tasks", loop_id, "edit", task, "--tool", "smal", PATH=str(path)).code == 2
    assert desk.run("tasks", loop_id, "add", "List", "--command", "ls", PATH=str(path)).err == ""


def test_permissions_and_parking_are_kept_and_can_be_changed(desk: Desk, path: Path) -> None:
    loop_id, _ = created(desk, path, "--agent", "bash", "--permissions", "read-only", "--no-park")
    engine = desk.state(loop_id)["engine"]
    assert isinstance(engine, dict)
    assert (engine["settings"]["permissions"], engine["settings"]["park"]) == ("read-only", False)
    desk.run("run", "--loop-id", loop_id, "--auto", "--permissions", "all", "--park", PATH=str(path))
    engine = desk.state(loop_id)["engine"]
    assert isinstance(engine, dict)
    assert (engine["settings"]["permissions"], engine["settings"]["park"]) == ("all", True)
    refused = desk.run("create", "x", "--permissions", "some")
    assert refused.code == 2
    assert "'ask', 'workspace', 'read-only' or 'all'" in refused.err


def test_settings_of_agents_are_shown_without_their_secrets(desk: Desk) -> None:
    (desk.project / "loopwright.toml").write_text(
        "[agents.small]\ncommand = 'small --acp'\nenv = {SMALL_API_KEY = 'swordfish', COLOUR = 'red'}\n"
    )
    file = os.path.realpath(desk.project / "loopwright.toml")
    shown = desk.run("config", "show", "--origin")
    assert "swordfish" not in shown.out
    assert "agents.small.command" in shown.out
    assert "COLOUR=red" in shown.out
    plain = desk.run("config", "show", "--json").lines[0]["data"]
    assert isinstance(plain, dict)
    assert plain["agents"] == {
        "small": {"command": ["small", "--acp"], "env": {"SMALL_API_KEY": "‹masked›", "COLOUR": "red"}}
    }
    told = desk.run("config", "show", "--origin", "--json").lines[0]["data"]
    assert isinstance(told, dict)
    assert told["agents"]["small"]["command"] == {"value": ["small", "--acp"], "origin": file}


def test_who_takes_over_is_named_checked_and_kept(desk: Desk, path: Path) -> None:
    install(path, "qwen", "opencode")
    loop_id, _ = created(desk, path, "--agent", "qwen", "--fallback", "claude,qwen", "--fallback", "opencode")
    engine = desk.state(loop_id)["engine"]
    assert isinstance(engine, dict)
    assert engine["settings"]["fallback"] == ["claude", "opencode"], "not itself; claude may be installed by then"
    shown = desk.run("show", loop_id, PATH=str(path)).out
    assert "claude, opencode" in shown
    for wrong, words in (("nobody", "fallback: no agent is named 'nobody'"), ("auto", "auto and bash are none")):
        ran = desk.run("create", "Mend it", "--fallback", wrong, PATH=str(path))
        assert (ran.code, words in ran.err) == (2, True), ran
    assert not (path.parent / "started").exists()


def test_who_reviews_is_named_checked_and_kept(desk: Desk, path: Path) -> None:
    install(path, "qwen")
    loop_id, _ = created(desk, path, "--agent", "qwen", "--review", "qwen")
    engine = desk.state(loop_id)["engine"]
    assert isinstance(engine, dict)
    assert engine["settings"]["review"] == "qwen"
    assert "reviewer" in desk.run("show", loop_id, PATH=str(path)).out
    for wrong, code, words in (
        ("nobody", 2, "review: no agent is named 'nobody'"),
        ("claude", 7, "claude is not installed"),
        ("builtin", 2, "review: builtin has no model to read with"),
        ("bash", 2, "review: bash has no model to read with"),
    ):
        ran = desk.run("create", "Mend it", "--agent", "qwen", "--review", wrong, PATH=str(path))
        assert (ran.code, words in ran.err) == (code, True), ran
    assert desk.run("cycle", "create", "Mend it", "--review", "qwen", PATH=str(path)).code == 2


def test_a_reviewer_of_the_settings_can_be_left_out(desk: Desk, path: Path) -> None:
    install(path, "qwen")
    (desk.project / "loopwright.toml").write_text('agent = "qwen"\nreview = "qwen"\n')
    for words, kept in (((), "qwen"), (("--review", "none"), None)):
        loop_id, _ = created(desk, path, *words)
        engine = desk.state(loop_id)["engine"]
        assert isinstance(engine, dict)
        assert engine["settings"].get("review") == kept
