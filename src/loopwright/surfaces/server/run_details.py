"""Looking closer at one run, a loop or a cycle: what it did, and the files it left."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any, Literal

import orjson
from fastapi import Header, Path, Query
from pydantic import BaseModel

from loopwright.core import progress_files
from loopwright.core.errors import Invalid
from loopwright.core.record import JournalEntry
from loopwright.core.run import R
from loopwright.core.run_commands import AS_THEY_ARE, NOTHING_WAIVED, RunService, with_files
from loopwright.core.state import Mode
from loopwright.core.text import drop_surrogates
from loopwright.core.wording import event_words
from loopwright.projects import Project
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, make_response
from loopwright.surfaces.server.dependencies import C, RouteKind, RunRequest, make_etag, run_response
from loopwright.surfaces.server.documentation import CHANGING, LOOKING, Done, Said, document_responses
from loopwright.surfaces.server.kinds import ServedKind
from loopwright.surfaces.server.requests import GivenAnswer, GoingOn, Pausing, Reopening, Routes, Verdict
from loopwright.surfaces.server.responses import (
    CheckpointForm,
    DiffForm,
    EventForm,
    ProgressFileForm,
    ProgressTextForm,
    RequestsForm,
)

LONGEST_DIFF = 1 << 20
"""Characters."""

MOST = 2**53
"""Of whatever counts: the largest number that every reader of JSON keeps."""

TAG = "details"

Newest = Annotated[int, Query(ge=1, le=10_000, description="Maximum number; the newest are returned")]
After = Annotated[int, Query(ge=0, le=MOST, description="Only after this number")]
FileName = Annotated[str, Path(description="A name from the list")]
Number = Annotated[int, Path(ge=1, le=MOST)]


def document_form(form: type[BaseModel], example: Any) -> dict[str, Any]:  # Any: JSON, and what FastAPI documents with
    """For a route that answers with one thing."""
    return {"responses": document_responses(form, example, LOOKING)}


def detail_routes(room: RouteKind[R]) -> Routes:
    """The routes that both kinds have."""
    router = Routes(prefix=room.kind.one, tags=[TAG])

    @router.get("/events", summary="The journal", **document_form(Done[list[EventForm]], examples.EVENTS))
    async def events(
        after: After = 0, limit: Annotated[int, Query(ge=1, le=10_000)] = 1000, one: RunRequest[R] = room.one
    ) -> ApiResponse:
        """Every committed change, oldest first. Continue with the last `seq` as `after`."""
        found = await one.control.beside(lambda: one.service.events(one.id, after))
        return make_response([_event(entry) for entry in found[:limit]], hasMore=len(found) > limit)

    @router.get(
        "/checkpoints", summary="Its checkpoints", **document_form(Done[list[CheckpointForm]], examples.CHECKPOINTS)
    )
    async def checkpoints(one: RunRequest[R] = room.one) -> ApiResponse:
        """Snapshots of the files, and the files changed in each."""
        found = await one.control.beside(lambda: with_files(one.service.read(one.id), one.project.changes))
        return make_response(
            [
                {"n": kept.n, "action": kept.action, "at": kept.at, "files": [touched._asdict() for touched in files]}
                for kept, files in found
            ]
        )

    @router.get(
        "/checkpoints/{n}/diff", summary="One checkpoint's changes", **document_form(Done[DiffForm], examples.DIFF)
    )
    async def one_diff(n: Number, one: RunRequest[R] = room.one) -> ApiResponse:
        """Against the checkpoint before it, unified."""
        return cut_diff(await one.control.beside(lambda: one.service.checkpoint_diff(one.id, n)))

    @router.get("/progress", summary="Its files", **document_form(Done[list[ProgressFileForm]], examples.LOOP_FILES))
    async def files(one: RunRequest[R] = room.one) -> ApiResponse:
        """The existing progress files, by name."""
        one.service.read(one.id)
        folder, zone = one.service.store.progress_path(one.id), one.service.clock.now().tzinfo
        found = await one.control.beside(lambda: progress_files.list_files(folder, zone))
        return make_response([asdict(each) for each in found])

    @router.get("/progress/{file}", summary="One of its files", **document_form(Done[ProgressTextForm], examples.FILE))
    async def one_file(file: FileName, one: RunRequest[R] = room.one) -> ApiResponse:
        """Its first MiB; invalid UTF-8 is replaced."""
        one.service.read(one.id)
        folder = one.service.store.progress_path(one.id)
        found = await one.control.beside(lambda: progress_files.read_text(folder, file))
        return make_response({"name": file, **found._asdict()})

    return router


def read_entries(one: RunRequest[R]) -> tuple[JournalEntry, ...]:
    """All of its journal."""
    return tuple(one.service.events(one.id))


def cut_diff(diff: str) -> ApiResponse:
    """A diff, or its beginning."""
    return make_response({"diff": diff[:LONGEST_DIFF], "truncated": len(diff) > LONGEST_DIFF})


def parse_note(line: str) -> dict[str, Any] | None:  # Any: parsed JSON
    """A line of a transcript; None for one that was torn, or that somebody else wrote."""
    try:
        found = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return found if isinstance(found, dict) and {"ts", "kind", "text"} <= found.keys() else None


def _event(entry: JournalEntry) -> dict[str, object]:
    return {
        "seq": entry.seq,
        "ts": entry.ts,
        "actor": entry.actor,
        "type": entry.event.type,
        "data": entry.event.data,
        "words": event_words(entry),
    }


PAGE_LIMIT, FARTHEST, LONGEST_SEARCH = 500, 2**53, 500

Limit = Annotated[int, Query(ge=1, le=PAGE_LIMIT)]
Offset = Annotated[int, Query(ge=0, le=FARTHEST)]
Search = Annotated[str, Query(max_length=LONGEST_SEARCH, description="Text to find in the id, title, …")]
View = Annotated[Literal["full", "brief"], Query(description="Complete, or the fields of a list")]
Seen = Annotated[str | None, Header(description="The ETag of the version you saw")]


def run_routes(room: RouteKind[R]) -> Routes:
    """The routes of one run itself."""
    router, name = Routes(prefix=room.kind.one, tags=[f"{room.kind.name}s"]), room.kind.name

    @router.get(
        "",
        summary=f"Read a {name}",
        responses={**document_responses(room.form, room.example, LOOKING), 304: {"description": "The version you saw"}},
    )
    async def read(if_none_match: Seen = None, one: RunRequest[R] = room.one) -> ApiResponse:
        """As in its file. `live`: a runner is active."""
        state, live = one.service.read(one.id), one.service.is_live(one.id)
        tag = make_etag(state, live=live)
        if if_none_match and tag in (known.strip().removeprefix("W/") for known in if_none_match.split(",")):
            return ApiResponse(b"", 304, {"etag": tag})
        return run_response(state, one.project, tag=tag, live=live)

    @router.delete(
        "",
        summary=f"Delete a {name}",
        responses=document_responses(Said, {"message": room.kind.said("deleted")}, CHANGING),
    )
    async def delete(one: RunRequest[R] = room.one, service: RunService[R] = room.commands) -> ApiResponse:
        """With its history and checkpoints; not while it runs."""
        await one.control.beside(lambda: service.delete(one.id))
        return make_response(message=room.kind.said("deleted"))

    return router


def list_page(
    kind: ServedKind[R], project: Project, *, status: str, limit: int, offset: int, search: str, view: str
) -> ApiResponse:
    """A part of a project's runs, the latest change first."""
    service = kind.service(project)
    found = service.list(status=None if status == "all" else status, limit=limit, offset=offset, search=search)
    items = tuple(kind.glance(state, project.name) for state in found.items) if view == "brief" else found.items
    return make_response(
        items,
        total=found.total,
        limit=limit,
        offset=offset,
        hasMore=offset + len(items) < found.total,
        timestamp=service.clock.now().isoformat(timespec="milliseconds"),
        damaged=[{kind.key: id, "reason": drop_surrogates(why)} for id, why in sorted(service.damaged().items())],
    )


def driving_routes(room: RouteKind[R]) -> Routes:
    """The routes that let a run go on, and end it."""
    router = Routes(prefix=room.kind.one, tags=["steering"])

    @router.post("/start", summary="Start it", responses=room.says("started"))
    async def start(
        body: GoingOn | None = None, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """It runs in its own process."""
        return await start_run(room, one, service, body.mode if body else None)

    @router.post("/pause", summary="Pause it", responses=room.says("paused"))
    async def pause(
        body: Pausing | None = None, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """Before its next step, or at once."""
        return await pause_run(room, one, service, now=body is not None and body.now)

    @router.post("/resume", summary="Resume it", responses=room.says("resumed"))
    async def resume(
        body: GoingOn | None = None, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """Also one whose runner died."""
        return await resume_run(room, one, service, body.mode if body else None)

    @router.post("/stop", summary="Stop it", responses=room.says("stopped"))
    async def stop(one: RunRequest[R] = room.one, service: RunService[R] = room.commands) -> ApiResponse:
        """For good, with its runner and everything it started; `reopen` continues it."""
        return await stop_run(room, one, service)

    @router.post("/reopen", summary="Reopen it", responses=room.says("reopened"))
    async def reopen(
        body: Reopening | None = None, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """Continues a finished one, applying the given settings in the same change."""
        limits, waiver = (body.limits, body.waiver) if body else (AS_THEY_ARE, NOTHING_WAIVED)
        state = await one.control.beside(lambda: check_prompts(room, one, service).reopen(one.id, limits, waiver))
        return run_response(state, one.project, message=room.kind.said("reopened"))

    return router


def answering_routes(room: RouteKind[R]) -> Routes:
    """The routes that give it what it waits for."""
    router = Routes(prefix=room.kind.one, tags=["steering"])

    @router.post("/answer", summary="Answer its question", responses=room.shows())
    async def answer(
        body: GivenAnswer, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """A paused one takes the answer once it is resumed."""
        return run_response(await one.control.beside(lambda: service.answer(one.id, body.text)), one.project)

    @router.post(
        "/approve", summary="Allow or deny", responses=document_responses(RequestsForm, examples.REQUESTS, CHANGING)
    )
    async def approve(
        body: Verdict, one: RunRequest[R] = room.one, service: RunService[R] = room.commands
    ) -> ApiResponse:
        """A permission request of its agents."""
        if body.every and body.request is not None:
            raise Invalid("name one request, or set only every")
        return make_response(
            await one.control.beside(
                lambda: service.approve(one.id, body.request, answer=body.answer, every=body.every)
            )
        )

    @router.post(
        "/recover",
        summary="Rebuild it",
        responses=document_responses(room.recovered, {**room.example, **examples.REPAIRED}, CHANGING),
    )
    async def recover(one: RunRequest[R] = room.one) -> ApiResponse:
        """From what is left; `repairs` is empty if nothing was damaged, `kept` names files set aside."""
        found = await one.control.beside(lambda: one.service.recover(one.id))
        repairs = [{"type": entry.event.type, "data": entry.event.data} for entry in found.repairs]
        return run_response(found.state, one.project, repairs=repairs, kept=[path.name for path in found.kept])

    return router


async def steer_run(room: RouteKind[R], one: RunRequest[R], service: RunService[R], command: str) -> ApiResponse:
    """What a request for a bare status stands for. Invalid for what only a runner does."""
    match command:
        case "start":
            return await start_run(room, one, service)
        case "resume":
            return await resume_run(room, one, service)
        case "pause":
            return await pause_run(room, one, service, now=False)
        case "stop":
            return await stop_run(room, one, service)
        case other:
            raise Invalid(f"nobody can {other} a {room.kind.name} from outside its runner")


async def start_run(
    room: RouteKind[R], one: RunRequest[R], service: RunService[R], mode: Mode | None = None
) -> ApiResponse:
    state = await one.control.beside(lambda: check_prompts(room, one, service).start(one.id, mode))
    return run_response(state, one.project, message=room.kind.said("started"))


async def pause_run(room: RouteKind[R], one: RunRequest[R], service: RunService[R], *, now: bool) -> ApiResponse:
    state = await one.control.beside(lambda: service.pause(one.id, now=now))
    return run_response(state, one.project, message=room.kind.said("paused"))


async def resume_run(
    room: RouteKind[R], one: RunRequest[R], service: RunService[R], mode: Mode | None = None
) -> ApiResponse:
    state = await one.control.beside(lambda: check_prompts(room, one, service).resume(one.id, mode))
    return run_response(state, one.project, message=room.kind.said("resumed"))


async def stop_run(room: RouteKind[R], one: RunRequest[R], service: RunService[R]) -> ApiResponse:
    """In a thread of its own: ending processes takes its time."""
    state = await one.control.beside(lambda: asyncio.run(service.stop(one.id)))
    return run_response(state, one.project, message=room.kind.said("stopped"))


def check_prompts(room: RouteKind[R], one: RunRequest[R], service: C) -> C:
    """The commands, once the project's prompts can be used: what its runner would say of them is only in a log."""
    room.prompts(one.project)
    return service
