"""Named tokens: each role may what those before it may, and what nobody thought of needs the last one."""

import json
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from loopwright.core.errors import Conflict, Invalid, NotFound
from loopwright.projects import open_projects
from loopwright.surfaces.server.app import create_app
from loopwright.surfaces.server.tokens import NEEDED, ROLES, AuditLog, NamedTokens, needed_role
from tests.server.office import PLACE, TOKEN

Ask = Callable[[str, str, str], int]
"""The status of a request: whose token, method, path."""


@pytest.fixture
def tokens(tmp_path: Path) -> NamedTokens:
    return NamedTokens(tmp_path / "state")


@pytest.fixture
def ask(shop: Path, tokens: NamedTokens, tmp_path: Path) -> Iterator[Ask]:
    given = {"owner": TOKEN, "nobody": "x" * 40} | {role: tokens.add(role, role) for role in ROLES}
    rules = replace(PLACE.rules(TOKEN), named=tokens, audit=AuditLog(tmp_path / "state"))
    with (
        open_projects([shop], actor="api") as projects,
        TestClient(create_app(projects, rules), base_url="http://127.0.0.1:8765") as client,
    ):

        def asked(who: str, method: str, path: str) -> int:
            headers = {"authorization": f"Bearer {given[who]}"}
            content = None if method == "GET" else b"{}"
            return client.request(
                method, path, content=content, headers={**headers, "content-type": "application/json"}
            ).status_code

        yield asked


LEAST = {
    ("GET", "/api/loops/v2"): "view",
    ("POST", "/api/loops/v2/none/pause"): "steer",
    ("POST", "/api/cycles/none/tell"): "steer",
    ("PATCH", "/api/loops/v2/none/status"): "steer",
    ("POST", "/api/loops/v2/none/approve"): "approve",
    ("POST", "/api/loops/v2/none/answer"): "approve",
    ("POST", "/api/cycles/none/decisions/DEC-1"): "approve",
    ("POST", "/api/loops/v2"): "admin",
    ("POST", "/api/loops/v2/none/tasks"): "admin",
    ("POST", "/api/loops/v2/none/reopen"): "admin",
    ("DELETE", "/api/loops/v2/pause"): "admin",
    ("PUT", "/api/loops/v2/none"): "admin",
    ("POST", "/mcp"): "admin",
}


@pytest.mark.parametrize(("request_", "least"), LEAST.items())
def test_a_role_may_what_it_says_and_no_more(ask: Ask, request_: tuple[str, str], least: str) -> None:
    refused = {role for role in ROLES if ask(role, *request_) == 403}
    assert refused == {role for role in ROLES if ROLES.index(role) < [*ROLES].index(least)}  # type: ignore[arg-type]
    assert ask("owner", *request_) not in (401, 403)
    assert ask("nobody", *request_) == 401


def test_every_route_that_changes_something_is_known_or_needs_the_last_role(ask: Ask) -> None:
    """A pattern that fits no route would be one that guards nothing."""
    surfaces = (Path(__file__).parents[1] / "golden" / "surfaces" / "openapi.txt").read_text()
    routes = re.findall(r"^(POST|PUT|PATCH|DELETE) (\S+?):? ", surfaces, re.MULTILINE)
    assert len(routes) > 40
    by_role = {needed_role(method, path) for method, path in routes}
    assert by_role == {*NEEDED, "admin"}
    words = {path.rpartition("/")[2] for method, path in routes if needed_role(method, path) == "steer"}
    assert words == {"start", "pause", "resume", "stop", "status", "tell"}


def test_a_removed_token_is_refused_at_once(ask: Ask, tokens: NamedTokens) -> None:
    assert ask("view", "GET", "/api/loops/v2") == 200
    tokens.remove("view")
    assert ask("view", "GET", "/api/loops/v2") == 401
    with pytest.raises(NotFound, match="there are: steer, approve, admin"):
        tokens.remove("view")


def test_what_changes_something_is_noted(ask: Ask, tmp_path: Path) -> None:
    ask("steer", "POST", "/api/loops/v2/none/pause")
    ask("view", "POST", "/api/loops/v2/none/pause")
    ask("view", "GET", "/api/loops/v2")
    ask("nobody", "POST", "/api/loops/v2/none/pause")
    log = tmp_path / "state" / "audit.ndjson"
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["who"], line["path"], line["status"]) for line in lines] == [
        ("steer", "/api/loops/v2/none/pause", 404),
        ("view", "/api/loops/v2/none/pause", 403),
    ]
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_file_keeps_no_token_and_is_the_owners_alone(tokens: NamedTokens, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        token = tokens.add("ci", "view")
    finally:
        os.umask(before)
    file = tmp_path / "state" / "tokens.json"
    assert token not in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert tokens.find(token) == ("ci", "view")
    with pytest.raises(Conflict):
        tokens.add("ci", "admin")
    with pytest.raises(Invalid):
        tokens.add("a b", "view")
    file.chmod(0o644)
    assert NamedTokens(tmp_path / "state").find(token) is None
    assert tokens.find(token) is None
    with pytest.raises(Invalid, match="others could"):
        tokens.entries()


def test_a_task_with_a_command_needs_the_last_role(shop: Path, tokens: NamedTokens) -> None:
    given = {role: tokens.add(role, role) for role in ("approve", "admin")}
    rules = replace(PLACE.rules(TOKEN), named=tokens)
    with (
        open_projects([shop], actor="api") as projects,
        TestClient(create_app(projects, rules), base_url="http://127.0.0.1:8765") as client,
    ):
        for role, body, status in (
            ("approve", {"choice": "add", "description": "x", "tool": "bash", "command": "id"}, 403),
            ("approve", {"choice": "develop"}, 404),
            ("admin", {"choice": "add", "description": "x", "tool": "bash", "command": "id"}, 404),
        ):
            answer = client.post(
                "/api/loops/v2/loop-v2-20260122T100000-0123abcd/choose",
                json=body,
                headers={"authorization": f"Bearer {given[role]}"},
            )
            assert answer.status_code == status, answer.text
