"""What the server says of a fleet as a whole: machines, accounts, users and the queue, as of one moment."""

import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from loopwright.fleet.database import connect
from loopwright.wiring.fleet.marks import FleetMark, set_mark
from tests.fleet.postgres import Server
from tests.server.office import Office, opened_office

FLEET = "/api/fleet"
HOSTILE = "<img src=x onerror=alert(1)> \u202e'; DROP TABLE fleet_loop; --"
ROWS = """
INSERT INTO fleet_account VALUES ('spent', 2, 1, now() + interval '1 hour', 'limit'), ('idle', 1, NULL, NULL, NULL),
    ('past', 1, NULL, now() - interval '1 hour', 'limit'), ('team', 4, NULL, NULL, NULL);
INSERT INTO fleet_worker VALUES ('b-1', 'beta', 2, '1', now(), now() - interval '7 s'),
    ('a-1', 'alpha', 3, '1', now(), now());
"""
RUN = """
INSERT INTO fleet_loop (
    remote, base, author, id, kind, title, account, owner, priority, status, holder, trouble, submitted
) VALUES ('r', 'b', 'a', %s, %s, %s, %s, %s, %s, %s, %s, %s, now() - %s * interval '1 s')
"""


def add(url: str, *runs: tuple[object, ...]) -> None:
    """Each as id, kind, title, account, user, priority, status, holder, trouble, seconds since it was submitted."""
    with connect(url) as connection:
        for run in runs:
            connection.execute(RUN, run)


@pytest.fixture
def office(fleet_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Office]:
    """Two projects that name the same fleet, between two that name none."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folders = [tmp_path / name for name in ("alone", "shop", "bare", "yard")]
    for folder in folders:
        folder.mkdir()
        if folder.name in ("shop", "yard"):
            (folder / "loopwright.toml").write_text(f'[fleet]\nurl = "{fleet_url}"\n')
    set_mark(tmp_path / "yard", "loop-1", FleetMark(remote="r", base="b"))
    set_mark(tmp_path / "shop", "cycle-1", FleetMark(kind="cycle_id", remote="r", base="b"))
    with opened_office(*folders) as opened:
        yield opened


def test_projects_tell_which_name_the_same_fleet(office: Office) -> None:
    told = {project["name"]: project["fleet"] for project in office.ask("GET", "/api/projects").data}
    assert told == {"alone": None, "shop": "shop", "bare": None, "yard": "shop"}
    assert office.ask("GET", FLEET).status == 400, "the first project names none"


def test_machines_accounts_users_and_the_queue(office: Office, fleet_url: str) -> None:
    empty = office.ask("GET", f"{FLEET}?project=yard").data
    assert empty == {"workers": [], "accounts": [], "queue": [], "runs": {}}
    with connect(fleet_url) as connection:
        connection.execute(ROWS)
    add(
        fleet_url,
        ("loop-1", "loop_id", HOSTILE, "team", "ada", 0, "running", "a-1", "", 900),
        ("cycle-1", "cycle_id", "t", "team", "bob", 0, "running", "a-1", "", 800),
        ("loop-2", "loop_id", "t", "team", "ada", 0, "running", "b-1", "", 700),
        ("loop-3", "loop_id", "t", "team", "ada", 0, "resting", "b-1", "", 700),  # held for a command alone
        ("loop-4", "loop_id", "t", "team", "ada", 9, "queued", None, "", 600),
        ("loop-5", "loop_id", "t", "team", "ada", 0, "queued", "a-1", "", 500),  # the same
        ("loop-6", "tuning_id", "t", "team", "bob", 0, "queued", None, "no space left", 510),
        ("loop-7", "loop_id", "t", "spent", "bob", 0, "queued", None, "", 400),
        ("loop-8", "loop_id", "t", "spent", "bob", 0, "finished", None, "", 300),
    )
    told = office.ask("GET", f"{FLEET}?project=shop").data
    assert told["runs"] == {"finished": 1, "queued": 4, "resting": 1, "running": 3}
    machines = {one["host"]: one for one in told["workers"]}
    assert list(machines) == ["alpha", "beta"]
    assert [(run["id"], run["kind"], run["project"]) for run in machines["alpha"]["runs"]] == [
        ("loop-1", "loop", "yard"), ("cycle-1", "cycle", "shop"),
    ]  # fmt: skip
    assert machines["alpha"]["runs"][0]["title"] == HOSTILE
    assert [(run["id"], run["project"]) for run in machines["beta"]["runs"]] == [("loop-2", None)]
    assert [one["running"] for one in told["workers"]] == [2, 1]
    assert machines["beta"]["age"] == pytest.approx(7, abs=4)
    assert (datetime.now(UTC) - datetime.fromisoformat(machines["alpha"]["started"])).total_seconds() < 60
    accounts = {one["name"]: one for one in told["accounts"]}
    assert {name: (one["running"], one["queued"]) for name, one in accounts.items()} == {
        "idle": (0, 0), "past": (0, 0), "spent": (0, 1), "team": (3, 3),
    }  # fmt: skip
    assert accounts["team"]["users"] == [
        {"user": "ada", "running": 2, "queued": 2}, {"user": "bob", "running": 1, "queued": 1},
    ]  # fmt: skip
    assert accounts["idle"]["users"] == []
    assert datetime.fromisoformat(accounts["spent"]["closed_until"]) > datetime.now(UTC)
    assert accounts["spent"]["closed_why"] == "limit"
    assert (accounts["past"]["closed_until"], accounts["past"]["closed_why"]) == (None, None)
    assert [(run["account"], run["before"], run["id"]) for run in told["queue"]] == [
        ("spent", 0, "loop-7"), ("team", 0, "loop-6"), ("team", 1, "loop-5"), ("team", 2, "loop-4"),
    ]  # fmt: skip
    assert told["queue"][1]["trouble"] == "no space left"


def test_a_long_queue_does_not_hide_the_others(office: Office, fleet_url: str) -> None:
    with connect(fleet_url) as connection:
        connection.execute(ROWS)
    waiting = [(f"loop-{n}", "loop_id", "t", "spent", "ada", 0, "queued", None, "", 1000 - n) for n in range(140)]
    add(fleet_url, *waiting, ("loop-last", "loop_id", "t", "team", "ada", 0, "queued", None, "", 0))
    told = office.ask("GET", f"{FLEET}?project=shop").data
    assert [run["id"] for run in told["queue"]] == [*(f"loop-{n}" for n in range(100)), "loop-last"]
    assert told["runs"] == {"queued": 141}


def test_nobody_waits_long_for_a_database_that_stands_still(office: Office, fleet_url: str, postgres: Server) -> None:
    def ask(answers: list[int]) -> None:
        answers.append(office.ask("GET", f"{FLEET}?project=shop").status)

    several: list[int] = []
    postgres.freeze()
    try:
        begun, asking = time.monotonic(), [threading.Thread(target=ask, args=(several,)) for _ in range(3)]
        for thread in asking:
            thread.start()
        assert office.ask("GET", "/api/health").status == 200
        for thread in asking:
            thread.join()
        assert (several, time.monotonic() - begun < 8) == ([503] * 3, True)
    finally:
        postgres.thaw()
    assert office.ask("GET", f"{FLEET}?project=shop").status == 200
