"""The menu of a loop that runs in the background: kept in its state, answered at any door, gone when nobody waits."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from loopwright.agents.scripted import ScriptedTurn
from loopwright.core.errors import Conflict, Forbidden, IllegalTransition, Invalid
from loopwright.core.record import JournalEvent
from loopwright.core.state import Limits
from loopwright.workflows.loop.commands import configure, stop
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from tests.actions.test_replay import replayed
from tests.fakes import ListedPerson, NoProcesses
from tests.stage import MakeStage, Stage, said
from tests.waiting import soon

PLAN = ScriptedTurn(text=said("INIT", tasks=[{"description": "Make app.txt say good"}]))
GOOD = ScriptedTurn(text=said("DEVELOP"), files={"app.txt": "good"})
ASKS = ScriptedTurn(text=said("DEVELOP", "needs_input", "Which colour?"))


@dataclass
class Afar:
    """A loop that a runner drives in the background of this process."""

    stage: Stage
    loop_id: str
    driving: "asyncio.Future[LoopState]"

    @property
    def service(self) -> LoopService:
        return self.stage.service

    @property
    def state(self) -> LoopState:
        return self.stage.store.read(self.loop_id)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entry.name for entry in self.service.menu(self.loop_id))

    async def at_menu(self) -> tuple[str, ...]:
        """The names it offers, once it does."""
        await soon(lambda: bool(self.names) or self.driving.done())
        return self.names

    async def choose(self, choice: str, **given: object) -> LoopState:
        await self.at_menu()
        return self.service.choose(self.loop_id, choice, **given)

    def events(self, beginning: str) -> list[tuple[str, str]]:
        entries = self.stage.store.events(self.loop_id)
        return [(e.event.type, e.actor) for e in entries if e.event.type.startswith(beginning)]


@asynccontextmanager
async def afar(stage: Stage) -> AsyncIterator[Afar]:
    loop_id = stage.create(mode="interactive")
    driving = asyncio.ensure_future(stage.drive(loop_id, from_afar=True))
    try:
        yield Afar(stage, loop_id, driving)
    finally:
        driving.cancel()
        with suppress(asyncio.CancelledError):
            await driving


async def test_every_step_is_chosen_from_elsewhere(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        assert await loop.at_menu() == ("develop", "debug", "validate", "add", "complete", "exit")
        assert [entry.name for entry in loop.service.menu(loop.loop_id) if entry.preselected] == ["develop"]
        for choice in ("develop", "validate", "complete"):
            await loop.choose(choice)
            await soon(lambda: loop.state.engine.menu is None or loop.driving.done())
        state = await loop.driving
    assert (state.status, state.engine.outcome, state.engine.menu) == ("completed", "succeeded", None)
    assert loop.stage.actions(loop.loop_id) == ["INIT", "DEVELOP", "VALIDATE", "COMPLETE"]
    assert loop.events("menu") == [("menu_opened", "runner"), ("menu_chosen", "test")] * 3


async def test_an_auto_loop_asks_nobody(stage: MakeStage) -> None:
    made = stage(PLAN, GOOD)
    loop_id = made.create()
    assert (await made.drive(loop_id, from_afar=True)).engine.outcome == "succeeded"


@pytest.mark.parametrize("now", [False, True])
async def test_a_pause_at_the_menu_takes_effect_at_once(stage: MakeStage, now: bool) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.at_menu()
        loop.service.pause(loop.loop_id, now=now)
        state = await asyncio.wait_for(loop.driving, 20)
    assert (state.status, state.engine.menu) == ("paused", None)
    with pytest.raises(IllegalTransition, match="Cannot choose the next step of a loop with status: paused"):
        loop.service.choose(loop.loop_id, "develop")


async def test_a_stop_at_the_menu(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.at_menu()
        loop.service.commit(loop.loop_id, lambda s: stop(s, "2026-01-22T10:00:00+08:00"), "stopped")
        state = await asyncio.wait_for(loop.driving, 20)
    assert (state.engine.outcome, state.engine.menu) == ("stopped", None)


async def test_leaving_ends_the_run_and_can_be_resumed(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.choose("exit")
        state = await asyncio.wait_for(loop.driving, 20)
    assert (state.status, state.engine.menu) == ("user_exit", None)


async def test_a_person_at_the_terminal_is_interrupted_by_a_pause_too(stage: MakeStage) -> None:
    class Thinks(ListedPerson):
        async def choose(self, menu: object) -> str:
            made.service.pause(loop_id)
            await asyncio.Event().wait()
            raise AssertionError("nobody sets it")

    made = stage(PLAN)
    loop_id = made.create(mode="interactive")
    assert (await asyncio.wait_for(made.drive(loop_id, Thinks()), 20)).status == "paused"


async def test_a_task_is_added_in_one_call_and_the_menu_shows_it(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.choose("develop")
        await soon(lambda: "develop" not in _free(loop))
        await loop.choose("add", description="Say hello", command="echo hello > hello.txt")
        await soon(lambda: "develop" in _free(loop))
        await loop.choose("develop")
        await soon(lambda: (loop.stage.project / "hello.txt").exists())
        with pytest.raises(Invalid, match="description"):
            await loop.choose("add")
        with pytest.raises(Invalid, match="unknown task field: colour"):
            await loop.choose("add", description="x", colour="red")


def _free(loop: Afar) -> tuple[str, ...]:
    menu = loop.state.engine.menu
    return menu.free if menu and menu.choice is None else ("develop",)


async def test_the_limit_is_raised_from_the_menu(stage: MakeStage) -> None:
    made = stage(PLAN, GOOD)
    async with afar(made) as loop:
        await loop.at_menu()
        made.service.edit(loop.loop_id, {"max_iterations": 1})
        await loop.choose("develop")
        await soon(lambda: loop.names == ("complete", "exit", "raise"))
        with pytest.raises(Invalid, match=r"'develop' is not offered \(available: complete, exit, raise\)"):
            made.service.choose(loop.loop_id, "develop")
        assert made.service.choose(loop.loop_id, "raise").max_iterations == 11
        await soon(lambda: "validate" in loop.names)


async def test_what_can_not_be_chosen_says_why(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.at_menu()
        for choice, kind, words in (
            ("debug", Conflict, "no failing test and no failed task"),
            ("status", Invalid, "'status' is not offered"),
            ("", Invalid, "is not offered"),
        ):
            with pytest.raises(kind, match=words):
                loop.service.choose(loop.loop_id, choice)
        with pytest.raises(Invalid, match="develop takes nothing else"):
            loop.service.choose(loop.loop_id, "develop", description="x")
    auto = loop.stage.create()
    with pytest.raises(Invalid, match="mode auto"):
        loop.service.choose(auto, "develop")


async def test_of_two_choices_one_wins(stage: MakeStage) -> None:
    async with afar(stage(PLAN, GOOD)) as loop:
        await loop.choose("develop")
        with pytest.raises(Conflict, match="a choice was already made: develop"):
            loop.service.choose(loop.loop_id, "validate")
        await soon(lambda: loop.state.engine.menu is None)
        with pytest.raises(Conflict, match="not at its menu now"):
            loop.service.choose(loop.loop_id, "validate")


async def test_a_menu_needs_no_runner_and_a_choice_starts_one(stage: MakeStage) -> None:
    made = stage(PLAN, GOOD)
    async with afar(made) as loop:
        await loop.at_menu()
        made.launcher.launched.clear()
    assert "develop" in loop.names, "as after a kill: nobody tidied up"
    made.service.choose(loop.loop_id, "develop")
    assert made.launcher.launched == [loop.loop_id]
    with pytest.raises(Conflict, match=r"the runner of .* is gone; resume the loop"):
        made.service.choose(loop.loop_id, "validate")
    loop.driving = asyncio.ensure_future(made.drive(loop.loop_id, from_afar=True))
    await soon(lambda: made.actions(loop.loop_id) == ["INIT", "DEVELOP"])
    await loop.choose("exit")
    assert (await loop.driving).status == "user_exit"


async def test_what_an_added_task_makes_possible_is_offered_by_the_next_runner(stage: MakeStage) -> None:
    made = stage(ScriptedTurn(text=said("INIT", tasks=[])), GOOD)
    async with afar(made) as loop:
        await loop.at_menu()
    loop.service.choose(loop.loop_id, "add", description="Make app.txt say good")
    assert loop.names == ()
    loop.driving = asyncio.ensure_future(made.drive(loop.loop_id, from_afar=True))
    await loop.choose("develop")
    await loop.choose("exit")
    assert (await loop.driving).status == "user_exit"


async def test_a_choice_that_a_dead_runner_did_not_take_is_taken_by_its_successor(stage: MakeStage) -> None:
    made = stage(PLAN, GOOD)
    async with afar(made) as loop:
        await loop.choose("develop")
        loop.driving.cancel()
        await asyncio.wait({loop.driving})
        assert made.actions(loop.loop_id) == ["INIT"]
    loop.driving = asyncio.ensure_future(made.drive(loop.loop_id, from_afar=True))
    await soon(lambda: made.actions(loop.loop_id) == ["INIT", "DEVELOP"])
    await loop.choose("exit")
    await loop.driving


async def test_a_menu_of_a_dead_runner_is_not_there_for_one_who_asks_nobody(stage: MakeStage) -> None:
    made = stage(PLAN, GOOD)
    async with afar(made) as loop:
        await loop.at_menu()
    made.store.update(
        loop.loop_id,
        lambda s: configure(s, {"mode": "auto"}, limits=Limits(), allow_test_changes=None),
        actor="test",
        event=JournalEvent(type="edited"),
    )
    state = await made.drive(loop.loop_id, from_afar=True)
    assert (state.engine.outcome, state.engine.menu) == ("succeeded", None)


async def test_a_loop_can_not_choose_for_itself(stage: MakeStage) -> None:
    class Within(NoProcesses):
        def within(self, loop_id: str) -> bool:
            return True

    async with afar(stage(PLAN)) as loop:
        await loop.at_menu()
        with pytest.raises(Forbidden, match="cannot choose its own next step"):
            replace(loop.service, processes=Within()).choose(loop.loop_id, "develop")


async def test_a_question_in_the_middle_of_an_action_is_answered_and_it_goes_on(stage: MakeStage) -> None:
    made = stage(PLAN, ASKS, GOOD)
    async with afar(made) as loop:
        await loop.choose("develop")
        await soon(lambda: loop.state.engine.waiting is not None)
        assert (loop.state.status, loop.state.engine.waiting and loop.state.engine.waiting.question) == (
            "running", "Which colour?",
        )  # fmt: skip
        loop.service.answer(loop.loop_id, "blue")
        await loop.at_menu()
        assert (loop.state.engine.waiting, loop.state.engine.answer) == (None, None)
        assert "The answer to your question: blue" in made.agent.messages[-1].text
        await loop.choose("exit")
        await loop.driving


async def test_a_question_outlives_a_pause_and_a_resume(stage: MakeStage) -> None:
    async with afar(stage(PLAN, ASKS, GOOD)) as loop:
        await loop.choose("develop")
        await soon(lambda: loop.state.engine.waiting is not None)
        loop.service.pause(loop.loop_id)
        loop.service.start(loop.loop_id)
        await soon(lambda: loop.state.engine.waiting is not None)
        loop.service.pause(loop.loop_id, now=True)
        state = await asyncio.wait_for(loop.driving, 20)
    assert (state.status, state.engine.waiting) == ("paused", None), "the task asks again once it is resumed"


async def test_a_loop_that_was_steered_from_afar_replays_to_the_same(stage: MakeStage, tmp_path: Path) -> None:
    made = stage(PLAN, ASKS, GOOD)
    async with afar(made) as loop:
        await loop.choose("develop")
        await soon(lambda: loop.state.engine.waiting is not None)
        loop.service.answer(loop.loop_id, "blue")
        for choice in ("validate", "complete"):
            await loop.choose(choice)
            await soon(lambda: loop.state.engine.menu is None or loop.driving.done())
        await loop.driving
    again, other = await replayed(made, loop.loop_id, tmp_path)
    assert (other, again.strayed) == ((), None)
    assert again.actions == ("INIT", "DEVELOP", "VALIDATE", "COMPLETE")
