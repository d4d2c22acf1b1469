"""Repairs the whole corpus (or the cases named) and prints what came of it: fix rate, time, speed.

Usage: python bench/repair_soak.py [--python INTERPRETER] [--budget SECONDS] [--keep FOLDER] [CASE…]
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path[:0] = [str(Path(__file__).parent.parent)]

from tests.repair.cases import load, names, repair  # noqa: E402 - the corpus lives with the tests


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--budget", type=float, default=60)
    parser.add_argument("--diffs", action="store_true")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    rows = [_row(name, options) for name in options.cases or names()]
    wanted = [row for row in rows if row[1] == "patched"]
    right, green = sum(row[2] for row in wanted), sum(row[3] for row in wanted)
    times = [row[4] for row in wanted if row[3]]
    print(
        f"{right} right and {green} green of {len(wanted)}; "
        f"median {median(times or [0]):.1f} s, most {max(times or [0]):.1f} s"
    )


def _row(name: str, options: argparse.Namespace) -> tuple[str, str, bool, bool, float]:
    case = load(name)
    with tempfile.TemporaryDirectory() as folder:
        started = time.monotonic()
        done = asyncio.run(repair(case, Path(folder).resolve(), python=options.python, budget=options.budget))
        took = time.monotonic() - started
    verdict = "right" if done.right else "green" if done.green else "nothing" if not done.patches else "partial"
    print(f"{name:22} {verdict:8} {took:5.1f} s  {' | '.join(patch.description for patch in done.patches)[:150]}")
    for found in done.findings:
        print(f"{'':22} {found.note}")
    if options.diffs:
        for patch in done.patches:
            print(patch.diff)
    return name, case.expect, done.right, done.green, took


if __name__ == "__main__":
    main()
