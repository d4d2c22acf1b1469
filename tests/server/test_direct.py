"""The short way answers as FastAPI itself would."""

from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from loopwright.surfaces.server.app import build_routers, create_app
from loopwright.surfaces.server.fast_dispatch import plan_route
from tests.server.office import LOOPS, PLACE, TOKEN, Office, opened_office


def test_every_route_of_the_api_takes_it() -> None:
    for route in (route for room in build_routers() for route in room.routes):
        path = getattr(route, "path", "")
        if path.startswith(("/api/loops", "/api/cycles")):
            assert plan_route(route) is not None, path  # type: ignore[arg-type]  # one that is none fails right here


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    """One for all requests, each of which has a loop of its own."""
    base = tmp_path_factory.mktemp("direct")
    (base / "shop").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(base / "state"))
        with opened_office(base / "shop") as opened:
            yield opened


@pytest.fixture(scope="module")
def usual(office: Office) -> Iterator[TestClient]:
    """The same application without it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("loopwright.surfaces.server.app.FastDispatcher", lambda app, routes: app)
        app = create_app(office.projects, PLACE.rules(TOKEN))
    with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "", None), ("GET", "?limit=1", None), ("GET", "?limit=0", None), ("GET", "?limit=x&offset=y", None),
        ("GET", "?limit=1&limit=2", None), ("GET", "?status=running&search=%20", None), ("GET", "?unknown=1", None),
        ("GET", "?view=", None), ("GET", "/ID", None), ("GET", "/none", None), ("GET", "/a%2Fb", None),
        ("GET", "/", None),
        ("GET", "/ID/", None), ("GET", "/ID?project=shop", None), ("GET", "/ID?project=none", None),
        ("HEAD", "/ID", None),
        ("GET", "/ID/tasks", None), ("GET", "/tasks/none", None), ("GET", "/tasks/", None), ("GET", "/tasks", None),
        ("GET", "/ID/events?after=-1", None), ("GET", "/ID/checkpoints/1/diff", None), ("PATCH", "/ID", None),
        ("GET", "/ID/checkpoints/x/diff", None), ("GET", "/ID/progress/a%2Fb", None), ("GET", "/%C3%A4", None),
        ("GET", "/ID%0A", None), ("GET", "/%00", None), ("POST", "", b""), ("POST", "", b"{}"), ("POST", "", b"{"),
        ("POST", "", b"[]"), ("POST", "", b"null"), ("POST", "", b'{"title": 5}'), ("PUT", "/ID", b'{"tags": [1]}'),
        ("PUT", "/ID", None), ("PUT", "/none", b"{"), ("PUT", "/none", b'{"notes": 1}'), ("POST", "/ID/pause", None),
        ("POST", "/ID/pause", b'{"now": 1}'), ("POST", "/ID/rewind", None),
        ("DELETE", "/none", None), ("OPTIONS", "", None), ("PATCH", "/ID/status", b'{"status": "none"}'),
        ("PUT", "/ID/tasks/reorder", b'{"ordered_task_ids": []}'), ("GET", "/ID/tasks/reorder", None),
    ],
)  # fmt: skip
def test_the_answer_is_the_same(office: Office, usual: TestClient, method: str, path: str, body: bytes | None) -> None:
    loop = office.create()
    address = LOOPS + path.replace("ID", loop)
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "if-match": '"1"',
        **({"content-type": "application/json"} if body else {}),
    }
    answers = [
        client.request(method, address, content=body, headers=headers, follow_redirects=False)
        for client in (usual, office.client)
    ]
    one, other = ((answer.status_code, dict(answer.headers), _timeless(answer.content)) for answer in answers)
    assert one == other


def _timeless(content: bytes) -> bytes:
    at = content.find(b'"timestamp":')
    return content if at < 0 else content[:at] + content[content.find(b",", at) :]
