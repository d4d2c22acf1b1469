"""The application without a network: asked like a server, and every answer held against its own description."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from jsonschema_rs import Draft202012Validator
from starlette.testclient import TestClient

from loopwright.projects import Project, Projects, open_projects
from loopwright.surfaces.server.app import create_app
from loopwright.surfaces.server.http_server import ListenAddress
from loopwright.workflows.loop.service import LoopService
from tests.fakes import CountingLauncher

TOKEN = "a-token-for-tests-only"
PLACE = ListenAddress("127.0.0.1", 8765)
_DESCRIPTION: dict[str, Any] = {}  # Any: parsed JSON
_VALIDATORS: dict[str, Draft202012Validator] = {}
"""By schema: to make one takes much longer than to use it."""

LOOPS = "/api/loops/v2"
CYCLES = "/api/cycles"

Json = Any  # Any: parsed JSON


@dataclass(frozen=True)
class Reply:
    status: int
    body: Json
    headers: Mapping[str, str]

    @property
    def data(self) -> Json:
        assert self.body["success"] is True, self.body
        return self.body["data"]

    @property
    def error(self) -> str:
        assert self.body["success"] is False, self.body
        assert set(self.body) == {"success", "error"}
        return str(self.body["error"])


@dataclass
class Office:
    """`launcher` stands for the processes that start would begin; None: they are real."""

    client: TestClient
    projects: Projects
    launcher: CountingLauncher | None = field(default_factory=CountingLauncher)

    def ask(self, method: str, path: str, body: Json = None, **headers: str) -> Reply:
        """`headers` with '_' for '-'."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.send(method, path, None if body is None else json.dumps(body).encode(), **named)

    def send(self, method: str, path: str, content: bytes | None, **headers: str) -> Reply:
        """The bytes as they are."""
        own = {"authorization": f"Bearer {TOKEN}", **({} if content is None else {"content-type": "application/json"})}
        answer = self.client.request(method, path, content=content, headers={**own, **headers}, follow_redirects=False)
        body = answer.json() if answer.content else None
        reply = Reply(answer.status_code, body, dict(answer.headers))
        self.check(method, path.partition("?")[0], reply)
        return reply

    def check(self, method: str, path: str, reply: Reply) -> None:
        """What is answered is what the description says."""
        operation = self._operation(method, path)
        if operation is None:
            assert reply.status in (401, 403, 404, 405), (method, path, reply)
            return
        known = operation["responses"]
        assert str(reply.status) in known, f"{method} {path} answers {reply.status}: {reply.body}"
        if reply.body is not None:
            self.validate(known[str(reply.status)]["content"]["application/json"]["schema"], reply.body)

    def validate(self, schema: Json, value: Json) -> None:
        known = json.dumps(schema)
        if known not in _VALIDATORS:
            whole = {**schema, "components": self.description["components"]}
            _VALIDATORS[known] = Draft202012Validator(whole)
        _VALIDATORS[known].validate(value)

    @property
    def description(self) -> Json:
        """The same for every application, and slow to make."""
        if not _DESCRIPTION:
            answer = self.client.get("/openapi.json", headers={"authorization": f"Bearer {TOKEN}"})
            assert answer.status_code == 200
            _DESCRIPTION.update(answer.json())
        return _DESCRIPTION

    def _operation(self, method: str, path: str) -> Json:
        """The first that fits, as the application has it."""
        for template, methods in self.description["paths"].items():
            if method.lower() in methods and re.fullmatch(re.sub(r"\{[^}]*\}", "[^/]+", template), path):
                return methods[method.lower()]
        return None

    def service(self, name: str | None = None) -> LoopService:
        return self.projects.named(name).engine.service

    def create(self, title: str = "Fix the ledger", **fields: Json) -> str:
        """The id of a new loop."""
        project = fields.pop("project", None)
        query = f"?project={project}" if project else ""
        made = self.ask("POST", LOOPS + query, {"title": title, "agent": "builtin", **fields})
        assert made.status == 201, made
        return str(made.data["loop_id"])

    def create_cycle(self, title: str = "Balance the ledger", **fields: Json) -> str:
        """The id of a new cycle."""
        project = fields.pop("project", None)
        query = f"?project={project}" if project else ""
        made = self.ask("POST", CYCLES + query, {"title": title, "agent": "builtin", **fields})
        assert made.status == 201, made
        return str(made.data["cycle_id"])

    def add_task(self, loop_id: str, description: str = "Add it up", **fields: Json) -> str:
        made = self.ask("POST", f"{LOOPS}/{loop_id}/tasks", {"description": description, **fields})
        assert made.status == 201, made
        return str(made.data["task_id"])


@contextmanager
def opened_office(*folders: Path, real: bool = False) -> Iterator[Office]:
    """Serves these projects. `real`: loops that are started run."""
    launcher = None if real else CountingLauncher()
    with open_projects(folders, actor="api") as found:
        projects = found
        if launcher:
            projects = Projects({name: _launching(project, launcher) for name, project in found.known.items()})
        app = create_app(projects, PLACE.rules(TOKEN))
        with TestClient(app, base_url="http://127.0.0.1:8765", raise_server_exceptions=False) as client:
            yield Office(client, projects, launcher)


def _launching(project: Project, launcher: CountingLauncher) -> Project:
    engine = project.engine
    cycles, tunings = replace(engine.cycles, launcher=launcher), replace(engine.tunings, launcher=launcher)
    service = replace(engine.service, launcher=launcher, driver=launcher)
    return Project(project.name, replace(engine, service=service, cycles=cycles, tunings=tunings))
