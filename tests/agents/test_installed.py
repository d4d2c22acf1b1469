"""Programs on a PATH of our own: small scripts are programs too."""

from itertools import combinations
from pathlib import Path

import pytest

from loopwright.agents.presets import first_installed, not_installed, program_of, version_of
from loopwright.core.agent_names import PRESET_COMMANDS, AgentCommand
from loopwright.processes.process_tree import list_processes


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on the PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def program(path: Path, text: str = "exit 0") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_auto_is_the_first_that_is_installed_whatever_else_is(path: Path, tmp_path: Path) -> None:
    programs = {name: path / preset.argv[0] for name, preset in PRESET_COMMANDS.items()}
    for count in range(len(PRESET_COMMANDS) + 1):
        for names in combinations(PRESET_COMMANDS, count):
            made = [program(programs[name]) for name in names]
            assert first_installed(PRESET_COMMANDS, tmp_path) == (names[0] if names else "builtin")
            for file in made:
                file.unlink()


def test_what_can_not_be_executed_is_not_installed(path: Path, tmp_path: Path) -> None:
    program(path / "codex-acp").chmod(0o644)
    (path / "gemini").mkdir()
    assert first_installed(PRESET_COMMANDS, tmp_path) == "builtin"


def test_a_program_is_looked_for_where_its_words_say(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    project = tmp_path / "project"
    inside, at_home = program(project / "tools" / "agent"), program(tmp_path / "home" / "agent")
    other = program(tmp_path / "other" / "named")

    def found(word: str, **environment: str) -> str | None:
        return program_of(AgentCommand("x", (word, "--acp"), environment), project)

    assert found("tools/agent") == str(inside)
    assert found("./tools/agent") == str(project / "tools" / "agent")
    assert found("~/agent") == str(at_home)
    assert found(str(other)) == str(other)
    assert found("named") is None
    assert found("named", PATH=str(other.parent)) == str(other)
    assert found("agent") is None, "a bare name is never one in the project"
    assert found("/no/such/program") is None


def test_a_link_stays_a_link(path: Path, tmp_path: Path) -> None:
    (path / "codex-acp").symlink_to(program(tmp_path / "lib" / "index.js"))
    assert program_of(PRESET_COMMANDS["codex"], tmp_path) == str(path / "codex-acp")


def test_a_relative_path_becomes_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program(tmp_path / "bin" / "codex-acp")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "bin")
    assert program_of(PRESET_COMMANDS["codex"], tmp_path) == str(tmp_path / "bin" / "codex-acp")


def test_what_is_missing_is_told_with_what_installs_it() -> None:
    words = "codex is not installed: there is no program 'codex-acp'; install it with: "
    assert not_installed(PRESET_COMMANDS["codex"]) == f"{words}npm install -g @agentclientprotocol/codex-acp"
    assert not_installed(AgentCommand("small", ("s",))) == "small is not installed: there is no program 's'"


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("echo 1.2.3", "1.2.3"),
        ("echo @scope/name 2.6.0-rc.1", "2.6.0-rc.1"),
        ("echo v20.20.2 >&2", "20.20.2"),
        ("echo hello", None),
        ("echo 1.2.3; exit 1", None),
        ("read -r line && echo 1.2.3", None),
        ('test "$1" = --version && test "$EXTRA" = given && echo 7.7', "7.7"),
    ],
)
async def test_a_version_is_what_the_program_says(tmp_path: Path, text: str, version: str | None) -> None:
    made = program(tmp_path / "agent", text)
    assert await version_of(str(made), AgentCommand("x", (str(made),), {"EXTRA": "given"}), tmp_path) == version


async def test_a_program_that_never_says_its_version_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.agents.presets.VERSION_LIMIT", 0.3)
    note = tmp_path / "pids"
    made = program(tmp_path / "agent", f"setsid sleep 300 & echo $! $$ > {note}; echo 1.2.3; sleep 300")
    assert await version_of(str(made), AgentCommand("x", (str(made),)), tmp_path) is None
    pids = {int(pid) for pid in note.read_text().split()}
    assert len(pids) == 2
    assert not {process.pid for process in list_processes()} & pids


async def test_what_can_not_be_started_has_no_version(tmp_path: Path) -> None:
    broken = tmp_path / "agent"
    broken.write_bytes(b"\0" * 64)
    broken.chmod(0o755)
    assert await version_of(str(broken), AgentCommand("x", (str(broken),)), tmp_path) is None
