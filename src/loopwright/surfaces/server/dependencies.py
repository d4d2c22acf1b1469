"""What requests have in common: the project that is meant, the version that was seen, work in threads."""

import asyncio
import re
import threading
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from fastapi import Depends, Header, Query, Request
from orjson import Fragment
from pydantic import BaseModel, create_model

from loopwright.core.errors import Invalid, LoopwrightError, NotFound
from loopwright.core.fleet import FleetRun
from loopwright.core.ids import check_id
from loopwright.core.run import R, Run
from loopwright.core.run_commands import RunService
from loopwright.core.state import LoopTask
from loopwright.projects import Project, Projects
from loopwright.skills.findings import DIMENSIONS
from loopwright.store.group_commit import GroupedWork, carry_out_together
from loopwright.store.lease import NotAtOnce
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, Json, make_response
from loopwright.surfaces.server.documentation import CHANGING, Responses, document_responses
from loopwright.surfaces.server.kinds import CYCLES, LOOPS, TUNINGS, RunSource, ServedKind
from loopwright.surfaces.server.requests import (
    Body,
    CycleFields,
    LoopFields,
    NewCycle,
    NewLoop,
    NewRun,
    NewTuning,
    StatusBody,
    TuningFields,
    add_example,
)
from loopwright.surfaces.server.responses import (
    CycleForm,
    CyclePageForm,
    LoopForm,
    PageForm,
    RecoveredCycleForm,
    RecoveredForm,
    RecoveredTuningForm,
    SteeredCycleForm,
    SteeredForm,
    SteeredTuningForm,
    TuningForm,
    TuningPageForm,
)
from loopwright.workflows.cycle.commands import command_for as cycle_command_for
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.service import CycleService
from loopwright.workflows.loop.commands import command_for as loop_command_for
from loopwright.workflows.loop.model import LoopState
from loopwright.workflows.loop.service import LoopService
from loopwright.workflows.tuning.commands import command_for as tuning_command_for
from loopwright.workflows.tuning.model import FIX_LEVELS, TuningState
from loopwright.workflows.tuning.service import TuningService

if TYPE_CHECKING:
    from loopwright.fleet.database import Database

PAGE = 200
REMEMBERED = 100_000


class TaskLocator:
    """Remembers where tasks were seen, and looks again: they are never moved, but can be removed.

    A task that was seen costs the reading of its loop. Any other costs reading the loops, the latest change first, up
    to the one that has it, and all of them where none has: about 0.1 ms for each.
    """

    def __init__(self, projects: Projects) -> None:
        self._projects = projects
        self._known: dict[str, tuple[Project, str]] = {}
        self._mutex = threading.Lock()

    def note(self, project: Project, loop_id: str, tasks: Iterable[LoopTask]) -> None:
        """They were seen there."""
        with self._mutex:
            if len(self._known) > REMEMBERED:
                self._known.clear()
            self._known.update((task.task_id, (project, loop_id)) for task in tasks)

    def find(self, task_id: str, project: Project | None) -> tuple[Project, LoopState, LoopTask]:
        """NotFound where no loop has it."""
        known = self._known.get(task_id)
        if known is not None and project in (None, known[0]) and (found := _in_loop(*known, task_id)):
            return found
        for place in [project] if project else self._projects.known.values():
            for state in _loops(place):
                self.note(place, state.loop_id, state.engine.tasks)
                if task := state.engine.task(task_id):
                    return place, state, task
        raise NotFound(f"Task not found: {task_id}")


def _in_loop(project: Project, loop_id: str, task_id: str) -> tuple[Project, LoopState, LoopTask] | None:
    try:
        state = project.engine.service.read(loop_id)
    except LoopwrightError:  # deleted, or damaged: then it is looked for like any other
        return None
    task = state.engine.task(task_id)
    return (project, state, task) if task else None


def _loops(project: Project) -> Iterator[LoopState]:
    offset = 0
    while items := project.engine.service.list(limit=PAGE, offset=offset).items:
        yield from items
        offset += PAGE


T = TypeVar("T")
C = TypeVar("C", bound=RunService[Any])  # Any: as kinds.KINDS

LIVE = "-live"
ETAG = re.compile(r'(?:W/)?"?(?P<rev>[0-9]{1,15})(?:-live|-[0-9a-f]{8})?"?', re.ASCII)

TOGETHER = 32
"""Changes that are made durable together, at most."""
THREADS = 64
"""Changes that wait for the disk at the same time; the kernel puts their syncs together."""


class ChangeQueue:
    """Changes that wait for each other are made in one thread, and durable with the same syncs.

    Belongs to one event loop.
    """

    def __init__(self, threads: ThreadPoolExecutor) -> None:
        self._threads = threads
        self._waiting: list[tuple[GroupedWork[Any], asyncio.Event]] = []  # Any: what the changes come to
        self._making: asyncio.Task[None] | None = None

    async def carry_out(self, work: Callable[[], T]) -> T:
        """`work` commits once. What would let others wait goes on in a thread of its own."""
        loop, asked, done = asyncio.get_running_loop(), GroupedWork(work=work), asyncio.Event()
        self._waiting.append((asked, done))
        if self._making is None:
            self._making = loop.create_task(self._make())
        await done.wait()
        if isinstance(asked.error, NotAtOnce):
            return await loop.run_in_executor(self._threads, work)
        return asked.answer()

    async def _make(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while group := self._waiting[:TOGETHER]:
                del self._waiting[:TOGETHER]
                try:
                    await loop.run_in_executor(self._threads, carry_out_together, [asked for asked, _ in group])
                finally:
                    for _, done in group:
                        done.set()
        finally:
            self._making = None


@dataclass(frozen=True)
class Control:
    """What every route works with."""

    projects: Projects
    threads: ThreadPoolExecutor

    @cached_property
    def changes(self) -> ChangeQueue:
        return ChangeQueue(self.threads)

    @cached_property
    def task_places(self) -> TaskLocator:
        return TaskLocator(self.projects)

    @cached_property
    def fleets(self) -> "dict[str, Database]":
        """Connections to their databases, by address."""
        return {}

    async def run_in_thread(self, work: Callable[[], T]) -> T:
        """In a thread: for whatever waits for the disk."""
        return await asyncio.get_running_loop().run_in_executor(self.threads, work)


async def control(request: Request) -> Control:
    found: Control = request.app.state.control
    return found


ControlPlane = Annotated[Control, Depends(control)]
ProjectName = Annotated[str | None, Query(alias="project", description="A project's name; default: the first")]


@dataclass(frozen=True)
class RunRequest(Generic[R]):
    """A request about one run. `service` holds its commands."""

    control: Control
    kind: ServedKind[R]
    id: str
    project: Project
    service: RunService[R]

    @property
    def source(self) -> RunSource:
        return RunSource(self.project, self.kind)


def find_run(control: Control, kind: ServedKind[R], id: str, project: str | None) -> RunRequest[R]:
    """The run of that id, in whichever project. Invalid, NotFound, Conflict."""
    place = control.projects.of_run(check_id(id, kind.name), lambda project: kind.service(project.engine), project)
    return RunRequest(control, kind, id, place, kind.service(place.engine))


async def request_loop(control: ControlPlane, loop_id: str, project: ProjectName = None) -> RunRequest[LoopState]:
    return find_run(control, LOOPS, loop_id, project)


async def request_cycle(control: ControlPlane, cycle_id: str, project: ProjectName = None) -> RunRequest[CycleState]:
    return find_run(control, CYCLES, cycle_id, project)


async def request_tuning(control: ControlPlane, tuning_id: str, project: ProjectName = None) -> RunRequest[TuningState]:
    return find_run(control, TUNINGS, tuning_id, project)


OneLoop = Annotated[RunRequest[LoopState], Depends(request_loop)]
OneCycle = Annotated[RunRequest[CycleState], Depends(request_cycle)]
OneTuning = Annotated[RunRequest[TuningState], Depends(request_tuning)]


IfMatch = Annotated[str | None, Header(alias="if-match", description="The ETag of the version you saw")]


async def loop_commands(one: OneLoop, if_match: IfMatch = None) -> LoopService:
    """The loop's commands, for somebody who may have said which version they have seen."""
    return check_version(one.project.engine.service, if_match)


async def cycle_commands(one: OneCycle, if_match: IfMatch = None) -> CycleService:
    """The cycle's, in the same way."""
    return check_version(one.project.engine.cycles, if_match)


async def tuning_commands(one: OneTuning, if_match: IfMatch = None) -> TuningService:
    """The tuning session's, in the same way."""
    return check_version(one.project.engine.tunings, if_match)


def check_version(service: C, if_match: str | None) -> C:
    """The commands for somebody who has seen the version of that ETag. Invalid for what no ETag of ours looks like."""
    if if_match is None or if_match.strip() == "*":
        return service
    found = ETAG.fullmatch(if_match.strip())
    if found is None:
        raise Invalid(
            f'If-Match: an ETag of this {service.kind} is a number in quotes, such as "12" (got {if_match[:40]!r})'
        )
    return service.expecting(int(found["rev"]))


def make_etag(state: Run, *, live: bool = False, place: FleetRun | None = None) -> str:
    """Names the version, and whether a runner is at it or how it is in the fleet, which no version tells."""
    if place:
        return f'"{state.engine.rev}-{zlib.crc32(repr(place).encode()):08x}"'
    return f'"{state.engine.rev}{LIVE if live else ""}"'


LoopCommands = Annotated[LoopService, Depends(loop_commands)]
CycleCommands = Annotated[CycleService, Depends(cycle_commands)]
TuningCommands = Annotated[TuningService, Depends(tuning_commands)]


Given = Any  # Any: what FastAPI puts in the place of a parameter


@dataclass(frozen=True, kw_only=True)
class RouteKind(Generic[R]):
    """What routes about a kind take and answer.

    `one` and `commands` are dependencies. `new`, `fields` and `status_body` are bodies: of a new run, of an edit, and
    of a request for a status, which `command_for` finds the command for. `form`, `steered`, `recovered` and `page` are
    answers.
    """

    kind: ServedKind[R]
    asked: Callable[..., Awaitable[RunRequest[R]]]
    service: Callable[..., Awaitable[Any]]  # Any: the commands of the kind
    create: Callable[[Project, Any], R]  # Any: a `new`
    new: type[Body]
    fields: type[Body]
    edit_words: str
    command_for: Callable[[R, Any], str]  # Any: a status of the kind
    form: type[BaseModel]
    steered: type[BaseModel]
    recovered: type[BaseModel]
    page: type[BaseModel]
    example: examples.Example
    page_example: examples.Example

    @cached_property
    def status_body(self) -> type[StatusBody]:
        """With the statuses of the kind."""
        status: Any = Literal[self.kind.statuses]  # Any: made here
        named: dict[str, Any] = {"status": (status, ...)}
        model = create_model(f"New{self.kind.name.capitalize()}Status", __base__=StatusBody, **named)
        add_example(model, {"status": self.kind.statuses[-1]})
        return model

    @property
    def one(self) -> Given:
        """The default of a route's parameter that is the run which is asked for."""
        return Depends(self.asked)

    @property
    def commands(self) -> Given:
        """The default of a parameter that is its commands, for somebody who may have seen a version."""
        return Depends(self.service)

    def shows(self) -> Responses:
        """A route's answer that is one run."""
        return document_responses(self.form, self.example, CHANGING)

    def says(self, message: str) -> Responses:
        """One that is a run and a message."""
        return self.answers(self.kind.said(message))

    def answers(self, message: str) -> Responses:
        """One that is a run, with this message where there is one."""
        told = {**self.example, "message": message}
        return document_responses(self.steered, told, CHANGING) if message else self.shows()


def _create_run(create: Callable[..., R], body: NewRun) -> R:
    return create(body.task, title=body.title, interactive=body.mode == "interactive", given=body.settings)


def _create_tuning(project: Project, body: NewTuning) -> TuningState:
    return project.engine.create_tuning(
        Path(body.path),
        description=body.description,
        dimensions=body.dimensions or DIMENSIONS,
        focus=body.dimensions or (),
        level=FIX_LEVELS[body.fix],
        agent=body.agent,
        model=body.model,
        effort=body.effort,
        refuter=body.refuter,
        choosing=body.choose,
        limits=body.model_dump(include={"max_tokens", "max_cost"}, exclude_none=True),
        max_iterations=body.max_iterations,
    )


LOOP_ROUTES = RouteKind[LoopState](
    kind=LOOPS,
    asked=request_loop,
    service=loop_commands,
    create=lambda project, body: _create_run(project.engine.create, body),
    new=NewLoop,
    fields=LoopFields,
    edit_words="Its texts and limits; title and description cannot change while it runs.",
    command_for=loop_command_for,
    form=LoopForm,
    steered=SteeredForm,
    recovered=RecoveredForm,
    page=PageForm,
    example=examples.LOOP,
    page_example=examples.LOOP_PAGE,
)
CYCLE_ROUTES = RouteKind[CycleState](
    kind=CYCLES,
    asked=request_cycle,
    service=cycle_commands,
    create=lambda project, body: _create_run(project.engine.create_cycle, body),
    new=NewCycle,
    fields=CycleFields,
    edit_words="Its title (not while it runs) and its maximum iterations.",
    command_for=cycle_command_for,
    form=CycleForm,
    steered=SteeredCycleForm,
    recovered=RecoveredCycleForm,
    page=CyclePageForm,
    example=examples.CYCLE,
    page_example=examples.CYCLE_PAGE,
)
TUNING_ROUTES = RouteKind[TuningState](
    kind=TUNINGS,
    asked=request_tuning,
    service=tuning_commands,
    create=_create_tuning,
    new=NewTuning,
    fields=TuningFields,
    edit_words="What its user says about the skill, and its maximum iterations.",
    command_for=tuning_command_for,
    form=TuningForm,
    steered=SteeredTuningForm,
    recovered=RecoveredTuningForm,
    page=TuningPageForm,
    example=examples.TUNING,
    page_example=examples.TUNING_PAGE,
)


def run_response(
    state: Run,
    project: Project,
    *,
    status: int = 200,
    tag: str | None = None,
    location: str | None = None,
    text: bytes | None = None,
    **more: Json,
) -> ApiResponse:
    """One run, with its version as ETag. `text`: its JSON, where that is at hand."""
    headers = {"etag": tag or make_etag(state), **({"location": location} if location else {})}
    data = state if text is None else Fragment(text)
    return make_response(data, status=status, headers=headers, project=project.name, **more)
