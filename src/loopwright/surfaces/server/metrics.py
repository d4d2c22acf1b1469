"""Figures for Prometheus: what is asked and how fast it is answered, which runs there are, and the process itself."""

import time
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request, Response
from prometheus_client import CollectorRegistry, GCCollector, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from loopwright.projects import Projects
from loopwright.surfaces.server.dependencies import ControlPlane
from loopwright.surfaces.server.kinds import KINDS, ServedKind
from loopwright.surfaces.server.stream import LiveStreams

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
"""Seconds."""
NO_ROUTE = "none"
"""Refusal at the gate, or a path that nothing answers: what people type must not make new rows."""

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


class ServerMetrics:
    """Of one application."""

    def __init__(self, projects: Projects, live: LiveStreams) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(RunCollector(projects, live))
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
