"""Where the tools find a loop and its commands."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import NamedTuple

from loopwright.domain.errors import Forbidden
from loopwright.domain.ids import checked
from loopwright.domain.loop import LoopState
from loopwright.engine.service import LoopService
from loopwright.mcp.asked import OneLoop
from loopwright.projects import Project, Projects
from loopwright.wiring import Engine

ACTOR = "mcp"
"""Its name in the journal."""
LAUNCH = timedelta(seconds=15)
"""How long a loop that says running may be without a process before nobody is coming."""


class Place(NamedTuple):
    """One project; what is done through `service` stands in the journal as an agent's."""

    name: str
    engine: Engine
    service: LoopService


class Found(NamedTuple):
    """One loop's place."""

    loop_id: str
    project: str
    service: LoopService

    def look(self) -> tuple[LoopState, bool]:
        """Where it stands, and whether a process is at work on it. In this order: who lets go has committed before."""
        live = self.service.is_live(self.loop_id)
        state = self.service.read(self.loop_id)
        return state, live or is_launched(self.service, state)


@dataclass(frozen=True)
class Desk:
    """The projects whose loops are driven here."""

    projects: Projects

    @property
    def known(self) -> Mapping[str, Project]:
        return self.projects.known

    def place(self, name: str | None) -> Place:
        """The project of that name, or the first. NotFound."""
        return _place(self.projects.named(name))

    def places(self, name: str | None) -> list[Place]:
        """That project, or all of them."""
        return [self.place(name)] if name is not None else [_place(project) for project in self.known.values()]

    def loop(self, asked: OneLoop) -> Found:
        """To look at it. NotFound; Conflict where several projects have one of that id."""
        place = _place(self.projects.of_run(checked(asked.loop_id), _loops, asked.project))
        return Found(asked.loop_id, place.name, place.service)

    def driven(self, asked: OneLoop) -> Found:
        """To do something with it. Forbidden for what the loop itself has started."""
        found = self.loop(asked)
        if found.service.processes.within(found.loop_id):
            raise Forbidden("a loop can not drive itself; report your result, and whoever started the loop goes on")
        return found


def is_launched(service: LoopService, state: LoopState) -> bool:
    """Whether its process may still be on the way."""
    age = service.clock.now() - datetime.fromisoformat(state.updated_at)
    return state.status == "running" and age < LAUNCH


def _loops(project: Project) -> LoopService:
    return project.engine.service


def _place(project: Project) -> Place:
    return Place(project.name, project.engine, replace(project.engine.service, actor=ACTOR))
