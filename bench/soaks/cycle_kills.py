"""kill -9 of a cycle's runner at random moments: it comes to its right end, nothing is done twice, nothing is lost."""

import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench.soaks._cycle_course import EXTENSION, TESTS, Course, check, enlist, finished, never_twice, nothing_is_left
from loopwright.core.cycle_names import step_of
from loopwright.workflows.cycle.model import FINISHED
from tests.real_command import Project

KILLS = 100
"""At scale 1."""

IN_ONE_CYCLE = 6
"""Kills that one cycle has to bear, at most."""

PACE = 0.1
LONGEST = 3.0
"""Seconds after its start at which a runner is killed, at most, where it is not for something that it does."""

PATIENCE = 120.0
SAMPLES = Path(__file__).parent.parent.parent / "tests" / "samples"
DOCUMENTS = {"ra": "requirements.md", "ep": "plan.json", "vas": "summary.md"}


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Kills, and what they hit. Two cycles at once: they spend most of their time waiting."""
    wanted = max(4, round(KILLS * scale))
    repairs = max(1, wanted // 10)
    shares = [(bear, wanted // 2 - repairs), (bear, wanted - wanted // 2), (repair, repairs)]
    with tempfile.TemporaryDirectory(prefix="loopwright-cycles-") as room, ThreadPoolExecutor(2) as pool:
        all_of_them = [
            pool.submit(_until_killed, one, Path(room), random.Random(chance.random()), kills) for one, kills in shares
        ]
        return sum((one.result() for one in all_of_them), Counter())


def _until_killed(
    one: Callable[[Path, random.Random, int], Counter[str]], room: Path, chance: random.Random, kills: int
) -> Counter[str]:
    counts: Counter[str] = Counter()
    while (left := kills - counts["kills"]) > 0:
        counts += one(room, chance, min(left, IN_ONE_CYCLE))
    return counts


def bear(room: Path, chance: random.Random, most: int) -> Counter[str]:
    """One cycle, its runner killed up to `most` times, and then let to its end."""
    folder = Path(tempfile.mkdtemp(dir=room)).resolve()
    project = Project(folder / "project", folder / "state")
    project.root.mkdir()
    (project.root / "test_nothing.py").write_text(TESTS)
    course = enlist(project, f"word{chance.randrange(10**9):09d}", pace=PACE, parallel=chance.choice((1, 2, 2, 3)))
    trial = Trial(course, chance)
    trial.extended()
    while trial.counts["kills"] < most and trial.killed():
        trial.look()
    trial.to_its_end()
    return trial.counts


def repair(room: Path, chance: random.Random, most: int) -> Counter[str]:
    """The same without a model: the embedded debugger dies with its runner, and the tests are never changed."""
    folder = Path(tempfile.mkdtemp(dir=room)).resolve()
    project = Project(folder / "project", folder / "state")
    shutil.copytree(SAMPLES / "ledger", project.root, ignore=shutil.ignore_patterns("__pycache__"))
    tests = {path.name: path.read_bytes() for path in project.root.glob("test_*.py")}
    code, state = project.call("cycle", "create", "Make the tests pass", "--auto", "--agent", "builtin")
    assert code == 0, state
    trial = Trial(Course(project, state["cycle_id"], ""), chance)
    while trial.counts["kills"] < min(most, 3) and trial.killed():
        trial.look()
    trial.ended()
    state = trial.course.state()
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    never_twice(trial.course.events())
    nothing_is_left(trial.course, state)
    assert tests == {path.name: path.read_bytes() for path in project.root.glob("test_*.py")}
    return trial.counts


@dataclass
class Trial:
    """`done`: the steps that were seen to have come to a good end."""

    course: Course
    chance: random.Random
    counts: Counter[str] = field(default_factory=lambda: Counter(cycles=1))
    done: list[tuple[object, ...]] = field(default_factory=list)

    def extended(self) -> None:
        """The first runner is killed as well, once it has the extension."""
        runner = self.course.start()
        self._until(runner, lambda: "step_started" in self.course.journal.read_text())
        self.course.extend(EXTENSION)
        self._kill(runner, all_of_it=False)

    def killed(self) -> bool:
        """False when it had ended by itself."""
        runner = self.course.start()
        what, moment = self._moment()
        self._until(runner, moment)
        time.sleep(self.chance.choice((0, 0, 0.005, 0.05, 0.3)) * self.chance.random())
        if runner.poll() is not None:
            return False
        self.counts[what] += 1
        self._kill(runner, all_of_it=self.chance.random() < 0.5)
        return True

    def look(self) -> None:
        """What was done before is still done; and whoever was writing leaves half a document."""
        now = finished(self.course.events())
        assert now[: len(self.done)] == self.done, "an accepted result is gone"
        self.done = now
        for one in self.course.state().engine.under_way:
            role = step_of(one.step).role
            document = self.course.progress / str(role) / DOCUMENTS.get(str(role), "nothing")
            if document.exists() and self.chance.random() < 0.3:
                data = document.read_bytes()
                document.write_bytes(data[: self.chance.randrange(len(data) + 1)])
                self.counts["torn documents"] += 1

    def to_its_end(self) -> None:
        self.ended()
        assert finished(self.course.events())[: len(self.done)] == self.done
        check(self.course)

    def ended(self) -> None:
        """Killed at the very end, it has ended: what is missing then is made up for by `recover`."""
        if self.course.state().status not in FINISHED:
            assert self.course.start().wait(PATIENCE) == 0
        elif not (self.course.progress / "coordination" / "summary.md").exists() or self.course.lanes.exists():
            assert self.course.project.call("cycle", "recover", self.course.id)[0] == 0
            self.counts["after the end"] += 1

    def _moment(self) -> tuple[str, Callable[[], bool]]:
        """For what to wait before the kill, and its name."""
        course, chance = self.course, self.chance
        events, files = course.journal.stat().st_size, self._files()
        archives = len(list(course.progress.glob("*/history/*")))
        until = time.monotonic() + chance.uniform(0.3, LONGEST)
        return chance.choice([
            ("at any moment", lambda: time.monotonic() > until),
            ("at any moment", lambda: time.monotonic() > until),
            ("at a commit", lambda: course.journal.stat().st_size > events + chance.randrange(1, 6000)),
            ("as a lane comes in", lambda: self._files() != files),
            ("as documents are archived", lambda: len(list(course.progress.glob("*/history/*"))) > archives),
            ("as documents are written", lambda: any(course.progress.glob("*/*.tmp*")) or time.monotonic() > until),
        ])  # fmt: skip

    def _files(self) -> list[str]:
        return sorted(path.name for path in self.course.root.glob(f"{self.course.word}-*"))

    def _until(self, runner: subprocess.Popen[bytes], holds: Callable[[], bool]) -> None:
        """Or until it has ended."""
        deadline = time.monotonic() + PATIENCE
        while runner.poll() is None and not holds():
            assert time.monotonic() < deadline, "nothing happens"
            time.sleep(0.002)

    def _kill(self, runner: subprocess.Popen[bytes], *, all_of_it: bool) -> None:
        """The runner alone; or with it everything that it has started."""
        runner.kill()
        runner.wait()
        for pid in self.course.processes() if all_of_it else ():
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self.counts["kills"] += 1
