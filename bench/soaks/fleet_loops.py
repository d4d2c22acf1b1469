"""Real loops in a fleet whose workers are killed: all finish, as if nothing had happened, within a time."""

import random
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import orjson

from tests.fleet.backlog import ask
from tests.fleet.postgres import serve
from tests.fleet.real_fleet import Machine, RealFleet, open_fleet, until

LOOPS, KILLS = 30, 10
MACHINES, SLOTS, AT_ONCE = 3, 6, 8
"""More slots than runs at a time: whatever a killed machine had finds a free one."""

STEPS = ("echo one >> notes.txt", "sleep 1; echo two >> notes.txt; echo x > x.txt", "sleep 1; echo three >> notes.txt")
WRONG = "def add(a, b):\n    return a - b\n\n\ndef sub(a, b):\n    return a - b\n"
TEST = """
import unittest

import calc


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(calc.add(2, 3), 5)
"""
REACHED = """
SELECT data FROM fleet_journal WHERE id = %(id)s AND token > %(token)s ORDER BY at LIMIT 1
"""


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """Loops, kills, and how long it took until the next machine had committed something (p95 and most, in ms)."""
    loops, kills = max(6, round(LOOPS * scale)), max(2, round(KILLS * scale))
    with serve() as server, tempfile.TemporaryDirectory(prefix="loopwright-loops-") as place:
        ask(f"{server.url}postgres", "CREATE DATABASE undisturbed")
        ask(f"{server.url}postgres", "CREATE DATABASE disturbed")
        calm, _ = _driven(f"{server.url}undisturbed", Path(place) / "undisturbed", loops, 0, chance)
        trees, waits = _driven(f"{server.url}disturbed", Path(place) / "disturbed", loops, kills, chance)
        assert trees == calm, "a branch differs from what it holds when nobody is killed"
        took = sorted(waits)
        return {
            "loops": loops,
            "kills": kills,
            "taken over": len(took),
            "ms until the next commit (p95)": round(1000 * took[int(0.95 * len(took))]) if took else 0,
            "ms at most": round(1000 * took[-1]) if took else 0,
        }


def _driven(
    url: str, folder: Path, loops: int, kills: int, chance: random.Random
) -> tuple[dict[str, str], list[float]]:
    """How each loop ended and what its branch holds then, and the seconds that runs of killed machines waited."""
    folder.mkdir()
    with open_fleet(url, folder) as fleet:
        (fleet.project.root / "calc.py").write_text(WRONG)
        (fleet.project.root / "test_calc.py").write_text(TEST)
        fleet.git("add", "--all")
        fleet.git("commit", "--quiet", "--message=calc")
        fleet.git("push", "--quiet", "origin", "main")
        fleet.command("fleet", "accounts", "default", "--slots", str(AT_ONCE))
        for n in range(loops):
            _submit(fleet, n)
        machines = [fleet.machine(SLOTS).start() for _ in range(MACHINES)]
        killed, waits = list[tuple[str, int, float]](), list[float]()
        while not all(run["status"] == "finished" for run in _runs(url).values()):
            goes_on = all(_is_taken_over(url, id, token) for id, token, _ in killed)
            if kills and goes_on and chance.random() < 0.1 and (deed := _kill(url, chance.choice(machines))):
                kills, killed = kills - 1, killed + deed
            time.sleep(0.3)
            for machine in machines:
                if machine.process and machine.process.poll() is not None:
                    until(lambda machine=machine: machine.left() == [], 10)
                    machine.start()
        waits = [_wait(url, *one) for one in killed]
        branches = {id: run["branch"] for id, run in _runs(url).items()}
        ends = {id: fleet.command("fetch", id)["engine"]["outcome"] for id in branches}
        return {id: f"{ends[id]}\n{fleet.tree(branch)}" for id, branch in branches.items() if branch}, waits


def _submit(fleet: RealFleet, n: int) -> None:
    id = f"loop-{n:02d}"
    if n % 3 == 2:
        fleet.make_loop(id, ())
    else:
        fleet.make_loop(id, STEPS)
    fleet.command("submit", id)


def _runs(url: str) -> dict[str, Any]:  # Any: columns
    rows = ask(url, "SELECT id, status, holder, token, branch FROM fleet_loop")
    return {id: dict(zip(("status", "holder", "token", "branch"), more, strict=True)) for id, *more in rows}


def _kill(url: str, machine: Machine) -> list[tuple[str, int, float]]:
    """The runs that it had, by token, and when they lost it; none where it had none."""
    executor = next((line.split()[1] for line in reversed(machine.output.splitlines()) if "takes runs" in line), "")
    had = [(id, run["token"], time.time()) for id, run in _runs(url).items() if run["holder"] == executor]
    if had:
        machine.kill()
    return had


def _is_taken_over(url: str, id: str, token: int) -> bool:
    """Whether another machine has committed something, or there was nothing left to do. A machine is killed only then:
    what is measured is how long one kill lasts.
    """
    query = "SELECT status FROM fleet_loop WHERE id = %(id)s"
    return bool(ask(url, REACHED, {"id": id, "token": token})) or ask(url, query, {"id": id}) == [("finished",)]


def _wait(url: str, id: str, token: int, at: float) -> float:
    """Seconds from its kill to the first line of the next claim; 0 where it had committed its last already."""
    found = ask(url, REACHED, {"id": id, "token": token})
    if not found:
        return 0.0
    line = orjson.loads(bytes(found[0][0]).splitlines()[0])
    return datetime.fromisoformat(line["ts"]).timestamp() - at
