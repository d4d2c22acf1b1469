"""Further cases of the suite's slow tests: what `make test-all` leaves out, because others show the same."""

import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.tiers import SOAK

HERE = Path(__file__).resolve().parent.parent.parent
WORKERS = "4"


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 all that SOAK names, else some of it at random."""
    names = SOAK.strip().splitlines()
    some = chance.sample(names, max(1, min(len(names), round(len(names) * scale))))
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--tier", "soak",
         "--numprocesses", "auto", "--maxprocesses", WORKERS, "--dist", "loadfile", *some],
        cwd=HERE, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
    return {"names": len(some)}
