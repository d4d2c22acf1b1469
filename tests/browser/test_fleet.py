"""The fleet's page over a real fleet: what runs where, what waits, and how it was when there is no news."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from loopwright.fleet.database import connect
from tests.browser.conftest import Visit
from tests.browser.deeds import standing
from tests.browser.served import Served, served
from tests.fleet.postgres import Server
from tests.fleet.real_fleet import RealFleet, open_fleet

WAITING = "while [ ! -e ../go ]; do sleep 0.1; done"
PHONE = {"width": 390, "height": 844}
ROWS = """
INSERT INTO fleet_account VALUES ('spent', 2, 1, now() + interval '1 hour', 'the limit is reached');
INSERT INTO fleet_loop (id, kind, title, account, owner, remote, base, author)
SELECT 'other-' || n, 'loop_id', '<b>Other ' || n || '</b>', 'spent', 'bob', 'r', 'b', 'a'
FROM generate_series(1, 30) AS n;
"""


@pytest.fixture
def fleet(fleet_url: str, tmp_path: Path) -> Iterator[RealFleet]:
    with open_fleet(fleet_url, tmp_path) as made:
        yield made


@pytest.fixture
def server(fleet: RealFleet, tmp_path: Path) -> Iterator[Served]:
    """Of the project that submits."""
    with served(tmp_path / "server") as ready:
        ready.folder.mkdir()
        ready.projects.append(fleet.project.root)
        ready.variables |= {name: fleet.environment[name] for name in ("LOOPWRIGHT_FLEET_URL", "XDG_STATE_HOME")}
        yield ready


def test_machines_accounts_and_the_queue(
    fleet: RealFleet, fleet_url: str, server: Served, visit: Visit, postgres: Server
) -> None:
    fleet.command("fleet", "accounts", "default", "--slots", "1")
    for n in (1, 2):
        fleet.make_loop(f"loop-{n}", [WAITING])
        fleet.command("submit", f"loop-{n}")
    with connect(fleet_url) as connection:
        connection.execute(ROWS)
    server.start()
    anna = visit(viewport=PHONE)
    page = anna.page
    page.get_by_role("navigation").get_by_role("link", name="Fleet").click()
    machines = page.get_by_role("region", name="Machines")
    expect(machines).to_contain_text("No machine drives runs")
    queue = page.get_by_role("region", name="Queue")
    expect(queue.get_by_role("row").filter(has_text=re.compile("^1.*Loop loop-1"))).to_be_visible()
    expect(queue).to_contain_text("<b>Other 30</b>")
    expect(queue.get_by_role("link")).to_have_count(2)
    spent = page.get_by_role("region", name="Accounts").get_by_role("listitem").filter(has_text="spent")
    for words in ("Closed until", "the limit is reached", "0 of 2 slots", "30 waiting", "At most 1 slot a user", "bob"):
        expect(spent).to_contain_text(words)

    queue.get_by_role("link", name="Loop loop-2").click()
    expect(page.get_by_text("position 2 in the queue of default")).to_be_visible()
    machine = fleet.machine(slots=3).start("--no-sandbox")
    expect(page.get_by_text("position 1 in the queue of default")).to_be_visible()
    expect(page.get_by_role("button", name="Start")).to_have_count(0)
    anna.open("/fleet")
    expect(machines).to_contain_text("1 of 3 slots")
    expect(machines).to_contain_text(re.compile("Beat [0-9] s ago"))
    expect(queue.get_by_role("link")).to_have_count(1)
    width, room = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= room

    anna.expected.append("status of 503")
    postgres.stop()
    expect(page.get_by_role("status").filter(has_text="No news from the fleet")).to_contain_text("cannot be reached")
    expect(page.get_by_text(re.compile("^[0-9]+ s old$"))).to_be_visible()
    expect(machines.get_by_role("link", name="Loop loop-1")).to_be_visible()
    postgres.start()
    expect(page.get_by_text(re.compile("^Live, "))).to_be_visible()
    expect(page.get_by_text("No news from the fleet")).to_have_count(0)

    machines.get_by_role("link", name="Loop loop-1").click()
    expect(page.get_by_role("link", name=re.compile(r"^[\w.-]+-\d+-[0-9a-f]{6}$"))).to_be_visible()
    expect(standing(page)).to_contain_text("Running")
    next((machine.home / "place" / "runs").glob("*/project")).parent.joinpath("go").touch()
    anna.expected.append("status of 404")
    expect(page.get_by_text("ended in the fleet, not fetched yet")).to_be_visible()
    expect(page.get_by_text("loopwright fetch loop-1")).to_be_visible()
    page.get_by_role("navigation").get_by_role("link", name="Loops").click()
    expect(page.get_by_role("listitem").filter(has_text="Loop loop-1")).to_contain_text("not fetched yet")
    expect(page.get_by_role("listitem").filter(has_text="Loop loop-2")).to_contain_text("account default")


def test_where_no_fleet_is_named_nothing_leads_there(tmp_path: Path, visit: Visit, server: Served) -> None:
    del server.variables["LOOPWRIGHT_FLEET_URL"]
    server.start()
    anna = visit()
    expect(anna.page.get_by_text("No loops yet")).to_be_visible()
    expect(anna.page.get_by_role("link", name="Fleet")).to_have_count(0)
    anna.open("/fleet")
    expect(anna.page.get_by_role("heading", name="No fleet")).to_be_visible()
