"""Extended by words, a cycle of the embedded agent succeeded, because the tests passed; and nothing had been added."""

from collections.abc import Sequence
from pathlib import Path

from loopwright.core.ports import Agent, AgentEnvironment
from loopwright.core.protocol import Capabilities
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import CycleStage, Play, Player, Turn, planned, said

MENDS = Capabilities(debugs=True, measures=True)


class Measuring(Player):
    """As the embedded agent: all it can do is measured before it is asked."""

    capabilities = MENDS


class WithMeasuringCoder(CycleStage):
    """`measuring` plays for cd, once it is asked for what was added."""

    extended = False

    def make_agent(self, name: str, around: AgentEnvironment, at: Path | None = None) -> Agent:
        if name == "measuring" and self.extended:
            return Measuring(self.cast, at or self.project)
        return super().make_agent(name, around, at)


def plans_also(*descriptions: str) -> Play:
    tasks: list[dict[str, object]] = [{"id": f"TASK-00{n}", "description": d} for n, d in enumerate(descriptions, 1)]

    async def plans(turn: Turn) -> str:
        turn.write("plan.json", planned(*tasks))
        return said("ep")

    return plans


async def writes_anew(turn: Turn) -> str:
    turn.write("requirements.md", f"# Requirements\n\n{turn.message.text[:4000]}\nand more\n")
    return said("ra")


async def extended(stage: CycleStage, tasks: Sequence[str]) -> CycleState:
    """Red at first, then green, then extended."""
    played = WithMeasuringCoder(stage.project, stage.store)
    played.cast.plays["ep.plan"] = [plans_also("Make suite::app pass"), *[plans_also(*tasks)] * 9]
    id = played.create(max_iterations=1, parallel=1, roles={"cd": "measuring"}, test_command="judge")
    state = await played.drive(id)
    assert (state.status, state.engine.outcome) == ("completed", "succeeded"), state.failure_reason
    played.extended = True
    played.cast.plays["ra.analyse"] = [writes_anew]
    played.service.extend(id, "Also add a menu")
    return await played.drive(id)


async def test_it_says_that_it_can_not(cycle_stage: CycleStage) -> None:
    state = await extended(cycle_stage, ["Make suite::app pass", "Also add a menu"])
    assert state.status == "failed"
    assert state.failure_reason is not None
    assert "cannot write features" in state.failure_reason


async def test_tests_that_pass_already_are_done_and_show_nothing_of_what_was_added(cycle_stage: CycleStage) -> None:
    state = await extended(cycle_stage, ["Make suite::app pass", "suite::app shall pass, also today"])
    assert (state.status, state.engine.outcome) == ("completed", "unproven"), state.failure_reason
