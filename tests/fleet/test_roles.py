"""examples/fleet/roles.sql: each role can do what its commands do, and nothing of the others'."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from loopwright.fleet.database import Database
from loopwright.fleet.figures import read_figures
from loopwright.fleet.queue import DbosDispatcher
from tests.fleet.postgres import find_program
from tests.fleet.real_fleet import RealFleet, open_fleet, until

ROLES = Path(__file__).parents[2] / "examples" / "fleet" / "roles.sql"
NAMES = ("viewer", "submitter", "worker")


DEEDS = """
viewer: SELECT data FROM fleet_journal
viewer: INSERT INTO fleet_loop SELECT * FROM fleet_loop
viewer: SELECT inputs FROM dbos.workflow_input
viewer: UPDATE fleet_loop SET status = 'finished'
viewer: SELECT dbos.enqueue_workflow('drive', 'account:default')
viewer: DELETE FROM fleet_worker
submitter: UPDATE fleet_loop SET token = token + 1
submitter: UPDATE fleet_loop SET owner = 'ada'
submitter: UPDATE fleet_journal SET data = ''
submitter: DELETE FROM fleet_journal
submitter: DELETE FROM fleet_loop
submitter: INSERT INTO fleet_worker VALUES ('x', 'x', 1, '1')
submitter: UPDATE fleet_account SET slots = 100
submitter: UPDATE dbos.workflow_status SET executor_id = 'x'
worker: DELETE FROM fleet_loop
worker: INSERT INTO fleet_account VALUES ('x', 1)
worker: UPDATE fleet_account SET slots = 100
worker: INSERT INTO fleet_loop SELECT * FROM fleet_loop
worker: DROP TABLE fleet_loop
"""
"""What none of its commands does."""


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    """With a login for each role, which is named after it."""
    with open_fleet(fleet_url, tmp_path) as made:
        psql = [find_program("psql"), fleet_url, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(ROLES)]
        for _ in range(2):
            subprocess.run(psql, check=True)
        with psycopg.connect(fleet_url, autocommit=True) as connection:
            for name in NAMES:
                connection.execute(f"CREATE ROLE {name} LOGIN IN ROLE loopwright_{name}".encode())
        yield made


def become(fleet: RealFleet, name: str) -> None:
    fleet.environment["LOOPWRIGHT_FLEET_URL"] = url_of(fleet, name)


def url_of(fleet: RealFleet, name: str) -> str:
    return fleet.url.replace("//postgres@", f"//{name}@")


def test_each_does_its_work_and_no_other(fleet: RealFleet) -> None:
    fleet.make_loop("loop-1", ["sleep 2", "echo one >> notes.txt"])
    become(fleet, "submitter")
    fleet.command("submit", "loop-1")
    become(fleet, "worker")
    machine = fleet.machine().start()
    become(fleet, "submitter")
    until(lambda: "loop-1 begins" in machine.output)
    assert fleet.command("edit", "loop-1", "--max-iterations", "31")["max_iterations"] == 31
    until(lambda: "loop-1 finished" in machine.output)
    fetched = fleet.command("fetch", "loop-1")
    assert (fetched["status"], fetched["max_iterations"]) == ("completed", 31), machine.output
    assert machine.end() == 0
    with closing(Database(url_of(fleet, "viewer"))) as database:
        looking = DbosDispatcher(database)
        assert looking.status()["runs"] == {"finished": 1}
        assert [row["name"] for row in looking.accounts()] == ["default"]
        assert read_figures(database, 5).runs == [("default", "finished", 1)]
    for name, deed in (line.split(": ", 1) for line in DEEDS.strip().splitlines()):
        with psycopg.connect(url_of(fleet, name)) as connection:
            assert is_refused(connection, deed), f"a {name} may {deed}"


def is_refused(connection: psycopg.Connection, deed: str) -> bool:
    try:
        connection.execute(deed.encode())
    except psycopg.errors.InsufficientPrivilege:
        return True
    return False
