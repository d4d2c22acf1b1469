"""What an agent asks waits for a person, at any door, and for nobody else."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Literal

import pytest

from loopwright.core.errors import Conflict, Forbidden, Invalid, NotFound
from loopwright.core.pause import add_permission_request
from loopwright.core.permits import AT_ONCE, KEPT_TEXT, MOST, PermissionQueue
from loopwright.core.ports import Prompter
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import EventBus, RunNote
from loopwright.core.state import MenuEntry, PermissionRequest
from loopwright.policy.secrets import SecretFilter
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from tests.asking import FETCH, RUN
from tests.fakes import ListedPerson, NoProcesses
from tests.stage import MakeStage, Stage
from tests.waiting import soon


@dataclass
class Desk:
    """A loop whose lease this process holds, as a runner does."""

    stage: Stage
    loop_id: str
    epoch: int
    notes: list[RunNote] = field(default_factory=list)

    @property
    def service(self) -> LoopService:
        return self.stage.service

    @property
    def open(self) -> tuple[PermissionRequest, ...]:
        return self.stage.store.read(self.loop_id).engine.asked

    def permits(self, person: Prompter | None = None) -> PermissionQueue[LoopState]:
        stage = self.stage
        return PermissionQueue(
            self.loop_id, stage.store, stage.clock, EventBus(self.notes.append),
            epoch=self.epoch, person=person, secrets=SecretFilter(["correct horse battery"]),
        )  # fmt: skip

    def told(self) -> list[tuple[str, str, object]]:
        """Of every event about permissions: type, actor, and the answer."""
        entries = self.stage.store.events(self.loop_id)
        return [(e.event.type, e.actor, e.event.data.get("answer")) for e in entries if "permission" in e.event.type]

    async def answered(self, answer: Literal["allow", "deny"]) -> tuple[PermissionRequest, ...]:
        """Answers the first request that is asked."""
        await soon(lambda: bool(self.open))
        return self.service.approve(self.loop_id, self.open[0].id, answer=answer)


@pytest.fixture
def desk(stage: MakeStage) -> Iterator[Desk]:
    made = stage()
    loop_id = made.create()
    with made.store.lease(loop_id) as lease:
        yield Desk(made, loop_id, lease.epoch)


@pytest.mark.parametrize("answer", ["allow", "deny"])
async def test_any_door_answers(desk: Desk, answer: Literal["allow", "deny"]) -> None:
    allowed, (request,) = await asyncio.gather(desk.permits()(RUN), desk.answered(answer))
    assert allowed is (answer == "allow")
    assert (request.title, request.command, request.reason) == (RUN.title, RUN.command, RUN.reason)
    assert desk.open == ()
    assert desk.told() == [
        ("permission_asked", "runner", None), ("permission_answered", "test", answer),
        ("permission_taken", "runner", answer),
    ]  # fmt: skip


@pytest.mark.parametrize(("answer", "allowed"), [("allow", True), ("deny", False)])
async def test_the_person_at_this_terminal_answers(desk: Desk, answer: str, allowed: bool) -> None:
    person = ListedPerson(answers=[answer])
    assert await desk.permits(person)(RUN) is allowed
    assert person.questions == [f"codex asks to run: make all; {RUN.reason}"]
    assert desk.told()[1:] == [("permission_answered", "person", answer)]
    assert desk.open == ()


class Chooser(ListedPerson):
    """Always takes the last option."""

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.questions.append(question)
        return options[-1]


async def test_an_answer_for_the_kind_spares_the_next_question(desk: Desk) -> None:
    person = Chooser()
    permits = desk.permits(person)
    assert all(await asyncio.gather(permits(RUN), permits(RUN), permits(FETCH)))
    assert await permits(RUN)
    assert len(person.questions) == 2, "one a kind"
    assert desk.open == ()


class Silent:
    """A person who never answers."""

    asked = 0
    left = 0

    async def ask(self, question: str, options: Sequence[str]) -> str:
        self.asked += 1
        try:
            await asyncio.Event().wait()
            raise AssertionError("nobody sets it")
        finally:
            self.left += 1

    async def choose(self, menu: Sequence[MenuEntry]) -> str:
        raise AssertionError

    async def show(self, state: object) -> None:
        raise AssertionError


async def test_an_answer_from_elsewhere_ends_the_question_at_the_terminal(desk: Desk) -> None:
    person = Silent()
    allowed, _ = await asyncio.gather(desk.permits(person)(RUN), desk.answered("allow"))
    assert (allowed, person.asked, person.left) == (True, 1, 1)


async def test_a_cancelled_request_is_withdrawn(desk: Desk) -> None:
    waiting = asyncio.ensure_future(desk.permits(Silent())(RUN))
    await soon(lambda: bool(desk.open))
    waiting.cancel()
    await asyncio.wait([waiting])
    assert waiting.cancelled()
    assert desk.open == ()
    assert desk.told()[-1] == ("permission_withdrawn", "runner", "deny")
    with pytest.raises(Invalid, match="no open permission request"):
        desk.service.approve(desk.loop_id, answer="allow")


async def test_nobody_is_in_a_hurry(desk: Desk) -> None:
    before = desk.stage.clock.now()
    waiting = asyncio.ensure_future(desk.permits()(RUN))
    await soon(lambda: desk.stage.clock.now() - before > timedelta(hours=1))
    assert not waiting.done()
    await desk.answered("allow")
    assert await waiting


async def test_a_storm_of_100_is_queued(desk: Desk) -> None:
    permits, most = desk.permits(), 0
    waiting = asyncio.gather(*(permits(RUN.evolve(title=f"n{n}")) for n in range(100)))
    while not waiting.done():
        await soon(lambda: waiting.done() or any(r.answer is None for r in desk.open))
        most = max(most, len(desk.open))
        if not waiting.done():
            desk.service.approve(desk.loop_id, answer="allow", every=True)
    assert await waiting == [True] * 100
    assert most == AT_ONCE
    assert (await asyncio.gather(permits(RUN), desk.answered("allow")))[0], "there is room again"
    assert any("the others wait" in note.text for note in desk.notes)
    titles = [
        e.event.data["words"] for e in desk.stage.store.events(desk.loop_id) if e.event.type == "permission_asked"
    ]
    assert len(titles) == 101
    assert len(set(titles)) == 1, "the command is what counts, not its title"


async def test_beyond_what_anybody_reads_it_is_denied_at_once(desk: Desk) -> None:
    permits = desk.permits()
    waiting = [asyncio.ensure_future(permits(RUN)) for _ in range(MOST + 5)]
    await soon(lambda: sum(one.done() for one in waiting) == 5)
    assert [one.result() for one in waiting if one.done()] == [False] * 5
    for one in waiting:
        one.cancel()
    await asyncio.wait(waiting)
    assert desk.open == ()


async def test_what_a_dead_runner_has_asked_is_forgotten(desk: Desk) -> None:
    waiting = asyncio.ensure_future(desk.permits()(RUN))
    await soon(lambda: bool(desk.open))
    desk.permits().forget_old()
    assert desk.open == ()
    assert await waiting is False
    assert desk.told()[-1] == ("permissions_forgotten", "runner", None)
    rev = desk.stage.store.read(desk.loop_id).engine.rev
    desk.permits().forget_old()
    assert desk.stage.store.read(desk.loop_id).engine.rev == rev, "nothing to forget, nothing to commit"


async def test_what_is_too_long_is_cut_and_says_so(desk: Desk) -> None:
    hostile = RUN.evolve(command="x" * 10**6, title="a\ud800b", kind="levitate", paths=("p" * 10**5,) * 500)
    waiting = asyncio.ensure_future(desk.permits()(hostile))
    await soon(lambda: bool(desk.open))
    (kept,) = desk.open
    assert kept.command is not None
    assert kept.command.endswith(f"[… {10**6 - KEPT_TEXT:,} more characters]")
    assert (kept.title, kept.kind) == ("a?b", "other")
    assert len(kept.model_dump_json()) < 60 * (KEPT_TEXT + 100)
    await desk.answered("deny")
    assert await waiting is False


async def test_secrets_are_not_shown(desk: Desk) -> None:
    secret = "correct horse battery"
    leaky = RUN.evolve(command=f"login {secret}", title=secret, paths=(f"/x/{secret}",), reason=f"why {secret}")
    person = ListedPerson(answers=["deny"])
    assert await desk.permits(person)(leaky) is False
    events = " ".join(e.model_dump_json() for e in desk.stage.store.events(desk.loop_id))
    for told in (events, *person.questions, *(note.text for note in desk.notes)):
        assert secret not in told
        assert "login" in told


async def test_ids_are_never_the_agents(desk: Desk) -> None:
    permits = desk.permits()
    waiting = asyncio.gather(*map(permits, (RUN, RUN)))
    await soon(lambda: len(desk.open) == 2)
    first, second = desk.open
    assert first.id != second.id
    assert RUN.id not in (first.id, second.id)
    desk.service.approve(desk.loop_id, second.id, answer="deny")
    desk.service.approve(desk.loop_id, first.id, answer="allow")
    assert await waiting == [True, False]


async def test_answers_that_fit_nothing(desk: Desk) -> None:
    approve = desk.service.approve
    with pytest.raises(Invalid, match="no open permission request"):
        approve(desk.loop_id, answer="allow")
    permits = desk.permits()
    waiting = asyncio.gather(*map(permits, (RUN, FETCH)))
    await soon(lambda: len(desk.open) == 2)
    ids = [request.id for request in desk.open]
    with pytest.raises(Invalid, match=f"several requests are open.*{ids[0]}, {ids[1]}"):
        approve(desk.loop_id, answer="allow")
    with pytest.raises(NotFound, match=f"no request ask-1 is open.*open: {ids[0]}, {ids[1]}"):
        approve(desk.loop_id, "ask-1", answer="allow")
    approve(desk.loop_id, ids[0], answer="deny")
    with pytest.raises(Conflict, match=f"{ids[0]} is already answered: deny"):
        approve(desk.loop_id, ids[0], answer="allow")
    (last,) = approve(desk.loop_id, answer="allow")
    assert last.id == ids[1], "it is the only one without an answer"
    assert await waiting == [False, True]
    with pytest.raises(NotFound):
        approve("loop-v2-20260101T000000-00000000", answer="allow")


class Within(NoProcesses):
    def within(self, loop_id: str) -> bool:
        return True


@pytest.mark.parametrize("answer", ["allow", "deny"])
async def test_a_loop_does_not_answer_itself(desk: Desk, answer: Literal["allow", "deny"]) -> None:
    inside = replace(desk.service, processes=Within())
    waiting = asyncio.ensure_future(desk.permits()(RUN))
    await soon(lambda: bool(desk.open))
    with pytest.raises(Forbidden, match="whoever started it can"):
        inside.approve(desk.loop_id, answer=answer)
    with pytest.raises(Forbidden):
        inside.approve(desk.loop_id, answer=answer, every=True)
    assert desk.open[0].answer is None
    await desk.answered("deny")
    assert await waiting is False


def test_without_a_runner_nobody_waits(stage: MakeStage) -> None:
    made = stage()
    loop_id = made.create()
    made.store.update(
        loop_id, lambda s: add_permission_request(s, RUN), actor="runner", event=JournalEvent(type="permission_asked")
    )
    with pytest.raises(Conflict, match=r"the runner of .* is gone; resume"):
        made.service.approve(loop_id, answer="allow")
