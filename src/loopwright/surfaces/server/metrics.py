"""Figures for Prometheus: what is asked and how fast it is answered, which runs there are, the fleet, the process."""

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, GCCollector, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.core.errors import LoopwrightError
from loopwright.core.fleet import STATUSES
from loopwright.projects import Projects
from loopwright.surfaces.server.dependencies import ControlPlane
from loopwright.surfaces.server.kinds import KINDS, ServedKind
from loopwright.surfaces.server.stream import LiveStreams

if TYPE_CHECKING:
    from loopwright.core.config import Config
    from loopwright.fleet.database import Database
    from loopwright.fleet.figures import FleetFigures

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Seconds."""
NO_ROUTE = "none"
"""Refusal at the gate, or a path that nothing answers: what people type must not make new rows."""

FLEET_SECONDS = 2.0
"""For which a fleet's database may keep whoever asks waiting."""

router = APIRouter()


class RunCollector(Collector):
    """What is looked up when somebody asks."""

    def __init__(self, projects: Projects, live: LiveStreams) -> None:
        self._projects, self._live = projects, live

    def collect(self) -> Iterator[Metric]:
        for kind in KINDS:
            yield from self._runs(kind)
        yield GaugeMetricFamily("loopwright_streams", "Open event streams", self._live.streams.open)
        yield CounterMetricFamily(
            "loopwright_commits_seen", "Commits told to the streams of all runs", self._live.news.seen
        )

    def _runs(self, kind: ServedKind[Any]) -> Iterator[Metric]:  # Any: as KINDS
        name, title = f"loopwright_{kind.name}s", f"{kind.name.capitalize()}s"
        known = GaugeMetricFamily(name, f"{title} by status", labels=("project", "status"))
        damaged = GaugeMetricFamily(f"{name}_damaged", f"{title} that cannot be read", labels=("project",))
        for project in self._projects.known.values():
            service = kind.service(project.engine)
            for status in kind.statuses:
                known.add_metric((project.name, status), service.list(status=status, limit=0).total)
            damaged.add_metric((project.name,), len(service.damaged()))
        yield known
        yield damaged


class FleetCollector(Collector):
    """Of each fleet that a project names: told once, as that of the first project that names it."""

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._databases: dict[str, Database] = {}

    def collect(self) -> Iterator[Metric]:
        found: dict[str, FleetFigures | None] = {}
        urls = set[str]()
        for project in self._projects.known.values():
            url = project.engine.config.fleet.url
            if url is not None and url.get_secret_value() not in urls:
                urls.add(url.get_secret_value())
                found[project.name] = self._read(project.engine.config)
        if found:
            yield from _fleets(found)

    def _read(self, config: "Config") -> "FleetFigures | None":
        """None where there is no answer in time."""
        from loopwright.wiring.fleet.access import fleet_url, open_database

        try:
            database = self._databases.setdefault(fleet_url(config), open_database(config))
            from loopwright.fleet.figures import read_figures

            return read_figures(database, FLEET_SECONDS)
        except LoopwrightError:
            return None


def _fleets(found: "dict[str, FleetFigures | None]") -> Iterator[Metric]:
    """By project; of a fleet that does not answer nothing but that."""

    def gauge(name: str, about: str, *labels: str) -> GaugeMetricFamily:
        return GaugeMetricFamily(f"loopwright_fleet_{name}", about, labels=("project", *labels))

    up = gauge("up", "Whether the fleet's database answers")
    workers, slots = gauge("workers", "Workers that live"), gauge("slots", "Runs that they can drive at a time")
    beat = gauge("oldest_beat_seconds", "Since the worker that was heard of least lately was heard of")
    runs = gauge("runs", "Runs by account and status", "account", "status")
    queued = gauge("oldest_queued_seconds", "Since the run that waits longest was queued", "account")
    troubled = gauge("troubled", "Queued runs that could not be driven when they were tried", "account")
    closed = gauge("account_closed", "Whether no run of the account is begun now", "account")
    for project, fleet in found.items():
        up.add_metric((project,), fleet is not None)
        if fleet is None:
            continue
        workers.add_metric((project,), fleet.workers)
        slots.add_metric((project,), fleet.slots)
        if fleet.oldest_beat is not None:
            beat.add_metric((project,), fleet.oldest_beat)
        counts = {(account, status): n for account, status, n in fleet.runs}
        for account, is_closed in fleet.closed.items():
            closed.add_metric((project, account), is_closed)
            queued.add_metric((project, account), fleet.oldest_queued.get(account, 0))
            troubled.add_metric((project, account), fleet.troubled.get(account, 0))
            for status in STATUSES:
                runs.add_metric((project, account, status), counts.get((account, status), 0))
    yield from (up, workers, slots, beat, runs, queued, troubled, closed)


class ServerMetrics:
    """Of one application."""

    def __init__(self, projects: Projects, live: LiveStreams) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(RunCollector(projects, live))
        self.registry.register(FleetCollector(projects))
        ProcessCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._requests = Histogram(
            "loopwright_http_request_seconds",
            "Time until an answer began",
            ("method", "route", "status"),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self._known: dict[tuple[str, str, int], Histogram] = {}

    def measured(self, app: ASGIApp) -> ASGIApp:
        """`app`, with every request counted."""

        async def measured_app(scope: Scope, receive: Receive, send: Send) -> None:
            began = time.perf_counter()

            async def measured_send(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self.count(scope, message["status"], time.perf_counter() - began)
                await send(message)

            await app(scope, receive, measured_send if scope["type"] == "http" else send)

        return measured_app

    def count(self, scope: Scope, status: int, seconds: float) -> None:
        """A request that was answered with that status after so many seconds."""
        method, route = scope["method"], getattr(scope.get("route"), "path", NO_ROUTE)
        key = method, route, status
        row = self._known.get(key)
        if row is None:
            named = method if method in METHODS else "other"
            row = self._requests.labels(named, route, status)
            if named == method:
                self._known[key] = row
        row.observe(seconds)


@router.get("/metrics", summary="Prometheus metrics", tags=["server"])
async def metrics(control: ControlPlane, request: Request) -> Response:
    """In the text format of Prometheus, or of OpenMetrics for those who ask for it."""
    encode, kind = choose_encoder(request.headers.get("accept", ""))
    known: ServerMetrics = request.app.state.metrics
    return Response(await control.run_in_thread(lambda: encode(known.registry)), headers={"content-type": kind})
