"""Processes that write as fast as they can, killed from outside at random microseconds."""

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from tests.store.making import EDITED, ID, files_at, journal_of, loop, tagging
from tests.store.stranger import independent_replay

HERE = Path(__file__).resolve().parent.parent.parent
AT_FULL_SCALE = 250


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 two hundred and fifty kills, all on one loop after another of about ten kills each."""
    kills, acknowledged = max(3, round(AT_FULL_SCALE * scale)), 0
    for begun in range(0, kills, 10):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            with files_at(root) as store:
                store.create(loop(), actor="user")
            for n in range(begun, min(begun + 10, kills)):
                acknowledged += _kill(root, f"k{n}", chance)
    return {"kills": kills, "acknowledged updates, all kept": acknowledged}


def _kill(root: Path, name: str, chance: random.Random) -> int:
    with files_at(root) as store:
        before = store.read(ID).tags or ()
    command = [sys.executable, "-m", "tests.store.worker", str(root), "tags", name, "1000000"]
    with subprocess.Popen(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        until = time.perf_counter() + chance.random() * 0.05
        while time.perf_counter() < until:
            pass
        process.kill()
        told = [first.strip(), *process.stdout.read().split()]
    if told and not told[-1].startswith(f"{name}-"):
        told.pop()
    with files_at(root) as store:
        tags = store.read(ID).tags or ()
        assert tags[: len(before)] == before
        new = list(tags[len(before) :])
        assert new[: len(told) - 1] == told[:-1], "an acknowledged update is lost"
        assert len(new) <= len(told) + 1, "at most one was kept whose acknowledgement was cut off"
        after = store.update(ID, tagging(f"after-{name}"), actor="user", event=EDITED)
        assert after.engine.incidents == ()
    assert independent_replay(journal_of(root).read_bytes()) == after.model_dump(mode="json")
    return len(told)
