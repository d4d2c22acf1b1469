"""How a cycle's pages look: to axe, on a phone, in Chinese, with hostile texts, and where there is nothing to show."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.cast import (
    analyses,
    cast,
    cycle_page,
    explores,
    implements,
    new_cycle,
    plans,
    said,
    small_project,
    task,
)
from tests.browser.deeds import settled, standing
from tests.browser.served import Served, served
from tests.browser.test_axe import NARROW, WIDE, Audit, audit, axe
from tests.browser.test_chinese import english
from tests.browser.test_hostile_texts import HOSTILE, SHORT
from tests.browser.visitor import visiting

__all__ = ["audit", "axe"]

TABS = 11
OURS = (0, 1, 2, 4, 6, 7)
"""Tabs whose words are the page's, not those of the cycle and its documents."""
LONG = "Averylongwordwithoutanyspaceinit" * 6
REQUIREMENTS = f"# Requirements\n\n1. {LONG}\n\n{HOSTILE}\n"
QUESTION = f"Where shall it be kept? {SHORT} | in memory | {LONG}"
TITLE = f"Keep it {SHORT}"


@pytest.fixture(scope="module")
def gallery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    """A server with a cycle that has a large plan, works on its first task, is blocked, and asks for a decision."""
    with served(tmp_path_factory.mktemp("gallery")) as server:
        project = small_project(server)
        stuck = said(
            "cd", status="partial", decisions=[f"{QUESTION} (TASK-001)"],
            blockers=[f"{HOSTILE[:400]} (TASK-002)".replace("\n", " ")],
        )  # fmt: skip
        tasks = [task(n, *({max(1, n - 3), max(1, n // 2)} - {n}), description=f"{n} {LONG}") for n in range(1, 61)]
        agent = cast(
            project, analyses(REQUIREMENTS, f"**wrote** {SHORT}"), explores(), plans(task(100), *tasks),
            implements("TASK-100", hangs=True), implements("TASK-001", text=stuck),
            implements("TASK-001", hangs=True),
        )  # fmt: skip
        server.start()
        cycle_id = new_cycle(server, TITLE, "--title", TITLE, "--agent", agent)
        server.call("cycle", "start", cycle_id)
        yield server, cycle_id


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_and_dialog(
    browser: Browser, gallery: tuple[Served, str], audit: Audit, size: dict[str, int]
) -> None:
    server, cycle_id = gallery
    with visiting(browser, server, viewport=size) as anna:
        page = anna.open("/cycles")
        expect(page.get_by_role("listitem").filter(has_text="Keep it")).to_contain_text("iteration 1 of 5")
        audit.look(anna, "the list")
        page.get_by_role("button", name="New cycle").first.click()
        page.get_by_text("More: budgets, proof and coverage").click()
        audit.look(anna, "the dialog for a new cycle")
        page.keyboard.press("Escape")
        anna.open(cycle_page(cycle_id))
        expect(page.get_by_role("region", name="Decision")).to_be_visible()
        for place in range(TABS):
            tab = page.get_by_role("tab").nth(place)
            tab.click()
            settled(page)
            audit.look(anna, tab.inner_text())
        page.get_by_role("tab", name="Plan").click()
        for look in ("Graph", "List"):
            page.get_by_role("button", name=look, exact=True).click()
            expect(page.locator(".graph li, .plan-list > li")).to_have_count(61)
            audit.look(anna, f"the plan as {look}")
        assert page.evaluate("'hacked' in window") is False
        assert page.locator("main script, main iframe, main img, main form[action], main base").count() == 0


def test_nothing_is_left_in_english(browser: Browser, gallery: tuple[Served, str]) -> None:
    server, cycle_id = gallery
    known = {word.lower() for word in re.findall(r"[A-Za-z]{3,}", f"{TITLE} {HOSTILE} {QUESTION} {REQUIREMENTS}")}
    known |= set(re.findall("[a-z]{3,}", str(server.folder / ".workflow").lower()))
    known |= {
        "small",
        "scripted",
        "task",
        "wrote",
        "cast",
        "json",
        "part",
        "min",
        "dec",
        "blk",
        "planned",
        "vas",
        "png'",
    }
    left: dict[str, set[str]] = {}
    with visiting(browser, server) as anna:
        page = anna.open("/cycles")
        page.get_by_label("Language").select_option("zh")
        expect(page.get_by_role("button", name="新建周期").first).to_be_visible()
        left["the list"] = english(page, known)
        page.keyboard.press("n")
        expect(page.get_by_role("dialog")).to_be_visible()
        left["the dialog"] = english(page, known | {"builtin"})
        page.keyboard.press("Escape")
        anna.open(cycle_page(cycle_id))
        expect(page.get_by_role("tab")).to_have_count(TABS)
        for place in OURS:
            page.get_by_role("tab").nth(place).click()
            settled(page)
            left[page.get_by_role("tab").nth(place).inner_text()] = english(page, known)
    assert not any(left.values()), {name: words for name, words in left.items() if words}


def test_a_plan_is_walked_by_keyboard(browser: Browser, gallery: tuple[Served, str]) -> None:
    server, cycle_id = gallery
    with visiting(browser, server) as anna:
        page = anna.open(cycle_page(cycle_id, "plan"))
        graph = page.get_by_role("region", name="Graph")
        second = graph.get_by_role("button", name=re.compile("^TASK-002"))
        second.focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="TASK-002")).to_be_visible()
        expect(second).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Tab")
        expect(second).not_to_be_focused()
        boxes = [node.bounding_box() for node in graph.get_by_role("listitem").all()]
        corners = [(box["x"], box["y"]) for box in boxes if box]
        assert len(set(corners)) == 61, "no two stand in the same place"


def test_nothing_to_show(browser: Browser, gallery: tuple[Served, str]) -> None:
    server, _ = gallery
    with visiting(browser, server) as anna:
        anna.expected += ["status of 404", "status of 400"]
        for unknown in ("cycle-v1-20260101T000000-aaaaaaaa", "passwd"):
            page = anna.open(cycle_page(unknown))
            expect(page.get_by_text("There is no such cycle")).to_be_visible()
            page.get_by_role("main").get_by_role("link", name="All cycles").click()
            expect(page.get_by_role("heading", level=1, name="Cycles")).to_be_visible()
        page.get_by_role("searchbox").fill("no cycle has this")
        expect(page.get_by_text("Nothing found")).to_be_visible()
        page.get_by_role("button", name="Show all cycles").click()
        expect(page.get_by_role("listitem").filter(has_text="Keep it")).to_be_visible()
        made = new_cycle(server, "Not begun", "--agent", "builtin")
        expect(page.get_by_role("listitem").filter(has_text="Not begun")).to_contain_text("Created")
        page = anna.open(cycle_page(made))
        expect(standing(page)).to_contain_text("Created")
        for tab, words in (("Plan", "No plan yet"), ("Iterations", "No iteration has started yet")):
            page.get_by_role("tab", name=tab).click()
            expect(page.get_by_text(words)).to_be_visible()
        page.get_by_role("group", name="Actions").get_by_text("More").click()
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("dialog", name="Delete this cycle?").get_by_role("button", name="Delete").click()
        expect(page.get_by_role("heading", level=1, name="Cycles")).to_be_visible()
        expect(page.get_by_text("Not begun")).to_have_count(0)
