"""What the HTTP API costs: `loopwright serve` itself, beside the same server without a store, and the disk alone.

    python bench/server.py [--json] [--folder DIR] [--seconds S]

Server and client have a CPU each. Authentication, validation, an open stream of events and durability are on: it is
the command that people type. The floor is an application that answers at once, with as many bytes, behind the same
gate; it is measured in turns with the server.
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
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

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
LIMITS = {"list, 10,000 / 100": 1.5, "list, busy, 10,000 / 100": 1.5}

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


@contextmanager
def floor(size: int) -> Iterator[Address]:
    with process([__file__, "--floor", str(size)], SERVER) as (running, _):
        assert running.stdout is not None
        yield "127.0.0.1", int(running.stdout.readline())


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


def asking(address: Address, ids: list[str]) -> dict[str, Asked]:
    """What is measured: every client works at a loop of its own."""
    ask = partial(request, address=address, token=TOKEN)
    new = {"title": "A loop to be measured", "description": "Make it fast. " * 20, "agent": "builtin"}
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


def rates(address: Address, ids: list[str], seconds: float) -> dict[str, Figures]:
    """Each request at 1 and at 32 clients, in turns with the floor of as many bytes."""
    figures = {}
    for name, asked in asking(address, ids).items():
        size = len(load(address, 1, 0.05, asked).last)
        with floor(size) as ground:
            bare = request("GET" if name == "get" else "POST", "/", ground, TOKEN, b"" if name == "get" else b"{}")
            for clients in (1, CLIENTS):
                rounds: list[tuple[Load, Load]] = [
                    (load(ground, clients, seconds, lambda client, n: bare), load(address, clients, seconds, asked))  # noqa: B023
                    for _ in range(ROUNDS)
                ]
                figures[f"{name}, {clients}"] = rated(rounds)
    return figures


def rated(rounds: list[tuple[Load, Load]]) -> Figures:
    """Medians of the rounds."""
    under, own = zip(*rounds, strict=True)
    rate, ground = (statistics.median(each.per_second for each in group) for group in (own, under))
    return {
        "ratio": ground / rate, "per_s": rate, "floor_per_s": ground,
        "p50_us": statistics.median(each.percentile(0.5) for each in own),
        "p99_us": statistics.median(each.percentile(0.99) for each in own),
        "floor_p50_us": statistics.median(each.percentile(0.5) for each in under),
    }  # fmt: skip


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


def serve_nothing(size: int) -> None:
    """The floor: the same server, gate and framework; an answer of `size` bytes that stands ready."""
    import uvicorn
    from fastapi import FastAPI, Response

    from loopwright.surfaces.server.gate import GateRules, RequestGate

    app, answer = FastAPI(), Response(b"x" * max(0, size - 600), media_type="application/json")

    async def answered() -> Response:
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


def memory(pid: int) -> float:
    """Megabytes that a process has now."""
    with open(f"/proc/{pid}/status") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1]) / 1024  # type: ignore[index]  # Linux has it


def measure(folder: Path, seconds: float) -> dict[str, Figures]:
    os.sched_setaffinity(0, {CLIENT})
    projects = {count: folder / str(count) for count in (FEW, MANY)}
    for count, project in projects.items():
        project.mkdir()
        subprocess.run(["git", "init", "-q", str(project)], check=True)
        fill(project, count)
    state = folder / "state"
    figures: dict[str, Figures] = {
        "client alone": {"per_s": ceiling()},
        "disk": {f"{n}_per_s": disk(folder, 400, n, seconds) for n in (1, CLIENTS)},
    }
    boots = []
    for _ in range(ROUNDS):
        with served(projects[MANY], state) as (_, pid, took):
            boots.append(took)
            figures["memory"] = {"10000_loops_mb": memory(pid)}
    figures["boot, 10,000"] = {"s": statistics.median(boots)}
    figures["list, 10,000 / 100"] = lists(projects, state, seconds, busy=False)
    figures["list, busy, 10,000 / 100"] = lists(projects, state, seconds, busy=True)
    with served(projects[FEW], state) as (address, pid, _), listener(address):
        figures |= rates(address, [f"loop-{n}" for n in range(CLIENTS)], seconds)
        figures["memory"]["after_creating_mb"] = memory(pid)
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--folder", type=Path, help="where to measure; must be a local file system")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each round")
    parser.add_argument("--floor", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--bytes", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--runner", nargs=2, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.floor is not None:
        return serve_nothing(given.floor)
    if given.bytes:
        return serve_bytes()
    if given.runner:
        return run_for_ever(int(given.runner[0]), Path(given.runner[1]))
    with tempfile.TemporaryDirectory(dir=given.folder or Path.cwd(), prefix=".bench-") as folder:
        figures = measure(Path(folder), given.seconds)
    if given.json:
        print(json.dumps(figures))
        return None
    for name, figure in figures.items():
        ratio = f"{figure['ratio']:5.2f} ×" if "ratio" in figure else ""
        limit = f"(at most {LIMITS[name]})" if name in LIMITS else ""
        numbers = "  ".join(
            f"{key} {value:,.{0 if value > 20 else 2}f}" for key, value in figure.items() if key != "ratio"
        )
        print(f"{name:26} {ratio:8} {limit:14} {numbers}")
    return None


if __name__ == "__main__":
    main()
