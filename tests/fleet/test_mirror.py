"""Runs that other machines drive, as they are seen where they were submitted."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fleet.real_fleet import RealFleet, open_fleet, until


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def test_a_run_is_seen_while_it_is_driven_elsewhere(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", ["echo one", "while [ ! -e ../go ]; do sleep 0.1; done"])
    fleet.command("submit", "loop-1")
    assert fleet.answer("show", "loop-1")["fleet"]["status"] == "queued"
    machine = fleet.machine().start("--drain")
    until(lambda: fleet.answer("show", "loop-1")["live"] and fleet.command("show", "loop-1")["current_iteration"] > 1)
    print(fleet.text("show", "loop-1"))
    print(fleet.text("list"))
    print(fleet.text("logs", "loop-1"))
    next((machine.home / "place" / "runs").glob("*/project")).parent.joinpath("go").touch()
    assert machine.process
    assert machine.process.wait(60) == 0, machine.output
    print(fleet.text("show", "loop-1"))
    print(fleet.answer("show", "loop-1")["fleet"])
    fleet.command("fetch", "loop-1")
    assert "fleet" not in fleet.answer("show", "loop-1")
