"""Whatever a person gets wrong: one line that says what would be right, the exit code of the table, no trace left."""

import json
from pathlib import Path

import pytest

from loopwright.surfaces.cli.main import main

NO_ID = "loop-v2-20260101T000000-00000000"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to be in, and nobody's configuration."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


WRONG = [
    (["run"], 2, "but not both"),
    (["run", "x", "--loop-id", NO_ID, "--auto"], 2, "but not both"),
    (["run", "", "--auto"], 2, "a loop needs a task"),
    (["run", " \t", "--auto"], 2, "a loop needs a task"),
    (["run", "x"], 2, "needs a terminal to ask; use --auto"),
    (["run", "x", "--auto", "--max-iterations", "0"], 2, "--max-iterations: must be from 1 to 1,000,000 (got 0)"),
    (["run", "x", "--auto", "--max-iterations", "1" + 20 * "0"], 2, "--max-iterations: must be from 1 to 1,000,000"),
    (["create", "x", "--max-tokens", "0"], 2, "--max-tokens: must be from 1 to 1,000,000,000,000,000"),
    (["create", "x", "--max-minutes", "1e300"], 2, "--max-minutes: "),
    (["create", "x", "--test-timeout", "1e300"], 2, "--test-timeout: "),
    (["create", "x", "--max-cost", "-1"], 2, "--max-cost: "),
    (["run", "x", "--auto", "--max-iterations", "many"], 2, "--max-iterations"),
    (["run", "x", "--auto", "--max-minutes", "-1"], 2, "--max-minutes: "),
    (["run", "x", "--auto", "--max-minutes", "nan"], 2, "--max-minutes: "),
    (["create", "x", "--max-minutes", "inf"], 2, "--max-minutes: "),
    (["create", "x", "--test-timeout", "inf"], 2, "--test-timeout: "),
    (["run", "x", "--auto", "--min-coverage", "101"], 2, "--min-coverage: "),
    (["run", "x", "--auto", "--require", "most"], 2, "no_new_failures"),
    (["run", "x", "--auto", "--test-timeout", "0"], 2, "--test-timeout: "),
    (["create", "x", "--silence-timeout", "-1"], 2, "--silence-timeout: "),
    (["run", "x", "--auto", "--test-command", "no-such-program -q"], 2, "no-such-program"),
    (["run", "x", "--auto", "--test-command", "'"], 2, "test command"),
    (["run", "x", "--auto", "--agent", "nobody"], 2, "no agent is named 'nobody' (known: auto, builtin, bash, codex"),
    (["run", "x", "--auto", "--agent", "scripted:/no/such/file"], 2, "no such script"),
    (["run", "x", "--auto", "--project", "/no/such/folder"], 4, "no such project folder"),
    (["run", "--loop-id", NO_ID, "--auto"], 4, "not found"),
    (["run", "--loop-id", "../etc/passwd", "--auto"], 2, "Invalid loop ID format"),
    (["run", "x", "--faster"], 2, "No such option"),
    (["rnu"], 2, "No such command"),
    (["show"], 2, "Missing argument"),
    (["create", ""], 2, "a loop needs a task"),
    (["create", "x\udcff"], 2, "UTF-8"),
    (["list", "--status", "done"], 2, "created, running, paused"),
    (["list", "--limit", "0"], 2, "--limit"),
    (["list", "--offset", "-1"], 2, "--offset"),
    (["logs", NO_ID, "../../x"], 2, "changes.log"),
    (["resume"], 2, "--all"),
    (["resume", NO_ID, "--all"], 2, "--all"),
    (["tasks", NO_ID, "list"], 4, "not found"),
    (["tasks", NO_ID, "jump"], 2, "No such command"),
    (["config"], 2, "show"),
    (["schema"], 2, "loop"),
    (["config", "hide"], 2, "No such command"),
    *(
        ([verb, id, *more], code, words)
        for id, code, words in ((NO_ID, 4, "not found"), ("..", 2, "Invalid loop ID format"))
        for verb, *more in (
            ["show"], ["start"], ["watch"], ["logs"], ["diff"], ["pause"], ["resume"], ["stop"], ["reopen"],
            ["answer", "yes"], ["edit", "--title", "t"], ["rewind", "--to", "1"], ["recover"], ["delete", "--yes"],
        )
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "words"), WRONG, ids=lambda x: " ".join(x) if isinstance(x, list) else ""
)
def test_one_line_and_the_right_code(
    arguments: list[str], code: int, words: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    out, err = capsys.readouterr()
    assert out == ""
    assert words in err
    assert "Traceback" not in err
    assert not (project / ".workflow").exists(), "nothing may be created"


@pytest.mark.parametrize(("arguments", "code", "words"), [row for row in WRONG if len(row[0]) > 1], ids=lambda x: "")
def test_the_same_as_one_json_object(
    arguments: list[str], code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--json"]) == code
    (line,) = capsys.readouterr().out.splitlines()
    told = json.loads(line)
    assert told["success"] is False
    assert words in told["error"]


def test_a_broken_setting_names_its_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "loopwright.toml").write_text("max_iterations = 'ten'\n")
    assert main(["list"]) == 2
    assert "loopwright.toml: max_iterations" in capsys.readouterr().err


def test_a_folder_that_can_not_be_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / ".workflow").write_text("a file where the folder should be")
    assert main(["create", "x", "--agent", "bash"]) == 6
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("group", [[], ["config"], ["schema"]], ids=" ".join)
def test_no_command_at_all_shows_the_help(group: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """The same way everywhere: the help alone, on stderr, exit code 2."""
    assert main(group) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Usage: loopwright")
    assert "Commands:" in err
    assert err.rstrip() == main_help(group, capsys).rstrip()


def main_help(group: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What --help prints."""
    assert main([*group, "--help"]) == 0
    return capsys.readouterr().out
