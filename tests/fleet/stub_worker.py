"""A worker whose runs are made of a few commits: `stub_worker URL SLOTS SECONDS LOG`.

Everything but what a run does is the real thing. What happens goes to LOG, a JSON list a line.
"""

import json
import os
import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any, TextIO

from loopwright.core.errors import Fenced, UncertainCommit
from loopwright.core.fleet import Job, Release
from loopwright.fleet.database import Database, Unreachable
from loopwright.fleet.queue import DbosDispatcher
from loopwright.fleet.replica import PostgresReplica
from loopwright.fleet.workers import Membership, make_executor

STEPS = 4


class StubWorker:
    """`seconds` is what a run takes on average."""

    def __init__(self, url: str, slots: int, seconds: float, log: TextIO) -> None:
        self._slots, self._seconds, self._log = slots, seconds, log
        self._executor = make_executor()
        self._url = url
        self._dispatcher = DbosDispatcher(Database(url), self._executor)
        self._turn = threading.Lock()
        self._free_since: list[float | None] = [None] * slots

    def serve(self) -> None:
        member = Membership(Database(self._url), self._executor, self._slots, self._end)
        self._surely(member.__enter__)
        with self._dispatcher.serving(self._slots, self._work, lambda account: True, lambda id: None) as jobs:
            member.jobs = jobs
            self._note("up")
            threading.Event().wait()

    def _work(self, job: Job) -> None:
        with self._turn:
            since = self._free_since.pop(0)
            self._note("began", None if since is None else time.time() - since)  # None: it was still starting
        try:
            self._drive(job)
        except Fenced:
            self._end()
        finally:
            with self._turn:
                self._free_since.append(time.time())

    def _drive(self, job: Job) -> None:
        claim = self._surely(lambda: self._dispatcher.claim(job))
        if claim is None:
            self._note("void", job.id)
            return
        self._note("claimed", claim.id, claim.token)
        replica = PostgresReplica(self._url, lambda id: claim.token)
        at = len(claim.journal)
        try:
            for step in range(claim.journal.count(b"\n"), STEPS):
                time.sleep(self._seconds / STEPS * random.uniform(0.5, 1.5))
                line = f"step {step} of {claim.id}\n".encode()
                replica.append(claim.id, at, line)
                at += len(line)
        except (Fenced, UncertainCommit) as error:
            self._note("broken off", claim.id, str(error))
            self._surely(lambda: self._dispatcher.release(claim, Release("queued")))
            return
        finally:
            replica.close()
        self._surely(lambda: self._dispatcher.release(claim, Release("finished")))

    def _surely(self, work: Callable[[], Any]) -> Any:  # Any: what it gives
        while True:
            try:
                return work()
            except Unreachable:
                time.sleep(0.3)

    def _end(self) -> None:
        self._note("lost")
        os._exit(3)

    def _note(self, *what: object) -> None:
        self._log.write(json.dumps([time.time(), self._executor, *what]) + "\n")


if __name__ == "__main__":
    address, slots_, seconds_, path = sys.argv[1:]
    with open(path, "a", buffering=1) as log_:
        StubWorker(address, int(slots_), float(seconds_), log_).serve()
