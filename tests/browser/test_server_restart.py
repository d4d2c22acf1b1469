"""The server is killed while somebody looks: the page says so, comes back by itself, and has missed nothing."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.deeds import loop_page, new_loop, open_tab
from tests.browser.served import Served


def test_what_happened_meanwhile_is_there(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    loop_id = new_loop(server, "Before", "--auto")
    anna, ben = visit(), visit()
    anna.open(loop_page(loop_id))
    journal = open_tab(anna.page, "Journal")
    expect(anna.page.get_by_role("heading", level=1)).to_have_text("Before")
    loads = len(anna.loads), len(ben.loads)
    for one in (anna, ben):
        one.expected += ["ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET"]

    server.kill()
    for one in (anna, ben):
        expect(one.page.get_by_role("status").filter(has_text="Reconnecting")).to_be_visible()
    expect(anna.page.get_by_role("heading", level=1)).to_have_text("Before")
    server.call("edit", loop_id, "--title", "Meanwhile")
    tasks = [add(server, loop_id, f"Task {number}") for number in range(3)]
    other = new_loop(server, "A second one", "--auto")

    server.start()
    expect(anna.page.get_by_role("heading", level=1)).to_have_text("Meanwhile")
    for one in (anna, ben):
        expect(one.page.get_by_role("status").filter(has_text="Reconnecting")).to_be_hidden()
    for task in tasks:
        expect(journal.get_by_text(f"task {task} added")).to_have_count(1)
    rows = ben.page.get_by_role("list", name="Loops").get_by_role("listitem")
    expect(rows).to_have_count(2)
    expect(rows.filter(has_text="Meanwhile")).to_contain_text("3 tasks")

    server.call("edit", other, "--title", "And on it goes")
    expect(rows.first).to_contain_text("And on it goes")
    assert (len(anna.loads), len(ben.loads)) == loads, "nobody had to reload"


def add(server: Served, loop_id: str, words: str) -> str:
    made = server.call("tasks", loop_id, "add", words)["data"]
    assert isinstance(made, dict)
    return str(made["task_id"])
