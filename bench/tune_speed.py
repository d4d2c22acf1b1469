"""What diagnosing skills costs, beside reading their files: cold, and from the cache.

    python -m bench.tune_speed [--json]

A folder of made skills; the floor is the time to read all of its files once. Medians of interleaved rounds, in
milliseconds of processor time, in one process.
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loopwright.skills.disk.cache import FindingsCache
from loopwright.skills.disk.folders import SkillFolders
from loopwright.skills.findings import DIMENSIONS
from loopwright.workflows.tuning.report.skill_check import check_with_cache

SAMPLES = Path(__file__).parent.parent / "tests" / "tune" / "samples"
COPIES = 4
ROUNDS = 5
LIMITS = {"cold": 300.0, "warm": 15.0}


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def look(root: Path, cache: Path) -> None:
    """What the command does with a folder of skills."""
    known, folders = FindingsCache(cache, "bench"), SkillFolders()
    for skill in folders.find(root):
        check_with_cache(folders.read(skill), skill.name, DIMENSIONS, (), known)


def measure() -> dict[str, dict[str, float]]:
    """`{name: {ratio, ms, floor_ms, files_a_second}}`."""
    with tempfile.TemporaryDirectory() as folder:
        root, cache = Path(folder, "skills"), Path(folder, "cache")
        for number in range(COPIES):
            for sample in sorted(path for path in SAMPLES.glob("*/*") if (path / "SKILL.md").is_file()):
                shutil.copytree(sample, root / f"{sample.parent.name}-{sample.name}-{number}")
        files = [path for path in root.rglob("*") if path.is_file()]
        times: dict[str, list[float]] = {"floor": [], "cold": [], "warm": []}
        for _ in range(ROUNDS):
            shutil.rmtree(cache, ignore_errors=True)
            times["floor"].append(milliseconds(lambda: [path.read_bytes() for path in files]))
            times["cold"].append(milliseconds(lambda: look(root, cache)))
            times["warm"].append(milliseconds(lambda: look(root, cache)))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    floor = medians.pop("floor")
    return {
        name: {"ratio": taken / floor, "ms": taken, "floor_ms": floor, "files_a_second": len(files) * 1000 / taken}
        for name, taken in medians.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    figures = measure()
    if given.json:
        print(json.dumps(figures))
        return
    for name, f in figures.items():
        print(
            f"{name:20} {f['ratio']:6.2f} ×  (at most {LIMITS[name]})  ms {f['ms']:.0f}  floor_ms {f['floor_ms']:.1f}  "
            f"files a second {f['files_a_second']:.0f}"
        )


if __name__ == "__main__":
    main()
