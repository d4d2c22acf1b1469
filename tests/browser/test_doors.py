"""Who gets in, and what somebody sees who does not."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.served import Served


def test_the_printed_url_lets_in_and_leaves_no_token_behind(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    anna = visit()
    assert anna.page.url == f"{server.origin}/"
    assert anna.page.evaluate("document.cookie") == "", "no script can read it"
    expect(anna.page.get_by_role("heading", level=1)).to_be_visible()
    anna.page.reload()
    expect(anna.page.get_by_role("heading", level=1)).to_be_visible()
