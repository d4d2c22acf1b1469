"""Two browsers and a terminal see the same loops at the same time."""

from playwright.sync_api import Route, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import act, create, loop_page, new_loop, open_tab, standing
from tests.browser.served import Served


def test_who_changes_something_is_seen_by_everybody(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    anna, ben = visit(), visit()
    for one in (anna, ben):  # which a stopped loop has a moment later
        one.expected.append("progress/summary.md")
    ben_sees = ben.page.get_by_role("listitem")

    create(anna.page, "Tidy the kitchen")
    expect(ben_sees.filter(has_text="Tidy the kitchen")).to_contain_text("Created")
    loop_id = anna.page.url.rpartition("/")[2]

    server.call("edit", loop_id, "--title", "Tidy the whole kitchen")
    expect(anna.page.get_by_role("heading", level=1)).to_have_text("Tidy the whole kitchen")
    expect(ben_sees.filter(has_text="Tidy the whole kitchen")).to_have_count(1)

    open_tab(anna.page, "Tasks")
    server.call("tasks", loop_id, "add", "Wash up", "--tool", "bash", "--command", "sleep 60")
    expect(anna.page.get_by_role("tabpanel").get_by_text("Wash up")).to_be_visible()
    expect(ben_sees.filter(has_text="Tidy the whole kitchen")).to_contain_text("of 1 task")

    act(anna.page, "Start")
    expect(ben_sees.filter(has_text="Tidy the whole kitchen")).to_contain_text("Running")
    ben.open(loop_page(loop_id))
    expect(standing(ben.page)).to_contain_text("developing")
    server.call("pause", loop_id, "--now")
    for one in (anna, ben):
        expect(standing(one.page)).to_contain_text("Paused")
    act(ben.page, "Resume")
    expect(standing(anna.page)).to_contain_text("Running")
    server.call("stop", loop_id)
    for one in (anna, ben):
        expect(standing(one.page)).to_contain_text("Stopped")


def test_a_loop_of_a_terminal_appears_and_goes(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    anna, ben = visit(), visit()
    loop_id = new_loop(server, "From a terminal", "--auto")
    row = anna.page.get_by_role("listitem").filter(has_text="From a terminal")
    expect(row).to_be_visible()
    ben.open(loop_page(loop_id))
    expect(ben.page.get_by_role("heading", level=1)).to_have_text("From a terminal")
    ben.expected.append("status of 404")  # for what it still asks about when the loop is gone
    server.call("delete", loop_id, "--yes")
    expect(row).to_be_hidden()
    expect(ben.page.get_by_text("This loop was deleted")).to_be_visible()


def test_a_loop_that_goes_before_a_page_listens_to_it(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    anna = visit()
    anna.expected.append("status of 404")
    held: list[Route] = []
    anna.page.route("**/stream?after=*", lambda route: held.append(route))
    loop_id = new_loop(server, "Short of breath", "--auto")
    with anna.page.expect_request("**/stream?after=*"):
        anna.open(loop_page(loop_id))
    expect(anna.page.get_by_role("heading", level=1)).to_have_text("Short of breath")
    server.call("delete", loop_id, "--yes")
    held[0].continue_()
    expect(anna.page.get_by_text("This loop was deleted")).to_be_visible()
