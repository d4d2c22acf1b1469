"""Long random runs: every way in which a loop could lose or believe something, again and again.

    python -m bench.soak [--minutes M] [--seed N] [--part NAME …]

Each module below bench/soaks/ is a part: `run(chance, scale)` raises AssertionError at the first broken promise, and
returns what it did, counted. At scale 1 all parts together take about 70 minutes on two cores; `--minutes` scales
them. The test suite calls the same functions at a small scale. The seed is printed first and repeats a run.
"""

import argparse
import importlib
import pkgutil
import random
import sys
import time
import traceback
from collections.abc import Mapping
from typing import Protocol, cast

from bench import soaks

FULL_MINUTES = 70.0


class Part(Protocol):
    """What a module below bench/soaks/ offers; its docstring's first line says what it tries."""

    __doc__: str

    def run(self, chance: random.Random, scale: float) -> Mapping[str, int]: ...


def parts() -> dict[str, Part]:
    """All parts by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(soaks.__path__) if not found.name.startswith("_"))
    return {name: cast(Part, importlib.import_module(f"bench.soaks.{name}")) for name in names}


def main() -> int:
    known = parts()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=FULL_MINUTES)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--part", action="append", choices=[*known], help="only this one; may be repeated")
    given = parser.parse_args()
    print(f"seed {given.seed}", flush=True)
    scale = given.minutes / FULL_MINUTES
    rows = [_row(name, known[name], given.seed, scale) for name in given.part or known]
    print(f"\n{'part':<12} {'':6} {'minutes':>7}  counts")
    for name, passed, took, counts in rows:
        told = ", ".join(f"{count:,} {what}" for what, count in counts.items())
        print(f"{name:<12} {'passed' if passed else 'FAILED'} {took / 60:7.1f}  {told}")
    print(f"seed {given.seed}")
    return 0 if all(passed for _, passed, _, _ in rows) else 1


def _row(name: str, part: Part, seed: int, scale: float) -> tuple[str, bool, float, Mapping[str, int]]:
    """One part, with chances of its own, so that it does the same alone and among others."""
    print(f"\n{name}: {part.__doc__.splitlines()[0]}", flush=True)
    began = time.monotonic()
    try:
        counts = part.run(random.Random(f"{seed} {name}"), scale)
    except Exception:  # noqa: BLE001 - the outermost edge: the other parts shall still run
        traceback.print_exc()
        return name, False, time.monotonic() - began, {}
    return name, True, time.monotonic() - began, counts


if __name__ == "__main__":
    sys.exit(main())
