"""When a cycle is over: what was measured decides, never what is said; and what it says when it cannot go on."""

from pathlib import Path

import pytest

from loopwright.core.ports import TestOrder
from loopwright.core.protocol import AgentOutput
from loopwright.evidence.testing import Coverage, TestRun
from loopwright.workflows.cycle.model import CycleState
from tests.cycle.stage import USUAL, CycleStage, MakeCycleStage, Play, Turn, app_is_good, planned, said
from tests.cycle.test_misbehaving import driven, reason_names_what_is_left, sound
from tests.fakes import Judge, JudgedTests, ListedPerson


class Covered(JudgedTests):
    """Measures coverage too: as much as coverage.txt says, if it is there."""

    async def run(self, order: TestOrder) -> TestRun:
        run = await super().run(order)
        file = (order.at or self.project) / "coverage.txt"
        return run.evolve(coverage=Coverage(percent=float(file.read_text()))) if file.exists() else run


def covered(stage: CycleStage) -> CycleStage:
    stage.tests = Covered(stage.project, stage.judge)
    return stage


def open_issues(stage: CycleStage, state: CycleState) -> str:
    """What is left, which the record and the summary name, and the reason as far as there is room."""
    issues = state.iterations[-1].issues_found
    assert issues
    assert not state.iterations[-1].resolved
    summary = stage.document(state.cycle_id, "coordination/summary.md")
    reason_names_what_is_left(state)
    for issue in issues:
        assert " ".join(issue.split()) in summary
    return "\n".join(issues)


async def changes_nothing(turn: Turn) -> str:
    return said("cd")


def changes(name: str, *texts: str) -> list[Play]:
    """A turn each."""

    def one(text: str) -> Play:
        async def play(turn: Turn) -> str:
            turn.change(name, text)
            return said("cd", files_written=[name])

        return play

    return [one(text) for text in texts]


BEFORE = {"app": "failed", "kept": "passed", "old": "failed"}
AFTER: dict[str, tuple[dict[str, str], dict[str, object], str]] = {
    "failing": ({"app": "failed", "kept": "passed", "old": "passed"}, {}, "1 failed: suite::app"),
    "vanished": ({"app": "passed", "old": "passed"}, {}, "1 of the first run missing: suite::kept"),
    "skipped": (
        {"app": "passed", "kept": "skipped", "old": "passed"}, {},
        "1 skipped that ran in the first run: suite::kept",
    ),
    "none left": ({}, {}, "no tests were found"),
    "new failures": (
        {"app": "failed", "kept": "failed", "old": "failed"}, {"require": "no_new_failures", "min_pass_rate": 0.0},
        "1 failed that did not fail in the first run: suite::kept",
    ),
}  # fmt: skip


def once_changed(after: dict[str, str]) -> Judge:
    return lambda project: after if (project / "app.txt").read_text() == "good" else BEFORE


@pytest.mark.parametrize("what", AFTER)
async def test_what_was_measured_is_an_issue_however_all_report_success(make_stage: MakeCycleStage, what: str) -> None:
    after, settings, words = AFTER[what]
    stage = make_stage(judge=once_changed(after))
    state = await driven(stage, "cd.implement", max_iterations=1, **settings)
    assert (state.status, state.engine.outcome) == ("failed", "exhausted")
    assert words in open_issues(stage, state)


async def test_failures_of_the_first_run_are_no_issue_where_only_new_ones_count(make_stage: MakeCycleStage) -> None:
    stage = make_stage(judge=once_changed({"app": "passed", "kept": "passed", "old": "failed"}))
    state = await driven(stage, "cd.implement", require="no_new_failures")
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason
    assert state.test_results is not None
    assert state.test_results.failed_tests == ("suite::old",)


@pytest.mark.parametrize(
    ("coverage", "words"),
    [("79.9", "coverage is 79.9 %, 80 % is required"), (None, "coverage could not be measured, 80 % is required")],
)
async def test_coverage_is_required_and_measured(make_stage: MakeCycleStage, coverage: str | None, words: str) -> None:
    stage = covered(make_stage())
    if coverage is not None:
        (stage.project / "coverage.txt").write_text(coverage)
    state = await driven(stage, "cd.implement", min_coverage=80, max_iterations=1)
    assert state.engine.outcome == "exhausted"
    assert open_issues(stage, state) == words


async def test_missing_coverage_becomes_work_and_then_it_is_clean(make_stage: MakeCycleStage) -> None:
    stage = covered(make_stage())
    plays = [USUAL["cd.implement"], *changes("coverage.txt", "92.5")]
    state = await driven(stage, "cd.implement", *plays, min_coverage=80)
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
    assert state.plan is not None
    assert state.plan.tasks[-1].description == (
        "Mend what the validation found: coverage could not be measured, 80 % is required"
    )
    assert state.test_results is not None
    assert state.test_results.coverage == 92.5


async def test_a_clean_report_of_doubters_is_no_issue(make_stage: MakeCycleStage) -> None:
    """Issues that a role lists beside its success are words; what was measured is green."""
    stage = make_stage()

    async def worries(turn: Turn) -> str:
        turn.write("summary.md", "# Judgement\n\nI worry a little.\n")
        return said("vas", "success", issues=["it could be nicer"])

    state = await driven(stage, "vas.validate", worries)
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1)


async def test_it_goes_on_until_it_is_clean_and_confirms_the_fix(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await driven(stage, "cd.implement", *changes("app.txt", "better", "best", "good"))
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 3), state.failure_reason
    assert [record.resolved for record in state.iterations] == [False, False, True]
    log = [(entry.source, entry.target, entry.type) for entry in state.coordination.feedback_log]
    assert log == [("vas", "cd", "bug_report")] * 2 + [("vas", "cd", "issue_fix")]
    assert "suite::app" in state.coordination.feedback_log[-1].content
    assert stage.cast.steps().count("ra.analyse") == 1, "who has nothing to do is not asked"
    assert (state.requirements and state.requirements.version) == "1.2.0"


async def test_at_the_limit_it_says_so_and_can_be_opened_again_with_a_higher_one(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    texts = [f"try {n}" for n in range(2)]
    state = await driven(stage, "cd.implement", *changes("app.txt", *texts), max_iterations=2)
    assert (state.status, state.engine.outcome, state.current_iteration) == ("failed", "exhausted", 2)
    assert (state.failure_reason or "").startswith("2 iterations used up; 3 issues left: ")
    assert "1 failed: suite::app" in open_issues(stage, state)
    stage.service.edit(state.cycle_id, {"max_iterations": 4})
    state = sound(stage, state.cycle_id, await stage.drive(state.cycle_id))
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 3), state.failure_reason
    assert state.failure_reason is None
    assert "**succeeded**" in stage.document(state.cycle_id, "coordination/summary.md")


async def test_an_iteration_that_changes_nothing_is_the_last_one(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    state = await driven(stage, "cd.implement", *[changes_nothing] * 40)
    assert (state.engine.outcome, state.current_iteration) == ("stalled", 2)
    assert (state.failure_reason or "").startswith("a whole iteration changed nothing; ")
    assert "1 failed: suite::app" in open_issues(stage, state)


async def test_without_tests_nothing_is_verified(make_stage: MakeCycleStage) -> None:
    stage = make_stage(judge=lambda project: {})
    state = await driven(stage, "cd.implement")
    assert (state.status, state.engine.outcome) == ("completed", "unverified")
    assert state.test_results is not None
    assert state.test_results.total_tests == 0


async def test_without_a_test_command_nothing_is_verified_either(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.tests.command = None
    state = await driven(stage, "cd.implement")
    assert (state.status, state.engine.outcome) == ("completed", "unverified")


class TestBlockers:
    async def is_kept(self, turn: Turn) -> str:
        return said("cd", "failed", "nobody says which key", blockers=["which key? (TASK-001)"])

    async def test_ra_clarifies_it_in_the_next_iteration(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()

        async def clarifies(turn: Turn) -> str:
            assert "BLK-001: which key?" in turn.message.text
            turn.write("requirements.md", "# Requirements\n\nThe golden key.\n")
            return said("ra", summary="the golden key")

        stage.cast.plays["ra.analyse"] = [USUAL["ra.analyse"], clarifies]
        state = await driven(stage, "cd.implement", self.is_kept)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        (blocker,) = state.coordination.blockers
        assert (blocker.status, blocker.reported_by, blocker.resolution) == ("resolved", "cd", "the golden key")
        assert ("cd", "ra", "clarification") in [(e.source, e.target, e.type) for e in state.coordination.feedback_log]
        assert "BLK-001" in stage.document(state.cycle_id, "coordination/summary.md")

    async def test_a_planner_that_has_nothing_to_add_keeps_its_plan(self, make_stage: MakeCycleStage) -> None:
        """What was asked concerned a task that is done."""
        stage = make_stage()

        async def asks(turn: Turn) -> str:
            turn.change("app.txt", "good")
            return said("cd", blockers=["is that really what is wanted?"])

        state = await driven(stage, "cd.implement", asks)
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        assert state.phase_errors == ()
        assert stage.cast.steps().count("ep.plan") == 2

    @pytest.mark.parametrize("workaround", [False, True])
    async def test_a_person_settles_it_after_the_end(self, make_stage: MakeCycleStage, workaround: bool) -> None:
        stage = make_stage()
        state = await driven(stage, "cd.implement", self.is_kept, max_iterations=1)
        assert state.engine.outcome == "exhausted"
        assert "BLK-001: which key?" in open_issues(stage, state)
        stage.service.resolve(state.cycle_id, "BLK-001", "the golden one", workaround=workaround)
        stage.service.edit(state.cycle_id, {"max_iterations": 2})
        state = sound(stage, state.cycle_id, await stage.drive(state.cycle_id))
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        assert state.coordination.blockers[0].status == ("workaround" if workaround else "resolved")

    async def test_settled_while_it_runs_the_task_goes_on_in_the_same_iteration(
        self, make_stage: MakeCycleStage
    ) -> None:
        stage = make_stage()
        two = planned(
            {"id": "TASK-001", "description": "one", "files": ["app.txt"]},
            {"id": "TASK-002", "description": "two", "files": ["b.txt"], "depends_on": []},
        )

        async def plans(turn: Turn) -> str:
            turn.write("plan.json", two)
            return said("ep")

        async def settles(turn: Turn) -> str:
            turn.change("b.txt", "b")
            stage.service.resolve(cycle_id, "BLK-001", "the golden one")
            return said("cd")

        stage.cast.plays["ep.plan"] = [plans]
        stage.cast.plays["cd.implement"] = [self.is_kept, settles]
        cycle_id = stage.create(parallel=1)
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 1), state.failure_reason


class TestDecisions:
    def asking(self, *decisions: str) -> Play:
        async def play(turn: Turn) -> str:
            await USUAL["ra.analyse"](turn)
            return said("ra", decisions=decisions)

        return play

    @pytest.mark.parametrize(
        ("words", "chosen"),
        [
            ("which? | left | right (recommended)", "right"),
            ("which? | left | right", "left"),
            ("which?", "as the role sees fit"),
        ],
    )
    async def test_auto_makes_it_and_says_so(self, make_stage: MakeCycleStage, words: str, chosen: str) -> None:
        stage = make_stage()
        state = await driven(stage, "ra.analyse", self.asking(words))
        assert state.engine.outcome == "succeeded", state.failure_reason
        (decision,) = state.coordination.pending_decisions
        assert (decision.chosen_option, decision.made_by, decision.status) == (chosen, "auto", "implemented")
        assert f"which? → {chosen}, by itself (auto)" in stage.document(state.cycle_id, "coordination/summary.md")

    async def test_a_person_at_the_terminal_is_asked(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage()
        stage.cast.plays["ra.analyse"] = [self.asking("which? | left | right (recommended)")]
        cycle_id = stage.create(mode="interactive")
        person = ListedPerson(answers=["left"])
        state = sound(stage, cycle_id, await stage.drive(cycle_id, person))
        assert person.questions == ["which?"]
        (decision,) = state.coordination.pending_decisions
        assert (decision.chosen_option, decision.made_by) == ("left", "user")
        assert state.engine.outcome == "succeeded", state.failure_reason

    async def test_without_a_terminal_it_waits_and_only_what_needs_the_answer_does(
        self, make_stage: MakeCycleStage
    ) -> None:
        stage = make_stage()
        stage.cast.plays["ra.analyse"] = [self.asking("which? | left | right")]
        cycle_id = stage.create(mode="interactive")
        state = await stage.drive(cycle_id)
        assert state.status == "paused"
        assert state.engine.waiting is not None
        assert state.engine.waiting.options == ("left", "right")
        assert state.exploration is not None
        assert "ep.plan" not in stage.cast.steps()
        stage.service.decide(cycle_id, "DEC-001", "right")
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        assert state.engine.outcome == "succeeded", state.failure_reason
        assert stage.cast.steps().count("ra.analyse") == 1


def says_it(project: Path) -> dict[str, str]:
    """Saying it twice has a test of its own."""
    return {**app_is_good(project), **({"twice": "passed"} if (project / "twice.txt").exists() else {})}


async def says_more(turn: Turn) -> AgentOutput | str:
    if "cd.implement TASK-002" not in turn.message.text:
        return await USUAL["cd.implement"](turn)
    turn.change("twice.txt", "good good")
    return said("cd", files_written=["twice.txt"])


class TestExtensions:
    async def analyses_more(self, turn: Turn) -> str:
        assert "Say it twice" in turn.message.text
        turn.write("requirements.md", "# Requirements\n\n1. app.txt says good\n2. twice\n")
        return said("ra")

    async def more(self, turn: Turn) -> str:
        turn.write(
            "plan.json",
            planned(
                {"id": "TASK-001", "description": "Make app.txt say good", "files": ["app.txt"]},
                {"id": "TASK-002", "description": "Say it twice", "files": ["twice.txt"]},
            ),
        )
        return said("ep")

    def extended(self, state: CycleState, stage: CycleStage) -> None:
        assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2), state.failure_reason
        assert state.iterations[1].extension == "Say it twice"
        assert state.task_history[-1] == "Say it twice"
        assert state.description.endswith("\n\n--- ITERATION 2 ---\nSay it twice")
        entry = next(e for e in state.coordination.feedback_log if e.type == "requirement_update")
        assert (entry.source, entry.target, entry.content) == ("user", "ra", "Say it twice")
        assert state.plan is not None
        assert [task.id for task in state.plan.tasks] == ["TASK-001", "TASK-002"]
        assert stage.cast.steps().count("cd.implement") == 2

    @pytest.mark.parametrize("limit", [1, 5])
    async def test_of_a_finished_cycle(self, make_stage: MakeCycleStage, limit: int) -> None:
        stage = make_stage(judge=says_it)
        stage.cast.plays["ra.analyse"] = [USUAL["ra.analyse"], self.analyses_more]
        stage.cast.plays["ep.plan"] = [USUAL["ep.plan"], self.more]
        stage.cast.plays["cd.implement"] = [says_more] * 2
        cycle_id = stage.create(max_iterations=limit)
        await stage.drive(cycle_id)
        stage.service.extend(cycle_id, "Say it twice")
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        self.extended(state, stage)
        assert state.max_iterations == max(limit, 2)

    async def test_of_a_running_one_waits_for_the_border(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage(judge=says_it)

        async def meanwhile(turn: Turn) -> str:
            stage.service.extend(cycle_id, "Say it twice")
            assert stage.store.read(cycle_id).engine.queue == ("Say it twice",)
            return str(await USUAL["cd.implement"](turn))

        stage.cast.plays["ra.analyse"] = [USUAL["ra.analyse"], self.analyses_more]
        stage.cast.plays["ep.plan"] = [USUAL["ep.plan"], self.more]
        stage.cast.plays["cd.implement"] = [meanwhile, says_more]
        cycle_id = stage.create(max_iterations=1)
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        self.extended(state, stage)
        assert state.iterations[0].issues_found == ()
        assert state.engine.queue == ()

    async def test_of_a_paused_one_begins_the_next_iteration(self, make_stage: MakeCycleStage) -> None:
        stage = make_stage(judge=says_it)

        async def paused(turn: Turn) -> str:
            stage.service.pause(cycle_id)
            return str(await USUAL["ep.plan"](turn))

        stage.cast.plays["ra.analyse"] = [USUAL["ra.analyse"], self.analyses_more]
        stage.cast.plays["ep.plan"] = [paused, self.more]
        stage.cast.plays["cd.implement"] = [says_more] * 2
        cycle_id = stage.create()
        assert (await stage.drive(cycle_id)).status == "paused"
        stage.service.extend(cycle_id, "Say it twice")
        state = sound(stage, cycle_id, await stage.drive(cycle_id))
        self.extended(state, stage)
