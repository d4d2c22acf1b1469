"""Thirty-two processes write to one loop, while others read it through the store and as plain JSON."""

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from tests.store.making import ID, files_at, journal_of, loop
from tests.store.stranger import independent_replay

HERE = Path(__file__).resolve().parent.parent.parent
PROCESSES = 32
STRANGER = """
import json, sys
last = reads = 0
while not sys.stdin.closed:
    with open(sys.argv[1], "rb") as file:
        rev = json.load(file)["engine"]["rev"]
    assert rev >= last, "the file went back"
    last, reads = rev, reads + 1
    if last > int(sys.argv[2]):
        break
print(reads)
"""
CROWD = """
import os, sys
from tests.store.worker import main
root, told, processes, each = sys.argv[1:]
children = []
for n in range(int(processes)):
    child = os.fork()
    if child == 0:
        sys.stdout = open(f"{told}/{n}", "w")
        main(root, "tags", f"w{n}", each)
        sys.stdout.close()
        os._exit(0)
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 ten times fifty updates by each process; fewer rounds and updates below."""
    rounds, each = max(1, round(10 * scale)), max(5, min(50, round(500 * scale)))
    reads = sum(_round(each) for _ in range(rounds))
    return {"updates kept": rounds * each * PROCESSES, "whole files read by strangers": reads}


def _round(each: int) -> int:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        root, told_in = Path(folder) / "project", Path(folder) / "told"
        root.mkdir()
        told_in.mkdir()
        store = stack.enter_context(files_at(root))
        store.create(loop(), actor="user")
        state_file = root / ".workflow" / ".loop" / f"{ID}.json"
        stranger = _python(stack, "-c", STRANGER, str(state_file), str(each * PROCESSES))
        crowd = _python(stack, "-c", CROWD, str(root), str(told_in), str(PROCESSES), str(each))
        while crowd.poll() is None:
            seen = store.read(ID)
            assert len(seen.tags or ()) == seen.engine.rev - 1, "what is read is exact"
        _said(crowd)
        told = [tag for path in told_in.iterdir() for tag in path.read_text().split()]
        reads = int(_said(stranger))
        state = store.read(ID)
        assert len(told) == each * PROCESSES
        assert sorted(state.tags or ()) == sorted(told)
        assert state.engine.incidents == ()
        replayed = independent_replay(journal_of(root).read_bytes())
        assert replayed == json.loads(state_file.read_bytes()) == state.model_dump(mode="json")
    return reads


def _python(stack: ExitStack, *words: str) -> "subprocess.Popen[str]":
    command = [sys.executable, *words]
    process = stack.enter_context(
        subprocess.Popen(command, cwd=HERE, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
    )
    stack.callback(process.kill)
    return process


def _said(process: "subprocess.Popen[str]") -> str:
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, f"exit code {process.returncode}"
    return out
