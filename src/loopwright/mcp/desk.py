"""Where the tools find a loop, a cycle or a tuning session, and its commands."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple

from loopwright.domain.errors import Conflict, Forbidden, Invalid, NotFound
from loopwright.domain.ids import checked
from loopwright.domain.loop import LoopState
from loopwright.domain.run import R
from loopwright.engine.cycles import CycleService
from loopwright.engine.runs import Runs
from loopwright.engine.service import LoopService
from loopwright.engine.supervisor import is_launched
from loopwright.engine.tunings import TuningService
from loopwright.mcp.asked import OneRun
from loopwright.mcp.kinds import CYCLE, KINDS, LOOP, TUNING, Kind
from loopwright.projects import Project, Projects
from loopwright.wiring import Engine

ACTOR = "mcp"
"""Its name in the journal."""


class Place(NamedTuple):
    """One project; what is done through its services stands in the journal as an agent's."""

    name: str
    engine: Engine

    @property
    def loops(self) -> LoopService:
        return self.engine.service

    @property
    def cycles(self) -> CycleService:
        return self.engine.cycles

    @property
    def tunings(self) -> TuningService:
        return self.engine.tunings


@dataclass(frozen=True)
class Found(Generic[R]):
    """One run's place. `service` acts under the name of an agent."""

    id: str
    place: Place
    kind: Kind[R]
    service: Runs[R]

    @property
    def project(self) -> str:
        return self.place.name

    def look(self) -> tuple[R, bool]:
        """Where it stands, and whether a process is at work on it. In this order: who lets go has committed before."""
        live = self.service.is_live(self.id)
        state = self.service.read(self.id)
        return state, live or is_launched(state, self.service.clock.now())

    def told(self) -> Any:  # Any: a report of the kind
        state, live = self.look()
        return self.kind.report(state, self.project, live=live)


@dataclass(frozen=True)
class Desk:
    """The projects whose loops, cycles and tuning sessions are driven here."""

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

    def run(self, asked: OneRun) -> Found[Any]:  # Any: of any kind
        """To look at it. NotFound; Conflict where there are several of that id."""
        id = checked(asked.id, "loop, cycle or tuning session")
        projects = [self.projects.named(asked.project)] if asked.project else self.known.values()
        found = [(project, kind) for project in projects for kind in KINDS if _has(kind.service(project.engine), id)]
        if not found:
            raise NotFound(f"Loop, cycle or tuning session not found: {id}")
        if len(found) > 1:
            where = ", ".join(f"a {kind.called} in {project.name}" for project, kind in found)
            raise Conflict(f"there are several {id}: {where}; say in which project")
        ((project, kind),) = found
        place = _place(project)
        return Found(id, place, kind, kind.service(place.engine))

    def driven(self, asked: OneRun) -> Found[Any]:  # Any: as run
        """To do something with it. Forbidden for what the run itself has started."""
        found = self.run(asked)
        if found.service.processes.within(found.id):
            name = found.kind.called
            raise Forbidden(
                f"a {name} can not drive itself; report your result, and whoever started the {name} goes on"
            )
        return found

    def loop(self, asked: OneRun) -> tuple[Found[LoopState], LoopService]:
        """To look at a loop, with the commands that only loops have. Invalid for others."""
        found = self.run(asked)
        if found.kind is CYCLE:
            raise Invalid(f"{found.id} is a cycle, which plans its own tasks: `extend` it with `task`")
        if found.kind is not LOOP:
            raise Invalid(_of_others(found, LOOP))
        return found, found.place.loops

    def cycle(self, asked: OneRun, *, looking: bool = False) -> tuple[Found[Any], CycleService]:  # Any: as run
        """To do something with a cycle, or only to look at it. Invalid for others."""
        found = self.run(asked) if looking else self.driven(asked)
        if found.kind is not CYCLE:
            raise Invalid(_of_others(found, CYCLE))
        return found, found.place.cycles

    def tuning(self, asked: OneRun, *, looking: bool = False) -> tuple[Found[Any], TuningService]:  # Any: as run
        """The same of a tuning session."""
        found = self.run(asked) if looking else self.driven(asked)
        if found.kind is not TUNING:
            raise Invalid(_of_others(found, TUNING))
        return found, found.place.tunings


def _of_others(found: Found[Any], wanted: Kind[Any]) -> str:  # Any: as Desk.run
    return f"{found.id} is a {found.kind.called}; only {wanted.called}s have that"


def _place(project: Project) -> Place:
    engine = project.engine
    mine = replace(
        engine, service=replace(engine.service, actor=ACTOR), cycles=replace(engine.cycles, actor=ACTOR),
        tunings=replace(engine.tunings, actor=ACTOR),
    )  # fmt: skip
    return Place(project.name, mine)


def _has(service: Runs[R], id: str) -> bool:
    """Also where it can not be read: whoever reads it is told so."""
    try:
        return id in service.damaged() or bool(service.read(id))
    except (NotFound, Invalid):  # not of this kind, by its name
        return False
