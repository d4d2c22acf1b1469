"""Figures for Prometheus, read by the parser of Prometheus' own library."""

import http.client
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client import Metric
from prometheus_client.openmetrics.parser import text_string_to_metric_families as open_families
from prometheus_client.parser import text_string_to_metric_families as plain_families

from tests.browser.served import Served, served
from tests.server.listening import Listener
from tests.store.making import files_at, loop, retitle
from tests.waiting import until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("served")) as server:
        with files_at(server.project(name='a "quoted" \\ name')) as store:
            for n in range(3):
                store.create(loop(f"loop-{n}"), actor="cli")
        server.start()
        yield server


def asked(
    server: Served, path: str, *, method: str = "GET", token: str | None = None, accept: str = ""
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    try:
        given = server.token if token is None else token
        connection.request(method, path, headers={"Authorization": f"Bearer {given}", "Accept": accept})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def figures(server: Served) -> dict[str, Metric]:
    status, text = asked(server, "/metrics")
    assert status == 200
    return {family.name: family for family in plain_families(text)}


def value(known: dict[str, Metric], family: str, sample: str = "", **labels: str) -> float:
    """The one sample with these labels, 0 where there is none."""
    found = [
        one.value
        for one in known[family].samples
        if one.name == family + sample and labels.items() <= one.labels.items()
    ]
    assert len(found) <= 1, found
    return found[0] if found else 0.0


def requests(server: Served, **labels: str) -> float:
    return value(figures(server), "loopwright_http_request_seconds", "_count", **labels)


def test_loops_are_counted_by_status(server: Served) -> None:
    known = figures(server)
    (project,) = {one.labels["project"] for one in known["loopwright_loops"].samples}
    assert project == 'a "quoted" \\ name'
    assert value(known, "loopwright_loops", status="created") == 3
    assert value(known, "loopwright_loops", status="completed") == 0
    assert value(known, "loopwright_loops_damaged") == 0


def test_a_damaged_loop_is_counted(server: Served) -> None:
    folder = server.projects[0] / ".workflow" / ".loop"
    (folder / "loop-x.json").write_text("{")
    (folder / "loop-x.events.ndjson").write_text("nothing\n")
    until(lambda: value(figures(server), "loopwright_loops_damaged") == 1)
    for path in folder.glob("loop-x.*"):
        path.unlink()
    until(lambda: value(figures(server), "loopwright_loops_damaged") == 0)


def test_requests_are_counted_by_route_and_status(server: Served) -> None:
    route = "/api/loops/v2/{loop_id}"
    before = [requests(server, route=route, status=status, method="GET") for status in ("200", "404")]
    for n in range(3):
        assert asked(server, f"/api/loops/v2/loop-{n}")[0] == 200
    assert asked(server, "/api/loops/v2/loop-9")[0] == 404
    after = [requests(server, route=route, status=status, method="GET") for status in ("200", "404")]
    assert [b - a for a, b in zip(before, after, strict=True)] == [3, 1]
    known = figures(server)["loopwright_http_request_seconds"]
    buckets = [
        one.value
        for one in known.samples
        if "le" in one.labels and (one.labels["route"], one.labels["status"]) == (route, "200")
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] >= 3


def test_what_people_type_makes_no_rows(server: Served) -> None:
    asked(server, "/metrics")
    before = len(figures(server)["loopwright_http_request_seconds"].samples)
    for n in range(20):
        asked(server, f"/nothing-{n}")
        asked(server, f"/api/nothing-{n}", token="wrong")
        asked(server, "/nothing", method=f"METHOD{n}")
    rows = {
        (one.labels["method"], one.labels["route"])
        for one in figures(server)["loopwright_http_request_seconds"].samples
    }
    assert len(figures(server)["loopwright_http_request_seconds"].samples) - before < 120
    assert not any("nothing" in route or "METHOD" in method for method, route in rows)


def test_streams_and_commits_are_counted(server: Served) -> None:
    assert value(figures(server), "loopwright_streams") == 0
    seen = value(figures(server), "loopwright_commits_seen", "_total")
    reader = Listener(server.port, server.token, "/api/stream").start()
    assert value(figures(server), "loopwright_streams") == 1
    with files_at(server.projects[0]) as store:
        retitle(store, "B", "loop-1")
    until(lambda: len(reader.seen) == 1)
    assert value(figures(server), "loopwright_commits_seen", "_total") == seen + 1
    reader.stop()
    until(lambda: value(figures(server), "loopwright_streams") == 0)


def test_the_process_is_measured(server: Served) -> None:
    known = figures(server)
    assert server.process is not None
    assert value(known, "process_resident_memory_bytes") > 1 << 20
    assert value(known, "process_open_fds") == pytest.approx(
        len(list(Path(f"/proc/{server.process.pid}/fd").iterdir())), abs=5
    )


def test_who_asks_for_openmetrics_gets_it(server: Served) -> None:
    status, text = asked(server, "/metrics", accept="application/openmetrics-text; version=1.0.0")
    assert status == 200
    families = open_families(text)  # type: ignore[no-untyped-call]  # the library says no types here
    assert "loopwright_loops" in {family.name for family in families}


def test_nobody_gets_it_without_the_token(server: Served) -> None:
    assert asked(server, "/metrics", token="x" * 40)[0] == 401
