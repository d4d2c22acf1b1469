"""Cycles: created, listed and edited; what can be done with one, and what only a cycle can."""

from dataclasses import asdict
from typing import Annotated, Literal

from fastapi import Path, Query

from loopwright.core import progress_files
from loopwright.core.course import Check
from loopwright.core.cycle_names import Role
from loopwright.surfaces.server import examples
from loopwright.surfaces.server import examples as cycle_examples
from loopwright.surfaces.server.api_response import ApiResponse, make_response
from loopwright.surfaces.server.dependencies import (
    CYCLE_ROUTES,
    ControlPlane,
    CycleCommands,
    OneCycle,
    ProjectName,
    RunRequest,
    run_response,
)
from loopwright.surfaces.server.documentation import BRINGING, LOOKING, Done, document_responses
from loopwright.surfaces.server.kinds import CYCLES, TranscriptRef
from loopwright.surfaces.server.requests import (
    Chosen,
    ChosenRival,
    CycleFields,
    Extension,
    NewCycle,
    NewCycleStatus,
    Resolution,
    Routes,
)
from loopwright.surfaces.server.responses import (
    CycleForm,
    CyclePageForm,
    CycleTranscriptForm,
    DiffForm,
    DiscoveriesForm,
    DocumentForm,
    DocumentTextForm,
)
from loopwright.surfaces.server.run_details import (
    MOST,
    TAG,
    Limit,
    Newest,
    Offset,
    Search,
    View,
    answering_routes,
    check_prompts,
    cut_diff,
    detail_routes,
    document_form,
    driving_routes,
    list_page,
    parse_note,
    read_entries,
    run_routes,
    steer_run,
)
from loopwright.workflows.cycle.commands import command_for
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import CycleCourseStep, cycle_timeline, cycle_validations

all_of_them = Routes(prefix=CYCLES.place, tags=["cycles"])
one_of_them = Routes(prefix=CYCLES.one, tags=["cycles"])

Wanted = Literal["all", "created", "running", "paused", "completed", "failed"]
Id = Annotated[str, Path(description="As in the cycle")]


@all_of_them.post(
    "",
    summary="Create a cycle",
    status_code=201,
    responses=document_responses(CycleForm, examples.CYCLE, BRINGING, status=201),
)
async def create(control: ControlPlane, body: NewCycle, project: ProjectName = None) -> ApiResponse:
    """It is not started yet."""
    found = control.projects.named(project)
    state = await control.beside(
        lambda: found.engine.create_cycle(
            body.task, title=body.title, interactive=body.mode == "interactive", given=body.settings
        )
    )
    return run_response(state, found, status=201, location=f"{CYCLES.place}/{state.cycle_id}")


@all_of_them.get("", summary="List cycles", responses=document_responses(CyclePageForm, examples.CYCLE_PAGE, LOOKING))
async def listed(
    control: ControlPlane,
    project: ProjectName = None,
    status: Wanted = "all",
    limit: Limit = 50,
    offset: Offset = 0,
    search: Search = "",
    view: View = "full",
) -> ApiResponse:
    """A page of a project's cycles, latest change first."""
    found = control.projects.named(project)
    return list_page(CYCLES, found, status=status, limit=limit, offset=offset, search=search, view=view)


@one_of_them.put("", summary="Edit a cycle", responses=CYCLE_ROUTES.shows())
async def edit(one: OneCycle, service: CycleCommands, body: CycleFields) -> ApiResponse:
    """Its title (not while it runs) and its maximum iterations."""
    return run_response(await one.control.beside(lambda: service.edit(one.id, body.given)), one.project)


@one_of_them.patch("/status", summary="Request a status", responses=CYCLE_ROUTES.says("paused"))
async def set_status(one: OneCycle, service: CycleCommands, body: NewCycleStatus) -> ApiResponse:
    """What a command can do: running starts or resumes it, paused pauses it, failed stops it."""
    return await steer_run(CYCLE_ROUTES, one, service, command_for(service.read(one.id), body.status))


@one_of_them.post("/extend", summary="Add to its task", responses=CYCLE_ROUTES.says("extended"))
async def extend(one: OneCycle, service: CycleCommands, body: Extension) -> ApiResponse:
    """A finished or paused one continues with it, a running one picks it up after its iteration."""
    state = await one.control.beside(lambda: check_prompts(CYCLE_ROUTES, one, service).extend(one.id, body.text))
    return run_response(state, one.project, message=CYCLES.said("extended"))


@one_of_them.post("/decisions/{decision_id}", summary="Make a decision", responses=CYCLE_ROUTES.shows())
async def decide(one: OneCycle, service: CycleCommands, decision_id: Id, body: Chosen) -> ApiResponse:
    """A pending one. A paused cycle continues once it is resumed."""
    return run_response(await one.control.beside(lambda: service.decide(one.id, decision_id, body.option)), one.project)


@one_of_them.post("/choose", summary="Choose a rival of a patch", responses=CYCLE_ROUTES.shows())
async def choose(one: OneCycle, service: CycleCommands, body: ChosenRival) -> ApiResponse:
    """Uses an edit that passes the same tests instead of a patch; a finished cycle continues, to validate it."""
    return run_response(await one.control.beside(lambda: service.choose(one.id, body.choice)), one.project)


@one_of_them.post("/blockers/{blocker_id}", summary="Resolve a blocker", responses=CYCLE_ROUTES.shows())
async def resolve(one: OneCycle, service: CycleCommands, blocker_id: Id, body: Resolution) -> ApiResponse:
    """An open one; the blocked work continues."""
    state = await one.control.beside(
        lambda: service.resolve(one.id, blocker_id, body.resolution, workaround=body.workaround)
    )
    return run_response(state, one.project)


ROUTERS = (
    all_of_them,
    run_routes(CYCLE_ROUTES),
    one_of_them,
    driving_routes(CYCLE_ROUTES),
    answering_routes(CYCLE_ROUTES),
)


router = Routes(prefix=CYCLES.one, tags=[TAG])

OfRole = Annotated[Role | None, Query(description="Only this role's; default: all, and the engine's")]
OfIteration = Annotated[int | None, Query(ge=1, le=MOST, description="Only what this iteration changed")]
OfVersion = Annotated[str | None, Query(max_length=40, description="Such as 1.0.0; default: the current version")]
Folder = Annotated[str, Path(description="ra, ep, cd, vas or coordination")]
File = Annotated[str, Path(description="A name from the list, without its folder")]


@router.get(
    "/transcript", summary="Its transcript", **document_form(CycleTranscriptForm, cycle_examples.CYCLE_TRANSCRIPT)
)
async def transcript(one: OneCycle, role: OfRole = None, limit: Newest = 500) -> ApiResponse:
    """The last lines, from the last MiB of each transcript, by time; without a `role` they are the engine's."""
    one.service.read(one.id)
    heard = await one.control.beside(lambda: [(voice, _last_lines(one, voice, limit)) for voice in CYCLES.voices])
    lines = [
        {**line, "role": line.get("role") or voice.role}
        for voice, found in heard
        for text in found.lines
        if (line := parse_note(text)) and role in (None, line.get("role") or voice.role)
    ]
    lines.sort(key=lambda line: (line.get("after", 0) if isinstance(line.get("after"), int) else 0, str(line["ts"])))
    return make_response(lines[-limit:], position=".".join(str(found.position) for _, found in heard))


@router.get(
    "/timeline", summary="Its steps", **document_form(Done[list[CycleCourseStep]], cycle_examples.CYCLE_TIMELINE)
)
async def steps(one: OneCycle, limit: Newest = 1000) -> ApiResponse:
    """Every step, in starting order; several may be in progress. `total` counts all of them."""
    state, journal = await one.control.beside(lambda: (one.service.read(one.id), read_entries(one)))
    found = cycle_timeline(journal, state.engine.checkpoints, state.current_iteration)
    return make_response(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **document_form(Done[list[Check]], examples.HISTORY))
async def history(one: OneCycle, limit: Newest = 1000) -> ApiResponse:
    """Every validation, oldest first, with its counts. `total` counts all of them."""
    found = cycle_validations(await one.control.beside(lambda: read_entries(one)))
    return make_response(found[-limit:], total=len(found))


@router.get("/diff", summary="Its changes", **document_form(Done[DiffForm], examples.DIFF))
async def diff(one: OneCycle, iteration: OfIteration = None) -> ApiResponse:
    """Of one iteration, or of all of them, unified."""
    return cut_diff(await one.control.beside(lambda: one.project.engine.cycles.diff(one.id, iteration)))


@router.get("/documents", summary="Its documents", **document_form(Done[list[DocumentForm]], cycle_examples.DOCUMENTS))
async def documents(one: OneCycle) -> ApiResponse:
    """What the roles have written, by name, each with its kept versions."""
    found = await one.control.beside(lambda: one.project.engine.cycles.documents(one.id))
    return make_response([asdict(document) for document in found])


@router.get(
    "/documents/{folder}/{file}",
    summary="One of its documents",
    **document_form(Done[DocumentTextForm], cycle_examples.DOCUMENT),
)
async def document(one: OneCycle, folder: Folder, file: File, version: OfVersion = None) -> ApiResponse:
    """The current text, or that of a version: its first MiB; invalid UTF-8 is replaced."""
    found = await one.control.beside(lambda: one.project.engine.cycles.document(one.id, f"{folder}/{file}", version))
    return make_response(found._asdict())


@router.get("/discoveries", summary="Its discovery board", **document_form(DiscoveriesForm, cycle_examples.DISCOVERIES))
async def discoveries(one: OneCycle) -> ApiResponse:
    """What the roles have found out about the project, oldest first."""
    found = await one.control.beside(lambda: one.project.engine.cycles.discoveries(one.id))
    return make_response(found, total=len(found))


def _last_lines(one: RunRequest[CycleState], voice: TranscriptRef, limit: int) -> progress_files.LogTail:
    return progress_files.read_last_lines(one.service.store.progress_path(one.id), voice.file, limit)


DETAIL_ROUTERS = (detail_routes(CYCLE_ROUTES), router)
