"""A fleet of real commands: a project with a remote, and workers in processes, each on a machine of its own."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from loopwright.core.names import Mode
from loopwright.core.state import EngineState, Family, FamilyMember, LoopTask, RunSettings
from loopwright.processes.process_tree import list_processes
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.real_command import COMMAND, Project
from tests.validation.projects import lay_out

AT = "2026-01-22T10:00:00+08:00"
TESTS = "python3 -m unittest"
FILES = {
    ".gitignore": "__pycache__/\n",
    "notes.txt": "begun\n",
    "test_nothing.py": "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self):\n        pass\n",
}
SOON = 60.0


class Machine:
    """A worker with a home of its own; `output` is what it has said so far.

    `environment` and `prefix` are what it is started with and by.
    """

    def __init__(self, fleet: "RealFleet", name: str, slots: int) -> None:
        self.name, self._slots = name, slots
        self.home = fleet.folder / name
        self.home.mkdir()
        self.environment: Mapping[str, str] = {**fleet.environment, "XDG_STATE_HOME": str(self.home / "state")}
        self.prefix: Sequence[str] = ()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *words: str) -> "Machine":
        place = str(self.home / "place")
        argv = [*self.prefix, *COMMAND, "fleet", "worker", "--slots", str(self._slots), "--place", place, *words]
        with (self.home / "output").open("ab") as output:
            self.process = subprocess.Popen(
                [*argv, "--project", str(self.home)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                start_new_session=True,
            )
        return self

    @property
    def output(self) -> str:
        return (self.home / "output").read_text()

    def kill(self) -> None:
        """The worker alone: its runners have to notice by themselves."""
        assert self.process
        self.process.kill()
        self.process.wait()

    def wait(self) -> int:
        assert self.process
        return self.process.wait(SOON)

    def end(self) -> int:
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def signal(self, number: int) -> None:
        """To the worker and all that it has started, as when a machine stands still."""
        for pid in self.left():
            os.kill(pid, number)

    def left(self) -> list[int]:
        """Processes that work below its folder, or were started for what lies there."""
        place = os.fsencode(self.home)
        return [process.pid for process in list_processes() if place in _environment(process.pid)]

    @property
    def commands(self) -> list[str]:
        """The command lines of these."""
        lines = (_read(f"/proc/{pid}/cmdline") for pid in self.left())
        return [line.replace(b"\0", b" ").decode(errors="replace") for line in lines]


def _environment(pid: int) -> bytes:
    return _read(f"/proc/{pid}/environ") + _read(f"/proc/{pid}/cmdline")


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


class RealFleet:
    """One project of one user, whose runs go to the fleet at `url`."""

    def __init__(self, url: str, folder: Path, files: Mapping[str, str]) -> None:
        self.url, self.folder = url, folder
        self.remote, self.project = folder / "remote.git", Project(folder / "project", folder / "state")
        self.environment = {**self.project.environment, "LOOPWRIGHT_FLEET_URL": url}
        self.project.root.mkdir()
        self.git("init", "--quiet", "--bare", "--initial-branch=main", str(self.remote))
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "Ada")
        self.git("config", "user.email", "ada@example.org")
        lay_out(self.project.root, files)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=begin")
        self.git("remote", "add", "origin", str(self.remote))
        self.git("push", "--quiet", "origin", "main")
        self.command("fleet", "init")
        self.machines: list[Machine] = []

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", *words], cwd=self.project.root, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    def command(self, *words: str, code: int = 0) -> Any:  # Any: parsed JSON
        printed = self.answer(*words, code=code)
        return printed.get("data", printed)

    def answer(self, *words: str, code: int = 0) -> Any:  # Any: as above
        """All that it prints as JSON last."""
        return json.loads(self._run(*words, "--json", code=code).stdout.splitlines()[-1])

    def text(self, *words: str, code: int = 0) -> str:
        """What people read, with remarks."""
        done = self._run(*words, code=code)
        return done.stdout + done.stderr

    def _run(self, *words: str, code: int) -> subprocess.CompletedProcess[str]:
        argv = [*COMMAND, *words, "--project", str(self.project.root)]
        done = subprocess.run(argv, capture_output=True, text=True, env=self.environment, timeout=120)
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def machine(self, slots: int = 2) -> Machine:
        self.machines.append(Machine(self, f"machine-{len(self.machines) + 1}", slots))
        return self.machines[-1]

    def make_loop(self, id: str, commands: Sequence[str], mode: Mode = "auto", family: Family | None = None) -> None:
        """One whose tasks are these commands."""
        tasks = tuple(
            LoopTask(
                task_id=f"task-{n}", description=f"step {n}", tool="bash", order=n, command=command, created_at=AT,
                updated_at=AT,
            )
            for n, command in enumerate(commands)
        )  # fmt: skip
        settings = RunSettings(mode=mode, agent="builtin", test_command=TESTS, worktree=family is not None)
        state = LoopState(
            loop_id=id, title=f"Loop {id}", description=f"Do {id}", created_at=AT, updated_at=AT, max_iterations=30,
            engine=EngineState(settings=settings, tasks=tasks, family=family),
        )  # fmt: skip
        with FileStore(self.project.root, LOOPS, SystemClock("+08:00")) as store:
            store.create(state, actor="test")

    def make_family(self, *attempts: Sequence[str], run_all: bool = False) -> list[str]:
        """The ids of attempts whose tasks are these commands."""
        ids = [f"loop-{n}" for n in range(1, len(attempts) + 1)]
        family = Family(members=tuple(FamilyMember(id=id, agent="builtin") for id in ids), run_all=run_all)
        for id, commands in zip(ids, attempts, strict=True):
            self.make_loop(id, commands, family=family)
        return ids

    def status(self) -> dict[str, dict[str, Any]]:  # Any: as above
        """What the fleet says of each run."""
        return {run["id"]: run for run in self.command("fleet", "status")["latest"]}

    def tree(self, branch: str) -> str:
        """What the branch of the remote holds."""
        return self.git("--git-dir", str(self.remote), "ls-tree", "-r", f"refs/heads/{branch}")


@contextmanager
def open_fleet(url: str, folder: Path, files: Mapping[str, str] = FILES) -> Iterator[RealFleet]:
    """With a project of these files; whatever is left of its machines is ended afterwards."""
    fleet = RealFleet(url, folder, files)
    try:
        yield fleet
    finally:
        for machine in fleet.machines:
            while left := machine.left():
                for pid in left:
                    os.kill(pid, signal.SIGKILL)
                if machine.process:
                    machine.process.wait()


def until(holds: Callable[[], object], seconds: float = SOON) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.1)
