"""A cycle on its page: from its start over its plan to its end, extended, compared, and what it asks on the way."""

import re
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.cast import (
    Answer,
    analyses,
    cast,
    cycle_page,
    explores,
    implements,
    judges,
    lane,
    named,
    new_cycle,
    plans,
    said,
    small_project,
    task,
)
from tests.browser.conftest import Visit
from tests.browser.deeds import act, open_tab, standing
from tests.browser.served import Served

TASKS = (task(1, effort="large"), task(2, 1), task(3, 1, effort="medium"), task(4))
FIRST, SECOND = (
    "# Requirements\n\n1. app.txt says good\n",
    "# Requirements\n\n1. app.txt says good\n2. and it is kept\n",
)


def first(release: Path) -> tuple[Answer, ...]:
    """The first task of the plan takes until the file `release` is there."""
    return (
        analyses(FIRST), explores(), plans(*TASKS),
        implements("TASK-001", {"app.txt": "good", "part1.txt": "done"}, waits_for=[str(release)]),
        *(implements(named(number), {f"part{number}.txt": "done"}) for number in (2, 3, 4)), judges(),
    )  # fmt: skip


def second() -> tuple[Answer, ...]:
    return analyses(SECOND), plans(*TASKS, task(5)), implements("TASK-005", {"part5.txt": "kept"}), judges()


def test_a_cycle_from_its_start_to_its_extension(server: Served, visit: Visit) -> None:
    project = small_project(server)
    release = project.parent / "release"
    agent = cast(project, *first(release))
    server.start()
    cycle_id = new_cycle(server, "Make test_app pass", "--auto", "--agent", agent)
    anna, ben = visit(), visit(viewport={"width": 360, "height": 740})
    page = anna.open(cycle_page(cycle_id))
    ben.open("/cycles")
    row = ben.page.get_by_role("listitem").filter(has_text="Make test_app pass")
    expect(row).to_contain_text("Created")
    act(page, "Start")

    developer = lane(page, "Code Developer")
    expect(developer).to_contain_text("implements TASK-001")
    expect(developer).to_contain_text("Working")
    expect(lane(page, "Requirements Analyst")).to_contain_text("wrote down what is required")
    expect(page.get_by_text("You are cd, the Code Developer").first).to_be_visible()
    expect(row).to_contain_text("implements")

    plan = open_tab(page, "Plan")
    nodes = plan.get_by_role("region", name="Graph").get_by_role("listitem")
    expect(nodes).to_have_count(4)
    node = plan.get_by_role("region", name="Graph").get_by_role("button", name=re.compile("^TASK-001"))
    expect(node).to_contain_text("In progress, critical path")
    before = node.bounding_box()
    release.touch()
    expect(node).to_contain_text("Done, critical path")
    assert node.bounding_box() == before, "a status moves nothing"
    nodes.filter(has_text="Part 3").get_by_role("button").click()
    expect(plan.get_by_role("heading", name="TASK-003")).to_be_visible()
    expect(plan.get_by_text("medium · critical path")).to_be_visible()
    expect(standing(page)).to_contain_text("Succeeded")
    expect(row).to_contain_text("1 of 1 test passes")

    cast(project, *first(release), *second())
    act(page, "Extend")
    dialog = page.get_by_role("dialog", name="Extend this cycle")
    dialog.get_by_role("button", name="Extend and run").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Say what to add")
    dialog.get_by_label("What should be added?").fill("Keep it that way")
    dialog.get_by_role("button", name="Extend and run").click()
    expect(dialog).to_be_hidden()
    iterations = open_tab(page, "Iterations")
    expect(iterations.get_by_role("columnheader", name="Iteration 2")).to_contain_text("Keep it that way")
    expect(standing(page)).to_contain_text("Succeeded")
    cells = iterations.get_by_role("row").filter(has_text=re.compile("^ep")).get_by_role("cell")
    expect(cells).to_have_count(2)
    in_every_tab(page)


def in_every_tab(page: Page) -> None:
    """What two iterations left behind."""
    documents = open_tab(page, "Documents")
    documents.get_by_role("link", name="requirements.md").click()
    expect(documents.get_by_text("and it is kept")).to_be_visible()
    documents.get_by_label("Compared with").select_option("1.0.0")
    expect(documents.locator("ins")).to_contain_text("and it is kept")
    expect(documents.locator("del")).to_have_count(0)
    documents.get_by_label("Version", exact=True).select_option("1.0.0")
    expect(documents.get_by_text("app.txt says good")).to_be_visible()
    expect(documents.get_by_text("and it is kept")).to_be_hidden()
    page.reload()
    expect(documents.get_by_label("Version", exact=True)).to_have_value("1.0.0")

    changes = open_tab(page, "Changes")
    changes.get_by_role("link", name="TASK-001").click()
    expect(changes.locator("ins").first).to_contain_text("good")
    expect(changes.get_by_text("part2.txt")).to_be_hidden()
    discoveries = open_tab(page, "Discoveries")
    expect(discoveries.get_by_role("heading", name="Utilities slug")).to_be_visible()
    timeline = open_tab(page, "Timeline")
    expect(timeline.get_by_role("listitem").filter(has_text="TASK-001").first).to_contain_text("implements")
    transcript = open_tab(page, "Transcript")
    transcript.get_by_label("Who").select_option("Code Developer")
    expect(transcript.get_by_text("You are cd, the Code Developer").first).to_be_visible()
    transcript.get_by_label("Who").select_option("Exploration Planner")
    expect(transcript.get_by_text("You are ep, the Exploration Planner").first).to_be_visible()
    expect(transcript.get_by_text("You are cd, the Code Developer")).to_have_count(0)
    feedback = open_tab(page, "Coordination")
    expect(feedback.get_by_text("you → Requirements Analyst")).to_be_visible()
    expect(open_tab(page, "Tests").get_by_text("1 test, 0 failed")).to_be_visible()


def test_a_decision_and_a_blocker_are_settled_on_the_page(server: Served, visit: Visit) -> None:
    project = small_project(server)
    question = "Where shall it be kept? | in memory | on the disk (recommended)"
    blocked = said("cd", "cannot go on", status="failed", blockers=["Nobody knows the password (TASK-002)"])
    agent = cast(
        project, analyses(FIRST, decisions=[question]), explores(), plans(task(1), task(2)),
        implements("TASK-001", hangs=True), implements("TASK-002", text=blocked), implements("TASK-002", hangs=True),
    )  # fmt: skip
    server.start()
    cycle_id = new_cycle(server, "Keep it", "--agent", agent)
    page = visit().open(cycle_page(cycle_id))
    act(page, "Start")
    decision = page.get_by_role("region", name="Decision")
    expect(decision).to_contain_text("Where shall it be kept?")
    expect(standing(page)).to_contain_text("Paused")
    decision.get_by_role("radio", name="on the disk").check()
    decision.get_by_role("button", name="Decide and resume").click()
    expect(decision).to_be_hidden()
    expect(page.get_by_text("1 blocker is open")).to_be_visible()

    coordination = open_tab(page, "Coordination")
    expect(coordination.get_by_text("on the disk · chosen by you")).to_be_visible()
    blocker = coordination.get_by_role("article").filter(has_text="Nobody knows the password")
    blocker.get_by_role("button", name="Resolve").click()
    expect(blocker.get_by_role("alert")).to_contain_text("Say how it was resolved")
    blocker.get_by_label("Resolution").fill("It is in the safe")
    blocker.get_by_role("checkbox").check()
    blocker.get_by_role("button", name="Resolve").click()
    expect(blocker).to_contain_text("Worked around")
    expect(blocker).to_contain_text("It is in the safe")
    act(page, "Stop")
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(standing(page)).to_contain_text("Stopped")
