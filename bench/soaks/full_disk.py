"""A disk that fills up at any moment, under the store and under whole loops: nothing acknowledged is lost.

On a small file system of its own where one can be mounted, else with a disk that counts its bytes.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from loopwright.core.errors import StoreError
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from tests.store.faulty import FaultyDisk, Trouble
from tests.store.making import EDITED, ID, HandClock, files_at, loop, tagging

HERE = Path(__file__).resolve().parent.parent.parent
AT_FULL_SCALE = 100
MOUNT = 'mount -t tmpfs -o size=3m tmpfs "$0" && exec "$@"'


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 a hundred runs of each kind."""
    runs = max(1, round(AT_FULL_SCALE * scale))
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        if _in_a_namespace(folder, "true", environment=dict(os.environ)).returncode:
            return _counted_bytes(runs, chance)
        environment = {**os.environ, "XDG_STATE_HOME": state}
        seed = str(chance.randrange(10**6))
        done = _in_a_namespace(
            folder, sys.executable, "-m", "bench.soaks._small_disk", folder, str(runs), seed, environment=environment
        )
        assert done.returncode == 0, done.stdout + done.stderr
        counts: dict[str, int] = json.loads(done.stdout.splitlines()[-1])
        return counts


def _in_a_namespace(folder: str, *command: str, environment: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    """Runs a command that sees a small file system at `folder`; nobody else does."""
    try:
        return subprocess.run(
            ["unshare", "-rm", "sh", "-c", MOUNT, folder, *command],
            cwd=HERE, env=environment, capture_output=True, text=True,
        )  # fmt: skip
    except FileNotFoundError as error:
        return subprocess.CompletedProcess([*command], 127, "", str(error))


def _counted_bytes(runs: int, chance: random.Random) -> Mapping[str, int]:
    """The same for the store alone, on a disk that refuses what is beyond its size."""
    refused = 0
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as folder:
            refused += _counted_run(Path(folder), chance)
    return {"store runs on a counted disk": runs, "updates refused": refused}


def _counted_run(root: Path, chance: random.Random) -> int:
    disk, told, refused = FaultyDisk(), [], 0
    with FileStore(root, LOOPS, HandClock(), disk=disk) as store:
        store.create(loop(), actor="user")
        full_at = chance.randint(5, 60)

        def plan(call: str, nth: int) -> Trouble | None:
            return "short" if nth > full_at and call in ("append", "rename") else None

        disk.plan = plan
        for n in range(40):
            try:
                told = [*(store.update(ID, tagging(str(n)), actor="user", event=EDITED).tags or ())]
            except StoreError:
                refused += 1
        disk.plan = lambda call, nth: None
        store.update(ID, tagging("after"), actor="user", event=EDITED)
    with files_at(root) as store:
        assert [*(store.read(ID).tags or ())] == [*told, "after"]
    return refused
