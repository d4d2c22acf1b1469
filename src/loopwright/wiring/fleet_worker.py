"""A worker of the fleet: takes runs from the queue, drives each in a checkout of its own, and hands the result on."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loopwright.core.config import Config
from loopwright.core.errors import Conflict, Fenced, LoopwrightError, StoreError
from loopwright.core.fleet import Claim, FleetStatus, Job
from loopwright.core.pause import is_due
from loopwright.core.run_commands import RunService
from loopwright.fleet.database import Database, check_tables
from loopwright.fleet.queue import DbosDispatcher, TakenJobs
from loopwright.fleet.workers import Membership, make_executor
from loopwright.wiring import Engine, open_engine
from loopwright.wiring.fleet import FleetMark, fleet_url, set_mark

if TYPE_CHECKING:
    from loopwright.core.fleet import Depot

RETRY = timedelta(seconds=30)
"""After which a run that could not be driven is tried again, perhaps elsewhere; that long this worker takes nothing."""

WAIT_SECONDS = 2.0
"""Between two tries to reach the database."""

END_SECONDS = 10.0
"""Which a runner has to end what it has started."""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Outcome:
    """How a claim ends; `trouble` says why, where that is not what anybody wanted."""

    status: FleetStatus
    at: datetime | None = None
    trouble: str = ""


class FleetWorker:
    """One for each `place`, the folder that it works in. `say` gets a line about all that happens."""

    def __init__(self, config: Config, place: Path, slots: int, depot: "Callable[[str], Depot]", say: Say) -> None:
        self._config, self._place, self._slots, self._depot, self._say = config, place, slots, depot, say
        self._executor = make_executor()
        self._database = Database(fleet_url(config))
        self._dispatcher = DbosDispatcher(self._database, self._executor)
        self._runners: dict[str, subprocess.Popen[bytes]] = {}
        self._ending = threading.Event()
        self._lost = threading.Event()
        self._rests_until = 0.0

    def serve(self, *, drain: bool) -> bool:
        """Works until `end`, or with `drain` until no job is left. False: it was taken for dead, and has to begin anew."""
        with self._alone():
            self._await_database()
            beat = Database(self._database.url)
            with Membership(beat, self._executor, self._slots, self._give_up) as member:
                with self._dispatcher.serving(self._slots, self._work, self._may_take) as jobs:
                    member.jobs = jobs
                    self._say(f"{self._executor} takes runs, {self._slots} at a time")
                    self._wait(jobs, drain)
                    self._end_runners(signal.SIGTERM)
                    while jobs.taken and not self._lost.wait(0.1):
                        pass
                if not self._lost.is_set():
                    member.leave()
        return not self._lost.is_set()

    def end(self) -> None:
        """Its runs are handed to others. Can be called from a signal handler."""
        self._ending.set()

    def _wait(self, jobs: TakenJobs, drain: bool) -> None:
        while not (self._ending.wait(0.2) or self._lost.is_set()):
            if drain and not jobs.taken and not self._dispatcher.waiting(tuple(self._config.fleet.accounts)):
                return

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Conflict where another worker has the place; what a killed one left there is ended and removed."""
        from loopwright.processes.runner_processes import end_marked

        self._place.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._place / "lock").open("ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Conflict(
                    f"another worker is at work in {self._place}; name another folder with --place"
                ) from None
            for folder in self._place.glob("*/project"):
                end_marked(folder.parent.name, folder)
                self._clear(folder.parent)
            yield

    def _await_database(self) -> None:
        told = ""
        while True:
            try:
                with self._database.transaction() as open:
                    return check_tables(open)
            except StoreError as error:
                if "fleet init" in str(error):
                    raise
                if told != str(error):
                    told = str(error)
                    self._say(f"waiting: {told}")
                if self._ending.wait(WAIT_SECONDS):
                    return None

    def _may_take(self, account: str) -> bool:
        known = self._config.fleet.accounts
        resting = time.monotonic() < self._rests_until
        return not (resting or self._ending.is_set()) and (not known or account in known)

    def _give_up(self) -> None:
        """Nobody knows any more that this worker lives: whatever it drives ends now, before others take over."""
        self._say("the fleet's database was not reached for too long; all runs are left to other workers")
        self._lost.set()
        self._end_runners(signal.SIGKILL)

    def _end_runners(self, number: int) -> None:
        for process in tuple(self._runners.values()):
            process.send_signal(number)

    def _work(self, job: Job) -> None:
        try:
            claim = self._surely(lambda: self._dispatcher.claim(job))
        except Fenced:
            self._give_up()
            return
        if claim is None:
            return
        begun = time.monotonic()
        outcome = self._outcome(claim)
        if outcome.trouble:
            self._say(f"{claim.id}: {outcome.trouble}")
        if not self._lost.is_set():
            self._surely(lambda: self._dispatcher.release(claim, outcome.status, at=outcome.at))
            self._say(f"{claim.id} {outcome.status} after {time.monotonic() - begun:.0f} s")

    def _surely(self, work: Callable[[], Any]) -> Any:  # Any: what it gives
        """Tries until the database answers, or this worker is lost."""
        while True:
            try:
                return work()
            except StoreError:
                if self._lost.wait(WAIT_SECONDS):
                    raise Fenced("this worker was lost") from None

    def _outcome(self, claim: Claim) -> Outcome:
        folder = self._place / claim.id
        try:
            return self._driven(claim, folder)
        except (LoopwrightError, OSError) as error:
            self._rests_until = time.monotonic() + RETRY.total_seconds()
            return Outcome("queued", datetime.now().astimezone() + RETRY, f"cannot be driven here now: {error}")
        finally:
            self._clear(folder)

    def _driven(self, claim: Claim, folder: Path) -> Outcome:
        project, depot = folder / "project", self._depot(claim.remote)
        depot.check_out(claim.id, claim.base, project)
        set_mark(project, claim.id, FleetMark(token=claim.token, remote=claim.remote, base=claim.base))
        with open_engine(project, {}, actor="fleet") as engine:
            service = service_of(engine, claim)
            service.store.replace_journal(claim.id, claim.journal)
            depot.fetch_checkpoints(claim.id, project)
            state = service.read(claim.id)
            if kept := state.engine.checkpoints:
                service.workspace.restore(kept[-1].commit)
            if is_due(state, service.clock.now()):
                service.commit(claim.id, service.rules.resume, "resumed", why="the limit has reset")
        return Outcome("finished")

    def _clear(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)


def service_of(engine: Engine, claim: Claim) -> RunService[Any]:  # Any: states of its kind
    return {"loop_id": engine.service, "cycle_id": engine.cycles, "tuning_id": engine.tunings}[claim.kind]
