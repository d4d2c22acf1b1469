"""How far the fleet goes: waits, utilisation and lost work of thousands of loops on many machines.

    python -m bench.fleet [--loops 10000] [--machines 200] [--seed 7]

Simulated (bench/fleet/simulation.py) at costs that were measured; `python -m bench.fleet.capacity` measures those of
the database again. Curves are drawn from left to right, from 0 to the value that is named.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.fleet.simulation import Course, Scenario, at_a_time, percentile, simulate

MACHINES = (10, 25, 50, 100, 200, 350, 500)
"""Seconds; instead of how often workers look for jobs now."""

PARTS = 72
BLOCKS = " ▁▂▃▄▅▆▇█"


def curve(values: Sequence[float], top: float) -> str:
    """A character for each value."""
    return "".join(BLOCKS[min(8, round(8 * value / top))] if top else " " for value in values)


def row(*cells: str | float) -> str:
    return "".join(f"{f'{cell:,.1f}' if isinstance(cell, float) else cell:>15}" for cell in cells)


def told(course: Course) -> list[str]:
    lines = [row("users", "of them", "loops", "wait s, p50", "p95", "most")]
    for group in course.scenario.classes:
        waits = course.waits(group.name)
        lines.append(
            row(group.name, str(group.users), str(len(waits)), *(percentile(waits, part) for part in (0.5, 0.95, 1)))
        )
    takeovers, lost = sorted(course.takeovers), course.lost / sum(loop.work for loop in course.loops)
    return [
        *lines,
        "",
        f"All ended after {course.end / 3600:.1f} h; utilisation {course.utilisation:.0%}.",
        f"{course.deaths} machines died under {len(takeovers)} loops, which went on elsewhere after "
        f"{percentile(takeovers, 0.5):.0f} s (p95 {percentile(takeovers, 0.95):.0f} s).",
        f"Begun again, where an account met its limit as well: {course.lost / 3600:.1f} h, {lost:.1%} of the work.",
        "",
        *curves(course),
    ]


def curves(course: Course) -> list[str]:
    """Over the time until the last loop ended."""
    slots, end = course.scenario.machines * course.scenario.slots, course.end
    busy = at_a_time(((span.begin, span.end) for span in course.spans), end, PARTS)
    queued = at_a_time(((loop.submitted, loop.first) for loop in course.loops), end, PARTS)
    of_part: list[list[float]] = [[] for _ in range(PARTS)]
    for loop in course.loops:
        of_part[int(loop.submitted / end * PARTS)].append(loop.wait)
    waits = [percentile(sorted(part), 0.95) for part in of_part]
    shown = {
        f"slots in use, of {slots}": (busy, slots),
        f"loops that wait, of {max(queued):.0f}": (queued, max(queued)),
        f"wait p95, of {max(waits):.0f} s": (waits, max(waits)),
    }
    return [f"{name:<28}|{curve(values, top)}|" for name, (values, top) in shown.items()]


def growth(scenario: Scenario) -> list[str]:
    """The same loops on ever more machines."""
    lines = [row("machines", "all done, h", "utilisation", "wait s, p50", "p95", "database cores")]
    for machines in MACHINES:
        course = simulate(replace(scenario, machines=machines))
        waits = course.waits()
        figures = (f"{course.utilisation:.0%}", percentile(waits, 0.5), percentile(waits, 0.95))
        lines.append(row(str(machines), course.end / 3600, *figures, course.scenario.database_cores))
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Scenario()
    parser.add_argument("--loops", type=int, default=default.loops)
    parser.add_argument("--machines", type=int, default=default.machines)
    parser.add_argument("--seed", type=int, default=default.seed)
    scenario = Scenario(**vars(parser.parse_args()))
    print("\n".join([*told(simulate(scenario)), "", *growth(scenario)]))


if __name__ == "__main__":
    main()
