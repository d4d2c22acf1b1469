"""All benchmarks, one after another."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
PARTS = (
    "store", "startup", "sandbox", "runs", "kernel", "trees", "tests", "stall", "agents", "server", "stream", "page",
    "tune_speed", "proof", "mutation", "fleet",
)  # fmt: skip


def main() -> None:
    for part in PARTS:
        print(f"\n{part}\n{'-' * len(part)}", flush=True)
        subprocess.run([sys.executable, "-m", f"bench.{part}", *sys.argv[1:]], cwd=HERE.parent, check=True)


if __name__ == "__main__":
    main()
