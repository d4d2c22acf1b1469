"""`doctor` by the real command: on a bare machine, with agents that work, fail and hang, and without any trace."""

import json
import re
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.agent_names import PRESET_COMMANDS
from loopwright.surfaces.cli.main import main
from tests.cli.conftest import Desk, Ran
from tests.misbehaving.orders import PROGRAM

SOON = 20.0


@pytest.fixture
def bare(desk: Desk, tmp_path: Path) -> Desk:
    """On its PATH there is nothing but git; its temporary files, and so its agents' folders, lie with the test."""
    tools, scratch = tmp_path / "bin", tmp_path / "tmp"
    tools.mkdir()
    scratch.mkdir()
    git = shutil.which("git")
    assert git is not None
    (tools / "git").symlink_to(git)
    return Desk(desk.project, {**desk.env, "PATH": str(tools), "TMPDIR": str(scratch)})


@dataclass(frozen=True)
class Here:
    """The command in this process, which is much faster."""

    desk: Desk
    capsys: pytest.CaptureFixture[str]

    def run(self, *arguments: str) -> Ran:
        code = main(["doctor", *arguments])
        return Ran(code, *self.capsys.readouterr())


@pytest.fixture
def here(bare: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    for name, value in bare.env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(tempfile, "tempdir", None)  # it remembers an earlier TMPDIR
    monkeypatch.chdir(bare.project)
    return Here(bare, capsys)


def configure(file: Path, name: str, more: str = "", /, **how: object) -> None:
    """An agent of that name that behaves so."""
    file.parent.mkdir(parents=True, exist_ok=True)
    command = json.dumps([sys.executable, "-S", "-E", str(PROGRAM), json.dumps(how)])
    with file.open("a") as text:
        text.write(f"[agents.{name}]\ncommand = {command}\n{more}\n")


def users(desk: Desk) -> Path:
    """The user's own file of settings."""
    return Path(desk.env["XDG_CONFIG_HOME"]) / "loopwright" / "loopwright.toml"


def found(ran: Ran) -> dict[str, Any]:
    (line,) = ran.lines
    data = line["data"]
    assert isinstance(data, dict)
    return data


def agent(ran: Ran, name: str) -> dict[str, Any]:
    (one,) = (each for each in found(ran)["agents"] if each["name"] == name)
    assert isinstance(one, dict)
    return one


def started_below(folder: Path) -> list[str]:
    """Command lines of living processes that carry a path of this test in their environment."""
    lines = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and str(folder).encode() in (entry / "environ").read_bytes():
                lines.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return lines


def test_without_any_agent_it_says_what_works_and_how_to_get_more(bare: Desk) -> None:
    ran = bare.run("doctor")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    for name in PRESET_COMMANDS:
        (line,) = (line for line in lines if line.split()[:1] == [name])
        assert "not installed" in line
        assert "install" in line.replace("not installed", "")
    assert any(line.split()[:2] == ["builtin", "ready"] for line in lines)
    assert "builtin (auto)" in ran.out
    assert "not installed (codex, claude, gemini, qwen and opencode need it)" in ran.out
    assert lines[-1] == 'Ready for: loopwright run "TASK" --auto'
    assert not (bare.project / ".workflow").exists()
    assert not Path(bare.env["XDG_STATE_HOME"]).exists()


def test_without_git_it_says_that_nothing_runs(here: Here) -> None:
    Path(here.desk.env["PATH"], "git").unlink()
    ran = here.run()
    assert ran.code == 0
    assert "git is not installed; every run needs it" in ran.out.splitlines()[-1]


def test_an_agent_that_works_is_known_by_what_it_said(bare: Desk, tmp_path: Path) -> None:
    (bare.project / "test_one.py").write_text("def test_one():\n    assert True\n")
    more = 'env = {SMALL_API_KEY = "swordfish", COLOUR = "red"}\nwithout_env = ["HIDDEN"]\nmode = "wild"'
    configure(users(bare), "small", more, modes=["calm", "wild"])
    ran = bare.run("doctor", "--agent", "small", "--json", "--project", str(bare.project))
    assert ran.code == 0, ran
    assert ran.err == "(asking small)\n"
    small = agent(ran, "small")
    assert (small["status"], small["version"], small["words"]) == ("starts", "0.1", "")
    assert small["configured_in"] == [str(users(bare))]
    assert small["probe"]["modes"] == ["calm", "wild"]
    assert (small["probe"]["load_session"], small["probe"]["mcp_http"]) == (True, False)
    data = found(ran)
    assert data["run"]["command"][:2] == [sys.executable, "-S"]
    assert data["run"]["environment"] == {"SMALL_API_KEY": "‹masked›", "COLOUR": "red"}
    assert (data["run"]["without"], data["run"]["mode"], data["run"]["cwd"]) == (["HIDDEN"], "wild", str(bare.project))
    assert data["run"]["limits"]["max_iterations"] == 10
    assert data["project"]["tests"]["runner"] == "pytest"
    assert data["project"]["tests"]["measured"] is True
    assert data["project"]["store"]["trouble"] is None
    assert data["machine"]["git"]
    assert data["machine"]["node"] is None
    assert data["problems"] == []
    assert "swordfish" not in ran.out
    assert "swordfish" not in bare.run("doctor", "--no-probe").out
    assert started_below(tmp_path) == []
    assert list((tmp_path / "tmp").iterdir()) == []


def test_agents_that_fail_are_told_apart_and_do_not_keep_it_from_the_others(here: Here) -> None:
    configure(users(here.desk), "closed", 'login = "closed login"', new={"code": -32000, "message": "Please log in"})
    configure(users(here.desk), "dying", start="dies", words="no such model")
    configure(users(here.desk), "good")
    ran = here.run("--json")
    assert ran.code == 0
    status = {each["name"]: each["status"] for each in found(ran)["agents"]}
    assert (status["closed"], status["dying"], status["good"]) == ("needs a login", "does not work", "starts")
    assert agent(ran, "closed")["words"] == "Please log in; log in with: closed login"
    assert "no such model" in agent(ran, "dying")["words"]
    assert found(ran)["problems"] == []


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"new": {"code": -32000, "message": "Please log in"}}, "small needs a login: Please log in"),
        ({"start": "dies"}, f"small does not work: small ({sys.executable}) ended at once with exit code 3"),
    ],
    ids=["login", "dies"],
)
def test_a_named_agent_that_does_not_work_ends_with_7(here: Here, how: dict[str, object], words: str) -> None:
    configure(users(here.desk), "small", **how)
    told = here.run("--agent", "small", "--json")
    assert told.code == 7
    assert (told.lines[0]["success"], told.lines[0]["error"]) == (False, words)
    plain = here.run("--agent", "small")
    assert plain.code == 7
    assert plain.err.splitlines()[-1] == f"loopwright: {words}"


def test_names_that_are_not_there(here: Here) -> None:
    missing = here.run("--agent", "gemini")
    assert missing.code == 7
    assert "npm install -g @google/gemini-cli" in missing.err
    unknown = here.run("--agent", "nobody")
    assert unknown.code == 2
    assert "no agent is named 'nobody'" in unknown.err
    assert here.run("--agent", "builtin").code == 0
    assert here.run("--agent", "scripted:/no/such/file").code == 7


def test_what_the_project_names_is_not_started_unless_one_asks_for_it(here: Here) -> None:
    note = here.desk.project / "started"
    script = f"open({str(note)!r}, 'w').close()"
    (here.desk.project / "loopwright.toml").write_text(
        f'[agents.small]\ncommand = ["{sys.executable}", "-c", "{script}"]\n'
    )
    for words in ([], ["--no-probe"]):
        ran = here.run(*words, "--json")
        assert agent(ran, "small")["status"] == "installed"
        assert "--probe starts it" in agent(ran, "small")["words"]
        assert not note.exists()
    for words in (["--probe"], ["--agent", "small"]):
        assert agent(here.run(*words, "--json"), "small")["status"] == "does not work"
        assert note.exists()
        note.unlink()


def test_without_probing_only_versions_are_asked_for(here: Here, tmp_path: Path) -> None:
    program = Path(here.desk.env["PATH"], "qwen")
    program.write_text(
        f'#!{sys.executable} -S\nimport sys\nopen("{tmp_path}/told", "a").write(str(sys.argv[1:]))\nprint("9.8.7")\n'
    )
    program.chmod(0o755)
    ran = here.run("--no-probe", "--json")
    assert (agent(ran, "qwen")["status"], agent(ran, "qwen")["version"]) == ("installed", "9.8.7")
    assert (tmp_path / "told").read_text() == "['--version']"
    assert found(ran)["run"]["agent"] == "qwen"


def test_who_would_play_the_roles_of_a_cycle(bare: Desk) -> None:
    assert "The roles of a cycle" not in bare.run("doctor", "--no-probe", "--agent", "builtin").out
    (bare.project / "loopwright.toml").write_text("agent = 'builtin'\n[cycle.roles]\ncd = 'nobody'\nra = 'bash'\n")
    told = bare.run("doctor", "--no-probe")
    assert re.search(r"^  ra +Requirements Analyst +bash$", told.out, re.MULTILINE)
    assert re.search(r"^  cd +Code Developer +nobody +no agent is named 'nobody'", told.out, re.MULTILINE)
    data = bare.run("doctor", "--no-probe", "--json").lines[0]["data"]
    assert isinstance(data, dict)
    assert [(each["role"], each["agent"], bool(each["trouble"])) for each in data["roles"]] == [
        ("ra", "bash", False), ("ep", "builtin", False), ("cd", "nobody", True), ("vas", "builtin", False),
    ]  # fmt: skip


def test_places_that_can_not_be_used_are_named(here: Here) -> None:
    (here.desk.project / ".workflow").write_text("a file where the folder should be")
    (here.desk.project / "loopwright.toml").write_text(
        "test_command = 'no-such-program -q'\ncheckpoints = '/proc/nothing'\n"
    )
    problems = found(here.run("--json"))["problems"]
    assert [problem for problem in problems if ".workflow is not a folder" in problem]
    assert [problem for problem in problems if "there is no program 'no-such-program'" in problem]
    assert "Problems that prevent a run" in here.run().out


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_of_an_agent_that_hangs_when_doctor_is_ended(
    bare: Desk, tmp_path: Path, number: signal.Signals
) -> None:
    configure(users(bare), "small", start="hangs")
    doctor = bare.begin("doctor")
    deadline = time.monotonic() + SOON
    while not any(str(PROGRAM) in line for line in started_below(tmp_path)):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    doctor.send_signal(number)
    _, err = doctor.communicate(timeout=SOON)
    assert doctor.returncode == 130
    assert err.splitlines()[-1] == "loopwright: interrupted"
    assert started_below(tmp_path) == []
    assert list((tmp_path / "tmp").iterdir()) == []


def test_narrow_terminals_get_short_lines(here: Here, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    for line in here.run().out.splitlines():
        assert len(line) <= 60 or " " not in line.strip()
