"""kill -9 of the runner at random moments: the loop ends right all the same, and nothing is left behind."""

import os
import random
import shutil
import signal
import subprocess
import tempfile
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from loopwright.processes.process_tree import LiveProcess, find_process, list_processes
from tests.real_command import Project, carrying

KILLS = 200
"""At scale 1. A quarter of them hits the embedded debugger at work, the others hit tasks."""

IN_ONE_LOOP = 8
"""Kills that one loop has to bear, at most."""

SAMPLES = Path(__file__).parent.parent.parent / "tests" / "samples"
TASKS = 4
TESTS = "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self) -> None:\n        pass\n"
COMMAND = """echo begun >> begun-{n}.txt
(env -i setsid -f sleep 600)
setsid sleep 601 & set -m; sleep 602 &
sleep 0.2; echo {n} > done-{n}.txt"""
"""A task that leaves a daemon without any variable, a session, and a group of its own."""


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Counts the kills, and the processes that the dead runners left for the next start to end.

    Both kinds at once: they spend most of their time waiting.
    """
    wanted = {"repairs": max(1, round(KILLS * scale / 4)), "tasks": max(1, round(KILLS * scale * 3 / 4))}
    with tempfile.TemporaryDirectory(prefix="loopwright-kills-") as name, ThreadPoolExecutor() as pool:
        both = [
            pool.submit(_courses, kind, kills, Path(name), random.Random(chance.random()))
            for kind, kills in wanted.items()
        ]
        return sum((one.result() for one in both), Counter())


def _courses(kind: str, kills: int, room: Path, chance: random.Random) -> Counter[str]:
    counts: Counter[str] = Counter()
    while (left := kills - counts[f"kills of {kind}"]) > 0:
        course = KINDS[kind](Course(room, chance, min(left, IN_ONE_LOOP)))
        counts[f"kills of {kind}"] += course.kills
        counts["processes left behind by them"] += len(course.left)
        counts["loops"] += 1
    return counts


class Course:
    """One loop, its runner killed up to `most` times, and then let to its end."""

    def __init__(self, room: Path, chance: random.Random, most: int) -> None:
        folder = Path(tempfile.mkdtemp(dir=room)).resolve()
        self._project = Project(folder / "project", folder / "state")
        self._chance, self._most = chance, most
        self.kills = 0
        self.left: set[LiveProcess] = set()

    def tasks(self) -> "Course":
        """Every task that was committed is never run again."""
        root = self._project.root
        root.mkdir()
        (root / "test_done.py").write_text(TESTS)
        loop_id = self._created("Small steps")
        for n in range(TASKS):
            words = ("--tool", "bash", "--command", COMMAND.format(n=n))
            assert self._project.call("tasks", loop_id, "add", f"step {n}", *words)[0] == 0
        self._to_its_end(loop_id, usual=3)
        assert all((root / f"done-{n}.txt").read_text() == f"{n}\n" for n in range(TASKS))
        done = finished_tasks(self._project, loop_id)
        assert len(done) == len(set(done)) == TASKS, done
        return self

    def repair(self) -> "Course":
        """Its tests are never changed; warm workers die with the runner."""
        root = self._project.root
        shutil.copytree(SAMPLES / "ledger", root)
        tests = {path.name: path.read_bytes() for path in root.glob("test_*.py")}
        self._to_its_end(self._created("Make the tests pass"), usual=6)
        assert tests == {path.name: path.read_bytes() for path in root.glob("test_*.py")}
        return self

    def _created(self, words: str) -> str:
        code, state = self._project.call("create", words, "--auto", "--agent", "builtin")
        assert code == 0, state
        return str(state["loop_id"])

    def _to_its_end(self, loop_id: str, usual: float) -> None:
        """`usual`: seconds that such a loop takes when nobody disturbs it, and the machine has nothing else to do."""
        committed: list[str] = []
        while self.kills < self._most and self._killed(loop_id, self._chance.uniform(0, usual)):
            self.kills += 1
            self.left |= processes_in(self._project.root)
            self._project.state_of(loop_id)  # readable after every kill
            now = finished_tasks(self._project, loop_id)
            assert now[: len(committed)] == committed, "an acknowledged step is gone"
            committed = now
        code, shown = self._project.call("run", "--loop-id", loop_id, "--auto")
        state = self._project.state_of(loop_id)
        assert (code, state["status"], state["engine"]["outcome"]) == (0, "completed", "succeeded"), (code, shown)
        self._nothing_is_left(loop_id)

    def _killed(self, loop_id: str, seconds: float) -> bool:
        """Kills the runner alone, not what it started; False when it had ended by itself."""
        runner = self._project.start("run", "--loop-id", loop_id, "--auto")
        try:
            runner.wait(seconds)
        except subprocess.TimeoutExpired:
            os.kill(runner.pid, signal.SIGKILL)
            runner.wait()
            return True
        return False

    def _nothing_is_left(self, loop_id: str) -> None:
        assert list(carrying(loop_id)) == []
        assert processes_in(self._project.root) == set()
        assert [process for process in self.left if find_process(process.pid) == process] == []
        assert list((self._project.state / "loopwright").glob("*.processes/*.json")) == []


KINDS = {"repairs": Course.repair, "tasks": Course.tasks}


def processes_in(folder: Path) -> set[LiveProcess]:
    """Living processes that work in the folder, whatever they carry."""
    return {process for process in list_processes() if _works_in(process.pid, str(folder))}


def _works_in(pid: int, folder: str) -> bool:
    try:
        place = os.readlink(f"/proc/{pid}/cwd")
    except OSError:
        return False
    return place == folder or place.startswith(f"{folder}/")


def finished_tasks(project: Project, loop_id: str) -> list[str]:
    """Tasks that the journal says are done, in its order."""
    events: list[Any] = [entry["event"] for entry in project.journal(loop_id)]  # Any: parsed JSON
    ended = [event["data"] for event in events if event["type"] == "action_finished"]
    return [data["task"] for data in ended if data["action"] == "DEVELOP" and data["result"] == "completed"]
