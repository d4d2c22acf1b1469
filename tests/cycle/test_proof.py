"""A cycle succeeds when tests show that its goal was reached: the lies and the honest deeds of loops, in its roles."""

from pathlib import Path

import pytest

from loopwright.evidence.run import ProjectTests
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


THREE: dict[str, dict[str, str]] = {
    "Add a to_json function": {
        "shop/json.py": "def to_json(rows):\n    return str(rows)\n",
        "tests/test_json.py": "from shop.json import to_json\n\n\ndef test_json():\n    assert to_json([1]) == '[1]'\n",
    },
    "Add a to_csv function": {"shop/csv.py": "def to_csv(rows):\n    return ','.join(map(str, rows))\n"},
    "Add a to_tsv function": {
        "shop/tsv.py": "def to_tsv(rows):\n    return '\\t'.join(map(str, rows))\n",
        "tests/test_tsv.py": "from shop.tsv import to_tsv\n\n\ndef test_tsv():\n    assert to_tsv([1, 2]) == '1\\t2'\n",
    },
}
"""What is asked for one after another, and what is written for it; nothing shows the second."""


async def test_every_iteration_is_proven_by_itself(make_stage: MakeCycleStage, project: Path) -> None:
    written: list[str] = []

    async def analyses(turn: Turn) -> str:
        turn.write("requirements.md", "# Requirements\n\n" + "".join(f"- {words}\n" for words in THREE))
        turn.write("edge-cases.md", "- no rows\n")
        return said("ra")

    async def plans(turn: Turn) -> str:
        tasks: list[dict[str, object]] = [
            {"id": f"TASK-00{number}", "description": words, "files": list(THREE[words])}
            for number, words in enumerate(asked, 1)
        ]
        turn.write("plan.json", planned(*tasks))
        return said("ep")

    async def develops(turn: Turn) -> str:
        for words in asked:
            if words not in written:
                for name, text in THREE[words].items():
                    turn.change(name, text)
                written.append(words)
                return said("cd", files_written=list(THREE[words]))
        return said("cd", summary="all is there")

    lay_out(project, SHOP)
    (project / "app.txt").unlink()
    stage = make_stage(
        cast=Cast({"ra.analyse": [analyses] * 9, "ep.plan": [plans] * 9, "cd.implement": [develops] * 20})
    )
    first, *more = THREE
    asked = [first]
    cycle_id = stage.create(first, test_command=PYTEST, test_timeout=60, max_iterations=9)
    ends = [(await stage.drive(cycle_id, tests=ProjectTests(project))).engine.outcome]
    for words in more:
        asked.append(words)
        stage.service.extend(cycle_id, words)
        ends.append((await stage.drive(cycle_id, tests=ProjectTests(project))).engine.outcome)
    assert ends == ["succeeded", "unproven", "succeeded"]
