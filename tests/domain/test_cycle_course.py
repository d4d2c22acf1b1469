"""The course of a cycle: steps that overlap, what is broken off, and journals that nobody should have written."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from loopwright.core.course import BROKEN_OFF
from loopwright.core.record import JournalEntry, JournalEvent
from loopwright.core.state import Checkpoint
from loopwright.workflows.cycle.summary import cycle_timeline, cycle_validations

AT = "2026-01-22T10:00:00+08:00"
Data = dict[str, JsonValue]


def journal(*events: tuple[str, Data]) -> tuple[JournalEntry, ...]:
    return tuple(
        JournalEntry(seq=n, ts=AT, actor="runner", event=JournalEvent(type=type, data=data))
        for n, (type, data) in enumerate(events, 1)
    )


def begun(step: str, task: str | None = None) -> tuple[str, Data]:
    return "step_started", {"step": step, "task": task}


def over(step: str, task: str | None = None, iteration: int = 1, **more: JsonValue) -> tuple[str, Data]:
    return "step_finished", {"step": step, "task": task, "iteration": iteration, "result": "done", **more}


def told(entries: Sequence[JournalEntry], now: int = 1) -> list[tuple[object, ...]]:
    return [(one.seq, one.action, one.task, one.result, one.iteration) for one in cycle_timeline(entries, (), now)]


def test_steps_stand_in_the_order_of_their_begin() -> None:
    entries = journal(
        begun("ra.analyse"), begun("ep.explore"), over("ep.explore"), over("ra.analyse"),
        begun("cd.implement", "A"), begun("cd.implement", "B"), over("cd.implement", "B"),
    )  # fmt: skip
    assert told(entries) == [
        (1, "ra.analyse", None, "done", 1), (2, "ep.explore", None, "done", 1), (5, "cd.implement", "A", None, 1),
        (6, "cd.implement", "B", "done", 1),
    ]  # fmt: skip


def test_what_a_runner_broke_off_is_tried_again() -> None:
    entries = journal(
        begun("cd.implement", "A"), begun("ra.analyse"),
        ("taken_over", {"steps": ["cd.implement A", "ra.analyse"]}), begun("cd.implement", "A"),
        over("cd.implement", "A"),
    )  # fmt: skip
    assert [one[3] for one in told(entries)] == [BROKEN_OFF, BROKEN_OFF, "done"]


def test_what_ends_without_a_number_is_of_the_iteration_before_it() -> None:
    entries = journal(
        begun("aggregation"), over("aggregation"), begun("ra.analyse"), ("taken_over", {"steps": ["ra.analyse"]}),
        begun("ra.analyse"),
    )  # fmt: skip
    assert [one[4] for one in told(entries, now=2)] == [1, 2, 2]


def test_a_checkpoint_belongs_to_the_step_that_made_it() -> None:
    kept = Checkpoint(n=7, rev=2, commit="c", tree="t", action="cd.implement A", at=AT)
    entries = journal(
        begun("cd.implement", "A"), over("cd.implement", "A", changes=[{"file": "a.py", "action": "modify"}])
    )
    (step,) = cycle_timeline(entries, [kept], 1)
    assert (step.checkpoint, step.role, [file.file for file in step.files]) == (7, "cd", ["a.py"])


def test_validations_are_those_that_measured_something() -> None:
    tests: JsonValue = {"passed": False, "total": 3, "failed": 1}
    entries = journal(
        begun("vas.validate"), over("vas.validate", tests=tests, reasons=["1 failed"]), over("vas.validate"),
        over("vas.validate", iteration=2, tests={"passed": "perhaps"}),
    )  # fmt: skip
    (check,) = cycle_validations(entries)
    assert (check.seq, check.iteration, check.total, check.failed, check.reasons) == (2, 1, 3, 1, ("1 failed",))


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.sampled_from(["ra.analyse", "cd.implement T"]),
    st.lists(st.text(max_size=14), max_size=3),
)  # fmt: skip
FORGED = st.tuples(
    st.sampled_from(["step_started", "step_finished", "taken_over", "edited"]),
    st.dictionaries(st.sampled_from(["step", "task", "steps", "iteration", "result", "tests", "changes"]), VALUES),
)


@given(st.lists(FORGED, max_size=12))
def test_a_forged_journal_is_told_as_far_as_it_can_be(events: list[tuple[str, Data]]) -> None:
    entries = journal(*events)
    assert len(cycle_timeline(entries, (), 1)) <= sum(
        max(1, len(steps) if isinstance(steps := data.get("steps"), list) else 1) for _, data in events
    )
    cycle_validations(entries)


def test_true_is_no_number() -> None:
    entries = journal(begun("ra.analyse"), ("step_finished", {"step": "ra.analyse", "iteration": True, "tokens": True}))
    (step,) = cycle_timeline(entries, (), 1)
    assert (step.iteration, step.tokens) == (1, None)
