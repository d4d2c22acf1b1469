"""What docs/cli.md says of the command line is so: every option, every exit code, and JSON wherever it is asked for."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from loopwright.core.config import Settings
from loopwright.core.errors import ExitCode
from loopwright.core.state import LoopTask
from loopwright.surfaces.cli.main import app, main
from loopwright.surfaces.cli.options import LIMITS, LOOP_FIELDS, SETTINGS, TASK_FIELDS
from loopwright.workflows.loop.model import LoopState
from tests.cli.conftest import DONE, ROOT, Desk, planned

NO_ID = "loop-v2-20260101T000000-00000000"
TABLE = re.compile(r"^\| (\d+) \| (.+) \|$", re.MULTILINE)
EVERYWHERE = {"--help", "--install-completion", "--show-completion", "--version"}


def options() -> Iterator[str]:
    """Every long option that any command takes, but for hidden ones."""
    commands = [typer.main.get_command(app)]
    while commands:
        command = commands.pop()
        commands += getattr(command, "commands", {}).values()
        for parameter in command.params:
            if not getattr(parameter, "hidden", False):
                yield from (o for o in (*parameter.opts, *parameter.secondary_opts) if o.startswith("--"))


def documented() -> str:
    return re.sub(r"--\[no-\]([a-z-]+)", r"--\1 --no-\1", (ROOT / "docs" / "cli.md").read_text())


def test_every_option_is_documented_and_nothing_else() -> None:
    named = set(re.findall(r"--[a-z][a-z-]*[a-z]", documented()))
    taken = set(options())
    assert taken - named - EVERYWHERE == set()
    assert named - taken == set()


def test_every_option_of_a_table_is_a_field_of_what_it_sets() -> None:
    assert SETTINGS.keys() <= Settings.model_fields.keys()
    assert TASK_FIELDS.keys() <= LoopTask.model_fields.keys()
    assert LOOP_FIELDS.keys() <= LoopState.model_fields.keys()
    assert LIMITS.keys() <= SETTINGS.keys()


@pytest.mark.parametrize("page", ["docs/cli.md", "README.md"])
def test_every_exit_code_is_documented_and_no_other(page: str) -> None:
    assert [int(code) for code, _ in TABLE.findall((ROOT / page).read_text())] == sorted(ExitCode)


@pytest.fixture
def loop_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> str:
    """A loop that nobody has started, in the current folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "loopwright.toml").write_text('[agents.absent]\ncommand = "/no/such/program --acp"\n')
    assert main(["create", "Mend it", "--agent", "bash", "--json"]) == ExitCode.DONE
    return str(json.loads(capsys.readouterr().out)["data"]["loop_id"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["list"], ExitCode.DONE),
        (["watch", "ID"], ExitCode.NEEDS_PERSON),
        (["list", "--status", "nope"], ExitCode.USAGE),
        (["show", NO_ID], ExitCode.NOT_FOUND),
        (["diff", "ID", "--checkpoint", "7"], ExitCode.NOT_FOUND),
        (["pause", "ID"], ExitCode.ILLEGAL),
        (["create", "x", "--agent", "nobody"], ExitCode.USAGE),
        (["create", "x", "--agent", "absent"], ExitCode.NO_AGENT),
    ],
)
def test_exit_codes_of_what_can_be_typed(loop_id: str, arguments: list[str], code: ExitCode) -> None:
    assert main([loop_id if a == "ID" else a for a in arguments]) == code


def test_exit_codes_of_what_has_happened(loop_id: str, tmp_path: Path) -> None:
    assert main(["stop", loop_id]) == ExitCode.DONE
    assert main(["watch", loop_id]) == ExitCode.NO_SUCCESS
    for path in (tmp_path / ".workflow" / ".loop").glob(f"{loop_id}.*"):
        if path.is_file():
            path.write_text("damage")
    assert main(["show", loop_id]) == ExitCode.DAMAGED


def test_the_exit_code_of_a_spent_budget(desk: Desk) -> None:
    """130 is tested in test_run, once for each signal."""
    agent = desk.script(planned("Look"), {**DONE, "seconds": 0.2})
    ran = desk.run("run", "Look", "--auto", "--agent", agent, "--max-minutes", "0.0001")
    assert ran.code == ExitCode.BUDGET
    assert "--max-minutes" in ran.out.splitlines()[-1]


STREAMS = {"logs", "watch"}
"""What prints an object a line."""
SERVE = {"serve", "mcp"}
"""What answers until it is ended."""
CALLS = [
    ["list"], ["show", "ID"], ["logs", "ID"], ["logs", "ID", "changes.log"], ["watch", "ID"], ["diff", "ID"],
    ["replay", "ID"], ["approve", "ID"],
    ["edit", "ID", "--notes", "n"], ["edit", "ID"], ["tasks", "ID", "list"],
    ["tasks", "ID", "add", "x", "--command", "ls"],
    ["tasks", "ID", "add", "x", "--tool", "nobody"], ["tasks", "ID", "edit", "T", "--description", "x"],
    ["tasks", "ID", "remove", "T"], ["tasks", "ID", "reorder", "T"], ["config", "show"], ["config", "show", "--origin"],
    ["config", "prompts"], ["doctor", "--no-probe"], ["doctor", "--agent", "nobody"], ["doctor", "--agent", "absent"],
    ["gc"], ["schema", "loop"],
    ["create", "x", "--agent", "bash"], ["create", ""], ["pause", "ID"], ["answer", "ID", "yes"],
    ["rewind", "ID", "--to", "3"], ["choose", "ID", "develop"], ["reopen", "ID"], ["recover", "ID"], ["verify", "ID"],
    ["resume", "--all"], ["resume"], ["tasks", "ID", "import", "ISS-1"], ["tasks", "ID", "generate"],
    ["run", "x"], ["run", "--loop-id", NO_ID, "--auto"], ["demo", "--nope"], ["start", NO_ID], ["resume", NO_ID],
    ["debug", "--test-command", "npm test"], ["tune", "nowhere"], ["tune", "nowhere", "--fix=some"],
    ["fleet", "init"], ["fleet", "status"], ["fleet", "accounts"], ["fleet", "accounts", "a", "--slots", "1"],
    ["fleet", "accounts", "--slots", "1"], ["submit", "ID"], ["submit", "x"], ["fetch", "ID"],
    ["tokens", "list"], ["tokens", "add", "a"], ["tokens", "add", "a"], ["tokens", "remove", "b"],
    ["tell", "ID", "x"], ["apply", "ID"], ["branch", "ID", "x"], ["pr", "ID"],
    ["stop", NO_ID], ["delete", "ID"], ["stop", "ID"], ["delete", "ID", "--yes"],
]  # fmt: skip


def test_json_is_all_there_is_on_stdout(loop_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a command, errors too; the calls are made one after the other on one loop."""
    for call in CALLS:
        code = main([*(loop_id if a == "ID" else a for a in call), "--json"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert all(isinstance(line, dict) for line in lines), call
        if call[0] not in STREAMS:
            (told,) = lines
            assert "properties" in told or told["success"] is (code == 0), call
    named = {str(command.name) for command in app.registered_commands}
    assert {call[0] for call in CALLS} == named - SERVE | {"tasks", "config", "schema", "fleet", "tokens"}
