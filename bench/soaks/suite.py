"""The property tests of store and domain, and storms over cycles, again and again, each time with other examples."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent.parent
TESTS = ("tests/store", "tests/contracts/test_store_contract.py", "tests/domain", "tests/cycle/test_control.py")
MINUTES = 6.0


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 for six minutes, and at least once."""
    deadline, rounds = time.monotonic() + MINUTES * 60 * scale, 0
    while not rounds or time.monotonic() < deadline:
        seed = chance.randrange(10**6)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--hypothesis-seed={seed}", *TESTS],
            cwd=HERE, env={**os.environ, "LOOPWRIGHT_SEED": str(seed)}, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"LOOPWRIGHT_SEED={seed} make test-all repeats it\n{done.stdout[-4000:]}"
        rounds += 1
    return {"rounds": rounds}
