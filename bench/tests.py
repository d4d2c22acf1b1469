"""What a run of the tests costs, as a multiple of plain pytest: many tests, and one test beside many modules.

    python -m bench.tests [--json]

Medians of interleaved rounds, with the load at the end: `wall` seconds until the results are there, and `cpu` seconds
of all processes, ours included. Neither side writes compiled modules. `first`: what the first run of all cost. It is
measured with the Python that runs this, and, where `python3.12` or a later one is there, in an environment with pytest
and coverage made for it, because there sys.monitoring measures coverage.
"""

import argparse
import asyncio
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from loopwright.core.ports import TestOrder
from loopwright.evidence.run import ProjectTests
from loopwright.evidence.testing import TestRun

ROUNDS = 5
TESTS, MODULES = 5_000, 10_000
LIMITS = {"5,000 tests": 1.10, "1 test, 10,000 modules": 1.5}
LATER = ("python3.14", "python3.13", "python3.12")
SETTINGS = '[tool.pytest.ini_options]\npythonpath = ["."]\n'
FUNCTION = """def f{n}(values):
    total = 0
    for value in values:
        if value % 2:
            total += value
        else:
            total -= {n}
    return total
"""


def many_tests(root: Path) -> None:
    """Files of 100 small tests each, of 20 modules."""
    (root / "tests").mkdir(parents=True)
    for number in range(20):
        put(root / f"pkg/m{number}.py", "\n\n".join(FUNCTION.format(n=n) for n in range(30)))
    names = ", ".join(f"f{n}" for n in range(30))
    for number in range(TESTS // 100):
        tests = (f"def test_{n}():\n    assert f{n % 30}([1, 1]) == {2}\n" for n in range(100))
        put(root / f"tests/test_{number}.py", "\n\n".join((f"from pkg.m{number % 20} import {names}\n", *tests)))


def many_modules(root: Path) -> None:
    """Packages of 100 modules each, and a test of one."""
    put(root / "pkg/__init__.py", "")
    for number in range(MODULES):
        put(root / f"pkg/p{number // 100}/m{number % 100}.py", FUNCTION.format(n=number))
    put(root / "tests/test_one.py", "from pkg.p0.m0 import f0\n\n\ndef test_one():\n    assert f0([1]) == 1\n")


def put(file: Path, text: str) -> None:
    if not file.parent.exists():
        file.parent.mkdir(parents=True)
        (file.parent / "__init__.py").touch()
    file.write_text(text)


PROJECTS: dict[str, Callable[[Path], None]] = {"5,000 tests": many_tests, "1 test, 10,000 modules": many_modules}


def seconds(work: Callable[[], object]) -> tuple[float, float]:
    """Wall, and processor time of this process and those it started."""
    begun, before = time.perf_counter(), spent()
    work()
    return time.perf_counter() - begun, spent() - before


def spent() -> float:
    return sum(
        one.ru_utime + one.ru_stime for one in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def plain(root: Path, python: str) -> None:
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=root,
        env=env,
        check=True,
        stdout=subprocess.DEVNULL,
    )


async def add_run(runs: list[TestRun], root: Path, python: str) -> None:
    """Returns nothing: asyncio makes words of that, for nobody, at the end of its main task."""
    order = TestOrder(f"{python} -m pytest -q", timeout=600, marker="bench-tests")
    runs.append(await ProjectTests(root).run(order))


def ours(root: Path, python: str) -> None:
    runs: list[TestRun] = []
    asyncio.run(add_run(runs, root, python))
    run = runs[0]
    if run.failed or run.trouble or not run.results or run.coverage is None:
        sys.exit(f"{root}: {run.trouble or run.failed[:3] or 'no coverage'}: {run.output[-500:]}")


def measure(root: Path, python: str) -> dict[str, float]:
    first, _ = seconds(lambda: ours(root, python))
    rounds = [(*seconds(lambda: plain(root, python)), *seconds(lambda: ours(root, python))) for _ in range(ROUNDS)]
    plain_s, plain_cpu, ours_s, ours_cpu = (statistics.median(taken) for taken in zip(*rounds, strict=True))
    return {
        "ratio": ours_s / plain_s,
        "cpu_ratio": ours_cpu / plain_cpu,
        "s": ours_s,
        "plain_s": plain_s,
        "first_s": first,
    }


def pythons(folder: Path) -> dict[str, str]:
    """By version; a later one than ours, if there is one that packages can be installed for."""
    found = {f"Python {sys.version_info[0]}.{sys.version_info[1]}": sys.executable}
    for name in LATER if sys.version_info < (3, 12) else ():
        program = shutil.which(name)
        if program is None or subprocess.run([program, "-m", "venv", folder], capture_output=True).returncode:
            continue
        python = str(folder / "bin" / "python")
        install = [python, "-m", "pip", "install", "-q", "pytest", "coverage"]
        if not subprocess.run(install, capture_output=True).returncode:
            return {**found, f"Python {name.removeprefix('python')}": python}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory(prefix="bench-tests-") as name:
        room = Path(name)
        os.environ["XDG_CACHE_HOME"] = str(room / "cache")
        for made, make in PROJECTS.items():
            put(room / made / "pyproject.toml", SETTINGS)
            (room / made / "__init__.py").unlink()
            make(room / made)
        for version, python in pythons(room / "later").items():
            for made in PROJECTS:
                figures[f"{made}, {version}"] = found = measure(room / made, python)
                if not given.json:
                    limit = LIMITS[made]
                    print(
                        f"{made}, {version}: {found['ratio']:.2f} × plain pytest  (at most {limit:.2f} since 3.12)  "
                        f"cpu {found['cpu_ratio']:.2f} ×  s {found['s']:.2f}  plain_s {found['plain_s']:.2f}  "
                        f"first_s {found['first_s']:.2f}",
                        flush=True,
                    )
    if given.json:
        print(json.dumps(figures))
    else:
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
