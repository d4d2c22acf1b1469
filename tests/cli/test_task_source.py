"""The task of a run, where it stands in a file or comes from standard input."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.errors import ExitCode
from loopwright.surfaces.cli.main import main

TASK = "# Count the last day\n\nA statement ends a day too early.\n\n- [ ] a test for February\n"


class Stdin(io.TextIOWrapper):
    def __init__(self, data: bytes) -> None:
        super().__init__(io.BytesIO(data))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def created(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:  # Any: parsed JSON
    assert main([*words, "--agent", "builtin", "--json"]) == ExitCode.DONE
    return json.loads(capsys.readouterr().out)["data"]


@pytest.mark.parametrize("command", [["create"], ["cycle", "create"]], ids=["loop", "cycle"])
@pytest.mark.parametrize("words", ["@task.md", "-"])
def test_it_is_read_whole_and_its_first_line_is_the_title(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, command: list[str]
) -> None:
    (here / "task.md").write_text(TASK)
    monkeypatch.setattr("sys.stdin", Stdin(TASK.encode()))
    data = created([*command, words], capsys)
    assert (data["title"], data["description"]) == ("Count the last day", TASK.strip())


def test_words_that_only_look_like_a_file_are_a_task(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert created(["create", "@ops wants the last day counted"], capsys)["title"] == "@ops wants the last day counted"


@pytest.mark.parametrize(
    ("words", "data", "told"),
    [
        ("@nowhere.md", b"", "cannot read the task from nowhere.md: No such file or directory"),
        ("@task.md", b"\xff", "the task from task.md is not UTF-8"),
        ("@task.md", b"x" * 100_001, "the task from task.md is longer than 100,000 bytes"),
        ("-", b" \n", "a loop needs a task: say in a sentence what to do"),
    ],
)
def test_what_can_not_be_used_is_told_and_no_loop_exists(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, data: bytes, told: str
) -> None:
    (here / "task.md").write_bytes(data)
    monkeypatch.setattr("sys.stdin", Stdin(data))
    assert main(["create", words, "--agent", "builtin"]) == ExitCode.USAGE
    assert told in capsys.readouterr().err
    assert main(["list", "--json"]) == ExitCode.DONE
    assert json.loads(capsys.readouterr().out)["data"] == []
