"""A cycle whose runner was killed, and whose files were damaged then: recovered, resumed, and at its right end."""

import asyncio
import json
import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopwright.store.files import FileStore
from loopwright.wiring.stores import CYCLES
from loopwright.workflows.cycle.documents import MAIN, version_in
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import Cast, CycleStage, Turn, planned, said
from tests.fakes import FakeClock
from tests.warm import run_command

EXTENSION = "Also say it twice"
TASKS: list[dict[str, object]] = [
    {"id": f"TASK-{n:03d}", "description": f"Write part {n}", "files": [f"part{n}.txt"]} for n in range(1, 5)
]  # fmt: skip
PARTS = [f"part{n}.txt" for n in range(1, 5)]
FIRST, SECOND = "in the first iteration", "in the second iteration"
ASKED = "as ra begins to answer what was added"
UNDER_WAY = {FIRST: "TASK-002", SECOND: "TASK-004"}
"""The task at which the runner was killed."""


BEGUN = "begun\n"


def parts_are_there(project: Path) -> dict[str, str]:
    """Each line of a part that is whole has a test of its own."""
    lines = {part: (project / part).read_text().splitlines() for part in PARTS if (project / part).exists()}
    whole = {f"{part} {n}": "passed" for part in lines for n, line in enumerate(lines[part]) if line != BEGUN.strip()}
    return {"parts": "passed" if PARTS[0] in lines else "failed", **whole}


def task_of(turn: Turn) -> str:
    return turn.message.text.split("# Order: cd.implement ", 1)[1][: len("TASK-001")]


@dataclass(frozen=True)
class Killed:
    """All that was on the disk at that moment: `copy` of it, and the place where it was, and is put again."""

    copy: Path
    room: Path
    id: str
    moment: str

    def put_back(self) -> None:
        """The checkpoints belong to a project by its place."""
        shutil.rmtree(self.room, ignore_errors=True)
        shutil.copytree(self.copy, self.room, symlinks=True)

    @property
    def folder(self) -> Path:
        return self.room / "project" / CYCLES.folder

    @property
    def json(self) -> Path:
        return self.folder / f"{self.id}.json"

    @property
    def journal(self) -> Path:
        return self.folder / f"{self.id}.events.ndjson"

    @property
    def progress(self) -> Path:
        return self.folder / f"{self.id}.progress"


@contextmanager
def stage_in(room: Path, cast: Cast) -> Iterator[CycleStage]:
    project = room / "project"
    project.mkdir(exist_ok=True)
    with FileStore(project, CYCLES, FakeClock()) as store:
        yield CycleStage(project, store, cast=cast, judge=parts_are_there)


def cast_of(at_work: Callable[[Turn], None], *, asked: Callable[[Turn], None] = lambda turn: None) -> Cast:
    """Two tasks in the first iteration, two more in the second; `at_work` sees the middle of each.

    Whoever is ordered to write a part that is there already adds a line to it.
    """

    async def analyses(turn: Turn) -> str:
        number = 2 if ", iteration 2" in turn.message.text else 1
        if number > 1:
            asked(turn)
        turn.write("requirements.md", f"# Requirements\n\n{number}. the parts are there\n" + "And they say so.\n" * 20)
        turn.write("edge-cases.md", "- no part at all\n")
        return said("ra")

    async def plans(turn: Turn) -> str:
        turn.write("plan.json", planned(*(TASKS if ", iteration 2" in turn.message.text else TASKS[:2])))
        return said("ep")

    async def implements(turn: Turn) -> str:
        task = task_of(turn)
        part = turn.place / f"part{int(task[-3:])}.txt"
        there = part.read_text().removesuffix(BEGUN) if part.exists() else ""
        turn.change(part.name, there + BEGUN)
        at_work(turn)
        turn.change(part.name, there + f"{task}\n")
        return said("cd", summary=f"{task} is written")

    return Cast({"ra.analyse": [analyses] * 9, "ep.plan": [plans] * 9, "cd.implement": [implements] * 99})


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Killed]:
    """By moment. A copy of the disk in the middle of a step is what kill -9 leaves of it."""
    base = tmp_path_factory.mktemp("cycle")
    (room := base / "whole").mkdir()

    def copies(turn: Turn) -> None:
        for moment, task in UNDER_WAY.items():
            if task_of(turn) == task:
                shutil.copytree(room, base / moment, symlinks=True)

    def asked(turn: Turn) -> None:
        shutil.copytree(room, base / ASKED, symlinks=True)

    with stage_in(room, cast_of(copies, asked=asked)) as stage:
        id = stage.create(parallel=1, title="Parts", test_command="judge")
        asyncio.run(_twice(stage, id))
    return {moment: Killed(base / moment, room, id, moment) for moment in (*UNDER_WAY, ASKED)}


async def _twice(stage: CycleStage, id: str) -> None:
    await stage.drive(id)
    stage.service.extend(id, EXTENSION)
    await stage.drive(id)


def torn_tail(at: Killed) -> None:
    at.journal.write_bytes(at.journal.read_bytes()[:-20])


def bad_line(at: Killed) -> None:
    lines = at.journal.read_bytes().splitlines(keepends=True)
    lines[len(lines) // 2] = b'{"seq": not even\xff json\n'
    at.journal.write_bytes(b"".join(lines))


def emptied_json(at: Killed) -> None:
    at.json.write_bytes(b"")


def both_gone(at: Killed) -> None:
    at.json.unlink()
    at.journal.unlink()


def torn_plan(at: Killed) -> None:
    both_gone(at)
    plan = at.progress / "ep" / "plan.json"
    plan.write_bytes(plan.read_bytes()[:200])


def torn_documents(at: Killed) -> None:
    """Half of each document is left, and half of each log."""
    both_gone(at)
    for path in at.progress.rglob("*"):
        if path.is_file() and "history" not in path.parts:
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


JOURNALED: tuple[Callable[[Killed], None], ...] = (torn_tail, bad_line, emptied_json)
DAMAGES = (*JOURNALED, both_gone, torn_plan, torn_documents)


def recover(at: Killed, *more: str) -> subprocess.CompletedProcess[str]:
    """By the real command."""
    words = ("cycle", "recover", at.id, "--project", str(at.room / "project"), *more)
    env = {**os.environ, "XDG_STATE_HOME": str(at.room / "state"), "NO_COLOR": "1"}
    return run_command(words, cwd=Path.cwd(), env=env, seconds=60)


async def resumed(at: Killed, cast: Cast) -> CycleState:
    with stage_in(at.room, cast) as stage:
        if stage.service.read(at.id).status == "paused":
            stage.service.resume(at.id)
        return await stage.drive(at.id)


@pytest.mark.parametrize("moment", [FIRST, SECOND])
@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_cycle_comes_to_its_right_end(
    killed: dict[str, Killed], moment: str, damage: Callable[[Killed], None]
) -> None:
    at = killed[moment]
    at.put_back()
    history = {path: path.read_bytes() for path in at.progress.rglob("history/*")}
    assert bool(history) == (moment == SECOND)
    damage(at)
    ran = recover(at)
    assert (ran.returncode, ran.stderr) == (0, ""), ran
    assert ("from the progress files" in ran.stdout) == (damage not in JOURNALED), ran.stdout
    assert f"loopwright cycle show {at.id}" in ran.stdout
    if moment == FIRST:
        again = recover(at)
        assert (again.returncode, "is not damaged; nothing was changed" in again.stdout) == (0, True), again.stdout
    seen: list[Turn] = []
    state = await resumed(at, cast := cast_of(seen.append))
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    told_once(at, state)
    assert {path: path.read_bytes() for path in history} == history
    if damage is not torn_documents:
        assert state.title == "Parts"
        assert state.task_history == (("Parts",) if moment == FIRST else ("Parts", EXTENSION))
        assert state.current_iteration == (1 if moment == FIRST else 2)
    if damage in (*JOURNALED, both_gone):
        left = [task for task in ("TASK-002", "TASK-004") if task == UNDER_WAY[moment]]
        assert [task_of(turn) for turn in seen] == left, "what is completed is not done again"
        assert cast.steps() == ["cd.implement", "vas.validate"]
    if damage in JOURNALED:
        assert state.engine.settings.test_command == "judge"


@pytest.mark.parametrize("damage", [bad_line, both_gone])
async def test_what_the_user_added_is_not_lost(killed: dict[str, Killed], damage: Callable[[Killed], None]) -> None:
    """Though no document answers it yet."""
    at = killed[ASKED]
    at.put_back()
    damage(at)
    assert recover(at).returncode == 0
    state = await resumed(at, cast := cast_of(lambda turn: None))
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    assert (state.current_iteration, state.task_history) == (2, ("Parts", EXTENSION))
    assert cast.steps() == ["ra.analyse", "ep.plan", "cd.implement", "cd.implement", "vas.validate"]
    told_once(at, state)


def told_once(at: Killed, state: CycleState) -> None:
    """Every task is done, every part there; no line of a log is there twice; documents have the version of today."""
    assert state.plan is not None
    assert {task.status for task in state.plan.tasks} == {"completed"}
    for part in PARTS[: len(state.plan.tasks)]:
        assert {*(at.room / "project" / part).read_text().splitlines()} == {f"TASK-{int(part[4]):03d}"}
    assert state.test_results is not None
    assert state.test_results.pass_rate == 100
    for name in MAIN:
        text = (at.progress / name).read_text(encoding="utf-8")
        assert version_in(name, text) == f"1.{state.current_iteration - 1}.0", name
    for log in at.progress.rglob("*.log"):
        lines = Counter(log.read_text(encoding="utf-8").splitlines())
        assert [line for line, count in lines.items() if count > 1] == [], log
    changed = [json.loads(line) for line in (at.progress / "cd" / "changes.log").read_text().splitlines()]
    count = Counter((line["file"], line["action"]) for line in changed)
    assert {file for file, _ in count} <= set(PARTS[: len(state.plan.tasks)])
    timeline = (at.progress / "coordination" / "timeline.md").read_text(encoding="utf-8")
    for number in range(1, state.current_iteration + 1):
        assert timeline.count(f"<!-- iteration {number} is over -->\n") == 1, timeline


async def test_when_nothing_is_left_it_says_so(killed: dict[str, Killed]) -> None:
    at = killed[SECOND]
    at.put_back()
    both_gone(at)
    for path in at.progress.rglob("*"):
        if path.is_file():
            path.write_bytes(b"")
    ran = recover(at, "--json")
    assert ran.returncode == 6
    assert "cannot be rebuilt" in ran.stdout + ran.stderr, ran
    assert (at.progress / "ra" / "requirements.md").read_bytes() == b""
