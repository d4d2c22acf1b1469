"""What the page shows when there is nothing to show: empty, loading, refused, broken, away."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import loop_page, new_loop, open_tab
from tests.browser.served import Served, served

LIST = "**/api/loops/v2?*"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One for all: whoever makes a loop deletes it."""
    with served(tmp_path_factory.mktemp("states")) as server:
        server.project("tests/samples/healthy")
        server.start()
        yield server


@pytest.fixture
def loop_id(server: Served) -> Iterator[str]:
    made = new_loop(server, "Fragile", "--auto")
    yield made
    server.call("delete", made, "--yes")


def test_an_empty_list_says_how_to_begin(visit: Visit) -> None:
    page = visit().page
    expect(page.get_by_text("No loops yet")).to_be_visible()
    page.get_by_role("main").get_by_role("button", name="New loop").last.click()
    expect(page.get_by_role("dialog", name="New loop")).to_be_visible()


def test_while_it_loads(visit: Visit) -> None:
    anna = visit()
    expect(anna.page.get_by_text("No loops yet")).to_be_visible()  # its own question is answered
    waiting: list[Route] = []
    anna.page.route(LIST, lambda route: waiting.append(route))
    anna.page.reload()
    expect(anna.page.get_by_text("Loading the loops")).to_be_attached()
    expect(anna.page.get_by_text("No loops yet")).to_be_hidden()
    for route in waiting:
        route.continue_()
    expect(anna.page.get_by_text("No loops yet")).to_be_visible()


@pytest.mark.parametrize("status", [500, 503])
def test_an_error_is_told_and_can_be_tried_again(visit: Visit, status: int) -> None:
    anna = visit()
    anna.expected.append(f"status of {status}")
    words = '{"success": false, "error": "the disk is full"}'
    anna.page.route(LIST, lambda route: route.fulfill(status=status, content_type="application/json", body=words))
    anna.page.reload()
    expect(anna.page.get_by_role("alert")).to_contain_text("the disk is full")
    anna.page.unroute(LIST)
    anna.page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(anna.page.get_by_text("No loops yet")).to_be_visible()
    expect(anna.page.get_by_role("alert")).to_be_hidden()


def test_an_answer_that_is_no_json_is_an_error_too(visit: Visit) -> None:
    anna = visit()
    anna.expected.append("status of 502")
    anna.page.route(LIST, lambda route: route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway"))
    anna.page.reload()
    expect(anna.page.get_by_role("alert")).to_be_visible()


def test_who_has_no_token_is_told_how_to_get_in(visit: Visit) -> None:
    """Also when it stops to be valid while the page is open."""
    anna = visit()
    anna.expected.append("status of 401")
    anna.page.context.clear_cookies()
    anna.page.reload()
    expect(anna.page.get_by_text("loopwright serve").first).to_be_visible()


def test_a_place_is_kept_over_a_reload(loop_id: str, visit: Visit) -> None:
    page: Page = visit().open(loop_page(loop_id))
    open_tab(page, "Journal")
    page.reload()
    expect(page.get_by_role("tab", name="Journal")).to_have_attribute("aria-selected", "true")
    page.go_back()
    expect(page.get_by_role("tab", name="Overview")).to_have_attribute("aria-selected", "true")


def test_an_unknown_loop_and_an_unknown_page(visit: Visit) -> None:
    anna = visit()
    anna.expected += ["status of 404", "status of 400"]
    for place in (loop_page("loop-v2-20260101T000000-aaaaaaaa"), loop_page("../../etc/passwd"), "/nothing/here"):
        anna.open(place)
        expect(anna.page.get_by_text("There is no such")).to_be_visible()
        anna.page.get_by_role("main").get_by_role("link", name="All loops").click()
        expect(anna.page.get_by_role("heading", level=1, name="Loops")).to_be_visible()


def test_a_damaged_loop_is_recovered_from_its_page(server: Served, loop_id: str, visit: Visit) -> None:
    server.call("edit", loop_id, "--title", "Fragile still")
    folder = server.projects[0] / ".workflow" / ".loop"
    (folder / f"{loop_id}.json").write_bytes(b"{")
    first, second = (folder / f"{loop_id}.events.ndjson").read_bytes().splitlines(keepends=True)
    (folder / f"{loop_id}.events.ndjson").write_bytes(first + second[:99] + b"?" + second[100:] + second)
    anna = visit()
    anna.expected.append("status of 503")
    page = anna.open(loop_page(loop_id))
    expect(page.get_by_text("state is damaged")).to_be_visible()
    page.get_by_role("button", name="Recover").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Fragile")
    expect(page.get_by_text("state is damaged")).to_be_hidden()


def test_the_line_is_lost_and_found(visit: Visit) -> None:
    anna = visit()
    anna.expected.append("ERR_INTERNET_DISCONNECTED")
    expect(anna.page.get_by_text("No loops yet")).to_be_visible()
    anna.page.context.set_offline(True)
    anna.page.get_by_role("searchbox").fill("anything")
    expect(anna.page.get_by_text("The server is not responding")).to_be_visible()
    anna.page.context.set_offline(False)
    anna.page.get_by_role("button", name="Try again").click()
    expect(anna.page.get_by_text("Nothing found")).to_be_visible()
