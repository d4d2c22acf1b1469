"""Commands of the command line on a loop that a worker drives: it rests, goes on and ends as if it were here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.real_fleet import RealFleet, open_fleet, until

STEPS = ("sleep 1; echo one >> notes.txt", "sleep 1; echo two >> notes.txt", "sleep 600")


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def test_a_loop_is_paused_changed_resumed_and_stopped_from_afar(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", STEPS)
    fleet.command("submit", "loop-1")
    worker = fleet.machine().start()
    notes = worker.home / "place" / "runs" / "1" / "project" / "notes.txt"
    until(lambda: notes.exists() and "one" in notes.read_text())
    assert fleet.command("pause", "loop-1", "--now")["status"] == "paused"
    until(lambda: fleet.status()["loop-1"]["status"] == "resting")
    assert not list((worker.home / "place" / "runs").glob("*"))
    assert fleet.command("edit", "loop-1", "--title", "Another")["title"] == "Another"
    until(lambda: fleet.status()["loop-1"]["holder"] is None)
    assert fleet.status()["loop-1"]["status"] == "resting"
    fleet.command("rewind", "loop-1", "--to", "1", code=5)
    assert fleet.command("resume", "loop-1")["status"] == "running"
    until(lambda: fleet.status()["loop-1"]["status"] == "running")
    assert fleet.command("stop", "loop-1")["status"] == "failed"
    until(lambda: fleet.status()["loop-1"]["status"] == "finished")
    until(lambda: not list((worker.home / "place" / "runs").glob("*")))
    assert worker.end() == 0
    assert worker.left() == []
