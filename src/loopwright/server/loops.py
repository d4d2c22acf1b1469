"""Loops: created, listed, read, edited and deleted."""

from typing import Annotated, Literal

from fastapi import Header, Query

from loopwright.domain.glance import Glance, glance
from loopwright.domain.loop import LoopState
from loopwright.domain.words import whole
from loopwright.projects import Project
from loopwright.server import examples
from loopwright.server.answers import Answer, Json, done
from loopwright.server.asking import Commands, ControlPlane, OneLoop, ProjectName, etag
from loopwright.server.documenting import BRINGING, CHANGING, LOOKING, Said, answers
from loopwright.server.forms import LoopForm, PageForm
from loopwright.server.requests import Routes
from loopwright.server.shapes import LoopFields, NewLoop

router = Routes(prefix="/api/loops/v2", tags=["loops"])

Wanted = Literal["all", "created", "running", "paused", "completed", "failed", "user_exit"]

PAGE_LIMIT, FARTHEST, LONGEST_SEARCH = 500, 2**53, 500


@router.post(
    "", summary="Create a loop", status_code=201, responses=answers(LoopForm, examples.LOOP, BRINGING, status=201)
)
async def create(control: ControlPlane, body: NewLoop, project: ProjectName = None) -> Answer:
    """It is not started yet."""
    found = control.projects.named(project)
    task, interactive = body.description.strip() or body.title, body.mode == "interactive"
    given = body.model_dump(exclude={"title", "description", "mode"}, exclude_none=True)
    state = await control.beside(
        lambda: found.engine.create(task, title=body.title, interactive=interactive, given=given)
    )
    return shown(state, found, status=201, location=f"/api/loops/v2/{state.loop_id}")


@router.get("", summary="List loops", responses=answers(PageForm, examples.PAGE, LOOKING))
async def listed(
    control: ControlPlane,
    project: ProjectName = None,
    status: Wanted = "all",
    limit: Annotated[int, Query(ge=1, le=PAGE_LIMIT)] = 50,
    offset: Annotated[int, Query(ge=0, le=FARTHEST)] = 0,
    search: Annotated[str, Query(max_length=LONGEST_SEARCH, description="In id, title, description or a tag")] = "",
    view: Annotated[Literal["full", "brief"], Query(description="Whole loops, or what a list shows of them")] = "full",
) -> Answer:
    """A page of a project's loops, the latest change first."""
    found = control.projects.named(project)
    service = found.engine.service
    page = service.list(status=None if status == "all" else status, limit=limit, offset=offset, search=search)
    items: tuple[LoopState | Glance, ...] = page.items
    if view == "brief":
        items = tuple(glance(state, found.name) for state in page.items)
    return done(
        items, total=page.total, limit=limit, offset=offset, hasMore=offset + len(items) < page.total,
        timestamp=service.clock.now().isoformat(timespec="milliseconds"),
        damaged=[{"loop_id": id, "reason": whole(why)} for id, why in sorted(service.damaged().items())],
    )  # fmt: skip


@router.get(
    "/{loop_id}", summary="Read a loop",
    responses={**answers(LoopForm, examples.LOOP, LOOKING), 304: {"description": "As it was seen"}},
)  # fmt: skip
async def read(
    one: OneLoop,
    if_none_match: Annotated[str | None, Header(description="The ETag of the version that was seen")] = None,
) -> Answer:
    """As in its file. `live`: a runner is at it."""
    state, live = one.service.read(one.loop_id), one.service.is_live(one.loop_id)
    tag = etag(state, live=live)
    if if_none_match and tag in (known.strip().removeprefix("W/") for known in if_none_match.split(",")):
        return Answer(b"", 304, {"etag": tag})
    return shown(state, one.project, tag=tag, live=live)


@router.put("/{loop_id}", summary="Edit a loop", responses=answers(LoopForm, examples.LOOP, CHANGING))
async def edit(one: OneLoop, service: Commands, body: LoopFields) -> Answer:
    """Its texts and limits; title and description not while it runs."""
    return shown(await one.control.beside(lambda: service.edit(one.loop_id, body.given)), one.project)


@router.delete(
    "/{loop_id}", summary="Delete a loop",
    responses=answers(Said, {"message": "Loop deleted"}, CHANGING),
)  # fmt: skip
async def delete(one: OneLoop, service: Commands) -> Answer:
    """With its history and checkpoints; not while it runs."""
    await one.control.beside(lambda: service.delete(one.loop_id))
    return done(message="Loop deleted")


def shown(
    state: LoopState, project: Project, *, status: int = 200, tag: str | None = None, location: str | None = None,
    **more: Json,
) -> Answer:  # fmt: skip
    """One loop, with its version as ETag."""
    headers = {"etag": tag or etag(state), **({"location": location} if location else {})}
    return done(state, status=status, headers=headers, project=project.name, **more)
