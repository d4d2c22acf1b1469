"""Every state a loop can rest in is told in words that fit it, with a command that fits as well."""

import re
from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import ExitCode
from loopwright.core.names import FINISHED, LoopStatus
from loopwright.core.pause import EXITS, exit_for
from loopwright.core.state import (
    Budget,
    Checkpoint,
    DevelopTask,
    EngineState,
    Incident,
    LoopTask,
    Outcome,
    Parked,
    Waiting,
)
from loopwright.evidence.hypotheses import EvidenceCriteria, Hypothesis
from loopwright.evidence.testing import TestResult
from loopwright.surfaces.cli.loop_rendering import CONTINUE, LOOP, RESTART, End, LoopScene, task_rows
from loopwright.surfaces.cli.run_rendering import DamagedRun
from loopwright.surfaces.cli.run_scene import RunActivity, strip_report
from loopwright.surfaces.cli.text import SHOWN, fill_ages, list_some, mark_age, measure_width
from loopwright.workflows.loop.model import Debug, Develop, LoopState, SkillState, Validate
from loopwright.workflows.loop.summary import FinishedAction, diff_stat

AT = "2026-01-22T10:00:00+08:00"
NOW = datetime(2026, 1, 22, 3, 0, tzinfo=UTC)


TIME, TOKENS, COST = (
    Budget(max_minutes=2, spent_seconds=240), Budget(max_tokens=100, tokens=110), Budget(max_cost=1, cost=2),
)  # fmt: skip


def loop(
    status: LoopStatus = "created", outcome: Outcome | None = None, *, iteration: int = 0, **engine: object
) -> LoopState:
    """A loop in that status, with an end that fits it."""
    finished = status in FINISHED
    return LoopState(
        loop_id="loop-v2-1", title="Fix it", description="Fix it", status=status, created_at=AT, updated_at=AT,
        completed_at=AT if finished else None, failure_reason="because" if status == "failed" else None,
        current_iteration=iteration, engine=EngineState().evolve(outcome=outcome, **engine),
    )  # fmt: skip


def with_everything() -> LoopState:
    """A failed loop with something in every section."""
    hypothesis = Hypothesis(
        id="H1", description="the last day is left out", testable_condition="c", logging_point="ledger.py:balance:36",
        evidence_criteria=EvidenceCriteria(confirm="a", reject="b"), likelihood=1, status="confirmed",
        evidence={"x": 1}, verdict_reason="the tests pass with it",
    )  # fmt: skip
    results = (
        TestResult(test_name="test_a", suite="s", status="passed"),
        TestResult(test_name="test_b", suite="s", status="failed", error_message="assert 1 == 2"),
        TestResult(test_name="test_c", suite="s", status="skipped"),
    )
    skill = SkillState(
        develop=Develop(total=1, tasks=(DevelopTask(id="task-1", description="Mend", created_at=AT),)),
        debug=Debug(active_bug="balances", hypotheses=(hypothesis,), hypotheses_count=1, confirmed_hypothesis="H1"),
        validate=Validate(test_results=results, failed_tests=("s::test_b",), coverage=81.5, last_run_at=AT),
    )
    state = loop(
        "failed", "exhausted",
        tasks=(LoopTask(task_id="task-1", description="Mend", tool="bash", created_at=AT, updated_at=AT),),
        checkpoints=(Checkpoint(n=1, rev=1, commit="c", tree="t", action="INIT", at=AT),),
        incidents=(Incident(kind="put back", message="somebody wrote", at=AT),),
    )  # fmt: skip
    return state.evolve(skill_state=skill, tags=("ui",), priority="high", notes="see above")


def test_every_outcome_and_status_has_its_row() -> None:
    assert set(EXITS) == set(get_args(Outcome))
    ends = {word for part in get_args(End) for word in get_args(part)}
    assert set(RESTART) == ends - {"exhausted"}
    assert set(CONTINUE) == set(get_args(LoopStatus)) - FINISHED


@pytest.mark.parametrize(
    ("state", "code", "words", "step"),
    [
        (loop("completed", "succeeded"), ExitCode.DONE, "Succeeded", "diff loop-v2-1"),
        (loop("completed", "unverified"), ExitCode.NO_SUCCESS, "unverified", "--test-command"),
        (loop("failed", "exhausted", iteration=10), ExitCode.NO_SUCCESS, "exhausted: because.", "--max-iterations 20"),
        (loop("failed", "exhausted", iteration=6), ExitCode.NO_SUCCESS, "exhausted: because.", "fix it by hand"),
        (loop("failed", "over_budget", budget=TIME), ExitCode.BUDGET, "over_budget: because.", "--max-minutes 8"),
        (loop("failed", "over_budget", budget=TOKENS), ExitCode.BUDGET, "over_budget", "--max-tokens 220"),
        (loop("failed", "over_budget", budget=COST), ExitCode.BUDGET, "over_budget", "--max-cost 4.01"),
        (loop("failed", "over_budget"), ExitCode.BUDGET, "over_budget", "run --loop-id loop-v2-1 --auto"),
        (loop("failed", "failed"), ExitCode.NO_SUCCESS, "failed: because.", "show loop-v2-1"),
        (loop("failed", "stopped"), ExitCode.NO_SUCCESS, "stopped: because.", "run --loop-id loop-v2-1"),
        (loop("failed", "stalled"), ExitCode.NO_SUCCESS, "stalled", "show loop-v2-1"),
        (loop("failed", "unverified"), ExitCode.NO_SUCCESS, "unverified", "--test-command"),
        (loop("paused"), ExitCode.NEEDS_PERSON, "Paused on request", "resume loop-v2-1"),
        (loop("user_exit"), ExitCode.NEEDS_PERSON, "Left by choice", "resume loop-v2-1"),
        (loop("created"), ExitCode.NEEDS_PERSON, "not started", "start loop-v2-1"),
        (loop("running"), ExitCode.NEEDS_PERSON, "no runner", "resume loop-v2-1"),
        (loop("paused", parked=Parked(until=AT, reason="limit")), ExitCode.NEEDS_PERSON, "until 2026-01-22", "resume"),
    ],
)
def test_a_loop_at_rest(state: LoopState, code: ExitCode, words: str, step: str) -> None:
    assert exit_for(state) is code
    assert words in LOOP.headline(state)
    assert any(step in line for line in LOOP.next_lines(state, False, ""))


def test_a_question_is_shown_with_its_answers() -> None:
    state = loop("paused", waiting=Waiting(question="Which\x1b one?", options=("a", "b"), since=AT))
    assert LOOP.headline(state) == "Paused with a question: Which one? (a / b)"
    assert [line.split()[2] for line in LOOP.next_lines(state, False, "")] == ["answer", "resume"]
    answered = state.evolve(engine=state.engine.evolve(answer="a"))
    assert [line.split()[2] for line in LOOP.next_lines(answered, False, "")] == ["resume"]


def test_commands_name_the_project_where_they_have_to() -> None:
    assert LOOP.next_lines(loop("paused"), False, " --project ../x")[0].endswith("--project ../x")


def test_the_status_says_whether_somebody_is_at_work() -> None:
    assert LOOP.status(loop("running"), live=True) == "running"
    assert LOOP.status(loop("running"), live=False) == "running (no runner)"
    assert LOOP.status(loop("failed", "stalled"), live=False) == "failed (stalled)"
    assert LOOP.status(loop("completed", "succeeded"), live=False) == "completed"
    assert LOOP.status(loop("failed", "failed"), live=False) == "failed"


def test_the_page_shows_every_section() -> None:
    page = fill_ages(LOOP.page(with_everything(), live=False, elsewhere=""), NOW)
    for words in (
        "failed (exhausted)", "0 of 10", "task-1  pending  bash  Mend", "H1", "confirmed", "ledger.py:balance:36",
        "the tests pass with it", "tests 1/2", "coverage 81.5 %", "✗ s::test_b", "assert 1 == 2", "Checkpoints",
        "put back: somebody wrote", "ui", "high", "see above", "1 h ago",
    ):  # fmt: skip
        assert words in page, words


def test_a_session_is_named_with_the_way_to_go_on_with_it_by_hand() -> None:
    page = LOOP.page(loop(sessions={"codex": "0199-aa", "own": "s-1"}), live=False, elsewhere="")
    lines = [" ".join(line.split()) for line in page.splitlines()]
    assert "session codex 0199-aa (by hand: codex resume 0199-aa)" in lines
    assert "session own s-1" in lines


def test_the_ending_names_cause_change_and_what_is_left() -> None:
    diff = "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n+b\n+c\n"
    text = LOOP.ending(with_everything(), diff=diff, summary="/p/summary.md", live=False, elsewhere="")
    for words in ("Not done, exhausted", "the last day is left out", "x.py  +2 -1", "s::test_b", "task-1 (pending)"):
        assert words in text, words
    assert "/p/summary.md" in text


def test_a_diff_is_counted_by_its_hunks() -> None:
    """Lines that look like headers are content inside a hunk."""
    diff = (
        "diff --git a/a b.md b/a b.md\n--- a/a b.md\n+++ b/a b.md\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n same\n"
        "diff --git a/bin b/bin\nBinary files a/bin and b/bin differ\n"
    )
    assert diff_stat(diff) == [("a b.md", 1, 1), ("bin", 0, 0)]
    assert diff_stat("") == []


def test_long_lists_are_cut_and_counted() -> None:
    assert list_some(range(SHOWN), str) == [str(n) for n in range(SHOWN)]
    assert list_some(range(SHOWN + 3), str)[-1] == "… and 3 more"


def test_a_list_says_how_many_it_left_out() -> None:
    text = LOOP.table([(loop("running"), False)], 3)
    assert "running (no runner)" in text
    assert "1 of 3 loops" in text
    assert "no loops here" in LOOP.table([], 0)


def test_more_iterations_are_proposed_only_where_they_were_what_ended_it() -> None:
    nothing_left = "\n".join(LOOP.next_lines(loop("failed", "exhausted", iteration=6), False, " --project x"))
    assert "--max-iterations" not in nothing_left
    assert [line.split()[0] for line in nothing_left.splitlines()] == ["next", "or", "then"]
    assert nothing_left.count(" --project x") == 3


def test_a_reason_that_is_a_sentence_gets_no_second_full_stop() -> None:
    told = loop("failed", "failed").evolve(failure_reason="task task-1 failed: the build broke.\n")
    assert LOOP.headline(told) == "Not done, failed: task task-1 failed: the build broke."


@pytest.mark.parametrize(
    ("count", "words"), [(1, "Succeeded: the one test passes."), (2, "Succeeded: all 2 tests pass.")]
)
def test_numbers_agree_with_what_they_count(count: int, words: str) -> None:
    results = tuple(TestResult(test_name=f"test_{n}", status="passed") for n in range(count))
    state = loop("completed", "succeeded").evolve(skill_state=SkillState(validate=Validate(test_results=results)))
    assert LOOP.headline(state) == words


def test_damaged_loops_stand_in_the_list_with_what_helps() -> None:
    damaged = (
        DamagedRun("loop-v2-9", "its journal is damaged", "loopwright recover loop-v2-9"),
        DamagedRun("b", "newer", None),
    )
    for text in (LOOP.table([(loop(), False)], 1, damaged=damaged), LOOP.table([], 0, damaged=damaged)):
        assert "loop-v2-9  damaged" in text
        assert "loop-v2-9 is damaged: its journal is damaged\n  next        loopwright recover loop-v2-9" in text
        assert "b is damaged: newer" in text
        assert "no loops here" not in text


@pytest.mark.parametrize("cells", [40, 60, 100, 300])
def test_a_list_fits_the_terminal(cells: int) -> None:
    state = with_everything().evolve(title="A title of very many words " * 4)
    rows = LOOP.table([(state, False)], 1, cells=cells).splitlines()
    assert max(measure_width(row) for row in rows) <= cells
    assert any("A title" in row for row in rows)


@pytest.mark.parametrize("cells", [160, 60])
def test_ages_stand_in_their_columns(cells: int) -> None:
    """Whatever the time is when a text is printed, and however old a run is."""
    ages = {AT: "1 h", "2026-01-22T10:59:57+08:00": "3 s", "2024-01-01T00:00:00+00:00": "752 days"}
    states = [loop().evolve(updated_at=at, title=f"T{n}") for n, at in enumerate(ages)]
    text = fill_ages(LOOP.table([(state, False) for state in states], len(states), cells=cells), NOW)
    for n, age in enumerate(ages.values()):
        assert re.search(rf"\b{age}( ago)?\s+T{n}\b", text), text
    if cells > 100:
        assert len({line.index(f"T{n}") for n, line in enumerate(text.splitlines()[1:])}) == 1
    assert fill_ages(mark_age("1900-01-01T00:00:00+00:00"), NOW).endswith("days")
    assert fill_ages("5\ue000\ue001 people", NOW) == "5\ue000\ue001 people"


@pytest.mark.parametrize("cells", [50, 80])
def test_a_page_fits_the_terminal_but_for_what_is_copied(cells: int) -> None:
    page = LOOP.page(with_everything().evolve(notes="word " * 60), live=False, elsewhere="", cells=cells)
    told, _, copied = page.partition("Not done")
    assert max(measure_width(row) for row in told.splitlines()) <= cells
    assert "loopwright run --loop-id" in copied or "loopwright show" in copied


def test_a_page_says_what_it_leaves_out_and_how_to_see_it() -> None:
    many = tuple(Checkpoint(n=n, rev=n, commit="c", tree="t", action=f"step {n}", at=AT) for n in range(1, SHOWN + 4))
    cut = LOOP.page(loop("paused", checkpoints=many), live=False, elsewhere="")
    assert "… and 3 earlier" in cut
    assert "step 3\n" not in cut
    assert "loopwright show loop-v2-1 --all shows every line" in cut
    everything = LOOP.page(loop("paused", checkpoints=many), live=False, elsewhere="", whole=True)
    assert all(f"step {c.n}" in everything for c in many)
    assert "--all" not in everything


def test_a_task_is_shown_with_all_that_is_special_about_it() -> None:
    first = LoopTask(
        task_id="task-1", description="Build", tool="bash", created_at=AT, updated_at=AT, command="make -j2"
    )
    second = LoopTask(
        task_id="task-2", description="Look", mode="review", created_at=AT, updated_at=AT, on_error="fail_fast",
        depends_on=("task-1",), allow_test_changes=True, prompt_template="short", order=1,
    )  # fmt: skip
    rows = task_rows(loop(tasks=(first, second)))
    assert rows == [
        "task-1  pending  bash   Build",
        "    command   make -j2",
        "task-2  pending  codex  Look",
        "    mode      review",
        "    on error  fail_fast",
        "    after     task-1",
        "    hints     short",
        "    tests     may be changed",
    ]


def test_what_was_spent_is_told_with_its_limits() -> None:
    budget = Budget(max_minutes=3, spent_seconds=90, max_tokens=5000, tokens=1200, max_cost=2, cost=0.25)
    page = LOOP.page(loop(budget=budget), live=False, elsewhere="")
    assert "1 min of 3 min, 1,200 of 5,000 tokens, 0.25 of 2 US dollars" in page


@given(st.text(min_size=1))
def test_a_title_never_steers_the_terminal(title: str) -> None:
    state = with_everything().evolve(title=title, description=title, notes=title)
    shown = [
        LOOP.table([(state, False)], 1),
        LOOP.page(state, live=False, elsewhere=""),
        *(line.text for line in LoopScene(state, doing={None: RunActivity(title, output=title)}).lines(80)),
    ]
    assert not any(c in text for text in shown for c in "\x1b\x07\x08\r\x9b\u202e")


@given(st.integers(min_value=20, max_value=200), st.text(max_size=300), st.text(max_size=300))
def test_a_scene_is_never_wider_than_the_terminal(cells: int, doing: str, output: str) -> None:
    state = with_everything().evolve(status="running", completed_at=None, failure_reason=None, engine=EngineState())
    history = (
        FinishedAction("INIT"),
        FinishedAction("DEVELOP", "completed"),
        FinishedAction("VALIDATE", "fail"),
        FinishedAction("DEBUG", "x" * 300),
    )
    lines = LoopScene(state, history=history, doing={None: RunActivity(doing, output=output)}).lines(cells)
    assert max(measure_width(line.text) for line in lines) <= cells


def test_a_scene_folds_what_is_over_and_shows_what_is_done_now() -> None:
    busy = with_everything().evolve(status="running", completed_at=None, failure_reason=None, engine=EngineState())
    assert busy.skill_state is not None
    busy = busy.evolve(skill_state=busy.skill_state.evolve(current_action="debug"))
    history = (FinishedAction("INIT"), FinishedAction("DEVELOP", "completed"), FinishedAction("VALIDATE", "fail"))
    scene = LoopScene(busy, 75, {None: RunActivity("tracing 3 tests", 4, "test_a PASSED")}, history)
    text = "\n".join(line.text for line in scene.lines(100))
    for words in (
        "1:15 · running · iteration 0/10", "✔ Iteration 1: DEVELOP + VALIDATE (fail)", "▶ → Action: DEBUG",
        "tests 1/2 passed · coverage 81.5 %", "0:04 tracing 3 tests", "test_a PASSED",
    ):  # fmt: skip
        assert words in text, text
    over = LoopScene(with_everything(), doing={None: RunActivity("tracing")}, history=history)
    rested = "\n".join(line.text for line in over.lines(100))
    assert "tracing" not in rested


def test_a_report_is_not_what_an_agent_says_to_people() -> None:
    assert strip_report("I fixed it.\n\nACTION_RESULT:\n- action: DEVELOP\n") == "I fixed it."
    assert strip_report("**ACTION_RESULT:**\n- action: DEVELOP\n") == ""
