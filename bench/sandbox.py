"""What the sandbox costs: the start of a program, and a run whose tasks and tests are confined.

    python bench/sandbox.py [--json]

Each round takes every sandbox of this machine in turn. Times are medians of wall clock, in milliseconds; a run is five
bash tasks in a project with pytest, from `loopwright run` to its end.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.startup import COMMAND, ENVIRONMENT
from loopwright.core.errors import NoSandbox
from loopwright.core.state import SandboxName
from loopwright.processes.confinement import SANDBOXES, Sandbox

START_ROUNDS, RUN_ROUNDS, TASKS = 41, 7, 5
LIMITS = {"start, ms more": 20.0, "a run, × none": 1.05}
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n",
    "test_calc.py": "import time, calc\n\ndef test_add():\n    time.sleep(0.5)\n    assert calc.add(2, 2) == 4\n",
    "pytest.ini": "[pytest]\n",
}
"""Tests of half a second: what many projects would be glad of."""

Seconds = Callable[[], float]


def works(sandbox: Sandbox) -> bool:
    try:
        sandbox.check()
    except NoSandbox:
        return False
    return True


def starting(sandbox: Sandbox | None, cwd: Path) -> float:
    begun = time.perf_counter()
    if sandbox is None:
        subprocess.run(["/bin/true"], cwd=cwd, check=True, stdin=subprocess.DEVNULL, capture_output=True)
    else:
        sandbox.run_briefly(["/bin/true"], cwd, os.environ, 20)
    return (time.perf_counter() - begun) * 1000


def running(name: SandboxName, project: Path, environment: dict[str, str]) -> float:
    def call(*words: str) -> str:
        argv = [COMMAND, *words, "--project", str(project), "--json"]
        return subprocess.run(argv, check=True, capture_output=True, text=True, env=environment).stdout

    test = f"{sys.executable} -m pytest -q -p no:cacheprovider"
    made = json.loads(call("create", "Keep the tests green", "--auto", "--sandbox", name, "--test-command", test))
    id = made["data"]["loop_id"]
    for n in range(TASKS):
        call("tasks", id, "add", f"Write {n}", "--command", f"echo 'N = {n}' > made_{n}.py")
    begun = time.perf_counter()
    call("run", "--loop-id", id, "--auto")
    return (time.perf_counter() - begun) * 1000


def in_turns(works: dict[str, Seconds], rounds: int) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in works}
    for n in range(rounds):
        for name, work in list(works.items())[:: 1 if n % 2 else -1]:
            taken[name].append(work())
    return {name: statistics.median(times) for name, times in taken.items()}


def measure(folder: Path) -> dict[str, dict[str, float]]:
    project = folder / "project"
    project.mkdir()
    for name, text in FILES.items():
        (project / name).write_text(text)
    git = ["git", "-C", str(project), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        subprocess.run([*git, *words], check=True)
    made = {name: Sandbox(name, project, folder / name, folder) for name in SANDBOXES}
    there = {name: sandbox for name, sandbox in made.items() if works(sandbox)}
    environment = {**ENVIRONMENT, "XDG_STATE_HOME": str(folder / "state")}
    starts: dict[str, Seconds] = {"none": partial(starting, None, project)}
    starts |= {name: partial(starting, sandbox, project) for name, sandbox in there.items()}
    names: list[SandboxName] = ["none", *there]
    runs: dict[str, Seconds] = {name: partial(running, name, project, environment) for name in names}
    for work in runs.values():
        work()
    return {"start, ms": in_turns(starts, START_ROUNDS), "a run, ms": in_turns(runs, RUN_ROUNDS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        figures = measure(Path(folder))
    if given.json:
        print(json.dumps(figures))
        return
    starts, runs = figures["start, ms"], figures["a run, ms"]
    for name in list(starts)[1:]:
        more, ratio = starts[name] - starts["none"], runs[name] / runs["none"]
        print(f"{name:10} start {more:6.1f} ms more than {starts['none']:.1f} (at most {LIMITS['start, ms more']:.0f})")
        print(f"{name:10} a run {ratio:6.3f} × {runs['none']:.0f} ms       (at most {LIMITS['a run, × none']})")


if __name__ == "__main__":
    main()
