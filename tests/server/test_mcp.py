"""/mcp stands behind the same door, and answers."""

import json

from tests.server.office import TOKEN, Office

CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}  # fmt: skip
HEADERS = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


def test_an_editor_connects(office: Office) -> None:
    said = office.client.post("/mcp", json=CALL, headers={**HEADERS, "authorization": f"Bearer {TOKEN}"})
    assert said.status_code == 200
    lines = [line.removeprefix("data:") for line in said.text.splitlines() if "jsonrpc" in line]
    assert json.loads(lines[0])["result"]["serverInfo"]["name"] == "loopwright"


def test_not_without_the_token(office: Office) -> None:
    assert office.client.post("/mcp", json=CALL, headers=HEADERS).status_code == 401
