"""How many faults from life are repaired without a model, and how soon.

    python -m bench.repair [--half tuning|held] [--budget SECONDS] [--only WORD] [--list] [--json]

Each fault is planted alone in a copy of its program, diagnosed and searched as DEBUG does it.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from bench.repair.corpus import HALVES, Half, programs
from bench.repair.measure import Repaired, repaired

FIRST = 3
"""Hypotheses among which the true line shall be."""


def measured(half: Half, budget: float, only: str) -> list[Repaired]:
    done: list[Repaired] = []
    for program in programs(half):
        for fault in program.faults:
            if only in fault.id:
                done.append(repaired(program, fault, budget))
                print(line(done[-1]), file=sys.stderr, flush=True)
    return done


def figures(done: Sequence[Repaired]) -> dict[str, object]:
    """Shares from 0 to 1; seconds and candidates are medians over the plausible ones."""
    by_need: defaultdict[str, list[bool]] = defaultdict(list)
    for one in done:
        by_need[one.fault.needs].append(one.plausible)
    return {
        "faults": len(done),
        "plausible": share(one.plausible for one in done),
        "correct": share(one.correct for one in done),
        "plausible_by_need": {need: f"{sum(found)}/{len(found)}" for need, found in sorted(by_need.items())},
        "seconds_to_fix": middle([one.seconds for one in done if one.seconds is not None]),
        "candidates_to_fix": middle([one.candidates for one in done if one.candidates is not None]),
        "true_line_first": share(one.rank == 1 for one in done),
        f"true_line_among_first_{FIRST}": share(one.rank is not None and one.rank <= FIRST for one in done),
    }


def share(those: Iterable[bool]) -> float | None:
    found = list(those)
    return round(sum(found) / len(found), 3) if found else None


def middle(values: Sequence[float]) -> float | None:
    return round(median(values), 2) if values else None


def line(one: Repaired) -> str:
    verdict = "correct" if one.correct else "plausible" if one.plausible else "-"
    took = "" if one.seconds is None else f"{one.seconds:5.1f} s {one.candidates:6,}"
    return f"{one.fault.id:36} {one.fault.needs:10} {verdict:9} rank {one.rank or '-':>3} {took}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=HALVES, default="tuning")
    parser.add_argument("--budget", type=float, default=60, help="seconds for each search")
    parser.add_argument("--only", default="", help="faults whose name holds this")
    parser.add_argument("--list", action="store_true", help="each patch, and what was said where there is none")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    done = measured(options.half, options.budget, options.only)
    if options.list:
        for one in done:
            print(line(one), *(one.patches or one.notes), sep="\n")
    found = {"half": options.half, **figures(done)}
    print(json.dumps(found) if options.json else "\n".join(f"{name:28} {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
