"""The main job as a person in a browser does it, on a project with a real fault, without one reload."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import act, create, open_tab, standing
from tests.browser.served import Served

TASK = "Make the failing tests pass"


@pytest.fixture
def page(server: Served, visit: Visit) -> Page:
    server.project("tests/samples/ledger")
    server.start()
    return visit().page


def test_from_the_dialog_to_green(server: Served, page: Page, visit: Visit) -> None:
    page.evaluate("window.isTheSame = true")
    loads: list[str] = []
    page.on("load", lambda _: loads.append(page.url))

    create(page, TASK)
    expect(standing(page)).to_have_text("Created")
    act(page, "Start")
    expect(standing(page)).to_contain_text("Running")
    expect(page.get_by_role("region", name="Transcript")).to_contain_text("running the tests")

    act(page, "Pause")
    expect(standing(page)).to_contain_text("Paused")
    act(page, "Resume")
    expect(standing(page)).to_contain_text("Running")
    expect(standing(page)).to_contain_text("Succeeded", timeout=120_000)

    panel = open_tab(page, "Changes")
    diff = panel.get_by_role("region", name="Diff of ledger.py")
    expect(diff.get_by_role("insertion").filter(has_text="entry.day > until")).to_be_visible()
    expect(diff.get_by_role("deletion").filter(has_text="entry.day >= until")).to_be_visible()

    panel = open_tab(page, "Tests")
    expect(panel.get_by_role("button", name=re.compile("^Failed"))).to_contain_text("0")
    expect(panel.get_by_role("button", name=re.compile("^Passed"))).to_contain_text("14")
    panel.get_by_text("As a table").first.click()
    runs = panel.get_by_role("table").first.get_by_role("row")
    expect(runs).to_have_count(3)

    page.get_by_role("link", name="Loops").first.click()
    row = page.get_by_role("listitem").filter(has_text=TASK)
    expect(row).to_contain_text("Succeeded")
    expect(row).to_contain_text("14 of 14 tests pass")
    assert page.evaluate("window.isTheSame"), "the page is the one that was opened first"
    assert loads == []
