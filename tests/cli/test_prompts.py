"""`config prompts`: what agents are told here, and files that cannot be used."""

import json
from pathlib import Path

import pytest

from loopwright.core.errors import ExitCode
from loopwright.surfaces.cli.main import main


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the project's own prompts."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / ".loopwright" / "prompts"
    folder.mkdir(parents=True)
    return folder


def test_prompts_are_listed_with_what_they_know(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (own / "again.md").write_text("Noch einmal: {{ problem }}\n")
    assert main(["config", "prompts"]) == ExitCode.DONE
    lines = {(words := line.split())[0]: words[1:] for line in capsys.readouterr().out.splitlines() if line}
    assert lines["again.md"] == [str(own / "again.md"), "problem*"]
    assert lines["contract.md"][:5] == ["ours", "action*,", "done,", "goal*,", "left,"]
    assert main(["config", "prompts", "again"]) == ExitCode.DONE
    assert capsys.readouterr().out == "Noch einmal: {{ problem }}\n"


def test_one_is_printed_as_json(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "prompts", "develop", "--json"]) == ExitCode.DONE
    told = json.loads(capsys.readouterr().out)["data"]
    assert told["required"] == ["task"]
    assert "{{ task }}" in told["text"]
    assert told["origin"] is None


def test_a_name_that_nobody_knows(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "prompts", "nope"]) == ExitCode.USAGE
    assert "no prompt is named 'nope' (available: again, " in capsys.readouterr().err


@pytest.mark.parametrize("command", [["config", "prompts"], ["create", "x"], ["run", "x", "--auto"]])
def test_a_file_that_can_not_be_used_is_named_before_a_loop_exists(
    own: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    (own / "debug.md").write_text("Mend it.")
    agent = ["--agent", "builtin"] if command[0] != "config" else []
    assert main([*command, *agent]) == ExitCode.USAGE
    assert "debug.md: {{ failing }}, {{ hypotheses }} is required" in capsys.readouterr().err
    assert main(["list", "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["data"] == []


@pytest.mark.parametrize("command", [["start"], ["resume"]])
def test_a_file_that_can_not_be_used_keeps_a_loop_from_being_started(
    own: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    assert main(["create", "x", "--agent", "builtin", "--json"]) == ExitCode.DONE
    loop_id = json.loads(capsys.readouterr().out)["data"]["loop_id"]
    (own / "debug.md").write_text("Mend it.")
    assert main([*command, loop_id]) == ExitCode.USAGE
    assert "is required" in capsys.readouterr().err
    assert main(["show", loop_id, "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["data"]["status"] == "created"


def test_the_folder_can_be_set(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (own / "debug.md").write_text("This one is not looked at.")
    (tmp_path / "mine").mkdir()
    (tmp_path / "loopwright.toml").write_text('prompts = "mine"\n')
    assert main(["config", "prompts"]) == ExitCode.DONE
    monkeypatch.setenv("LOOPWRIGHT_PROMPTS", "nowhere")
    assert main(["config", "prompts"]) == ExitCode.USAGE
    assert f"no such folder of prompts: {tmp_path / 'nowhere'}" in capsys.readouterr().err
