"""The fleet's figures for Prometheus, as a server tells them, also while the database stands still or is gone."""

import http.client
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from loopwright.fleet.database import connect
from tests.browser.served import Served, served
from tests.fleet.postgres import Server

ROWS = """
INSERT INTO fleet_account VALUES ('team', 4, NULL, NULL, NULL), ('spent', 2, 1, now() + interval '1 hour', 'limit'),
    ('past', 1, NULL, now() - interval '1 hour', 'limit'), ('tricky"\\ name', 1, NULL, NULL, NULL);
INSERT INTO fleet_worker VALUES ('a', 'one', 2, '1', now(), now() - interval '3 s'), ('b', 'two', 3, '1', now(), now()),
    ('gone', 'three', 9, '1', now(), now() - interval '40 s');
INSERT INTO fleet_loop (id, kind, title, account, owner, remote, base, author, status, changed, failures) VALUES
    ('1', 'loop_id', 't', 'team', 'ada', 'r', 'b', 'a', 'queued', now() - interval '90 s', 0),
    ('2', 'loop_id', 't', 'team', 'bob', 'r', 'b', 'a', 'queued', now() - interval '9 s', 2),
    ('3', 'loop_id', 't', 'team', 'bob', 'r', 'b', 'a', 'running', now() - interval '900 s', 0),
    ('4', 'loop_id', 't', 'spent', 'bob', 'r', 'b', 'a', 'finished', now() - interval '900 s', 1);
"""


@pytest.fixture
def server(fleet_url: str, tmp_path: Path) -> Iterator[Served]:
    """Of two projects that name the same fleet."""
    with served(tmp_path) as server:
        server.variables["LOOPWRIGHT_FLEET_URL"] = fleet_url
        server.project(name="shop")
        server.project(name="yard")
        server.start()
        yield server


def scrape(server: Served) -> dict[tuple[str, ...], float]:
    """Of the fleet, which is told as that of the first project: (name, account, status) as far as given → value."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {server.token}"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    assert answer.status == 200, text
    samples = [one for family in text_string_to_metric_families(text) for one in family.samples]
    told = [one for one in samples if one.name.startswith("loopwright_fleet_")]
    assert all(one.labels.pop("project") == "shop" for one in told)
    found = {(one.name.removeprefix("loopwright_fleet_"), *one.labels.values()): one.value for one in told}
    assert len(found) == len(told)
    return found


def test_a_fleet_in_figures(server: Served, fleet_url: str) -> None:
    empty = scrape(server)
    assert empty == {("up",): 1, ("workers",): 0, ("slots",): 0}
    with connect(fleet_url) as connection:
        connection.execute(ROWS)
    told = scrape(server)
    assert (told["workers",], told["slots",]) == (2, 5)
    assert told["oldest_beat_seconds",] == pytest.approx(40, abs=5)
    counts = {labels[1:]: n for labels, n in told.items() if labels[0] == "runs" and n}
    assert counts == {("team", "queued"): 2, ("team", "running"): 1, ("spent", "finished"): 1}
    assert told["oldest_queued_seconds", "team"] == pytest.approx(90, abs=5)
    assert told["oldest_queued_seconds", "spent"] == 0
    assert (told["troubled", "team"], told["troubled", "spent"]) == (1, 0)
    closed = {labels[1] for labels, n in told.items() if labels[0] == "account_closed" and n}
    assert closed == {"spent"}
    alerts = (Path(__file__).parents[2] / "examples" / "fleet" / "alerts.yaml").read_text()
    assert set(re.findall(r"loopwright_fleet_(\w+)", alerts)) <= {name for name, *_ in told}
    assert told["account_closed", 'tricky"\\ name'] == 0


def test_nobody_waits_for_a_database_that_does_not_answer(server: Served, postgres: Server) -> None:
    assert scrape(server)["up",] == 1
    postgres.freeze()
    try:
        begun = time.monotonic()
        assert scrape(server) == {("up",): 0}
        assert time.monotonic() - begun < 4
    finally:
        postgres.thaw()
    assert scrape(server)["up",] == 1
    postgres.stop()
    try:
        assert scrape(server) == {("up",): 0}
    finally:
        postgres.start()
    assert scrape(server)["up",] == 1
