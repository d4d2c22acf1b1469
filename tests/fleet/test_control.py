"""Commands on runs that nobody drives: a worker takes them up, applies what waits, and puts them back."""

import asyncio
import random
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from loopwright.core.errors import Conflict, IllegalTransition, StoreError
from loopwright.core.fleet import Claim, Dispatcher, FleetStatus, Job, Release, SignalAnswer
from loopwright.core.state import Limits
from loopwright.wiring.fleet.worker import FleetWorker
from tests.chance import SEED
from tests.fleet.command_stage import CommandStage, open_stage
from tests.waiting import until


@pytest.fixture
def stage(tmp_path: Path, queue_url: str) -> Iterator[CommandStage]:
    with open_stage(tmp_path, queue_url) as made:
        yield made


@contextmanager
def worker(stage: CommandStage) -> Iterator[list[str]]:
    """A worker that has none of the accounts, and is only there for commands; what it says."""
    known, said = stage.engine.config.fleet, list[str]()
    fleet = known.model_copy(update={"url": SecretStr(stage.url), "accounts": {"another": {}}})
    one = FleetWorker(replace(stage.engine.config, fleet=fleet), stage.folder / "worker", 1, said.append)
    thread = threading.Thread(target=one.serve, kwargs={"drain": False})
    thread.start()
    try:
        until(lambda: any("takes runs" in line for line in said))
        yield said
    finally:
        one.end()
        thread.join()


def resting(stage: CommandStage) -> str:
    """A loop that rests in the fleet."""
    id, dispatcher = stage.submit_loop(), stage.dispatcher("before")
    claim = dispatcher.claim(Job(id, 1))
    assert claim
    dispatcher.release(claim, Release("resting"))
    stage.bury("before")
    return id


def status_of(stage: CommandStage, id: str) -> tuple[str, int]:
    """How it is in the fleet, and how often it was queued."""
    (found,) = stage.run("SELECT status, jobs FROM fleet_loop WHERE id = %s AND holder IS NULL", id) or [("held", 0)]
    return found[0], found[1]


def test_runs_that_rest_are_reached_and_queued_where_they_go_on(stage: CommandStage) -> None:
    here, id, queued = stage.engine.service, resting(stage), stage.submit_loop()
    with worker(stage):
        assert here.limit(id, Limits(max_iterations=33)).max_iterations == 33
        until(lambda: status_of(stage, id) == ("resting", 1))
        assert here.start(id).status == "running"
        until(lambda: status_of(stage, id) == ("queued", 2))
        assert here.tell(id, "Hurry").engine.messages[-1].text == "Hurry"
        until(lambda: status_of(stage, id) == ("queued", 2))
        assert here.pause(id).status == "paused"
        until(lambda: status_of(stage, id) == ("resting", 2))
        assert here.resume(id).status == "running"
        until(lambda: status_of(stage, id) == ("queued", 3))
        assert asyncio.run(here.stop(id)).engine.outcome == "stopped"
        until(lambda: status_of(stage, id) == ("finished", 3))
        with pytest.raises(IllegalTransition):
            here.pause(id)
        assert here.reopen(id).status == "running"
        until(lambda: status_of(stage, id) == ("queued", 4))
        assert here.edit(queued, {"title": "Soon"}).title == "Soon"
        until(lambda: status_of(stage, queued) == ("queued", 1))
    assert not list((stage.folder / "worker" / "runs").glob("*"))
    claim = stage.dispatcher("after").claim(Job(id, 4))
    assert claim
    assert stage.lay_out(claim).read(id) == here.read(id)


def test_many_at_a_time_are_applied_in_order(stage: CommandStage) -> None:
    id, sender = resting(stage), stage.signals()
    sent = [sender.send(id, "tell", {"seen": 0, "given": {"text": f"{n}"}}, "cli").n for n in range(12)]
    with worker(stage):
        answer = sender.await_answer(sent[-1], 20)
        until(lambda: status_of(stage, id) == ("resting", 1))
    assert answer
    assert answer.error is None
    after = stage.dispatcher("after")
    assert after.claim_control(id) is None, "nothing is left to do"
    after.enqueue(id)
    claim = after.claim(Job(id, 2))
    assert claim
    assert [one.text for one in stage.lay_out(claim).read(id).engine.messages] == [str(n) for n in range(12)]


def test_a_journal_that_cannot_be_read_is_told_and_the_worker_goes_on(stage: CommandStage) -> None:
    id, well, here = resting(stage), resting(stage), stage.engine.service
    stage.run("UPDATE fleet_journal SET data = 'no line' WHERE id = %s", id)
    with worker(stage):
        with pytest.raises(StoreError, match="cannot be laid out"):
            here.pause(id)
        assert here.edit(well, {"title": "Well"}).title == "Well"
        until(lambda: status_of(stage, id) == ("resting", 1))
    assert stage.run("SELECT count(*) FROM fleet_signal WHERE done IS NULL") == [(0,)]


def test_a_job_waits_until_commands_are_applied(stage: CommandStage) -> None:
    id = stage.submit_loop()
    stage.signals().send(id, "tell", {"seen": 0, "given": {"text": "Hurry"}}, "cli")
    applying, driving = stage.dispatcher("one"), stage.dispatcher("two")
    claim = applying.claim_control(id)
    assert claim
    with pytest.raises(Conflict, match="applied"):
        driving.claim(Job(id, 1))
    applying.release(claim, Release("queued"))
    assert driving.claim(Job(id, 1))


def test_a_command_is_applied_though_who_was_asked_to_is_gone(
    stage: CommandStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, sender = resting(stage), stage.signals()
    sent = sender.send(id, "tell", {"seen": 0, "given": {"text": "Hurry"}}, "cli")
    stage.run("UPDATE dbos.workflow_status SET status = 'SUCCESS'")
    monkeypatch.setattr("loopwright.fleet.workers.FORGOTTEN_SECONDS", 0.5)
    with worker(stage):
        answer = sender.await_answer(sent.n, 20)
        until(lambda: status_of(stage, id) == ("resting", 1))
    assert answer
    assert answer.error is None


TAKE = """
UPDATE dbos.workflow_status SET status = 'PENDING' WHERE workflow_uuid = (
    SELECT workflow_uuid FROM dbos.workflow_status WHERE status = 'ENQUEUED' ORDER BY random() LIMIT 1
    FOR UPDATE SKIP LOCKED
) RETURNING workflow_uuid, name
"""
DONE = "UPDATE dbos.workflow_status SET status = 'SUCCESS' WHERE workflow_uuid = %s"


def claimed(dispatcher: Dispatcher, name: str, kind: str) -> Claim | None:
    if kind == "control":
        return dispatcher.claim_control(name.split("/")[1])
    while True:
        with suppress(Conflict):
            id, n = name.split("/")
            return dispatcher.claim(Job(id, int(n)))


def work_off(stage: CommandStage, executor: str, chance: random.Random, ended: threading.Event) -> None:
    """Jobs, as the queue gives them out, until there are none; whatever is claimed is released as anything."""
    dispatcher, signals = stage.dispatcher(executor), stage.signals(executor)
    while (taken := stage.run(TAKE)) or not ended.is_set():
        for name, kind in taken:
            claim = claimed(dispatcher, name, kind)
            if claim:
                for signal in signals.open_signals():
                    if signal.id == claim.id:
                        signals.answer(signal.n, SignalAnswer())
                ends: list[FleetStatus] = ["queued", "resting", "resting", "finished"]
                dispatcher.release(claim, Release(chance.choice(ends)))
            stage.run(DONE, name)


def test_however_they_meet_each_command_is_answered_and_no_run_is_left_without_its_job(stage: CommandStage) -> None:
    chance, ended, sender = random.Random(SEED), threading.Event(), stage.signals()
    ids = [stage.submit_loop() for _ in range(2)]
    with ThreadPoolExecutor() as pool:
        workers = [pool.submit(work_off, stage, f"m-{n}", random.Random(SEED + n), ended) for n in range(3)]
        sent = [sender.send(chance.choice(ids), "tell", {}, "cli") for _ in range(60)]
        ended.set()
        for worker in workers:
            worker.result(60)
    assert stage.run("SELECT n FROM fleet_signal WHERE done IS NULL") == []
    assert len(sent) == 60
    assert not stage.run("SELECT id FROM fleet_loop WHERE status IN ('queued', 'running') OR holder IS NOT NULL")
