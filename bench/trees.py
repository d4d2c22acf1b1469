"""What the size of a repository costs: looks at its files, and a step that changes one of them.

    python bench/trees.py [--json] [FILES …]

By default 100, 10,000 and 100,000 files, committed, 50 to a folder. Seconds, and what `git add -A` and `git write-tree`
take for the same in the same run. A step is a bash task in a loop: the difference between twelve tasks and two.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from loopwright.core.run_events import EventBus
from loopwright.core.state import RunSettings
from loopwright.wiring import open_engine
from loopwright.workflows.loop.commands import take_up
from loopwright.workspace.checkpoints import GitWorkspace

SIZES = (100, 10_000, 100_000)
FEW, MANY = 2, 12
CHANGE = "f000001.txt"


def git(root: Path, *args: str) -> None:
    identity = ("-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0")
    subprocess.run(["git", "-C", root, *identity, *args], check=True, capture_output=True)


def make_repository(root: Path, files: int) -> None:
    for number in range(files - 2):
        folder = root / "data" / f"d{number // 1000:03}" / f"e{number // 50 % 20:02}"
        if number % 50 == 0:
            folder.mkdir(parents=True)
        (folder / f"f{number:06}.txt").write_text(f"file {number}\n" * (1 + number % 40))
    (root / "test_one.py").write_text("def test_one(): pass\n")
    (root / ".gitignore").write_text(".workflow/\n")
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "repack", "-adq")  # as in every clone


def clock(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure_loop(root: Path, tasks: int) -> float:
    """Seconds from the start of a loop to its end, with a single test."""
    with open_engine(root, {}) as engine:
        command = f"{sys.executable} -m pytest test_one.py"
        settings = RunSettings(mode="auto", agent="builtin", test_command=command)
        loop_id = engine.service.create("Change a file", max_iterations=tasks + 10, settings=settings).loop_id
        for number in range(tasks):
            command = f"echo {loop_id} {number} > data/d000/e00/{CHANGE}"
            engine.service.tasks.add(loop_id, {"description": "change", "tool": "bash", "command": command})
        return clock(lambda: asyncio.run(engine.runners.loop.drive(loop_id, take_up=take_up, bus=EventBus())))


def measure(files: int, folder: Path) -> dict[str, float]:
    root = folder / f"r{files}"
    make_repository(root, files)
    workspace = GitWorkspace(root, folder / f"state{files}")
    changed = root / "data/d000/e00" / CHANGE
    figures = {"files": float(files), "first": clock(workspace.tree), "second": clock(workspace.tree)}
    figures["unchanged"] = clock(workspace.tree)
    changed.write_text("changed\n")
    figures["changed"] = clock(workspace.tree)
    figures["git"] = clock(lambda: (git(root, "add", "-A"), git(root, "write-tree")))
    measure_loop(root, 1)  # takes the first look
    few, many = measure_loop(root, FEW), measure_loop(root, MANY)
    figures["step"] = (many - few) / (MANY - FEW)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object for each size")
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES, metavar="FILES")
    given = parser.parse_args()
    columns = ("first", "second", "unchanged", "changed", "git", "step")
    if not given.json:
        print("files    " + "".join(f"{name:>11}" for name in columns) + "   (seconds)")
    with tempfile.TemporaryDirectory(dir=Path.cwd(), prefix=".bench-") as folder:
        os.environ["HOME"] = os.environ["XDG_STATE_HOME"] = folder
        for files in given.sizes:
            figures = measure(files, Path(folder).resolve())
            line = f"{files:<9,}" + "".join(f"{figures[name]:11.3f}" for name in columns)
            print(json.dumps(figures) if given.json else line, flush=True)


if __name__ == "__main__":
    main()
