"""Commands on runs of the fleet, kept in PostgreSQL until the machine that holds the run has answered them."""

import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import asdict

import orjson
import psycopg
from psycopg.rows import class_row
from pydantic import JsonValue, TypeAdapter

from loopwright.core.errors import NotFound
from loopwright.core.fleet import Sent, Signal, SignalAnswer
from loopwright.fleet.database import Database, connect, told_errors
from loopwright.fleet.queue import ask_for_control

SENT, ANSWERED = "fleet_signal", "fleet_answer"
"""Channels: the name of the machine that a command is for; the number of one that has its answer."""

LOOK_SECONDS = 1.0
"""After which an answer is looked for, though nobody has told of one."""

HOLD = "SELECT FROM fleet_loop WHERE id = %s FOR NO KEY UPDATE"
"""So that the run is neither claimed nor released before the command is there, and a run's commands have one order."""

INSERT = "INSERT INTO fleet_signal (id, command, args, actor) VALUES (%s, %s, %s, %s) RETURNING n"
HOLDER = """
SELECT (SELECT holder FROM fleet_loop JOIN fleet_worker ON executor = holder WHERE id = %s),
EXISTS (SELECT FROM fleet_worker)
"""
OPEN = """
SELECT n, id, command, args, actor FROM fleet_signal JOIN fleet_loop USING (id)
WHERE done IS NULL AND holder = %s ORDER BY n
"""
ANSWER = f"""
UPDATE fleet_signal SET done = now(), answer = %(answer)s WHERE n = %(n)s AND done IS NULL
AND EXISTS (SELECT FROM fleet_loop WHERE fleet_loop.id = fleet_signal.id AND holder = %(executor)s)
RETURNING pg_notify('{ANSWERED}', n::text)
"""
LOOK = "SELECT answer FROM fleet_signal WHERE n = %s AND done IS NOT NULL"

_ANSWER = TypeAdapter(SignalAnswer)


class PostgresSignals:
    """As core.fleet.Signals promises. `executor` names this machine; whoever only sends has none."""

    def __init__(self, database: Database, executor: str = "") -> None:
        self._database, self._executor = database, executor
        self._ear: psycopg.Connection | None = None

    def send(self, id: str, command: str, args: Mapping[str, JsonValue], actor: str) -> Sent:
        with self._database.transaction() as connection:
            if connection.execute(HOLD, (id,)).rowcount == 0:
                raise NotFound(f"the fleet has no run {id}")
            (n,) = connection.execute(INSERT, (id, command, orjson.dumps(args).decode(), actor)).fetchone() or (0,)
            holder, served = connection.execute(HOLDER, (id,)).fetchone() or (None, False)
            if holder:
                connection.execute("SELECT pg_notify(%s, %s)", (SENT, holder))
            else:
                ask_for_control(connection, id)
            return Sent(n, holder is not None, served)

    def await_answer(self, n: int, seconds: float) -> SignalAnswer | None:
        deadline = time.monotonic() + seconds
        with closing(connect(self._database.url)) as ear, told_errors():
            ear.execute(f"LISTEN {ANSWERED}")
            while True:
                found = ear.execute(LOOK, (n,)).fetchone()
                left = deadline - time.monotonic()
                if found or left <= 0:
                    return _ANSWER.validate_python(found[0]) if found else None
                for told in ear.notifies(timeout=min(left, LOOK_SECONDS)):
                    if told.payload == str(n):
                        break

    def await_signals(self, seconds: float) -> None:
        with told_errors():
            if self._ear is None or self._ear.closed:
                self._ear = connect(self._database.url)
                self._ear.execute(f"LISTEN {SENT}")
                return
            for told in self._ear.notifies(timeout=seconds):
                if told.payload == self._executor:
                    return

    def open_signals(self) -> Sequence[Signal]:
        with self._database.transaction() as connection:
            return connection.cursor(row_factory=class_row(Signal)).execute(OPEN, (self._executor,)).fetchall()

    def answer(self, n: int, answer: SignalAnswer) -> bool:
        given = {"n": n, "answer": orjson.dumps(asdict(answer)).decode(), "executor": self._executor}
        with self._database.transaction() as connection:
            return connection.execute(ANSWER, given).fetchone() is not None

    def close(self) -> None:
        """Ends its connections."""
        self._database.close()
        if self._ear:
            self._ear.close()
