"""axe finds nothing serious on any page or dialog, in light and dark; on a phone nothing scrolls sideways."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import create, guest, loop_page, new_loop, report, settled, standing
from tests.browser.served import Served, served
from tests.browser.visitor import Visitor, visiting
from tests.javascript import Unavailable, packages

HERE = Path(__file__).parent
TABS = ("Overview", "Timeline", "Tasks", "Changes", "Tests", "Causes", "Transcript", "Journal", "Files")
COLOURS: tuple[Literal["light", "dark"], ...] = ("light", "dark")
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 740}


@pytest.fixture(scope="module")
def axe() -> str:
    """The source of axe-core."""
    try:
        return (packages(HERE / "axe", "axe") / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
    except Unavailable as why:
        pytest.skip(str(why))


@dataclass
class Audit:
    """What is wrong with all that was looked at; `axe` is its source."""

    axe: str
    problems: list[str] = field(default_factory=list)

    def look(self, visitor: Visitor, name: str) -> None:
        """At what is on the screen now, called `name` in what is told."""
        page = visitor.page
        if not page.evaluate("'axe' in window"):
            page.evaluate(self.axe)  # by the debugging protocol, which no policy of the page stops
        for colours in COLOURS:
            page.emulate_media(color_scheme=colours, reduced_motion="reduce")
            page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
            found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
            self.problems += [
                f"{name}, {colours}: {one['id']} ({one['impact']}): {node['html'][:160]}: {node['failureSummary']}"
                for one in found["violations"]
                if one["impact"] in ("serious", "critical")
                for node in one["nodes"][:4]
            ]
        width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        if width > room:
            self.problems.append(f"{name} is {width} pixels wide, and the screen {room}")


@pytest.fixture
def audit(axe: str) -> Iterator[Audit]:
    audit = Audit(axe)
    yield audit
    assert not audit.problems, "\n".join(audit.problems)


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, list[str]]]:
    """A server, and one loop that is over, one with tasks to come and texts that are too long, one that asks."""
    with served(tmp_path_factory.mktemp("axe")) as server:
        yield server, loops(server)


def loops(server: Served) -> list[str]:
    project = server.project("tests/samples/ledger")
    question = report("DEVELOP", "needs_input", "Which colour shall the shed have?") + "- options: red | blue\n"
    guest(
        project,
        [("say", report("INIT", tasks=[{"description": "Paint it"}]))],
        [("say", question)],
        [("say", question)],
    )
    server.start()
    done = new_loop(server, "Make the tests pass", "--auto", "--agent", "builtin")
    server.call("start", done)
    long = "Averylongwordwithoutanyspaceinit" * 6
    planned = new_loop(server, f"{long} and then some more of it", "--auto", "--agent", "builtin")
    for words in ("Wash up", long, "Sweep"):
        server.call("tasks", planned, "add", words)
    asking = new_loop(server, "Paint the shed", "--auto", "--agent", "guest")
    server.call("start", asking)
    return [done, planned, asking]


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_and_dialog(
    browser: Browser, office: tuple[Served, list[str]], audit: Audit, size: dict[str, int]
) -> None:
    server, loops = office
    with visiting(browser, server, viewport=size) as anna:
        look_everywhere(anna, loops, audit)


def look_everywhere(anna: Visitor, loops: list[str], audit: Audit) -> None:
    page = anna.page
    done, planned, asking = loops
    row = page.get_by_role("listitem").filter(has_text="Make the tests pass")
    expect(row).to_contain_text("Succeeded")
    audit.look(anna, "the list")
    page.get_by_role("button", name="New loop").first.click()
    page.get_by_text("More: budgets, proof and coverage").click()
    audit.look(anna, "the dialog for a new loop")
    page.get_by_role("button", name="Create", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    audit.look(anna, "its errors")
    page.keyboard.press("Escape")
    page.get_by_role("searchbox").fill("no loop has this")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    audit.look(anna, "nothing found")

    anna.open(loop_page(done))
    expect(standing(page)).to_contain_text("Succeeded")
    for tab in TABS:
        page.get_by_role("tab", name=re.compile(f"^{tab}")).click()
        expect(page.get_by_role("tabpanel", name=re.compile(f"^{tab}"))).to_be_visible()
        settled(page)
        audit.look(anna, tab)
    anna.open(loop_page(done, "changes-1"))
    page.get_by_role("button", name="Rewind to here").click()
    audit.look(anna, "the dialog for a rewind")
    page.keyboard.press("Escape")

    anna.open(loop_page(planned, "tasks"))
    for opener in ("Add task", "Import", "Propose", "Edit: Sweep", "Remove: Sweep"):
        page.get_by_role("button", name=opener).click()
        expect(page.get_by_role("dialog")).to_be_visible()
        audit.look(anna, f"the dialog behind {opener}")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    audit.look(anna, "a board with long words")

    anna.open(loop_page(asking))
    expect(page.get_by_role("region", name="The loop has a question")).to_be_visible()
    audit.look(anna, "a question")
    anna.expected.append("404")
    anna.open(loop_page("loop-v2-20260101T000000-aaaaaaaa"))
    expect(page.get_by_text("There is no such loop")).to_be_visible()
    audit.look(anna, "an unknown loop")


def test_the_menu(server: Served, visit: Visit, audit: Audit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    anna = visit(viewport=NARROW)
    audit.look(anna, "the empty list")
    create(anna.page, "Look around", steps="Interactive", start=True)
    expect(anna.page.get_by_role("region", name="What next?")).to_be_visible()
    audit.look(anna, "the menu")
