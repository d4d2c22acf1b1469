"""What the HTTP API costs: `loopwright serve` itself, beside the same server without a store, and the disk alone.

    python bench/server.py [--json] [--folder DIR] [--seconds S] [--changes] [--upstream DIR]

Server and client have a CPU each. Authentication, validation, an open stream of events and durability are on: it is
the command that people type. The floor is an application that answers at once, with as many bytes, behind the same
gate; what changes something also has a synced floor, which first appends the body to one file, with one sync for all
that wait. All are measured in turns with the server.

`--upstream` is a checkout of github.com/catlog22/Claude-Code-Workflow, built by `npm install --workspaces=false
--ignore-scripts && npx tsc -p ccw/tsconfig.json`: the server whose routes ours are named after. It never syncs, and
stores a tenth of the bytes.
"""

import argparse
import asyncio
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.http_load import Load, load, request
from bench.store import STEPPED, loop, step
from loopwright.store.files import FileStore
from loopwright.wiring import SystemClock
from loopwright.wiring.stores import LOOPS

TOKEN = "a-token-of-the-benchmark"
MANY, FEW = 10_000, 100
CLIENTS = 32
API = "/api/loops/v2"
CPUS = sorted(os.sched_getaffinity(0))
SERVER, CLIENT = CPUS[0], CPUS[-1]
ROUNDS = 3
GOALS = {
    "get, 32": {"x_upstream": 4.0},
    "patch, 32": {"x_upstream": 1.5, "x_synced": 0.5},
    "create, 32": {"x_upstream": 1.5, "x_synced": 0.5},
}
"""At least."""
LIMITS = {"list, 10,000 / 100": 1.5, "list, busy, 10,000 / 100": 1.5}

UPSTREAM = """
import("./ccw/dist/core/server.js")
    .then((made) => made.startServer({ port: Number(process.argv[1]), initialPath: process.argv[2] }))
    .then(() => console.log("ready"));
"""

Address = tuple[str, int]
Asked = Callable[[int, int], bytes]
Figures = dict[str, float]


@contextmanager
def process(argv: list[str], cpu: int, **more: str) -> Iterator[tuple["subprocess.Popen[str]", float]]:
    """A program of ours on one CPU, with the time at which it was started; ended at the end."""
    begun = time.perf_counter()
    running = subprocess.Popen(
        ["taskset", "-c", str(cpu), sys.executable, *argv],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, **more},
    )
    try:
        yield running, begun
    finally:
        running.terminate()
        running.wait()


@contextmanager
def served(project: Path, state: Path) -> Iterator[tuple[Address, int, float]]:
    """Address and process id of `loopwright serve`, and its seconds from the start to the first answer."""
    argv = ["-m", "loopwright", "serve", "--port", "0", "--token", TOKEN, "--project", str(project)]
    with process(argv, SERVER, XDG_STATE_HOME=str(state)) as (running, begun):
        assert running.stdout is not None
        said = running.stdout.readline()
        address = ("127.0.0.1", int(re.search(r":(\d+)/", said)[1]))  # type: ignore[index]  # fails where it failed
        load(address, 1, 0, lambda client, n: request("GET", API, address, TOKEN))
        yield address, running.pid, time.perf_counter() - begun


class Peer(NamedTuple):
    """A server that is measured beside ours: `asked` is what its clients send."""

    address: Address
    pid: int
    asked: Asked


@contextmanager
def floor(size: int, method: str, synced: Path | None = None) -> Iterator[Peer]:
    argv = [__file__, "--floor", str(size), *(["--synced", str(synced)] if synced else [])]
    with process(argv, SERVER) as (one, _):
        assert one.stdout is not None
        address = "127.0.0.1", int(one.stdout.readline())
        bare = request(method, "/", address, TOKEN, b"" if method == "GET" else b'{"notes": "%s"}' % (b"x" * 300))
        yield Peer(address, one.pid, lambda client, n: bare)


@contextmanager
def upstream(checkout: Path, folder: Path) -> Iterator[dict[str, Peer]]:
    """The other server, with a project and a home of its own, and each of its requests."""
    folder.mkdir(exist_ok=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = free.getsockname()
    running = subprocess.Popen(
        ["taskset", "-c", str(SERVER), "node", "-e", UPSTREAM, str(address[1]), str(folder)],
        cwd=checkout, env={**os.environ, "HOME": str(folder)}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert running.stdout is not None
        while running.stdout.readline().strip() != "ready":
            pass
        reader = subprocess.Popen(["cat"], stdin=running.stdout.fileno(), stdout=subprocess.DEVNULL)
        with urllib.request.urlopen(f"http://127.0.0.1:{address[1]}/api/auth/token") as answer:
            token = json.load(answer)["token"]
        creating = asking(address, [], token)["create"]
        made = (load(address, 1, 0, creating).last for _ in range(CLIENTS))
        ids = [re.search(rb'"loop_id":"([^"]+)"', one)[1].decode() for one in made]  # type: ignore[index]  # as above
        yield {name: Peer(address, running.pid, asked) for name, asked in asking(address, ids, token).items()}
    finally:
        running.terminate()
        running.wait()
        reader.wait()


@contextmanager
def listener(address: Address) -> Iterator[None]:
    """Somebody who watches everything meanwhile."""
    with socket.create_connection(address) as watching:
        watching.sendall(request("GET", "/api/stream", address, TOKEN))
        first = watching.recv(1 << 16)
        if not first.startswith(b"HTTP/1.1 200"):
            raise AssertionError(f"no stream: {first[:200]!r}")
        reader = subprocess.Popen(["cat"], stdin=watching.fileno(), stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            reader.terminate()
            reader.wait()


def asking(address: Address, ids: list[str], token: str = TOKEN) -> dict[str, Asked]:
    """What is measured: every client works at a loop of its own."""
    ask = partial(request, address=address, token=token)
    new = {"title": "A loop to be measured", "description": "Make it fast. " * 20}
    body = json.dumps(new).encode()
    create = ask("POST", API, body=body)
    gets = [ask("GET", f"{API}/{id}") for id in ids]
    edits = [
        [ask("PUT", f"{API}/{id}", body=json.dumps({"notes": f"note {n}"}).encode()) for n in range(2)] for id in ids
    ]
    return {
        "get": lambda client, n: gets[client],
        "patch": lambda client, n: edits[client][n % 2],
        "create": lambda client, n: create,
    }


def rates(
    address: Address, pid: int, ids: list[str], seconds: float, folder: Path, checkout: Path | None
) -> dict[str, Figures]:
    """Each request at 1 and at 32 clients, in turns with its floors and the upstream server."""
    figures = {}
    with ExitStack() as outer:
        others = outer.enter_context(upstream(checkout, folder / "upstream")) if checkout else {}
        for name, asked in asking(address, ids).items():
            with ExitStack() as stack:
                size = len(load(address, 1, 0.05, asked).last)
                peers = {"": Peer(address, pid, asked)}
                peers["floor"] = stack.enter_context(floor(size, "GET" if name == "get" else "POST"))
                if name != "get":
                    peers["synced"] = stack.enter_context(floor(size, "POST", folder / "synced"))
                if others:
                    peers["upstream"] = others[name]
                for clients in (1, CLIENTS):
                    figures[f"{name}, {clients}"] = compared(peers, clients, seconds)
    return figures


def compared(peers: dict[str, Peer], clients: int, seconds: float) -> Figures:
    """Medians of rounds in turns.

    `ratio`: the floor's rate in rates of ours; `x_PEER`: our rate in rates of that one; `cpu_x_PEER`: its CPU time for
    a request in times of ours.
    """
    rounds: dict[str, list[tuple[Load, float]]] = {name: [] for name in peers}
    for _ in range(ROUNDS):
        for name, peer in peers.items():
            before = cpu_seconds(peer.pid)
            taken = load(peer.address, clients, seconds, peer.asked)
            rounds[name].append((taken, (cpu_seconds(peer.pid) - before) / len(taken.taken)))
    told = {
        name: {
            "per_s": statistics.median(one.per_second for one, _ in group),
            "cpu_us": 1e6 * statistics.median(spent for _, spent in group),
            "p50_us": statistics.median(one.percentile(0.5) for one, _ in group),
            "p99_us": statistics.median(one.percentile(0.99) for one, _ in group),
        }
        for name, group in rounds.items()
    }
    own, others = told.pop(""), told
    figures: Figures = {"ratio": others["floor"]["per_s"] / own["per_s"]}
    for name, other in others.items():
        figures[f"x_{name}"] = own["per_s"] / other["per_s"]
        figures[f"cpu_x_{name}"] = other["cpu_us"] / own["cpu_us"]
    return figures | own | {f"{name}_{key}": value for name, other in others.items() for key, value in other.items()}


def lists(projects: dict[int, Path], state: Path, seconds: float, *, busy: bool) -> Figures:
    """A page of 50 out of few and out of many, by two servers in turns; `busy`: four processes commit to both."""
    with ExitStack() as stack:
        places = {count: stack.enter_context(served(place, state))[0] for count, place in projects.items()}
        asked = {count: request("GET", f"{API}?limit=50", place, TOKEN) for count, place in places.items()}
        for project in projects.values() if busy else ():
            for number in range(4):
                stack.enter_context(process([__file__, "--runner", str(number), str(project)], CLIENT))
        for count, place in places.items():
            load(place, 1, 0.2, lambda client, n: asked[count])  # noqa: B023
        taken: dict[int, list[float]] = {count: [] for count in places}
        for _ in range(ROUNDS * 3):
            for count, place in places.items():
                taken[count] += load(place, 1, seconds / 3, lambda client, n: asked[count]).taken  # noqa: B023
    few, many = (statistics.median(taken[count]) for count in (FEW, MANY))
    return {
        "ratio": many / few,
        "few_us": few,
        "many_us": many,
        "many_p99_us": sorted(taken[MANY])[-len(taken[MANY]) // 100 - 1],
    }


def fill(folder: Path, count: int) -> None:
    """Loops that nobody drives: what is running, or due, gets a runner when the server starts."""
    with FileStore(folder, LOOPS, SystemClock()) as store:
        for n in range(count):
            store.create(loop(f"loop-{n}", 3, 4).evolve(status="created"), actor="bench")


def run_for_ever(number: int, project: Path) -> None:
    """A runner that commits 20 times a second."""
    with FileStore(project, LOOPS, SystemClock()) as store:
        due = time.monotonic()
        while True:
            store.update(f"loop-{number}", step, actor="runner", event=STEPPED)
            due += 0.05
            time.sleep(max(0, due - time.monotonic()))


class SyncedFile:
    """Appends with one sync for all that wait."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._busy = False

    async def add(self, data: bytes) -> None:
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((data, done))
        if not self._busy:
            self._busy = True
            asyncio.get_running_loop().create_task(self._write())
        await done

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            await asyncio.to_thread(self._sync, b"".join(data for data, _ in group))
            for _, done in group:
                done.set_result(None)
        self._busy = False

    def _sync(self, data: bytes) -> None:
        os.write(self._fd, data)
        os.fdatasync(self._fd)


def serve_nothing(size: int, synced: Path | None) -> None:
    """The floor: the same server, gate and framework; an answer of `size` bytes that stands ready."""
    import uvicorn
    from fastapi import FastAPI, Request, Response

    from loopwright.surfaces.server.gate import GateRules, RequestGate

    file = SyncedFile(synced) if synced else None
    app, answer = FastAPI(), Response(b"x" * max(0, size - 600), media_type="application/json")

    async def answered(request: Request) -> Response:
        if file:
            await file.add(await request.body())
        return answer

    app.add_api_route("/", answered, methods=["GET", "POST"])
    with socket.create_server(("127.0.0.1", 0), backlog=2048) as listening:
        port = listening.getsockname()[1]
        print(port, flush=True)
        config = uvicorn.Config(
            RequestGate(app, GateRules(TOKEN, frozenset({f"127.0.0.1:{port}"}), port)),
            log_config=None, access_log=False, server_header=False, date_header=False,
        )  # fmt: skip
        uvicorn.Server(config).run(sockets=[listening])


def serve_bytes() -> None:
    """No server at all: what the client can take."""
    import uvloop

    class Echo(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            self.transport.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1024\r\n\r\n" + bytes(1024))  # type: ignore[attr-defined]

    async def listening() -> None:
        server = await asyncio.get_running_loop().create_server(Echo, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        await server.serve_forever()

    uvloop.run(listening())


def ceiling() -> float:
    with process([__file__, "--bytes"], SERVER) as (running, _):
        assert running.stdout is not None
        address = "127.0.0.1", int(running.stdout.readline())
        bare = request("GET", "/", address, TOKEN)
        return load(address, CLIENTS, 0.5, lambda client, n: bare).per_second


def disk(folder: Path, size: int, threads: int, seconds: float) -> float:
    """Appends of `size` bytes with a sync each, every thread to a file of its own; how many in a second."""
    line, counts, end = b"x" * size, [0] * threads, time.perf_counter() + seconds

    def work(number: int) -> None:
        fd = os.open(folder / f"floor-{threads}-{number}", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        while time.perf_counter() < end:
            os.write(fd, line)
            os.fdatasync(fd)
            counts[number] += 1
        os.close(fd)

    group = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for thread in group:
        thread.start()
    for thread in group:
        thread.join()
    return sum(counts) / seconds


def cpu_seconds(pid: int) -> float:
    """What a process and its threads have used so far."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """Megabytes that a process has now."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024  # type: ignore[index]  # Linux has it


def measure(folder: Path, seconds: float, checkout: Path | None, *, changes: bool) -> dict[str, Figures]:
    os.sched_setaffinity(0, {CLIENT})
    projects = {count: folder / str(count) for count in ((FEW,) if changes else (FEW, MANY))}
    for count, project in projects.items():
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        fill(project, count)
    state = folder / "state"
    figures: dict[str, Figures] = {
        "client alone": {"per_s": ceiling()},
        "disk": {f"{n}_per_s": disk(folder, 400, n, seconds) for n in (1, CLIENTS)},
    }
    if not changes:
        boots = []
        for _ in range(ROUNDS):
            with served(projects[MANY], state) as (_, pid, took):
                boots.append(took)
                figures["memory"] = {"10000_loops_mb": memory(pid)}
        figures["boot, 10,000"] = {"s": statistics.median(boots)}
        figures["list, 10,000 / 100"] = lists(projects, state, seconds, busy=False)
        figures["list, busy, 10,000 / 100"] = lists(projects, state, seconds, busy=True)
    with served(projects[FEW], state) as (address, pid, _), listener(address):
        figures |= rates(address, pid, [f"loop-{n}" for n in range(CLIENTS)], seconds, folder, checkout)
        figures.setdefault("memory", {})["after_creating_mb"] = memory(pid)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--folder", type=Path, help="where to measure; must be a local file system")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round")
    parser.add_argument("--changes", action="store_true", help="only reading, changing and creating one loop")
    parser.add_argument("--upstream", type=Path, help="a built checkout of the upstream server, to be measured too")
    parser.add_argument("--floor", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--synced", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--bytes", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--runner", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.floor is not None:
        return serve_nothing(given.floor, given.synced)
    if given.bytes:
        return serve_bytes()
    if given.runner:
        return run_for_ever(int(given.runner[0]), Path(given.runner[1]))
    with tempfile.TemporaryDirectory(dir=given.folder or Path.cwd(), prefix=".bench-") as folder:
        figures = measure(Path(folder), given.seconds, given.upstream, changes=given.changes)
    if given.json:
        print(json.dumps(figures))
        return None
    for name, figure in figures.items():
        ratio = f"{figure['ratio']:5.2f} ×" if "ratio" in figure else ""
        limit = f"(at most {LIMITS[name]})" if name in LIMITS else ""
        goals = {key: f" (at least {goal})" for key, goal in GOALS.get(name, {}).items()}
        numbers = "  ".join(
            f"{key} {value:,.{0 if value > 20 else 2}f}{goals.get(key, '')}"
            for key, value in figure.items()
            if key != "ratio"
        )
        print(f"{name:26} {ratio:8} {limit:14} {numbers}")
    return None


if __name__ == "__main__":
    main()
