"""How soon a commit reaches those who watch: from another process's commit to the socket of each of two readers.

    python bench/stream.py [--json]

One reader hears of all loops, the other of the one that changes. The writer is a process of its own, as the command
line and runners are. Milliseconds.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.browser.served import ROOT, served
from tests.server.listening import Listener
from tests.store.making import files_at, loop

CHANGES = 200
WRITER = """
import sys, time
from pathlib import Path
from tests.store.making import files_at, retitle
with files_at(Path(sys.argv[1])) as store:
    for n in range(int(sys.argv[2])):
        time.sleep(0.02)
        retitle(store, f"title {n}")
        print(time.monotonic(), flush=True)
"""


def measure() -> dict[str, dict[str, float]]:
    """`{reader: {p50, p95, worst}}`."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        root = server.project()
        with files_at(root) as store:
            store.create(loop(), actor="cli")
        server.start()
        paths = {"all loops": "/api/stream", "one loop": "/api/loops/v2/loop-1/stream"}
        readers = {name: Listener(server.port, server.token, path).start() for name, path in paths.items()}
        writer = subprocess.run(
            [sys.executable, "-c", WRITER, str(root), str(CHANGES)],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        committed = [float(line) for line in writer.stdout.split()]
        figures = {}
        for name, reader in readers.items():
            while len(reader.seen) < CHANGES:
                time.sleep(0.01)
            reader.stop()
            late = sorted((seen.at - at) * 1000 for seen, at in zip(reader.seen, committed, strict=True))
            figures[name] = {"p50": late[CHANGES // 2], "p95": late[CHANGES * 95 // 100], "worst": late[-1]}
        return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    given = parser.parse_args()
    figures = measure()
    if given.json:
        print(json.dumps(figures))
        return
    for name, f in figures.items():
        print(f"{name:20} p50 {f['p50']:.1f}  p95 {f['p95']:.1f}  worst {f['worst']:.1f}  ms after the commit")


if __name__ == "__main__":
    main()
