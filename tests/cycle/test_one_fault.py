"""One fault is one task, whoever tells of it; and who mends it hears what the attempt before has changed."""

from loopwright.workflows.cycle.boundary import next_iteration
from loopwright.workflows.cycle.model import CycleState, PlanTask, TestResults
from tests.cycle.stage import USUAL, MakeCycleStage, Play, Turn, said
from tests.domain.cycle_making import AT, running


async def breaks_it(turn: Turn) -> str:
    turn.change("app.txt", "worse")
    return said("cd", summary="it says good now", files_written=["app.txt"])


def objects(*issues: str) -> Play:
    async def play(turn: Turn) -> str:
        turn.write("summary.md", "# Judgement\n\nIt does not say good.\n")
        return said("vas", "failed", "not good", issues=list(issues))

    return play


async def test_a_failing_test_and_what_vas_says_of_it_are_one_task(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.cast.plays["cd.implement"] = [breaks_it]
    stage.cast.plays["vas.validate"] = [objects("app.txt:1 says worse")]
    state = await stage.drive(stage.create())
    assert state.plan is not None
    mend = "Make these tests pass: suite::app\nvas says: app.txt:1 says worse"
    assert {task.description: task.status for task in state.plan.tasks} == {
        "Make app.txt say good": "completed",
        mend: "completed",
    }
    assert (state.engine.outcome, state.current_iteration) == ("succeeded", 2)


async def test_who_mends_it_hears_what_was_tried(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.cast.plays["cd.implement"] = [breaks_it]
    state = await stage.drive(stage.create())
    first, second = [turn.message.text for turn in stage.cast.turns if turn.role == "cd"]
    assert "# The last attempt" not in first
    attempt = second.partition("# The last attempt")[2].partition("# Measured")[0]
    assert "The previous turn (player, cd.implement TASK-001) made this change:" in attempt
    assert "-bad" in attempt
    assert "+worse" in attempt
    assert "- suite::app: nothing" in attempt
    assert "It reported “it says good now”. The tests still fail." in attempt
    assert state.engine.attempt is None, "what came to a good end is no attempt"


async def test_what_passes_leaves_nothing_to_tell(make_stage: MakeCycleStage) -> None:
    stage = make_stage()
    stage.cast.plays["vas.validate"] = [objects("README.md says nothing of it"), USUAL["vas.validate"]]
    await stage.drive(stage.create())
    second = [turn.message.text for turn in stage.cast.turns if turn.role == "cd"][1]
    assert "# The last attempt" not in second


def found(failing: tuple[str, ...], *objections: str, state: CycleState | None = None) -> CycleState:
    """The next iteration of one in which these tests failed, and vas said that."""
    before = state or running()
    results = TestResults(version="1.0.0", pass_rate=0, coverage=0, total_tests=5, last_run=AT, failed_tests=failing)
    last = {"tree": "t", "left": "t", "passed": False, "at": AT, "reasons": (f"{len(failing)} failed",)}
    engine = before.engine.model_validate(
        {
            **before.engine.model_dump(by_alias=True),
            "last_validation": last,
            "tests_found": True,
            "objections": objections,
        }
    )
    ended = before.iterations[-1].evolve(completed_at=AT)
    iterations = (*before.iterations[:-1], ended)
    return next_iteration(before.evolve(engine=engine, test_results=results, iterations=iterations), AT)


def mends(state: CycleState) -> list[str]:
    assert state.plan is not None
    return [task.description for task in state.plan.tasks if task.id in state.engine.mends]


def test_of_several_files_each_gets_what_names_it() -> None:
    keys = ("tests/test_a.py::test_one", "tests/test_b.py::TestB::test_two[3-x]")
    said_there = ("a.py:3 adds; see test_two", "tests/test_a.py expects 3", "README.md is silent", "test_twofold")
    assert mends(found(keys, *said_there)) == [
        "Make these tests pass: tests/test_a.py::test_one\nvas says: tests/test_a.py expects 3",
        "Make these tests pass: tests/test_b.py::TestB::test_two[3-x]\nvas says: a.py:3 adds; see test_two",
        "Mend what vas says against the result: README.md is silent; test_twofold",
    ]


def test_a_fault_that_is_still_there_in_other_words_is_no_second_task() -> None:
    first = found(("tests/test_a.py::test_one",), "a.py:3 adds")
    second = found(("tests/test_a.py::test_one", "tests/test_a.py::test_two"), "a.py:3 still adds", state=first)
    assert mends(second) == [
        "Make these tests pass: tests/test_a.py::test_one, tests/test_a.py::test_two\nvas says: a.py:3 still adds"
    ]
    assert second.plan is not None
    assert all(isinstance(task, PlanTask) for task in second.plan.tasks)
    again = found(("tests/test_a.py::test_one", "tests/test_a.py::test_two"), "a.py:3 still adds", state=second)
    assert again.plan is not None
    assert [task.id for task in again.plan.tasks] == [task.id for task in second.plan.tasks]
