"""Many loops on one machine, and the question whether anything of one is found with another.

Every loop has a token of its own: it is in its description, its tasks, what they print and what they write.
"""

import hashlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from loopwright.core.state import EngineState, LoopTask, RunSettings
from loopwright.processes.process_tree import STARTING, ProcessMark, list_processes
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from loopwright.workspace.checkpoints import private_directory
from tests.real_command import COMMAND, Project

FILES = {
    ".gitignore": "out/\n__pycache__/\n",
    "test_nothing.py": "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self):\n        pass\n",
}
TESTS = "python3 -m unittest"
AT = "2026-01-22T10:00:00+08:00"
SOON = 60.0


@dataclass(frozen=True)
class Member:
    """One loop of the fleet. Other projects may have one of the same id."""

    project: Project
    id: str

    @property
    def token(self) -> str:
        """Neither a part of another's nor hex digits, as commits and digests are."""
        named = f"{self.project.root}/{self.id}"
        return f"tok_{hashlib.sha256(named.encode()).hexdigest()[:12]}_ken"

    @property
    def written(self) -> Path:
        """What its tasks append to: the tests' tree does not hold it."""
        return self.project.root / "out" / f"{self.id}.txt"

    @property
    def printed(self) -> Path:
        """What its runner printed."""
        return self.project.state / "printed" / f"{self.token}.ndjson"

    @property
    def files(self) -> list[Path]:
        """Everything that the store keeps under its name."""
        folder = self.project.root / ".workflow" / ".loop"
        tops = [path for path in folder.iterdir() if path.name.split(".")[0] == self.id]
        return [path for top in tops for path in (top.rglob("*") if top.is_dir() else [top]) if path.is_file()]

    def state(self) -> LoopState:
        with FileStore(self.project.root, LOOPS, SystemClock("+08:00")) as store:
            return store.read(self.id)

    def holder(self) -> int | None:
        """The process that drives it."""
        with FileStore(self.project.root, LOOPS, SystemClock("+08:00")) as store:
            return store.holder(self.id)

    def processes(self) -> list[int]:
        """Those that carry its mark, but for zombies."""
        mark = ProcessMark(self.id, str(self.project.root.resolve()))
        return [process.pid for process in list_processes() if mark.is_on(process.pid)]


def found(parent: Path, name: str, state: Path) -> Project:
    """A small project, with tests that take no time."""
    project = Project(parent / name, state)
    project.root.mkdir(parents=True)
    (project.root / "out").mkdir()
    for file, text in FILES.items():
        (project.root / file).write_text(text)
    (state / "printed").mkdir(parents=True, exist_ok=True)
    return project


def enlist(member: Member, *commands: str, tests: str | None = TESTS) -> Member:
    """Creates the loop under its very id; each command is a bash task, and knows its TOKEN and OUT."""
    names = f"TOKEN={member.token} OUT={member.written}"
    tasks = tuple(
        LoopTask(
            task_id=f"task-{n}-{member.token}", description=f"step {n} of {member.token}", tool="bash", order=n,
            command=f"export {names}; {command}", created_at=AT, updated_at=AT,
        )
        for n, command in enumerate(commands)
    )  # fmt: skip
    settings = RunSettings(mode="auto", agent="builtin", test_command=tests)
    state = LoopState(
        loop_id=member.id, title=f"Loop {member.token}", description=f"Do as {member.token}", created_at=AT,
        updated_at=AT, max_iterations=30, engine=EngineState(settings=settings, tasks=tasks),
    )  # fmt: skip
    with FileStore(member.project.root, LOOPS, SystemClock("+08:00")) as store:
        store.create(state, actor="test")
    return member


WRITE = 'echo "$TOKEN speaks"; echo "$TOKEN" >> "$OUT"'
WAIT = 'echo "$TOKEN begins"; echo "$TOKEN" >> "$OUT"; exec sleep 300'
"""A task that goes on until somebody ends it."""


def begin(member: Member) -> subprocess.Popen[bytes]:
    """Starts the real command on the loop, in a session of its own; what it prints is kept."""
    command = [*COMMAND, "run", "--loop-id", member.id, "--auto", "--project", str(member.project.root), "--json"]
    with member.printed.open("ab") as out, STARTING:  # this process may drive loops of its own meanwhile
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=member.project.environment,
            start_new_session=True,
        )  # fmt: skip


def run(member: Member) -> int:
    """Drives the loop by the real command to its end; the exit code."""
    return begin(member).wait(240)


@contextmanager
def running(*members: Member) -> Iterator[dict[Member, subprocess.Popen[bytes]]]:
    """Runners of these loops, each of which has begun a task; whatever is left of them is ended afterwards."""
    runners = {member: begin(member) for member in members}
    try:
        for member in members:
            until(member.written.exists)
        yield runners
    finally:
        for runner in runners.values():
            runner.kill()
            runner.wait()
        for pid in {pid for member in members for pid in member.processes()}:
            os.kill(pid, 9)


def until(holds: Callable[[], bool]) -> None:
    """Looks again and again, and leaves the processor to those it waits for."""
    deadline = time.monotonic() + SOON
    never = threading.Event()
    while not holds():
        assert time.monotonic() < deadline, "it never came"
        never.wait(0.02)


def crossings(members: Sequence[Member]) -> Iterator[str]:
    """Every place where something of one loop is found with another, in words."""
    for member in members:
        others = [other.token for other in members if other is not member]
        for path in (*member.files, member.written, member.printed):
            text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
            yield from (f"{path} holds {token}" for token in others if token in text)
        log = checkpoint_log(member)
        yield from (f"the ref of {member.id} holds {token}" for token in others if token in log)
        commits = set(log.split())
        state = member.state()
        if state.loop_id != member.id:
            yield f"{member.id} reads as {state.loop_id}"
        lost = [checkpoint.n for checkpoint in state.engine.checkpoints if checkpoint.commit not in commits]
        if lost:
            yield f"checkpoints {lost} of {member.id} are not on its ref"
        yield from out_of_order(member)
    for project in {member.project.root: member.project for member in members}.values():
        ids = {member.id for member in members if member.project == project}
        if others_refs := set(refs(project)) - ids:
            yield f"{project.root} has refs of {sorted(others_refs)}"


def out_of_order(member: Member) -> Iterator[str]:
    """A journal counts 1, 2, 3 …, and ends each task that it completes once."""
    entries = member.project.journal(member.id)
    if [entry["seq"] for entry in entries] != list(range(1, len(entries) + 1)):
        yield f"the journal of {member.id} does not count"
    finished = [e["event"]["data"] for e in entries if e["event"]["type"] == "action_finished"]
    done = [data["task"] for data in finished if data["action"] == "DEVELOP" and data["result"] == "completed"]
    if len(done) != len(set(done)):
        yield f"{member.id} completed a task twice: {done}"


def checkpoint_log(member: Member) -> str:
    """Hashes and messages of all commits on the loop's ref."""
    return _git(member.project, "log", "--format=%H%n%B", f"refs/loopwright/{member.id}")


def refs(project: Project) -> list[str]:
    """Ids of the loops that have checkpoints."""
    return _git(project, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/loopwright").split()


def digests(paths: Iterable[Path]) -> dict[Path, str]:
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


def _git(project: Project, *words: str) -> str:
    directory = private_directory(project.state / "loopwright", project.root.resolve())
    done = subprocess.run(["git", f"--git-dir={directory}", *words], capture_output=True, text=True, check=False)
    return done.stdout
