"""What many runs, and long ones, cost: growth as tables, each figure in CPU time.

    python bench/runs.py [--json] [--folder DIR]

Commands are those that people type, as multiples of starting Python for nothing, when nothing has changed since the
last list. The server's seconds begin with its start; a run is opened by taking its lease. Times are medians of rounds
in turns, CPU milliseconds unless said otherwise.
"""

import argparse
import asyncio
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.kernel import drive
from bench.server import API, TOKEN, served
from bench.startup import COMMAND, ENVIRONMENT
from bench.store import STEPPED, loop, step
from loopwright.core.record import JournalEvent
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.publish import missing_changes, read_back
from loopwright.workflows.loop.runner import last_result
from loopwright.workflows.loop.session import LoopSession

RUNS = (1, 100, 10_000)
STEPS = (500, 50_000)
TASKS = (10, 100, 1_000)
ROUNDS = 9
LIMITS = {
    "list": 8.0, "show": 8.0, "list, 10,000 runs": 10.0, "list, 10,000 / 100": 1.2, "server ready, s": 1.0,
    "first search, s": 0.5, "opening 50,000 steps": 50.0, "action, 1,000 / 10 tasks": 1.3,
}  # fmt: skip

Table = dict[str, float]


def child_milliseconds(argv: list[str], environment: Mapping[str, str]) -> float:
    """CPU time of a program and of what it starts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(argv, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def own_milliseconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def fill(project: Path, count: int) -> None:
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    with FileStore(project, LOOPS, SystemClock()) as store:
        for n in range(count):
            store.create(loop(f"loop-{n}", 3, 4).evolve(status="created"), actor="bench")


def commands(projects: Mapping[int, Path], environment: Mapping[str, str]) -> Table:
    """Each command on projects of so many runs, all in turns with the floor."""
    asked = {"list": ["list"], "list --json": ["list", "--json"], "show": ["show", "loop-0"]}
    argv = {
        f"{name}, {count:,} runs": [COMMAND, *words, "--project", str(project)]
        for name, words in asked.items()
        for count, project in projects.items()
    }
    for words in argv.values():
        child_milliseconds(words, environment)
    taken: dict[str, list[float]] = {name: [] for name in ("floor", *argv)}
    for _ in range(ROUNDS):
        taken["floor"].append(child_milliseconds([sys.executable, "-c", "pass"], environment))
        for name, words in argv.items():
            taken[name].append(child_milliseconds(words, environment))
    return {name: statistics.median(times) for name, times in taken.items()}


def serving(project: Path, state: Path) -> Table:
    """Seconds, of the second start: the first one has looked at all states. `CPU`: of the server, until the search."""
    figures: Table = {}
    for _ in range(2):
        with served(project, state) as (address, pid, ready):
            figures = {"ready": ready}
            for name, query in (("first list", "limit=50"), ("first search", "search=measured")):
                begun = time.perf_counter()
                url = f"http://127.0.0.1:{address[1]}{API}?{query}"
                with urllib.request.urlopen(
                    urllib.request.Request(url, headers={"Authorization": f"Bearer {TOKEN}"})
                ) as answer:
                    answer.read()
                figures[name] = time.perf_counter() - begun
            with open(f"/proc/{pid}/stat") as stat:
                ticks = stat.read().rpartition(")")[2].split()[11:13]
            figures["CPU"] = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK")
            with open(f"/proc/{pid}/status") as status:
                figures["MB"] = int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024  # type: ignore[index]
    return figures


def opening(folder: Path, steps: int) -> Table:
    """A run that has been driven before, in stores of their own: read, driven on by a step, looked at as its next
    runner does, and read in full. Each step has changed a file.
    """
    with FileStore(folder, LOOPS, SystemClock()) as store:
        store.create(loop("loop-long", 3, 4), actor="bench")
        lines = [{"iteration": n, "n": 1, "file": "app.py", "action": "modify"} for n in range(steps)]
        with store.lease("loop-long"):
            for line in lines:
                data = {"action": "DEVELOP", "result": "done", "changes": [line]}
                event = JournalEvent.model_validate({"type": "action_finished", "data": data})
                store.update("loop-long", step, actor="runner", event=event)
        store.append_progress("loop-long", "changes.log", [json.dumps(line).encode() for line in lines])

    def opened(work: Callable[[FileStore], object]) -> float:  # type: ignore[type-arg]  # of loops
        def once() -> None:
            with FileStore(folder, LOOPS, SystemClock()) as store:
                work(store)

        return statistics.median(own_milliseconds(once) for _ in range(3))

    def driven(store: FileStore) -> None:  # type: ignore[type-arg]  # of loops
        with store.lease("loop-long"):
            store.update("loop-long", step, actor="runner", event=STEPPED)

    def taken_over(store: FileStore) -> None:  # type: ignore[type-arg]  # of loops
        known = SimpleNamespace(store=store, id="loop-long", state=lambda: store.read("loop-long"))
        session = cast("LoopSession", known)
        assert last_result(read_back(session))
        assert not missing_changes(session)

    return {
        "read": opened(lambda store: store.read("loop-long")),
        "lease and step": opened(driven),
        "last result, changes.log": opened(taken_over),
        "history": opened(lambda store: store.events("loop-long")),
    }


def action(folder: Path, tasks: int) -> float:
    folder.mkdir()
    return asyncio.run(drive(folder, tasks, time.process_time)) / (tasks + 3) * 1000


def measure(folder: Path) -> dict[str, Table]:
    state = folder / "state"
    environment = {**ENVIRONMENT, "XDG_STATE_HOME": str(state)}
    projects = {count: folder / str(count) for count in RUNS}
    for count, project in projects.items():
        fill(project, count)
    told = commands(projects, environment)
    floor = told.pop("floor")
    few = statistics.median(action(folder / f"few-{n}", TASKS[0]) for n in range(5))
    return {
        "commands, × python -c pass": {name: taken / floor for name, taken in told.items()},
        "the same, ms": {"floor": floor, **told},
        f"server, {RUNS[-1]:,} runs, s": serving(projects[RUNS[-1]], state),
        **{f"opening, {count:,} steps, ms": opening(folder / f"steps-{count}", count) for count in STEPS},
        "action, ms": {"10 tasks": few}
        | {f"{count:,} tasks": action(folder / f"tasks-{count}", count) for count in TASKS[1:]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--folder", type=Path, help="where to measure; must be a local file system")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=given.folder or Path.cwd(), prefix=".bench-") as folder:
        figures = measure(Path(folder))
    if given.json:
        print(json.dumps(figures))
        return
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    for title, table in figures.items():
        print(f"\n{title}")
        for name, figure in table.items():
            print(f"  {name:28} {figure:10,.2f}")
    told, times = figures["commands, × python -c pass"], figures["the same, ms"]
    actions, served_ = figures["action, ms"], figures[f"server, {RUNS[-1]:,} runs, s"]
    reached = {
        "list": told["list, 100 runs"],
        "show": told["show, 100 runs"],
        "list, 10,000 runs": told["list, 10,000 runs"],
        "list, 10,000 / 100": times["list, 10,000 runs"] / times["list, 100 runs"],
        "server ready, s": served_["ready"],
        "first search, s": served_["first search"],
        "opening 50,000 steps": figures["opening, 50,000 steps, ms"]["lease and step"],
        "action, 1,000 / 10 tasks": actions["1,000 tasks"] / actions["10 tasks"],
    }
    print()
    for name, figure in reached.items():
        print(f"  {name:28} {figure:10,.2f}  (at most {LIMITS[name]})")


if __name__ == "__main__":
    main()
