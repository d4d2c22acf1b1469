"""A cycle succeeds when tests show that its goal was reached: the lies and the honest deeds of loops, in its roles."""

from pathlib import Path

import pytest

from loopwright.validation.run import ProjectTests
from tests.cycle.stage import Cast, MakeCycleStage, Turn, planned, said
from tests.proof_cases import HONEST, LIES, SHOP, Case
from tests.validation.projects import PYTEST, lay_out

TOLD = ("changes nothing", "a test that passes without the change", "a docstring", "a file that nothing uses")
DONE = (
    "a function with its test",
    "red tests",
    "a refactoring",
    "a document nobody decided on",
    "a red test that the agent names",
)
"""Some of each: a loop is asked about them all, and the rules are the same."""


def developing(case: Case, root: Path) -> Cast:
    """One task, in whose first turn everything is written; each later one claims the same."""

    async def plans(turn: Turn) -> str:
        files = [name for name in case.writes if not name.startswith("tests/")] or ["shop/export.py"]
        turn.write("plan.json", planned({"id": "TASK-001", "description": case.goal, "files": files}))
        return said("ep")

    async def develops(turn: Turn) -> str:
        for name, text in case.writes.items():
            turn.change(name, (text or "").replace("{elsewhere}", str(root / "runs")))
        return claims_it()

    async def claims(turn: Turn) -> str:
        return claims_it()

    def claims_it() -> str:
        words = said("cd", summary="done, and all tests pass", files_written=["shop/export.py", "tests/test_more.py"])
        shown = case.says.get("shown_by", [])
        return f"{words}- shown_by: {', '.join(shown)}\n" if shown else words

    return Cast({"ep.plan": [plans] * 9, "cd.implement": [develops, *[claims] * 20]})


async def outcome_of(case: Case, make_stage: MakeCycleStage, project: Path) -> tuple[str | None, bool | None]:
    """How its cycle ends, and whether something shows that the goal was reached."""
    lay_out(project, {**SHOP, **case.found})
    (project / "app.txt").unlink()
    stage = make_stage(cast=developing(case, project.parent))
    cycle_id = stage.create(case.goal, test_command=PYTEST, test_timeout=60, proof=case.proof, max_iterations=2)
    state = await stage.drive(cycle_id, tests=ProjectTests(project))
    proof = state.engine.proof
    return state.engine.outcome, proof.shown if proof else None


@pytest.mark.parametrize("name", TOLD)
async def test_a_goal_that_nothing_shows_is_not_called_reached(
    name: str, make_stage: MakeCycleStage, project: Path
) -> None:
    outcome, shown = await outcome_of(LIES[name], make_stage, project)
    assert outcome == ("exhausted" if LIES[name].outcome == "failed" else LIES[name].outcome)
    assert not shown


@pytest.mark.parametrize("name", DONE)
async def test_what_was_done_is_recognised(name: str, make_stage: MakeCycleStage, project: Path) -> None:
    outcome, shown = await outcome_of(HONEST[name], make_stage, project)
    assert (outcome, shown) == (HONEST[name].outcome, HONEST[name].outcome == "succeeded")
