"""News of whole loops: told once, never in the way of the loop, and never with a secret."""

import asyncio
from dataclasses import dataclass, field

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core import notifier, pause
from loopwright.core.notices import Event as Kind
from loopwright.core.notices import Notification
from loopwright.core.notifier import AT_ONCE, NotificationDispatcher
from loopwright.core.ports import Notifier
from loopwright.core.record import JournalEvent
from loopwright.core.run_events import EventBus
from loopwright.policy.secrets import SecretFilter
from loopwright.workflows.loop.commands import stop, take_up
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.runner import LoopRunner, loop_news
from tests.asking import FETCH
from tests.fakes import NoDebugger, NoProcesses
from tests.notify.letters import KeptLetters
from tests.stage import MakeStage, Stage, said
from tests.waiting import soon

PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "Mend it"}]))
MENDS = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"})
ASKS = ScriptedTurn(text=said("DEVELOP", "needs_input", "Which colour?"))
LIMIT = ScriptedTurn(error="quota")
ALL: tuple[Kind, ...] = ("finished", "needs_person", "parked")


async def drive(
    stage: Stage, loop_id: str, *notifiers: Notifier, on: tuple[Kind, ...] = ALL, secrets: SecretFilter | None = None
) -> LoopState:
    runner = LoopRunner(
        project=str(stage.project),
        store=stage.store,
        workspace=stage.workspace,
        tests=stage.tests,
        clock=stage.clock,
        processes=NoProcesses(),
        agents=stage.make_agent,
        debugger=lambda id, bus: NoDebugger(),
        notifiers=notifiers,
        notify_on=frozenset(on),
        secrets=secrets or SecretFilter(),
    )
    return await runner.drive(loop_id, take_up=take_up, bus=EventBus(stage.notes.append))


def told(kept: KeptLetters) -> list[Kind]:
    return [letter.event for letter in kept.letters]


async def test_an_end_is_told_once(stage: MakeStage) -> None:
    ready, kept = stage(PLAN, MENDS), KeptLetters()
    loop_id = ready.create("Make app.txt good")
    state = await drive(ready, loop_id, kept)
    (letter,) = kept.letters
    assert (letter.event, letter.outcome, letter.loop_id, letter.project) == (
        "finished", "succeeded", loop_id, str(ready.project),
    )  # fmt: skip
    assert letter.text == "Make app.txt good: done, succeeded"
    assert state.engine.incidents == ()


async def test_a_question_is_told_and_its_answer_is_not(stage: MakeStage) -> None:
    ready, kept = stage(PLAN, ASKS, ASKS, MENDS), KeptLetters()
    loop_id = ready.create()
    assert (await drive(ready, loop_id, kept)).status == "paused"
    assert told(kept) == ["needs_person"]
    assert kept.letters[0].question == "Which colour?"
    ready.service.answer(loop_id, "blue")
    assert (await drive(ready, loop_id, kept)).status == "completed"
    assert told(kept) == ["needs_person", "finished"]


async def test_a_limit_is_told_and_that_it_has_passed_is_not(stage: MakeStage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loopwright.core.supervisor.LOOK_SECONDS", 20.0)
    ready, kept = stage(PLAN, LIMIT, MENDS), KeptLetters()
    assert (await drive(ready, ready.create(), kept)).status == "completed"
    assert told(kept) == ["parked", "finished"]
    assert kept.letters[0].parked_until


async def test_only_what_is_asked_for_is_told(stage: MakeStage) -> None:
    ready, kept = stage(PLAN, MENDS), KeptLetters()
    await drive(ready, ready.create(), kept, on=("needs_person", "parked"))
    assert told(kept) == []


@pytest.mark.parametrize("command", ["pause", "stop"])
async def test_what_a_person_did_is_no_news(stage: MakeStage, command: str) -> None:
    ready, kept = stage(PLAN, ScriptedTurn(hangs=True)), KeptLetters()
    loop_id = ready.create()
    driving = asyncio.ensure_future(drive(ready, loop_id, kept))
    await soon(lambda: "DEVELOP" in [note.text for note in ready.notes if note.kind == "action"])
    if command == "pause":
        ready.service.pause(loop_id, now=True)
    else:
        at = ready.clock.now().isoformat()
        ready.store.update(loop_id, lambda s: stop(s, at), actor="cli", event=JournalEvent(type="stopped"))
    assert (await driving).status == {"pause": "paused", "stop": "failed"}[command]
    assert told(kept) == []


@dataclass
class Slow:
    """Never ends; remembers whether somebody held the loop when it was called."""

    stage: Stage
    holders: list[int | None] = field(default_factory=list)

    async def notify(self, letter: Notification) -> str | None:
        self.holders.append(self.stage.store.holder(letter.id))
        await asyncio.Event().wait()
        return None


async def test_what_takes_too_long_is_cut_off_and_holds_nobody_up(
    stage: MakeStage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notifier, "PATIENCE", 0.05)
    ready = stage(PLAN, MENDS)
    slow, kept, loop_id = Slow(ready), KeptLetters(), ready.create()
    assert (await drive(ready, loop_id, slow, kept)).status == "completed"
    assert slow.holders == [None], "the loop is let go of before: it can be taken up meanwhile"
    assert told(kept) == ["finished"]
    words = "notification (finished) not delivered: cancelled: its process has ended"
    assert words in [note.text for note in ready.notes]
    assert [incident.message for incident in ready.service.read(loop_id).engine.incidents] == [words]


async def test_a_failure_is_told_each_time_and_is_one_incident(stage: MakeStage) -> None:
    ready = stage(PLAN, ASKS, ASKS, MENDS)
    deaf = KeptLetters(problem="ntfy.example.org answered 500 to tk_verysecretvalue1")
    loop_id, secrets = ready.create(), SecretFilter(["tk_verysecretvalue1"])
    await drive(ready, loop_id, deaf, secrets=secrets)
    ready.service.answer(loop_id, "blue")
    assert (await drive(ready, loop_id, deaf, secrets=secrets)).status == "completed"
    assert told(deaf) == ["needs_person", "finished"]
    state = ready.service.read(loop_id)
    assert [incident.kind for incident in state.engine.incidents].count("notification_failed") == 1
    kept = ready.store.progress_path(loop_id) / "transcript.ndjson"
    assert kept.read_text().count("ntfy.example.org answered 500 to ‹masked") == 2
    whole = kept.read_text() + state.model_dump_json() + str(ready.notes) + str(ready.store.events(loop_id))
    assert "verysecret" not in whole


async def test_a_loop_that_is_deleted_meanwhile_is_no_trouble(stage: MakeStage) -> None:
    ready = stage(PLAN, MENDS)

    class Deletes:
        async def notify(self, letter: Notification) -> str | None:
            ready.service.delete(letter.id)
            return "gone"

    assert (await drive(ready, ready.create(), Deletes())).status == "completed"


async def test_what_is_asked_in_the_middle_of_a_step_is_told_at_once(stage: MakeStage) -> None:
    ready, kept, said_of = stage(), KeptLetters(), list[str]()
    loop_id = ready.create()
    begun = ready.service.start(loop_id)
    herald = NotificationDispatcher(
        loop_id,
        "/project",
        "loop_id",
        loop_news,
        ready.store,
        ready.clock,
        (kept,),
        ALL,
        SecretFilter(),
        said_of.append,
    )

    def ask(id: str) -> None:
        ready.store.update(
            loop_id,
            lambda s: pause.add_permission_request(s, FETCH.evolve(id=id)),
            actor="runner",
            event=JournalEvent(type="asked"),
        )

    async with herald.watching(begun):
        ask("ask-1")
        await soon(lambda: len(kept.letters) == 1)
        ask("ask-2")
        await soon(lambda: len(kept.letters) == 2)
        ready.service.edit(loop_id, {"notes": "unrelated"})
        looked = ready.clock.now()
        await soon(lambda: (ready.clock.now() - looked).total_seconds() > 60)
    assert [request.id for request in kept.letters[1].requests] == ["ask-1", "ask-2"]
    assert told(kept) == ["needs_person", "needs_person"]
    assert said_of == []


async def test_a_flood_of_news_is_cut(stage: MakeStage) -> None:
    ready, said_of = stage(), list[str]()
    loop_id = ready.create()
    begun = ready.service.start(loop_id)
    slow = Slow(ready)
    herald = NotificationDispatcher(
        loop_id,
        "/project",
        "loop_id",
        loop_news,
        ready.store,
        ready.clock,
        (slow,),
        ALL,
        SecretFilter(),
        said_of.append,
    )
    watching = herald.watching(begun)
    await watching.__aenter__()
    for n in range(AT_ONCE + 1):
        ready.store.update(
            loop_id, lambda s, n=n: pause.add_permission_request(s, FETCH.evolve(id=f"ask-{n}")),  # type: ignore[misc]  # bound now
            actor="runner", event=JournalEvent(type="asked"),
        )  # fmt: skip
        await soon(lambda n=n: len(slow.holders) + len(said_of) == n + 1)  # type: ignore[misc]  # bound now
    assert said_of == [f"a notification was not sent: {AT_ONCE} others are pending"]
    leaving = asyncio.ensure_future(watching.__aexit__(None, None, None))
    await asyncio.sleep(0)
    leaving.cancel()
    await asyncio.wait({leaving})
    assert leaving.cancelled()
