"""A loop in brief: its counts, and what it needs of a person."""

from loopwright.core.state import Menu, MenuEntry, Parked, PermissionRequest, Waiting
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.reducer import begin_action, end_action
from loopwright.workflows.loop.selector import NextAction
from loopwright.workflows.loop.summary import TaskCounts, loop_glance, loop_need
from tests.domain.loop_making import AT, developed, engine, initialised, loop, result, step, task, validated
from tests.tables import each

ASKED = PermissionRequest(id="p1", agent="codex", action="DEVELOP", title="rm", since=AT)
MENU = Menu(since=AT, entries=(MenuEntry(name="DEVELOP", words="next"),))
QUESTION = Waiting(question="which?", since=AT)


def test_a_new_loop_has_tasks_that_nobody_has_seen_yet() -> None:
    seen = loop_glance(engine(loop(tags=("a",), priority="high"), tasks=(task("t1"), task("t2"))), "shop")
    assert (seen.tasks, seen.tests, seen.action, seen.needs) == (TaskCounts(total=2), None, None, None)
    assert (seen.project, seen.title, seen.rev, seen.tags, seen.priority) == (
        "shop",
        "Fix the ledger",
        0,
        ("a",),
        "high",
    )


def test_counts_are_those_of_the_state() -> None:
    state = end_action(loop("running"), step("INIT", initialised(task("t1"), task("t2"), task("t3"))))
    for id, ok in (("t1", True), ("t2", False)):
        state = begin_action(state, NextAction("DEVELOP", 1, task=id))
        state = end_action(state, step("DEVELOP", developed(id, ok=ok)))
    results = (result("a"), result("b"), result("c", "failed"), result("d", "skipped"))
    state = end_action(state, step("VALIDATE", validated(results=results, passed=False)))
    seen = loop_glance(engine(state, tasks=(*state.engine.tasks, task("t4"))), "shop")
    assert seen.tasks == TaskCounts(total=4, completed=1, failed=1)
    assert seen.tests is not None
    counts = seen.tests.model_dump(exclude={"at"})
    assert counts == {"total": 4, "passed": 2, "failed": 1, "skipped": 1, "pass_rate": 66.67, "coverage": 80.0}


@each(
    ("state", "needs"),
    [
        (loop(), None),
        (loop("running"), None),
        (loop("completed"), None),
        (loop("failed"), None),
        (loop("paused"), "resume"),
        (loop("user_exit"), "resume"),
        (engine(loop("paused"), parked=Parked(until=AT, reason="limit")), None),
        (engine(loop("paused"), waiting=QUESTION), "answer"),
        (engine(loop("paused"), waiting=QUESTION, answer="this"), "resume"),
        (engine(loop("paused"), waiting=QUESTION.evolve(by_resuming=True)), "resume"),
        (engine(loop("running"), waiting=QUESTION), "answer"),
        (engine(loop("running"), menu=MENU), "choice"),
        (engine(loop("running"), menu=MENU.evolve(choice="DEVELOP")), None),
        (engine(loop("running"), menu=MENU, asked=(ASKED,)), "permission"),
        (engine(loop("running"), asked=(ASKED.evolve(answer="deny"),)), None),
        (engine(loop("paused"), asked=(ASKED,)), "resume"),
    ],
)
def test_what_it_needs(state: LoopState, needs: str | None) -> None:
    assert loop_need(state) == needs
