"""What requests have in common: the project that is meant, the version that was seen, work in threads."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

from fastapi import Depends, Header, Query, Request

from loopwright.domain.cycle import CycleState
from loopwright.domain.errors import Invalid
from loopwright.domain.ids import checked
from loopwright.domain.loop import LoopState
from loopwright.domain.run import R, Run
from loopwright.domain.tuning import TuningState
from loopwright.engine.cycles import CycleService
from loopwright.engine.runs import Runs
from loopwright.engine.service import LoopService
from loopwright.engine.tunings import TuningService
from loopwright.projects import Project, Projects
from loopwright.server.kinds import CYCLES, LOOPS, TUNINGS, Kind, Source
from loopwright.server.task_places import TaskPlaces

T = TypeVar("T")
C = TypeVar("C", bound=Runs[Any])  # Any: as kinds.KINDS

LIVE = "-live"
ETAG = re.compile(r'(?:W/)?"?(?P<rev>[0-9]{1,15})(?:-live)?"?', re.ASCII)

THREADS = 64
"""Changes that wait for the disk at the same time; the kernel puts their syncs together."""


@dataclass(frozen=True)
class Control:
    """What every route works with."""

    projects: Projects
    threads: ThreadPoolExecutor

    @cached_property
    def task_places(self) -> TaskPlaces:
        return TaskPlaces(self.projects)

    async def beside(self, work: Callable[[], T]) -> T:
        """In a thread: for whatever waits for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


async def control(request: Request) -> Control:
    found: Control = request.app.state.control
    return found


ControlPlane = Annotated[Control, Depends(control)]
ProjectName = Annotated[str | None, Query(alias="project", description="A project's name; default: the first")]


@dataclass(frozen=True)
class Asked(Generic[R]):
    """A request about one run. `service` holds its commands."""

    control: Control
    kind: Kind[R]
    id: str
    project: Project
    service: Runs[R]

    @property
    def source(self) -> Source:
        return Source(self.project, self.kind)


def found(control: Control, kind: Kind[R], id: str, project: str | None) -> Asked[R]:
    """The run of that id, in whichever project. Invalid, NotFound, Conflict."""
    place = control.projects.of_run(checked(id, kind.name), kind.service, project)
    return Asked(control, kind, id, place, kind.service(place))


async def asked_loop(control: ControlPlane, loop_id: str, project: ProjectName = None) -> Asked[LoopState]:
    return found(control, LOOPS, loop_id, project)


async def asked_cycle(control: ControlPlane, cycle_id: str, project: ProjectName = None) -> Asked[CycleState]:
    return found(control, CYCLES, cycle_id, project)


async def asked_tuning(control: ControlPlane, tuning_id: str, project: ProjectName = None) -> Asked[TuningState]:
    return found(control, TUNINGS, tuning_id, project)


OneLoop = Annotated[Asked[LoopState], Depends(asked_loop)]
OneCycle = Annotated[Asked[CycleState], Depends(asked_cycle)]
OneTuning = Annotated[Asked[TuningState], Depends(asked_tuning)]


IfMatch = Annotated[str | None, Header(alias="if-match", description="The ETag of the version that was seen")]


async def loop_commands(one: OneLoop, if_match: IfMatch = None) -> LoopService:
    """The loop's commands, for somebody who may have said which version they have seen."""
    return seen(one.project.engine.service, if_match)


async def cycle_commands(one: OneCycle, if_match: IfMatch = None) -> CycleService:
    """The cycle's, in the same way."""
    return seen(one.project.engine.cycles, if_match)


async def tuning_commands(one: OneTuning, if_match: IfMatch = None) -> TuningService:
    """The tuning session's, in the same way."""
    return seen(one.project.engine.tunings, if_match)


def seen(service: C, if_match: str | None) -> C:
    """The commands for somebody who has seen the version of that ETag. Invalid for what no ETag of ours looks like."""
    if if_match is None or if_match.strip() == "*":
        return service
    found = ETAG.fullmatch(if_match.strip())
    if found is None:
        raise Invalid(
            f'If-Match: an ETag of this {service.kind} is a number in quotes, such as "12" (got {if_match[:40]!r})'
        )
    return service.expecting(int(found["rev"]))


def etag(state: Run, *, live: bool = False) -> str:
    """Names the version, and whether a runner is at it, which no version tells."""
    return f'"{state.engine.rev}{LIVE if live else ""}"'


LoopCommands = Annotated[LoopService, Depends(loop_commands)]
CycleCommands = Annotated[CycleService, Depends(cycle_commands)]
TuningCommands = Annotated[TuningService, Depends(tuning_commands)]
