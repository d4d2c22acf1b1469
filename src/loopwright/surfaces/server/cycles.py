"""What only a cycle can be asked."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Path, Query

from loopwright.core import progress_files
from loopwright.core.course import Check
from loopwright.core.cycle_names import Role
from loopwright.surfaces.server import examples
from loopwright.surfaces.server.api_response import ApiResponse, make_response
from loopwright.surfaces.server.dependencies import (
    OneCycle,
    RunRequest,
)
from loopwright.surfaces.server.documentation import Data
from loopwright.surfaces.server.kinds import CYCLES, TranscriptRef
from loopwright.surfaces.server.requests import (
    Routes,
)
from loopwright.surfaces.server.responses import (
    CycleTranscriptForm,
    DiffForm,
    DiscoveriesForm,
    DocumentForm,
    DocumentTextForm,
)
from loopwright.surfaces.server.shared_routes import (
    MOST,
    TAG,
    Newest,
    cut_diff,
    document_form,
    parse_note,
    read_entries,
)
from loopwright.workflows.cycle.model import CycleState
from loopwright.workflows.cycle.summary import CycleCourseStep, cycle_timeline, cycle_validations

router = Routes(prefix=CYCLES.one, tags=[TAG])

Id = Annotated[str, Path(description="As in the cycle")]


OfRole = Annotated[Role | None, Query(description="Only this role's; default: all, and the engine's")]
OfIteration = Annotated[int | None, Query(ge=1, le=MOST, description="Only what this iteration changed")]
OfVersion = Annotated[str | None, Query(max_length=40, description="Such as 1.0.0; default: the current version")]
Folder = Annotated[str, Path(description="ra, ep, cd, vas or coordination")]
File = Annotated[str, Path(description="A name from the list, without its folder")]


@router.get("/transcript", summary="Its transcript", **document_form(CycleTranscriptForm, examples.CYCLE_TRANSCRIPT))
async def transcript(one: OneCycle, role: OfRole = None, limit: Newest = 500) -> ApiResponse:
    """The last lines, from the last MiB of each transcript, by time; without a `role` they are the engine's."""
    one.service.read(one.id)
    found = await one.control.run_in_thread(
        lambda: [(each, _last_lines(one, each, limit)) for each in CYCLES.transcripts]
    )
    lines = [
        {**line, "role": line.get("role") or transcript.role}
        for transcript, tail in found
        for text in tail.lines
        if (line := parse_note(text)) and role in (None, line.get("role") or transcript.role)
    ]
    lines.sort(key=lambda line: (line.get("after", 0) if isinstance(line.get("after"), int) else 0, str(line["ts"])))
    return make_response(lines[-limit:], position=".".join(str(tail.position) for _, tail in found))


@router.get("/timeline", summary="Its steps", **document_form(Data[list[CycleCourseStep]], examples.CYCLE_TIMELINE))
async def steps(one: OneCycle, limit: Newest = 1000) -> ApiResponse:
    """Every step, in starting order; several may be in progress. `total` counts all of them."""
    state, journal = await one.control.run_in_thread(lambda: (one.service.read(one.id), read_entries(one)))
    found = cycle_timeline(journal, state.engine.checkpoints, state.current_iteration)
    return make_response(found[-limit:], total=len(found))


@router.get("/history", summary="Its validations", **document_form(Data[list[Check]], examples.HISTORY))
async def history(one: OneCycle, limit: Newest = 1000) -> ApiResponse:
    """Every validation, oldest first, with its counts. `total` counts all of them."""
    found = cycle_validations(await one.control.run_in_thread(lambda: read_entries(one)))
    return make_response(found[-limit:], total=len(found))


@router.get("/diff", summary="Its changes", **document_form(Data[DiffForm], examples.DIFF))
async def diff(one: OneCycle, iteration: OfIteration = None) -> ApiResponse:
    """Of one iteration, or of all of them, unified."""
    return cut_diff(await one.control.run_in_thread(lambda: one.project.engine.cycles.diff(one.id, iteration)))


@router.get("/documents", summary="Its documents", **document_form(Data[list[DocumentForm]], examples.DOCUMENTS))
async def documents(one: OneCycle) -> ApiResponse:
    """What the roles have written, by name, each with its kept versions."""
    found = await one.control.run_in_thread(lambda: one.project.engine.cycles.documents(one.id))
    return make_response([asdict(document) for document in found])


@router.get(
    "/documents/{folder}/{file}",
    summary="One of its documents",
    **document_form(Data[DocumentTextForm], examples.DOCUMENT),
)
async def document(one: OneCycle, folder: Folder, file: File, version: OfVersion = None) -> ApiResponse:
    """The current text, or that of a version: its first MiB; invalid UTF-8 is replaced."""
    found = await one.control.run_in_thread(
        lambda: one.project.engine.cycles.document(one.id, f"{folder}/{file}", version)
    )
    return make_response(found._asdict())


@router.get("/discoveries", summary="Its discovery board", **document_form(DiscoveriesForm, examples.DISCOVERIES))
async def discoveries(one: OneCycle) -> ApiResponse:
    """What the roles have found out about the project, oldest first."""
    found = await one.control.run_in_thread(lambda: one.project.engine.cycles.discoveries(one.id))
    return make_response(found, total=len(found))


def _last_lines(one: RunRequest[CycleState], transcript: TranscriptRef, limit: int) -> progress_files.LogTail:
    return progress_files.read_last_lines(one.service.store.progress_path(one.id), transcript.file, limit)
