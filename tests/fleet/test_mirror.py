"""Runs that other machines drive, as they are seen where they were submitted."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.postgres import Server
from tests.fleet.real_fleet import Machine, RealFleet, open_fleet, until
from tests.real_command import COMMAND
from tests.server.office import LOOPS, opened_office

WAITING = ["echo one", "while [ ! -e ../go ]; do sleep 0.1; done; echo two > notes.txt"]


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def let_go(machine: Machine) -> None:
    next((machine.home / "place" / "runs").glob("*/project")).parent.joinpath("go").touch()


def test_the_command_line_shows_it(fleet: RealFleet, postgres: Server) -> None:
    fleet.make_loop("loop-1", WAITING)
    waiting = subprocess.Popen(
        [*COMMAND, "submit", "loop-1", "--wait", "--project", str(fleet.project.root)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=fleet.environment,
    )  # fmt: skip
    until(lambda: "fleet" in fleet.answer("show", "loop-1"))
    assert fleet.answer("show", "loop-1")["fleet"]["status"] == "queued"
    assert "created, fleet: queued" in fleet.text("list")
    machine = fleet.machine().start("--drain", "--no-sandbox")
    until(lambda: fleet.command("show", "loop-1")["current_iteration"] == 1)
    shown = fleet.answer("list")
    assert shown["fleet"]["loop-1"]["status"] == "running"
    assert "fleet       running, on " in fleet.text("show", "loop-1")
    assert "bash works on DEVELOP" in fleet.text("logs", "loop-1")
    postgres.stop()
    away = fleet.text("list")
    assert "what is shown of runs in the fleet is what was here already" in away
    assert "running, fleet: unknown" in away
    postgres.start()
    let_go(machine)
    assert machine.process
    assert machine.process.wait(60) == 0, machine.output
    told, _ = waiting.communicate(timeout=30)
    assert waiting.returncode == 0, told
    for words in ("loop-1 is running, on ", "DEVELOP", "Succeeded", "notes.txt  +1 -1"):
        assert words in told, told
    assert "fleet" not in fleet.answer("show", "loop-1"), "it was fetched"


def test_the_server_shows_it_with_what_it_asks(fleet: RealFleet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOOPWRIGHT_FLEET_URL", fleet.url)
    monkeypatch.setenv("XDG_STATE_HOME", fleet.environment["XDG_STATE_HOME"])
    with opened_office(fleet.project.root) as office:
        fleet.make_loop("loop-1", WAITING, mode="interactive")
        fleet.command("submit", "loop-1")
        at = f"{LOOPS}/loop-1"
        until(lambda: "fleet" in office.ask("GET", at).body)
        queued = office.ask("GET", at)
        assert (queued.body["live"], queued.body["fleet"]["status"]) == (True, "queued")
        machine = fleet.machine().start("--no-sandbox")
        until(lambda: office.ask("GET", f"{at}/menu").data)
        running = office.ask("GET", at)
        assert running.body["fleet"]["status"] == "running"
        assert running.headers["etag"] != queued.headers["etag"]
        assert office.ask("GET", at, if_none_match=running.headers["etag"]).status == 304
        assert office.ask("GET", LOOPS).body["fleet"]["loop-1"] == running.body["fleet"]
        found = office.ask("GET", "/api/fleet").data
        assert (found["runs"], len(found["workers"]), found["accounts"][0]["running"]) == ({"running": 1}, 1, 1)
        transcript = office.ask("GET", f"{at}/progress/transcript.ndjson").data["text"].splitlines()
        assert json.loads(transcript[0])["kind"]
        assert "it waits for a choice" in fleet.text("show", "loop-1")
        assert machine.end() == 0
