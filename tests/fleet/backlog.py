"""A backlog of runs, and machines that work it off while they are killed, frozen and cut off."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import psycopg

from loopwright.core.fleet import Source, Submission
from loopwright.fleet.database import Database
from loopwright.fleet.queue import DbosDispatcher
from tests.fleet.stub_worker import STEPS

ROOT = Path(__file__).parents[2]
OVER = """
SELECT (SELECT count(*) FROM (SELECT account FROM held GROUP BY account HAVING count(*) > %(account)s) AS full_ones)
+ (SELECT count(*) FROM (SELECT account FROM held GROUP BY account, owner HAVING count(*) > %(user)s) AS full_ones)
"""
HELD = "WITH held AS (SELECT * FROM fleet_loop JOIN fleet_worker ON executor = holder WHERE status = 'running')"
"""By machines that count as living."""

BROKEN = """
SELECT count(*) FROM (
    SELECT at, sum(octet_length(data)) OVER (PARTITION BY id ORDER BY at) - octet_length(data) AS before,
    token, max(token) OVER (PARTITION BY id ORDER BY at) AS highest FROM fleet_journal
) AS line WHERE at <> before OR token < highest
"""
"""Lines that do not begin where the one before ends, or were written after a higher token's."""


class Deeds(NamedTuple):
    """How often the machines were hurt."""

    kills: int = 0
    freezes: int = 0
    cuts: int = 0


@dataclass
class Machines:
    """Stub workers, each started again when it ends."""

    url: str
    folder: Path
    count: int
    slots: int
    seconds: float
    deeds: Deeds = field(default_factory=Deeds)
    _processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)
    _frozen: dict[int, float] = field(default_factory=dict)

    def start(self) -> None:
        self._processes = [self._started(n) for n in range(self.count)]

    def tend(self) -> None:
        """Starts what has ended, and thaws what was frozen long enough."""
        for pid, until in tuple(self._frozen.items()):
            if time.time() > until:
                self._signal(pid, signal.SIGCONT)
                del self._frozen[pid]
        for n, process in enumerate(self._processes):
            if process.poll() is not None:
                self._processes[n] = self._started(n)

    def hurt(self, chance: random.Random) -> None:
        """Kills or freezes one of them, or cuts a third of all connections."""
        deed, process = chance.choice(["kill", "freeze", "cut"]), chance.choice(self._processes)
        if deed == "kill":
            process.kill()
            self.deeds = self.deeds._replace(kills=self.deeds.kills + 1)
        elif deed == "freeze":
            self._signal(process.pid, signal.SIGSTOP)
            self._frozen[process.pid] = time.time() + chance.uniform(2, 20)
            self.deeds = self.deeds._replace(freezes=self.deeds.freezes + 1)
        else:
            ask(
                self.url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND pid <> pg_backend_pid() AND random() < 0.3",
            )
            self.deeds = self.deeds._replace(cuts=self.deeds.cuts + 1)

    def end(self) -> None:
        for process in self._processes:
            process.kill()
            process.wait()

    def notes(self) -> list[list[Any]]:  # Any: of a line of theirs
        lines = (line for path in self.folder.glob("*.log") for line in path.read_text().splitlines())
        return sorted(json.loads(line) for line in lines if line.endswith("]"))

    def waits(self) -> list[float]:
        """Seconds for which each slot that a run had left was free until it had the next one, the shortest first."""
        return sorted(note[3] for note in self.notes() if note[2] == "began" and note[3] is not None)

    def _started(self, n: int) -> "subprocess.Popen[bytes]":
        argv = [sys.executable, "-m", "tests.fleet.stub_worker", self.url, str(self.slots), str(self.seconds)]
        with (self.folder / "errors").open("ab") as errors:
            return subprocess.Popen(
                [*argv, str(self.folder / f"{n}.log")],
                stdout=errors,
                stderr=errors,
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
            )

    def _signal(self, pid: int, number: int) -> None:
        if any(process.pid == pid and process.poll() is None for process in self._processes):
            os.kill(pid, number)


def ask(url: str, query: str, values: dict[str, object] | None = None) -> list[tuple[Any, ...]]:  # Any: columns
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(query, values)
        return found.fetchall() if found.description else []


def make_backlog(url: str, runs: int, accounts: Sequence[str], users: Sequence[str], chance: random.Random) -> float:
    """Submits them in one transaction; how many a second."""
    database = Database(url)
    dispatcher = DbosDispatcher(database)
    backlog = [
        Submission(
            id=f"loop-{n:05d}",
            kind="loop_id",
            title="Nothing much",
            account=chance.choice(accounts),
            user=chance.choice(users),
            source=Source(remote="nowhere", base="0" * 40),
            journal=f"step 0 of loop-{n:05d}\n".encode(),
        )
        for n in range(runs)
    ]
    begun = time.monotonic()
    dispatcher.submit(backlog)
    rate = runs / (time.monotonic() - begun)
    database.close()
    return rate


def over_limits(url: str, account: int, user: int) -> int:
    """How many accounts, and users of them, have more runs at work than they may."""
    ((found,),) = ask(url, f"{HELD} {OVER}", {"account": account, "user": user})
    return int(found)


def statuses(url: str) -> dict[str, int]:
    return dict(ask(url, "SELECT status, count(*) FROM fleet_loop GROUP BY status"))


def faults(url: str) -> dict[str, int]:
    """What must not be, once all is worked off: each by number."""
    whole = "".join(f"step {n} of %s\n" for n in range(STEPS))
    ((broken,),) = ask(url, BROKEN)
    journals = ask(url, "SELECT id, string_agg(data, '' ORDER BY at) FROM fleet_journal GROUP BY id")
    wrong = sum(bytes(journal).decode() != whole.replace("%s", id) for id, journal in journals)
    ((stuck,),) = ask(url, "SELECT count(*) FROM dbos.workflow_status WHERE status <> 'SUCCESS'")
    return {"broken lines": int(broken), "wrong journals": wrong, "stuck jobs": int(stuck)}
