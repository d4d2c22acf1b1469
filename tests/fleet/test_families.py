"""Attempts at one goal in the fleet, each a job of its own: the others end with the first success, whatever dies."""

import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from loopwright.fleet.database import connect
from tests.fleet.real_fleet import RealFleet, open_fleet, until

ENDLESS = "echo mine >> draft.txt; sleep 600"


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


def statuses(fleet: RealFleet) -> list[str]:
    return [run["status"] for _, run in sorted(fleet.status().items())]


def test_a_machine_dies_between_a_success_and_the_end_of_the_others(fleet: RealFleet, tmp_path: Path) -> None:
    go = tmp_path / "go"
    wins = f"while [ ! -e {shlex.quote(str(go))} ]; do sleep 0.1; done; echo won >> notes.txt"
    ids = fleet.make_family([wins], [ENDLESS], [ENDLESS])
    (fleet.project.root / "notes.txt").write_text("begun, and changed\n")
    assert fleet.command("submit", ids[1])["loop_id"] == ids[1]
    fleet.command("submit", ids[0], code=5)
    fleet.command("apply", ids[0], code=5)
    first = fleet.machine(slots=3).start()
    until(lambda: len(list((first.home / "place" / "runs").glob("*/project/draft.txt"))) == 2)
    until(lambda: statuses(fleet) == ["running"] * 3)
    with connect(fleet.url) as database, database.transaction():
        database.execute("LOCK TABLE fleet_signal IN SHARE MODE")  # nobody can be stopped
        go.touch()
        with connect(fleet.url) as other:
            until(lambda: other.execute("SELECT 1 FROM pg_locks WHERE NOT granted").fetchone())
        first.kill()
    with connect(fleet.url) as database:
        assert database.execute("SELECT count(*) FROM fleet_signal").fetchone() == (0,)
        database.execute("UPDATE fleet_worker SET beat = beat - interval '10 s'")
    shown = fleet.answer("show", ids[2])
    assert [(one["status"], one["outcome"]) for one in shown["attempts"]][0] == ("completed", "succeeded")
    assert "they are in the fleet" in fleet.text("show", ids[2])
    second = fleet.machine().start()
    until(lambda: statuses(fleet) == ["finished"] * 3)
    assert second.end() == 0
    fetched = fleet.answer("fetch", ids[2])
    assert [one["outcome"] for one in fetched["attempts"]] == ["succeeded", "stopped", "stopped"]
    assert [one["chosen"] for one in fetched["attempts"]] == [True, False, False]
    assert "another attempt has succeeded" in fetched["attempts"][1]["reason"]
    assert fleet.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split() == ["loopwright/loop-1", "main"]
    assert fleet.git("ls-remote", "origin", "refs/heads/*", "refs/loopwright/*").split()[1::2] == [
        "refs/heads/loopwright/loop-1", "refs/heads/main",
    ]  # fmt: skip
    fleet.command("fetch", ids[0], code=5)
    assert (fleet.project.root / "notes.txt").read_text() == "begun, and changed\n"
    fleet.command("apply", ids[0])
    assert (fleet.project.root / "notes.txt").read_text() == "begun, and changed\nwon\n"
    fleet.command("branch", ids[0])
    fleet.command("delete", ids[1], "--yes")
    assert len(fleet.answer("show", ids[0])["attempts"]) == 2
