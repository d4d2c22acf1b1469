"""kill -9 of the server under 32 writing clients: nothing acknowledged is lost, loops run on, nobody misses an event.

Each client knows what was acknowledged. Half of them count in loops of their own, and create further ones, often at the
same moment; the others add and remove tasks in loops that they share. Meanwhile runners drive loops to their end,
started by the same server.
"""

import http.client
import random
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bench.soaks._asking import Client
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from tests.browser.served import Served, served
from tests.server.listening import Listener
from tests.store.stranger import independent_replay
from tests.waiting import until

API = "/api/loops/v2"
KILLS = 50
CLIENTS = 32
SHARED = 4
TESTS = "import unittest\n\n\nclass Nothing(unittest.TestCase):\n    def test_it(self) -> None:\n        pass\n"


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 fifty kills."""
    kills = max(2, round(KILLS * scale))
    with tempfile.TemporaryDirectory(prefix="loopwright-server-kills-") as folder, served(Path(folder)) as server:
        root = server.project()
        (root / "test_nothing.py").write_text(TESTS)
        server.start()
        return Course(server, root, chance).run(kills)


@dataclass
class Course:
    server: Served
    root: Path
    chance: random.Random
    counts: Counter[str] = field(default_factory=Counter)

    def run(self, kills: int) -> Counter[str]:
        readers = [Listener(self.server.port, self.server.token, "/api/stream").start() for _ in range(2)]
        client = Client(self.server.port, self.server.token)
        shared = [_created(client, f"shared {n}") for n in range(SHARED)]
        readers.append(Listener(client.port, client.token, f"{API}/{shared[0]}/stream?after=0").start())
        writers = [
            Writer(self.server, n, _created(client, f"own {n}") if n % 2 else shared[n // 2 % SHARED], n % 2 == 1)
            for n in range(CLIENTS)
        ]
        driven = [self._driven(client)]
        for one in writers:
            one.thread.start()
        for _ in range(kills):
            time.sleep(self.chance.uniform(0.2, 1.2))
            self.server.kill()
            client.close()
            self.counts["kills"] += 1
            self.server.start()
            if _status(client, driven[-1]) == "completed":
                driven.append(self._driven(client))
        for one in writers:
            one.stop()
        until(lambda: _status(client, driven[-1]) == "completed")
        client.close()
        self._check(writers, driven, readers)
        return self.counts

    def _driven(self, client: Client) -> str:
        """A loop of three bash tasks, begun through the server; each says in a file that it was done."""
        body = {"title": "Small steps", "agent": "bash", "test_command": "python -m unittest"}
        loop_id = str(_insist(client, "POST", API, body)["loop_id"])
        for n in range(3):
            command = f"sleep 0.4; echo {n} >> {loop_id}.txt"
            task = {
                "description": f"step {n}",
                "tool": "bash",
                "mode": "write",
                "prompt_template": "",
                "command": command,
            }
            _insist(client, "POST", f"{API}/{loop_id}/tasks", task)
        _insist(client, "POST", f"{API}/{loop_id}/start")
        return loop_id

    def _check(self, writers: "list[Writer]", driven: list[str], readers: list[Listener]) -> None:
        with FileStore(self.root, LOOPS, SystemClock("Z")) as store:
            assert store.damaged() == {}
            states = {id: store.read(id) for id in store.revs()}
            journals = {id: (self.root / LOOPS.folder / f"{id}.events.ndjson").read_bytes() for id in states}
        for id, state in states.items():
            assert independent_replay(journals[id]) == state.model_dump(mode="json"), (
                f"{id} is not what its journal says"
            )
            assert state.engine.incidents == (), state.engine.incidents
        for one in writers:
            self.counts["acknowledged changes, all kept"] += one.acknowledged
            self.counts["loops created, all kept"] += len(one.made)
            assert one.made <= states.keys(), "a loop that was created is lost"
            one.check(states[one.loop_id].notes, {task.description for task in states[one.loop_id].engine.tasks})
        for id in driven:
            assert (states[id].status, states[id].engine.outcome) == ("completed", "succeeded"), id
            assert (self.root / f"{id}.txt").read_text() == "0\n1\n2\n", "a step was done again, or not at all"
        self.counts["loops driven meanwhile"] = len(driven)
        for reader in readers:
            own = [id for id in states if id in reader.path] or list(states)
            expected = {id: list(range(1, states[id].engine.rev + 1)) for id in own}
            many = sum(map(len, expected.values()))
            until(lambda reader=reader, many=many: len(reader.of("entry")) >= many)  # type: ignore[misc]  # mypy sees no lambda's defaults
            reader.stop()
            assert reader.seqs() == expected, "an event was missed, or came twice"
            assert not reader.of("reset")
            self.counts["events received, none missed"] += many


class Writer:
    """A client that goes on through every kill. `counts`: it counts in a loop of its own, else it adds tasks."""

    def __init__(self, server: Served, number: int, loop_id: str, counts: bool) -> None:
        self._number, self.loop_id, self._counts = number, loop_id, counts
        self._client = Client(server.port, server.token)
        self._stopped = False
        self.acknowledged = 0
        self.made: set[str] = set()
        self._last, self._tried = 0, 0
        self._present: dict[str, str] = {}
        self._unsure: set[str] = set()
        self._problem = ""
        self.thread = threading.Thread(target=self._run, daemon=True)

    def stop(self) -> None:
        self._stopped = True
        self.thread.join(60)
        assert not self.thread.is_alive(), "a client stalls"

    def check(self, notes: str | None, tasks: set[str]) -> None:
        assert not self._problem, self._problem
        if self._counts:
            assert notes is not None
            assert self._last <= int(notes) <= self._tried, (self._last, notes, self._tried)
            return
        own = {task for task in tasks if task.startswith(f"c{self._number}-")}
        assert set(self._present) - self._unsure <= own, "an acknowledged task is lost"
        assert own <= set(self._present) | self._unsure, "a task is there that was removed, or never added"

    def _run(self) -> None:
        while not self._stopped and not self._problem:
            try:
                self._count() if self._counts else self._change_tasks()
            except (OSError, http.client.HTTPException):
                time.sleep(0.02)
        self._client.close()

    def _count(self) -> None:
        self._tried += 1
        if self._done("PUT", f"{API}/{self.loop_id}", {"notes": str(self._tried)}):
            self._last = self._tried
        if self._tried % 10 == 0 and (made := self._done("POST", API, {"title": "One more", "agent": "bash"})):
            self.made.add(made["loop_id"])

    def _change_tasks(self) -> None:
        if len(self._present) > 2:
            name, task_id = next(iter(self._present.items()))
            self._unsure.add(name)
            del self._present[name]
            if self._done("DELETE", f"{API}/tasks/{task_id}?loop_id={self.loop_id}"):
                self._unsure.discard(name)
            return
        self._tried += 1
        name = f"c{self._number}-{self._tried}"
        self._unsure.add(name)
        body = {"description": name, "tool": "bash", "mode": "write", "prompt_template": "", "command": "true"}
        if answer := self._done("POST", f"{API}/{self.loop_id}/tasks", body):
            self._unsure.discard(name)
            self._present[name] = answer["task_id"]

    def _done(self, method: str, path: str, body: object = None) -> dict[str, str]:
        """What an acknowledged change answered with."""
        answer = self._client.ask(method, path, body)
        if answer.status not in (200, 201):
            self._problem = f"{method} {path}: {answer.status} {answer.body}"
            return {}
        self.acknowledged += 1
        return dict(answer.body.get("data") or {"done": "yes"})


def _created(client: Client, title: str) -> str:
    return str(_insist(client, "POST", API, {"title": title, "agent": "bash"})["loop_id"])


def _status(client: Client, loop_id: str) -> str:
    return str(_insist(client, "GET", f"{API}/{loop_id}")["status"])


def _insist(client: Client, method: str, path: str, body: object = None) -> dict[str, object]:
    answer = client.ask(method, path, body)
    assert answer.status in (200, 201), (method, path, answer)
    found: dict[str, object] = answer.data
    return found
