"""32 clients of the HTTP API change one loop at the same time: no lost update, no false 404, no stall.

Each adds, edits and removes tasks of its own, and they all count in one field by If-Match, as two people at two pages
would. A stream is open meanwhile.
"""

import random
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bench.soaks._asking import Answer, Client, Json
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS
from tests.browser.served import served
from tests.server.listening import Listener
from tests.store.stranger import independent_replay
from tests.waiting import until

API = "/api/loops/v2"
CLIENTS = 32
ROUNDS = 1000
STALL_SECONDS = 20.0


def run(chance: random.Random, scale: float) -> Mapping[str, int]:
    """At scale 1 a thousand rounds, in each of which every client changes something."""
    rounds = max(10, round(ROUNDS * scale))
    with tempfile.TemporaryDirectory(prefix="loopwright-clients-") as folder, served(Path(folder)) as server:
        root = server.project()
        server.start()
        with Client(server.port, server.token) as client:
            loop_id = str(client.ask("POST", API, {"title": "Shared", "agent": "bash"}).data["loop_id"])
        reader = Listener(server.port, server.token, f"{API}/{loop_id}/stream?after=0").start()
        people = [
            Person(Client(server.port, server.token), loop_id, n, random.Random(chance.random()))
            for n in range(CLIENTS)
        ]
        with ThreadPoolExecutor(CLIENTS) as pool:
            for done in [pool.submit(one.work, rounds) for one in people]:
                done.result()
        with FileStore(root, LOOPS, SystemClock("Z")) as store:
            state = store.read(loop_id)
        journal = (root / LOOPS.folder / f"{loop_id}.events.ndjson").read_bytes()
        assert independent_replay(journal) == state.model_dump(mode="json")
        counted = sum(one.counts["counted by If-Match"] for one in people)
        assert int(state.notes or 0) == counted, "a lost update"
        assert {task.description for task in state.engine.tasks} == {t for one in people for t in one.tasks.values()}
        until(lambda: len(reader.of("entry")) >= state.engine.rev)
        reader.stop()
        assert reader.seqs() == {loop_id: list(range(1, state.engine.rev + 1))}
        counts = sum((one.counts for one in people), Counter[str]())
        counts["milliseconds for a change at worst"] = round(max(one.slowest for one in people) * 1000)
        return counts


@dataclass
class Person:
    """`tasks`: what their own tasks have to say, by id."""

    client: Client
    loop_id: str
    number: int
    chance: random.Random
    tasks: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    def work(self, rounds: int) -> None:
        for n in range(rounds):
            kind = self.chance.choice(["add", "edit", "remove", "count", "list"])
            if kind == "add" and len(self.tasks) < 3:
                body = {"description": f"{self.number} adds {n}", "tool": "bash", "mode": "write", "command": "true"}
                task = self._ask("POST", f"{API}/{self.loop_id}/tasks", {**body, "prompt_template": ""}).data
                self.tasks[task["task_id"]] = task["description"]
            elif kind == "edit" and self.tasks:
                task_id = self.chance.choice([*self.tasks])
                self.tasks[task_id] = f"{self.number} edits {n}"
                body = {"loop_id": self.loop_id, "description": self.tasks[task_id]}
                self._ask("PUT", f"{API}/tasks/{task_id}", body)
            elif kind == "remove" and self.tasks:
                task_id = self.chance.choice([*self.tasks])
                del self.tasks[task_id]
                self._ask("DELETE", f"{API}/tasks/{task_id}?loop_id={self.loop_id}")
            elif kind == "list":
                known = {task["task_id"] for task in self._ask("GET", f"{API}/{self.loop_id}/tasks").data}
                assert self.tasks.keys() <= known, "a task that was acknowledged is not there"
            else:
                self._count()
        self.client.close()

    def _count(self) -> None:
        """Adds one to what it saw, if that is still so."""
        seen = self._ask("GET", f"{API}/{self.loop_id}")
        body = {"notes": str(int(seen.data.get("notes") or 0) + 1)}
        counted = self._ask("PUT", f"{API}/{self.loop_id}", body, if_match=seen.etag).status == 200
        self.counts["counted by If-Match" if counted else "refused with 412"] += 1

    def _ask(self, method: str, path: str, body: Json = None, if_match: str | None = None) -> Answer:
        begun = time.monotonic()
        answer = self.client.ask(method, path, body, if_match)
        self.slowest = max(self.slowest, time.monotonic() - begun)
        assert self.slowest < STALL_SECONDS, "a client stalls"
        assert answer.status in ((200, 201, 412) if if_match else (200, 201)), (method, path, answer)
        self.counts["changes" if method != "GET" else "looks"] += answer.status != 412
        return answer
