"""A loop is put back to a checkpoint from its page."""

from playwright.sync_api import expect

from tests.browser.conftest import Visit
from tests.browser.deeds import loop_page, new_loop, standing
from tests.browser.served import Served


def test_files_and_progress_go_back(server: Served, visit: Visit) -> None:
    project = server.project("tests/samples/healthy")
    server.start()
    loop_id = new_loop(server, "Two notes", "--auto", "--agent", "builtin")
    for name in ("first", "second"):
        command = f"echo {name} > {name}.txt"
        server.call("tasks", loop_id, "add", name, "--tool", "bash", "--command", command)
    page = visit().open(loop_page(loop_id, "changes"))
    server.call("start", loop_id)
    expect(standing(page)).to_contain_text("Succeeded")
    checkpoints = page.get_by_role("navigation", name="Checkpoints").get_by_role("link").filter(has_text="DEVELOP")
    expect(checkpoints).to_have_count(2)
    checkpoints.last.click()
    panel = page.get_by_role("tabpanel", name="Changes")
    expect(panel.get_by_role("region", name="Diff of first.txt")).to_be_visible()
    expect(panel.get_by_role("region", name="Diff of second.txt")).to_be_hidden()

    page.get_by_role("button", name="Rewind to here").click()
    dialog = page.get_by_role("dialog", name="Rewind to checkpoint")
    dialog.get_by_role("button", name="Cancel").click()
    expect(dialog).to_be_hidden()
    assert (project / "second.txt").exists()
    page.get_by_role("button", name="Rewind to here").click()
    dialog.get_by_role("button", name="Rewind", exact=True).click()
    expect(dialog).to_be_hidden()
    expect(standing(page)).to_contain_text("Paused")
    assert (project / "first.txt").exists()
    assert not (project / "second.txt").exists()
