"""What every dispatcher promises: the same tests on PostgreSQL and on the fake."""

import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from loopwright.core.errors import Conflict, Fenced, Invalid, NotFound
from loopwright.core.fleet import Claim, Dispatcher, Job, Release, SignalAnswer
from tests.fleet.fleets import JOB, RUN, Fleet, open_fleet


@pytest.fixture(params=["memory", "postgres"])
def fleet(request: pytest.FixtureRequest) -> Iterator[Fleet]:
    with open_fleet(request) as made:
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
    assert one.release(claim, Release("finished"))
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
    assert two.waiting(()) == 0
    fleet.bury("one")
    assert two.waiting(()) == 1, "a worker is needed for what a dead one drove"
    after = two.claim(JOB)
    assert before
    assert after
    assert after.token == before.token + 1
    two.note_result(after, "loopwright/loop-1", "c" * 40)
    assert not one.release(before, Release("finished"))
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
    one.release(claim, Release("resting"))
    one.enqueue(RUN.id)
    with pytest.raises(Conflict, match="queued"):
        one.enqueue(RUN.id)
    assert one.claim(JOB) is None, "the old job is void"
    claim = one.claim(Job(RUN.id, 2))
    assert claim
    one.release(claim, Release("queued", at=datetime.now(UTC) + timedelta(hours=1), trouble="the limit of the agent"))
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
        one.release(claim, Release("queued", failed=failed))
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
    driven, at_once, most, controlled = list[str](), set[str](), list[int](), list[str]()

    def work(job: Job) -> None:
        claim = one.claim(job)
        assert claim
        at_once.add(job.id)
        most.append(len(at_once))
        time.sleep(0.02)
        at_once.discard(job.id)
        one.release(claim, Release("finished"))
        driven.append(job.id)

    one.submit([replace(RUN, id=f"loop-{n}") for n in range(6)])
    one.submit([replace(RUN, id="loop-other", account="closed")])
    with one.serving(2, work, lambda account: account != "closed", controlled.append) as queue:
        deadline = time.monotonic() + 20
        while (len(driven) < 6 or queue.taken) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert sorted(driven) == [f"loop-{n}" for n in range(6)]
    assert max(most) <= 2
    assert one.waiting(()) == 1
    assert not controlled


def _claimed(claim: Claim | None) -> Claim:
    assert claim
    return claim


def _resting(fleet: Fleet) -> Dispatcher:
    one = fleet.machine("one")
    one.submit([RUN])
    one.release(_claimed(one.claim(JOB)), Release("resting"))
    return one


def test_a_command_on_a_run_that_rests_is_applied_by_whoever_takes_it(fleet: Fleet) -> None:
    one = _resting(fleet)
    assert one.claim_control(RUN.id) is None, "there is nothing to do"
    assert one.claim_control("loop-9") is None
    sent = fleet.signals("").send(RUN.id, "pause", {}, "cli")
    assert not sent.held
    assert one.waiting(()) == 1
    claim = _claimed(one.claim_control(RUN.id))
    assert (claim.token, claim.status, claim.journal) == (2, "resting", RUN.journal)
    assert fleet.machine("two").claim_control(RUN.id) is None, "it is held"
    assert fleet.signals("one").answer(sent.n, SignalAnswer())
    assert one.release(claim, Release("resting"))
    assert one.claim_control(RUN.id) is None
    assert one.waiting(()) == 0


def test_a_queued_run_keeps_its_job_while_commands_are_applied(fleet: Fleet) -> None:
    one, two = fleet.machine("one"), fleet.machine("two")
    one.submit([RUN])
    fleet.signals("").send(RUN.id, "tell", {}, "cli")
    claim = _claimed(two.claim_control(RUN.id))
    assert claim.status == "queued"
    with pytest.raises(Conflict, match="being applied"):
        one.claim(JOB)
    assert two.release(claim, Release("queued"))
    assert _claimed(one.claim(JOB)).token == 2


def test_a_run_that_waits_for_its_time_gets_an_earlier_job_only_where_it_may_go_on(fleet: Fleet) -> None:
    one, later = fleet.machine("one"), datetime.now(UTC) + timedelta(hours=1)
    one.submit([RUN])
    one.release(_claimed(one.claim(JOB)), Release("queued", at=later))
    fleet.signals("").send(RUN.id, "tell", {}, "cli")
    one.release(_claimed(one.claim_control(RUN.id)), Release("queued", at=later))
    claim = _claimed(one.claim_control(RUN.id))
    assert one.release(claim, Release("queued"))
    assert one.claim(Job(RUN.id, 2)) is None
    assert one.claim(Job(RUN.id, 3))


def test_what_a_command_pauses_or_ends_has_no_job_any_more(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.submit([RUN])
    fleet.signals("").send(RUN.id, "pause", {}, "cli")
    one.release(_claimed(one.claim_control(RUN.id)), Release("resting"))
    assert one.claim(JOB) is None
    one.release(_claimed(one.claim_control(RUN.id)), Release("queued"))
    assert one.claim(JOB) is None
    assert one.claim(Job(RUN.id, 2))


def test_a_finished_run_may_go_on(fleet: Fleet) -> None:
    one = fleet.machine("one")
    one.submit([RUN])
    claim = _claimed(one.claim(JOB))
    one.note_result(claim, "loopwright/loop-1", "c" * 40)
    one.release(claim, Release("finished"))
    fleet.signals("").send(RUN.id, "reopen", {}, "cli")
    claim = _claimed(one.claim_control(RUN.id))
    assert claim.status == "finished"
    one.release(claim, Release("queued"))
    assert _claimed(one.claim(Job(RUN.id, 2))).result == "c" * 40


def test_who_dies_applying_commands_loses_nothing(fleet: Fleet) -> None:
    one, two = _resting(fleet), fleet.machine("two")
    sent = fleet.signals("").send(RUN.id, "resume", {}, "cli")
    dead = _claimed(two.claim_control(RUN.id))
    assert fleet.signals("two").answer(sent.n, SignalAnswer())
    fleet.bury("two")
    claim = _claimed(one.claim_control(RUN.id))  # its state may say that it runs, and nobody has queued it
    assert not fleet.signals("two").answer(sent.n, SignalAnswer())
    assert not two.release(dead, Release("queued"))
    assert one.release(claim, Release("queued"))
    assert one.claim(Job(RUN.id, 2))


def test_a_run_of_a_dead_machine_waits_for_its_own_job_again(fleet: Fleet) -> None:
    one, two = fleet.machine("one"), fleet.machine("two")
    one.submit([RUN])
    assert one.claim(JOB)
    fleet.bury("one")
    assert not fleet.signals("").send(RUN.id, "pause", {}, "cli").held
    claim = _claimed(two.claim_control(RUN.id))
    assert claim.status == "queued"
    with pytest.raises(Conflict, match="being applied"):
        fleet.machine("three").claim(JOB)
    two.release(claim, Release("queued"))
    assert _claimed(fleet.machine("three").claim(JOB)).token == 3


def test_a_command_that_came_too_late_is_not_forgotten(fleet: Fleet) -> None:
    """It was sent to a machine that had looked for the last time already."""
    one, applied = fleet.machine("one"), list[str]()
    one.submit([RUN])
    claim = _claimed(one.claim(JOB))
    assert fleet.signals("").send(RUN.id, "pause", {}, "cli").held
    one.release(claim, Release("finished"))

    def control(id: str) -> None:
        again = _claimed(one.claim_control(id))
        for signal in fleet.signals("one").open_signals():
            fleet.signals("one").answer(signal.n, SignalAnswer())
        one.release(again, Release("finished"))
        applied.append(id)

    with one.serving(1, lambda job: None, lambda account: True, control) as queue:
        deadline = time.monotonic() + 20
        while (not applied or queue.taken) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert applied == [RUN.id]
    assert one.waiting(()) == 0


def test_who_ends_takes_nothing_more(fleet: Fleet) -> None:
    one, taken = _resting(fleet), list[str]()
    with one.serving(1, lambda job: None, lambda account: True, taken.append) as queue:
        queue.close()
        fleet.signals("").send(RUN.id, "pause", {}, "cli")
        one.submit([replace(RUN, id="loop-2")])
        time.sleep(0.6)
        assert not queue.taken
    assert not taken
    assert one.waiting(()) == 2
