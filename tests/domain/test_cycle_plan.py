"""The plan: lenient about its dress, strict about its meaning; merged without losing what is done; measured."""

import json
from contextlib import suppress
from itertools import pairwise
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loopwright.core.errors import Invalid
from loopwright.workflows.cycle.model import Effort, Plan, PlanStatus, PlanTask
from loopwright.workflows.cycle.plan import (
    DESCRIPTION,
    MOST,
    WEIGHTS,
    compose_plan,
    critical_path,
    effort_words,
    keep_tasks,
    make_plan,
    read_plan,
)
from tests.tables import each

AT = "2026-01-22T10:00:00+08:00"


def task(id: str, *waits: str, effort: Effort = "small", status: PlanStatus = "pending", **fields: Any) -> PlanTask:
    """Any: fields of a PlanTask."""
    return PlanTask(id=id, description=f"Do {id}", depends_on=waits, effort=effort, status=status, **fields)


def raw(id: object, *waits: str, **fields: object) -> dict[str, object]:
    return {"id": id, "description": f"Do {id}", "depends_on": list(waits), **fields}


def dumped(*tasks: object) -> str:
    return json.dumps({"tasks": tasks})


# ── the dress ────────────────────────────────────────────────────────────────────────────────────────────────

TWO = [raw("TASK-001"), raw("TASK-002", "TASK-001")]
DRESSES = {
    "an object": json.dumps({"tasks": TWO}),
    "a list": json.dumps(TWO),
    "a whole plan": json.dumps({"version": "1.0.0", "tasks": TWO, "critical_path": ["nonsense"], "total": 9}),
    "under plan": json.dumps({"plan": {"tasks": TWO}}),
    "fenced": f"```json\n{json.dumps(TWO, indent=2)}\n```",
    "fenced with words around": f"Here it is:\n\n```\n{json.dumps({'tasks': TWO})}\n```\nDone [1].",
    "the second fence": f"```sh\nmake\n```\n```json\n{json.dumps(TWO)}\n```",
    "words around and no fence": f"My plan (see [1]) is {json.dumps({'tasks': TWO})} as said.",
    "a byte order mark": "\ufeff" + json.dumps(TWO),
}


@pytest.mark.parametrize("text", DRESSES.values(), ids=DRESSES)
def test_a_plan_is_read_whatever_it_is_dressed_in(text: str) -> None:
    assert read_plan(text) == (task("TASK-001"), task("TASK-002", "TASK-001"))


@each(
    ("given", "effort"),
    [("small", "small"), ("S", "small"), ("小", "small"), ("Medium ", "medium"), ("M", "medium"), ("中", "medium"),
     ("L", "large"), ("大", "large"), ("high", "large"), (None, "small"), ("", "small")],
)  # fmt: skip
def test_words_for_an_effort(given: object, effort: Effort) -> None:
    assert read_plan(dumped(raw("A", effort=given)))[0].effort == effort


def test_what_the_planner_says_of_status_and_hands_is_not_taken() -> None:
    text = dumped(raw("A", status="completed", assigned_to="ra", priority=3), {"id": 2, "title": "Two"}, {"name": "N"})
    assert read_plan(text) == (
        task("A"), PlanTask(id="2", description="Two"), PlanTask(id="TASK-003", description="N"),
    )  # fmt: skip


def test_an_id_that_is_missing_is_none_of_the_others() -> None:
    ids = [one.id for one in read_plan(dumped({"title": "x"}, raw("TASK-001"), {"title": "y"}))]
    assert len(set(ids)) == 3
    assert ids[1] == "TASK-001"


def test_one_dependency_needs_no_list_and_files_are_relative() -> None:
    (_, second) = read_plan(dumped(raw("A"), {**raw("B"), "depends_on": "A", "files": ["./src//a.py", "src/", "src"]}))
    assert (second.depends_on, second.files) == (("A",), ("src/a.py", "src"))
    assert read_plan(dumped({**raw("A"), "files": "a.py"}))[0].files == ("a.py",)


# ── the meaning ──────────────────────────────────────────────────────────────────────────────────────────────

REFUSED: dict[str, tuple[str, str]] = {
    "no JSON": ("I shall do it step by step.", "not readable JSON; write"),
    "broken JSON": ('{"tasks": [{"id": "A",}]}', r"\(line 1, column \d+: "),
    "no list": ('{"steps": 3}', "no list of tasks in it"),
    "nothing in it": ('{"tasks": []}', "no tasks; list every task"),
    "no objects": ('{"tasks": ["do it"]}', "task 1 of the plan is not a JSON object"),
    "too many": (dumped(*(raw(f"T{n}") for n in range(MOST + 1))), f"has {MOST + 1} tasks; at most {MOST}"),
    "twice": (dumped(raw("A"), raw("A")), "two tasks of the plan have the id A"),
    "unknown": (dumped(raw("A", "B")), "A depends on B, which the plan does not have"),
    "itself": (dumped(raw("A", "A")), "depend on each other: A → A"),
    "a circle": (dumped(raw("A", "B"), raw("B", "A")), "depend on each other: "),
    "blank": (dumped({"id": "A", "description": "  \n"}), "A has no description"),
    "an id with a blank": (dumped(raw("A B")), "the id 'A B' of task 1 is invalid"),
    "an effort": (dumped(raw("A", effort="2 days")), "A has the effort '2 days'; it is small, medium or large"),
    "objects as files": (dumped(raw("A", files=[{"x": 1}])), "A: files is a list of texts"),
    **{
        f"the file {path}": (dumped(raw("A", files=[path])), "files must be relative to the project")
        for path in ("/etc/passwd", "../x", "a/../../x", "~/x", "C:\\x", "\\x", ".", "a\0b")
    },
    **{f"the file {path}": (dumped(raw("A", files=[path])), "belongs to") for path in (".git/x", "./.workflow/y")},
}


@pytest.mark.parametrize(("text", "words"), REFUSED.values(), ids=REFUSED)
def test_what_can_not_be_carried_out_is_refused_with_one_sentence(text: str, words: str) -> None:
    with pytest.raises(Invalid, match=words) as refused:
        read_plan(text)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_a_task_may_wait_for_what_the_plan_keeps() -> None:
    assert read_plan(dumped(raw("B", "A")), known={"A"}) == (task("B", "A"),)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(
        st.sampled_from(["tasks", "plan", "id", "description", "files", "depends_on", "effort", "x"]), inner, max_size=5
    ),
    max_leaves=12,
)  # fmt: skip


@given(JSON.map(json.dumps) | st.text() | st.lists(JSON).map(lambda tasks: json.dumps({"tasks": tasks})))
def test_whatever_stands_there_is_a_plan_or_invalid(text: str) -> None:
    with suppress(Invalid):
        tasks = read_plan(text)
        compose_plan(tasks, "1.0.0", AT)
        assert all(len(one.description) <= DESCRIPTION for one in tasks)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"tasks": ' * 50_000, "```" * 30_000, "{" * 30_000 + "x"])
def test_a_flood_of_brackets_is_no_plan(text: str) -> None:
    with pytest.raises(Invalid):
        read_plan(text)


# ── merged ───────────────────────────────────────────────────────────────────────────────────────────────────


def ids(plan: Plan) -> list[str]:
    return [one.id for one in plan.tasks]


def test_the_first_plan_is_what_the_planner_wants() -> None:
    plan = make_plan(None, (task("A"), task("B", "A", effort="large")), (), "1.0.0", AT)
    assert (ids(plan), plan.total_estimated_effort, plan.critical_path) == (["A", "B"], "1 small, 1 large", ("A", "B"))
    assert (plan.version, plan.last_updated) == ("1.0.0", AT)


def test_what_is_done_stays_and_what_the_engine_made_stays() -> None:
    blocked = task("C", "B", status="blocked", assigned_to="cd")
    before = compose_plan([task("A", status="completed"), task("B", "A"), task("FIX-1"), blocked], "1.0.0", AT)
    plan = make_plan(before, (task("C"), task("D", "A")), ("FIX-1",), "1.1.0", AT)
    assert ids(plan) == ["A", "FIX-1", "C", "D"]
    assert [one.status for one in plan.tasks] == ["completed", "pending", "blocked", "pending"]
    assert plan.tasks[2].assigned_to == "cd"
    assert [one.id for one in keep_tasks(before, ("FIX-1",))] == ["A", "FIX-1"]


def test_a_completed_task_that_is_written_again_stays_as_it_was_done() -> None:
    before = compose_plan([task("A", status="completed", files=("a.py",))], "1.0.0", AT)
    plan = make_plan(before, (task("A", effort="large"), task("B", "A")), (), "1.1.0", AT)
    assert plan.tasks[0] == before.tasks[0]
    assert ids(plan) == ["A", "B"]


def test_what_a_mend_waits_for_may_be_gone_and_makes_no_circle() -> None:
    before = compose_plan([task("A"), task("B"), task("FIX-1", "A", "B")], "1.0.0", AT)
    plan = make_plan(before, (task("B", "FIX-1"),), ("FIX-1",), "1.1.0", AT)
    assert [(one.id, one.depends_on) for one in plan.tasks] == [("FIX-1", ()), ("B", ("FIX-1",))]


EFFORTS = st.sampled_from(get_args(Effort))
STATUSES = st.sampled_from(get_args(PlanStatus))


@st.composite
def graphs(draw: st.DrawFn, most: int = 7) -> tuple[PlanTask, ...]:
    """Tasks that wait for some of those with a smaller number, in any order."""
    names = [f"T{n}" for n in range(draw(st.integers(1, most)))]
    tasks = []
    for n, name in enumerate(names):
        waits = draw(st.lists(st.sampled_from(names[:n]), unique=True)) if n else []
        tasks.append(task(name, *waits, effort=draw(EFFORTS), status=draw(STATUSES)))
    return tuple(draw(st.permutations(tasks)))


def chains(tasks: tuple[PlanTask, ...]) -> list[tuple[str, ...]]:
    """Every chain, by brute force."""
    after = {one.id: [other.id for other in tasks if one.id in other.depends_on] for one in tasks}
    found: list[tuple[str, ...]] = [(one.id,) for one in tasks]
    for chain in found:
        found.extend((*chain, id) for id in after[chain[-1]])
    return found


@given(graphs())
def test_the_critical_path_is_a_chain_and_none_is_longer(tasks: tuple[PlanTask, ...]) -> None:
    by_id = {one.id: one for one in tasks}
    path = critical_path(tasks)
    assert all(first in by_id[second].depends_on for first, second in pairwise(path))
    longest = max(sum(WEIGHTS[by_id[id].effort] for id in chain) for chain in chains(tasks))
    assert sum(WEIGHTS[by_id[id].effort] for id in path) == longest
    assert critical_path(tuple(tasks)) == path


def test_a_path_among_equals_is_the_one_that_is_named_first() -> None:
    tasks = (task("B"), task("A"), task("C", "A", "B"), task("D", "B"))
    assert critical_path(tasks) == ("B", "C")
    assert critical_path(()) == ()


def test_a_long_chain_takes_no_depth() -> None:
    tasks = [task("T0"), *(task(f"T{n}", f"T{n - 1}") for n in range(1, 3000))]
    assert len(critical_path(tasks)) == 3000


def test_efforts_in_words() -> None:
    assert effort_words([task("A"), task("B", effort="large"), task("C")]) == "2 small, 1 large"
    assert effort_words([]) == "none"


@given(graphs(), graphs(), st.sets(st.sampled_from([f"T{n}" for n in range(7)])))
def test_merging_always_gives_a_plan_that_keeps_what_it_must(
    before: tuple[PlanTask, ...], wanted: tuple[PlanTask, ...], mends: set[str]
) -> None:
    known = compose_plan(before, "1.0.0", AT)
    mends &= set(ids(known))
    plan = make_plan(known, tuple(one.evolve(status="pending") for one in wanted), mends, "1.1.0", AT)
    for one in keep_tasks(known, mends):
        merged = plan.task(one.id)
        assert merged is not None
        assert merged.evolve(depends_on=one.depends_on) == one
    assert {one.id for one in wanted} <= {*ids(plan)} <= {one.id for one in (*wanted, *keep_tasks(known, mends))}
    again = make_plan(plan, plan.tasks, mends, "1.1.0", AT)
    assert {one.id: one for one in again.tasks} == {one.id: one for one in plan.tasks}
