"""An issue's plan becomes tasks of a loop, all of them or none."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from loopwright.core.errors import Invalid, NotFound
from loopwright.wiring.stores import IssueFiles
from tests.stage import MakeStage, Stage


@pytest.fixture
def made(stage: MakeStage) -> Stage:
    made = stage()
    made.service = replace(made.service, issues=IssueFiles(made.project))
    return made


def plan(project: Path, *tasks: dict[str, object]) -> None:
    folder = project / ".workflow" / "issues"
    (folder / "solutions").mkdir(parents=True, exist_ok=True)
    issue = {"id": "ISS-1", "title": "It crashes", "bound_solution_id": "SOL-1"}
    (folder / "issues.jsonl").write_text(json.dumps(issue) + "\n")
    (folder / "solutions" / "ISS-1.jsonl").write_text(json.dumps({"id": "SOL-1", "tasks": tasks}) + "\n")


def test_a_plan_is_taken_over_in_one_commit(made: Stage) -> None:
    loop_id = made.create()
    own = made.service.tasks.add(loop_id, {"description": "First", "tool": "scripted"})
    plan(
        made.project,
        {"id": "T1", "title": "Mend it", "scope": "src", "depends_on": ["T2"]},
        {"id": "T2", "title": "Look first"},
    )
    rev = made.store.read(loop_id).engine.rev
    one, two = made.service.tasks.import_issue(loop_id, "ISS-1")
    state = made.store.read(loop_id)
    assert state.engine.rev == rev + 1
    assert [task.task_id for task in state.engine.tasks] == [own.task_id, one.task_id, two.task_id]
    assert (one.description, one.prompt_template, one.depends_on) == ("Mend it", "Scope: src", (two.task_id,))
    assert (two.tool, two.order, two.depends_on) == ("scripted", 2, None)
    event = made.store.events(loop_id)[-1].event
    assert (event.type, event.data["issue"]) == ("issue_imported", "ISS-1")


def test_nothing_is_taken_of_a_plan_that_does_not_hold(made: Stage) -> None:
    loop_id = made.create()
    plan(made.project, {"id": "T1", "title": "Good"}, {"id": "T2", "title": "Bad \ud800"})
    rev = made.store.read(loop_id).engine.rev
    with pytest.raises(Invalid):
        made.service.tasks.import_issue(loop_id, "ISS-1")
    with pytest.raises(NotFound, match="Issue not found: ISS-2"):
        made.service.tasks.import_issue(loop_id, "ISS-2")
    with pytest.raises(Invalid, match="Invalid issue ID format"):
        made.service.tasks.import_issue(loop_id, "../ISS-1")
    assert made.store.read(loop_id).engine.rev == rev


def test_where_nobody_tracks_issues(stage: MakeStage) -> None:
    made = stage()
    with pytest.raises(NotFound, match="available: none"):
        made.service.tasks.import_issue(made.create(), "ISS-1")


async def test_imported_tasks_are_carried_out_in_the_order_of_their_needs(made: Stage) -> None:
    loop_id = made.create()
    told = made.project / "told"
    plan(made.project, {"id": "T1", "title": "Second", "depends_on": ["T2"]}, {"id": "T2", "title": "First"})
    for task in made.service.tasks.import_issue(loop_id, "ISS-1"):
        made.service.tasks.edit(loop_id, task.task_id, {"tool": "bash", "command": f"echo {task.description} >> told"})
    (made.project / "app.txt").write_text("good")
    assert (await made.drive(loop_id)).engine.outcome == "succeeded"
    assert told.read_text() == "First\nSecond\n"
