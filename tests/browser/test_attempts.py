"""Several attempts from the page: asked for in the dialog, driven in the background, seen side by side."""

import re
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.served import Served
from tests.workspace.trees import git


def in_repository(project: Path) -> None:
    git(project, "init", "-q", "-b", "trunk")
    for key, value in (("user.name", "Ann"), ("user.email", "ann@localhost")):
        git(project, "config", key, value)
    (project / ".gitignore").write_text(".workflow/\n__pycache__/\n")
    git(project, "add", "-A")
    git(project, "commit", "-q", "-m", "begin")


def test_attempts_are_asked_for_and_one_is_chosen(server: Served, visit: Visit) -> None:
    in_repository(server.project("tests/samples/healthy"))
    server.start()
    anna = visit()
    anna.expected.append("progress/summary.md")
    page = anna.page
    page.get_by_role("button", name="New loop").first.click()
    dialog = page.get_by_role("dialog", name="New loop")
    dialog.get_by_label("What should be done?").fill("Fix the failing tests")
    dialog.get_by_label("Agent", exact=True).select_option("builtin")
    dialog.get_by_text("Several attempts").click()
    dialog.get_by_label("Attempts").select_option("3")
    dialog.get_by_role("checkbox", name=re.compile("^Let every attempt end")).check()
    dialog.get_by_role("button", name="Create and start").click()
    region = page.get_by_role("region", name="Attempts").first
    expect(region).to_contain_text("Attempt 1 was chosen")
    rows = region.get_by_role("row")
    expect(rows).to_have_count(4)
    expect(region.get_by_text("Chosen", exact=True)).to_have_count(1)
    for row in (1, 2, 3):
        expect(rows.nth(row)).to_contain_text("Succeeded")

    rows.nth(2).get_by_role("link").click()
    expect(region.locator("[aria-current]")).to_contain_text("2: builtin")
    anna.open()
    expect(page.get_by_role("listitem").filter(has_text="[3/3] Fix the failing tests")).to_be_visible()
