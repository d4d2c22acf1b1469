"""Attacks on the engine: each comes to nothing in the sandbox, and works without one."""

import asyncio
import ctypes
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.processes import confinement
from loopwright.processes.confinement import Sandbox, confine
from loopwright.processes.process import Patience, ProcessResult, run_shell
from loopwright.processes.sandbox import Level, SandboxNeeds

AGENT = SandboxNeeds(network=True, cache="agent")
SECRET = "SEVENSECRETS"
ALL: tuple[Level, ...] = ("processes", "mounts", "landlock")
MOUNTED: tuple[Level, ...] = ("processes", "mounts")
"""Landlock alone cannot keep a part of what may be written, nor a socket that has a name."""

READS = (
    "cat {state}/server.json",
    "cat {home}/.ssh/id_rsa",
    "cat {home}/.aws/credentials",
    "cat {state}/other/state.json",
    "cat {state}/project.git/config",
    "cat {home}/work/other/code.py",
    "cat {elsewhere}/secret",
    "ln -sf {home}/.ssh/id_rsa link; cat link",
    "ln -f {home}/.ssh/id_rsa hard; cat hard",
    "mv {home}/.ssh/id_rsa moved; cat moved",
    "cat /proc/{victim}/root{home}/.ssh/id_rsa",
    "cat /proc/{victim}/cwd/id_rsa",
    "cat /proc/{victim}/fd/0",
    "tr '\\0' '\\n' < /proc/{victim}/environ",
    "python3 memory.py {pid} {address}",
    "unshare -Urm cat {home}/.ssh/id_rsa",
    "unshare -Urm sh -c 'umount -l {home}; cat {home}/.ssh/id_rsa'",
    "unshare -Urm sh -c 'mount -t tmpfs none /mnt; mount --bind {home} /mnt; cat /mnt/.ssh/id_rsa'",
)
"""They print the secret."""

WRITES: dict[str, tuple[Level, ...]] = {
    "echo '{{}}' >> .workflow/.loop/l.journal": MOUNTED,
    "echo x > .workflow/.loop/other.json": MOUNTED,
    "mv .workflow w2 && mkdir .workflow": MOUNTED,
    "rm -r .workflow": MOUNTED,
    "echo x > .loopwright/prompts/plan.md": MOUNTED,
    "mv .loopwright l2": MOUNTED,
    "echo 'proof = \"none\"' > loopwright.toml": MOUNTED,
    "echo x > new && mv new loopwright.toml": MOUNTED,
    "echo x > .git/hooks/pre-commit": MOUNTED,
    "git config core.fsmonitor 'touch pwned'": MOUNTED,
    "echo /tmp > .git/objects/info/alternates": MOUNTED,
    "python3 dial.py {state}/socket": MOUNTED,
    "python3 dial.py {abstract}": ALL,
    "echo x > {state}/other/state.json": ALL,
    "echo x >> {home}/work/other/code.py": ALL,
    "test -s {home}/.ssh/id_rsa && echo x > {home}/.ssh/authorized_keys": ALL,
    "test -s {elsewhere}/secret && echo x > {elsewhere}/made": ALL,
    "touch {package}/pwned": ALL,
    "echo x > /proc/{victim}/root{home}/pwned": ALL,
    "kill -9 {victim}": ALL,
    "kill -STOP {victim}": ALL,
    "python3 trace.py {victim}": ALL,
    "nsenter --target {victim} --mount touch {home}/pwned": ALL,
}
"""They end well; with the levels that hold them."""

HONEST = (
    "python3 -c 'import multiprocessing, tempfile; multiprocessing.Lock(); tempfile.TemporaryFile()'",
    "echo x > made && mv made moved && ln moved linked && rm moved linked && mkdir -p a/b && rmdir -p a/b",
    "git status --porcelain && git log --all",
    "f=$(mktemp) && echo x > $f && cat $f && date > /dev/null && head -c 4 /dev/urandom | wc -c | grep 4",
    "test -w ${{XDG_CACHE_HOME:-$HOME/.cache}} && sleep 9 & kill $! && sort < /dev/null && cat <(echo process)",
    "script -qc 'echo in a terminal' /dev/null | grep terminal",
)

FILES = {
    "memory.py": "import os, sys\nprint(os.pread(os.open(f'/proc/{sys.argv[1]}/mem', 0), 12, int(sys.argv[2])))\n",
    "trace.py": "import ctypes, sys\nsys.exit(ctypes.CDLL(None).ptrace(16, int(sys.argv[1]), 0, 0) != 0)\n",
    "dial.py": "import socket, sys\nsocket.socket(socket.AF_UNIX).connect(sys.argv[1].replace('@', '\\0'))\n",
    "loopwright.toml": "",
    ".workflow/.loop/l.journal": "",
    ".loopwright/prompts/plan.md": "",
}


@dataclass(frozen=True)
class Target:
    project: Path
    state: Path
    facts: dict[str, str]

    def play(self, command: str, level: Level | None) -> ProcessResult:
        """In the sandbox of that level, as an agent; without one where it is None."""
        confinement.LEVELS = (level,) if level else ()
        confinement.landlock_level.cache_clear()
        sandbox = Sandbox("landlock", self.project, self.state / "run", self.state)
        with confine(sandbox if level else None):
            filled = command.format(**self.facts)
            return asyncio.run(
                run_shell(filled, cwd=self.project, marker="loop-attacked", patience=Patience(20), needs=AGENT)
            )


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    home, state, elsewhere = tmp_path / "home", tmp_path / "home/.state", tmp_path / "elsewhere"
    project = home / "work/project"
    secrets = ("server.json", "other/state.json", "project.git/config")
    for path in (
        *(home / name for name in (".ssh/id_rsa", ".aws/credentials", "work/other/code.py")),
        *(state / name for name in secrets),
        elsewhere / "secret",
    ):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SECRET)
    project.mkdir()
    subprocess.run(["git", "init", "-q", "."], cwd=project, check=True)
    for name, text in FILES.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr(confinement, "LEVELS", confinement.LEVELS)
    memory, abstract = ctypes.create_string_buffer(SECRET.encode()), f"@lw-{os.getpid()}"
    with ExitStack() as stack:
        stack.callback(confinement.landlock_level.cache_clear)
        monkeypatch.chdir(state)  # the way to a socket is short
        for name in ("socket", abstract.replace("@", "\0")):
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(name)
            listening.listen()
        key = stack.enter_context((home / ".ssh/id_rsa").open())
        victim = stack.enter_context(
            subprocess.Popen(["sleep", "600"], env={"TOKEN": SECRET}, cwd=home / ".ssh", stdin=key)
        )
        stack.callback(victim.kill)
        facts = {
            "home": home, "state": state, "elsewhere": elsewhere, "package": Path(confinement.__file__).parent,
            "victim": victim.pid, "pid": os.getpid(), "address": ctypes.addressof(memory), "abstract": abstract,
        }  # fmt: skip
        yield Target(project, state, {name: str(value) for name, value in facts.items()})
        (Path(confinement.__file__).parent / "pwned").unlink(missing_ok=True)


@pytest.mark.parametrize("command", READS)
def test_nothing_is_read(command: str, target: Target) -> None:
    for level in ALL:
        assert SECRET not in target.play(command, level).output, level
    if SECRET not in target.play(command, None).output:
        pytest.skip("it does not work here without a sandbox either")


@pytest.mark.parametrize("command", WRITES)
def test_nothing_is_changed(command: str, target: Target) -> None:
    for level in WRITES[command]:
        assert target.play(command, level).exit_code != 0, level
    if target.play(command, None).exit_code != 0:
        pytest.skip("it does not work here without a sandbox either")


@pytest.mark.parametrize("level", ALL)
def test_honest_work_is_done(level: Level, target: Target) -> None:
    for command in HONEST:
        done = target.play(command, level)
        assert done.exit_code == 0, (command, done.output)
