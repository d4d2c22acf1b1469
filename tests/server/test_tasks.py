"""Tasks over HTTP: in order, guarded by versions, found by their id alone."""

import json
from pathlib import Path

import pytest

from tests.server.office import LOOPS, Office, opened_office

NEW = {"description": "Add it up", "tool": "builtin", "mode": "review", "prompt_template": "Look first"}


def test_a_task_from_its_beginning_to_its_end(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}/tasks"
    made = office.ask("POST", at, NEW)
    id = made.data["task_id"]
    assert made.status == 201
    assert made.data.items() >= {**NEW, "order": 0}.items()
    second = office.add_task(loop, "Second", command="true", on_error="pause", depends_on=[id], tool="bash")
    listed = office.ask("GET", at)
    assert [(t["task_id"], t["order"], t["status"]) for t in listed.data] == [
        (id, 0, "pending"),
        (second, 1, "pending"),
    ]
    assert (listed.body["total"], listed.body["loop_id"]) == (2, loop)
    assert office.ask("GET", f"{LOOPS}/tasks/{id}").data == {**made.data, "loop_id": loop, "project": "shop"}
    edited = office.ask("PUT", f"{LOOPS}/tasks/{id}", {"loop_id": loop, "description": "Better"})
    assert (edited.data["description"], edited.data["mode"]) == ("Better", "review")
    ordered = office.ask("PUT", f"{at}/reorder", {"ordered_task_ids": [second, id]})
    assert [(t["task_id"], t["order"]) for t in ordered.data] == [(second, 0), (id, 1)]
    needed = office.ask("DELETE", f"{LOOPS}/tasks/{id}?loop_id={loop}")
    assert (needed.status, needed.error[:30]) == (409, f"Task {id} is needed by"[:30])
    gone = office.ask("DELETE", f"{LOOPS}/tasks/{second}?loop_id={loop}")
    assert gone.body == {"success": True, "message": "Task deleted"}
    assert office.ask("GET", f"{LOOPS}/tasks/{second}").error == f"Task not found: {second}"


def test_who_does_it_where_nobody_is_named(office: Office) -> None:
    loop = office.create()
    made = [
        office.ask("POST", f"{LOOPS}/{loop}/tasks", {"description": "x", **more}).data
        for more in ({}, {"command": "true"})
    ]
    assert [(task["tool"], task["mode"], task["prompt_template"]) for task in made] == [
        ("builtin", "write", ""), ("bash", "write", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({}, "description: is required"),
        ({"description": " "}, "description: must not be blank"),
        ({"description": "x", "mode": "paint"}, "mode: Input should be 'analysis', 'write' or 'review'"),
        ({"description": "x", "tool": "nobody"}, "tool: no agent is named 'nobody'"),
        ({"description": "x", "tool": "bash"}, "a task with tool bash needs a command"),
        ({"description": "x", "tool": "builtin", "command": "true"}, "only tasks with tool bash run a command"),
        ({"description": "x", "depends_on": ["t9"]}, "task "),
        ({"description": "x", "depends_on": "t9"}, "depends_on: "),
        ({"description": "x", "order": 3}, "order: is unknown"),
        ({"description": "x", "on_error": "cry"}, "on_error: "),
    ],
)
def test_tasks_that_are_refused(office: Office, body: dict[str, object], words: str) -> None:
    loop = office.create()
    refused = office.ask("POST", f"{LOOPS}/{loop}/tasks", body)
    assert (refused.status, refused.error[: len(words)]) == (400, words)
    assert office.ask("GET", f"{LOOPS}/{loop}/tasks").data == []


def test_an_order_names_every_task_once(office: Office) -> None:
    loop = office.create()
    first, second = office.add_task(loop), office.add_task(loop)
    for wrong in ([], [first], [first, first], [first, second, "x"]):
        assert office.ask("PUT", f"{LOOPS}/{loop}/tasks/reorder", {"ordered_task_ids": wrong}).status == 400


def test_versions_hold_for_tasks_too(office: Office) -> None:
    loop = office.create()
    id = office.add_task(loop)
    edit = {"loop_id": loop, "description": "New"}
    assert office.ask("PUT", f"{LOOPS}/tasks/{id}", edit, if_match='"1"').status == 412
    assert office.ask("DELETE", f"{LOOPS}/tasks/{id}?loop_id={loop}", if_match='"1"').status == 412
    assert office.ask("PUT", f"{LOOPS}/{loop}/tasks/reorder", {"ordered_task_ids": [id]}, if_match='"1"').status == 412
    assert office.ask("PUT", f"{LOOPS}/tasks/{id}", edit, if_match='"2"').status == 200


def test_the_loop_has_to_be_named_for_changes(office: Office) -> None:
    loop, other = office.create(), office.create()
    id = office.add_task(loop)
    assert office.ask("PUT", f"{LOOPS}/tasks/{id}", {"description": "x"}).error == "loop_id: is required"
    assert office.ask("DELETE", f"{LOOPS}/tasks/{id}").error == "loop_id: is required"
    assert office.ask("PUT", f"{LOOPS}/tasks/{id}", {"loop_id": other, "description": "x"}).status == 404
    assert office.ask("PUT", f"{LOOPS}/tasks/{id}", {"loop_id": "a/b", "description": "x"}).status == 400
    assert office.ask("DELETE", f"{LOOPS}/tasks/{id}?loop_id=nope").status == 404


def test_a_task_is_found_in_whichever_project_it_is(tmp_path: Path, shop: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with opened_office(shop, other) as office:
        office.create()
        loop = office.create(project="other")
        id = office.service("other").tasks.add(loop, {"description": "x", "tool": "builtin"}).task_id
        for _ in range(2):
            found = office.ask("GET", f"{LOOPS}/tasks/{id}").data
            assert (found["loop_id"], found["project"]) == (loop, "other")
        assert office.ask("GET", f"{LOOPS}/tasks/{id}?project=shop").status == 404
        office.ask("DELETE", f"{LOOPS}/{loop}")
        assert office.ask("GET", f"{LOOPS}/tasks/{id}").status == 404


def test_an_issue_becomes_tasks(office: Office, shop: Path) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}/import"
    assert office.ask("POST", at, {"issue_id": "ISS-1"}).status == 404
    folder = shop / ".workflow" / "issues"
    (folder / "solutions").mkdir(parents=True)
    (folder / "issues.jsonl").write_text(
        json.dumps({"id": "ISS-1", "title": "Ledger", "bound_solution_id": "SOL-1"}) + "\n"
    )
    tasks = [{"id": "T1", "title": "One"}, {"id": "T2", "title": "Two", "depends_on": ["T1"]}]
    (folder / "solutions" / "ISS-1.jsonl").write_text(
        json.dumps({"id": "SOL-1", "is_bound": True, "tasks": tasks}) + "\n"
    )
    refused = office.ask("POST", at, {"issue_id": "ISS-1"})
    assert (refused.status, "tool: NAME" in str(refused.body)) == (503, True), "nobody here writes code"
    made = office.ask("POST", at, {"issue_id": "ISS-1", "tool": "codex"})
    assert (made.status, made.body["message"], len(made.data)) == (201, "2 tasks created", 2)
    assert made.data[1]["depends_on"] == [made.data[0]["task_id"]]
    assert office.ask("POST", at, {"issue_id": "../x"}).status == 400
    assert office.ask("POST", at, {"issue_id": "ISS-2"}).status == 404


def test_proposals_are_refused_before_anybody_is_asked(office: Office) -> None:
    loop = office.create()
    at = f"{LOOPS}/{loop}/generate"
    assert [office.ask("POST", at, body).status for body in ({"count": 0}, {"count": 51}, {"tool": ""}, {"n": 1})] == [
        400
    ] * 4
    assert office.ask("POST", f"{LOOPS}/nope/generate", {}).status == 404
