"""Long random runs: the crash tests again and again, each time with another seed, until the time is up.

    python -m bench.soak [--minutes M] [--seed N]

Every round prints its seed; `LOOPWRIGHT_SEED=N make test` repeats it.
"""

import argparse
import os
import random
import subprocess
import sys
import time

TESTS = ("tests/crash", "tests/store", "tests/domain")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    given = parser.parse_args()
    chance, deadline, rounds = random.Random(given.seed), time.monotonic() + given.minutes * 60, 0
    while time.monotonic() < deadline:
        seed = chance.randrange(10**6)
        rounds += 1
        print(f"round {rounds}, LOOPWRIGHT_SEED={seed}", flush=True)
        done = subprocess.run(
            [sys.executable, "-m", "pytest", f"--hypothesis-seed={seed}", *TESTS],
            env={**os.environ, "LOOPWRIGHT_SEED": str(seed)},
        )  # fmt: skip
        if done.returncode:
            return done.returncode
    print(f"{rounds} rounds, all passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
