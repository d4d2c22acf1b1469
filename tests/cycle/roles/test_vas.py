"""What is measured stands, whatever a role says of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import AgentError
from loopwright.core.outcomes import ValidationOutcome
from loopwright.core.progress_files import read_text
from loopwright.core.protocol import AgentOutput
from loopwright.evidence.testing import TestResult, TestStatus
from loopwright.workflows.cycle.judgement import contradictions, join_summary, judgement_in, measured_lines
from tests.cycle.stage import CycleStage, MakeCycleStage, Play, Turn, judges, said


def claims(text: str) -> Play:
    async def play(turn: Turn) -> str:
        turn.write("summary.md", text)
        return said("vas", summary="all tests pass")

    return play


async def idles(turn: Turn) -> str:
    return said("vas")


async def objects(turn: Turn) -> str:
    turn.write("summary.md", "# Judgement\n\nNot enough.\n")
    return said("vas", "failed", "R1 is not met", issues=["R1: app.txt:1 does not say it politely"])


def half_is_red(project: Path) -> dict[str, str]:
    return {"app": "failed", "other": "passed"}


def incidents(stage: CycleStage, id: str, kind: str) -> list[str]:
    return [one.message for one in stage.store.read(id).engine.incidents if one.kind == kind]


async def test_the_summary_holds_what_was_measured_before_what_the_role_says(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    id = stage.create()
    await stage.drive(id)
    text = stage.document(id, "vas/summary.md")
    assert text.index("1 of 1 tests pass (100 %)") < text.index("Everything that was asked for is there.")
    order = next(turn.message.text for turn in stage.cast.turns if turn.message.action == "vas.validate")
    assert "- 1 of 1 tests pass (100 %)" in order


async def test_numbers_that_were_not_measured_are_told_and_change_nothing(make_stage: MakeCycleStage) -> None:
    stage = make_stage(judge=half_is_red)
    stage.cast.plays["vas.validate"] = [claims("# Judgement\n\nThe pass rate is 100 %, and all tests pass.\n")]
    id = stage.create(max_iterations=1)
    state = await stage.drive(id)
    assert state.test_results is not None
    assert (state.test_results.pass_rate, state.test_results.failed_tests) == (50, ("suite::app",))
    assert state.engine.outcome == "exhausted"
    words = "\n".join(incidents(stage, id, "false_claim"))
    assert "vas said “pass rate is 100 %”; measured was 50 %" in words
    assert "vas said “all tests pass”; 1 test failed" in words


async def test_a_role_that_gives_no_judgement_costs_its_words_and_not_what_was_measured(
    make_stage: MakeCycleStage,
) -> None:
    stage = make_stage()
    stage.cast.plays["vas.validate"] = [idles, idles, idles, idles]
    id = stage.create(max_iterations=1)
    state = await stage.drive(id)
    assert stage.cast.steps().count("vas.validate") == 4
    assert state.test_results is not None
    assert state.test_results.pass_rate == 100
    assert state.engine.outcome == "exhausted"
    assert "vas gave no judgement: there is no new summary.md" in (state.failure_reason or "")
    assert "vas gave no judgement" in stage.document(id, "vas/summary.md")


async def test_what_the_role_objects_to_goes_back(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.cast.plays["vas.validate"] = [objects, judges]
    id = stage.create(max_iterations=2)
    state = await stage.drive(id)
    assert "vas: R1: app.txt:1 does not say it politely" in state.iterations[0].issues_found


async def test_failures_are_kept_for_every_role_with_their_messages(make_stage: MakeCycleStage) -> None:
    stage = make_stage(judge=half_is_red)
    id = stage.create(max_iterations=1)
    await stage.drive(id)
    text = read_text(stage.store.progress_path(id) / "vas", "failures.json").text
    assert '"test": "suite::app"' in text


async def test_a_project_without_tests_is_unverified(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.tests.command = None
    id = stage.create()
    state = await stage.drive(id)
    assert (state.status, state.engine.outcome) == ("completed", "unverified")
    assert "no tests were found" in stage.document(id, "vas/summary.md")


async def test_a_judge_that_dies_each_time(make_stage: MakeCycleStage) -> None:
    async def dies(turn: Turn) -> AgentOutput:
        raise AgentError("died", "gone")

    stage = make_stage()
    stage.cast.plays["vas.validate"] = [dies] * 8
    id = stage.create(max_iterations=1)
    state = await stage.drive(id)
    assert state.engine.last_validation is not None
    assert state.engine.last_validation.passed
    assert state.engine.outcome == "exhausted"


def validated(passed: int = 8, failed: int = 2, coverage: float = 81.5) -> ValidationOutcome:
    def of(status: TestStatus, count: int) -> list[TestResult]:
        return [TestResult(test_name=f"{status}{n}", status=status) for n in range(count)]

    return ValidationOutcome("t", "t", not failed, True, (*of("passed", passed), *of("failed", failed)), coverage)


class TestContradictions:
    @pytest.mark.parametrize(
        "words",
        [
            "Coverage is 100 %.", "100% coverage", "覆盖率：95%", "The pass rate is 95 %", "通过率 100%",
            "99% of tests pass",
            "10 tests pass", "all tests pass", "No test fails.", "All 10 tests pass", "0 tests failed", "测试全部通过",
        ],
    )  # fmt: skip
    def test_what_was_not_measured(self, words: str) -> None:
        assert contradictions(words, validated())

    @pytest.mark.parametrize(
        "words",
        [
            "Coverage is 81.5 %.", "coverage 82 %", "The pass rate is 80 %", "8 tests pass", "2 tests failed, 8 passed",
            "Coverage rose from 70 % to 81.5 %", "At least 90 % coverage is required", "Not all requirements are met.",
            "R1 is met (src/a.py:100)", "I read 12 files, 100 lines each", "",
        ],
    )  # fmt: skip
    def test_what_was_measured_or_is_about_something_else(self, words: str) -> None:
        assert contradictions(words, validated()) == ()

    def test_green_tests_may_be_called_green(self) -> None:
        assert contradictions("All tests pass; 8 tests passed.", validated(failed=0)) == ()

    @given(st.text(max_size=500), st.sampled_from([validated, lambda: validated(0, 0, 0)]))
    def test_any_words_are_taken(self, words: str, make: Callable[[], ValidationOutcome]) -> None:
        contradictions(words, make())
        measured_lines(make())

    @given(st.text(max_size=200).map(str.strip))
    def test_the_two_parts_come_apart_again(self, words: str) -> None:
        assert judgement_in(join_summary("# Validation\n", words)) == words

    def test_a_flood_takes_no_time(self) -> None:
        contradictions("coverage " * 20_000 + "1" * 20_000 + " tests " * 5_000, validated())
