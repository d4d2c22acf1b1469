"""What every dispatcher promises: the same tests on PostgreSQL and on the fake."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

import pytest

from loopwright.core.errors import Conflict, Fenced, Invalid, NotFound
from loopwright.core.fleet import Dispatcher, Job, Source, Submission
from loopwright.fleet.database import Database, connect
from loopwright.fleet.queue import DbosDispatcher
from tests.fleet.memory_dispatcher import MemoryDispatcher, MemoryFleet

RUN = Submission(
    id="loop-1",
    kind="loop_id",
    title="Mend it",
    account="team",
    user="ada",
    source=Source(remote="/srv/it.git", base="a" * 40, start="b" * 40, author="Ada <ada@example.org>"),
    journal=b'{"seq":1}\n',
)
JOB = Job(RUN.id, 1)


class Fleet(NamedTuple):
    """`machine` makes one that lives, `bury` takes one for dead."""

    machine: Callable[[str], Dispatcher]
    bury: Callable[[str], None]


def _memory() -> Fleet:
    known = MemoryFleet()

    def machine(name: str) -> Dispatcher:
        known.living.add(name)
        return MemoryDispatcher(known, name)

    return Fleet(machine, known.living.discard)


def _postgres(url: str, kept: ExitStack) -> Fleet:
    def opened() -> Database:
        return kept.enter_context(closing(Database(url)))

    DbosDispatcher(opened()).make_tables()

    def run(statement: str, name: str) -> None:
        with connect(url) as connection:
            connection.execute(statement, {"name": name})

    def machine(name: str) -> Dispatcher:
        run("INSERT INTO fleet_worker VALUES (%(name)s, 'here', 2, '0') ON CONFLICT DO NOTHING", name)
        return DbosDispatcher(opened(), name)

    return Fleet(machine, lambda name: run("DELETE FROM fleet_worker WHERE executor = %(name)s", name))


@pytest.fixture(params=["memory", "postgres"])
def fleet(request: pytest.FixtureRequest) -> Iterator[Fleet]:
    with ExitStack() as kept:
        made = _memory() if request.param == "memory" else _postgres(request.getfixturevalue("fleet_url"), kept)
        made.machine("one").set_account("team", 4, 2)
        yield made


def test_a_run_is_driven_to_its_end(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.submit([RUN])
    assert one.waiting(()) == one.waiting(["team"]) == 1
    assert one.waiting(["other"]) == 0
    claim = one.claim(JOB)
    assert claim
    assert one.find(RUN.id).words == "running, on one"
    assert (claim.id, claim.kind, claim.token, claim.account, claim.user) == (RUN.id, "loop_id", 1, "team", "ada")
    assert (claim.source, claim.journal, claim.result) == (RUN.source, RUN.journal, None)
    assert one.waiting(()) == 0
    assert one.release(claim, "finished")
    assert one.claim(JOB) is None


def test_all_are_submitted_or_none(fleet: Fleet) -> None:
    one = fleet.machine("one")
    with pytest.raises(Conflict, match="loop-1 already"):
        one.submit([replace(RUN, id="loop-2"), RUN, RUN])
    with pytest.raises(Invalid, match="no account nobody"):
        one.submit([replace(RUN, id="loop-3"), replace(RUN, account="nobody")])
    assert one.waiting(()) == 0
    one.submit([RUN])
    with pytest.raises(Conflict, match="loop-1 already"):
        one.submit([replace(RUN, id="loop-2"), RUN])
    assert one.waiting(()) == 1


def test_one_machine_at_a_time_has_it(fleet: Fleet) -> None:
    one, two = fleet.machine("one"), fleet.machine("two")
    one.submit([RUN])
    assert one.claim(JOB)
    assert two.claim(JOB) is None


def test_another_takes_over_from_the_dead_with_a_higher_token(fleet: Fleet) -> None:
    one, two = fleet.machine("one"), fleet.machine("two")
    one.submit([RUN])
    before = one.claim(JOB)
    fleet.bury("one")
    after = two.claim(JOB)
    assert before
    assert after
    assert after.token == before.token + 1
    two.note_result(after, "loopwright/loop-1", "c" * 40)
    assert not one.release(before, "finished")
    with pytest.raises(Fenced):
        one.note_result(before, "loopwright/loop-1", "d" * 40)
    with pytest.raises(Fenced, match="taken for dead"):
        one.claim(JOB)
    fleet.bury("two")
    again = fleet.machine("three").claim(JOB)
    assert again
    assert again.result == "c" * 40


def test_what_rests_is_queued_again_by_a_new_job(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.submit([RUN])
    claim = one.claim(JOB)
    assert claim
    with pytest.raises(Conflict, match="running"):
        one.enqueue(RUN.id)
    one.release(claim, "resting")
    one.enqueue(RUN.id)
    with pytest.raises(Conflict, match="queued"):
        one.enqueue(RUN.id)
    assert one.claim(JOB) is None, "the old job is void"
    claim = one.claim(Job(RUN.id, 2))
    assert claim
    one.release(claim, "queued", at=datetime.now(UTC) + timedelta(hours=1), trouble="the limit of the agent")
    assert one.find(RUN.id).words == "queued, 0 before it on team: the limit of the agent"
    assert one.claim(Job(RUN.id, 2)) is None
    assert one.claim(Job(RUN.id, 3))


def test_failures_are_counted_until_it_could_be_driven(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.submit([RUN])
    seen = []
    for n, failed in enumerate((True, True, False, False), 1):
        claim = one.claim(Job(RUN.id, n))
        assert claim
        seen.append(claim.failures)
        one.release(claim, "queued", failed=failed)
    assert seen == [0, 1, 2, 0]


def test_what_is_not_there_is_told(fleet: Fleet) -> None:
    one = fleet.machine("one")
    with pytest.raises(NotFound, match="no run loop-9"):
        one.enqueue("loop-9")
    with pytest.raises(NotFound, match="no run loop-9"):
        one.find("loop-9")
    with pytest.raises(NotFound, match="no account nobody"):
        one.close_account("nobody", datetime.now(UTC), "limit")
    assert one.claim(Job("loop-9", 1)) is None
    for slots, of_user in ((0, None), (2, 3), (2, 0)):
        with pytest.raises(Invalid, match="slots"):
            one.set_account("team", slots, of_user)


def test_an_account_is_closed_until_its_time(fleet: Fleet) -> None:
    one = fleet.machine("one")
    now = datetime.now(UTC)
    one.close_account("team", now + timedelta(hours=1), "usage limit")
    assert one.closed() == {"team"}
    one.close_account("team", now - timedelta(seconds=1), "over")
    assert one.closed() == frozenset()


def test_served_runs_are_driven_as_many_at_a_time_as_there_are_slots(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.set_account("closed", 4)
    driven, at_once, most = list[str](), set[str](), list[int]()

    def work(job: Job) -> None:
        claim = one.claim(job)
        assert claim
        at_once.add(job.id)
        most.append(len(at_once))
        time.sleep(0.02)
        at_once.discard(job.id)
        one.release(claim, "finished")
        driven.append(job.id)

    one.submit([replace(RUN, id=f"loop-{n}") for n in range(6)])
    one.submit([replace(RUN, id="loop-other", account="closed")])
    with one.serving(2, work, lambda account: account != "closed") as queue:
        deadline = time.monotonic() + 20
        while (len(driven) < 6 or queue.taken) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert sorted(driven) == [f"loop-{n}" for n in range(6)]
    assert max(most) <= 2
    assert one.waiting(()) == 1
