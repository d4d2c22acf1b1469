"""What a loop asks of a person is answered on its page: the next step, permissions, questions."""

import re
import sys
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.browser.deeds import act, create, guest, loop_page, new_loop, open_tab, report, standing
from tests.browser.served import ROOT, Served

TESTS = 'from pathlib import Path\n\n\ndef test_app():\n    assert Path("app.txt").read_text() == "good"\n'


def small_project(server: Served) -> Path:
    """One test, that fails until app.txt says good."""
    project = server.project(name="small")
    (project / "app.txt").write_text("bad")
    (project / "test_app.py").write_text(TESTS)
    return project


def choose(page: Page, *names: str) -> None:
    """One after another, each as soon as it is offered."""
    menu = page.get_by_role("region", name="What next?")
    for name in names:
        menu.get_by_role("button", name=name, exact=True).click(timeout=60_000)
        expect(menu.get_by_role("button").first).to_be_hidden()


def test_every_step_is_chosen_to_the_end(server: Served, visit: Visit) -> None:
    server.project("tests/samples/ledger")
    server.start()
    page = visit().page
    create(page, "Make the tests pass", steps="Interactive", start=True)
    menu = page.get_by_role("region", name="What next?")
    expect(menu).to_be_visible()
    expect(menu.get_by_role("button", name="Develop", exact=True)).to_be_disabled()
    choose(page, "Validate", "Debug", "Validate", "Complete")
    expect(standing(page)).to_contain_text("Succeeded")
    expect(menu).to_be_hidden()


def test_a_person_pauses_while_the_menu_is_open(server: Served, visit: Visit) -> None:
    server.project("tests/samples/healthy")
    server.start()
    page = visit().page
    create(page, "Look around", steps="Interactive", start=True)
    menu = page.get_by_role("region", name="What next?")
    expect(menu).to_be_visible()
    act(page, "Pause")
    expect(standing(page)).to_contain_text("Paused")
    expect(menu).to_be_hidden()
    act(page, "Resume")
    expect(menu).to_be_visible()


def test_permission_is_denied_and_then_allowed(server: Served, visit: Visit) -> None:
    project = small_project(server)
    asker = ROOT / "tests" / "asker.py"
    (project / "loopwright.toml").write_text(f'[agents.asker]\ncommand = ["{sys.executable}", "{asker}"]\n')
    server.start()
    loop_id = new_loop(server, "Make test_app pass", "--auto", "--agent", "asker", "--permissions", "ask")
    anna, ben = visit(), visit()
    for one in (anna, ben):
        one.open(loop_page(loop_id))
    act(anna.page, "Start")
    asked = anna.page.get_by_role("region", name="The agent asks for permission")
    expect(asked).to_contain_text("app.txt")
    asked.get_by_role("button", name=re.compile("^Deny")).first.click()
    # The task was not done, so the tests fail and the agent asks again; somebody else lets it.
    elsewhere = ben.page.get_by_role("region", name="The agent asks for permission")
    elsewhere.get_by_role("button", name=re.compile("^Allow")).first.click(timeout=60_000)
    expect(standing(anna.page)).to_contain_text("Succeeded")
    assert (project / "app.txt").read_text() == "good"
    expect(asked).to_be_hidden()
    transcript = open_tab(anna.page, "Transcript")
    expect(transcript).to_contain_text("Refused")
    expect(transcript).to_contain_text("Allowed")


def test_a_question_is_answered_by_one_of_its_options(server: Served, visit: Visit) -> None:
    project = small_project(server)
    question = report("DEVELOP", "needs_input", "Good, or better?") + "- options: good | better\n"
    guest(
        project,
        [("say", report("INIT", tasks=[{"description": "Make app.txt say good"}]))],
        [("say", question)],
        [("say", question)],  # it was told to decide by itself, and asks all the same
        [("edit", str(project / "app.txt"), "good"), ("say", report("DEVELOP"))],
    )
    server.start()
    loop_id = new_loop(server, "Make test_app pass", "--auto", "--agent", "guest")
    page = visit().open(loop_page(loop_id))
    act(page, "Start")
    asked = page.get_by_role("region", name="The loop has a question")
    expect(asked).to_contain_text("Good, or better?")
    asked.get_by_role("button", name="good", exact=True).click()
    expect(standing(page)).to_contain_text("Succeeded")
    expect(asked).to_be_hidden()
