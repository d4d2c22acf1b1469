"""What a durable step and a page of a listing cost, as multiples of the least the disk allows.

    python bench/store.py [--json] [--folder DIR]

A step is `store.update` with a rule that changes a few fields. The floor is one append of the same bytes and one
fdatasync. All figures of a ratio are measured in the same run, in turns; times are medians in microseconds.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from loopwright.core.record import JournalEvent
from loopwright.core.state import DevelopTask, EngineState, LoopTask
from loopwright.evidence.testing import TestResult
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import Develop, LoopState, SkillState, Validate

STEPPED = JournalEvent(type="action_ended", data={"action": "DEVELOP", "result": "success"})
ROUNDS, PER_ROUND = 20, 50
SYNCS = "fsync,fdatasync,sync_file_range,msync,sync,syncfs"
LIMITS = {"step 4 KB": 3.0, "step 46 KB": 4.5, "step 1000 / step 10": 1.1, "list": 1.5, "list, busy": 1.5}


def loop(id: str, tasks: int, tests: int) -> LoopState:
    """About 4 KB with 3 tasks and 4 tests, 46 KB with 30 and 110."""
    at = "2026-01-22T10:00:00+08:00"
    work = tuple(
        DevelopTask(
            id=f"task-{n:08x}", description=f"Change the way that part {n} handles its input",
            files_changed=(f"src/part_{n}.py",), created_at=at,
        )
        for n in range(tasks)
    )  # fmt: skip
    results = tuple(
        TestResult(test_name=f"test_part_{n}", suite="tests.test_parts", status="passed", duration_ms=1.25)
        for n in range(tests)
    )
    skill = SkillState(
        current_action="develop",
        develop=Develop(total=tasks, tasks=work),
        validate_=Validate(pass_rate=100, passed=True, test_results=results, last_run_at=at),
    )
    orders = tuple(LoopTask(task_id=t.id, description=t.description, created_at=at, updated_at=at) for t in work)
    return LoopState(
        loop_id=id, title="A loop to be measured", description="Make it fast. " * 20, status="running",
        created_at=at, updated_at=at, skill_state=skill, engine=EngineState(tasks=orders),
    )  # fmt: skip


def step(state: LoopState) -> LoopState:
    """What the end of an action changes at least."""
    skill, engine = state.skill_state, state.engine
    assert skill is not None
    return state.evolve(
        current_iteration=state.current_iteration + 1,
        skill_state=skill.evolve(last_action="DEVELOP", current_action="develop"),
        engine=engine.evolve(debug_rounds=(engine.debug_rounds + 1) % 5),
    )


def timed(work: Callable[[], object], times: int) -> list[float]:
    """Microseconds of each call."""
    taken = []
    for _ in range(times):
        start = time.perf_counter_ns()
        work()
        taken.append((time.perf_counter_ns() - start) / 1000)
    return taken


def steps(folder: Path, tasks: int, tests: int) -> dict[str, float]:
    """A durable step beside its floor, in turns."""
    with FileStore(folder, LOOPS, SystemClock()) as store:
        store.create(loop("loop-bench", tasks, tests), actor="bench")
        work = lambda: store.update("loop-bench", step, actor="runner", event=STEPPED)  # noqa: E731
        work()
        journal = folder / LOOPS.folder / "loop-bench.events.ndjson"
        line = journal.read_bytes().splitlines(keepends=True)[-1]
        size = (journal.parent / "loop-bench.json").stat().st_size
        fd = os.open(folder / "floor", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        floors, taken = [], []
        for _ in range(ROUNDS):
            floors += timed(lambda: (os.write(fd, line), os.fdatasync(fd)), PER_ROUND)
            taken += timed(work, PER_ROUND)
        os.close(fd)
    floor, cost = statistics.median(floors), statistics.median(taken)
    return {"file_bytes": size, "line_bytes": len(line), "floor_us": floor, "step_us": cost, "ratio": cost / floor}


def growth(folder: Path) -> dict[str, float]:
    """Steps around the 10th against steps around the 1,000th, of two loops in turns."""
    with FileStore(folder, LOOPS, SystemClock()) as store:
        store.create(loop("loop-old", 3, 4), actor="bench")
        for _ in range(990):
            store.update("loop-old", step, actor="runner", event=STEPPED)
        young, old = [], []
        for n in range(ROUNDS):
            id = f"loop-young-{n}"
            store.create(loop(id, 3, 4), actor="bench")
            young += timed(lambda id=id: store.update(id, step, actor="runner", event=STEPPED), 20)[5:]
            old += timed(lambda: store.update("loop-old", step, actor="runner", event=STEPPED), 20)[5:]
    first, later = statistics.median(young), statistics.median(old)
    return {"step_10_us": first, "step_1000_us": later, "ratio": later / first}


def lists(folder: Path, few: int, many: int, *, busy: bool) -> dict[str, float]:
    """A page of 50 out of `few` and out of `many`, in turns; `busy`: while another process commits to both."""
    places = {count: folder / str(count) for count in (few, many)}
    for count, place in places.items():
        if not place.exists():
            fill(place, count)
    writers = [
        subprocess.Popen([sys.executable, __file__, "--commit-for-ever", str(place)])
        for place in places.values()
        if busy
    ]
    try:
        with FileStore(places[few], LOOPS, SystemClock()) as a, FileStore(places[many], LOOPS, SystemClock()) as b:
            first = timed(b.list, 1)[0]
            a.list()
            short, long = [], []
            for _ in range(ROUNDS):
                short += timed(lambda: a.list(limit=50), 10)
                long += timed(lambda: b.list(limit=50), 10)
    finally:
        for writer in writers:
            writer.kill()
            writer.wait()
    low, high = statistics.median(short), statistics.median(long)
    return {f"list_{few}_us": low, f"list_{many}_us": high, "ratio": high / low, "first_list_us": first}


def fill(folder: Path, count: int) -> None:
    """`count` loops, without waiting for the disk each time: this is the setting, not what is measured."""
    with FileStore(folder, LOOPS, SystemClock()) as store:
        for n in range(count):
            store.create(loop(f"loop-{n}", 3, 4), actor="bench")


def commit_for_ever(folder: Path) -> None:
    with FileStore(folder, LOOPS, SystemClock()) as store:
        n = 0
        while True:
            store.update(f"loop-{n % 20}", step, actor="runner", event=STEPPED)
            n += 1
            time.sleep(0.005)


def syncs(folder: Path) -> float | None:
    """Syncs per step as strace counts them in a process of its own; None without strace."""
    if shutil.which("strace") is None:
        return None
    count = []
    for number in (100, 300):
        place = folder / f"syncs-{number}"
        trace = folder / f"trace-{number}"
        program = [sys.executable, __file__, "--steps", str(number), str(place)]
        subprocess.run(["strace", "-f", "-o", str(trace), "-e", f"trace={SYNCS}", *program], check=True)
        count.append(len(re.findall(rf"\b(?:{SYNCS.replace(',', '|')})\(", trace.read_text())))
    return (count[1] - count[0]) / 200


def some_steps(folder: Path, number: int) -> None:
    with FileStore(folder, LOOPS, SystemClock()) as store:
        folder.mkdir(parents=True, exist_ok=True)
        store.create(loop("loop-traced", 3, 4), actor="bench")
        for _ in range(number):
            store.update("loop-traced", step, actor="runner", event=STEPPED)


def measure(folder: Path) -> dict[str, dict[str, float] | float | None]:
    return {
        "step 4 KB": steps(folder / "small", 3, 4),
        "step 46 KB": steps(folder / "large", 30, 110),
        "step 1000 / step 10": growth(folder / "growth"),
        "list": lists(folder / "lists", 100, 10_000, busy=False),
        "list, busy": lists(folder / "lists", 100, 10_000, busy=True),
        "syncs per step": syncs(folder),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--folder", type=Path, help="where to measure; must be a local file system")
    parser.add_argument("--commit-for-ever", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--steps", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.commit_for_ever:
        return commit_for_ever(given.commit_for_ever)
    if given.steps:
        return some_steps(Path(given.steps[1]), int(given.steps[0]))
    with tempfile.TemporaryDirectory(dir=given.folder or Path.cwd(), prefix=".bench-") as folder:
        figures = measure(Path(folder))
    if given.json:
        print(json.dumps(figures))
        return None
    for name, figure in figures.items():
        if isinstance(figure, dict):
            numbers = "  ".join(f"{key} {value:,.0f}" for key, value in figure.items() if key != "ratio")
            print(f"{name:20} {figure['ratio']:5.2f} ×  (at most {LIMITS[name]})  {numbers}")
        else:
            print(f"{name:20} {'strace is not installed' if figure is None else f'{figure:.2f}'}")
    return None


if __name__ == "__main__":
    main()
