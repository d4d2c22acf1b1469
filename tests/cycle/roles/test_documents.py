"""What a role writes, or does not: read with care, asked for once more, and never lost for the others."""

import json
import os

import pytest

from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import CycleStage, MakeCycleStage, Play, Turn, analyses, planned, plans, said
from tests.cycle.test_convergence import says_it, says_more

SPEC = "# Requirements\n\n## Functional requirements\n\n- R1: app.txt says good (the goal)\n"


async def idles(turn: Turn) -> str:
    """Says that all is well, and does nothing."""
    return said(turn.role)


async def gives_up(turn: Turn) -> str:
    return said(turn.role, "failed", "there is nothing to go by", blockers=["nobody knows what is wanted"])


async def says_it_all(turn: Turn) -> str:
    body = SPEC.replace("\n", " ") + "and so on, " * 30
    return said(turn.role, summary=f"# {body}")


def writes(name: str, text: str) -> Play:
    async def play(turn: Turn) -> str:
        turn.write(name, text)
        return said(turn.role)

    return play


def links(to: str) -> Play:
    """To something beside the role's folder, which is never written through."""

    async def play(turn: Turn) -> str:
        (turn.folder.parent / "secret.md").write_text("# A secret\n")
        (turn.folder / "requirements.md").symlink_to(turn.folder.parent / to)
        return said(turn.role)

    return play


async def pipes(turn: Turn) -> str:
    os.mkfifo(turn.folder / "requirements.md")
    return said(turn.role)


async def starts_over(turn: Turn) -> str:
    """Removes what is in its way, and writes."""
    (turn.folder / "requirements.md").unlink(missing_ok=True)
    return await analyses(turn)


def told(stage: CycleStage, step: str) -> list[str]:
    return [turn.message.text for turn in stage.cast.turns if turn.message.action == step]


async def driven(stage: CycleStage, step: str, *turns: Play) -> CycleState:
    stage.cast.plays[step] = list(turns)
    return await stage.drive(stage.create(max_iterations=1))


async def test_a_role_that_wrote_nothing_is_asked_once_more_and_told_what_is_missing(
    make_stage: MakeCycleStage,
) -> None:
    stage = make_stage()
    state = await driven(stage, "ra.analyse", idles, analyses)
    first, second = told(stage, "ra.analyse")
    assert "cannot be taken" not in first
    assert "cannot be taken: there is no requirements.md in " in second
    assert state.engine.outcome == "succeeded"
    assert any(incident.kind == "asked_again" for incident in state.engine.incidents)


async def test_one_that_never_writes_fails_and_what_the_others_did_stays(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await driven(stage, "ra.analyse", idles, idles, idles, idles)
    assert len(told(stage, "ra.analyse")) == 4, "two tries of two turns each"
    assert (state.status, state.engine.outcome) == ("failed", "exhausted")
    assert state.exploration is not None
    assert any("no requirements.md" in error.error for error in state.phase_errors)
    assert "ra.analyse failed" in (state.failure_reason or "")


async def test_one_that_says_that_it_failed_is_not_asked_again_in_vain(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await driven(stage, "ra.analyse", gives_up, analyses)
    assert len(told(stage, "ra.analyse")) == 2, "the second is the second try"
    assert "ra reports failed: there is nothing to go by" in state.phase_errors[0].error
    assert "nobody knows what is wanted" in state.phase_errors[0].error
    assert state.engine.outcome == "succeeded"


async def test_a_report_that_holds_the_document_stands_for_it(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    id = stage.create(max_iterations=1)
    stage.cast.plays["ra.analyse"] = [says_it_all]
    state = await stage.drive(id)
    assert state.requirements is not None
    assert "R1: app.txt says good" in state.requirements.specification
    assert "R1: app.txt says good" in stage.document(id, "ra/requirements.md")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (writes("requirements.md", "  \n"), "there is no requirements.md"),
        (writes("requirements.md", "x" * 100_001), "longer than 100,000 characters"),
        (links("secret.md"), "requirements.md is not a regular file"),
        (links("nowhere.md"), "requirements.md is not a regular file"),
        (pipes, "requirements.md is not a regular file"),
    ],
)
async def test_what_can_not_be_read_is_named(make_stage: MakeCycleStage, wrong: Play, words: str) -> None:
    stage = make_stage()
    state = await driven(stage, "ra.analyse", wrong, starts_over)
    assert words in told(stage, "ra.analyse")[1]
    assert state.requirements is not None
    assert "secret" not in state.requirements.specification


async def test_edge_cases_integration_points_and_risks_are_read_in_either_language(make_stage: MakeCycleStage) -> None:
    async def analyses_here(turn: Turn) -> str:
        turn.write("requirements.md", "# 需求\n\n## 边界情况\n\n1. 空文件\n2. 没有文件\n")
        return said("ra")

    async def explores_here(turn: Turn) -> str:
        turn.write("exploration.md", "# 探索\n\n## 集成点\n\n- app.txt：内容\n\n## 风险\n\n- 没有人知道\n")
        return said("ep")

    stage = make_stage()
    stage.cast.plays |= {"ra.analyse": [analyses_here], "ep.explore": [explores_here]}
    state = await stage.drive(stage.create(max_iterations=1))
    assert state.requirements is not None
    assert state.exploration is not None
    assert state.requirements.edge_cases == ("空文件", "没有文件")
    assert state.exploration.integration_points == ("app.txt：内容",)
    assert state.exploration.identified_risks == ("没有人知道",)
    assert state.exploration.architecture_summary.startswith("# 探索"), "without a page of its own"


class TestExtension:
    async def extended(self, stage: CycleStage, *turns: Play) -> CycleState:
        id = stage.create()
        await stage.drive(id)
        stage.cast.plays["ra.analyse"] = list(turns)
        stage.service.extend(id, "Also say it politely")
        return await stage.drive(id)

    async def test_ra_is_told_of_it_and_rewrites_its_document(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()
        state = await self.extended(stage, writes("requirements.md", "# Requirements\n\nR1, and R2: politely\n"))
        text = told(stage, "ra.analyse")[-1]
        assert "- the user extends the goal: Also say it politely" in text
        assert "(version 1.0.0, which is\narchived;" in text
        assert text.count("Also say it politely") == 2, "in the goal, and as what is new"
        assert state.requirements is not None
        assert "politely" in state.requirements.specification

    async def test_a_document_that_is_as_it_was_does_not_answer_it(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()
        await self.extended(stage, idles, writes("requirements.md", "# Requirements\n\npolitely\n"))
        assert "requirements.md is unchanged; it does not cover what the user adds" in told(stage, "ra.analyse")[-1]


class TestPlan:
    @pytest.mark.parametrize(
        ("plan", "words"),
        [
            ("{nonsense", "cannot be taken"),
            (
                planned({"id": "A", "description": "x", "depends_on": ["B"]}),
                "A depends on B, which the plan does not have",
            ),
            (
                planned({"id": "A", "description": "x", "depends_on": ["B"]},
                        {"id": "B", "description": "y", "depends_on": ["A"]}),
                "depend on each other",
            ),
            (planned({"id": "A", "description": "x", "files": ["../../etc/passwd"]}), "inside it"),
        ],
    )  # fmt: skip
    async def test_what_is_wrong_is_told_and_asked_for_again(
        self, make_stage: MakeCycleStage, plan: str, words: str
    ) -> None:
        stage = make_stage()
        state = await driven(stage, "ep.plan", writes("plan.json", plan), plans)
        assert words in told(stage, "ep.plan")[1]
        assert state.engine.outcome == "succeeded"

    async def test_a_plan_in_the_report_alone_will_do(self, make_stage: MakeCycleStage) -> None:
        async def plans_in_words(turn: Turn) -> str:
            task = {"id": "TASK-001", "description": "Make app.txt say good " + "now " * 60, "files": ["app.txt"]}
            return said("ep", summary=json.dumps({"tasks": [task]}))

        state = await driven(make_stage(), "ep.plan", plans_in_words)
        assert state.plan is not None
        assert [task.id for task in state.plan.tasks] == ["TASK-001"]

    async def test_a_planner_that_only_repeats_what_is_done_is_asked_again(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage(judge=says_it)
        id = stage.create()
        await stage.drive(id)
        new: dict[str, object] = {"id": "TASK-002", "description": "Say it twice", "files": ["twice.txt"]}
        stage.cast.plays["cd.implement"] = [says_more]
        stage.cast.plays["ep.plan"] = [idles, writes("plan.json", planned(new))]
        stage.service.extend(id, "Also say it twice")
        state = await stage.drive(id)
        asked = told(stage, "ep.plan")
        assert "Completed, and so they stay: TASK-001." in asked[1]
        assert "plan.json plans nothing new" in asked[2]
        assert state.plan is not None
        assert [(task.id, task.status) for task in state.plan.tasks] == [
            ("TASK-001", "completed"), ("TASK-002", "completed"),
        ]  # fmt: skip


async def test_documents_of_the_last_iteration_are_archived_before_a_role_rewrites_them(
    make_stage: MakeCycleStage,
) -> None:
    stage = make_stage(judge=says_it)
    id = stage.create()
    await stage.drive(id)
    first = stage.document(id, "ra/requirements.md")
    stage.cast.plays["ra.analyse"] = [writes("requirements.md", "# Requirements\n\ntwice\n")]
    stage.cast.plays["cd.implement"] = [says_more]
    stage.cast.plays["ep.plan"] = [writes("plan.json", planned({"id": "TASK-002", "description": "Say it twice"}))]
    stage.service.extend(id, "Also say it twice")
    state = await stage.drive(id)
    assert state.current_iteration == 2
    assert stage.document(id, "ra/history/requirements-v1.0.0.md") == first
    assert stage.document(id, "ra/requirements.md").startswith("<!-- version 1.1.0 · iteration 2")
