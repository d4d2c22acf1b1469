"""Many who change things at once over HTTP: each is told its own, and what was told outlives the server."""

import http.client
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.browser.served import Served, served
from tests.server.office import LOOPS, Office
from tests.store.making import files_at

Json = Any  # Any: parsed JSON
CLIENTS, KILL_AFTER = 12, 60


def test_each_is_told_its_own_change(office: Office) -> None:
    new = [office.ask("POST", LOOPS, {"title": f"Loop {n}"}) for n in range(3)]
    ids = [one.data["loop_id"] for one in new]

    def edit(n: int) -> tuple[str, int, str]:
        told = office.ask("PUT", f"{LOOPS}/{ids[n % 3]}", {"notes": f"note {n}"})
        return ids[n % 3], int(told.headers["etag"].strip('"')), told.data["notes"]

    with ThreadPoolExecutor(CLIENTS) as clients:
        told = list(clients.map(edit, range(48)))
    assert [notes for *_, notes in told] == [f"note {n}" for n in range(48)]
    for id in ids:
        assert sorted(rev for one, rev, _ in told if one == id) == list(range(2, 18))
    for one in new:
        assert one.data["engine"]["rev"] == 1


def test_a_change_is_told_as_it_is_read(office: Office) -> None:
    made = office.ask("POST", LOOPS, {"title": "Größe – 2\u2028", "description": "x" * 3000, "max_cost": 0.1})
    path = f"{LOOPS}/{made.data['loop_id']}"
    assert made.data == office.ask("GET", path).data
    edited = office.ask("PUT", path, {"tags": ["a", "b"], "notes": "~/ \\ \"'"})
    assert edited.data == office.ask("GET", path).data


@pytest.mark.parametrize("again", range(2))
def test_what_was_told_outlives_a_kill(tmp_path: Path, again: int) -> None:
    told: dict[str, str] = {}
    count, enough = [0], threading.Event()

    def work(server: Served, client: int) -> None:
        """Creates a loop, edits it, and so on until the server is gone."""
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

        def ask(method: str, path: str, body: Json) -> Json:
            head = {"authorization": f"Bearer {server.token}", "content-type": "application/json"}
            connection.request(method, path, json.dumps(body), head)
            return json.loads(connection.getresponse().read())["data"]

        try:
            while True:
                id = ask("POST", LOOPS, {"title": f"of client {client}"})["loop_id"]
                told[id] = ""
                for n in range(3):
                    told[id] = ask("PUT", f"{LOOPS}/{id}", {"notes": str(n)})["notes"]
                    count[0] += 1
                    if count[0] >= KILL_AFTER * (again + 1):
                        enough.set()
        except (OSError, http.client.HTTPException):
            return

    with served(tmp_path) as server:
        root = server.project()
        server.start()
        clients = [threading.Thread(target=work, args=(server, n)) for n in range(CLIENTS)]
        for one in clients:
            one.start()
        assert enough.wait(60)
        server.kill()
        for one in clients:
            one.join(30)
    with files_at(root) as store:
        for id, notes in told.items():
            assert _number(store.read(id).notes) >= _number(notes), id


def _number(notes: str | None) -> int:
    return int(notes) if notes else -1
