"""What gets out of a sandbox: nothing is to be read, written, reached or left behind that was not handed to it."""

import asyncio
import os
import shlex
import socket
import socketserver
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

import pytest

from loopwright.core.errors import NoSandbox, SandboxError
from loopwright.core.ports import TestOrder
from loopwright.core.state import RunSettings, SandboxName
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestLimits
from loopwright.processes import confinement
from loopwright.processes.confinement import (
    ONLY_TESTS,
    Sandbox,
    confine,
    explain_denial,
    program_folders,
    run_briefly,
)
from loopwright.processes.conversation import open_conversation
from loopwright.processes.process import Patience, ProcessResult, run_shell
from loopwright.processes.process_tree import ProcessMark, list_processes
from loopwright.processes.runner_processes import OwnProcesses
from loopwright.processes.sandbox import HostPaths, Level, Mount, ProjectPaths, SandboxNeeds, lay_out, read_extra
from tests.waiting import until

SECRETS = (
    ".ssh/id_rsa",
    ".aws/credentials",
    ".netrc",
    ".config/gh/hosts.yml",
    ".state/other/state.json",
    ".cargo/credentials.toml",
    ".local/share/uv/credentials/one",
)
AGENT = SandboxNeeds(network=True, cache="agent", folders=("~/.agent",))
MARK = "loop-confined"


@dataclass(frozen=True)
class Ground:
    """A project with a run's state in it, in a home with secrets."""

    home: Path
    project: Path
    sandbox: Sandbox

    def play(
        self, command: str, needs: SandboxNeeds = ONLY_TESTS, seconds: float = 20, at: Path | None = None
    ) -> ProcessResult:
        with confine(self.sandbox):
            work = run_shell(
                command,
                cwd=at or self.project,
                project=self.project,
                marker=MARK,
                patience=Patience(seconds),
                needs=needs,
            )
            return asyncio.run(work)


KINDS: tuple[tuple[SandboxName, Level | None], ...] = (
    ("bwrap", None), ("landlock", "processes"), ("landlock", "mounts"), ("landlock", "landlock")
)  # fmt: skip
"""Each that there is, and what of it the kernel allows."""


@pytest.fixture(params=KINDS[:2], ids=lambda kind: kind[1] or kind[0])
def kind(request: pytest.FixtureRequest) -> tuple[SandboxName, Level | None]:
    return cast("tuple[SandboxName, Level | None]", request.param)


@pytest.fixture
def ground(kind: tuple[SandboxName, Level | None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ground:
    sort, level = kind
    if level:
        monkeypatch.setattr(confinement, "LEVELS", (level,))
        confinement.landlock_level.cache_clear()
    home, project, state = tmp_path / "home", tmp_path / "home" / "work" / "project", tmp_path / "home" / ".state"
    for path in SECRETS:
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text("SEVENSECRETS")
    (home / "work/other").mkdir(parents=True)
    (home / "work/other/code.py").write_text("SEVENSECRETS")
    project.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    (project / ".workflow/.loop").mkdir(parents=True)
    (project / ".workflow/.loop/l.json").write_text("{}")
    monkeypatch.setenv("HOME", str(home))
    (home / ".cargo/bin").mkdir()
    monkeypatch.setenv("PATH", f"{home}/.cargo/bin:{os.environ['PATH']}")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    sandbox = Sandbox(sort, project, state / "run", state)
    try:
        sandbox.check()
    except NoSandbox as error:
        pytest.skip(str(error))
    return Ground(home, project, sandbox)


@pytest.mark.parametrize("needs", [SandboxNeeds(), AGENT], ids=["tests", "agent"])
def test_nothing_of_the_user_can_be_read(ground: Ground, needs: SandboxNeeds) -> None:
    found = ground.play(f"grep -rl SEVENSECRETS {ground.home} /etc 2>/dev/null; ls -A ~", needs)
    assert set(found.output.split()) <= {".agent", ".cache", ".cargo", ".local", ".state", "work"}


BREAKING = (
    "echo x > .workflow/.loop/l.json",
    "rm -rf .workflow",
    "mv .workflow away",
    "echo x > .git/config",
    "echo x > .git/hooks/post-commit",
    "echo ../evil > .git/commondir",
    "mv .git away",
    "echo x > /etc/passwd",
    "echo x > /usr/bin/x",
    "echo x > /proc/sys/kernel/core_pattern",
    "mount -o remount,rw,bind .git",
    "umount .git",
    "echo x > ~/.state/other/state.json",
    "kill -9 {pid}",
    "nsenter --target {pid} --all true",
    "cat /proc/{pid}/environ",
)


@pytest.mark.parametrize("needs", [SandboxNeeds(), AGENT], ids=["tests", "agent"])
def test_what_is_not_its_own_cannot_be_changed(ground: Ground, needs: SandboxNeeds) -> None:
    git = {path: path.stat().st_mtime_ns for path in (ground.project / ".git").rglob("*")}
    for command in BREAKING:
        assert ground.play(command.format(pid=os.getpid()), needs).exit_code != 0, command
    assert (ground.project / ".workflow/.loop/l.json").read_text() == "{}"
    assert {path: path.stat().st_mtime_ns for path in (ground.project / ".git").rglob("*")} == git
    assert (ground.home / ".state/other/state.json").read_text() == "SEVENSECRETS"


def test_the_home_and_temporary_files_are_its_own(ground: Ground) -> None:
    elsewhere = Path("/tmp/loopwright-left-behind")
    done = ground.play(f"echo x > ~/.bashrc && echo x > {elsewhere} && echo x > {os.environ.get('TMPDIR', '/tmp')}/x")
    assert done.exit_code == 0, done.output
    assert not (ground.home / ".bashrc").exists()
    assert not elsewhere.exists()


def test_the_project_and_an_agents_own_folders_stay(ground: Ground) -> None:
    assert ground.play("echo x > new.py && echo x > ~/.agent/session && echo x > ~/.cache/known", AGENT).exit_code == 0
    assert (ground.project / "new.py").read_text() == (ground.home / ".agent/session").read_text() == "x\n"
    assert ground.play("cat ~/.agent/session ~/.cache/known", AGENT).exit_code == 0
    assert ground.play("cat ~/.agent/session").exit_code != 0
    assert ground.play("cat ~/.cache/known").exit_code != 0
    assert not (ground.home / ".cache").exists()


@pytest.fixture
def server() -> Iterator[int]:
    """A port of this machine that somebody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def test_only_agents_have_the_network(ground: Ground, server: int) -> None:
    call = f"{sys.executable} -c 'import socket; socket.create_connection((\"127.0.0.1\", {server}), 5)'"
    assert ground.play(call, AGENT).exit_code == 0
    refused = ground.play(call)
    assert refused.exit_code == 1
    assert "refused" in refused.output
    own = 'import socket as s; a = s.create_server(("127.0.0.1", 0)); s.create_connection(a.getsockname(), 5)'
    assert ground.play(f"{sys.executable} -c {shlex.quote(own)}").exit_code == 0


DAEMON = "setsid env -i sh -c 'ulimit -S -x unlimited; exec sleep 4321' >/dev/null 2>&1 & "


def daemons() -> list[int]:
    return [p.pid for p in list_processes() if b"4321" in Path(f"/proc/{p.pid}/cmdline").read_bytes().split(b"\0")]


ASK = """
import socket, sys
for name, port in (pair.rsplit(":") for pair in sys.argv[1:]):
    try:
        with socket.create_connection((name, int(port)), 5) as link:
            link.sendall(b"hello ")
            link.shutdown(socket.SHUT_WR)
            print(name, link.makefile().read())
    except OSError as error:
        print(name, type(error).__name__)
"""


@pytest.fixture
def echo() -> Iterator[int]:
    """The port of a server on this machine that answers what it is told, once that is over."""

    class Answer(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.wfile.write(self.rfile.read() + b"there")

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Answer) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield serving.server_address[1]
        serving.shutdown()


def test_tests_reach_the_hosts_that_are_named_and_no_others(ground: Ground, echo: int, server: int) -> None:
    (ground.project / "ask.py").write_text(ASK)
    words = f"localhost:{echo} 127.0.0.1:{echo} localhost:{server} example.org:80 no.such.host.invalid:{echo}"
    named = (f"localhost:{echo}", f"127.0.0.1:{echo}", f"localhost:{echo}", f"no.such.host.invalid:{echo}")
    if ground.sandbox.name == "bwrap":
        with pytest.raises(NoSandbox, match="bubblewrap cannot"):
            replace(ground.sandbox, hosts=named).check()
        return
    there = replace(ground, sandbox=replace(ground.sandbox, hosts=named))
    there.sandbox.check()
    for _ in range(2):
        done = there.play(f"{shlex.quote(sys.executable)} ask.py {words}")
        assert done.output.splitlines() == [
            "localhost hello there", "127.0.0.1 hello there", "localhost ConnectionRefusedError",
            "example.org gaierror", "no.such.host.invalid ",
        ]  # fmt: skip
    assert "hello" not in ground.play(f"{shlex.quote(sys.executable)} ask.py {words}").output
    assert [thread.name for thread in threading.enumerate()].count("host-relay") == 0


@pytest.mark.parametrize(
    "words",
    ["localhost", "localhost:http", "localhost:0", "localhost:70000", "10.0.0.1:5432", ":5432", "a b:1", "::1:1"],
)
def test_a_host_is_a_name_with_a_port(ground: Ground, words: str) -> None:
    with pytest.raises(NoSandbox, match="sandbox_hosts: "):
        replace(ground.sandbox, hosts=(words,)).check()


def test_no_daemon_outlives_it(ground: Ground) -> None:
    assert ground.play(DAEMON + "sleep 0.2", AGENT).exit_code == 0
    assert not daemons()


RUNNER = """
import asyncio, sys
from pathlib import Path
from loopwright.processes.confinement import Sandbox, confine
from loopwright.processes.conversation import open_conversation
from loopwright.processes.process import Patience, run_shell
project, state, command = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]
with confine(Sandbox(sys.argv[4], project, state / "run", state)):
    asyncio.run(run_shell(command, cwd=project, marker="loop-confined", patience=Patience(60)))
"""


def test_nothing_outlives_a_runner_that_is_killed(ground: Ground) -> None:
    words = [str(ground.project), str(ground.sandbox.state), DAEMON + "touch begun; sleep 4321", ground.sandbox.name]
    with subprocess.Popen([sys.executable, "-c", RUNNER, *words], start_new_session=True) as runner:
        until(lambda: (ground.project / "begun").exists() or runner.poll() is not None)
        until(lambda: bool(daemons()))
        runner.kill()
    until(lambda: not daemons())


def test_a_program_hears_that_it_shall_end_before_it_is_ended(ground: Ground) -> None:
    done = ground.play(
        "exec sh -c 'trap \"echo bye > said; exit\" TERM; touch begun; while :; do sleep 0.05; done'", seconds=1
    )
    assert done.cut == "timeout"
    assert (ground.project / "said").read_text() == "bye\n"


def test_exit_codes_and_output_are_the_programs(ground: Ground) -> None:
    done = ground.play("echo out; echo err >&2; exit 7")
    assert (done.exit_code, sorted(done.output.split())) == (7, ["err", "out"])


def test_a_sandbox_that_breaks_is_an_error_and_nothing_is_started_outside(
    ground: Ground, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bin" / "bwrap"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'bwrap: No permissions to create a new namespace' >&2\nexit 1\n")
    program.chmod(0o755)
    if ground.sandbox.name == "bwrap":
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    else:
        ground = replace(ground, sandbox=replace(ground.sandbox, paths=("/proc/1/gone",)))
    why = "No permissions to create a new namespace|No such file"
    with pytest.raises(SandboxError, match=f"cannot be made: .*({why})"):
        ground.play("touch outside")
    with confine(ground.sandbox), pytest.raises(SandboxError):
        run_briefly(("touch", "outside"), cwd=ground.project, seconds=5)
    if ground.sandbox.name == "bwrap":
        with pytest.raises(NoSandbox, match=r"the sandbox bwrap does not work here: .*No permissions"):
            ground.sandbox.check()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(confinement, "landlock_level", lambda: None)
    with pytest.raises(SandboxError, match=r"there is no program bwrap|this kernel has no Landlock"):
        ground.play("touch outside")
    assert not (ground.project / "outside").exists()


def test_what_cannot_be_a_sandbox_is_refused(ground: Ground) -> None:
    with pytest.raises(NoSandbox, match="hides the home directory"):
        replace(ground.sandbox, root=ground.home).check()
    with pytest.raises(NoSandbox, match=r"sandbox_paths: there is no .*/nothing"):
        replace(ground.sandbox, paths=("~/nothing",)).check()


def test_further_paths_are_there_as_they_were_asked_for(ground: Ground) -> None:
    other = ground.home / "work/other"
    reading = replace(ground, sandbox=replace(ground.sandbox, paths=("../other",)))
    assert reading.play("cat ../other/code.py && ! touch ../other/new").exit_code == 0
    writing = replace(ground, sandbox=replace(ground.sandbox, paths=("~/work/other:rw", ".git:rw")))
    assert (
        writing.play("touch ../other/new && git -c user.name=a -c user.email=b commit --allow-empty -qm x").exit_code
        == 0
    )
    assert (other / "new").exists()


def test_git_reads_a_worktree_whose_repository_is_hidden(ground: Ground) -> None:
    who = ["git", "-c", "user.name=a", "-c", "user.email=b"]
    subprocess.run([*who, "commit", "--allow-empty", "-qm", "first"], cwd=ground.project, check=True)
    place = ground.home / "trees" / "one"
    subprocess.run(["git", "worktree", "add", "-q", str(place)], cwd=ground.project, check=True)
    done = ground.play("git log --format=%s && touch new && git status --porcelain", at=place)
    assert (done.exit_code, done.output.split("\n")[:2]) == (0, ["first", "?? new"])
    assert ground.play(f"touch {ground.project}/new", at=place).exit_code != 0
    assert ground.play("echo gitdir: /tmp > .git", at=place).exit_code != 0


def test_a_home_that_is_a_link(ground: Ground, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(ground.home)
    monkeypatch.setenv("HOME", str(link))
    assert ground.play("echo x > ~/.agent/session && ! cat ~/.ssh/id_rsa", AGENT).exit_code == 0
    assert (ground.home / ".agent/session").exists()


def test_tools_in_the_home_directory_can_be_used(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (".nvm/bin/tool", "opt/it/bin/other", "bin/third"):
        (ground.home / path).parent.mkdir(parents=True, exist_ok=True)
        (ground.home / path).write_text("#!/bin/sh\ncat $(dirname $0)/../lib/x 2>/dev/null; echo ok\n")
        (ground.home / path).chmod(0o755)
    (ground.home / "opt/secret").write_text("SEVENSECRETS")
    more = ":".join(str(ground.home / path) for path in (".nvm/bin", "opt/it/bin", "bin"))
    monkeypatch.setenv("PATH", f"{more}:{os.environ['PATH']}")
    done = ground.play("tool && other && third && ! cat ~/opt/secret && ! touch ~/.nvm/bin/new")
    assert done.exit_code == 0, done.output


def test_what_a_command_of_the_users_names_can_be_read(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {"tool/package.json": "{}", "tool/node_modules/part.js": "1", "tool/bin/agent.js": "1", "alone.py": "1"}
    for name, text in (files | {"beside.py": "SEVENSECRETS", "lib/mod.py": "", ".agent/turns": ""}).items():
        (ground.home / name).parent.mkdir(parents=True, exist_ok=True)
        (ground.home / name).write_text(text)
    argv = ["node", *(str(ground.home / name) for name in ("tool/bin/agent.js", "alone.py", ".agent/turns"))]
    monkeypatch.setenv("PYTHONPATH", str(ground.home / "lib"))
    needs = replace(AGENT, readable=program_folders(argv))
    for words in (
        "cat ~/tool/node_modules/part.js ~/alone.py ~/lib/mod.py && echo > ~/.agent/turns",
        "! cat ~/beside.py",
    ):
        assert (done := ground.play(words, needs)).exit_code == 0, done.output
    assert ground.play("echo > ~/tool/bin/agent.js", needs).exit_code != 0


def test_what_it_does_not_see_is_named(ground: Ground) -> None:
    missed = ground.play(f"cat {ground.home}/work/other/code.py; exit 3").output
    with confine(ground.sandbox):
        assert f"hidden {ground.home}/work/other/code.py from it: name it in" in explain_denial(missed)
        assert explain_denial(f"cat: {ground.home}/nothing: No such file or directory") == ""
        assert explain_denial(f"cat: {ground.project}/.workflow/.loop/l.json: No such file or directory") == ""
    assert explain_denial(missed) == ""


WRITER = "while read name; do touch $name && echo yes || echo no; done"


def test_a_program_that_is_talked_with_can_be_kept_from_writing_for_a_while(ground: Ground, tmp_path: Path) -> None:
    if ground.sandbox.name == "bwrap":
        pytest.skip("its mounts stay as they are")

    async def talk() -> list[tuple[bool, str]]:
        mark, told = ProcessMark(MARK, str(ground.project)), []
        (ground.project / "own").mkdir()
        needs = replace(AGENT, writable=(ground.project / "own",), pausing=True)
        words = ("sh", "-c", WRITER)
        async with open_conversation(
            words, cwd=ground.project, mark=mark, stderr=tmp_path / "err", more={}, needs=needs
        ) as program:
            for allowed, name in (
                (True, "a"),
                (False, "b"),
                (False, "own/b"),
                (False, ".git/x"),
                (True, "c"),
                (True, ".git/x"),
            ):
                assert await program.permit_writing(allowed)
                program.say(name.encode() + b"\n")
                told.append((allowed, (await program.line() or b"").decode()))
        return told

    with confine(ground.sandbox):
        told = asyncio.run(talk())
    assert told == [(True, "yes"), (False, "no"), (False, "yes"), (False, "no"), (True, "yes"), (True, "no")]


SLOW = """
import time
def test_slow(): time.sleep(30)
def test_good(): pass
"""


def test_a_test_without_an_end_is_ended_and_the_others_are_run(ground: Ground) -> None:
    (ground.project / "test_it.py").write_text(SLOW)
    command = f"{sys.executable} -m pytest -p no:cacheprovider"
    order = TestOrder(command, timeout=60, marker=MARK, limits=TestLimits(1.0))
    with confine(ground.sandbox):
        run = asyncio.run(ProjectTests(ground.project).run(order))
    assert {result.test_name: result.status for result in run.results} == {"test_slow": "failed", "test_good": "passed"}
    assert list(run.endless) == ["test_it.py::test_slow"]


def test_the_runners_processes_use_the_sandbox_of_the_settings(ground: Ground) -> None:
    processes = OwnProcesses(ground.project, ground.sandbox.state / "p.processes")
    with processes.confined(MARK, RunSettings(sandbox=ground.sandbox.name)):
        assert run_briefly(("sh", "-c", "ls ~/.ssh"), cwd=ground.project, seconds=5).returncode != 0
    with processes.confined(MARK, RunSettings()):
        assert run_briefly(("sh", "-c", "ls ~/.ssh"), cwd=ground.project, seconds=5).returncode == 0
    processes.forget(MARK)
    assert not (ground.sandbox.state / "p.processes" / MARK).exists()


HOST = HostPaths(home=Path("/home/u"), hidden=(Path("/home"),), tools=(Path("/home/u/.nvm"),))


def test_what_lies_deeper_holds() -> None:
    project = ProjectPaths(
        Path("/home/u/p"), kept=(Path("/home/u/p/.git"),), extra=((Path("/home/u/p/.git"), "write"),)
    )
    table = lay_out(HOST, project, Path("/home/u/p/sub"), SandboxNeeds(), {Path("/home/u/.cache"): Path("/state/c")})
    places = list(table)
    assert places.index(Path("/home")) < places.index(Path("/home/u")) < places.index(Path("/home/u/p"))
    assert table[Path("/home/u/p/.git")].access == "write"
    assert table[Path("/home/u/.cache")] == Mount("write", Path("/state/c"))
    elsewhere = lay_out(HOST, project, Path("/srv/lane"), SandboxNeeds(), {})
    assert (elsewhere[Path("/home/u/p")].access, elsewhere[Path("/srv/lane")].access) == ("read", "write")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("~/x", (Path("/home/u/x"), "read")),
        ("~/x:rw", (Path("/home/u/x"), "write")),
        ("data:rw", (Path("/p/data"), "write")),
        ("/dev/kvm:rw", (Path("/dev/kvm"), "device")),
        ("/a:b", (Path("/a:b"), "read")),
    ],
)
def test_an_entry_of_the_setting(words: str, expected: tuple[Path, str]) -> None:
    assert read_extra(words, Path("/p"), Path("/home/u")) == expected


def test_a_session_keyring_stays_outside(ground: Ground, kind: tuple[SandboxName, Level | None]) -> None:
    if kind[0] == "bwrap" or os.uname().machine != "x86_64":
        pytest.skip("for our own sandbox, with this machine's numbers of calls")
    asking = "ctypes.CDLL(None).syscall"
    (ground.project / "add.py").write_text(
        f"import ctypes, os, sys\nif {asking}(250, 1, None) < 0: os._exit(3)\n"
        f"key = {asking}(248, b'user', b'one', b'SEVENSECRETS', 12, -3)\nprint(key, flush=True)\n"
        "os.execvp(sys.argv[1], sys.argv[1:])\n"
    )
    (ground.project / "read.py").write_text(
        "import ctypes\nheld = ctypes.create_string_buffer(20)\n"
        "found = ctypes.CDLL(None).syscall(250, 10, -3, b'user', b'one', 0)\n"
        "ctypes.CDLL(None).syscall(250, 11, found, held, 20)\nprint(held.value)\n"
    )
    python = sys.executable
    inside = (
        "import os, sys; sys.path.insert(0, sys.argv[1]); from pathlib import Path\n"
        "from loopwright.processes.confinement import Sandbox\n"
        "done = Sandbox('landlock', Path.cwd(), Path(sys.argv[2]), Path(sys.argv[3])).run_briefly("
        "(sys.executable, 'read.py'), Path.cwd(), os.environ, 20)\nprint(done.stdout.decode())\n"
    )
    own = [str(Path(confinement.__file__).parents[2]), str(ground.sandbox.folder), str(ground.sandbox.state)]
    for argv, expected in (([python, "read.py"], True), ([python, "-c", inside, *own], False)):
        done = subprocess.run(
            [python, "add.py", *argv], cwd=ground.project, capture_output=True, text=True, check=False
        )
        if done.returncode == 3:
            pytest.skip("no keyrings here")
        assert ("SEVENSECRETS" in done.stdout) == expected, done


def test_tests_reach_no_socket_of_the_machine(ground: Ground, kind: tuple[SandboxName, Level | None]) -> None:
    if kind[1] == "landlock":
        pytest.skip("Landlock alone has no mounts")
    place = next((path for path in map(Path, ("/srv", "/opt", "/var/lib")) if os.access(path, os.W_OK)), None)
    if place is None:
        pytest.skip("no folder of the machine can be written here")
    path = place / f"loopwright-{os.getpid()}.sock"
    ask = f"{sys.executable} -c \"import socket; s = socket.socket(socket.AF_UNIX); s.connect('{path}'); print('IN')\""
    with socket.socket(socket.AF_UNIX) as listening:
        try:
            listening.bind(str(path))
            listening.listen()
            assert "IN" in ground.play(ask, SandboxNeeds(network=True)).output
            assert "IN" not in ground.play(ask).output
            named = replace(ground.sandbox, paths=(str(place),))
            assert "IN" in replace(ground, sandbox=named).play(ask).output
        finally:
            path.unlink(missing_ok=True)
