"""Each command once as a person types it, on a loop that nobody has started."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.config import Settings
from loopwright.surfaces.cli.main import app, main
from loopwright.workflows.tuning.model import ISSUE_TYPES, TuningState


class Terminal:
    """Runs commands in this process; `json` returns the one object that was printed."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def text(self, *arguments: str, code: int = 0) -> str:
        assert main(arguments) == code
        return self._capsys.readouterr().out

    def json(self, *arguments: str, code: int = 0) -> dict[str, object]:
        (line,) = self.text(*arguments, "--json", code=code).splitlines()
        parsed = json.loads(line)
        assert isinstance(parsed, dict)
        return parsed

    def damaged(self) -> dict[str, object]:
        """What `list` tells of the one damaged loop."""
        listed = self.json("list")["damaged"]
        assert isinstance(listed, list)
        assert len(listed) == 1
        return dict(listed[0])

    def data(self, *arguments: str) -> dict[str, object]:
        data = self.json(*arguments)["data"]
        assert isinstance(data, dict)
        return data


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Terminal(capsys)


@pytest.fixture
def loop_id(cli: Terminal) -> str:
    return str(cli.data("create", "Mend the\nfence", "--agent", "bash", "--max-iterations", "4")["loop_id"])


def test_create_keeps_the_settings(cli: Terminal) -> None:
    state = cli.data(
        "create", "Mend it", "--title", "Fence", "--agent", "bash", "--auto", "--max-iterations", "3", "--max-minutes",
        "2.5", "--test-command", "true", "--test-timeout", "9", "--silence-timeout", "7", "--allow-test-changes",
        "--require", "no_new_failures", "--min-coverage", "50", "--min-mutation-score", "80", "--min-diff-coverage",
        "90",
    )  # fmt: skip
    assert (state["title"], state["description"], state["max_iterations"]) == ("Fence", "Mend it", 3)
    engine = state["engine"]
    assert isinstance(engine, dict)
    assert engine["allow_test_changes"] is True
    assert engine["budget"]["max_minutes"] == 2.5
    assert engine["settings"] == {
        "mode": "auto", "agent": "bash", "test_command": "true", "test_timeout": 9.0, "action_timeout": 600.0,
        "silence_timeout": 7.0,
        "require": "no_new_failures", "min_pass_rate": 100.0, "min_coverage": 50.0, "min_mutation_score": 80.0,
        "min_diff_coverage": 90.0, "permissions": "workspace",
        "grace_timeout": 60.0, "park": True, "sandbox": "auto",
    }  # fmt: skip


def test_list_and_show(cli: Terminal, loop_id: str) -> None:
    assert "Mend the fence" in cli.text("list")
    page = cli.json("list", "--limit", "1")
    assert (page["total"], page["limit"], page["hasMore"]) == (1, 1, False)
    assert cli.json("list", "--status", "completed")["data"] == []
    assert cli.text("list", "--status", "completed") == "no loop here is completed\n"
    assert cli.text("list", "--status", "damaged") == "no loop here is damaged\n"
    shown = cli.text("show", loop_id)
    assert loop_id in shown
    assert f"loopwright start {loop_id}" in shown
    assert cli.json("show", loop_id)["live"] is False


def test_edit(cli: Terminal, loop_id: str) -> None:
    cli.text("edit", loop_id, "--title", "New", "--tag", "a", "--tag", "b", "--priority", "high", "--notes", "n")
    state = cli.data("edit", loop_id, "--max-iterations", "9", "--description", "d")
    assert [state[k] for k in ("title", "description", "max_iterations", "tags", "priority", "notes")] == [
        "New", "d", 9, ["a", "b"], "high", "n",
    ]  # fmt: skip
    assert "urgent" in str(cli.json("edit", loop_id, "--priority", "urgent", code=2)["error"])
    assert "nothing to change" in str(cli.json("edit", loop_id, code=2)["error"])


def test_tasks(cli: Terminal, loop_id: str) -> None:
    first = cli.data("tasks", loop_id, "add", "Look", "--command", "ls", "--on-error", "pause", "--mode", "analysis")
    assert (first["tool"], first["command"], first["on_error"], first["mode"]) == ("bash", "ls", "pause", "analysis")
    one = str(first["task_id"])
    two = str(cli.data("tasks", loop_id, "add", "Write", "--tool", "codex", "--depends-on", one)["task_id"])
    assert cli.json("tasks", loop_id, "remove", one, code=5)["success"] is False
    cli.text("tasks", loop_id, "edit", two, "--description", "Write it", "--prompt-template", "short")
    cli.text("tasks", loop_id, "reorder", two, one)
    listed = cli.json("tasks", loop_id, "list")
    assert listed["total"] == 2
    assert isinstance(listed["data"], list)
    assert [(t["task_id"], t["description"]) for t in listed["data"]] == [(two, "Write it"), (one, "Look")]
    assert cli.text("tasks", loop_id) == cli.text("tasks", loop_id, "list")
    cli.text("tasks", loop_id, "remove", two)
    assert cli.json("tasks", loop_id, "add", "x", "--tool", "bash", code=2)["success"] is False
    assert cli.json("tasks", loop_id, "edit", one, code=2)["success"] is False


def test_a_task_is_for_the_loops_own_agent(cli: Terminal) -> None:
    loop_id = str(cli.data("create", "x", "--agent", "builtin")["loop_id"])
    assert cli.data("tasks", loop_id, "add", "Look")["tool"] == "builtin"


def test_logs_and_diff_of_a_loop_that_has_done_nothing(cli: Terminal, loop_id: str) -> None:
    assert "created" in cli.text("logs", loop_id)
    assert cli.json("logs", loop_id)["type"] == "created"
    assert cli.text("logs", loop_id, "changes.log") == ""
    assert cli.data("diff", loop_id) == {"diff": ""}
    assert cli.json("diff", loop_id, "--checkpoint", "1", code=4)["success"] is False


def test_commands_that_do_not_fit_say_what_would(cli: Terminal, loop_id: str) -> None:
    assert "possible now: start" in str(cli.json("pause", loop_id, code=5)["error"])
    assert cli.json("reopen", loop_id, code=5)["success"] is False
    assert cli.json("rewind", loop_id, "--to", "1", code=4)["success"] is False
    assert cli.json("answer", loop_id, "yes", code=2)["success"] is False


def test_watch_does_not_wait_for_what_nobody_started(cli: Terminal, loop_id: str) -> None:
    assert "start it" in cli.text("watch", loop_id, code=3) or "not started" in cli.text("watch", loop_id, code=3)
    rest = cli.json("watch", loop_id, code=3)
    assert (rest["type"], rest["success"], rest["exit_code"]) == ("rest", False, 3)


def test_stop_recover_and_delete(cli: Terminal, loop_id: str) -> None:
    assert cli.data("recover", loop_id)["loop_id"] == loop_id
    assert cli.data("stop", loop_id)["failure_reason"] == "Manually stopped by user"
    assert "--yes" in str(cli.json("delete", loop_id, code=2)["error"])
    assert cli.json("delete", loop_id, "--yes")["message"] == "Loop deleted"
    assert cli.json("show", loop_id, code=4)["success"] is False


def test_recover_names_what_it_brought_back_and_what_it_put_aside(cli: Terminal, loop_id: str, tmp_path: Path) -> None:
    assert "is not damaged; nothing was changed" in cli.text("recover", loop_id)
    cli.text("tasks", loop_id, "add", "Look", "--command", "ls")
    folder = tmp_path / ".workflow" / ".loop"
    journal = folder / f"{loop_id}.events.ndjson"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text(lines[0] + "garbage\n" + lines[1])
    (folder / f"{loop_id}.json").write_text("{ half a state")
    shown = cli.text("recover", loop_id)
    kept = sorted(str(path) for path in folder.glob("*.damaged-*"))
    assert len(kept) == 2
    assert all(path in shown for path in kept)
    for words in (
        "can be read again",
        "state rebuilt from what verifies of its journal",
        "iteration 0 of 4",
        f"loopwright show {loop_id}",
    ):
        assert words in shown, shown
    assert "is not damaged" in cli.text("recover", loop_id), "the second time nothing is to be done"
    again = cli.json("recover", loop_id)
    assert (again["kept"], again["repairs"]) == (kept, [])


def test_a_broken_state_file_beside_a_whole_journal_is_put_back(cli: Terminal, loop_id: str, tmp_path: Path) -> None:
    state = tmp_path / ".workflow" / ".loop" / f"{loop_id}.json"
    state.write_text("{ half a state")
    told = cli.json("recover", loop_id)
    (kept,) = state.parent.glob("*.damaged-*")
    assert told["kept"] == [str(kept)]
    assert kept.read_text() == "{ half a state"
    assert "state_put_back" in str(told["repairs"])
    assert json.loads(state.read_text())["title"] == "Mend the fence"


def test_a_task_for_nobody_is_refused_at_once(cli: Terminal, loop_id: str) -> None:
    for verb in (["add", "Look"], ["edit", str(cli.data("tasks", loop_id, "add", "x", "--command", "ls")["task_id"])]):
        told = str(cli.json("tasks", loop_id, *verb, "--tool", "nobody", code=2)["error"])
        assert "no agent is named 'nobody' (known: auto, builtin, bash, codex, claude, gemini, qwen" in told
    assert cli.json("tasks", loop_id, "list")["total"] == 1


def test_a_task_is_listed_with_every_field(cli: Terminal, loop_id: str) -> None:
    task = cli.data(
        "tasks", loop_id, "add", "Look", "--command", "ls -l", "--on-error", "pause", "--allow-test-changes"
    )  # fmt: skip
    other = cli.data("tasks", loop_id, "add", "Again", "--tool", "codex", "--depends-on", str(task["task_id"]))
    listed = cli.json("tasks", loop_id, "list")["data"]
    assert isinstance(listed, list)
    assert listed[0]["command"] == "ls -l"
    assert (listed[0]["on_error"], listed[0]["allow_test_changes"], listed[0]["status"]) == ("pause", True, "pending")
    assert (listed[1]["depends_on"], listed[1]["command"]) == ([task["task_id"]], None)
    assert listed[1]["task_id"] == other["task_id"]
    for shown in (cli.text("tasks", loop_id), cli.text("show", loop_id)):
        for words in ("command   ls -l", "on error  pause", "tests     may be changed", f"after     {task['task_id']}"):
            assert words in shown, shown


def test_an_empty_tag_removes_all(cli: Terminal, loop_id: str) -> None:
    assert cli.data("edit", loop_id, "--tag", "a", "--tag", " ")["tags"] == ["a"]
    assert cli.data("edit", loop_id, "--tag", "")["tags"] == []
    assert "tags edited, on the command line" in cli.text("logs", loop_id)


def test_a_limit_out_of_bounds_is_one_clear_sentence(cli: Terminal, loop_id: str) -> None:
    for wrong in ("1" + 20 * "0", "0", "-3"):
        told = str(cli.json("edit", loop_id, "--max-iterations", wrong, code=2)["error"])
        assert told == f"max_iterations: must be from 1 to 1,000,000 (got {wrong})"
    assert cli.data("show", loop_id)["max_iterations"] == 4


def test_resume_all_with_nothing_to_resume(cli: Terminal, loop_id: str) -> None:
    assert cli.json("resume", "--all")["data"] == []


def test_settings_and_their_origin(cli: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loopwright.toml").write_text("max_iterations = 7\n")
    monkeypatch.setenv("LOOPWRIGHT_REQUIRE", "no_new_failures")
    data = cli.data("config", "show", "--origin")
    assert data["max_iterations"] == {"value": 7, "origin": str(tmp_path / "loopwright.toml")}
    assert data["require"] == {"value": "no_new_failures", "origin": "environment"}
    assert data["agent"] == {"value": "auto", "origin": "default"}
    shown = cli.text("config", "show")
    assert all(name in shown for name in Settings.model_fields)


def test_the_settings_of_the_fleet_tell_no_secret(cli: Terminal, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(
        '[fleet]\nurl = "postgresql://ada:open-sesame@db/fleet"\n'
        '[fleet.accounts.team]\nANTHROPIC_API_KEY = "open-sesame"\nHOME = "/srv"\n[fleet.accounts.spare]\n'
    )
    for words in (("config", "show"), ("config", "show", "--origin")):
        shown = cli.text(*words)
        assert "open-sesame" not in shown + json.dumps(cli.json(*words))
        assert all(re.search(rf"^{name} ", shown, re.MULTILINE) for name in ("fleet.url", "fleet.accounts.spare"))
    told: Any = cli.data("config", "show", "--origin")["fleet"]  # JSON
    assert told["accounts"]["team"]["value"] == {"ANTHROPIC_API_KEY": "‹masked›", "HOME": "/srv"}
    assert told["accounts"]["team"]["origin"] == str(tmp_path / "loopwright.toml")
    assert told["user"] == {"value": None, "origin": "default"}


def test_the_schema_describes_the_file(cli: Terminal) -> None:
    schema = json.loads(cli.text("schema", "loop"))
    assert {"loop_id", "skill_state", "engine"} <= schema["properties"].keys()
    assert "validate" in schema["$defs"]["SkillState"]["properties"]


def test_the_schema_of_a_tuning_session_is_the_seeds_and_more(cli: Terminal) -> None:
    schema = json.loads(cli.text("schema", "tuning"))
    assert [*schema["properties"]] == [*TuningState.model_fields]
    assert schema["$defs"]["Issue"]["properties"]["type"]["enum"] == [*ISSUE_TYPES.values()]
    assert schema["properties"]["quality_gate"]["enum"] == ["pass", "review", "fail"]


@pytest.mark.parametrize(
    "name",
    [
        *(str(command.name) for command in app.registered_commands),
        "tasks",
        "config show",
        "schema loop",
        "schema tuning",
    ],
)
def test_every_command_has_help(name: str, cli: Terminal) -> None:
    assert "Usage:" in cli.text(*name.split(), "--help")


def test_damaged_loops_stand_in_the_list(cli: Terminal, loop_id: str, tmp_path: Path) -> None:
    other = str(cli.data("create", "Another", "--agent", "bash")["loop_id"])
    folder = tmp_path / ".workflow" / ".loop"
    (folder / f"{loop_id}.events.ndjson").write_text("not a journal\n")
    (folder / f"{loop_id}.json").write_text("not a state")
    shown = cli.text("list")
    assert re.search(rf"{loop_id}\s+damaged", shown)
    assert f"loopwright recover {loop_id}" in shown
    assert "Another" in shown
    assert other not in cli.text("list", "--status", "damaged")
    assert loop_id not in cli.text("list", "--status", "created")
    told = cli.damaged()
    assert (told["loop_id"], told["status"], told["next"]) == (loop_id, "damaged", f"loopwright recover {loop_id}")
    assert "journal" in str(told["reason"])
    assert cli.json("show", loop_id, code=6)["success"] is False


def bring_from_elsewhere(journal: Path, place: Path) -> None:
    """A state without its journal, of which this machine knows nothing."""
    journal.unlink()
    for anchor in (place / "state" / "loopwright" / "journals" / "anchors").iterdir():
        anchor.unlink()


def test_a_newer_versions_loop_is_not_called_one_to_recover(cli: Terminal, loop_id: str, tmp_path: Path) -> None:
    folder = tmp_path / ".workflow" / ".loop"
    document = json.loads((folder / f"{loop_id}.json").read_text())
    document["engine"]["schema"] = 99
    (folder / f"{loop_id}.json").write_text(json.dumps(document))
    bring_from_elsewhere(folder / f"{loop_id}.events.ndjson", tmp_path)
    told = cli.damaged()
    assert told["next"] is None
    assert "newer" in str(told["reason"])
    assert "recover" not in cli.text("list")


def test_a_state_of_a_newer_version_is_refused(cli: Terminal, loop_id: str, tmp_path: Path) -> None:
    folder = tmp_path / ".workflow" / ".loop"
    path = folder / f"{loop_id}.json"
    document = json.loads(path.read_text())
    document["engine"]["schema"] = 99
    path.write_text(json.dumps(document))
    bring_from_elsewhere(folder / f"{loop_id}.events.ndjson", tmp_path)
    assert "schema 99" in str(cli.json("run", "--loop-id", loop_id, "--auto", code=6)["error"])
