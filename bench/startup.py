"""What starting the command costs, as multiples of starting Python for nothing.

    python bench/startup.py [--json]

Times are medians in milliseconds of interleaved rounds, with the very command that people type.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""As people have it: compiled modules are kept."""
STATE: dict[str, str] = {}
"""Where this benchmark's commands keep what they keep."""
COMMAND = str(Path(sys.executable).with_name("loopwright"))
ROUNDS = 15
LIMITS = {"--version": 3.0, "--help": 20.0, "list": 8.0}


def milliseconds(argv: list[str]) -> float:
    begun = time.perf_counter()
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT | STATE)
    return (time.perf_counter() - begun) * 1000


def measure() -> dict[str, dict[str, float]]:
    """`{command: {ratio, ms, floor_ms}}`."""
    with tempfile.TemporaryDirectory() as project, tempfile.TemporaryDirectory() as state:
        STATE["XDG_STATE_HOME"] = state
        subprocess.run(
            [COMMAND, "create", "A loop to be listed", "--project", project], check=True, capture_output=True
        )
        commands = {"--version": ["--version"], "--help": ["--help"], "list": ["list", "--project", project]}
        for words in commands.values():
            milliseconds([COMMAND, *words])
        times: dict[str, list[float]] = {name: [] for name in ("floor", *commands)}
        for _ in range(ROUNDS):
            times["floor"].append(milliseconds([sys.executable, "-c", "pass"]))
            for name, words in commands.items():
                times[name].append(milliseconds([COMMAND, *words]))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    floor = medians.pop("floor")
    return {name: {"ratio": taken / floor, "ms": taken, "floor_ms": floor} for name, taken in medians.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    figures = measure() if (given := parser.parse_args()) else {}
    if given.json:
        print(json.dumps(figures))
        return
    for name, f in figures.items():
        print(
            f"{name:20} {f['ratio']:5.2f} ×  (at most {LIMITS[name]})  ms {f['ms']:.0f}  floor_ms {f['floor_ms']:.0f}"
        )


if __name__ == "__main__":
    main()
