"""Plans that cannot be carried out, invented ids, and limits, troubles and permissions of single roles."""

from datetime import timedelta
from pathlib import Path

import pytest

from loopwright.core.errors import AgentError
from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.protocol import AgentOutput, Message
from loopwright.core.run_events import RunNote
from loopwright.core.state import PermissionRequest
from tests.cycle.stage import USUAL, CycleStage, MakeCycleStage, Play, Player, Turn, planned, said
from tests.cycle.test_misbehaving import all_driven, driven, failed_for_good, others_were_asked_once, sound, told

AT = "2026-01-22T10:00:00+08:00"
Task = dict[str, object]


def task(id: str, **more: object) -> Task:
    return {"id": id, "description": f"do {id}", **more}


BAD: dict[str, tuple[list[Task], str]] = {
    "a circle": (
        [task("TASK-001", depends_on=["TASK-002"]), task("TASK-002", depends_on=["TASK-001"])],
        "depend on each other: TASK-001 → TASK-002 → TASK-001",
    ),
    "an invented id": ([task("TASK-001", depends_on=["TASK-777"])], "TASK-001 depends on TASK-777"),
    "the same id twice": ([task("TASK-001"), task("TASK-001")], "two tasks of the plan have the id TASK-001"),
    "too many": ([task(f"TASK-{n:04d}") for n in range(1_000)], "the plan has 1,000 tasks"),
    "no words": ([task("TASK-001", description="  \n ")], "TASK-001 has no description"),
    "a file outside": ([task("TASK-001", files=["a/../../b"])], "TASK-001 names the file 'a/../../b'"),
}


def plans_so(tasks: list[Task]) -> Play:
    async def play(turn: Turn) -> str:
        turn.write("plan.json", planned(*tasks))
        return said("ep")

    return play


@pytest.mark.parametrize("what", BAD)
async def test_a_plan_that_can_not_be_carried_out_is_asked_for_again_with_what_is_wrong(
    make_stage: MakeCycleStage, what: str
) -> None:
    stage = make_stage()
    tasks, words = BAD[what]
    state = await driven(stage, "ep.plan", plans_so(tasks), USUAL["ep.plan"])
    assert state.engine.outcome == "succeeded", state.failure_reason
    asked = [turn.message.text for turn in stage.cast.turns if turn.message.action == "ep.plan"]
    assert len(asked) == 2
    assert words in asked[1]
    assert words in told(state, "asked_again")
    others_were_asked_once(stage.cast, "ep.plan")


async def test_a_planner_that_always_plans_a_circle_fails_and_the_others_keep_what_they_have(
    make_stage: MakeCycleStage,
) -> None:
    stage = make_stage()
    tasks, words = BAD["a circle"]
    state = await driven(stage, "ep.plan", *[plans_so(tasks)] * 4, max_iterations=1)
    failed_for_good(stage, state, "ep.plan")
    assert words in (state.failure_reason or "")
    assert words in stage.document(state.cycle_id, "coordination/summary.md")
    assert state.plan is None
    assert "cd.implement" not in stage.cast.steps()


@pytest.mark.parametrize("step", ["ep.plan", "cd.implement"])
async def test_invented_ids_in_blockers_and_decisions_hold_nobody_for_ever(
    make_stage: MakeCycleStage, step: str
) -> None:
    stage = make_stage()
    role = step.partition(".")[0]

    async def invents(turn: Turn) -> str:
        await USUAL[step](turn)
        return said(
            role, blockers=["the key is missing (TASK-999)"], decisions=["which way? (TASK-998) | left | right"]
        )

    state = await driven(stage, step, invents)
    assert state.status == "completed", state.failure_reason
    assert {blocker.status for blocker in state.coordination.blockers} == {"resolved"}
    assert not any("TASK-99" in key for keys in state.engine.holds.values() for key in keys)
    assert [(d.chosen_option, d.made_by) for d in state.coordination.pending_decisions] == [("left", "auto")]


async def test_what_keeps_ra_only_a_person_can_settle(make_stage: MakeCycleStage) -> None:
    stage = make_stage()

    async def is_kept(turn: Turn) -> str:
        await USUAL["ra.analyse"](turn)
        return said("ra", blockers=["the key is missing (TASK-999)"])

    state = await driven(stage, "ra.analyse", is_kept)
    assert state.engine.outcome == "stalled"
    assert "BLK-001: the key is missing" in (state.failure_reason or "")
    assert "BLK-001" in stage.document(state.cycle_id, "coordination/summary.md")
    asked = len(stage.cast.turns)
    stage.service.resolve(state.cycle_id, "BLK-001", "it is in the safe")
    state = sound(stage, state.cycle_id, await stage.drive(state.cycle_id))
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert stage.cast.steps()[asked:] in ([], ["vas.validate"]), "nothing is done again"


class TestTroubles:
    async def test_a_quota_of_one_role_parks_the_cycle_until_it_passes(self, make_stage: MakeCycleStage) -> None:
        """One role after the other."""
        stage, steps = make_stage(), ("ra.analyse", "cd.implement", "vas.validate")

        async def used_up(turn: Turn) -> str:
            until = stage.clock.now() + timedelta(minutes=20)
            raise AgentError("quota", "the quota is used up", until=until)

        state = await all_driven(stage, {step: [used_up] for step in steps})
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
        assert len([note for note in stage.notes if note.text.startswith("parked until")]) == len(steps)
        assert state.phase_errors == ()
        assert all(stage.cast.steps().count(step) == 2 for step in steps)
        others_were_asked_once(stage.cast, *steps)

    async def test_a_cycle_that_shall_not_wait_ends_there(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def used_up(turn: Turn) -> str:
            raise AgentError("quota", "the quota is used up")

        state = await driven(stage, "ep.plan", used_up, park=False)
        assert (state.status, state.engine.outcome) == ("failed", "failed")
        assert "disabled (park)" in (state.failure_reason or "")
        assert state.requirements is not None

    async def test_a_rate_limit_is_waited_for_in_the_same_session(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def too_fast(turn: Turn) -> str:
            raise AgentError("rate_limit", "slow down")

        state = await driven(stage, "ep.explore", too_fast, too_fast)
        assert state.engine.outcome == "succeeded", state.failure_reason
        first, second, third = (t.message for t in stage.cast.turns if t.message.action == "ep.explore")
        assert first.text == second.text == third.text
        assert state.phase_errors == ()

    async def test_a_login_that_is_missing_is_asked_for_and_the_others_finish(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def not_logged_in(turn: Turn) -> str:
            raise AgentError("auth", "you are not logged in")

        stage.cast.plays["ra.analyse"] = [not_logged_in]
        cycle_id = stage.create()
        state = await stage.drive(cycle_id)
        assert state.status == "paused"
        assert state.engine.waiting is not None
        assert "you are not logged in" in state.engine.waiting.question
        assert state.exploration is not None, "what is under way is not cut off"
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        assert state.engine.outcome == "succeeded", state.failure_reason
        others_were_asked_once(stage.cast, "ra.analyse")


class Asks(Player):
    """Asks before it works, once in each role."""

    def __init__(self, stage: CycleStage, place: Path, around: AgentEnvironment, answers: dict[str, bool]) -> None:
        super().__init__(stage.cast, place)
        self._permit, self._answers = around.permit, answers

    async def play(self, id: str, message: Message) -> AgentOutput:
        role = Path(message.folder).name
        if role in ("ra", "ep") and role not in self._answers:
            request = PermissionRequest(
                id="call-1", agent=role, action=message.action, title=f"{role} runs make", kind="execute", since=AT
            )
            self._answers[role] = await self._permit(request)
        return await super().play(id, message)


async def test_two_roles_ask_for_permission_at_once_and_each_gets_its_own_answer(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    answers: dict[str, bool] = {}

    def make(name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        return Asks(stage, at or stage.project, around, answers)

    stage.make_agent = make  # type: ignore[method-assign]
    cycle_id = stage.create()
    most: list[int] = []

    def look(note: RunNote) -> None:
        asked = stage.store.read(cycle_id).engine.asked
        most.append(len(asked))
        if len(asked) == 2:
            for request in asked:
                stage.service.approve(cycle_id, request.id, answer="allow" if request.agent == "ra" else "deny")

    state = sound(stage, cycle_id, await stage.drive(cycle_id, on_note=look))
    assert state.engine.outcome == "succeeded", state.failure_reason
    assert max(most) == 2
    assert answers == {"ra": True, "ep": False}
    assert state.engine.asked == ()
