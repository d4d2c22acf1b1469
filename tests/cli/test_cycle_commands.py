"""Each command on cycles once as a person types it, on a cycle that nobody has started."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.core.config import CycleSettings, Settings
from loopwright.core.cycle_names import ROLES
from loopwright.core.errors import ExitCode, Invalid
from loopwright.core.record import JournalEvent
from loopwright.surfaces.cli.cycle_commands import CYCLE_FIELDS, CYCLE_ONLY, CYCLE_SETTINGS
from loopwright.surfaces.cli.main import app, main
from loopwright.wiring import open_engine
from loopwright.workflows.cycle.commands import OTHER_FIELDS, TEXT_FIELDS
from loopwright.workflows.cycle.model import Blocker, CycleState, Decision

NO_ID = "cycle-v1-20260101T000000-00000000"


class Terminal:
    """Runs commands on cycles in this process."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def told(self, *words: str, code: int = 0) -> tuple[str, str]:
        assert main(words) == code, self._capsys.readouterr()
        printed = self._capsys.readouterr()
        return printed.out, printed.err

    def text(self, *words: str, code: int = 0) -> str:
        return self.told("cycle", *words, code=code)[0]

    def refusal(self, *words: str, code: int) -> str:
        return self.told(*words, code=code)[1]

    def json(self, *words: str, code: int = 0) -> dict[str, object]:
        (line,) = self.text(*words, "--json", code=code).splitlines()
        parsed = json.loads(line)
        assert isinstance(parsed, dict)
        return parsed

    def data(self, *words: str) -> dict[str, object]:
        data = self.json(*words)["data"]
        assert isinstance(data, dict)
        return data


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return Terminal(capsys)


@pytest.fixture
def cycle_id(cli: Terminal) -> str:
    return str(cli.data("create", "Add a\nlogin", "--agent", "builtin")["cycle_id"])


def change(id: str, rule: Callable[[CycleState], CycleState]) -> None:
    """What its runner would have made of it."""
    with open_engine(Path(), {}) as engine:
        engine.cycles.store.update(id, rule, actor="runner", event=JournalEvent(type="test"))


def asking(state: CycleState) -> CycleState:
    """Paused, with two decisions and a blocker."""
    decisions = (
        Decision(id="DEC-001", description="Which database?", options=("sqlite", "postgres")),
        Decision(id="DEC-002", description="Which port?"),
    )
    blocker = Blocker(id="BLK-001", description="No key for the mail service", reported_by="cd")
    coordination = state.coordination.evolve(pending_decisions=decisions, blockers=(blocker,))
    engine = state.engine.evolve(recommended={"DEC-001": "postgres"})
    return state.evolve(status="paused", coordination=coordination, engine=engine)


def test_every_option_is_a_setting_or_a_field_of_what_it_sets() -> None:
    assert CYCLE_ONLY.keys() <= CycleSettings.model_fields.keys()
    assert CYCLE_SETTINGS.keys() - CYCLE_ONLY.keys() <= Settings.model_fields.keys()
    assert CYCLE_FIELDS.keys() == TEXT_FIELDS | OTHER_FIELDS


def test_create_keeps_the_settings(cli: Terminal, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text(
        "max_iterations = 99\n[cycle]\ngrace_timeout = 9\nparallel = 4\n[cycle.roles]\nvas = 'builtin'\ncd = 'codex'\n"
    )
    state = cli.data(
        "create", "Add it", "--title", "Login", "--agent", "builtin", "--role", "cd=bash", "--role", "ra=builtin",
        "--auto", "--parallel", "1", "--max-minutes", "2.5", "--test-command", "true", "--require", "no_new_failures",
    )  # fmt: skip
    assert (state["title"], state["description"], state["task_history"]) == ("Login", "Add it", ["Login"])
    engine = state["engine"]
    assert isinstance(engine, dict)
    assert (state["max_iterations"], engine["parallel"]) == (5, 1)
    assert engine["roles"] == {"ra": "builtin", "cd": "bash", "vas": "builtin"}
    assert engine["budget"]["max_minutes"] == 2.5
    settings = engine["settings"]
    assert (settings["mode"], settings["agent"], settings["test_command"]) == ("auto", "builtin", "true")
    assert (settings["action_timeout"], settings["grace_timeout"]) == (1800, 9)
    assert (
        cli.data("create", "x", "--agent", "builtin", "--role", "cd=bash", "--max-iterations", "3")["max_iterations"]
        == 3
    )


def test_other_surfaces_name_roles_over_those_of_the_settings(cli: Terminal, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text("agent = 'builtin'\n[cycle]\nparallel = 1\n[cycle.roles]\nvas = 'bash'\n")
    with open_engine(tmp_path, {}) as engine:
        state = engine.create_cycle("x", interactive=True, given={"roles": {"cd": "bash"}, "max_iterations": 2})
        with pytest.raises(Invalid, match="role cd: no agent is named 'nobody'"):
            engine.create_cycle("x", interactive=True, given={"roles": {"cd": "nobody"}})
    assert (state.engine.roles, state.engine.parallel, state.max_iterations) == ({"vas": "bash", "cd": "bash"}, 1, 2)
    assert (state.engine.settings.mode, state.engine.settings.agent) == ("interactive", "builtin")


def test_config_show_tells_of_cycles_and_who_plays_which_role(cli: Terminal, tmp_path: Path) -> None:
    (tmp_path / "loopwright.toml").write_text("[cycle.roles]\ncd = 'codex'\n")
    shown: dict[str, dict[str, object]] = json.loads(cli.told("config", "show", "--json")[0])["data"]
    assert (shown["cycle"]["parallel"], shown["cycle"]["roles"]) == (2, {"cd": "codex"})
    rows = [line.split() for line in cli.told("config", "show", "--origin")[0].splitlines()]
    assert ["cycle.roles.cd", "codex", str(tmp_path / "loopwright.toml")] in rows
    assert ["cycle.grace_timeout", "180.0", "default"] in rows


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["create", "x", "--role", "cd=nobody"], ExitCode.USAGE, "role cd: no agent is named 'nobody' (known: auto"),
        (["create", "x", "--role", "cd=absent"], ExitCode.NO_AGENT, "role cd: "),
        (["create", "x", "--role", "dev=codex"], ExitCode.USAGE, "--role: there is no role 'dev'; available: ra (Req"),
        (["create", "x", "--parallel", "5"], ExitCode.USAGE, "--parallel: must be from 1 to 4 (got 5)"),
        (["create", " ", "--agent", "builtin"], ExitCode.USAGE, "a cycle needs a task"),
        (["run", "x"], ExitCode.USAGE, "needs a terminal to ask; use --auto"),
        (["run"], ExitCode.USAGE, "give either a task"),
        (["run", "x", "--extend", "y", "--auto"], ExitCode.USAGE, "--extend adds to an existing cycle"),
        (["run", "--cycle-id", NO_ID, "--auto"], ExitCode.NOT_FOUND, NO_ID),
        (["documents", "ID", "--version", "1.0.0"], ExitCode.USAGE, "--version is for one document"),
        (["documents", "ID", "../x"], ExitCode.USAGE, "a document name looks like ra/requirements.md"),
        (["documents", "ID", "ra/requirements.md"], ExitCode.NOT_FOUND, "requirements.md"),
        (["list", "--status", "user_exit"], ExitCode.USAGE, "available: created, running, paused, completed, fai"),
        (["logs", "ID", "nope"], ExitCode.USAGE, "available: events, ra, ep, cd, vas, engine, "),
        (["extend", "ID", "more"], ExitCode.ILLEGAL, "Cannot extend cycle with status: created"),
        (["decide", "ID", "DEC-009", "x"], ExitCode.NOT_FOUND, "no decision DEC-009"),
        (["diff", "ID", "--iteration", "1"], ExitCode.NOT_FOUND, "Iteration 1 not found"),
        (["edit", "ID"], ExitCode.USAGE, "nothing to change; editable:"),
        (["nope"], ExitCode.USAGE, "see loopwright cycle --help"),
        (["pause"], ExitCode.USAGE, "see loopwright cycle pause --help"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(cli: Terminal, cycle_id: str, words: list[str], code: ExitCode, told: str) -> None:
    Path("loopwright.toml").write_text("agent = 'builtin'\n[agents.absent]\ncommand = 'no-such-program'\n")
    out, err = cli.told("cycle", *(cycle_id if word == "ID" else word for word in words), code=code)
    assert (out, told in err) == ("", True), err


def test_list_and_show(cli: Terminal, cycle_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert cli.text("list").splitlines()[0].split() == [
        "ID", "STATUS", "PHASE", "ITERATION", "TASKS", "TESTS", "AGE", "TITLE",
    ]  # fmt: skip
    assert "Add a login" in cli.text("list")
    page = cli.json("list", "--limit", "1")
    assert (page["total"], page["hasMore"], page["damaged"]) == (1, False, [])
    assert cli.text("list", "--status", "completed") == "no cycle here is completed\n"
    assert cli.told("list")[0].startswith("no loops here")
    shown = cli.text("show", cycle_id)
    assert "Requirements Analyst  builtin  idle" in shown
    assert shown.rstrip().endswith(f"loopwright cycle start {cycle_id}")
    assert cli.json("show", cycle_id)["live"] is False


def test_a_damaged_cycle_is_told_with_what_helps(cli: Terminal, cycle_id: str, tmp_path: Path) -> None:
    for path in (tmp_path / ".workflow" / ".cycle").glob(f"{cycle_id}.*"):
        if path.is_file():
            path.write_text("damage")
    (broken,) = list(cli.json("list")["damaged"])  # type: ignore[call-overload]  # JSON
    assert broken["cycle_id"] == cycle_id
    assert broken["next"] == f"loopwright cycle recover {cycle_id}"
    assert cli.json("show", cycle_id, code=ExitCode.DAMAGED)["success"] is False


def test_edit(cli: Terminal, cycle_id: str) -> None:
    state = cli.data("edit", cycle_id, "--title", "New", "--max-iterations", "9")
    assert (state["title"], state["max_iterations"]) == ("New", 9)


def test_decisions_and_blockers_are_settled(cli: Terminal, cycle_id: str) -> None:
    change(cycle_id, asking)
    shown = cli.text("show", cycle_id)
    assert "DEC-001  to be decided: sqlite | postgres  Which database?" in shown
    assert "BLK-001  open (cd)  No key for the mail service" in shown
    assert f"loopwright cycle decide {cycle_id} DEC-001 postgres" in shown
    assert "sqlite | postgres" in cli.refusal("cycle", "decide", cycle_id, "DEC-001", "oracle", code=ExitCode.USAGE)
    told = cli.text("decide", cycle_id, "DEC-001", "sqlite")
    assert told == "DEC-001 is decided: sqlite; still undecided: DEC-002\n"
    assert "already made" in cli.refusal("cycle", "decide", cycle_id, "DEC-001", "sqlite", code=ExitCode.ILLEGAL)
    assert cli.text("resolve", cycle_id, "BLK-001", "mailed by hand", "--workaround").startswith(
        "BLK-001 is worked arou"
    )
    told = cli.text("decide", cycle_id, "DEC-002", "8080")
    assert told == f"DEC-002 is decided: 8080; continue with: loopwright cycle resume {cycle_id}\n"
    shown = cli.text("show", cycle_id)
    assert "DEC-001  sqlite (by user)" in shown
    assert "workaround (cd)  No key for the mail service; mailed by hand" in shown


def test_documents(cli: Terminal, cycle_id: str) -> None:
    assert cli.text("documents", cycle_id) == "nothing written yet\n"
    with open_engine(Path(), {}) as engine:
        files = {"ra/requirements.md": b"# All\n\x1b[31mred\n", "ra/history/requirements-v1.0.0.md": b"# Old\n"}
        engine.cycles.store.write_progress(cycle_id, files)
    (listed,) = list(cli.json("documents", cycle_id)["data"])  # type: ignore[call-overload]  # JSON
    assert (listed["name"], listed["folder"]) == ("ra/requirements.md", "ra")
    assert "ra/requirements.md" in cli.text("documents", cycle_id)
    assert cli.text("documents", cycle_id, "ra/requirements.md") == "# All\n[31mred\n"
    assert cli.text("documents", cycle_id, "ra/requirements.md", "--version", "1.0.0") == "# Old\n"
    assert cli.data("documents", cycle_id, "ra/requirements.md")["truncated"] is False


def test_logs_of_several_roles_are_told_by_time(cli: Terminal, cycle_id: str) -> None:
    assert "created" in cli.text("logs", cycle_id)

    def line(second: int, text: str) -> bytes:
        at = f"2026-01-22T10:00:{second:02}.000+08:00"
        return json.dumps({"ts": at, "after": 1, "kind": "activity", "text": text}).encode()

    with open_engine(Path(), {}) as engine:
        store = engine.cycles.store
        store.append_progress(cycle_id, "ra/transcript.ndjson", [line(1, "first"), line(4, "fourth")])
        store.append_progress(cycle_id, "cd/transcript.ndjson", [line(2, "second"), b"{torn"])
        store.append_progress(cycle_id, "transcript.ndjson", [line(3, "third")])
    told = cli.text("logs", cycle_id).splitlines()
    assert [text.split()[0] for text in told if "{torn" not in text] == ["ra", "cd", "engine", "ra"]
    assert [text.split()[-1] for text in told if "{torn" not in text] == ["first", "second", "third", "fourth"]
    assert "second" in cli.text("logs", cycle_id, "cd")
    assert "first" not in cli.text("logs", cycle_id, "cd")


def test_an_id_of_the_other_kind_is_told_what_is_right_for_it(cli: Terminal, cycle_id: str) -> None:
    loop_id = json.loads(cli.told("create", "x", "--agent", "bash", "--json")[0])["data"]["loop_id"]
    told = cli.refusal("show", cycle_id, code=ExitCode.NOT_FOUND)
    assert told == f"loopwright: {cycle_id} is a cycle, not a loop: loopwright cycle show {cycle_id}\n"
    assert "see loopwright cycle --help" in cli.refusal("rewind", cycle_id, "--to", "1", code=ExitCode.NOT_FOUND)
    told = cli.refusal("run", "--loop-id", cycle_id, "--auto", code=ExitCode.NOT_FOUND)
    assert f"loopwright cycle run --cycle-id {cycle_id}" in told
    told = cli.refusal("cycle", "pause", loop_id, code=ExitCode.NOT_FOUND)
    assert told == f"loopwright: {loop_id} is a loop, not a cycle: loopwright pause {loop_id}\n"
    assert f"loopwright run --loop-id {loop_id}" in cli.refusal(
        "cycle", "run", "--cycle-id", loop_id, "--auto", code=ExitCode.NOT_FOUND
    )
    assert "is a" not in cli.refusal("show", NO_ID, code=ExitCode.NOT_FOUND)


CALLS = [
    ["list"], ["show", "ID"], ["logs", "ID"], ["watch", "ID"], ["diff", "ID"], ["documents", "ID"], ["approve", "ID"],
    ["edit", "ID", "--title", "n"], ["edit", "ID"], ["create", "x", "--agent", "bash"], ["create", ""], ["pause", "ID"],
    ["answer", "ID", "yes"], ["tell", "ID", "x"], ["reopen", "ID"], ["recover", "ID"], ["resume"], ["run", "x"],
    ["verify", "ID"], ["start", NO_ID],
    ["run", "--cycle-id", NO_ID, "--auto"], ["resume", NO_ID], ["stop", NO_ID], ["delete", "ID"], ["extend", "ID", "y"],
    ["choose", "ID", "rival-1"], ["apply", "ID"], ["branch", "ID", "x"], ["pr", "ID"],
    ["decide", "ID", "D", "x"], ["resolve", "ID", "B", "x"], ["stop", "ID"], ["delete", "ID", "--yes"],
]  # fmt: skip


(GROUP,) = (group.typer_instance for group in app.registered_groups if group.name == "cycle")
assert GROUP is not None
NAMES = {str(command.name) for command in GROUP.registered_commands}


def test_json_is_all_there_is_on_stdout(cycle_id: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One object a command, errors too; the calls are made one after the other on one cycle."""
    for call in CALLS:
        code = main(["cycle", *(cycle_id if a == "ID" else a for a in call), "--json"])
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert all(isinstance(line, dict) for line in lines), call
        if call[0] not in ("logs", "watch"):
            (told,) = lines
            assert told["success"] is (code == 0), call
    assert {call[0] for call in CALLS} == NAMES


def test_help_speaks_of_cycles(cli: Terminal) -> None:
    for name in NAMES:
        out = " ".join(cli.told("cycle", name, "--help")[0].split())
        assert "cycle" in out
        assert "loop" not in out.replace("loopwright", "").replace("a loop counts its steps", ""), name
    out, _ = cli.told("--help")
    assert "cycle" in out
    assert len(ROLES) == 4
