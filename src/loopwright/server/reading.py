"""One run read and deleted, and pages of a list, for loops and cycles alike."""

from typing import Annotated, Literal

from fastapi import Header, Query

from loopwright.domain.run import R
from loopwright.domain.words import whole
from loopwright.engine.runs import Runs
from loopwright.projects import Project
from loopwright.server.answers import Answer, done
from loopwright.server.asking import Asked, etag
from loopwright.server.documenting import CHANGING, LOOKING, Said, answers
from loopwright.server.kinds import Kind
from loopwright.server.requests import Routes
from loopwright.server.rooms import Room, shown

PAGE_LIMIT, FARTHEST, LONGEST_SEARCH = 500, 2**53, 500

Limit = Annotated[int, Query(ge=1, le=PAGE_LIMIT)]
Offset = Annotated[int, Query(ge=0, le=FARTHEST)]
Search = Annotated[str, Query(max_length=LONGEST_SEARCH, description="In what people know one by: id, title, …")]
View = Annotated[Literal["full", "brief"], Query(description="All of each, or what a list shows")]
Seen = Annotated[str | None, Header(description="The ETag of the version that was seen")]


def single(room: Room[R]) -> Routes:
    """The routes of one run itself."""
    router, name = Routes(prefix=room.kind.one, tags=[f"{room.kind.name}s"]), room.kind.name

    @router.get(
        "", summary=f"Read a {name}",
        responses={**answers(room.form, room.example, LOOKING), 304: {"description": "As it was seen"}},
    )  # fmt: skip
    async def read(if_none_match: Seen = None, one: Asked[R] = room.one) -> Answer:
        """As in its file. `live`: a runner is at it."""
        state, live = one.service.read(one.id), one.service.is_live(one.id)
        tag = etag(state, live=live)
        if if_none_match and tag in (known.strip().removeprefix("W/") for known in if_none_match.split(",")):
            return Answer(b"", 304, {"etag": tag})
        return shown(state, one.project, tag=tag, live=live)

    @router.delete(
        "", summary=f"Delete a {name}", responses=answers(Said, {"message": room.kind.said("deleted")}, CHANGING)
    )
    async def delete(one: Asked[R] = room.one, service: Runs[R] = room.commands) -> Answer:
        """With its history and checkpoints; not while it runs."""
        await one.control.beside(lambda: service.delete(one.id))
        return done(message=room.kind.said("deleted"))

    return router


def page(kind: Kind[R], project: Project, *, status: str, limit: int, offset: int, search: str, view: str) -> Answer:
    """A part of a project's runs, the latest change first."""
    service = kind.service(project)
    found = service.list(status=None if status == "all" else status, limit=limit, offset=offset, search=search)
    items = tuple(kind.glance(state, project.name) for state in found.items) if view == "brief" else found.items
    return done(
        items, total=found.total, limit=limit, offset=offset, hasMore=offset + len(items) < found.total,
        timestamp=service.clock.now().isoformat(timespec="milliseconds"),
        damaged=[{kind.key: id, "reason": whole(why)} for id, why in sorted(service.damaged().items())],
    )  # fmt: skip
