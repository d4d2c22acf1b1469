"""Where the tools find a loop, a cycle or a tuning session, and its commands."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple

from loopwright.core.errors import Conflict, Forbidden, Invalid, NotFound
from loopwright.core.ids import check_id
from loopwright.core.run import R
from loopwright.core.run_commands import RunService
from loopwright.core.supervisor import is_launched
from loopwright.projects import Project, Projects
from loopwright.surfaces import run_kinds
from loopwright.surfaces.mcp.tool_inputs import RunInput
from loopwright.surfaces.mcp.tool_outputs import CYCLES, LOOPS, TUNINGS, RunOutputs
from loopwright.surfaces.run_kinds import RunKind
from loopwright.wiring import Engine
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from loopwright.workflows.tuning.model import TuningState
from loopwright.workflows.tuning.service import TuningService


@dataclass(frozen=True)
class ToolKind(RunKind[R]):
    """With the words and answers of the tools."""

    outputs: RunOutputs[R, Any, Any, Any]  # Any: the models of its answers


LOOP = ToolKind[LoopState](**vars(run_kinds.LOOP), outputs=LOOPS)
CYCLE = ToolKind[CycleState](**vars(run_kinds.CYCLE), outputs=CYCLES)
TUNING = ToolKind[TuningState](**vars(run_kinds.TUNING), outputs=TUNINGS)
KINDS: tuple[ToolKind[Any], ...] = (LOOP, CYCLE, TUNING)  # Any: each has states of its own


ACTOR = "mcp"
"""Its name in the journal."""


class ProjectHandle(NamedTuple):
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
class ResolvedRun(Generic[R]):
    """One run's place. `service` acts under the name of an agent."""

    id: str
    place: ProjectHandle
    kind: ToolKind[R]
    service: RunService[R]

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
        return self.kind.outputs.report(state, self.project, live=live)


@dataclass(frozen=True)
class RunResolver:
    """The projects whose loops, cycles and tuning sessions are driven here."""

    projects: Projects

    @property
    def known(self) -> Mapping[str, Project]:
        return self.projects.known

    def place(self, name: str | None) -> ProjectHandle:
        """The project of that name, or the first. NotFound."""
        return _place(self.projects.named(name))

    def places(self, name: str | None) -> list[ProjectHandle]:
        """That project, or all of them."""
        return [self.place(name)] if name is not None else [_place(project) for project in self.known.values()]

    def run(self, asked: RunInput) -> ResolvedRun[Any]:  # Any: of any kind
        """To look at it. NotFound; Conflict where there are several of that id."""
        id = check_id(asked.id, "loop, cycle or tuning session")
        projects = [self.projects.named(asked.project)] if asked.project else self.known.values()
        found = [(project, kind) for project in projects for kind in KINDS if _has(kind.service(project.engine), id)]
        if not found:
            raise NotFound(f"Loop, cycle or tuning session not found: {id}")
        if len(found) > 1:
            where = ", ".join(f"a {kind.called} in {project.name}" for project, kind in found)
            raise Conflict(f"there are several {id}: {where}; name the project")
        ((project, kind),) = found
        place = _place(project)
        return ResolvedRun(id, place, kind, kind.service(place.engine))

    def driven(self, asked: RunInput) -> ResolvedRun[Any]:  # Any: as run
        """To do something with it. Forbidden for what the run itself has started."""
        found = self.run(asked)
        if found.service.processes.within(found.id):
            name = found.kind.called
            raise Forbidden(
                f"a {name} cannot drive itself; report your result, and whoever started the {name} continues"
            )
        return found

    def loop(self, asked: RunInput) -> tuple[ResolvedRun[LoopState], LoopService]:
        """To look at a loop, with the commands that only loops have. Invalid for others."""
        found = self.run(asked)
        if found.kind is CYCLE:
            raise Invalid(f"{found.id} is a cycle, which plans its own tasks: `extend` it with `task`")
        if found.kind is not LOOP:
            raise Invalid(_of_others(found, LOOP))
        return found, found.place.loops

    def cycle(self, asked: RunInput, *, looking: bool = False) -> tuple[ResolvedRun[Any], CycleService]:  # Any: as run
        """To do something with a cycle, or only to look at it. Invalid for others."""
        found = self.run(asked) if looking else self.driven(asked)
        if found.kind is not CYCLE:
            raise Invalid(_of_others(found, CYCLE))
        return found, found.place.cycles

    def tuning(
        self, asked: RunInput, *, looking: bool = False
    ) -> tuple[ResolvedRun[Any], TuningService]:  # Any: as run
        """The same of a tuning session."""
        found = self.run(asked) if looking else self.driven(asked)
        if found.kind is not TUNING:
            raise Invalid(_of_others(found, TUNING))
        return found, found.place.tunings


def _of_others(found: ResolvedRun[Any], wanted: ToolKind[Any]) -> str:  # Any: as RunResolver.run
    return f"{found.id} is a {found.kind.called}; only {wanted.called}s have that"


def _place(project: Project) -> ProjectHandle:
    engine = project.engine
    mine = replace(
        engine,
        service=replace(engine.service, actor=ACTOR),
        cycles=replace(engine.cycles, actor=ACTOR),
        tunings=replace(engine.tunings, actor=ACTOR),
    )
    return ProjectHandle(project.name, mine)


def _has(service: RunService[R], id: str) -> bool:
    """Also where it cannot be read: whoever reads it is told so."""
    try:
        return id in service.damaged() or bool(service.read(id))
    except (NotFound, Invalid):  # not of this kind, by its name
        return False
