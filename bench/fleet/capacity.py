"""What one PostgreSQL bears: its own CPU time for a worker that waits, a loop, a claim, and a line of a journal.

    python -m bench.fleet.capacity

Workers, database and whatever else runs here share the cores, so that rates are those of this machine; CPU time tells
what the database alone needs. Loops are stubs of three lines.
"""

import multiprocessing
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from itertools import cycle
from multiprocessing.synchronize import Barrier
from pathlib import Path
from typing import NamedTuple

from dbos import DBOSClient
from sqlalchemy.exc import DBAPIError

from loopwright.fleet.database import Database
from loopwright.fleet.queue import PROTOCOL, QUEUE, DbosDispatcher
from loopwright.fleet.replica import PostgresReplica
from tests.fleet.backlog import Machines, ask, make_backlog
from tests.fleet.postgres import Server, serve
from tests.real_command import COMMAND

USERS = tuple(f"user-{n}" for n in range(8))
WAITING = ((1, 1, 0.2), (1, 4, 0.2), (1, 8, 0.2), (1, 4, 2.0), (4, 4, 0.2), (4, 4, 2.0))
"""Workers, accounts, and after how many seconds a worker looks for jobs again."""

PROCESSES = (1, 2, 4, 8)
SLOTS, ACCOUNTS, BACKLOG, SECONDS = 5, 4, 1500, 10.0
TAKEN = "SELECT count(*) FROM dbos.workflow_status WHERE status = 'PENDING'"
LINE = b'{"seq":1,"event":"action_ended","data":"' + b"x" * 400 + b'"}\n'
TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """`rate`: how many a second; `cpu`: cores of the database at work for them; `load` of the machine."""

    rate: float
    cpu: float
    load: float


def database_seconds(server: Server) -> float:
    """CPU time of the server so far, with all backends that it ever had."""
    pid = (server.folder / "data" / "postmaster.pid").read_text().split()[0]
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return _seconds(pid, 4) + sum(_seconds(child, 2) for child in children)


def _seconds(pid: str, fields: int) -> float:
    with suppress(FileNotFoundError):
        return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11 : 11 + fields])) / TICKS
    return 0.0


def watch(server: Server, url: str, query: str) -> Cost:
    """What the query counts while the next SECONDS last."""
    begun, cpu, before = time.monotonic(), database_seconds(server), number(url, query)
    time.sleep(SECONDS)
    after, seconds = number(url, query), time.monotonic() - begun
    return Cost((after - before) / seconds, (database_seconds(server) - cpu) / seconds, os.getloadavg()[0])


def number(url: str, query: str) -> int:
    ((found,),) = ask(url, query)
    return int(found)


def names(accounts: int) -> list[str]:
    return [f"account-{n}" for n in range(accounts)]


def make_fleet(server: Server, name: str, accounts: int, runs: int) -> str:
    """The address of one whose accounts set no limit that matters, with a backlog."""
    ask(f"{server.url}postgres", f"CREATE DATABASE {name}")
    with closing(Database(f"{server.url}{name}")) as database:
        dispatcher = DbosDispatcher(database)
        dispatcher.make_tables()
        for account in names(accounts):
            dispatcher.set_account(account, 10 * BACKLOG)
    make_backlog(f"{server.url}{name}", runs, names(accounts), USERS, random.Random(7))
    return f"{server.url}{name}"


def of_waiting(server: Server, workers: int, accounts: int, poll: float, place: Path) -> tuple[Cost, float]:
    """Transactions of real workers without work, and connections of each."""
    url = make_fleet(server, name := f"waiting_{workers}_{accounts}_{poll:.0f}", accounts, 0)
    ask(url, "UPDATE dbos.queues SET polling_interval_sec = %(poll)s", {"poll": poll})
    environment = {**os.environ, "LOOPWRIGHT_FLEET_URL": url, "XDG_STATE_HOME": str(place / name)}
    (home := place / name).mkdir()
    argv = [*COMMAND, "fleet", "worker", "--slots", "2", "--project", str(home), "--place"]
    started = [
        subprocess.Popen([*argv, str(home / str(n))], env=environment, stdout=subprocess.DEVNULL)
        for n in range(workers)
    ]
    try:
        while number(url, "SELECT count(*) FROM fleet_worker") < workers:
            time.sleep(0.2)
        time.sleep(3)
        cost = watch(server, url, "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()")
        connections = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = current_database()"
        return cost, number(url, connections) / workers
    finally:
        for worker in started:
            worker.terminate()
        for worker in started:
            worker.wait()


def of_loops(server: Server, workers: int, place: Path) -> Cost:
    """Stub workers with more to do than they can."""
    url = make_fleet(server, name := f"loops_{workers}", ACCOUNTS, BACKLOG)
    (home := place / name).mkdir()
    machines = Machines(url, home, workers, SLOTS, 0.0)
    machines.start()
    try:
        while sum(note[2] == "up" for note in machines.notes()) < workers:
            time.sleep(0.2)
        return watch(server, url, "SELECT count(*) FROM fleet_loop WHERE status = 'finished'")
    finally:
        machines.end()


def of_claims(server: Server, processes: int) -> Cost:
    """Processes that do nothing but take jobs of one account, as they can only one after the other."""
    url = make_fleet(server, f"claims_{processes}", 1, 2 * BACKLOG)
    return in_processes(server, processes, take_jobs, url, TAKEN)


def of_lines(server: Server, processes: int) -> Cost:
    """Processes that write lines, each to a journal of its own."""
    url = make_fleet(server, f"lines_{processes}", 1, processes)
    return in_processes(server, processes, write_lines, url, f"SELECT sum(journal_end) / {len(LINE)} FROM fleet_loop")


def take_jobs(url: str, n: int, ready: Barrier) -> None:
    client = DBOSClient(system_database_url=url)
    queue = client.retrieve_queue(QUEUE + names(1)[0])
    assert queue
    queue._worker_concurrency = 1
    ready.wait()
    for user in cycle(USERS):
        with suppress(DBAPIError):  # another has the user's jobs just now
            client._sys_db.start_queued_workflows(queue, f"taker-{n}", PROTOCOL, user)


def write_lines(url: str, n: int, ready: Barrier) -> None:
    id = f"loop-{n:05d}"
    replica, at = PostgresReplica(url, lambda id: 0), len(f"step 0 of {id}\n")
    replica.read(id)
    ready.wait()
    while True:
        replica.append(id, at, LINE)
        at += len(LINE)


def in_processes(server: Server, count: int, work: Callable[[str, int, Barrier], None], url: str, query: str) -> Cost:
    context = multiprocessing.get_context("spawn")
    ready = context.Barrier(count + 1)
    started = [context.Process(target=work, args=(url, n, ready), daemon=True) for n in range(count)]
    for process in started:
        process.start()
    try:
        ready.wait(120)
        return watch(server, url, query)
    finally:
        for process in started:
            process.kill()
            process.join()


def say(*cells: str | float) -> None:
    print("".join(f"{f'{cell:.2f}' if isinstance(cell, float) else cell:>16}" for cell in cells), flush=True)


def main() -> None:
    with serve() as server, tempfile.TemporaryDirectory(prefix="loopwright-capacity-") as place:
        say(
            "workers", "accounts", "poll s", "transactions/s", "database cores", "cores a worker", "connections", "load"
        )
        for workers, accounts, poll in WAITING:
            cost, connections = of_waiting(server, workers, accounts, poll, Path(place))
            say(workers, accounts, poll, cost.rate, cost.cpu, f"{cost.cpu / workers:.4f}", connections, cost.load)
        loops = partial(of_loops, place=Path(place))
        measures: dict[str, Callable[[Server, int], Cost]] = {"loops": loops, "claims": of_claims, "lines": of_lines}
        for what, measure in measures.items():
            print()
            say("processes", f"{what}/s", "a minute", "database cores", "ms CPU each", "load")
            for processes in PROCESSES:
                cost = measure(server, processes)
                say(processes, cost.rate, 60 * cost.rate, cost.cpu, 1000 * cost.cpu / max(cost.rate, 0.01), cost.load)


if __name__ == "__main__":
    main()
