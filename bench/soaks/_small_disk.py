"""Runs on a disk that is really full: `FOLDER RUNS SEED`, where FOLDER is a small file system of its own.

Prints what was done as one JSON object.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

from loopwright.core.errors import ExitCode, StoreError
from loopwright.core.state import RunSettings
from loopwright.wiring import open_engine
from tests.real_command import COMMAND, Project
from tests.store.making import EDITED, ID, files_at, journal_of, loop, tagging
from tests.store.stranger import independent_replay
from tests.store.tampering import Files

CHUNK = 4096
TASKS = 3
SAYABLE = {ExitCode.DONE, ExitCode.NO_SUCCESS, ExitCode.DAMAGED}
TEST = "import unittest\n\n\nclass T(unittest.TestCase):\n    def test_it(self) -> None:\n        pass\n"


def main(folder: str, runs: str, seed: str) -> None:
    chance, counts, disk = random.Random(seed), Counter[str](), Path(folder)
    for n in range(int(runs)):
        _store_run(disk / f"store-{n}", chance, counts)
        _loop_run(disk / f"loop-{n}", chance, counts)
    print(json.dumps(counts))


def fill(folder: Path, leave: int) -> None:
    """Takes all blocks of the disk but `leave` bytes."""
    ballast = folder / "ballast"
    fd = os.open(ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    try:
        while True:
            os.write(fd, bytes(CHUNK))
    except OSError:
        os.ftruncate(fd, max(0, os.fstat(fd).st_size - leave))
    finally:
        os.close(fd)


def _store_run(root: Path, chance: random.Random, counts: Counter[str]) -> None:
    """Updates until the disk is full, and again when there is room: exactly what was acknowledged is there."""
    root.mkdir()
    told: list[str] = []
    with files_at(root) as store:
        store.create(loop(), actor="user")
        fill(root, chance.randint(0, 20) * CHUNK)
        for n in range(400):
            tag = f"{n}-{'x' * chance.randint(1, 400)}"
            try:
                told = [*(store.update(ID, tagging(tag), actor="user", event=EDITED).tags or ())]
            except StoreError as error:
                _assert_clear(str(error))
                counts["updates refused"] += 1
                assert [*(store.read(ID).tags or ())] == told
                if counts["updates refused"] % 3 == 0:
                    break
        with files_at(root) as other:
            assert [*(other.read(ID).tags or ())] == told, "readable while the disk is full"
        (root / "ballast").unlink()
        after = store.update(ID, tagging("after"), actor="user", event=EDITED)
        assert [*(after.tags or ())] == [*told, "after"]
        assert after.engine.incidents == ()
    replayed = independent_replay(journal_of(root).read_bytes())
    assert replayed == json.loads(Files(root, ID).json.read_bytes()) == after.model_dump(mode="json")
    counts["store runs"] += 1
    shutil.rmtree(root)


def _assert_clear(said: str) -> None:
    """One sentence that names the trouble."""
    assert "No space left on device" in said, said
    assert "Traceback" not in said, said


def _loop_run(root: Path, chance: random.Random, counts: Counter[str]) -> None:
    """The real command with bash tasks; the disk fills up at some moment, is freed, and the loop goes on."""
    root.mkdir()
    (root / "test_it.py").write_text(TEST)
    project = Project(root, Path(os.environ["XDG_STATE_HOME"]))
    loop_id = _create(root)
    runner = subprocess.Popen(
        [*COMMAND, "run", "--loop-id", loop_id, "--auto", "--project", str(root)],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=project.environment,
    )  # fmt: skip
    try:
        runner.wait(chance.uniform(0.5, 3))
    except subprocess.TimeoutExpired:
        fill(root, chance.choice([0, 0, CHUNK, 3 * CHUNK]))
    _, said = runner.communicate(timeout=240)
    counts[f"ended with exit code {runner.returncode}"] += 1
    assert runner.returncode in SAYABLE, said
    if runner.returncode == ExitCode.DAMAGED:
        _assert_clear(said)
    journal = Files(root, loop_id).journal
    whole = journal.read_bytes()[: journal.read_bytes().rfind(b"\n") + 1]
    code, shown = project.call("show", loop_id)
    assert code == 0, "readable while the disk is full"
    (root / "ballast").unlink(missing_ok=True)
    _assert_goes_on(project, loop_id, shown, counts)
    assert journal.read_bytes().startswith(whole), "what was committed stays"
    counts["loop runs"] += 1
    shutil.rmtree(root)


def _create(root: Path) -> str:
    with open_engine(root, {}) as engine:
        settings = RunSettings(mode="auto", agent="builtin")
        loop_id = engine.service.create("Three steps", max_iterations=50, settings=settings).loop_id
        for n in range(TASKS):
            fields = {"description": f"step {n}", "tool": "bash", "command": f"sleep 0.1; echo {n} > done-{n}"}
            engine.service.tasks.add(loop_id, fields)
        return loop_id


def _assert_goes_on(project: Project, loop_id: str, shown: dict[str, object], counts: Counter[str]) -> None:
    if shown["status"] != "completed":
        counts["resumed with room again"] += 1
        code, printed = project.call("run", "--loop-id", loop_id, "--auto")
        assert code in (ExitCode.DONE, ExitCode.NO_SUCCESS), printed
    with files_at(project.root) as store:
        state = store.read(loop_id).model_dump(mode="json")
    assert state["status"] in ("completed", "failed")
    done = [t for t in state["skill_state"]["develop"]["tasks"] if t["status"] == "completed"]
    counts["ended succeeded"] += state["status"] == "completed"
    assert len(done) == TASKS or state["status"] == "failed"
    assert independent_replay(Files(project.root, loop_id).journal.read_bytes())["status"] == state["status"]


if __name__ == "__main__":
    main(*sys.argv[1:])
