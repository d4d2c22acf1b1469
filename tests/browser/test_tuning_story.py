"""A skill is tuned on the page: fixes are chosen, applied and rolled back; in two languages, and as axe sees it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.deeds import act, open_tab, settled, standing
from tests.browser.served import Served, served
from tests.browser.skill import FILES, survey
from tests.browser.test_axe import NARROW, WIDE, Audit, audit, axe
from tests.browser.test_chinese import english
from tests.browser.visitor import visiting

__all__ = ["audit", "axe"]

TABS = ("Overview", "Findings", "Fixes", "Graph", "Tokens", "Report", "History", "Transcript", "Journal")
SMALL = ("Overview", "Findings", "Graph", "Tokens")
"""Looked at on a phone, too."""
HOSTILE = '<img src=x onerror="hacked=1">'


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Path]]:
    """A server with one project, and a skill in it that has much wrong."""
    with served(tmp_path_factory.mktemp("tuning")) as server:
        project = server.project(name="shop")
        survey(project)
        server.start()
        yield server, project


def test_a_skill_is_tuned(browser: Browser, office: tuple[Served, Path]) -> None:
    server, project = office
    review = project / ".claude/skills/survey/phases/02-review.md"
    with visiting(browser, server) as anna:
        anna.expected += ["status of 400", "status of 404"]
        page = anna.open("/tunings")
        expect(page.get_by_text("No tuning sessions yet")).to_be_visible()
        page.keyboard.press("n")
        dialog = page.get_by_role("dialog", name="Tune a skill")
        dialog.get_by_role("button", name="Create", exact=True).click()
        expect(dialog.get_by_text("Say where the skill is.")).to_be_visible()
        dialog.get_by_label("Folder of the skill").fill("nowhere")
        dialog.get_by_role("button", name="Create", exact=True).click()
        expect(dialog.get_by_role("alert")).to_contain_text("nowhere")
        dialog.get_by_label("Folder of the skill").fill(".claude/skills/survey")
        dialog.get_by_label("What goes wrong").fill(HOSTILE)
        dialog.get_by_role("radio", name="What has one right answer").check()
        dialog.get_by_label("I choose the fixes").check()
        dialog.get_by_role("button", name="Create and start").click()

        expect(standing(page)).to_contain_text("Waits for your choice")
        panel = open_tab(page, "Findings")
        panel.get_by_role("link", name=re.compile("AskUserQuestions")).first.click()
        expect(panel.locator("mark")).to_contain_text("AskUserQuestions")
        page.get_by_role("link", name="View", exact=True).click()
        expect(page.get_by_role("checkbox")).to_have_count(3)
        page.get_by_role("button", name="All", exact=True).click()
        page.get_by_role("checkbox", name="Apply FIX-003").press("Space")
        page.get_by_role("button", name="Apply 2 fixes").click()
        expect(standing(page)).to_contain_text("Completed")
        assert "    subagent_type:" in review.read_text()
        expect(page.get_by_role("article", name="Write AskUserQuestion")).to_contain_text("not chosen")
        expect(page.get_by_text("applied and verified")).to_have_count(2)

        panel = open_tab(page, "Findings")
        panel.get_by_role("link", name=re.compile("checks.md")).click()
        expect(panel.locator("mark")).to_contain_text("specs/checks.md")
        open_tab(page, "Fixes")

        window = page.get_by_role("article").filter(has_text="FIX-001")
        expect(window.get_by_role("insertion")).to_contain_text("subagent_type")
        window.get_by_role("button", name="Roll back").click()
        page.get_by_role("dialog").get_by_role("button", name="Roll back").click()
        expect(window).to_contain_text("rolled back")
        expect(window.get_by_role("button", name="Roll back")).to_have_count(0)
        assert review.read_text() == FILES["phases/02-review.md"]

        panel = open_tab(page, "Findings")
        panel.get_by_role("button", name=re.compile("^Agent")).click()
        panel.get_by_role("link", name=re.compile("AskUserQuestions")).first.click()
        found = panel.get_by_role("article", name=re.compile("AskUserQuestions"))
        expect(found.get_by_role("region", name=re.compile("^Source of"))).to_contain_text("AskUserQuestions")
        expect(found.locator("mark")).to_have_count(1)
        expect(found.get_by_role("link", name=re.compile("^FIX-00"))).to_be_visible()
        panel.get_by_role("searchbox").fill("nothing is called this")
        expect(panel.get_by_text("No findings match.")).to_be_visible()
        expect(open_tab(page, "Report").get_by_text("The session ended")).to_be_visible()
        assert page.evaluate("'hacked' in window") is False
        anna.open("/tunings")
        row = page.get_by_role("listitem").filter(has_text="survey")
        expect(row).to_contain_text("Completed")
        expect(row).to_contain_text("of 3 fixes applied")
        row.get_by_role("link").click()
        page.get_by_role("group", name="Actions").get_by_text("More").click()
        act(page, "Delete")
        page.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(page.get_by_text("No tuning sessions yet")).to_be_visible()


def test_every_tab_and_language(browser: Browser, office: tuple[Served, Path], audit: Audit) -> None:
    server, project = office
    place = survey(project, "second")
    with visiting(browser, server, viewport=WIDE) as anna:
        page = anna.open("/tunings")
        page.get_by_role("button", name="Tune a skill").first.click()
        audit.look(anna, "the dialog for a new session")
        dialog = page.get_by_role("dialog")
        dialog.get_by_label("Folder of the skill").fill(place)
        dialog.get_by_role("button", name="Create and start").click()
        expect(standing(page)).to_contain_text("Completed")
        for size, names in ((WIDE, TABS), (NARROW, SMALL)):
            page.set_viewport_size({"width": size["width"], "height": size["height"]})
            for name in names:
                open_tab(page, name)
                settled(page)
                audit.look(anna, f"{name} at {size['width']}")
        page.set_viewport_size({"width": WIDE["width"], "height": WIDE["height"]})
        graph = open_tab(page, "Graph")
        part = graph.get_by_role("button", name=re.compile("02-review"))
        part.press("Enter")
        expect(part).to_have_attribute("aria-pressed", "true")
        graph.get_by_role("complementary").get_by_role("button", name="${runDir}/answers.json").click()
        expect(graph.get_by_role("heading", name="${runDir}/answers.json")).to_be_visible()
        expect(graph.get_by_role("complementary")).to_contain_text("written by")
        expect(graph.get_by_role("button", name=re.compile("^Glob"))).to_have_count(0)
        graph.get_by_role("button", name=re.compile("^Tools")).click()
        expect(graph.get_by_role("button", name=re.compile("^Glob"))).to_have_count(1)
        course = open_tab(page, "Tokens").get_by_role("region", name="What a model has read")
        expect(course.get_by_role("row")).to_have_count(6)
        page.get_by_label("Language").select_option("zh")
        known = {word.lower() for text in FILES.values() for word in re.findall(r"[A-Za-z]{3,}", text)}
        known |= {"second", "claude", "skills", "skill", "tuning", "shop", "survey", "custom"}
        page.get_by_role("tab").nth(TABS.index("History")).click()
        settled(page)
        left = english(page, known | {"sarif", "findings", "report"})
        page.get_by_role("tab").nth(TABS.index("Fixes")).click()
        left |= english(page, known)
        assert not left, left
        page.get_by_role("tab").nth(TABS.index("Fixes")).focus()
        page.keyboard.press("ArrowRight")
        expect(page.get_by_role("tab").nth(TABS.index("Graph"))).to_be_focused()
