"""The board of a loop's tasks: by hand, by keyboard, from an issue, by an agent, while others change it too."""

from collections.abc import Iterator

import orjson
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import act, guest, loop_page, new_loop
from tests.browser.served import Served, served


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for all, since each test has a loop of its own; its project has an issue."""
    with served(tmp_path_factory.mktemp("board")) as server:
        issue_of(server)
        server.start()
        yield server


def issue_of(server: Served) -> None:
    project = server.project("tests/samples/healthy")
    issues = project / ".workflow" / "issues"
    (issues / "solutions").mkdir(parents=True)
    issue = {"id": "ISS-7", "title": "Knives", "status": "planned", "bound_solution_id": "SOL-1"}
    (issues / "issues.jsonl").write_bytes(orjson.dumps(issue) + b"\n")
    tasks = [{"id": "T1", "title": "Sharpen the knives"}, {"id": "T2", "title": "Put them away", "depends_on": ["T1"]}]
    solution = {"id": "SOL-1", "is_bound": True, "tasks": tasks}
    (issues / "solutions" / "ISS-7.jsonl").write_bytes(orjson.dumps(solution) + b"\n")


@pytest.fixture
def loop_id(server: Served) -> str:
    made = new_loop(server, "Tidy the kitchen", "--auto", "--agent", "builtin")
    for words in ("Wash up", "Dry up", "Sweep"):
        server.call("tasks", made, "add", words)
    return made


@pytest.fixture
def page(visit: Visit, loop_id: str) -> Page:
    anna = visit()
    anna.expected += ["status of 404", "status of 409", "status of 503"]
    return anna.open(loop_page(loop_id, "tasks"))


def pending(page: Page) -> Locator:
    return page.get_by_role("region", name="Pending").get_by_role("listitem")


def expect_order(page: Page, *words: str) -> None:
    expect(pending(page)).to_have_count(len(words))
    for place, word in enumerate(words):
        expect(pending(page).nth(place)).to_contain_text(word)


def test_tasks_are_added_edited_and_removed(page: Page, visit: Visit, loop_id: str) -> None:
    ben = visit().open(loop_page(loop_id, "tasks"))
    page.get_by_role("button", name="Add task").click()
    dialog = page.get_by_role("dialog", name="Add a task")
    dialog.get_by_role("button", name="Add task").click()
    expect(dialog.get_by_role("alert")).to_have_text("Say what to do.")
    dialog.get_by_label("Task", exact=True).fill("Mop")
    dialog.get_by_role("button", name="Add task").click()
    expect(dialog).to_be_hidden()
    for one in (page, ben):
        expect_order(one, "Wash up", "Dry up", "Sweep", "Mop")

    page.get_by_role("button", name="Edit: Dry up").click()
    dialog = page.get_by_role("dialog", name="Edit the task")
    dialog.get_by_label("Task", exact=True).fill("Dry everything")
    dialog.get_by_role("button", name="Save").click()
    for one in (page, ben):
        expect_order(one, "Wash up", "Dry everything", "Sweep", "Mop")

    ben.get_by_role("button", name="Remove: Sweep").click()
    ben.get_by_role("dialog", name="Remove this task?").get_by_role("button", name="Remove").click()
    for one in (page, ben):
        expect_order(one, "Wash up", "Dry everything", "Mop")


def test_the_order_is_changed_with_the_mouse(page: Page, server: Served, loop_id: str) -> None:
    grip = pending(page).filter(has_text="Sweep").get_by_title("Drag")
    grip.scroll_into_view_if_needed()
    held, first = grip.bounding_box(), pending(page).first.bounding_box()
    assert held is not None
    assert first is not None
    page.mouse.move(held["x"] + 3, held["y"] + 3)
    page.mouse.down()
    page.mouse.move(held["x"] + 3, first["y"] + 20, steps=4)
    page.mouse.move(held["x"] + 3, first["y"] - 5, steps=4)
    page.mouse.up()
    expect_order(page, "Sweep", "Wash up", "Dry up")
    shown = server.call("show", loop_id)["data"]
    assert isinstance(shown, dict)
    by_order = sorted(shown["engine"]["tasks"], key=lambda task: int(task["order"]))
    assert [task["description"] for task in by_order] == ["Sweep", "Wash up", "Dry up"]


def test_the_order_is_changed_with_the_keyboard_and_told(page: Page) -> None:
    page.get_by_role("button", name="Move up: Sweep").focus()
    page.keyboard.press("Enter")
    expect_order(page, "Wash up", "Sweep", "Dry up")
    page.keyboard.press("Alt+ArrowUp")
    expect_order(page, "Sweep", "Wash up", "Dry up")
    expect(page.get_by_text("Sweep: now 1 of 3")).to_be_attached()
    expect(page.get_by_role("button", name="Move up: Sweep")).to_be_focused()
    page.keyboard.press("Alt+ArrowUp")
    page.keyboard.press("Alt+ArrowDown")
    expect_order(page, "Wash up", "Sweep", "Dry up")


def test_an_order_that_somebody_else_has_changed(page: Page, server: Served, loop_id: str) -> None:
    """Both changes hold: what moved here, and what is new from there."""
    server.call("tasks", loop_id, "add", "Mop")
    expect_order(page, "Wash up", "Dry up", "Sweep", "Mop")
    page.get_by_role("button", name="Move down: Wash up").click()
    expect_order(page, "Dry up", "Wash up", "Sweep", "Mop")


def test_tasks_come_from_an_issue(server: Served, visit: Visit) -> None:
    (project,) = server.projects
    guest(project)
    loop_id = new_loop(server, "Tidy the kitchen", "--auto", "--agent", "guest")
    anna = visit()
    anna.expected.append("status of 404")
    page = anna.open(loop_page(loop_id, "tasks"))
    page.get_by_role("button", name="Import").click()
    dialog = page.get_by_role("dialog", name="Import tasks from an issue")
    dialog.get_by_label("Issue").fill("ISS-8")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog.get_by_role("alert")).to_contain_text("ISS-7")
    dialog.get_by_label("Issue").fill("ISS-7")
    dialog.get_by_role("button", name="Import").click()
    expect(dialog).to_be_hidden()
    expect_order(page, "Sharpen the knives", "Put them away")


def test_an_agent_that_can_not_propose_is_told(page: Page, visit: Visit) -> None:
    page.get_by_role("button", name="Propose").click()
    dialog = page.get_by_role("dialog", name="Let an agent propose tasks")
    dialog.get_by_role("button", name="Propose").click()
    expect(dialog.get_by_role("alert")).to_contain_text("builtin")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()


def test_a_task_that_is_no_longer_pending_can_not_be_changed(page: Page, server: Served, loop_id: str) -> None:
    """The dialog was opened in time, the change comes too late."""
    page.get_by_role("button", name="Edit: Wash up").click()
    dialog = page.get_by_role("dialog", name="Edit the task")
    dialog.get_by_label("Task", exact=True).fill("Wash up twice")
    server.call("start", loop_id)
    expect(page.get_by_role("region", name="Pending")).not_to_contain_text("Wash up")
    dialog.get_by_role("button", name="Save").click()
    expect(dialog.get_by_role("status").or_(dialog.get_by_role("alert")).first).to_be_visible()


def test_a_loop_without_tasks_says_how_to_begin(visit: Visit, server: Served) -> None:
    page = visit().open(loop_page(new_loop(server, "Nothing planned", "--auto"), "tasks"))
    expect(page.get_by_text("No tasks yet.")).to_be_visible()
    act(page, "Start")
