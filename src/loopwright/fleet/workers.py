"""Which workers live: each says so every second, and the jobs of one that does not are handed to others."""

import os
import socket
import threading
import time
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Self

from loopwright import __version__
from loopwright.core.fleet import JobQueue
from loopwright.fleet.database import Database, Unreachable
from loopwright.fleet.queue import CONTROL, DEAD_SECONDS, SET_PACE, ask_for_control, restore_jobs

BEAT_SECONDS = 1.0
BEAT_LIMIT = 2.0
"""Seconds after which a beat that is not answered has failed."""

SURE_SECONDS = 7.0
"""Without a beat that reached the database, for which a worker may still take itself for living."""

JOIN = "INSERT INTO fleet_worker (executor, host, slots, version) VALUES (%s, %s, %s, %s)"
BEAT = "UPDATE fleet_worker SET beat = now() WHERE executor = %s RETURNING executor"
BURY = "DELETE FROM fleet_worker WHERE beat < now() - make_interval(secs => %s)"
RESTORE_TURNS = 30
"""Of those who bury the dead; in one of so many it is looked whether all that shall run has a job."""

TURN = "SELECT pg_try_advisory_xact_lock(hashtext('loopwright fleet'))"
"""One at a time buries the dead."""

ABANDONED = """
SELECT workflow_uuid, executor_id FROM dbos.workflow_status WHERE status = 'PENDING' AND (
    executor_id = %(executor)s
    OR %(turn)s AND NOT EXISTS (SELECT FROM fleet_worker WHERE executor = executor_id)
)
"""
FORGOTTEN_SECONDS = 20.0
FORGOTTEN = f"""
SELECT DISTINCT id FROM fleet_signal JOIN fleet_loop USING (id)
WHERE done IS NULL AND made < now() - make_interval(secs => %s)
AND NOT EXISTS (SELECT FROM fleet_worker WHERE executor = holder)
AND NOT EXISTS (SELECT FROM dbos.workflow_status WHERE name = '{CONTROL}' AND status IN ('ENQUEUED', 'PENDING'))
"""
"""Runs with commands that nobody was asked to apply, or whose worker ended while it was."""


def make_executor() -> str:
    """A name that no worker had before, not even this one before it was started again."""
    return f"{socket.gethostname()}-{os.getpid()}-{os.urandom(3).hex()}"


class Membership:
    """One worker's place among the living, for as long as its context lasts.

    `lost` is called once, in a thread of its own, when it is not sure to count as living any more: whatever it drives
    must end before others take over. `jobs`: what it has from the queue, once it has one.
    """

    def __init__(self, database: Database, executor: str, slots: int, lost: Callable[[], None]) -> None:
        self._database, self._executor, self._slots, self._lost = database, executor, slots, lost
        self._ended = threading.Event()
        self._unheard = frozenset[str]()
        self._turns = count(1)
        self._beat_at = time.monotonic()
        self._thread = threading.Thread(target=self._live, name="beat", daemon=True)
        self.jobs: JobQueue | None = None

    @property
    def is_sure(self) -> bool:
        """Whether nobody can have taken it for dead."""
        return time.monotonic() - self._beat_at < SURE_SECONDS

    def __enter__(self) -> Self:
        with self._database.transaction() as connection:
            connection.execute(JOIN, (self._executor, socket.gethostname(), self._slots, __version__))
        self._beat_at = time.monotonic()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def leave(self) -> None:
        """It beats no more, and its row goes; jobs that it still has are handed to others."""
        self._ended.set()
        self._thread.join()
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM fleet_worker WHERE executor = %s", (self._executor,))

    def _live(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            begun = time.monotonic()
            try:
                if not self._beat():
                    break
                self._beat_at = begun
                if self.jobs:
                    self._hand_on(self.jobs)
            except Unreachable:
                if not self.is_sure:
                    break
        else:
            return
        self._lost()

    def _beat(self) -> bool:
        with self._database.transaction(BEAT_LIMIT) as connection:
            return connection.execute(BEAT, (self._executor,)).fetchone() is not None

    def _hand_on(self, jobs: JobQueue) -> None:
        """Queues again what dead workers had, and what the queue gave this one without its ever hearing of it."""
        with self._database.transaction(BEAT_LIMIT) as connection:
            turn = connection.execute(TURN).fetchone() == (True,)
            if turn:
                connection.execute(BURY, (DEAD_SECONDS,))
                connection.execute(SET_PACE)
                for (id,) in connection.execute(FORGOTTEN, (FORGOTTEN_SECONDS,)).fetchall():
                    ask_for_control(connection, id)
                if next(self._turns) % RESTORE_TURNS == 0:
                    restore_jobs(connection)
            found = connection.execute(ABANDONED, {"executor": self._executor, "turn": turn}).fetchall()
        taken = jobs.taken
        unheard = frozenset(name for name, executor in found if executor == self._executor and name not in taken)
        for name, executor in found:
            if executor != self._executor or name in unheard & self._unheard:
                jobs.return_job(name, executor)
        self._unheard = unheard
