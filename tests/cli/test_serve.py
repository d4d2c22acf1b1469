"""`serve` as a process: what it says, what it refuses, and that it comes and goes without disturbing anybody."""

import json
import os
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

import pytest

from tests.cli.conftest import Desk

TOKEN = "a-token-for-tests-only"


def begun(desk: Desk, *more: str) -> tuple["subprocess.Popen[str]", dict[str, object]]:
    """A server, and the line that it begins with."""
    process = desk.begin("serve", "--port", "0", "--token", TOKEN, "--json", *more)
    assert process.stdout is not None
    said = json.loads(process.stdout.readline())
    assert said["success"]
    return process, said["data"]


def ask(url: object, path: str) -> dict[str, object]:
    base = str(url).partition("/?")[0]
    request = urllib.request.Request(base + path, headers={"authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        found: dict[str, object] = json.load(answer)
        return found


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_end(desk: Desk, number: signal.Signals) -> None:
    other = desk.project.parent / "other"
    other.mkdir()
    process, said = begun(desk, "--project", str(desk.project), "--project", str(other))
    assert said["pid"] == process.pid
    assert [project["name"] for project in said["projects"]] == [desk.project.name, "other"]  # type: ignore[attr-defined]  # parsed JSON
    assert ask(said["url"], "/api/health")["success"] is True
    base = str(said["url"]).partition("/?")[0]
    stream = urllib.request.Request(base + "/api/stream", headers={"authorization": f"Bearer {TOKEN}"})
    with urllib.request.urlopen(stream, timeout=30) as open_stream:
        assert open_stream.status == 200
        process.send_signal(number)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, "Traceback" in errors) == (0, False)


def test_a_port_that_is_taken(desk: Desk) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = desk.run("serve", "--port", str(taken.getsockname()[1]))
    assert ran.code == 2
    assert "cannot listen on" in ran.err
    assert "--port names another" in ran.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--project", ".", "--project", "."), 2, "was given twice"),
        (("--project", "missing"), 4, "no such project folder"),
        (("--project", "a-file"), 4, "no such project folder"),
        (("--host", "0.0.0.0"), 2, "set a --token"),
        (("--token", "short"), 2, "--token"),
    ],
)
def test_what_it_refuses(desk: Desk, arguments: tuple[str, ...], code: int, words: str) -> None:
    (desk.project / "a-file").write_text("")
    ran = desk.run("serve", "--port", "0", *arguments)
    assert (ran.code, words in ran.err) == (code, True), ran


def test_its_runners_hold_nothing_of_it_and_outlive_it(desk: Desk) -> None:
    loop = desk.create("--agent", "builtin", "--test-command", "sleep 30")
    assert desk.run("start", loop).code == 0
    process, said = begun(desk)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=30)
    again, said = begun(desk)
    state = ask(said["url"], f"/api/loops/v2/{loop}")["data"]
    assert isinstance(state, dict)
    assert state["status"] == "running"
    port = int(str(said["url"]).rsplit(":", 1)[1].partition("/")[0])
    again.terminate()
    again.communicate(timeout=30)
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        free.bind(("127.0.0.1", port))
    assert desk.run("stop", loop).code == 0
    assert not Path(f"/proc/{again.pid}").exists()
