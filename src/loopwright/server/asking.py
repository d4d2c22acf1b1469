"""What requests have in common: the project that is meant, the version that was seen, work in threads."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, TypeVar

from fastapi import Depends, Header, Query, Request

from loopwright.domain.errors import Invalid
from loopwright.domain.ids import checked
from loopwright.domain.loop import LoopState
from loopwright.engine.service import LoopService
from loopwright.projects import Project, Projects
from loopwright.server.task_places import TaskPlaces

T = TypeVar("T")

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
class Asked:
    """A request about one loop."""

    control: Control
    loop_id: str
    project: Project

    @property
    def service(self) -> LoopService:
        return self.project.engine.service


async def asked(control: ControlPlane, loop_id: str, project: ProjectName = None) -> Asked:
    return Asked(control, loop_id, control.projects.of_loop(checked(loop_id), project))


OneLoop = Annotated[Asked, Depends(asked)]


IfMatch = Annotated[str | None, Header(alias="if-match", description="The ETag of the version that was seen")]


async def expecting(one: OneLoop, if_match: IfMatch = None) -> LoopService:
    """The loop's commands, for somebody who may have said which version they have seen."""
    return seen(one.service, if_match)


def seen(service: LoopService, if_match: str | None) -> LoopService:
    """The commands for somebody who has seen the version of that ETag. Invalid for what no ETag of ours looks like."""
    if if_match is None or if_match.strip() == "*":
        return service
    found = ETAG.fullmatch(if_match.strip())
    if found is None:
        raise Invalid(f'If-Match: an ETag of this loop is a number in quotes, such as "12" (got {if_match[:40]!r})')
    return service.expecting(int(found["rev"]))


def etag(state: LoopState, *, live: bool = False) -> str:
    """Names the version, and whether a runner is at it, which no version tells."""
    return f'"{state.engine.rev}{LIVE if live else ""}"'


Commands = Annotated[LoopService, Depends(expecting)]
