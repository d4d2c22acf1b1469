"""Notifications of the real command: set in the project's file, sent by the runner wherever it was started."""

import json
from pathlib import Path

from loopwright.core.config import load_config
from loopwright.core.notices import Notification
from tests.cli.conftest import ROOT, Desk, planned, said
from tests.notify.listener import listening
from tests.waiting import soon

ASKS = {"text": said("DEVELOP", "needs_input", "Which colour?")}


async def test_a_runner_in_the_background_tells_by_both_ways(desk: Desk) -> None:
    async with listening(200) as listener:
        command = "sh -c 'cat >> letters; echo $LOOPWRIGHT_EVENT $LOOPWRIGHT_STATUS >> events'"
        url = listener.url("/very-secret-topic")
        (desk.project / "loopwright.toml").write_text(
            f'notify_command = "{command}"\nnotify_url = "{url}"\nnotify_hosts = ["127.0.0.1"]\n'
        )
        id = desk.create("--agent", desk.script(planned("Paint it"), ASKS, ASKS))
        assert desk.run("start", id).code == 0
        await soon(lambda: len(listener.heard) == 1 and (desk.project / "events").exists())
        assert listener.heard[0] == json.loads((desk.project / "letters").read_text())
        assert (listener.heard[0]["event"], listener.heard[0]["question"]) == ("needs_person", "Which colour?")
        desk.script(*[{"text": said("DEVELOP")}] * 3)
        assert desk.run("answer", id, "blue").code == 0
        assert desk.run("resume", id).code == 0
        await soon(lambda: len(listener.heard) == 2)
    assert listener.heard[1]["event"] == "finished"
    await soon(lambda: (desk.project / "events").read_text() == "needs_person paused\nfinished failed\n")


def test_what_is_set_is_shown_without_its_key(desk: Desk) -> None:
    text = "notify_command = \"curl -H 'Authorization: Bearer abcdefgh12345678' x.org\"\n"
    (desk.project / "loopwright.toml").write_text(text + 'notify_url = "https://ntfy.sh/very-secret-topic"\n')
    for arguments in (["config", "show"], ["config", "show", "--json"]):
        ran = desk.run(*arguments)
        assert (ran.code, ran.err) == (0, "")
        assert "very-secret" not in ran.out
        assert "abcdefgh12345678" not in ran.out
        assert "notify_command" in ran.out


def test_the_documented_settings_are_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "notifications.md").read_text()
    (tmp_path / "loopwright.toml").write_text(page.split("```toml\n")[1].split("```")[0])
    settings = load_config(tmp_path, {}).settings
    assert settings.notify_command[:2] == ("sh", "-c")
    assert settings.notify_command[2] == 'notify-send "loopwright: $LOOPWRIGHT_EVENT" "$LOOPWRIGHT_TEXT"'
    assert settings.notify_url
    assert settings.notify_url.get_secret_value().endswith("&m={{.text}}")
    assert settings.notify_on == ("finished", "needs_person")
    sample = json.loads(page.split("```json\n")[1].split("```")[0])
    assert Notification.model_validate(sample).model_dump(mode="json") == sample


def test_an_address_that_is_none_is_refused_without_being_told(desk: Desk) -> None:
    for wrong in ("ntfy.sh/very-secret-topic", "ftp://x/very-secret-topic", "https:///very-secret-topic"):
        ran = desk.run("list", LOOPWRIGHT_NOTIFY_URL=wrong)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err == "loopwright: environment: notify_url: must be an address like https://example.org/path\n"
    ran = desk.run("list", LOOPWRIGHT_NOTIFY_ON="finished,everything")
    assert ran.code == 2
    assert "notify_on.1: Input should be 'finished', 'needs_person' or 'parked'" in ran.err
