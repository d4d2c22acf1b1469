"""Pictures of the dashboard at work, into docs/images: an example project, the builtin agent, a real Chromium."""

import os
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from playwright.sync_api import Page, expect

from tests.browser.chromium import chromium
from tests.browser.deeds import create, loop_page, new_loop, open_tab, settled, standing
from tests.browser.served import ROOT, Served, served
from tests.browser.skill import survey
from tests.browser.visitor import Visitor, visiting

IMAGES = ROOT / "docs" / "images"
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
TASK = "Make the tests pass"
MINUTES = 5 * 60_000.0


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with chromium() as browser, tempfile.TemporaryDirectory() as folder, served(Path(folder)) as server:
        desk = server.project("examples/cinema_desk")
        # As somebody has it who has activated their environment; no picture tells where this one is.
        (desk / "loopwright.toml").write_text('test_command = "python -m pytest"\n')
        server.variables = {"PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])}
        server.start()
        others(server)
        with visiting(browser, server, viewport=WIDE) as anna, visiting(browser, server, viewport=PHONE) as ben:
            create(anna.page, TASK, start=True)
            loop_id = anna.page.url.rpartition("/")[2]
            ben.open(loop_page(loop_id))
            expect(anna.page.get_by_role("tab", name=re.compile("^Causes"))).to_contain_text(
                re.compile(r"\d"), timeout=MINUTES
            )
            shoot(anna.page, "loop-live")
            expect(standing(anna.page)).to_contain_text("Succeeded", timeout=MINUTES)
            shoot(anna.page, "result")
            for tab in ("Timeline", "Changes", "Tests", "Causes"):
                open_tab(anna.page, tab)
                shoot(anna.page, tab.lower())
            shoot(ben.page, "phone")
            anna.open()
            expect(anna.page.get_by_role("list", name="Loops")).to_contain_text("Succeeded")
            shoot(anna.page, "list")
            anna.page.get_by_role("link", name="Prices in two currencies").click()
            open_tab(anna.page, "Tasks")
            shoot(anna.page, "board")
            tuned(anna, survey(desk))


def others(server: Served) -> None:
    """So that the list is no list of one."""
    made = new_loop(server, "Prices in two currencies", "--auto", "--agent", "builtin")
    for words, command in (
        ("Format the code", "true"),
        ("Count lines", "wc -l */*.py"),
        ("Check the links of the read-me file", "true"),
    ):
        server.call("tasks", made, "add", words, "--tool", "bash", "--command", command)
    for words in ("Add a currency to Ticket", "Round once, at the end", "Tests for mixed bookings"):
        server.call("tasks", made, "add", words)
    new_loop(server, "Seats for wheelchairs", "--auto", "--agent", "builtin")


def tuned(anna: Visitor, skill: str) -> None:
    """A skill with much wrong: what was found, the fixes to choose from, and what is left."""
    page = anna.open("/tunings")
    page.get_by_role("button", name="Tune a skill").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Folder of the skill").fill(skill)
    dialog.get_by_role("radio", name="All that it can").check()
    dialog.get_by_label("I choose the fixes").check()
    dialog.get_by_role("button", name="Create and start").click()
    expect(standing(page)).to_contain_text("Waits for your choice")
    open_tab(page, "Findings").get_by_role("link", name=re.compile("takes in all of answers")).first.click()
    expect(page.locator("mark")).to_be_visible()
    shoot(page, "tuning-findings")
    open_tab(page, "Fixes").get_by_role("button", name="All", exact=True).click()
    shoot(page, "tuning-fixes")
    page.get_by_role("button", name=re.compile("^Apply [0-9]+ fixes")).click()
    expect(standing(page)).to_contain_text("Completed")
    for tab in ("Overview", "Graph", "Tokens"):
        open_tab(page, tab)
        shoot(page, f"tuning-{tab.lower()}")


def shoot(page: Page, name: str) -> None:
    """Light and dark."""
    settled(page)
    for colours in ("light", "dark"):
        page.emulate_media(color_scheme=colours, reduced_motion="reduce")
        page.screenshot(path=IMAGES / f"{name}-{colours}.png")


if __name__ == "__main__":
    main()
