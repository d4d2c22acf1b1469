"""Journals in PostgreSQL: lines that break, servers that stop or stand still, processes that die."""

import random
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from loopwright.core.errors import Fenced, LoopwrightError, NotFound, StoreError, UncertainCommit
from loopwright.core.fleet import Replica
from loopwright.fleet.database import connect
from loopwright.fleet.replica import PostgresReplica
from loopwright.store.files import FileStore
from loopwright.wiring.stores import LOOPS
from loopwright.workflows.loop.model import LoopState
from tests.chance import SEED
from tests.fleet.memory_replica import FleetSide, MemoryFleet, PostgresFleet, given
from tests.fleet.postgres import Server
from tests.fleet.proxy import CUTS, BreakingLine, Cut
from tests.fleet.replica_course import Course
from tests.store.making import ID, HandClock, files_at, journal_of, loop, retitle
from tests.store.stranger import independent_replay
from tests.store.test_processes import ENVIRONMENT


@pytest.fixture
def fleet(postgres: Server) -> Iterator[PostgresFleet]:
    """With one run, which nobody has claimed yet."""
    fleet = PostgresFleet(postgres.url)
    fleet.add(ID)
    yield fleet
    fleet.close()


@pytest.fixture
def line(postgres: Server) -> Iterator[BreakingLine]:
    line = BreakingLine(postgres.port)
    yield line
    line.close()


def through(line: BreakingLine, fleet: PostgresFleet) -> str:
    return f"{fleet.url.rpartition(':')[0]}:{line.port}/{fleet.url.rpartition('/')[2]}"


@pytest.mark.parametrize("n", range(2))
def test_any_course_over_a_line_that_breaks(tmp_path: Path, fleet: PostgresFleet, line: BreakingLine, n: int) -> None:
    chance = random.Random(f"{SEED}-{n}")
    fleet.patience = 0.5
    cuts = 0

    def plan() -> Cut | None:
        nonlocal cuts
        cuts -= chance.random() < 0.6
        return chance.choice(CUTS) if cuts >= 0 else None

    def trouble(is_there: bool) -> None:
        nonlocal cuts
        cuts = chance.randint(1, 3) if is_there else 0
        line.is_down = is_there and chance.random() < 0.1

    line.plan = plan
    url = through(line, fleet)
    course = Course(fleet, f"loop-{n + 2}", tmp_path, chance, lambda tokens: fleet.replica(tokens, url), trouble)
    course.run(50)


@pytest.mark.parametrize("cut", CUTS)
@pytest.mark.parametrize("write", ["append", "rewrite"])
def test_wherever_the_line_breaks_it_is_there_once(
    fleet: PostgresFleet, line: BreakingLine, cut: Cut, write: str
) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)}, through(line, fleet))
    replica.append(ID, 0, b"one\n")
    for packet in range(1, 6 if write == "rewrite" else 2):
        left = packet

        def plan() -> Cut | None:
            nonlocal left
            left -= 1
            return cut if left == 0 else None

        before = replica.read(ID)
        line.plan = plan
        if write == "append":
            replica.append(ID, len(before), b"two\n")
        else:
            replica.rewrite(ID, b"%d\n" % packet)
        time.sleep(0.06 * (cut == "late"))
        assert left <= 0
        assert replica.read(ID) == (before + b"two\n" if write == "append" else b"%d\n" % packet)


def test_a_line_that_is_silent_is_given_up_for_another(fleet: PostgresFleet, line: BreakingLine) -> None:
    fleet.patience = 1
    replica = fleet.replica({ID: fleet.claim(ID)}, through(line, fleet))
    replica.append(ID, 0, b"one\n")
    cuts: list[Cut] = ["silent"]
    line.plan = lambda: cuts.pop() if cuts else None
    replica.append(ID, 4, b"two\n")
    assert not cuts
    assert replica.read(ID) == b"one\ntwo\n"


def test_a_commit_is_one_packet_on_one_connection(fleet: PostgresFleet, line: BreakingLine) -> None:
    ids = [f"run-{n}" for n in range(3)]
    for id in ids:
        fleet.add(id)
    replica = fleet.replica({id: fleet.claim(id) for id in ids}, through(line, fleet))
    for n in range(10):
        replica.append(ids[0], 2 * n, b"x\n")  # after some, the server has prepared it
    before = line.packets

    def write(id: str) -> None:
        for n in range(10, 20):
            replica.append(id, 2 * (n - 10 * (id != ids[0])), b"x\n")

    threads = [threading.Thread(target=write, args=(id,)) for id in ids]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert line.packets == before + 30
    with connect(fleet.url) as connection:
        asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        assert connection.execute(asked).fetchone() == (2,), "this one, and the replica's"


def test_one_that_the_server_has_ended_is_made_again(fleet: PostgresFleet) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    for n in range(3):
        replica.append(ID, 2 * n, b"x\n")
        with connect(fleet.url) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )
    assert replica.read(ID) == b"x\n" * 3


def test_who_commits_while_another_claims_waits_and_is_fenced(fleet: PostgresFleet) -> None:
    replica = fleet.replica({ID: fleet.claim(ID)})
    told: list[Exception] = []

    def write() -> None:
        with pytest.raises(Fenced) as refused:
            replica.append(ID, 0, b"one\n")
        told.append(refused.value)

    with connect(fleet.url) as connection, connection.transaction():
        connection.execute("UPDATE fleet_loop SET token = token + 1")
        writer = threading.Thread(target=write)
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
    writer.join(10)
    assert "another machine has claimed loop-1" in str(told[0])
    assert replica.read(ID) == b""


class Committing:
    """A thread that commits title after title; `acknowledged` are those that were, `error` what ended it."""

    def __init__(self, store: FileStore[LoopState]) -> None:
        self.acknowledged: list[str] = []
        self.error: LoopwrightError | None = None
        self._ended = threading.Event()
        self._store = store
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            while not self._ended.is_set():
                title = f"title {len(self.acknowledged)}"
                retitle(self._store, title)
                self.acknowledged.append(title)
        except LoopwrightError as error:
            self.error = error

    def wait_for(self, more: int) -> None:
        goal = len(self.acknowledged) + more
        deadline = time.monotonic() + 20
        while len(self.acknowledged) < goal and not self.error:
            assert time.monotonic() < deadline
            time.sleep(0.005)

    def end(self) -> None:
        self._ended.set()
        self._thread.join(20)
        assert not self._thread.is_alive()


@pytest.fixture
def started(tmp_path: Path, fleet: PostgresFleet) -> Iterator[Callable[[float], Committing]]:
    """Call it with the patience of its replica."""
    with FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(fleet.replica({ID: fleet.claim(ID)}))) as store:
        store.create(loop(), actor="user")
        begun: list[Committing] = []

        def start(patience: float) -> Committing:
            fleet._replicas[0]._patience = patience
            begun.append(Committing(store))
            begun[-1].wait_for(5)
            return begun[-1]

        yield start
        for one in begun:
            one.end()


def assert_acknowledged(fleet: PostgresFleet, root: Path, titles: list[str], *, perhaps: int) -> None:
    """They are all there, once and in order, and `perhaps` so many more."""
    journal = fleet.replica({}).read(ID)
    state = independent_replay(journal)
    assert len(titles) <= state["engine"]["rev"] - 1 <= len(titles) + perhaps
    assert journal.startswith(journal_of(root).read_bytes())
    for n, title in enumerate(titles):
        assert f'"{title}"'.encode() in journal.splitlines()[n + 1]


@pytest.mark.parametrize("how", ["immediate", "fast"])
def test_a_server_that_is_started_again_is_waited_for(
    tmp_path: Path, postgres: Server, fleet: PostgresFleet, started: Callable[[float], Committing], how: str
) -> None:
    writer = started(20)
    postgres.stop(how)
    time.sleep(0.3)
    postgres.start()
    writer.wait_for(5)
    writer.end()
    assert writer.error is None
    assert_acknowledged(fleet, tmp_path, writer.acknowledged, perhaps=0)
    assert journal_of(tmp_path).read_bytes() == fleet.replica({}).read(ID)


def test_one_that_does_not_come_back_in_time_leaves_doubt(
    tmp_path: Path, postgres: Server, fleet: PostgresFleet, started: Callable[[float], Committing]
) -> None:
    writer = started(0.5)
    postgres.stop()
    writer.end()
    postgres.start()
    assert isinstance(writer.error, UncertainCommit)
    assert "the fleet's database cannot be reached" in str(writer.error)
    assert "may or may not" in str(writer.error)
    assert_acknowledged(fleet, tmp_path, writer.acknowledged, perhaps=1)


def test_one_that_stands_still_for_a_moment_is_waited_for(
    tmp_path: Path, postgres: Server, fleet: PostgresFleet, started: Callable[[float], Committing]
) -> None:
    writer = started(7)
    postgres.freeze()
    try:
        time.sleep(0.5)
        count = len(writer.acknowledged)
        with files_at(tmp_path) as reader:
            assert reader.read(ID).title == writer.acknowledged[-1], "readers do not wait"
        assert len(writer.acknowledged) == count
    finally:
        postgres.thaw()
    writer.wait_for(5)
    writer.end()
    assert writer.error is None
    assert_acknowledged(fleet, tmp_path, writer.acknowledged, perhaps=0)


def test_one_that_stands_still_leaves_doubt_in_time(
    tmp_path: Path, postgres: Server, fleet: PostgresFleet, started: Callable[[float], Committing]
) -> None:
    writer = started(1)
    postgres.freeze()
    try:
        begun = time.monotonic()
        writer._thread.join(20)
        assert time.monotonic() - begun < 4
    finally:
        postgres.thaw()
    assert isinstance(writer.error, UncertainCommit)
    token = fleet.claim(ID)
    assert_acknowledged(fleet, tmp_path, writer.acknowledged, perhaps=1)
    there = tmp_path / "there"
    there.mkdir()
    with FileStore(there, LOOPS, HandClock(), replica_of=given(fleet.replica({ID: token}))) as store:
        known = store.replace_journal(ID, fleet.replica({}).read(ID))
        assert retitle(store, "Goes on").engine.rev == known.engine.rev + 1


@pytest.mark.parametrize("n", range(2))
def test_what_a_killed_process_acknowledged_is_there_and_the_next_goes_on(
    tmp_path: Path, fleet: PostgresFleet, n: int
) -> None:
    chance = random.Random(f"{SEED}-{n}")
    told: list[str] = []
    with FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(fleet.replica({ID: fleet.claim(ID)}))) as store:
        store.create(loop(), actor="user")
    for _ in range(2):
        token = fleet.claim(ID)
        argv = [sys.executable, "-m", "tests.fleet.committer", str(tmp_path), fleet.url, str(token)]
        with subprocess.Popen(argv, env=ENVIRONMENT, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout
            told += [process.stdout.readline().strip() for _ in range(chance.randint(1, 20))]
            time.sleep(chance.random() * 0.01)
            process.kill()
            told += process.stdout.read().split()
        token = fleet.claim(ID)
        replica = fleet.replica({ID: token})
        with FileStore(tmp_path, LOOPS, HandClock(), replica_of=given(replica)) as store:
            state = store.replace_journal(ID, replica.read(ID))
            tags = [*(state.tags or ())]
            assert tags[: len(told)] == told
            assert len(tags) <= len(told) + 1
            assert state.engine.incidents == ()
            told = tags
            retitle(store, "Goes on")
        assert journal_of(tmp_path).read_bytes() == replica.read(ID)


def test_the_fake_does_the_same(fleet: PostgresFleet) -> None:
    """Any calls of three processes, two of which share a claim."""
    chance = random.Random(SEED)
    for n in range(12):
        id = f"course-{n}"
        sides: tuple[FleetSide, FleetSide] = (fleet, MemoryFleet())
        tokens: list[dict[str, int]] = [{}, {}, {}]
        replicas = [[side.replica(held) for held in tokens] for side in sides]
        for side in sides:
            side.add(id, b"0\n" * (n % 2))
        for _ in range(40):
            if chance.random() < 0.1:
                who = chance.choice([(0,), (1, 2)])
                (token,) = {side.claim(id) for side in sides}
                for one in who:
                    tokens[one][id] = token
                continue
            one, end = chance.randrange(3), len(replicas[1][0].read(id))
            at = max(0, chance.choice([end, end, end, end - 2, end - 4, end + 2, 0]))
            data = b"".join(chance.choices([b"1\n", b"2\n"], k=chance.randint(1, 3)))
            known = replicas[1][0].read(id, at) + data
            data = chance.choice([data, known])
            write = chance.choice([lambda r: r.append(id, at, data)] * 5 + [lambda r: r.rewrite(id, data)])  # noqa: B023
            outcomes = [_outcome(write, side[one]) for side in replicas]
            assert outcomes[0] == outcomes[1]
            assert replicas[0][one].read(id) == replicas[1][one].read(id)


def _outcome(write: Callable[[Replica], None], replica: Replica) -> str:
    try:
        write(replica)
    except Fenced as error:
        return "claimed" if "claimed" in str(error) else "elsewhere"
    return "done"


class TestDamage:
    def test_a_gap_is_no_journal(self, fleet: PostgresFleet) -> None:
        replica = fleet.replica({ID: fleet.claim(ID)})
        for n in range(4):
            replica.append(ID, 2 * n, b"x\n")
        for at, start in ((2, 0), (2, 3), (6, 0), (6, 8), (0, 0)):
            with connect(fleet.url) as connection:
                connection.execute("DELETE FROM fleet_journal WHERE at = %s", (at,))
                with pytest.raises(StoreError, match=f"ends at byte {at}, and should at 8"):
                    replica.read(ID, start)
                connection.execute("INSERT INTO fleet_journal VALUES (%s, %s, 'x\n', 1)", (ID, at))
        assert replica.read(ID) == b"x\n" * 4
        with connect(fleet.url) as connection:
            connection.execute("DELETE FROM fleet_journal WHERE at > 2")
        with pytest.raises(Fenced, match="ends at byte 8"):
            replica.append(ID, 0, b"x\n" * 5)

    def test_a_run_that_was_deleted(self, fleet: PostgresFleet) -> None:
        replica = fleet.replica({ID: fleet.claim(ID)})
        replica.append(ID, 0, b"x\n")
        with connect(fleet.url) as connection:
            connection.execute("DELETE FROM fleet_loop")
        with pytest.raises(Fenced, match="does not know loop-1"):
            replica.append(ID, 2, b"x\n")
        with pytest.raises(NotFound):
            replica.read(ID)

    def test_a_database_that_refuses_it_says_why(self, fleet: PostgresFleet) -> None:
        fleet.patience = 0.3
        replica = fleet.replica({ID: fleet.claim(ID)})
        with connect(fleet.url) as connection:
            connection.execute("ALTER TABLE fleet_journal RENAME COLUMN data TO elsewhere")
        with pytest.raises(UncertainCommit, match=r"refused it: column .*data.* does not exist"):
            replica.append(ID, 0, b"x\n")
        with pytest.raises(StoreError, match="refused it"):
            replica.read(ID)
        with connect(fleet.url) as connection:
            connection.execute("ALTER TABLE fleet_journal RENAME COLUMN elsewhere TO data")
        replica.append(ID, 0, b"x\n")

    def test_a_server_that_was_never_there(self) -> None:
        replica = PostgresReplica("postgresql://127.0.0.1:1/nowhere", {ID: 1}.__getitem__, 0.3)
        with pytest.raises(UncertainCommit, match="cannot be reached"):
            replica.append(ID, 0, b"x\n")
        with pytest.raises(StoreError, match="cannot be reached"):
            replica.read(ID)


def test_a_statement_that_waits_too_long_is_given_up(fleet: PostgresFleet) -> None:
    fleet.patience = 0.5
    replica = fleet.replica({ID: fleet.claim(ID)})
    with psycopg.connect(fleet.url) as connection:
        connection.execute("SELECT FROM fleet_loop FOR UPDATE")
        begun = time.monotonic()
        with pytest.raises(UncertainCommit):
            replica.append(ID, 0, b"x\n")
        assert time.monotonic() - begun < 2
    replica.append(ID, 0, b"x\n")
    assert replica.read(ID) == b"x\n", "what was given up may come late, and is the same"
