"""Commands on runs that are driven elsewhere: each reaches them, once, and its answer comes back."""

import asyncio
import inspect
import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue

from loopwright.core.errors import (
    Conflict,
    IllegalTransition,
    Invalid,
    LoopwrightError,
    NotFound,
    StaleVersion,
    StoreError,
)
from loopwright.core.fleet import Claim, Job, Release, SignalAnswer
from loopwright.core.pause import add_permission_request
from loopwright.core.run import Waiver
from loopwright.core.run_commands import RunService
from loopwright.core.state import Limits, PermissionRequest, Waiting
from loopwright.core.threads import in_thread
from loopwright.fleet.replica import PostgresReplica
from loopwright.wiring.fleet import forwarder
from loopwright.wiring.fleet.forwarder import METHODS
from loopwright.wiring.fleet.signal_applier import OpenRun, SignalApplier
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.service import LoopService, TaskService
from loopwright.workflows.tuning.service import TuningService
from tests.chance import SEED
from tests.fleet.command_stage import CommandStage, open_stage


@pytest.fixture
def stage(tmp_path: Path, queue_url: str) -> Iterator[CommandStage]:
    with open_stage(tmp_path, queue_url) as made:
        yield made


def _claimed(claim: Claim | None) -> Claim:
    assert claim
    return claim


@contextmanager
def driven(stage: CommandStage, id: str, executor: str = "one") -> Iterator[RunService[Any]]:
    """The run's commands where it is driven, and others reach it meanwhile."""
    service = stage.lay_out(_claimed(stage.dispatcher(executor).claim(Job(id, 1))))
    applier = SignalApplier(stage.signals(executor), lambda line: None)
    with in_thread(applier.serve), applier.open(id, service):
        yield service


def asking(service: RunService[Any], id: str) -> None:
    request = PermissionRequest(
        id="req-1", agent="builtin", action="DEVELOP", title="run make", since=service.clock.now().isoformat()
    )
    service.commit(id, lambda state: add_permission_request(state, request), "permission_asked", request="req-1")


def test_every_command_on_a_loop_reaches_it(stage: CommandStage) -> None:
    id, here = stage.submit_loop(), stage.engine.service
    with driven(stage, id) as there:
        assert here.edit(id, {"title": "Another ☃"}).title == "Another ☃"
        assert here.limit(id, Limits(max_iterations=30, max_cost=2.5)).max_iterations == 30
        first = here.tasks.add(id, {"description": "One", "tool": "bash", "command": "true"})
        assert first.description == "One"
        two, three = here.tasks.add_proposed(id, ["Two", "Three"], "builtin")
        assert here.tasks.edit(id, two.task_id, {"description": "2"}).description == "2"
        order = [three.task_id, two.task_id, first.task_id]
        assert [task.task_id for task in here.tasks.reorder(id, order)] == order
        here.tasks.remove(id, two.task_id)
        assert here.start(id, "auto").status == "running"
        assert here.tell(id, "Leave the API", now=True).engine.messages[-1].text == "Leave the API"
        assert here.pause(id, now=True).engine.interrupt
        assert here.resume(id).status == "running"
        waiting = Waiting(question="Which?", since=there.clock.now().isoformat())
        there.commit(id, lambda state: there.rules.wait_for_person(state, waiting), "question_asked", question="Which?")
        assert here.answer(id, "the second").engine.answer == "the second"
        here.resume(id)
        with there.store.lease(id):
            asking(there, id)
            (asked,) = here.approve(id, answer="allow")
            assert (asked.id, asked.answer) == ("req-1", "allow")
        stopped = asyncio.run(here.stop(id))
        assert (stopped.status, stopped.engine.outcome) == ("failed", "stopped")
        again = here.expecting(stopped.engine.rev).reopen(id, Limits(max_iterations=50), Waiver(proof="none"))
        assert (again.status, again.max_iterations) == ("running", 50)
        assert here.read(id) == there.read(id) == again
        actors = [entry.actor for entry in there.events(id) if "#" in entry.actor]
        numbers = [int(actor.removeprefix("cli#")) for actor in actors]
        assert numbers == sorted(numbers)
    assert stage.run("SELECT count(*) FROM fleet_signal WHERE done IS NULL") == [(0,)]


def test_commands_on_cycles_and_tuning_sessions_reach_them(stage: CommandStage, tmp_path: Path) -> None:
    cycles, tunings = stage.engine.cycles, stage.engine.tunings
    cycle = stage.submit(cycles, cycles.create("Build it").cycle_id, "cycle_id")
    (tmp_path / "skill").mkdir()
    (tmp_path / "skill" / "SKILL.md").write_text("---\nname: skill\ndescription: Does it\n---\nDo it.\n")
    tuning = stage.submit(tunings, tunings.create("skill", tmp_path / "skill").tuning_id, "tuning_id")
    with driven(stage, cycle, "one"), driven(stage, tuning, "two"):
        assert cycles.start(cycle).status == "running"
        assert cycles.tell(cycle, "Hurry", role="ep").engine.messages[-1].role == "ep"
        assert "Also this" in str(cycles.extend(cycle, "Also this"))
        with pytest.raises(LoopwrightError, match="d-1"):
            cycles.decide(cycle, "d-1", "yes")
        with pytest.raises(LoopwrightError, match="b-1"):
            cycles.resolve(cycle, "b-1", "done", workaround=True)
        assert tunings.start(tuning).status == "running"
        with pytest.raises(Conflict):
            tunings.choose(tuning, ["FIX-001"])
        with pytest.raises(Invalid, match="mode"):
            tunings.resume(tuning, "auto")
        assert asyncio.run(tunings.stop(tuning)).status == "failed"


def test_errors_are_the_same_as_here(stage: CommandStage) -> None:
    id, here = stage.submit_loop(), stage.engine.service
    with driven(stage, id):
        with pytest.raises(IllegalTransition, match="Cannot pause loop with status: created"):
            here.pause(id)
        with pytest.raises(StaleVersion, match="not 99"):
            here.expecting(99).edit(id, {"title": "T"})
        with pytest.raises(Invalid, match="cannot edit status"):
            here.edit(id, {"status": "completed"})
        with pytest.raises(NotFound, match="task-9"):
            here.tasks.remove(id, "task-9")
        with pytest.raises(Invalid, match="cannot be sent"):
            here.tell(id, "half of a pair: \ud800")
        here.start(id)
        here.limit(id, Limits(max_iterations=1))
        asyncio.run(here.stop(id))
        with pytest.raises(IllegalTransition, match="status: failed"):
            here.resume(id)


def test_what_needs_files_is_refused(stage: CommandStage) -> None:
    id, here = stage.submit_loop(), stage.engine.service
    needs: list[Callable[[], object]] = [
        lambda: here.rewind(id, 1),
        lambda: here.apply(id),
        lambda: here.branch(id),
        lambda: here.delete(id),
        lambda: here.recover(id),
        lambda: here.choose(id, "rival-1"),
        lambda: asyncio.run(here.generate(id)),
        lambda: stage.engine.cycles.choose(id, "rival-1"),
        lambda: stage.engine.tunings.roll_back(id, "FIX-1"),
    ]
    for call in needs:
        with pytest.raises(Conflict, match=f"loopwright fetch {id}"):
            call()
    assert here.whole_diff(id) == ""
    assert stage.run("SELECT count(*) FROM fleet_signal") == [(0,)]


def test_a_command_that_nobody_answers_is_kept(stage: CommandStage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forwarder, "ANSWER_SECONDS", 0.2)
    id, here = stage.submit_loop(), stage.engine.service
    with pytest.raises(Conflict, match=r"no worker of the fleet is running .* the command is kept"):
        here.edit(id, {"title": "Later"})
    stage.dispatcher("one")
    with pytest.raises(Conflict, match=r"no worker took up .* the command is kept"):
        here.edit(id, {"title": "Soon"})
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    with pytest.raises(Conflict, match=r"the machine that drives .* did not answer .* the command is kept"):
        here.edit(id, {"title": "Latest"})
    OpenRun(stage.signals("one"), service, id).apply()
    assert service.read(id).title == "Latest"
    assert [e.actor for e in service.events(id)][-3:] == ["cli#1", "cli#2", "cli#3"]


def test_runs_of_this_project_alone_are_changed_here(stage: CommandStage) -> None:
    elsewhere, here = stage.submit_loop(), stage.engine.service
    id = here.create("Another").loop_id
    assert here.edit(id, {"title": "Mine"}).title == "Mine"
    assert here.tasks.add(id, {"description": "One", "tool": "builtin"}).description == "One"
    assert [entry.actor for entry in here.events(id)] == ["cli"] * 3
    assert here.read(elsewhere).title == "Mend it"


HOSTILE: list[tuple[str, JsonValue]] = [
    ("nothing", {}),
    ("__class__", {}),
    ("commit", {"rule": "x", "type": "stopped"}),
    ("delete", {}),
    ("_erase", {}),
    ("tasks", {}),
    ("tasks.commit", {}),
    ("tasks.import_issue", {"issue_id": "1"}),
    ("tasks.add_all", {"new": {}, "type": "lease_taken"}),
    ("read", {}),
    ("x" * 100_000, {}),
    ("pause", {"now": "yes"}),
    ("pause", {"id": "loop-2"}),
    ("pause", {"self": 1}),
    ("tell", {}),
    ("tell", {"text": ["a"]}),
    ("tell", {"text": "a", "role": "boss"}),
    ("limit", {"limits": {"max_iterations": "30"}}),
    ("limit", {"limits": [1]}),
    ("limit", {"limits": {"max_iterations": 0}}),
    ("edit", {"changes": {"title": 7}}),
    ("edit", {"changes": {"engine": {}}}),
    ("approve", {"answer": "maybe"}),
    ("choose", {"choice": "add", "loop_id": "loop-2"}),
    ("choose", {"choice": "done", "given": 1}),
    ("reopen", {"waiver": {"proof": "anything"}}),
]


def test_what_is_no_command_is_told_and_harms_nothing(stage: CommandStage) -> None:
    id = stage.submit_loop()
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    before, sender = service.read(id), stage.signals()
    envelopes = [
        *((command, {"seen": 0, "given": given}) for command, given in HOSTILE),
        *(
            ("pause", args)
            for args in ({}, {"seen": "x", "given": {}}, {"seen": 0, "given": 3}, {"seen": 0, "more": 1})
        ),
    ]
    sent = [sender.send(id, command, args, "cli") for command, args in envelopes]  # type: ignore[arg-type]  # hostile
    OpenRun(stage.signals("one"), service, id).apply()
    answers = [sender.await_answer(one.n, 0) for one in sent]
    wrong = [
        (envelope, answer)
        for envelope, answer in zip(envelopes, answers, strict=True)
        if answer is None or answer.error not in ("Invalid", "Conflict")
    ]
    assert not wrong
    assert service.read(id) == before


class Killed(BaseException):
    """What nobody catches."""


class Killer:
    """Ends the machine at a moment of its work: before a command, after its commit, before its answer."""

    def __init__(self, chance: random.Random) -> None:
        self.chance, self.rate = chance, 0.25

    def may_kill(self) -> None:
        if self.chance.random() < self.rate:
            raise Killed

    def around(self, method: Callable[..., Any], *, after: bool = False) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:  # Any: as the method has them
            if not after:
                self.may_kill()
            result = method(*given, **named)
            if after:
                self.may_kill()
            return result

        return call


@pytest.mark.parametrize("n", range(4))
def test_whatever_kills_machines_each_command_is_carried_out_once_and_in_order(
    stage: CommandStage, monkeypatch: pytest.MonkeyPatch, n: int
) -> None:
    chance = random.Random(f"{SEED}-{n}")
    killer, id, sender = Killer(chance), stage.submit_loop(), stage.signals()
    monkeypatch.setattr(PostgresReplica, "append", killer.around(PostgresReplica.append, after=True))
    killer.rate, sent, machines = 0, list[int](), 0
    rev = stage.engine.service.read(id).engine.rev

    def send() -> None:
        k = len(sent)
        command, given = chance.choice(
            [
                ("tell", {"text": f"word {k}"}),
                ("tasks.add", {"fields": {"description": f"task {k}", "tool": "builtin"}}),
                ("limit", {"limits": {"max_iterations": 20 + k}}),
                ("edit", {"changes": {"title": f"title {k}"}}),
            ]
        )
        sent.append(sender.send(id, command, {"seen": rev, "given": given}, "cli").n)  # type: ignore[dict-item]  # JSON

    for _ in range(3):
        send()
    while sender.await_answer(sent[-1], 0) is None or len(sent) < 14:
        killer.rate = 0.25 if machines < 12 else 0
        name, machines = f"m-{machines}", machines + 1
        dispatcher = stage.dispatcher(name)
        claim = dispatcher.claim_control(id)
        if claim is None:
            send()
            claim = _claimed(dispatcher.claim_control(id))
        signals = stage.signals(name)
        monkeypatch.setattr(signals, "answer", killer.around(signals.answer))
        run = OpenRun(signals, stage.lay_out(claim), id)
        try:
            for _ in range(chance.randrange(4)):
                send()
            run.apply()
            dispatcher.release(claim, Release("queued"))
        except Killed:
            stage.bury(name)
    service = stage.lay_out(_claimed(stage.dispatcher("last").claim(Job(id, 1))))
    done = [int(e.actor.removeprefix("cli#")) for e in service.events(id) if "#" in e.actor]
    assert done == sent
    assert stage.run("SELECT n FROM fleet_signal WHERE done IS NULL OR answer->>'error' IS NOT NULL") == []


def test_a_command_that_fails_unexpectedly_is_answered_and_not_tried_again(
    stage: CommandStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, sender = stage.submit_loop(), stage.signals()
    monkeypatch.setattr(LoopService, "pause", lambda self, id, *, now=False: 1 / 0)
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    first = sender.send(id, "pause", {"seen": 0, "given": {}}, "cli")
    second = sender.send(id, "edit", {"seen": 0, "given": {"changes": {"title": "T"}}}, "cli")
    run = OpenRun(stage.signals("one"), service, id)
    with pytest.raises(StoreError, match="ZeroDivisionError"):
        run.apply()
    run.apply()
    told = sender.await_answer(first.n, 0)
    assert told
    assert (told.error, sender.await_answer(second.n, 0)) == ("StoreError", SignalAnswer(service.read(id).engine.rev))


def test_an_answer_that_could_not_be_given_is_given_later(stage: CommandStage, monkeypatch: pytest.MonkeyPatch) -> None:
    id, sender, signals = stage.submit_loop(), stage.signals(), stage.signals("one")
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    given: JsonValue = {"fields": {"description": "One", "tool": "builtin"}}
    sent = sender.send(id, "tasks.add", {"seen": 0, "given": given}, "cli")
    run = OpenRun(signals, service, id)

    def fails(n: int, answer: SignalAnswer) -> bool:
        raise StoreError("the fleet's database cannot be reached")

    with monkeypatch.context() as patch:
        patch.setattr(signals, "answer", fails)
        with pytest.raises(StoreError):
            run.apply()
    run.apply()
    answer = sender.await_answer(sent.n, 0)
    assert answer
    assert isinstance(answer.value, dict)
    assert answer.value["description"] == "One"
    assert len(service.read(id).engine.tasks) == 1


def test_a_closed_run_takes_no_command(stage: CommandStage) -> None:
    id, sender = stage.submit_loop(), stage.signals()
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    run = OpenRun(stage.signals("one"), service, id)
    run.close()
    sender.send(id, "edit", {"seen": 0, "given": {"changes": {"title": "T"}}}, "cli")
    run.apply()
    assert service.read(id).title == "Mend it"


def test_whoever_was_fenced_answers_nothing(stage: CommandStage) -> None:
    id, sender = stage.submit_loop(), stage.signals()
    service = stage.lay_out(_claimed(stage.dispatcher("one").claim(Job(id, 1))))
    sent = sender.send(id, "edit", {"seen": 0, "given": {"changes": {"title": "T"}}}, "cli")
    signals = stage.signals("one")
    waiting = signals.open_signals()
    stage.bury("one")
    again = stage.lay_out(_claimed(stage.dispatcher("two").claim(Job(id, 1))))
    signals.open_signals = lambda: waiting  # type: ignore[method-assign]  # it had looked before
    with pytest.raises(Conflict, match="claimed"):
        OpenRun(signals, service, id).apply()
    assert sender.await_answer(sent.n, 0) is None
    OpenRun(stage.signals("two"), again, id).apply()
    assert sender.await_answer(sent.n, 0) == SignalAnswer(again.read(id).engine.rev)


def test_a_pause_takes_effect_at_once(stage: CommandStage) -> None:
    id, here, took = stage.submit_loop(), stage.engine.service, list[float]()
    with driven(stage, id):
        here.start(id)
        for _ in range(12):
            begun = time.monotonic()
            here.pause(id)
            took.append(time.monotonic() - begun)
            here.resume(id)
    assert sorted(took)[-2] < 1


@pytest.mark.parametrize("kind", [LoopService, CycleService, TuningService, TaskService])
def test_each_public_method_is_forwarded_refused_or_stays_here(kind: type) -> None:
    public = {name for name in dir(kind) if not name.startswith("_")}
    ways = METHODS[kind]
    assert sum(map(len, ways)) == len(frozenset.union(*ways)), "each has one way"
    wrong = public ^ frozenset.union(*ways)
    assert not {name for name in wrong if inspect.isroutine(getattr(kind, name, None)) or name in public}
