"""The routes that every kind has: create, list, read, edit, delete, reopen, approve, recover, and details.

Answers are made by `run_response`; `responses.py` describes them in /openapi.json.
"""

from collections.abc import Iterable
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
from loopwright.core.text import drop_surrogates
from loopwright.core.wording import event_words
from loopwright.projects import Project
from loopwright.surfaces.commands import CommandRow
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, Json, make_response
from loopwright.surfaces.server.dependencies import (
    ControlPlane,
    ProjectName,
    RouteKind,
    RunRequest,
    make_etag,
    run_response,
)
from loopwright.surfaces.server.derived_routes import command_routes, steer_run
from loopwright.surfaces.server.documentation import (
    BRINGING,
    CHANGING,
    LOOKING,
    Data,
    Message,
    document_responses,
)
from loopwright.surfaces.server.kinds import ServedKind
from loopwright.surfaces.server.requests import Body, Reopening, Routes, StatusBody, Verdict
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


def detail_routes(routes: RouteKind[R]) -> Routes:
    """Looking closer at one run: what it did, and the files it left."""
    router = Routes(prefix=routes.kind.one, tags=[TAG])

    @router.get("/events", summary="The journal", **document_form(Data[list[EventForm]], examples.EVENTS))
    async def events(
        after: After = 0, limit: Annotated[int, Query(ge=1, le=10_000)] = 1000, one: RunRequest[R] = routes.one
    ) -> ApiResponse:
        """Every committed change, oldest first. Continue with the last `seq` as `after`."""
        found = await one.control.run_in_thread(lambda: one.service.events(one.id, after))
        return make_response([_event(entry) for entry in found[:limit]], hasMore=len(found) > limit)

    @router.get(
        "/checkpoints", summary="Its checkpoints", **document_form(Data[list[CheckpointForm]], examples.CHECKPOINTS)
    )
    async def checkpoints(one: RunRequest[R] = routes.one) -> ApiResponse:
        """Snapshots of the files, and the files changed in each."""
        found = await one.control.run_in_thread(lambda: with_files(one.service.read(one.id), one.project.changes))
        return make_response(
            [
                {"n": kept.n, "action": kept.action, "at": kept.at, "files": [touched._asdict() for touched in files]}
                for kept, files in found
            ]
        )

    @router.get(
        "/checkpoints/{n}/diff", summary="One checkpoint's changes", **document_form(Data[DiffForm], examples.DIFF)
    )
    async def one_diff(n: Number, one: RunRequest[R] = routes.one) -> ApiResponse:
        """Against the checkpoint before it, unified."""
        return cut_diff(await one.control.run_in_thread(lambda: one.service.checkpoint_diff(one.id, n)))

    @router.get("/progress", summary="Its files", **document_form(Data[list[ProgressFileForm]], examples.LOOP_FILES))
    async def files(one: RunRequest[R] = routes.one) -> ApiResponse:
        """The existing progress files, by name."""
        one.service.read(one.id)
        folder, zone = one.service.store.progress_path(one.id), one.service.clock.now().tzinfo
        found = await one.control.run_in_thread(lambda: progress_files.list_files(folder, zone))
        return make_response([asdict(each) for each in found])

    @router.get("/progress/{file}", summary="One of its files", **document_form(Data[ProgressTextForm], examples.FILE))
    async def one_file(file: FileName, one: RunRequest[R] = routes.one) -> ApiResponse:
        """Its first MiB; invalid UTF-8 is replaced."""
        one.service.read(one.id)
        folder = one.service.store.progress_path(one.id)
        found = await one.control.run_in_thread(lambda: progress_files.read_text(folder, file))
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


def kind_routes(routes: RouteKind[R]) -> Routes:
    """The routes of all runs of a kind: creating one, and the list."""
    kind = routes.kind
    router = Routes(prefix=kind.place, tags=[f"{kind.name}s"])

    async def create(control: ControlPlane, body: Body, project: ProjectName = None) -> ApiResponse:
        """It is not started yet."""
        found = control.projects.named(project)
        state = await control.changes.carry_out(lambda: routes.create(found, body))
        id = kind.id_of(state)
        text = kind.service(found.engine).store.text(id, state)
        return run_response(state, found, status=201, location=f"{kind.place}/{id}", text=text)

    async def list_runs(
        control: ControlPlane,
        project: ProjectName = None,
        status: str = "all",
        limit: Limit = 50,
        offset: Offset = 0,
        search: Search = "",
        view: View = "full",
    ) -> ApiResponse:
        found = control.projects.named(project)
        return list_page(kind, found, status=status, limit=limit, offset=offset, search=search, view=view)

    create.__annotations__["body"] = routes.new
    list_runs.__annotations__["status"] = Literal["all", *kind.statuses]
    router.add_api_route(
        "",
        create,
        methods=["POST"],
        summary=f"Create a {kind.called}",
        status_code=201,
        responses=document_responses(routes.form, routes.example, BRINGING, status=201),
    )
    router.add_api_route(
        "",
        list_runs,
        methods=["GET"],
        summary=f"List {kind.called}s",
        description=f"A page of a project's {kind.called}s, latest change first.",
        responses=document_responses(routes.page, routes.page_example, LOOKING),
    )
    return router


def show_run(one: RunRequest[R], seen: str | None) -> ApiResponse:
    """The run as it is now, for somebody who has `seen` the version of these ETags."""
    state, live, place = one.service.read(one.id), one.service.is_live(one.id), one.service.in_fleet(one.id)
    tag = make_etag(state, live=live, place=place)
    if seen and tag in (known.strip().removeprefix("W/") for known in seen.split(",")):
        answer = ApiResponse(b"", 304, {"etag": tag})
    else:
        more: dict[str, Json] = {"fleet": place.fields} if place else {}
        answer = run_response(state, one.project, tag=tag, live=live, **more)

    def again() -> ApiResponse:
        now = one.service.is_live(one.id), one.service.in_fleet(one.id)
        unchanged = one.service.read(one.id) is state and now == (live, place)
        return answer if unchanged else show_run(one, seen)

    if len(one.control.projects.known) == 1:  # of several, another may have the run by then
        answer.again = again
    return answer


def run_routes(routes: RouteKind[R]) -> Routes:
    """The routes of one run itself."""
    router, called = Routes(prefix=routes.kind.one, tags=[f"{routes.kind.name}s"]), routes.kind.called

    async def read(if_none_match: Seen = None, one: RunRequest[R] = routes.one) -> ApiResponse:
        """As in its file. `live`: a runner is active. `fleet`: where it is, if other machines drive it."""
        return show_run(one, if_none_match)

    async def edit(
        body: Body, one: RunRequest[R] = routes.one, service: RunService[R] = routes.commands
    ) -> ApiResponse:
        state = await one.control.changes.carry_out(lambda: service.edit(one.id, body.given))
        return run_response(state, one.project, text=service.store.text(one.id, state))

    async def set_status(
        body: StatusBody, one: RunRequest[R] = routes.one, service: RunService[R] = routes.commands
    ) -> ApiResponse:
        """What a command can do: running starts or resumes it, paused pauses it, failed stops it."""
        return await steer_run(routes, one, service, routes.command_for(service.read(one.id), body.status))

    async def delete(one: RunRequest[R] = routes.one, service: RunService[R] = routes.commands) -> ApiResponse:
        """With its history and checkpoints; not while it runs."""
        kept = await one.control.run_in_thread(lambda: service.delete(one.id))
        return make_response(message="; ".join(filter(None, (routes.kind.said("deleted"), kept))))

    edit.__annotations__["body"], set_status.__annotations__["body"] = routes.fields, routes.status_body
    seen = {304: {"description": "The version you saw"}}
    for method, path, handler, summary, description, responses in (
        (
            "GET",
            "",
            read,
            f"Read a {called}",
            None,
            document_responses(routes.form, routes.example, LOOKING) | seen,
        ),
        ("PUT", "", edit, f"Edit a {called}", routes.edit_words, routes.shows()),
        ("PATCH", "/status", set_status, "Request a status", None, routes.says("stopped")),
        (
            "DELETE",
            "",
            delete,
            f"Delete a {called}",
            None,
            document_responses(Message, {"message": routes.kind.said("deleted")}, CHANGING),
        ),
    ):
        router.add_api_route(
            path, handler, methods=[method], summary=summary, description=description, responses=responses
        )
    return router


def list_page(
    kind: ServedKind[R], project: Project, *, status: str, limit: int, offset: int, search: str, view: str
) -> ApiResponse:
    """A part of a project's runs, the latest change first."""
    service = kind.service(project.engine)
    found = service.list(status=None if status == "all" else status, limit=limit, offset=offset, search=search)
    items = tuple(kind.glance(state, project.name) for state in found.items) if view == "brief" else found.items
    ids = [kind.id_of(state) for state in found.items]
    places = {id: place.fields for id in ids if (place := service.in_fleet(id))}
    more: dict[str, Json] = {"fleet": places} if places else {}
    return make_response(
        items,
        **more,
        total=found.total,
        limit=limit,
        offset=offset,
        hasMore=offset + len(items) < found.total,
        timestamp=service.clock.now().isoformat(timespec="milliseconds"),
        damaged=[{kind.key: id, "reason": drop_surrogates(why)} for id, why in sorted(service.damaged().items())],
    )


def hand_written_routes(routes: RouteKind[R]) -> Routes:
    """Commands that every kind has and the table does not: they take settings, or answer with more than the run."""
    router = Routes(prefix=routes.kind.one, tags=["steering"])

    @router.post("/reopen", summary=f"Reopen a finished {routes.kind.name}", responses=routes.says("reopened"))
    async def reopen(
        body: Reopening | None = None, one: RunRequest[R] = routes.one, service: RunService[R] = routes.commands
    ) -> ApiResponse:
        """It continues, with the given settings applied in the same change."""
        routes.kind.load_prompts(one.project.engine)
        limits, waiver = (body.limits, body.waiver) if body else (AS_THEY_ARE, NOTHING_WAIVED)
        state = await one.control.run_in_thread(lambda: service.reopen(one.id, limits, waiver))
        return run_response(state, one.project, message=routes.kind.said("reopened"))

    @router.post(
        "/approve", summary="Allow or deny", responses=document_responses(RequestsForm, examples.REQUESTS, CHANGING)
    )
    async def approve(
        body: Verdict, one: RunRequest[R] = routes.one, service: RunService[R] = routes.commands
    ) -> ApiResponse:
        """A permission request of its agents."""
        if body.every and body.request is not None:
            raise Invalid("name one request, or set only every")
        return make_response(
            await one.control.run_in_thread(
                lambda: service.approve(one.id, body.request, answer=body.answer, every=body.every)
            )
        )

    @router.post(
        "/recover",
        summary="Rebuild it",
        responses=document_responses(routes.recovered, {**routes.example, **examples.REPAIRED}, CHANGING),
    )
    async def recover(one: RunRequest[R] = routes.one) -> ApiResponse:
        """From what is left; `repairs` is empty if nothing was damaged, `kept` names files set aside."""
        found = await one.control.run_in_thread(lambda: one.service.recover(one.id))
        repairs = [{"type": entry.event.type, "data": entry.event.data} for entry in found.repairs]
        return run_response(found.state, one.project, repairs=repairs, kept=[path.name for path in found.kept])

    return router


def shared_routes(routes: RouteKind[R], rows: Iterable[CommandRow]) -> tuple[Routes, ...]:
    """What every kind has."""
    return (
        kind_routes(routes),
        run_routes(routes),
        command_routes(routes, rows),
        hand_written_routes(routes),
        detail_routes(routes),
    )
