"""Runs in a sandbox, as people start them: what their tasks and tests may do, and what is said where there is none."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.processes.confinement import landlock_level
from tests.cli.conftest import DONE, Desk, planned
from tests.waiting import until

ESCAPES = (
    "echo hidden > ~/left-behind",
    "cat ~/.ssh/id_rsa > found",
    "echo '{}' > .workflow/.loop/{id}.json",
    "printf '[core]\\n\\tfsmonitor = touch escaped\\n' > .git/config",
    "kill -9 $(cat /proc/*/cmdline | tr '\\0' '\\n' | grep -c nothing) {runner}",
)
TEST = """
import pathlib, socket
def test_it_sees_nothing():
    assert not pathlib.Path.home().joinpath(".ssh").exists()
    assert "loopwright" not in {path.name for path in pathlib.Path.home().rglob("*")}
    try:
        socket.create_connection(("127.0.0.1", PORT), 3)
    except OSError:
        return
    raise AssertionError("reached")
"""


@pytest.fixture(params=["landlock", "bwrap"])
def sandbox(request: pytest.FixtureRequest) -> str:
    """One that keeps all apart."""
    found = landlock_level() == "processes" if request.param == "landlock" else shutil.which("bwrap") is not None
    if not found:
        pytest.skip(f"{request.param} cannot do it here")
    return str(request.param)


bubblewrap = pytest.mark.parametrize("sandbox", ["bwrap"], indirect=True)


@pytest.fixture
def home(desk: Desk) -> Desk:
    """A project with a test, in the home of somebody with a key."""
    place = desk.project.parent / "home"
    (place / ".ssh").mkdir(parents=True)
    (place / ".ssh/id_rsa").write_text("KEY")
    subprocess.run(["git", "init", "-q", "."], cwd=desk.project, check=True)
    return Desk(desk.project, {**desk.env, "HOME": str(place)})


def without_bubblewrap(desk: Desk) -> str:
    """A PATH that has all programs but one."""
    place = desk.project.parent / "programs"
    place.mkdir(exist_ok=True)
    for folder in os.environ["PATH"].split(os.pathsep):
        for program in Path(folder).glob("*") if Path(folder).is_dir() else ():
            if program.name != "bwrap" and not (place / program.name).exists():
                (place / program.name).symlink_to(program)
    return str(place)


def test_what_tasks_try_outside_of_the_project_comes_to_nothing(home: Desk, sandbox: str) -> None:
    id = home.create("--proof", "none", "--sandbox", sandbox)
    for command in ESCAPES:
        filled = command.replace("{id}", id).replace("{runner}", str(os.getpid()))
        assert home.run("tasks", id, "add", command, "--tool", "bash", "--command", filled).code == 0
    home.run(
        "tasks", id, "add", "Work", "--tool", "bash", "--command", "echo good > made && mkdir -p ~/x && touch ~/x/y"
    )
    ran = home.run("run", "--loop-id", id, "--auto", "--json", "--max-iterations", "30")
    state = home.state(id)
    assert ran.code == 1, ran
    tasks = {task["description"]: task["status"] for task in state["skill_state"]["develop"]["tasks"]}  # type: ignore[index]
    assert tasks.pop("Work") == "completed"
    assert tasks.pop(ESCAPES[0]) == "completed", "in a home of its own"
    assert set(tasks.values()) == {"failed"}
    place = Path(home.env["HOME"])
    assert not (place / "left-behind").exists()
    assert not (home.project / "found").read_text()
    journal = (home.project / f".workflow/.loop/{id}.events.ndjson").read_text()
    assert "sandbox_paths names what it may use besides" in journal, "the one that writes to .git"
    assert "fsmonitor" not in (home.project / ".git/config").read_text()
    assert (home.project / "made").read_text() == "good\n"
    assert f"sandbox     {sandbox}" in home.run("show", id).out


def test_tests_have_no_network_and_no_home(home: Desk, sandbox: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        (home.project / "test_it.py").write_text(TEST.replace("PORT", str(server.getsockname()[1])))
        agent = home.script(planned("Look"), DONE)
        done = home.run("run", "Look", "--auto", "--proof", "none", "--agent", agent, "--sandbox", sandbox, "--json")
        assert done.code == 0, done.out
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_tests_reach_a_server_that_the_settings_name(home: Desk, sandbox: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        (home.project / "test_it.py").write_text(
            f"import socket\ndef test_it(): socket.create_connection(('localhost', {port}), 3).close()\n"
        )
        words = ["run", "Look", "--auto", "--proof", "none", "--agent"]
        offline = home.run(*words, "builtin", "--sandbox", sandbox)
        assert "the setting sandbox_hosts names" in offline.out
        words.append(home.script(planned("Look"), DONE))
        (home.project / "loopwright.toml").write_text(f'sandbox_hosts = ["localhost:{port}"]\n')
        done = home.run(*words, "--sandbox", sandbox)
        if sandbox == "bwrap":
            assert (done.code, "sandbox_hosts: bubblewrap cannot do that" in done.err) == (2, True)
            return
        assert (done.code, done.err) == (0, "")
        server.accept()[0].close()
        assert f"with localhost:{port} (" in home.run("show", done.out.split(":")[0]).out
        (home.project / "loopwright.toml").write_text('sandbox_hosts = ["localhost"]\n')
        assert "write localhost:5432 or" in home.run(*words).err


@bubblewrap
def test_one_that_is_not_there_is_an_error_before_anything_is_made(home: Desk, sandbox: str) -> None:
    path = without_bubblewrap(home)
    for command in ("run", "create"):
        refused = home.run(command, "Do it", "--auto", "--sandbox", "bwrap", PATH=path)
        assert (refused.code, refused.out) == (2, "")
        assert "the sandbox bwrap does not work here: there is no program bwrap; install bubblewrap" in refused.err
    unknown = home.run("run", "Do it", "--auto", "--sandbox", "jail")
    assert unknown.code == 2
    assert "--sandbox:" in unknown.err
    assert "bwrap" in unknown.err
    missing = home.run("run", "Do it", "--auto", "--sandbox", "bwrap", LOOPWRIGHT_SANDBOX_PATHS="~/nothing")
    assert missing.code == 2
    assert "sandbox_paths: there is no" in missing.err
    assert home.run("list", "--json").lines[0]["data"] == []


@bubblewrap
def test_a_run_keeps_its_sandbox_and_waits_where_there_is_none(home: Desk, sandbox: str) -> None:
    id, path = home.create("--proof", "none", "--sandbox", "bwrap"), without_bubblewrap(home)
    home.run("tasks", id, "add", "Work", "--tool", "bash", "--command", "ls -A ~ > seen; true")
    refused = home.run("run", "--loop-id", id, "--auto", PATH=path)
    assert refused.code == 2
    assert "install bubblewrap" in refused.err
    assert home.state(id)["status"] == "created"
    assert home.run("start", id, PATH=path).code == 0
    until(lambda: home.state(id)["status"] == "paused")
    assert "the sandbox bwrap does not work here" in home.run("show", id).out
    assert not (home.project / "seen").exists()
    assert home.run("run", "--loop-id", id, "--auto", "--json").code in (0, 1, 9)
    assert ".ssh" not in (home.project / "seen").read_text()


@bubblewrap
def test_one_that_breaks_meanwhile_pauses_the_run(home: Desk, sandbox: str) -> None:
    path = home.project.parent / "bin"
    path.mkdir()
    fake, real = path / "bwrap", shutil.which("bwrap")
    fake.write_text(
        f"#!/bin/sh\n[ ! -e {home.project}/broken ] && exec {real} \"$@\"\necho 'bwrap: no namespaces' >&2; exit 1\n"
    )
    fake.chmod(0o755)
    within = Desk(home.project, {**home.env, "PATH": f"{path}:{home.env['PATH']}"})
    id = within.create("--proof", "none", "--sandbox", "bwrap")
    for command in ("touch broken", "touch outside"):
        within.run("tasks", id, "add", command, "--tool", "bash", "--command", command)
    stopped = within.run("run", "--loop-id", id, "--auto", "--json")
    assert stopped.code == 3, stopped
    state = within.state(id)
    assert state["status"] == "paused"
    assert "no namespaces" in within.run("show", id).out
    assert not (home.project / "outside").exists()
    (home.project / "broken").unlink()
    assert within.run("run", "--loop-id", id, "--auto", "--json").code in (0, 1, 9)
    assert (home.project / "outside").exists()


@bubblewrap
def test_doctor_tries_it_and_proposes_it(home: Desk, sandbox: str) -> None:
    page = home.run("doctor", "--no-probe").out
    assert "--sandbox bwrap works (" in page
    assert "none; use --sandbox " in home.run("doctor", "--no-probe", LOOPWRIGHT_SANDBOX="none").out
    data = home.run("doctor", "--no-probe", "--json", PATH=without_bubblewrap(home), LOOPWRIGHT_SANDBOX="bwrap")
    assert "there is no program bwrap; install bubblewrap" in str(data.lines[0]["data"]["problems"])  # type: ignore[index]


def test_a_worktree_brings_the_projects_own_environment(home: Desk, sandbox: str) -> None:
    """Its programs lie in the worktree, also for what runs in a copy elsewhere: none were found there."""
    (home.project / ".gitignore").write_text(".workflow/\n.venv/\n__pycache__/\n")
    (home.project / "price.py").write_text("def price(net):\n    return net\n")
    (home.project / "test_price.py").write_text(
        "import unittest\nfrom price import price\n\n\nclass Test(unittest.TestCase):\n"
        "    def test_price(self):\n        self.assertEqual(price(1), 1)\n"
    )
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=home.project, check=True)
    for words in (("add", "-A"), ("-c", "user.name=A", "-c", "user.email=a@b", "commit", "-qm", "begin")):
        subprocess.run(["git", *words], cwd=home.project, check=True)
    options = ("--auto", "--agent", "builtin", "--worktree", "--sandbox", sandbox, "--json")
    ran = home.run("run", "Fix the failing tests", *options, "--test-command", ".venv/bin/python -m unittest")
    assert (ran.code, ran.lines[-1]["outcome"]) == (0, "succeeded"), ran
