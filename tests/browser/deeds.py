"""What people do on the page, by the names that they, and screen readers, know things by."""

import re
import sys
from pathlib import Path

import orjson
from playwright.sync_api import Locator, Page, expect

from tests.browser.served import Served

GUEST = Path(__file__).with_name("guest.py")


def create(
    page: Page, task: str, *, agent: str = "builtin", title: str = "", steps: str = "", start: bool = False
) -> None:
    """Through the dialog; returns on the loop's own page."""
    page.get_by_role("button", name="New loop").first.click()
    dialog = page.get_by_role("dialog", name="New loop")
    dialog.get_by_label("What should be done?").fill(task)
    dialog.get_by_label("Title").fill(title)
    dialog.get_by_label("Agent", exact=True).select_option(agent)
    if steps:
        dialog.get_by_role("radio", name=re.compile(f"^{steps}")).check()
    dialog.get_by_role("button", name="Create and start" if start else "Create", exact=True).click()
    expect(page.get_by_role("heading", level=1, name=title or task)).to_be_visible()


def open_tab(page: Page, name: str) -> Locator:
    """Its panel."""
    page.get_by_role("tab", name=re.compile(f"^{name}")).click()
    return page.get_by_role("tabpanel", name=re.compile(f"^{name}"))


def settled(page: Page) -> None:
    """Nothing is loading any more."""
    expect(page.get_by_text(re.compile("^(Loading|正在加载).*…$"))).to_have_count(0)


def standing(page: Page) -> Locator:
    """How the loop of this page stands."""
    return page.get_by_role("definition").first


def act(page: Page, deed: str) -> None:
    page.get_by_role("group", name="Actions").get_by_role("button", name=deed, exact=True).click()


def new_loop(server: Served, task: str, *words: str, project: Path | None = None) -> str:
    """From a terminal; its id."""
    made = server.call("create", task, *words, project=project)["data"]
    assert isinstance(made, dict)
    return str(made["loop_id"])


def loop_page(loop_id: str, tab: str = "") -> str:
    return f"/loops/{loop_id}{f'/{tab}' if tab else ''}"


def guest(project: Path, *turns: list[tuple[object, ...]]) -> None:
    """An agent called guest in this project, that plays these turns."""
    script = project.parent / f"{project.name}-guest" / "turns.json"
    script.parent.mkdir()
    script.write_bytes(orjson.dumps(turns))
    words = ", ".join(f'"{word}"' for word in (sys.executable, str(GUEST), str(script)))
    (project / "loopwright.toml").write_text(f'[agents.guest]\ncommand = [{words}]\nfolders = ["{script.parent}"]\n')


def report(action: str, status: str = "success", message: str = "done", **updates: object) -> str:
    """An agent's report in words."""
    told = orjson.dumps(updates).decode()
    return f"ACTION_RESULT:\n- action: {action}\n- status: {status}\n- message: {message}\n- state_updates: {told}\n"
